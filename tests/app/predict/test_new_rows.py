"""A dropped table whose target is known: the model is judged on it, and the ledger keeps that."""

import csv

from tamis.lock import Ledger


def _parts(patients, tmp_path, without: str = ""):
    """Some of the patients again, perhaps without a column."""
    with patients.open(newline="", encoding="utf-8") as file:
        head, *rows = list(csv.reader(file))
    kept = [k for k, name in enumerate(head) if name != without]
    path = tmp_path / "other.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[row[k] for k in kept] for row in (head, *rows)])
    return path


def test_a_table_with_the_target_validates_the_model(app, finished, patients, tmp_path):
    """Sentences on score and calibration come back; the file is gone, and the ledger counts one validation more."""
    before = [look for look in Ledger(finished.place).looks() if look["kind"] == "validated"]
    body = _parts(patients, tmp_path).read_bytes()
    path = f"/api/study/{finished.study}"
    assert app.client.json("POST", f"{path}/predict?name=other.csv", body)["has_target"]
    found = app.client.json("POST", f"{path}/validate?name=other.csv", body)
    assert any("calibration slope" in sentence for sentence in found["words"])
    after = [look for look in Ledger(finished.place).looks() if look["kind"] == "validated"]
    assert len(after) == len(before) + 1
    assert not list(finished.place.glob("new-*"))
    assert app.client.ask("GET", f"/study/{finished.study}/answer")[0] == 200


def test_a_table_without_the_target_gets_a_sentence(app, finished, patients, tmp_path):
    """The page must not offer what cannot be done, and must say why where it is asked for."""
    body = _parts(patients, tmp_path, without="ill").read_bytes()
    path = f"/api/study/{finished.study}"
    assert not app.client.json("POST", f"{path}/predict?name=other.csv", body)["has_target"]
    status, _, text = app.client.ask("POST", f"{path}/validate?name=other.csv", body)
    assert status == 400
    assert b"'ill'" in text
