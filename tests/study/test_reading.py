"""A study of a real spreadsheet: a title, sheets, and numbers that stand for "not measured"."""

from __future__ import annotations

import json

import numpy as np
import pytest

import tamis
from tamis.table import fetch

openpyxl = pytest.importorskip("openpyxl")
SMALL = {"procedures": ["stump"], "folds": 3, "repeats": 1, "black_box": False}


def workbook(tmp_path, gone=999):
    """Blood pressure decides, but a tenth of the rows hold 999; a title stands above, a second sheet behind."""
    rng = np.random.default_rng(3)
    pressure, age = rng.normal(130, 15, 120), rng.normal(50, 10, 120)
    disease = np.where(pressure + rng.normal(0, 6, 120) > 130, "yes", "no")
    shown = [gone if i % 9 == 0 else float(p) for i, p in enumerate(pressure)]
    book = openpyxl.Workbook()
    book.active.title = "Patients"
    book.active.append(["Heart study, export of 3 March 2021"])
    book.active.append([])
    book.active.append(["pressure", "age", "disease"])
    for row in zip(shown, age.tolist(), disease.tolist()):
        book.active.append(list(row))
    book.create_sheet("Codes").append(["code", "text"])
    book.save(tmp_path / "heart.xlsx")
    return tmp_path / "heart.xlsx"


def test_sheet_title_and_sentinel_are_said_in_the_results(tmp_path):
    """The report would be silent about the sheet, the title, and 999 among blood pressures with its effect."""
    study = tamis.Study(workbook(tmp_path), target="disease", folder=tmp_path / "study", **SMALL).run()
    results = json.loads((tmp_path / "study" / "results.json").read_text())
    assert any("Sheet 'Patients'" in said for said in results["reading"])
    assert any("row 3" in said for said in results["reading"])
    (row,) = results["sentinels"]
    assert row["name"] == "pressure"
    assert row["value"] == 999
    assert row["shared_without"] > 0.3 > 10 * row["shared"]
    page = (tmp_path / "study" / "report.html").read_text()
    command = '<span class="command"> On the command line: --missing &#34;pressure=999&#34;.</span>'
    assert f"&#34;not measured&#34;, treat it as missing and run again.{command}" in page
    assert "Names are read from row 3" in page
    assert study.remarks == tuple(results["reading"])


def test_missing_values_go_with_the_study_and_its_model(tmp_path):
    """999 would be a number again when the study is loaded, or where its model predicts."""
    path = workbook(tmp_path)
    study = tamis.Study(path, target="disease", missing="pressure=999", folder=tmp_path / "s", **SMALL).run()
    assert "sentinels" not in study.results_
    assert study.selected_ == ["pressure"]
    again = tamis.load(tmp_path / "s")
    rows = {"pressure": [999.0, 100.0, None], "age": [50.0, 50.0, 50.0]}
    assert again.predict_proba(rows)[0].tolist() == again.predict_proba(rows)[2].tolist()
    assert again.open()["rows"] == 24


def test_sheet_and_header_are_settings_of_the_study(tmp_path):
    """A study could not be told which sheet to read, or would read another when it is loaded."""
    path = workbook(tmp_path)
    given = {"sheet": "Patients", "header": "3", "missing": {"pressure": [999]}}
    study = tamis.Study(path, target="disease", folder=tmp_path / "s", **given, **SMALL).run()
    assert "reading" not in study.results_
    loaded = tamis.load(tmp_path / "s")
    assert loaded.settings.header == [3]
    assert loaded.settings.missing == {"pressure": ["999"]}
    assert loaded.open()["rows"] == 24
    assert fetch(path, header=3).names == ("pressure", "age", "disease")


def test_names_and_notebook_view_of_a_study_without_its_table(tmp_path):
    """dir() of a loaded study would read the table and raise; a notebook would draw an estimator, not the answer."""
    path = workbook(tmp_path)
    tamis.Study(path, target="disease", missing=999, folder=tmp_path / "s", **SMALL).run()
    path.unlink()
    study = tamis.load(tmp_path / "s")
    assert {"plot", "open", "problem"} <= set(dir(study))
    assert "plot" in dir(tamis.Study())
    shown = study._repr_mimebundle_()
    assert study.answer_.split(".")[0] in shown["text/html"]
    assert study.answer_ in shown["text/plain"]
