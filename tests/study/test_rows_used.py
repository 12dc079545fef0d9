"""Of a large table some rows are drawn; screen, answer, report and methods paragraph must say how many."""

from __future__ import annotations

import numpy as np
from typer.testing import CliRunner

import tamis
from tamis.cli import app


def test_the_rows_that_were_used_are_said_everywhere(tmp_path):
    """A reader would take a study of 300 rows for one of 900."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 900))
    lines = [f"{x:.4f},{z:.4f},{'yes' if x + rng.normal() > 0 else 'no'}" for x, z in zip(a, b)]
    (tmp_path / "t.csv").write_text("a,b,y\n" + "\n".join(lines) + "\n", encoding="utf-8")
    options = ["--rows", "300", "--folds", "3", "--repeats", "1", "--no-black-box", "--procedures", "stump"]
    words = ["run", str(tmp_path / "t.csv"), "--target", "y", "--folder", str(tmp_path / "s"), *options]
    done = CliRunner().invoke(app, words, env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    said = "300 of 900 rows were used."
    assert done.output.startswith(said)
    assert " ".join(done.output.replace("│", " ").split()).count(said) == 2
    study = tamis.load(tmp_path / "s")
    assert study.answer_.endswith(said)
    assert said in (tmp_path / "s" / "report.html").read_text(encoding="utf-8")
    assert study.cite().startswith("We analysed 300 of 900 rows with Tamis")
    whole = tamis.Study({"a": a, "b": b, "y": a > 0}, target="y", folder=tmp_path / "w", folds=3, repeats=1)
    assert whole.remarks == ()
