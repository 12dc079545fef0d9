"""Means by level, merged over folds and shrunk."""

import numpy as np
import pytest

from tamis.transform.encode.target_mean import Cells, encoding


@pytest.fixture
def cells():
    rng = np.random.default_rng(0)
    codes, fold = rng.integers(-1, 6, 200), rng.integers(0, 4, 200)
    y = rng.normal(size=(200, 2)) + 1e6
    return codes, fold, y, Cells.of(codes, 6, fold, 4, y)


def test_merged_folds_are_those_of_their_rows(cells):
    """Counts, means or squares of the other folds would not be those of their rows."""
    codes, fold, y, found = cells
    merged = found.merged([0, 2, 3])
    for level in range(6):
        rows = (codes == level) & (fold != 1)
        assert merged.n[0, level] == rows.sum()
        np.testing.assert_allclose(merged.mean[0, level], y[rows].mean(axis=0), rtol=1e-14)
        np.testing.assert_allclose(merged.squares[0, level], rows.sum() * y[rows].var(axis=0), rtol=1e-6)
    assert merged.n_rows[0] == (fold != 1).sum()


def test_shrinkage_is_that_of_a_one_way_layout_with_random_effects(cells):
    """m would not be σ²/τ² by the moments of the analysis of variance."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 8, 400)
    y = rng.normal(size=8)[codes] + rng.normal(size=400)
    n = np.bincount(codes)
    mean = np.bincount(codes, weights=y) / n
    within = sum(((y[codes == g] - mean[g]) ** 2).sum() for g in range(8)) / (400 - 8)
    between = ((n * (mean - y.mean()) ** 2).sum() - 7 * within) / (400 - (n**2).sum() / 400)
    expected = (n * mean + within / between * y.mean()) / (n + within / between)
    found = encoding(Cells.of(codes, 8, np.zeros(400, int), 1, y[:, None]), np.arange(8), 8, None)
    np.testing.assert_allclose(found[:-1, 0], expected, rtol=1e-10)
    assert found[-1, 0] == pytest.approx(y.mean())


def test_levels_with_a_row_each_and_levels_alike_say_nothing():
    """Single rows would be learned by heart."""
    y = np.arange(6.0)[:, None]
    alone = encoding(Cells.of(np.arange(6), 6, np.zeros(6, int), 1, y), np.arange(6), 6, None)
    np.testing.assert_array_equal(alone, np.full((7, 1), 2.5))
    alike = encoding(Cells.of(np.array([0, 0, 0, 1, 1, 1]), 2, np.zeros(6, int), 1, y % 3), np.arange(2), 2, None)
    np.testing.assert_array_equal(alike, np.ones((3, 1)))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_counts_of_classes_tell_what_the_indicators_do(n_classes):
    """Cells counted by class would hold other means, squares or sums than those of the indicators, or miss a hole."""
    rng = np.random.default_rng(0)
    codes, fold, classes = rng.integers(-1, 6, 300), rng.integers(0, 4, 300), rng.integers(0, n_classes, 300)
    y = (classes[:, None] == np.arange(n_classes)).astype(float)[:, 1 if n_classes == 2 else 0 :]
    plain, counted = Cells.of(codes, 6, fold, 4, y), Cells.of(codes, 6, fold, 4, y, classes)
    for one, other in ((plain, counted), (plain.merged([0, 2, 3]), counted.merged([0, 2, 3]))):
        for name in ("n", "mean", "squares", "n_rows", "total"):
            np.testing.assert_allclose(getattr(other, name), getattr(one, name), atol=1e-12)
