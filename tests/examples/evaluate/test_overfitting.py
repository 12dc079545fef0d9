"""The demonstrations of overfitting show what they say."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np

EXAMPLES = Path(__file__).parents[3] / "examples"


def overfitting():
    """The example's functions."""
    return SimpleNamespace(**runpy.run_path(str(EXAMPLES / "evaluate" / "overfitting.py")))


def test_random_labels_are_learned_by_heart_and_never_understood():
    """The demonstrations must demonstrate: training to 1, new rows at one half."""
    shows = overfitting()
    depth = shows.depth_on_random_labels([1, 4, 15])
    assert depth.lines["training rows"][-1] == 1
    assert np.abs(depth.lines["new rows"] - 0.5).max() < 0.12
    wide = shows.columns_on_random_labels([1, 100])
    assert wide.lines["training rows"][-1] == 1
    assert abs(wide.lines["new rows"][-1] - 0.5) < 0.15
    chosen = shows.selection_before_folds([10, 3000])
    assert chosen.lines["chosen before the folds"][-1] >= 0.85
    assert chosen.lines["chosen inside the folds"][-1] < 0.65
    for shown in (depth, wide, chosen):
        assert len(shown.figure().legend.items) == 2
        assert shown.lesson
