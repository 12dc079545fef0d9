"""Bins, the order of rows, and bags."""

import numpy as np
import pandas as pd

from tamis.additive.data import AdditiveData
from tamis.table import Table


def data_of(X, codes=None, weight=None, max_bins=255):
    table = Table.of(X)
    codes = np.zeros(table.n_rows) if codes is None else codes
    return AdditiveData.of(table, codes, np.ones(table.n_rows) if weight is None else weight, max_bins)


def test_every_copy_is_held_out_equally_often():
    """By whole copies: those of a row, and those of a stratum, spread over the folds."""
    rng = np.random.default_rng(0)
    data = data_of(rng.integers(0, 3, size=(210, 2)).astype(float), rng.integers(0, 2, size=210).astype(float))
    strata = np.zeros(len(data.digest), dtype=np.int64)
    held_out = data.held_out(strata, 14, 7, 0)
    assert data.counted.sum() == 210
    assert len(data.digest) == 18
    np.testing.assert_allclose(held_out.sum(axis=0), 2.0)
    copies = held_out * data.counted
    np.testing.assert_allclose(copies, copies.round(), atol=1e-9)
    np.testing.assert_allclose(copies.sum(axis=1), 30)
    assert (np.abs(copies - data.counted / 7) < 1).all()


def test_strata_are_held_out_in_equal_shares():
    """A rare class is in every fold."""
    rng = np.random.default_rng(0)
    classes = (np.arange(300) < 21).astype(np.int64)
    data = data_of(rng.normal(size=(300, 2)), classes.astype(float))
    held_out = data.held_out(classes[data.rows], 7, 7, 0)
    assert (held_out @ (classes[data.rows] == 1)).tolist() == [3.0] * 7


def test_equal_rows_become_one():
    """Whether given twice or with the weight 2."""
    X = np.array([[1.0, 5.0], [2.0, 5.0], [1.0, 5.0]])
    copies, weighted = data_of(X), data_of(X[:2], weight=np.array([2.0, 1.0]))
    for name in ("codes", "weight", "counted"):
        np.testing.assert_array_equal(getattr(copies, name), getattr(weighted, name))
    np.testing.assert_array_equal(X[copies.rows][copies.group], X[copies.live])


def test_bins_share_values_only_where_they_must():
    """At most so many bins, of about equal numbers of rows; edges lie between values."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=1_000)
    data = data_of(x[:, None], max_bins=20)
    counts = np.bincount(data.codes[0], weights=data.counted)
    assert (counts == 50).all()
    np.testing.assert_array_equal(np.searchsorted(data.edges[0], x[data.rows]), data.codes[0])
    few = data_of(np.array([[3.0], [7.0], [np.nan]]))
    assert few.n_values.tolist() == [2]
    assert few.edges[0].tolist() == [5.0]


def test_rare_levels_share_a_bin():
    """A byte holds 255 levels."""
    rng = np.random.default_rng(0)
    words = rng.choice([f"w{k}" for k in range(400)], size=5_000)
    data = data_of(pd.DataFrame({"word": pd.Categorical(words)}))
    assert data.n_values.tolist() == [255]
    counts = np.bincount(data.codes[0], weights=data.counted, minlength=255)
    assert counts[:254].min() > 0
    assert counts[254] == np.sort(np.unique(words, return_counts=True)[1])[: len(set(words)) - 254].sum()
