"""Wide tables: rows are taken from one matrix, and columns made when asked for."""

import numpy as np
import pytest

from tamis import TreeClassifier, TreeRegressor
from tamis.table import Column, Table, read
from tamis.views.bins import Bins


def _columns(n=30, d=80):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)).round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    columns = [Column(f"c{j:03d}", "numeric", X[:, j].copy()) for j in reversed(range(d))]
    columns[3] = Column("yes", "boolean", (X[:, 0] > 0).astype(float), ("no", "yes"))
    columns[4] = Column("grade", "ordinal", rng.integers(0, 3, n).astype(float), ("low", "middle", "high"))
    columns[5] = Column("when (year)", "numeric", X[:, 5] + 2000, source="when")
    return columns


def _plain(columns, rows):
    return Table([column.take(rows) for column in columns])


def _same(one, other):
    assert (one.names, one.named, one.shape) == (other.names, other.named, other.shape)
    for a, b in zip(one.columns, other.columns, strict=True):
        assert (a.name, a.kind, a.levels, a.source) == (b.name, b.kind, b.levels, b.source)
        np.testing.assert_array_equal(a.values, b.values)
    if one.is_numeric:
        np.testing.assert_array_equal(one.numbers(), other.numbers())
    assert one.digest() == other.digest()
    assert one.order().tolist() == other.order().tolist()


@pytest.mark.parametrize("rows", [np.array([5, 2, 9]), np.arange(30) % 3 == 0, [1, 1, 1]])
def test_rows_of_a_wide_table_are_those_of_its_columns(rows):
    """A table of many columns would lose a kind, a level, a source or a value when rows are taken."""
    columns = _columns()
    taken = Table(columns).take(rows)
    assert taken.dense is not None
    _same(taken, _plain(columns, rows))
    _same(taken.take([0, 1]), _plain(columns, rows).take([0, 1]))
    _same(taken.select([7, 3, 5]), _plain(columns, rows).select([7, 3, 5]))
    _same(taken.drop(["yes"]), _plain(columns, rows).drop(["yes"]))


def test_a_category_keeps_its_codes():
    """Codes of words would be taken for numbers."""
    columns = [*_columns(), Column("word", "categorical", np.arange(30, dtype=np.int32) % 3, ("a", "b", "c"))]
    assert Table(columns).dense is None
    _same(Table(columns).take([4, 3]), _plain(columns, [4, 3]))


def test_decisions_go_along():
    """The report could not say what the columns of a fold were read as."""
    table = read({f"c{j}": [0.5 * i + j for i in range(20)] for j in range(70)})
    assert table.take([1, 2]).decisions == table.decisions
    assert table.take([1, 2]).types == table.types


@pytest.mark.parametrize("n", [30, 400])
def test_trees_do_not_depend_on_how_a_table_is_kept(n, monkeypatch):
    """A tree on many columns would differ from the tree on the same columns one by one."""
    columns = _columns(n)
    y = (columns[10].values > 0).astype(int)

    def grown():
        table = Table(columns).take(np.arange(n))
        classes, numbers = TreeClassifier(max_depth=3).fit(table, y), TreeRegressor(max_depth=3).fit(table, y * 1.5)
        assert classes.notations_in_.keys() == {"yes", "grade"}
        return classes.to_text(), numbers.to_text(), classes.predict_proba(table).tolist()

    wide = grown()
    monkeypatch.setattr("tamis.table.table.WIDE", 10**9)
    assert grown() == wide


def test_codings_made_late_are_those_made_at_once():
    """A column's edges or values would depend on who asks first."""
    table = Table(_columns(300))
    late = Bins.of(table)
    assert (late.names, late.n_columns) == (table.names, table.n_columns)
    for j, column in enumerate(table.columns):
        alone = Bins.of(Table([column]))
        np.testing.assert_array_equal(late.codes[j], alone.codes[0])
        np.testing.assert_array_equal(late.codings[j].low, alone.codings[0].low)
        np.testing.assert_array_equal(late.codings[j].edges, alone.codings[0].edges)
        assert late.n_values[j] == alone.n_values[0]
    assert late.select([4, 2]).names == (table.names[4], table.names[2])


@pytest.mark.parametrize("odd", ["x", "2020-01-02", "7", "", "0.5"])
def test_a_wide_table_is_read_as_its_columns_are_one_by_one(tmp_path, odd):
    """If this fails, what the first row of a wide table looks like decides over the rows below it."""
    n = 1_200
    cells = [[f"{i}.{j}" for j in range(n)] for i in range(12)]
    for i in range(5, 12):
        cells[i][700] = odd
    cells[0][3] = '"0.25"'
    wide, narrow = tmp_path / "wide.csv", tmp_path / "narrow.csv"
    names = [f"c{j}" for j in range(n)]
    kept = [0, 3, 700, 1_100]
    wide.write_text("\n".join(",".join(row) for row in [names, *cells]) + "\n")
    narrow.write_text("\n".join(",".join(row[j] for j in kept) for row in [names, *cells]) + "\n")
    whole, part = read(wide), read(narrow)
    for column in part.columns:
        other = whole.column(column.name)
        assert (other.kind, other.levels) == (column.kind, column.levels)
        assert np.array_equal(other.values, column.values, equal_nan=other.kind != "categorical")
