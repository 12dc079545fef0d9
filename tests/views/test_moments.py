"""Moments equal the plain formulas, add, subtract and select exactly, and lose no digits to large means or units."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import KFold, ShuffleSplit

from tamis.errors import ParameterError, TableError
from tamis.views.indicators import Indicators
from tamis.views.moments import FoldMoments, Moments


def plain(X, y, w=None):
    """Mean and scatter by the definition, in long double."""
    Z = np.column_stack([X, y]).astype(np.longdouble)
    w = np.ones(len(Z), dtype=np.longdouble) if w is None else np.asarray(w, dtype=np.longdouble)
    mean = w @ Z / w.sum()
    centred = Z - mean
    return mean, (centred * w[:, None]).T @ centred


def data(seed, n=200, d=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=d) * 3
    return X, X @ rng.normal(size=d) + rng.normal(size=n), rng.uniform(0.1, 2, size=n)


def close(a, b, tolerance=1e-10):
    """Scatter entries against the size of their columns, means against the spread."""
    size = np.sqrt(np.maximum(np.outer(np.diagonal(b.scatter), np.diagonal(b.scatter)), 1e-300))
    np.testing.assert_allclose(a.scatter / size, b.scatter / size, atol=tolerance, rtol=0)
    np.testing.assert_allclose(a.mean, b.mean, rtol=tolerance, atol=tolerance * np.sqrt(b.variance.max()))
    assert a.n_rows == b.n_rows
    np.testing.assert_allclose(a.weight, b.weight, rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", ["C", "F", "float32", "sparse", "frame"])
def test_moments_equal_the_definition(form, weighted):
    """Every form of input must give the mean and scatter of the definition, weighted or not."""
    X, y, w = data(0, n=3000)
    X = X.astype(np.float32).astype(np.float64)
    w = w if weighted else None
    mean, scatter = plain(X, y, w)
    given = {
        "C": X,
        "F": np.asfortranarray(X),
        "float32": X.astype(np.float32),
        "sparse": sparse.csc_array(X),
        "frame": pd.DataFrame(X, columns=list("abcdef")),
    }[form]
    m = Moments.of(given, y, w)
    np.testing.assert_allclose(m.mean, mean.astype(float), rtol=1e-12)
    np.testing.assert_allclose(m.scatter, scatter.astype(float), rtol=1e-11, atol=1e-10)


def test_sparse_columns_are_not_made_dense_and_stay_exact():
    """A thin column, a full column with a large mean and an empty one give the same moments sparse and dense."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 5)) * (rng.random((500, 5)) < 0.1)
    X[:, 1] = 1e6 + rng.normal(size=500)
    X[:, 4] = 0
    y, w = rng.normal(size=500), rng.uniform(size=500)
    a, b = Moments.of(sparse.csr_array(X), y, w), Moments.of(X, y, w)
    close(a, b, 1e-12)
    assert a.deviation[4] == 0


def test_a_large_mean_and_a_large_unit_cost_no_digits():
    """Variance of values 1e9 ± 1 and of values near 1e-200 or 1e150 must keep ten digits: sums of squares would not."""
    rng = np.random.default_rng(2)
    X = np.column_stack(
        [
            1e9 + np.round(rng.normal(size=400) * 1024) / 1024,
            rng.normal(size=400) * 1e-170,
            rng.normal(size=400) * 1e150,
        ]
    )
    m = Moments.of(X)
    expected = [np.sum((c - c.mean()) ** 2) for c in ((X[:, 0] - 1e9), X[:, 1] * 1e170, X[:, 2] / 1e150)]
    unit = m.unit_scatter.diagonal() * (m.scale / [1, 1e-170, 1e150]) ** 2
    np.testing.assert_allclose(unit, expected, rtol=1e-10)
    reference = np.corrcoef(np.column_stack([X[:, 0] - 1e9, X[:, 1] * 1e170, X[:, 2] / 1e150]).T)
    np.testing.assert_allclose(m.correlation, reference, atol=1e-10)


@given(st.integers(0, 2**31), st.integers(2, 60), st.integers(1, 40), st.booleans())
@settings(max_examples=60, deadline=None)
def test_subtracting_a_part_equals_computing_without_it(seed, left, taken, weighted):
    """Folds would be trained on the wrong rows if total - part differed from the moments of the rest."""
    X, y, w = data(seed, n=left + taken + 10, d=3)
    w = w if weighted else None
    part = slice(0, taken)
    rest = slice(taken, None)
    total, a = Moments.of(X, y, w), Moments.of(X[part], y[part], None if w is None else w[part])
    b = Moments.of(X[rest], y[rest], None if w is None else w[rest])
    close(total - a, b)
    close(a + b, total)
    close(b + a, total)


@pytest.mark.parametrize("cv", [KFold(5), KFold(7, shuffle=True, random_state=0), ShuffleSplit(4, random_state=0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_equal_recomputing_from_their_rows(cv, weighted):
    """Cross-validation from moments must see exactly the training and test rows of the splitter."""
    X, y, w = data(3, n=101)
    w = w if weighted else None
    splits = list(cv.split(X))
    folds = FoldMoments.of(X, splits, y, w)
    assert len(folds) == len(splits)
    for (train, test), a, b in zip(splits, folds.train, folds.test):
        close(a, Moments.of(X[train], y[train], None if w is None else w[train]))
        close(b, Moments.of(X[test], y[test], None if w is None else w[test]))
    close(folds.total, Moments.of(X, y, w))


def test_an_outlier_in_one_fold_does_not_spoil_the_other_folds():
    """Training moments without the fold of a 1e9 outlier must keep their digits: subtraction would lose them."""
    X, y, _ = data(4, n=60)
    X[0, 0] = 1e9
    splits = list(KFold(6).split(X))
    folds = FoldMoments.of(X, splits, y)
    train = splits[0][0]
    _, scatter = plain(X[train], y[train])
    np.testing.assert_allclose(folds.train[0].correlation, _correlation(scatter), atol=1e-8)


def _correlation(scatter):
    scatter = scatter.astype(float)
    spread = np.sqrt(scatter.diagonal())
    return scatter / np.outer(spread, spread)


def test_categories_enter_as_groups_that_stay_together():
    """A categorical column gives one indicator a level, and selecting the column selects them all."""
    frame = pd.DataFrame({"b": [1.0, 2, 3, 4], "a": ["x", "y", "z", "x"], "c": [0.0, 1, 1, 0]})
    m = Moments.of(frame, [1.0, 2, 3, 4])
    assert m.encoding.columns == ("b", "a=x", "a=y", "a=z", "c")
    np.testing.assert_allclose(m.mean, [2.5, 0.5, 0.25, 0.25, 0.5, 2.5])
    chosen = m[["c", "a"]]
    assert chosen.encoding.columns == ("c", "a=x", "a=y", "a=z")
    np.testing.assert_allclose(chosen.mean, [0.5, 0.5, 0.25, 0.25, 2.5])
    close(m[[2, 1]], chosen)
    close(m[np.array([False, True, True])], m[["a", "c"]])
    close(m[["b"]], Moments.of(frame[["b"]], [1.0, 2, 3, 4]))


def test_condition_number_is_that_of_the_standardised_columns():
    """A wrong condition number would send ill-conditioned fits down the fast path."""
    X, y, _ = data(5)
    m = Moments.of(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(m.condition, np.linalg.cond(Z), rtol=1e-8)
    assert Moments.of(np.column_stack([X, X[:, 0]]), y).condition == np.inf
    assert np.isfinite(Moments.of(np.column_stack([X, np.full(len(X), 3.3)]), y).condition)


def test_a_constant_column_has_no_correlation():
    """Rounding of a constant such as 0.1 must not be read as spread."""
    X = np.column_stack([np.full(1000, 0.1), np.arange(1000.0)])
    m = Moments.of(X, np.arange(1000.0))
    assert m.deviation[0] == 0
    np.testing.assert_array_equal(m.correlation[0], [1, 0, 0])
    np.testing.assert_allclose(m.correlation[1], [0, 1, 1])


def test_rows_of_weight_zero_do_not_count():
    """A weight of 0 must act as if the row were absent."""
    X, y, w = data(6)
    w[:50] = 0
    a, b = Moments.of(X, y, w), Moments.of(X[50:], y[50:], w[50:])
    np.testing.assert_allclose(a.scatter, b.scatter, rtol=1e-10)


def test_moments_refuse_what_they_cannot_add():
    """Different columns, missing values and parts larger than the whole get a sentence."""
    X = data(7)[0]
    with pytest.raises(ParameterError, match="different columns"):
        Moments.of(X) + Moments.of(X[:, :2])
    with pytest.raises(ParameterError, match="cannot take"):
        Moments.of(X[:5]) - Moments.of(X)
    X[3, 1] = np.nan
    with pytest.raises(TableError, match="x1"):
        Moments.of(X)


def test_indicators_survive_json():
    """A saved model must encode new rows as the fitted one did."""
    import json

    frame = pd.DataFrame({"a": ["x", "y", "z"], "b": [1.0, 2, 3]})
    from tamis.table import Table

    for reference in (False, True):
        code = Indicators.of(Table.of(frame), reference=reference)
        back = Indicators.from_dict(json.loads(json.dumps(code.to_dict())))
        assert back == code
        np.testing.assert_array_equal(back.encode(Table.of(frame)), code.encode(Table.of(frame)))
    assert Indicators.of(Table.of(frame), reference=True).columns == ("a=y", "a=z", "b")


def test_pickled_moments_hold_half_of_the_scatter_and_come_back_whole():
    """A worker would send twice the bytes, or other bits would arrive."""
    rng = np.random.default_rng(1)
    whole = Moments.of(rng.normal(size=(200, 60)) + 5.0, rng.normal(size=200))
    sent = pickle.dumps(whole, protocol=5)
    back = pickle.loads(sent)
    for name in ("shift", "scale", "unit_mean", "unit_scatter"):
        assert getattr(back, name).tobytes() == getattr(whole, name).tobytes()
    assert (back + back).scatter.tobytes() == (whole + whole).scatter.tobytes()
    assert len(sent) < 0.7 * 8 * 61**2
