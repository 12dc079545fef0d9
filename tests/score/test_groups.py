"""Groups: few values as they are, many in equal shares, missing apart."""

import numpy as np
import pytest

from tamis.score.groups import Groups, group_codes
from tamis.table import Column, Table


def test_many_values_make_groups_of_equal_size():
    """A group would hold many more rows than another, or values would be out of order."""
    x = np.random.default_rng(0).permutation(1000) ** 2.0
    codes, size = group_codes(Column("x", "numeric", x))
    assert size == 10
    assert np.bincount(codes).tolist() == [100] * 10
    assert np.all(np.diff(codes[np.argsort(x)].astype(int)) >= 0)


def test_a_heavy_value_keeps_a_group_and_leaves_no_empty_one():
    """A value that takes most rows would leave empty groups behind, or be split."""
    x = np.concatenate([np.zeros(900), np.arange(1.0, 101.0)])
    codes, size = group_codes(Column("x", "numeric", x))
    counts = np.bincount(codes, minlength=size)
    assert counts.min() > 0
    assert len(np.unique(codes[:900])) == 1
    assert size >= 2


def test_weights_are_copies():
    """A row of weight 3 would not make the same groups as three rows."""
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=200), rng.integers(0, 4, 200)
    one, size = group_codes(Column("x", "numeric", x), w.astype(float))
    many, again = group_codes(Column("x", "numeric", np.repeat(x, w)))
    assert size == again
    assert np.array_equal(np.repeat(one, w), many)


def test_missing_is_a_group_of_its_own_and_an_empty_column_has_one():
    """Missing values would be mixed with the largest numbers."""
    codes, size = group_codes(Column("x", "numeric", np.array([2.0, np.nan, 1.0, np.nan])))
    assert (codes.tolist(), size) == ([1, 2, 0, 2], 3)
    codes, size = group_codes(Column("x", "numeric", np.full(4, np.nan)))
    assert (codes.tolist(), size) == ([0, 0, 0, 0], 1)


def test_tables_count_every_column():
    """Columns counted four at a time would get their neighbour's rows."""
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 5, size=(300, 11)).astype(float), rng.integers(0, 3, 300).astype(np.int32)
    for weights in (None, rng.random(300)):
        tables = Groups.of(Table.of(X), weights).tables(y, 3)
        for j in range(11):
            expected = np.zeros((5, 3))
            np.add.at(expected, (X[:, j].astype(int), y), 1.0 if weights is None else weights)
            np.testing.assert_allclose(tables.counts[tables.first[j] : tables.first[j + 1]], expected)


@pytest.mark.parametrize("levels", [5, 40])
def test_rare_levels_share_the_last_group(levels):
    """With a limit to levels, a frequent level would lose its own group."""
    values = np.repeat(np.arange(20), np.arange(20, 0, -1)).astype(np.int32)
    column = Column("c", "categorical", values, tuple(range(20)))
    codes, size = group_codes(column, levels=levels)
    assert size == min(levels, 20)
    assert len(np.unique(values[codes == size - 1])) == max(20 - levels + 1, 1)


@pytest.mark.parametrize("most", [None, 4])
@pytest.mark.parametrize("n", [1, 2, 17, 400])
def test_columns_sorted_together_are_grouped_as_one_by_one(n, most):
    """Wide tables take another road; it must lead to the same groups."""
    random = np.random.default_rng(n)
    normal = random.normal(size=(n, 6))
    few, ties = random.integers(0, 5, size=(n, 4)), np.round(random.normal(size=(n, 12)), 1)
    X = np.column_stack([normal, few, ties, np.zeros(n), np.full(n, np.nan), np.where(normal > 0.5, np.nan, normal)])
    X[::3, 2], X[::5, 3] = 0.0, -0.0
    table = Table.of(X)
    together = Groups.of(table, max_groups=most)
    for j in range(X.shape[1]):
        codes, size = group_codes(table.column(j), max_groups=most)
        assert (together.codes[j] == codes).all()
        assert together.sizes[j] == size
