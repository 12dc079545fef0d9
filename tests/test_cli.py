"""The command line: words in, words out, exit codes, one sentence an error."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from itertools import pairwise

import pytest
from tests.study.tables import classes_table, write_table
from typer.testing import CliRunner

from tamis.cli import app

QUICK = ["--folds", "3", "--repeats", "1", "--jobs", "1"]


def _call(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("cli")
    write_table(place / "t.csv", classes_table())
    result = _call("run", place / "t.csv", "--target", "outcome", "--folder", place / "study", *QUICK)
    assert result.exit_code == 0, result.output
    return place


def test_help_imports_nothing_heavy():
    """`tamis --help` must answer at once, so it may not import NumPy and its friends."""
    code = (
        "import sys\nfrom tamis.cli import app\n"
        "try: app(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pyarrow', 'bokeh', 'narwhals', 'joblib'} & set(sys.modules)\n"
        "sys.exit(len(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    for word in ("run", "open", "predict", "report", "rank", "audit"):
        assert word in done.stdout


def test_run_says_the_answer_and_where_the_report_is(folder):
    """The main job ends with an answer in words and a path."""
    result = _call("run", folder / "t.csv", "--target", "outcome", "--folder", folder / "study", *QUICK)
    assert result.exit_code == 0
    shown = " ".join(result.output.split())
    assert re.search(r"columns predict outcome: (colour and size|size and colour)", shown)
    assert "report.html" in shown


def test_figures_of_a_study_are_written(folder):
    """Figures for a paper must not need a browser; a wrong format or path says what is possible."""
    from tamis import load

    result = _call("figures", folder / "study", "-o", folder / "figures")
    assert result.exit_code == 0, result.output
    names = {path.name for path in (folder / "figures").iterdir()}
    assert {"ladder.svg", "ladder.png", "roc.svg", "roc.png", "procedures.svg"} <= names
    assert f"wrote {len(names)} files" in result.output
    study = load(folder / "study")
    saved = study.plot.roc().save(folder / "roc.svg").read_text(encoding="utf-8")
    in_folder = (folder / "figures" / "roc.svg").read_text(encoding="utf-8")
    assert re.findall("<(?:path|circle|text)[^>]*>", saved) == re.findall("<(?:path|circle|text)[^>]*>", in_folder)
    assert [path.suffix for path in study.figures(folder / "vectors", to="svg")] == [".svg"] * (len(names) // 2)
    refused = _call("figures", folder / "study", "--to", "gif")
    assert refused.exit_code != 0
    assert "--to gif is not known; give one of svg, png" in refused.output


def test_run_as_json_is_results_json(folder):
    """Programs read the same facts that are on disk."""
    result = _call("run", folder / "t.csv", "-t", "outcome", "-f", folder / "study", *QUICK, "--json")
    written = json.loads((folder / "study" / "results.json").read_text())
    assert written.pop("check")
    assert json.loads(result.stdout) == written


def test_predict_writes_csv(folder):
    """Predictions go to the screen, or to a file with -o, and are the same."""
    new = write_table(folder / "new.csv", classes_table(25, seed=8))
    shown = _call("predict", folder / "study", new)
    assert shown.exit_code == 0
    rows = list(csv.DictReader(io.StringIO(shown.stdout)))
    assert len(rows) == 25
    assert {row["outcome"] for row in rows} <= {"sick", "well"}
    assert all(abs(float(row["p(sick)"]) + float(row["p(well)"]) - 1) < 1e-12 for row in rows)
    assert _call("predict", folder / "study", new, "-o", folder / "out.csv").exit_code == 0
    assert (folder / "out.csv").read_text() == shown.stdout


def test_open_counts(folder, tmp_path):
    """Each opening is told with its number."""
    _call("run", folder / "t.csv", "-t", "outcome", "-f", tmp_path / "s", *QUICK)
    first, second = _call("open", tmp_path / "s"), _call("open", tmp_path / "s", "--json")
    assert "first opening known here" in first.output
    facts = json.loads(second.stdout)
    assert facts["openings"] == 2
    assert facts["independent"] is False


def test_report_is_written_anew(folder, tmp_path):
    """The report can be put anywhere."""
    result = _call("report", folder / "study", "-o", tmp_path / "r.html")
    assert result.exit_code == 0
    assert (tmp_path / "r.html").read_text().startswith("<!")


def test_columns_are_listed_with_reasons(folder):
    """How each column was read can be asked before any run."""
    result = _call("columns", folder / "t.csv")
    assert result.exit_code == 0
    assert "colour" in result.output
    assert "categorical" in result.output


def test_an_error_is_one_sentence_with_exit_code_1(folder, tmp_path):
    """A traceback helps no user."""
    result = _call("run", folder / "t.csv", "--target", "outcom", "--folder", tmp_path / "s")
    assert result.exit_code == 1
    assert result.stderr.startswith("tamis: error: ")
    assert "did you mean 'outcome'?" in result.stderr
    assert "Traceback" not in result.output
    assert len(result.stderr.strip().splitlines()) == 1


def test_an_error_of_a_users_pipeline_names_the_procedure(folder, tmp_path):
    """An error of somebody else's code says neither which procedure failed nor where."""
    script = tmp_path / "mine.py"
    script.write_text(
        "from sklearn.impute import SimpleImputer\nfrom sklearn.linear_model import LogisticRegression\n"
        "from sklearn.pipeline import make_pipeline\nMINE = make_pipeline(SimpleImputer(), LogisticRegression())\n"
    )
    words = ("--target", "outcome", "--folder", tmp_path / "s", "--procedures", f"{script}:MINE", *QUICK)
    result = _call("run", folder / "t.csv", *words)
    assert result.exit_code == 1
    assert "error: the procedure 'MINE' failed in repeat 1 fold 1: " in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_reader_that_goes_away_is_no_error(folder):
    """`tamis columns table.csv | head -1` would end as if something had been wrong with the table."""
    command = [sys.executable, "-m", "tamis", "columns", str(folder / "t.csv")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        running.stdout.close()
        assert running.stderr.read() == ""
        assert running.wait() == 0


def test_debug_shows_the_traceback(folder, tmp_path):
    """--debug is for those who want to know where it happened."""
    result = _call("--debug", "run", folder / "t.csv", "--target", "outcom", "--folder", tmp_path / "s")
    assert result.exit_code == 1
    assert isinstance(result.exception, ValueError)


def test_bad_usage_is_exit_code_2():
    """Scripts tell a wrong call from wrong data by the exit code."""
    assert _call("run").exit_code == 2
    assert _call("no-such-command").exit_code == 2


def test_version():
    """People quote the version in their papers."""
    import tamis

    assert _call("--version").output.strip() == f"tamis {tamis.__version__}"


def test_rank_prints_the_best_columns_first(folder, tmp_path):
    """The ranking on the screen, in CSV and in JSON is the same."""
    shown = _call(
        "rank", folder / "t.csv", "--target", "outcome", "--by", "relief,mutual_information", "-o", tmp_path / "r.csv"
    )
    assert shown.exit_code == 0, shown.output
    with (tmp_path / "r.csv").open() as file:
        listed = [row["column"] for row in csv.DictReader(file)]
    assert listed[0] == "size"
    assert len(listed) == 5
    assert all(shown.output.index(a) < shown.output.index(b) for a, b in pairwise(listed))
    assert "mutual_information" in _call("rank", folder / "t.csv", "-t", "outcome", "--by", "mutual", "--json").stderr


def test_rank_says_which_rows_have_no_target(tmp_path):
    """Rows without a target would vanish silently, and a constant target would be ranked for."""
    lines = [f"{i * i},{'' if i == 3 else 'np'[i % 2]},same" for i in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["a,y,z", *lines]))
    shown = _call("rank", tmp_path / "t.csv", "--target", "y", "-j", "1")
    assert shown.exit_code == 0
    assert shown.stderr == (
        "tamis: 1 of 30 rows has no value of 'y' and was left out\n"
        "tamis: column 'z' left out: constant, every one of 30 values is 'same'\n"
    )
    assert "left out" not in shown.stdout
    refused = _call("rank", tmp_path / "t.csv", "--target", "z", "-j", "1")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("tamis: error: the target 'z' is constant ('same' in every row")
    assert len(refused.stderr.splitlines()) == 1


LEAKY = """
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

def peeking(X, y):
    far = np.abs(np.corrcoef(X.T, y == y[0])[-1, :-1])
    return cross_val_score(LogisticRegression(), X[:, np.argsort(-far)[:10]], y, cv=5).mean()

def honest(X, y):
    return cross_val_score(LogisticRegression(), X[:, :10], y, cv=5).mean()
"""


def test_audit_tells_peeking_from_honest(tmp_path):
    """Choosing columns before cross-validation is caught, with an exit code that scripts can read."""
    import numpy as np

    rng = np.random.default_rng(0)
    noise = {f"x{j}": rng.normal(size=40).round(4).tolist() for j in range(300)}
    table = write_table(tmp_path / "t.csv", {**noise, "y": ["a", "b"] * 20})
    (tmp_path / "mine.py").write_text(LEAKY)
    caught = _call("audit", f"{tmp_path}/mine.py:peeking", table, "-t", "y", "--permutations", "20", "-j", "1")
    passed = _call("audit", f"{tmp_path}/mine.py:honest", table, "-t", "y", "--permutations", "20", "-j", "1", "--json")
    assert caught.exit_code == 3, caught.output
    assert passed.exit_code == 0, passed.output
    assert json.loads(passed.stdout)["leaks"] is False


def test_export_writes_a_file_or_to_the_screen(folder):
    """A model on its way out ends where it was asked to."""
    shown = _call("export", folder / "study", "--to", "python")
    assert shown.exit_code == 0, shown.output
    space: dict = {}
    exec(shown.stdout, space)
    assert space["predict"](dict.fromkeys(("size", "colour", "noise 0", "noise 1", "noise 2"))) in (
        "sick",
        "well",
    )
    place = folder / "page.html"
    done = _call("export", folder / "study", "--to", "html", "-o", place)
    assert done.exit_code == 0, done.output
    assert str(place) in done.stderr
    assert place.read_text().startswith("<!doctype html>")


def test_export_says_what_it_does_not_know(folder):
    """One sentence, in the words of the command line."""
    bad = _call("export", folder / "study", "--to", "pmml")
    assert bad.exit_code == 1
    assert "--to pmml is not known" in bad.stderr
    none = _call("export", folder / "study", "--to", "onnx")
    assert none.exit_code == 1
    assert "-o model.onnx" in none.stderr
    assert "Traceback" not in none.stderr
