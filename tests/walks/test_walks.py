"""Five new users from a clean folder: the command line, the report in a browser, and what they take away."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from tests.app.conftest import driver
from tests.walks.files import batches, churn, heart, loans, waves
from typer.testing import CliRunner

import tamis
from tamis.cli import app

chromium, opened = driver.chromium, driver.opened
QUICK = ["--folds", "3", "--repeats", "1", "--jobs", "1", "--no-black-box"]


def call(*words) -> str:
    """What a command says; it must end well, and a sentence must not be a traceback."""
    result = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert "Traceback" not in result.output
    return " ".join(result.output.split())


def look(opened, path: Path) -> None:
    """The report at 1,400 and 400 pixels, light, dark and in print: nothing sticks out, nothing complains."""
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) <= 2_000_000
    for how in ({"width": 1400}, {"width": 400, "dark": True}):
        page = opened(text, **how)
        assert all(ink > 50 for ink in page.drawn())
        assert page.run("document.documentElement.scrollWidth") <= how["width"]
        cut = "[...document.querySelectorAll('.first h1, .first p, .cards strong, .warnings li > span')]"
        assert page.run(f"{cut}.every((e) => e.scrollWidth <= e.clientWidth + 1 || e.clientWidth === 0)")
        if how["width"] == 1400:
            page.send("Emulation.setEmulatedMedia", media="print")
            assert page.run("getComputedStyle(document.querySelector('nav')).display") == "none"
            assert page.run("document.documentElement.scrollWidth") <= 1400
        assert page.complaints() == []
        assert page.requests() == []


def names_of(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.browser
def test_a_clinician_with_a_spreadsheet(tmp_path, opened):
    """Title rows, a second sheet, 999, comma decimals and a leaking column must not end in a wrong paper."""
    path = heart(tmp_path / "heart.xlsx", n=160)
    first = call("run", path, "--target", "Diagnosis", "--folder", tmp_path / "first", *QUICK)
    assert "Sheet 'Patients' is read; the workbook also holds 'Codes'" in first
    assert "Names are read from row 4" in first
    assert "values are 999, far from the others" in first
    assert "Do not quote this score: column 'Discharge' alone" in first
    results = json.loads((tmp_path / "first" / "results.json").read_text(encoding="utf-8"))
    kinds = {column["name"]: column["kind"] for column in results["columns"]}
    assert kinds["ST depression"] == "numeric"  # decimals with a comma
    assert kinds["Blood pressure"] == "numeric"  # a line break in a name is a space
    assert not results["answer"]["quotable"]

    options = ["--drop", "Discharge", "--missing", "Blood pressure=999", "--positive", "disease"]
    folder = tmp_path / "second"
    call("run", path, "--target", "Diagnosis", "--folder", folder, *options, *QUICK)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert results["answer"]["quotable"]
    assert [row["label"] for row in results["data"]["classes"]] == ["no disease", "disease"]
    assert "sentinels" not in results
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Pat.-Nr.." not in page
    assert "Pat.-Nr. was left out because it identifies rows." in page.replace("</bdi>", "").replace(
        '<bdi class="name" title="">', ""
    )
    assert "Table 1: training rows by class" in page
    look(opened, folder / "report.html")

    assert call("threshold", folder, "0.3") == "Decision threshold: a probability of 0.3 for disease."
    call("predict", folder, path, "-o", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    risk = next(name for name in rows[0] if "disease" in name and "no disease" not in name)
    for row in rows:
        share = float(row[risk])
        if abs(share - 0.3) > 1e-6:
            assert (row[next(iter(set(row) & {"prediction", "Diagnosis"}))] == "disease") == (share > 0.3)
    call("figures", folder, "-o", tmp_path / "figures")
    assert {"ladder.svg", "roc.png", "reliability.svg"} <= names_of(tmp_path / "figures")
    call("tables", folder, "-o", tmp_path / "tables")
    assert "table-one.csv" in names_of(tmp_path / "tables")
    assert "probability of 0.3" in call("cite", folder)


def assay(tmp_path, opened, d):
    path = batches(tmp_path / "assay.csv", d=d)
    folder = tmp_path / "study"
    call("run", path, "--target", "status", "--groups", "batch", "--folder", folder, *QUICK)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert [row["label"] for row in results["data"]["classes"]] == ["control", "case"]
    assert results["answer"]["signal"] != "none"
    true_genes = {f"ENSG{k:08d}" for k in range(4)}
    assert len(true_genes & set(results["answer"]["selected"])) >= 2
    columns = {column["name"]: column for column in results["columns"]}
    assert not columns["sample"]["used"]
    assert columns["batch"]["kind"] == "categorical"  # B1 … B6 are no ordered words
    assert "batch" not in {row["name"] for row in results["stability"]}  # it holds rows together
    look(opened, folder / "report.html")
    return results


@pytest.mark.browser
def test_a_bioinformatician_with_an_assay(tmp_path, opened):
    """Few samples in batches and thousands of genes: batches stay whole, and the page stays small."""
    assay(tmp_path, opened, d=1_200)


@pytest.mark.nightly
@pytest.mark.browser
def test_a_bioinformatician_with_the_whole_assay(tmp_path, opened):
    """84 × 8,000 in six batches."""
    assay(tmp_path, opened, d=8_000)


def warehouse(tmp_path, opened, n):
    path = churn(tmp_path / "churn.csv", n=n)
    folder = tmp_path / "study"
    call("run", path, "--target", "churned", "--folder", folder, *QUICK)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert results["answer"]["metric"] == "roc_auc"  # accuracy says nothing with 3% positives
    assert str(results["data"]["classes"][1]["label"]) == "1"
    assert results["answer"]["signal"] == "captured"
    assert {"usage_00", "usage_01"} <= set(results["answer"]["selected"])
    kinds = {column["name"]: column["kind"] for column in results["columns"]}
    assert kinds["signed_up"] == "date"
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Gini" in page
    look(opened, folder / "report.html")


@pytest.mark.browser
def test_a_data_scientist_with_a_rare_class(tmp_path, opened):
    """3% positives, dates and a category of 300 levels: a score that sees the rare class, and no crash."""
    warehouse(tmp_path, opened, n=3_000)


@pytest.mark.nightly
@pytest.mark.browser
def test_a_data_scientist_with_all_rows(tmp_path, opened):
    """200,000 × 30 with 3% positives."""
    warehouse(tmp_path, opened, n=200_000)


@pytest.mark.browser
def test_a_bank_analyst_with_a_book_of_loans(tmp_path, opened):
    """Default is the class that is meant; Gini, KS and lift are quoted, and SQL answers as predict does."""
    path, folder = loans(tmp_path / "loans.csv", n=500), tmp_path / "study"
    call("run", path, "--target", "status", "--folder", folder, "--procedures", "formula,small-tree", *QUICK)
    study = tamis.load(folder)
    assert study.model_.labels[1] == "default"
    block = (folder / "report.html").read_text(encoding="utf-8")
    for word in ("Gini", "KS", "lift", "Approval rate"):
        assert word in block
    look(opened, folder / "report.html")
    study.set_threshold(0.2)
    with path.open(encoding="utf-8") as stream:
        lines = list(csv.DictReader(stream, delimiter=";"))
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE new_rows (loan_id TEXT, income REAL, amount REAL, late_payments REAL, purpose TEXT)")
        values = [
            [line[name] for name in ("loan_id", "income", "amount", "late_payments", "purpose")] for line in lines
        ]
        base.executemany("INSERT INTO new_rows VALUES (?, ?, ?, ?, ?)", values)
        answers = base.execute(str(study.export("sql")))
        names = [column[0] for column in answers.description]
        rows = answers.fetchall()
    expected, shares = study.predict(path), study.predict_proba(path)[:, 1]
    assert [row[names.index("prediction")] for row in rows] == expected.tolist()
    np.testing.assert_allclose([row[names.index("p(default)")] for row in rows], shares, atol=1e-12)
    assert set(expected) == {"default", "paid"}


def test_a_lecture_of_twelve_pictures(tmp_path):
    """Every picture of a lecture is one call and a file, without a browser."""
    from tamis.additive import AdditiveRegressor
    from tamis.report import boundary, heatmap
    from tamis.report.figures import chart_picture, save_picture

    X, classes, y = waves(150)
    wide = np.column_stack([X, X**2, X**3])
    tree = tamis.TreeClassifier(max_depth=3).fit(X, classes)
    forest = tamis.ForestClassifier(n_estimators=30, random_state=0).fit(X, classes)
    lasso = tamis.LinearRegressor("lasso").fit(wide, y)
    rows = {"x": X[:, 0], "y": X[:, 1], "moon": np.where(classes == 1, "upper", "lower")}
    settings = {"folds": 3, "repeats": 1, "procedures": ("stump", "tree", "lasso"), "black_box": False, "n_jobs": 1}
    study = tamis.Study(rows, target="moon", folder=tmp_path / "study", **settings).run()
    pictures = {
        "the boundary of a tree": boundary(tree, X, classes),
        "the boundary of a forest": boundary(forest, X, classes),
        "the tree itself": tree.plot(),
        "the path of the lasso": lasso.plot_path(),
        "a heat map of correlated columns": heatmap(wide[:30]),
        "procedures": study.plot.procedures(),
        "folds": study.plot.folds(),
        "stability": study.plot.stability(),
        "roc": study.plot.roc(),
        "precision and recall": study.plot.precision_recall(),
        "calibration": study.plot.reliability(),
        "the decision curve": study.plot.decision_curve(),
    }
    assert len(pictures) == 12
    for name, figure in pictures.items():
        for kind in ("svg", "png"):
            path = save_picture(chart_picture(figure, name), tmp_path / f"{name}.{kind}")
            assert path.stat().st_size > 1_500, name
    assert tree.to_svg().count("<rect") > tree.tree_.n_leaves
    assert AdditiveRegressor().fit(X, y).curves_
