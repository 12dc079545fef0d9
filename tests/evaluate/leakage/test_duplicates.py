"""Rows that are equal, or almost: found without comparing each with each."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.evaluate.leakage.duplicates import Shuffled, duplicates, near_duplicates, row_keys
from tamis.table import Column, Table, categories


def _table(columns: int, *, named: bool, seed: int = 0) -> Table:
    """Rows of numbers with holes, every tenth of which is almost the one before it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, columns))
    X[rng.random(X.shape) < 0.02] = np.nan
    X[1::10] = X[::10] + 1e-5 * rng.normal(size=(40, columns))
    if not named:
        return Table.of(X)
    parts = [Column(f"c{j}", "numeric", X[:, j].copy()) for j in range(columns)]
    return Table([*parts, categories("word", np.repeat(rng.choice(["u", "v"], 200), 2))])


@pytest.mark.parametrize(("columns", "named"), [(3, False), (3, True), (90, False)])
def test_pairs_that_are_almost_equal_are_found(columns, named):
    """If this fails, copies of a row with another last digit pass for rows of their own."""
    found = near_duplicates(_table(columns, named=named))
    expected = {(row, row + 1) for row in range(0, 400, 10)}
    assert set(found) <= expected
    assert len(found) >= 0.9 * len(expected)  # four shifted grids cut a near pair apart once in 50 times


def test_a_wide_table_is_scaled_as_its_columns_are_one_by_one():
    """If this fails, whether two rows are almost equal depends on how the table is held in memory."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 500)) * rng.lognormal(size=500)
    X[1::2] = X[::2] + 1e-6 * rng.normal(size=(30, 500))
    X[:, 7] = 3.0
    whole = Table.of(X)
    plain = Table([whole.column(j) for j in range(500)] + [categories("word", ["u"] * 60)])
    assert whole.dense is not None
    assert plain.dense is None
    assert near_duplicates(whole) == near_duplicates(plain) == [(row, row + 1) for row in range(0, 60, 2)]


def test_sets_of_equal_rows_are_numbered_in_the_order_of_their_keys():
    """If this fails, rows count as twins that are not, or twins are overlooked."""
    keys = np.random.default_rng(0).integers(0, 300, 400).astype(np.uint64) * np.uint64(2**55 + 1)
    values, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    number = np.full(len(values), -1)
    number[counts > 1] = np.arange((counts > 1).sum())
    assert duplicates(keys).tolist() == number[place].tolist()
    assert duplicates(np.arange(5, dtype=np.uint64)).tolist() == [-1] * 5


def test_shuffling_keeps_every_column_and_how_it_hangs_on_another():
    """If this fails, chance brings fewer twins than it does in the table, and twins by chance are called copies."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 1_000).astype(float)
    X = np.column_stack([a, a * 10 + rng.integers(0, 3, 1_000), rng.integers(0, 5, 1_000)])
    made = Shuffled(Table.of(X)).table(0).numbers()
    assert all(sorted(made[:, j]) == sorted(X[:, j]) for j in range(3))
    pairs, kept = (np.unique(M[:, :2], axis=0, return_counts=True) for M in (X, made))
    assert np.array_equal(pairs[0], kept[0])
    assert np.array_equal(pairs[1], kept[1])
    assert len(set(row_keys(Table.of(made)))) == len(np.unique(made, axis=0))
    assert not np.array_equal(made, X)
