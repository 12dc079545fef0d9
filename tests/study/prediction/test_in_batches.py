"""Studies and predictions of many files: those of the same rows in one table, on any engine."""

from __future__ import annotations

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.table.lazy.parts import lazy_table
from typer.testing import CliRunner

from tamis import Study, load
from tamis.cli import app
from tamis.engine import use
from tamis.errors import ParameterError, TableError
from tamis.study import source as study_source


def _rows(n: int = 300) -> pa.Table:
    rng = np.random.default_rng(2)
    a, word = rng.normal(size=n), rng.choice(np.array(["p", "q"]), n)
    answer = np.where(a + (word == "p") + rng.normal(0, 0.5, n) > 0.5, "yes", "no")
    return pa.table({"name": [f"row {k}" for k in range(n)], "a": a, "b": rng.normal(size=n), "w": word, "y": answer})


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("many")
    (home / "data").mkdir()
    rows = _rows()
    for k, cut in enumerate(np.array_split(np.arange(300), 4)):
        pq.write_table(rows.slice(cut[0], len(cut)), home / "data" / f"{k}.parquet", row_group_size=37)
    pq.write_table(rows, home / "one.parquet")
    settings = {"target": "y", "procedures": ["lasso"], "folds": 3, "black_box": False}
    Study(str(home / "data" / "*.parquet"), folder=home / "many", **settings).run()
    Study(home / "one.parquet", folder=home / "one", **settings).run()
    return home


def test_a_study_of_many_files_is_that_of_the_rows_in_one(home):
    """Whoever cuts a table into files would get another answer."""
    one, many = (json.loads((home / name / "results.json").read_text()) for name in ("one", "many"))
    assert one == many


def test_predictions_part_by_part_are_those_in_memory(home):
    """Rows would be numbered, named or predicted otherwise where a table is read in parts; the look would not count."""
    new = _rows(700).set_column(3, "w", pa.array(["unknown"] + ["p"] * 699)).slice(1)
    new = pa.concat_tables([_rows(), new])
    (home / "new").mkdir()
    for k, cut in enumerate(np.array_split(np.arange(new.num_rows), 3)):
        pq.write_table(new.slice(cut[0], len(cut)), home / "new" / f"{k}.parquet", row_group_size=100)
    study = load(home / "many")
    wanted = study.predictions_csv(new, id="name")
    said = study.note_
    table = lazy_table(home / "new", 64)
    for threads in (1, 2):
        stream = io.StringIO()
        with use("local", n_jobs=threads):
            study.write_predictions(table, stream, id="name")
        assert stream.getvalue() == wanted
        assert study.note_ == said
        assert "locked rows" in said
    out = CliRunner().invoke(app, ["predict", str(home / "many"), str(home / "new"), "--id", "name"])
    assert out.exit_code == 0
    assert wanted in out.output
    with pytest.raises(TableError, match="there is no column 'nobody'"):
        study.write_predictions(table, io.StringIO(), id="nobody")


def test_of_more_rows_than_fit_a_sample_is_studied_and_said(home, monkeypatch, tmp_path):
    """A study of some rows would pass for one of all."""
    monkeypatch.setattr(study_source, "LAZY_ROWS", 200)
    settings = {"target": "y", "procedures": ["lasso"], "folds": 3, "black_box": False}
    study = Study(str(home / "data" / "*.parquet"), folder=tmp_path / "s", **settings).run()
    assert study.results_["drawn"] == {"rows": 200, "of": 300}
    assert "200 of 300 rows were drawn" in (tmp_path / "s" / "report.html").read_text()
    assert study.open()["rows"] == 40
    assert load(tmp_path / "s").open()["openings"] == 2


def test_rows_are_drawn_as_many_as_are_asked_for(home, tmp_path):
    """A study of a large table would stop at 50,000 rows, whatever the user can wait for; or one file be read whole."""
    words = ["--target", "y", "--procedures", "lasso", "--folds", "3", "--no-black-box", "--rows", "150"]
    answers = []
    for k, source in enumerate((home / "data" / "*.parquet", home / "one.parquet")):
        out = CliRunner().invoke(app, ["run", str(source), *words, "--folder", str(tmp_path / str(k))])
        assert out.exit_code == 0
        answers.append(json.loads((tmp_path / str(k) / "results.json").read_text()))
        assert answers[-1]["drawn"] == {"rows": 150, "of": 300}
        page = (tmp_path / str(k) / "report.html").read_text()
        assert "150 of 300 rows were drawn" in page
        assert "--rows 150" in page
    assert answers[0] == answers[1]
    again = CliRunner().invoke(
        app, ["run", str(home / "one.parquet"), *words[:-1], "0", "--folder", str(tmp_path / "z")]
    )
    assert again.exit_code == 1
    assert "rows" in again.output
    with pytest.raises(ParameterError, match="give some of its rows"):
        Study(_rows().to_pandas(), target="y", folder=tmp_path / "p", rows=10).run()


def test_ranks_on_the_command_line(home):
    """The command for one file would not do for many."""
    out = CliRunner().invoke(app, ["rank", str(home / "data"), "--target", "y", "--by", "anova", "--engine", "local"])
    assert out.exit_code == 0
    assert out.stdout.split("\n")[1].split()[1] == "a"
    bad = CliRunner().invoke(app, ["rank", str(home / "data"), "--target", "y", "--engine", "ray"])
    assert bad.exit_code == 1
    assert "--engine ray" in bad.output


def test_predictions_that_fail_leave_an_earlier_file_as_it_was(home, tmp_path, monkeypatch):
    """A run that fails half way would leave half of the new answers in the place of all of the old."""
    output = tmp_path / "answers.csv"
    output.write_text("earlier answers")
    new = tmp_path / "new"
    new.mkdir()
    for k in range(3):
        pq.write_table(_rows().drop_columns(["y"]), new / f"{k}.parquet")
    damaged = bytearray((new / "2.parquet").read_bytes())
    damaged[100:3_000] = b"\xff" * 2_900
    (new / "2.parquet").write_bytes(bytes(damaged))
    monkeypatch.setattr("tamis.study.prediction.in_batches.MOST_CELLS", 1)
    monkeypatch.setattr("tamis.table.lazy.grid.MOST_ROWS", 256)
    command = ["predict", str(home / "many"), str(new / "*.parquet"), "-o", str(output), "--overwrite"]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 1, told.output
    assert "2.parquet' cannot be read" in told.output
    assert output.read_text() == "earlier answers"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["answers.csv"]
    (new / "2.parquet").unlink()
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 0, told.output
    assert len(output.read_text().splitlines()) == 601
