"""The fingerprint of a table sees content only."""

import numpy as np
import pytest
from scipy import sparse

from tamis.errors import TableError
from tamis.table import Column, Table, categories


def _table():
    return Table(
        [
            Column("b", "numeric", np.array([1.5, np.nan, -2.0])),
            categories("a", ["x", None, "y"]),
            Column("c", "boolean", np.array([0.0, 1.0, 1.0])),
        ]
    )


def test_column_order_does_not_matter_and_row_order_does():
    """A study would refuse the same table with its columns moved, or accept shuffled rows."""
    table = _table()
    assert table.select(["c", "a", "b"]).digest() == table.digest()
    assert table.take([1, 0, 2]).digest() != table.digest()


@pytest.mark.parametrize("change", ["value", "missing", "name", "kind", "level"])
def test_any_change_of_content_changes_it(change):
    """A changed table would be taken for the old one."""
    b, a, c = _table().columns
    if change == "value":
        b = Column("b", "numeric", np.array([1.5, np.nan, -2.0000000000000004]))
    elif change == "missing":
        b = Column("b", "numeric", np.array([1.5, 0.0, -2.0]))
    elif change == "name":
        c = Column("d", "boolean", c.values)
    elif change == "kind":
        c = Column("c", "numeric", c.values)
    else:
        a = categories("a", ["x", None, "z"])
    assert Table([b, a, c]).digest() != _table().digest()


def test_names_and_levels_cannot_be_confused():
    """Two tables whose texts run together the same way would have the same fingerprint."""
    one = Table([categories("a", ["bc", "d"])])
    other = Table([categories("ab", ["c", "d"])])
    assert one.digest() != other.digest()


def test_storage_does_not_matter():
    """Sparse, dense, float32, C or Fortran order, other NaN bits or -0.0 would count as another table."""
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 2, (50, 8)) * rng.integers(0, 2, (50, 8)) * rng.integers(-3, 4, (50, 8)).astype(float)
    dense[:, 3] = rng.integers(1, 9, 50)
    dense[4, 2] = np.nan
    expected = Table.of(dense).digest()
    other_nan = dense.copy()
    other_nan[4, 2] = np.frombuffer(np.uint64(0xFFF8000000000001).tobytes())[0]
    other_nan[other_nan == 0] = -0.0
    for same in (np.asfortranarray(dense), dense.astype(np.float32), other_nan, sparse.csc_matrix(dense)):
        assert Table.of(same).digest() == expected
    assert Table.of(sparse.csr_matrix(dense)).digest() == expected
    assert Table.of(sparse.csr_matrix(dense)).take(np.arange(50)).digest() == expected


def test_explicit_zeros_of_a_sparse_matrix_do_not_matter():
    """A sparse matrix that stores a zero would count as another table."""
    dense = np.zeros((40, 2))
    dense[3, 0] = 2.0
    stored = sparse.csc_matrix((np.array([2.0, 0.0]), np.array([3, 7]), np.array([0, 2, 2])), shape=(40, 2))
    assert Table.of(stored).digest() == Table.of(dense).digest()


def test_levels_without_a_row_do_not_matter():
    """The rows of a part of a file would not match the same rows read alone."""
    whole = Table([categories("a", ["x", "y", "z", "y"])])
    assert whole.take([1, 2]).digest() == Table([categories("a", ["y", "z"])]).digest()


def test_drop_leaves_the_others_in_order():
    """The target would stay among the features, or a neighbour would go instead."""
    table = _table()
    assert table.drop(["a"]).names == ("b", "c")
    assert table.drop([0, "c"]).names == ("a",)
    assert table.drop([]).names == table.names
    matrix = Table.of(np.arange(6.0).reshape(2, 3), names=["p", "q", "r"])
    assert matrix.drop(["q"]).numbers().tolist() == [[0.0, 2.0], [3.0, 5.0]]


def test_dropping_an_absent_column_names_the_nearest():
    """A misspelt name would be ignored silently."""
    table = Table.of(np.zeros((2, 2)), names=["outcome", "age"])
    with pytest.raises(TableError, match=r"no column 'outcom' \(did you mean 'outcome'\?\)"):
        table.drop(["outcom"])
