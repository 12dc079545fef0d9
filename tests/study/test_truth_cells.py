"""No cell of benchmarks/study/truth.py misses its figure beyond what chance explains with as many tables."""

import sys
from pathlib import Path

import numpy as np
import pytest

STUDY = Path(__file__).parents[2] / "benchmarks" / "study"
sys.path.insert(0, str(STUDY))

import truth  # noqa: E402 - a script beside the package
from truth_cells.cell import Figure  # noqa: E402

CELLS = truth.cells()


def test_verdicts_follow_the_binomial_tail():
    """A rate beyond its bound would pass, or one that chance explains would fail.

    P(X ≥ 3 | 30, 0.05) = 0.188, P(X ≥ 5 | 30, 0.05) = 0.016.
    """
    figure = Figure(high=0.05)
    of = lambda count: figure.verdict(np.arange(30) < count)  # noqa: E731
    assert [of(0), of(1), of(3), of(5)] == ["met", "met", "within chance", "missed"]
    assert Figure(low=0.9).verdict(np.arange(30) < 22) == "missed"
    assert Figure(-0.02, 0.02, rate=False).verdict(np.array([0.5, 0.6, 0.55])) == "missed"


def test_every_cell_has_a_figure():
    """A cell that asks nothing would hold whatever the study says."""
    assert len(CELLS) > 20
    assert all(cell.figures for cell in CELLS.values())


@pytest.mark.nightly
@pytest.mark.parametrize("key", CELLS)
def test_the_figures_hold(key):
    """A study would claim what chance explains, deny what is there, or bound a score wrongly."""
    cell = CELLS[key]
    results = [truth.compute(key, seed) for seed in range(50_000, 50_000 + cell.tables)]
    lines = cell.lines(results)
    assert not [line for line in lines if line.endswith("missed")], lines
