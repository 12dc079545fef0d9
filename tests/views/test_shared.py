"""Views that are worked out once for a table and cut for some of its rows."""

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.table import Table
from tamis.views import binned
from tamis.views.binned import bin_columns


def _frame(seed, n=120):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3)).round(1)
    x[rng.random((n, 3)) < 0.1] = np.nan
    x[:, 2] = rng.integers(0, 3, n) - 1.0
    x[:5, 2] = -0.0
    return pd.DataFrame(x, columns=["b", "a", "c"]).assign(word=rng.choice(["u", "v", "w"], n), none=np.nan)


def _same(one, two):
    for part, other in zip(one[0], two[0]):
        np.testing.assert_array_equal(part, other)
    assert {j: (c.levels, c.n_values) for j, c in one[1].items()} == {
        j: (c.levels, c.n_values) for j, c in two[1].items()
    }


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_cut_is_what_would_be_worked_out(seed, wide):
    """A model of some rows would depend on rows it was not given, or on who asked first."""
    rng = np.random.default_rng(seed)
    frame = _frame(seed)
    if wide:
        frame = pd.DataFrame(rng.normal(size=(40, 90)).round(1)).add_prefix("c")
    plain, shared = Table.of(frame), Table.of(frame).share()
    rows = rng.permutation(len(frame))[: len(frame) // 2]
    mask = rng.random(len(rows)) < 0.7
    columns = ["c2", "c11", "c0"] if wide else ["c", "word", "b"]
    for one, two in (
        (plain.take(rows), shared.take(rows)),
        (plain.take(rows).take(mask), shared.take(rows).take(mask)),
        (plain.take(rows).select(columns), shared.take(rows).select(columns)),
        (plain.select(columns).take(rows), shared.select(columns).take(rows)),
    ):
        assert two.origin is not None
        _same(bin_columns(one), bin_columns(two))
        order = rng.permutation(one.n_columns)
        _same(bin_columns(one, order), bin_columns(two, order, n_jobs=2))


def test_a_study_codes_its_table_once(tmp_path, monkeypatch):
    """Every fit would sort every column again: one study of a small table fits hundreds of models."""
    counted = []
    usual = binned._short
    monkeypatch.setattr(binned, "_short", lambda table, *args: counted.append(table.shape) or usual(table, *args))
    frame = _frame(0).drop(columns="none")
    y = np.where(frame["b"].fillna(0) + (frame["word"] == "u") > 0.3, "yes", "no")
    for n_jobs in (1, 2):
        counted.clear()
        tamis.Study(
            frame.assign(y=y), target="y", folder=tmp_path / str(n_jobs), lock=0, repeats=1, n_jobs=n_jobs
        ).run()
        assert counted == [(120, 4)]
