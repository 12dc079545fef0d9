"""Scores of products, made one by one."""

import numpy as np
import pytest

from tamis.transform.products.screen import pair_scores, target_basis


@pytest.mark.parametrize("task", ["numbers", "two", "three"])
@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_scores_are_those_of_the_products(task, holes):
    """Products of matrices would give another R² than the product itself, holes filled with its mean."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(60, 3)), rng.normal(2, 1, size=(60, 4))
    A[rng.random(A.shape) < holes] = np.nan
    B[rng.random(B.shape) < holes] = np.nan
    y = {"numbers": rng.normal(size=60), "two": rng.integers(0, 2, 60), "three": rng.integers(0, 3, 60)}[task]
    found = pair_scores(A, B, target_basis(y))
    design = y[:, None] if task == "numbers" else (y[:, None] == np.unique(y)).astype(float)
    design = np.column_stack([np.ones(60), design])
    for i in range(3):
        for j in range(4):
            p = A[:, i] * B[:, j]
            p = np.where(np.isnan(p), np.nanmean(p), p)
            fit = design @ np.linalg.lstsq(design, p, rcond=None)[0]
            expected = np.square(fit - p.mean()).sum() / np.square(p - p.mean()).sum()
            assert found[i, j] == pytest.approx(expected, rel=1e-9)


def test_a_constant_product_scores_0():
    """Rounding would make a constant look perfect."""
    A = np.full((50, 1), 0.1)
    assert pair_scores(A, A, target_basis(np.arange(50.0) + 0.5))[0, 0] == 0
