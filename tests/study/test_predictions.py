"""What `tamis predict` writes: rows from 1, identifiers kept, unseen levels flagged, intervals of forests."""

import csv

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.errors import TableError


def frame(n=300):
    rng = np.random.default_rng(0)
    kind = rng.choice(["a", "b", "c"], n)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {"patient": [f"P{i:04d}" for i in range(n)], "kind": kind, "x": x, "y": 2.0 * (kind == "a") + x}
    )


@pytest.fixture(scope="module", params=["lasso", "forest"])
def study(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("predict") / "study"
    data = frame()
    data["y"] += np.random.default_rng(1).normal(size=len(data)) * 0.5
    made = tamis.Study(
        data, target="y", folder=folder, procedures=(request.param,), prefer="best", repeats=1, folds=3, n_jobs=1
    )
    return made.run()


def new():
    table = frame(4)
    table.loc[1, "kind"] = "purple"
    table.loc[2, "kind"] = None
    return table


def test_rows_identifiers_and_unseen_levels(study):
    """Row 2 has a level nobody saw: it is flagged, and counted by column; a missing value is not."""
    rows = list(csv.DictReader(study.predictions_csv(new(), id="patient").splitlines()))
    assert [row["row"] for row in rows] == ["1", "2", "3", "4"]
    assert [row["patient"] for row in rows] == ["P0000", "P0001", "P0002", "P0003"]
    assert [row["note"] for row in rows] == ["", "unseen level of kind", "", ""]
    assert study.note_ == "column 'kind': 1 of 4 rows have a level that the model never saw"
    np.testing.assert_array_equal([float(row["y"]) for row in rows], study.predict(new()))
    with pytest.raises(TableError, match="patients"):
        study.predictions_csv(new(), id="patients")


def test_intervals_hold(study):
    """About 95% of fresh answers lie between low and high, by the forest's own and by the study's errors."""
    data = frame(2000)
    truth = data["y"] + np.random.default_rng(2).normal(size=len(data)) * 0.5
    rows = list(csv.DictReader(study.predictions_csv(data).splitlines()))
    own = study.model_.fitted.procedure == "forest"
    assert list(rows[0]) == ["row", "y", *(["low", "high", "note"] if own else ["note", "low", "high"]), "unlike"]
    low, high = (np.array([float(row[end]) for row in rows]) for end in ("low", "high"))
    assert 0.9 <= ((low <= truth) & (truth <= high)).mean() <= 0.995


def test_the_command_keeps_an_identifier_and_says_what_was_unseen(study, tmp_path):
    """The count goes to stderr, the CSV stays clean."""
    path = tmp_path / "new.csv"
    new().to_csv(path, index=False)
    done = CliRunner().invoke(app, ["predict", str(study.folder), str(path), "--id", "patient"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0].startswith("row,patient,y")
    assert "column 'kind': 1 of 4 rows" in done.stderr
