"""Neighbouring rows with similar targets: a test that holds its level, and silence about sorted files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.evaluate.leakage.file_order import LEVEL, file_order


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_rows_in_no_order_are_not_warned_of(n_classes):
    """A table without any order would be said to have one."""
    rng = np.random.default_rng(0)
    found = [
        file_order(rng.integers(0, n_classes, 300) if n_classes else rng.normal(size=300), n_classes)
        for _ in range(1000)
    ]
    assert sum(one is not None for one in found) <= 1000 * LEVEL + 4


def test_the_autocorrelation_is_that_of_ranks():
    """The number in the warning would be another one."""
    walk = np.random.default_rng(0).normal(size=400).cumsum()
    ranks = pd.Series(walk).rank()
    assert file_order(walk) == pytest.approx(ranks.autocorr(), abs=0.01)


def test_sorted_files_are_not_warned_of():
    """Tables are often sorted by class, which says nothing about time."""
    assert file_order(np.repeat([0, 1, 2], 50), 3) is None
    assert file_order(np.arange(100.0)) is None
    assert file_order(np.tile(np.repeat([0, 1, 2], 10), 5), 3) is not None


@pytest.mark.parametrize("given", [{}, {"time": "day"}])
def test_a_study_asks_for_the_time(given, tmp_path):
    """Random walks in file order would be studied as if rows were independent, without a word."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 120)).cumsum(axis=1)
    frame = pd.DataFrame({"x": x, "day": np.arange(120), "y": y})
    options = {"procedures": ["stump"], "black_box": False, "repeats": 1, "drop": [] if given else ["day"], **given}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", n_jobs=1, **options).run()
    said = [leak["sentence"] for leak in study.results_["leaks"] if leak["kind"] == "order"]
    assert len(said) == (not given)
    assert all("if rows are in time order, give time" in sentence for sentence in said)
