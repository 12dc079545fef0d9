"""A spreadsheet as a clinic exports it: a title, two sheets, 999 for "not measured", a class that is looked for."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tamis.app.columns.choices import settings_of
from tamis.app.runs.command import command_of
from tamis.table.inference.missing import MissingValues

openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture(scope="module")
def heart(tmp_path_factory):
    """Heart patients below a title, with a second sheet and 999 among blood pressures."""
    rng = np.random.default_rng(5)
    book = openpyxl.Workbook()
    book.active.title = "Patients"
    book.active.append(["Heart study, export of 3 March 2021"])
    book.active.append([])
    book.active.append(["age", "pressure", "disease"])
    for i in range(120):
        pressure = float(rng.normal(130, 15))
        sick = "disease" if pressure + rng.normal(0, 6) > 130 else "no disease"
        book.active.append([int(rng.integers(30, 80)), 999 if i % 9 == 0 else round(pressure, 1), sick])
    book.create_sheet("Codes").append(["code", "text"])
    book["Codes"].append([1, "a"])
    path = tmp_path_factory.mktemp("heart") / "heart.xlsx"
    book.save(path)
    return path


def test_title_sentinel_and_class_are_one_click_each(app, heart):
    """The names would be "column 2", 999 a blood pressure, and "no disease" the class that is looked for."""
    client = app.client
    table = client.upload(heart)
    client.json("POST", f"/api/table/{table}/sheet", {"sheet": "Patients"})
    facts = client.json("GET", f"/api/table/{table}/columns")
    assert [column["name"] for column in facts["columns"]] == ["age", "pressure", "disease"]
    assert any("row 3" in said for said in facts["remarks"])
    pressure = facts["columns"][1]
    assert pressure["sentinel"] == "999"
    assert pressure["attention"]
    client.choose(table, missing={"pressure": ["999"]})
    pressure = client.json("GET", f"/api/table/{table}/columns")["columns"][1]
    assert pressure["missing"] == 14
    assert pressure["sentinel"] is None
    client.choose(table, target="disease", folds=2, repeats=1)
    plan = client.json("GET", f"/api/table/{table}/check")["plan"]
    assert plan["labels"] == ["no disease", "disease"]
    client.choose(table, positive="no disease", called="Trial")
    study = client.run(table)
    settings = json.loads((app.folder.path / "studies" / study / "plan.json").read_text())["settings"]
    assert settings["missing"] == {"pressure": ["999"]}
    assert settings["positive"] == "no disease"
    assert "Trial" in client.ask("GET", "/")[2].decode()


def test_the_row_with_the_names_can_be_said(app, heart, tmp_path):
    """A title that is not seen as one could not be passed over on the page."""
    client = app.client
    table = client.upload(heart)
    client.json("POST", f"/api/table/{table}/sheet", {"sheet": "Patients"})
    client.json("POST", f"/api/table/{table}/header", {"header": "3,4"})
    facts = client.json("GET", f"/api/table/{table}/columns")
    assert facts["columns"][2]["name"].startswith("disease ")
    status, _, text = client.ask("POST", f"/api/table/{table}/header", {"header": "x"})
    assert status == 400
    assert b"must be the number of the row" in text
    text_file = tmp_path / "t.csv"
    text_file.write_text("a,b\nc,d\n" + "".join(f"{i}.5,{i % 7}\n" for i in range(30)))
    table = client.upload(text_file)
    client.json("POST", f"/api/table/{table}/header", {"header": "1,2"})
    names = [column["name"] for column in client.json("GET", f"/api/table/{table}/columns")["columns"]]
    assert names == ["a c", "b d"]


def test_choices_become_options(tmp_path):
    """What is clicked would not reach the study."""
    choices = {"target": "y", "missing": {"a=b": ["999", "-1"], "c": ["0"]}, "positive": "yes"}
    words = command_of(tmp_path / "t.csv", tmp_path, settings_of(choices) | {"header": "3"})
    (missing,) = [word for word in words if word.startswith("--missing=")]
    assert MissingValues.of(missing.partition("=")[2]).by_column == {"a=b": ("999", "-1"), "c": ("0",)}
    assert "--positive=yes" in words
    assert "--header=3" in words


def test_pages_of_a_study_show_its_rows(app, finished):
    """What became of the rows would be words in three places, or a page without a name for its study break."""
    for page in (f"/study/{finished.study}", f"/study/{finished.study}/answer"):
        status, _, text = app.client.ask("GET", page)
        assert status == 200
        assert "120 rows" in text.decode()
    assert app.client.ask("GET", f"/compare?first={finished.study}&second={finished.study}")[0] == 200
