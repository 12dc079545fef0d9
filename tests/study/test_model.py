"""The saved model: plain JSON that predicts exactly what the fitted one did."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from tests.study.tables import classes_table, numbers_table, write_table

import tamis
from tamis.study.disk.csv_cell import safe_cell

QUICK = {"folds": 3, "inner": 2, "repeats": 1}
PROCEDURES = ["stump", "tree", "lasso", "forest"]


def _run(tmp_path, columns, target, **options):
    path = write_table(tmp_path / "t.csv", columns)
    return tamis.Study(path, target=target, folder=tmp_path / "s", **{**QUICK, **options}).run()


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_loading_predicts_the_same_bits(tmp_path, procedure):
    """A model that changes on its way through the disk is another model."""
    study = _run(tmp_path, classes_table(), "outcome", procedures=[procedure])
    new = write_table(tmp_path / "new.csv", classes_table(80, seed=5))
    again = tamis.load(tmp_path / "s")
    assert np.array_equal(study.predict_proba(new), again.predict_proba(new))
    assert np.array_equal(study.predict(new), again.predict(new))
    assert set(study.predict(new)) <= {"sick", "well"}


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_loading_predicts_the_same_numbers(tmp_path, procedure):
    """The same for a numeric target."""
    study = _run(tmp_path, numbers_table(), "y", procedures=[procedure])
    new = write_table(tmp_path / "new.csv", numbers_table(50, seed=5))
    assert np.array_equal(study.predict(new), tamis.load(tmp_path / "s").predict(new))
    truth = np.array(numbers_table(50, seed=5)["y"], dtype=float)
    assert np.corrcoef(study.predict(new), truth)[0, 1] > 0.5


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_unseen_categories_and_missing_values_are_taken(tmp_path, procedure):
    """New data always hold something the training data did not."""
    study = _run(tmp_path, classes_table(), "outcome", procedures=[procedure])
    new = classes_table(20, seed=5)
    new["colour"][:3] = ["violet", "", "violet"]
    new["size"] = [""] * 20
    shares = study.predict_proba(write_table(tmp_path / "new.csv", new))
    assert shares.shape == (20, 2)
    assert np.isfinite(shares).all()


def test_columns_the_model_does_not_use_may_be_absent(tmp_path):
    """Nobody should have to collect columns that do not matter."""
    study = _run(tmp_path, classes_table(), "outcome")
    new = {name: values for name, values in classes_table(30, seed=5).items() if name in study.selected_}
    assert len(study.predict(write_table(tmp_path / "new.csv", new))) == 30


def test_a_used_column_that_is_absent_is_named(tmp_path):
    """Predicting without a needed column would be guessing."""
    study = _run(tmp_path, classes_table(), "outcome")
    new = {name: values for name, values in classes_table(30, seed=5).items() if name != "size"}
    with pytest.raises(ValueError, match=r"lacks the column 'size'"):
        study.predict(write_table(tmp_path / "new.csv", new))


def test_a_column_of_another_kind_is_named(tmp_path):
    """Text in a numeric column must not become a missing value silently."""
    study = _run(tmp_path, classes_table(), "outcome")
    new = {**classes_table(30, seed=5), "size": ["big"] * 30}
    with pytest.raises(ValueError, match=r"'size'"):
        study.predict(write_table(tmp_path / "new.csv", new))


def test_codes_with_leading_zeros_stay_codes_in_new_tables(tmp_path):
    """01 and 1 are different codes; a new file must be read as the old one was."""
    rng = np.random.default_rng(0)
    code = rng.choice(["01", "02", "10"], size=160)
    y = np.where((code == "02") ^ (rng.random(160) < 0.05), "a", "b")
    study = _run(tmp_path, {"code": code.tolist(), "x": rng.normal(size=160).tolist(), "y": y.tolist()}, "y")
    new = write_table(tmp_path / "new.csv", {"code": ["10", "10", "02"], "x": [0.1, 0.2, 0.3]})
    assert study.predict(new).tolist() == ["b", "b", "a"]


def test_dates_are_read_the_same_way(tmp_path):
    """A date counts from the same day in every table."""
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 2000, size=200)
    y = (days - np.datetime64("2020-01-01")).astype(float) / 100
    study = _run(
        tmp_path, {"when": days.astype(str).tolist(), "x": rng.normal(size=200).tolist(), "y": y.tolist()}, "y"
    )
    later = ["2021-06-01", "2024-06-01"]
    new = write_table(tmp_path / "new.csv", {"when": later, "x": [0.0, 0.0]})
    found = study.predict(new)
    true = (np.array(later, dtype="datetime64[D]") - np.datetime64("2020-01-01")).astype(float) / 100
    assert np.allclose(found, true, atol=2)


def test_the_model_is_plain_json_without_code(tmp_path):
    """Nothing in a model file may be able to run code."""
    _run(tmp_path, classes_table(), "outcome")
    text = (tmp_path / "s" / "model.json").read_text()
    facts = json.loads(text)
    facts["model"] = "os:system"
    (tmp_path / "s" / "model.json").write_text(json.dumps(facts))
    with pytest.raises(ValueError, match="is not known"):
        tamis.load(tmp_path / "s")


def test_cells_cannot_become_formulas(tmp_path):
    """A column called =cmd|… would run when selected.csv is opened in a spreadsheet."""
    columns = {("=1+1" if name == "size" else name): values for name, values in classes_table().items()}
    _run(tmp_path, columns, "outcome")
    lines = (tmp_path / "s" / "selected.csv").read_text().splitlines()
    assert any(line.startswith("'=1+1,") for line in lines)
    assert [safe_cell(text) for text in ("-1+2", "+A1", "-1-", "@ SUM(1)")] == ["'-1+2", "'+A1", "'-1-", "'@ SUM(1)"]
    assert [safe_cell(text) for text in ("@x", "-x", "+x", "\tx", "x", 3)] == ["'@x", "'-x", "'+x", "'\tx", "x", 3]


@pytest.mark.parametrize(("labels", "written"), [(("+", "-"), ("+", "-")), (("-ve", "=A1"), ("'-ve", "'=A1"))])
def test_labels_are_written_as_the_table_has_them_unless_a_spreadsheet_computes_them(tmp_path, labels, written):
    """Predictions are compared with the truth, and "'+" is not "+"; where an apostrophe is needed, it is said."""
    columns = classes_table()
    columns["outcome"] = [labels[word == "well"] for word in columns["outcome"]]
    study = _run(tmp_path, columns, "outcome", procedures=["stump"])
    lines = list(csv.DictReader(study.predictions_csv(columns).splitlines()))
    assert {line["outcome"] for line in lines} == set(written)
    assert set(study.predict(columns)) == set(labels)
    assert any("have an apostrophe in front" in said for said in study.remarks_) == (labels != written)
