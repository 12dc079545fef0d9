"""results.json is the dump of a record that is written in one place."""

from __future__ import annotations

import json

import pytest
from tests.study.tables import classes_table, write_table

import tamis
from tamis.errors import DamagedError
from tamis.results.answer import Answer
from tamis.results.procedure import ProcedureRecord
from tamis.results.results import SCHEMA, Results


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """results.json of a quick study, as it stands on the disk."""
    folder = tmp_path_factory.mktemp("results")
    path = write_table(folder / "table.csv", classes_table())
    quick = {"folds": 2, "inner": 2, "repeats": 1, "procedures": ["stump"], "black_box": False, "n_jobs": 1}
    tamis.Study(path, target="outcome", folder=folder / "s", **quick).run()
    return json.loads((folder / "s" / "results.json").read_text(encoding="utf-8"))


def test_the_file_is_the_dump_of_its_record(written):
    """A key that is written beside the record has no type, no name in the code and no place in the order."""
    check = written.pop("check")
    record = Results.from_dict(written)
    assert isinstance(record.answer, Answer)
    assert record.schema == SCHEMA
    assert json.dumps(record.to_dict()) == json.dumps(written)
    assert len(check) == 8


def test_the_rows_of_the_comparison_are_dumps_of_theirs(written):
    """A figure that is missing in one row would be found by whoever reads it."""
    for row in written["comparison"]["procedures"]:
        assert json.dumps(ProcedureRecord.from_dict(row).to_dict()) == json.dumps(row)


def test_a_key_that_is_missing_is_named(written):
    """A file without an entry was read until some page asked for it."""
    with pytest.raises(DamagedError, match="it has no 'lock'"):
        Results.from_dict({name: value for name, value in written.items() if name != "lock"})
