"""Rows known again by hashes of their cells: in changed tables, and never in fresh ones."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tamis.errors import DamagedError
from tamis.lock import Lock, RowHashes
from tamis.table import Column, Table, raw_of


def _table(rng, n, n_columns, n_levels):
    """Columns of whole numbers, or of continuous ones (0 levels)."""
    values = rng.normal(size=(n, n_columns)) if not n_levels else rng.integers(0, n_levels, (n, n_columns)) / 1.0
    return Table([Column(f"c{j}", "numeric", values[:, j]) for j in range(n_columns)])


def _hashes(table):
    hashes = Lock.of(table).hashes
    assert hashes is not None
    return RowHashes.from_dict(json.loads(json.dumps(hashes.to_dict())))


@pytest.mark.parametrize("n", [100, 400, 4_000])
@pytest.mark.parametrize(("n_columns", "n_levels"), [(1, 0), (3, 0), (40, 0), (2, 3), (4, 5), (6, 5), (8, 5), (12, 2)])
def test_fresh_rows_are_never_taken_for_those_that_were_locked(n, n_columns, n_levels):
    """Rows of few kinds agree by chance with rows of every table of their population."""
    rng = np.random.default_rng([n, n_columns, n_levels])
    for _ in range(5):
        hashes = _hashes(_table(rng, n, n_columns, n_levels))
        for m in (n // 2, n, 4 * n):
            assert not hashes.holds(raw_of(_table(rng, m, n_columns, n_levels)))


@pytest.mark.parametrize("n", [100, 400, 4_000])
@pytest.mark.parametrize(("n_columns", "n_levels"), [(2, 0), (40, 0), (12, 5), (3, 3)])
def test_a_changed_table_is_known(n, n_columns, n_levels):
    """Deleted rows, noise in the seventh digit, a column more or less hide nothing."""
    rng = np.random.default_rng([n, n_columns, n_levels])
    for _ in range(5):
        table = _table(rng, n, n_columns, n_levels)
        hashes = _hashes(table)
        fewer = table.take(np.delete(np.arange(n), rng.choice(n, 3, replace=False)))
        noisy = Table([Column(c.name, "numeric", c.values * (1 + 1e-7 * rng.normal(size=n))) for c in table.columns])
        more = Table([*table.columns, Column("new", "numeric", rng.normal(size=n))])
        for changed in (table, fewer, noisy, more):
            assert hashes.holds(raw_of(changed))
        if n_columns > 3:
            assert hashes.holds(raw_of(table.drop(["c1"])))
            one_changed = Table([Column("c0", "numeric", rng.normal(size=n)), *table.columns[1:]])
            assert hashes.holds(raw_of(one_changed))
        assert hashes.holds(raw_of(table.take(rng.permutation(n)))) == (n_levels == 0 or n_columns == 12)


def test_the_target_is_not_hashed():
    """A hash of a class is the class: 16 bits of two values can be tried."""
    rng = np.random.default_rng(0)
    hashes = Lock.of(_table(rng, 200, 4, 2), target="c2").hashes
    assert hashes.columns == ("c0", "c1", "c3")


@pytest.mark.parametrize("put", [None, {}, {"n_rows": 9, "rows": [1], "cells": {"a": "12"}}, {"n_rows": 1, "rows": []}])
def test_damaged_hashes_are_refused(put):
    """A ledger may be damaged or made up."""
    with pytest.raises(DamagedError):
        RowHashes.from_dict(put)
