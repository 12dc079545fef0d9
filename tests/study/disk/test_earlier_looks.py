"""Rows that were opened before are known again: in a folder beside, and in a table that was changed since."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from tests.study.tables import write_table
from typer.testing import CliRunner

import tamis
from tamis.cli import app

QUICK = {"folds": 2, "inner": 2, "repeats": 1, "procedures": ["stump"], "black_box": False, "n_jobs": 1}
N = 300


def _columns(seed=0, n=N):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 5))
    found = {name: [repr(float(value)) for value in x[:, j]] for j, name in enumerate("abcde")}
    found["ward"] = rng.choice(["north", "south", "west"], n).tolist()
    found["y"] = np.where(x[:, 0] + 0.3 * rng.normal(size=n) > 0, "yes", "no").tolist()
    return found


def _categories(seed=0, n=N):
    rng = np.random.default_rng(seed)
    found = {name: rng.choice(["u", "v", "w"], n).tolist() for name in ("one", "two", "three")}
    found["y"] = [level if rng.random() < 0.8 else "v" for level in found["one"]]
    return found


def _run(path, folder, **options):
    return tamis.Study(path, target="y", folder=folder, **{**QUICK, **options}).run()


def _without(columns, rows):
    return {name: [value for i, value in enumerate(values) if i not in rows] for name, values in columns.items()}


def _cell(columns):
    changed = dict(columns)
    changed["b"] = [repr(float(columns["b"][0]) + 1e-6), *columns["b"][1:]]
    return changed


CHANGES = {
    "nothing": lambda columns: columns,
    "one cell by 1e-6": _cell,
    "three rows deleted": lambda columns: _without(columns, {3, 77, 205}),
    "a column added": lambda columns: {"new": [str(i % 7) for i in range(N)], **columns},
    "a column removed": lambda columns: {name: values for name, values in columns.items() if name != "c"},
    "rows in another order": lambda columns: {
        name: [values[i] for i in np.random.default_rng(5).permutation(N)] for name, values in columns.items()
    },
    "numbers rounded to 6 digits": lambda columns: {
        name: [f"{float(value):.6g}" if name in "abcde" else value for value in values]
        for name, values in columns.items()
    },
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A study whose locked rows were opened, as the only folder in its place."""
    place = tmp_path_factory.mktemp("place")
    first = _run(write_table(place / "t.csv", _columns()), place / "studies" / "first")
    assert first.open()["independent"]
    return place / "studies"


@pytest.fixture
def place(opened, tmp_path):
    return shutil.copytree(opened, tmp_path / "studies")


@pytest.mark.parametrize("change", CHANGES)
def test_rows_opened_in_a_folder_beside_are_known_in_a_changed_table(place, tmp_path, change):
    """An opening that calls itself the first although these rows were scored before is a lie."""
    path = write_table(tmp_path / "u.csv", CHANGES[change](_columns()))
    found = _run(path, place / "second").open()
    assert (found["openings"], found["independent"]) == (1, False)
    assert "rows of this table were looked at once before (ledger of 'first')" in found["note"]


def test_rows_opened_in_the_own_folder_are_known_in_a_changed_table(place, tmp_path):
    """--fresh with one cell changed would make an opened folder new."""
    path = write_table(tmp_path / "u.csv", _cell(_columns()))
    study = tamis.Study(path, target="y", folder=place / "first", **QUICK).run(fresh=True)
    found = study.open()
    assert not found["independent"]
    assert "(ledger of 'first')" in found["note"]


def test_fresh_rows_of_the_same_kind_are_not_taken_for_those_opened(place, tmp_path):
    """New patients with the same columns are a new table."""
    path = write_table(tmp_path / "u.csv", _columns(seed=1))
    found = _run(path, place / "second").open()
    assert found["independent"]
    assert "looked at" not in found["note"]


def test_few_categories_are_known_by_their_order_and_only_by_it(tmp_path):
    """27 kinds of rows are in every table: fresh ones are no look, and three deleted rows hide none."""
    path = write_table(tmp_path / "t.csv", _categories())
    assert _run(path, tmp_path / "s" / "first").open()["independent"]
    fresh = write_table(tmp_path / "u.csv", _categories(seed=1))
    assert _run(fresh, tmp_path / "s" / "fresh").open()["independent"]
    changed = write_table(tmp_path / "v.csv", _without(_categories(), {3, 77, 205}))
    assert not _run(changed, tmp_path / "s" / "changed").open()["independent"]


def test_a_damaged_ledger_beside_counts_where_its_study_is_of_this_table(place, tmp_path):
    """A line that cannot be read may have been the opening of these very rows."""
    (place / "first" / "ledger.jsonl").write_text('{"kind": "opened", "sco')
    changed = write_table(tmp_path / "u.csv", _cell(_columns()))
    assert not _run(changed, place / "second").open()["independent"]
    fresh = write_table(tmp_path / "v.csv", _columns(seed=1))
    assert _run(fresh, place / "third").open()["independent"]


def test_leaving_out_grouping_or_transforming_columns_locks_the_same_rows(tmp_path):
    """Two studies of one table shared 15 of 61 locked rows: the others had been learned from and looked at."""
    path = write_table(tmp_path / "t.csv", _columns())
    options = [{}, {"drop": ["a"]}, {"drop": ["ward", "e"]}, {"transform": "standardize"}, {"types": "ward=text"}]
    locks = [tamis.Study(path, target="y", folder=tmp_path / "s", **one).problem.lock for one in options]
    assert len({(tuple(lock.rows), lock.digest, lock.data) for lock in locks}) == 1


def test_what_is_known_is_said_and_no_more(place, tmp_path):
    """Nobody can know whether rows were opened on another machine."""
    path = write_table(tmp_path / "u.csv", _columns(seed=1))
    _run(path, place / "second")
    told = CliRunner().invoke(app, ["open", str(place / "second")]).stdout
    assert "first opening known here" in told
    assert "is independent" not in told
    page = (place / "second" / "report.html").read_text(encoding="utf-8")
    assert "first known here" in page
    assert "the first opening known here" in tamis.load(place / "second").cite()
