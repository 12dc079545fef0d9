"""Distances of normal classes: closed forms, several classes, and a search by them."""

import numpy as np
import pandas as pd
import pytest

from tamis.errors import KindError, TableError
from tamis.score import bhattacharyya, jeffries_matusita
from tamis.search import SubsetSelector


def test_the_distance_is_the_formula_of_two_normal_classes():
    """Means, covariances or determinants would enter differently."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(300, 2)), rng.normal(size=(200, 2)) @ np.array([[2.0, 0.5], [0.0, 1.0]]) + [1.0, -1.0]
    cov = [np.cov(part.T, ddof=0) for part in (a, b)]
    middle, gap = (cov[0] + cov[1]) / 2, a.mean(axis=0) - b.mean(axis=0)
    det = np.linalg.det
    known = gap @ np.linalg.solve(middle, gap) / 8 + 0.5 * np.log(det(middle) / np.sqrt(det(cov[0]) * det(cov[1])))
    X, y = np.vstack([a, b]), np.repeat([0, 1], [300, 200])
    assert bhattacharyya(X, y) == pytest.approx(known, rel=1e-6)
    assert jeffries_matusita(X, y) == pytest.approx(2 * (1 - np.exp(-known)), rel=1e-6)
    assert bhattacharyya(X * [1000.0, 0.01] + 5, y) == pytest.approx(known, rel=1e-6)


def test_several_classes_are_the_weighted_mean_of_pairs():
    """A pair of rare classes would count as much as a pair of frequent ones."""
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], [100, 60, 20])
    X = rng.normal(size=(180, 2)) + (y == "b")[:, None] * 2
    pairs = {("a", "b"): 6000, ("a", "c"): 2000, ("b", "c"): 1200}
    known = sum(w * bhattacharyya(X[np.isin(y, p)], y[np.isin(y, p)]) for p, w in pairs.items()) / sum(pairs.values())
    assert bhattacharyya(X, y) == pytest.approx(known, rel=1e-5)


def test_a_search_finds_the_pair_that_separates_together():
    """Elongated clusters lie apart only in two columns together; each alone says little."""
    rng = np.random.default_rng(2)
    t, y = rng.normal(size=300) * 5, rng.integers(0, 2, 300)
    X = np.column_stack([rng.normal(size=300), t, t + 2 * y + 0.3 * rng.normal(size=300)])
    assert sorted(SubsetSelector(jeffries_matusita, search="exhaustive", k=2).fit(X, y).selected_) == [1, 2]


def test_what_is_not_a_number_gets_a_sentence():
    """A category would be a number, or a hole spread through the covariance."""
    with pytest.raises(KindError, match="column 'c' holds categories"):
        bhattacharyya(pd.DataFrame({"c": ["u", "v"] * 5}), [0, 1] * 5)
    with pytest.raises(TableError, match="column 'x0'"):
        bhattacharyya([[np.nan], [1.0]], [0, 1])
    assert bhattacharyya([[1.0], [2.0]], [1, 1]) == 0
