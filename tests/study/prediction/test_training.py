"""What is remembered of the training rows, and which new rows are unlike them."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.errors import StudyError
from tamis.study.prediction.distance import Distance
from tamis.study.prediction.training import Training
from tamis.table import Table


def _table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    frame = pd.DataFrame({"a": a, "b": a + 0.1 * rng.normal(size=n), "kind": rng.choice(["x", "y", "z"], n)})
    frame.loc[::10, "b"] = np.nan
    return frame


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    data = _table()
    rng = np.random.default_rng(1)
    data["y"] = data["a"] + data["b"].fillna(0.0) + 2.0 * (data["kind"] == "x") + 0.3 * rng.normal(size=len(data))
    folder = tmp_path_factory.mktemp("training") / "study"
    made = tamis.Study(data, target="y", folder=folder, procedures=("lasso",), prefer="best", repeats=1, folds=3)
    return made.run()


def _unlike(study, frame):
    return [row["unlike"] for row in csv.DictReader(study.predictions_csv(frame).splitlines())]


def test_each_way_of_being_unlike_is_said_by_column(study):
    """A value out of range, an unseen level, a hole where there was none: each row would pass for a usual one."""
    new = pd.DataFrame(
        {
            "a": [0.0, 50.0, None, 0.0, 0.0],
            "b": [0.0, 0.0, 0.0, None, -70.0],
            "kind": ["x", "x", "x", "purple", "y"],
        }
    )
    said = _unlike(study, new)
    assert said[0] == ""
    assert said[1].startswith("a is above ")
    assert said[2] == "a is missing, which it never was in training"
    assert said[3] == "kind has a level never seen in training"  # b has holes in training, so that one is usual
    assert said[4].startswith("b is below ")


def test_ranges_are_those_of_unlocked_rows(study):
    """A range that locked rows widened would have looked at them."""
    rows = np.setdiff1d(np.arange(400), study.locked_rows_)
    seen = {one.name: one for one in study.model_.training.columns}
    values = _table()["a"].to_numpy()[rows]
    assert (seen["a"].low, seen["a"].high) == (values.min(), values.max())
    assert seen["a"].missing == 0
    assert seen["b"].missing > 0
    assert study.model_.training.rows == len(rows)


def test_usual_values_in_an_unusual_combination_are_far(study):
    """a = 2 and b = -2 are both within their ranges, but a and b go together."""
    new = pd.DataFrame({"a": [2.0, 2.0], "b": [2.0, -2.0], "kind": ["x", "x"]})
    said = _unlike(study, new)
    assert said[0] == ""
    assert said[1].startswith(
        ("far from the training rows, above all by a and b", "far from the training rows, above all by b and a")
    )


def test_the_distance_is_that_of_mahalanobis():
    """Against the formula, with the same shrinkage, on complete columns."""
    X = np.random.default_rng(0).normal(size=(50, 3)) @ np.array([[1.0, 0.8, 0], [0, 1, 0.5], [0, 0, 2]])
    table = Table.of(pd.DataFrame(X, columns=list("abc")))
    found = Distance.of(table, ["c", "a", "b"])
    shrink = 3 / 53
    inverse = np.linalg.inv((1 - shrink) * np.corrcoef(X.T) + shrink * np.eye(3))
    np.testing.assert_allclose(found.inverse, inverse, rtol=1e-9)
    np.testing.assert_allclose(found.scale, X.std(axis=0), rtol=1e-12)
    assert found.names == ("a", "b", "c")


def test_a_hole_leaves_the_distance_of_the_others():
    """A row without b is as far as its a and c are, by the matrix of these two alone."""
    X = np.random.default_rng(0).normal(size=(5000, 3)) @ np.array([[1.0, 0.8, 0.3], [0, 1, 0.5], [0, 0, 2]])
    found = Distance.of(Table.of(pd.DataFrame(X, columns=list("abc"))), list("abc"))
    row = np.array([[3.0, np.nan, -8.0]])
    z = ((row - found.mean) / found.scale)[0, [0, 2]]
    R = np.linalg.inv(found.inverse)[np.ix_([0, 2], [0, 2])]
    expected = np.sqrt(z @ np.linalg.inv(R) @ z)
    said = found.far(Table.of(pd.DataFrame(row, columns=list("abc"))))
    assert f"(distance {expected:.3g}, " in said[0]


def test_about_one_new_row_in_a_thousand_is_far():
    """A limit from rows that the distance had seen would flag too many of few, one of normal theory of skewed ones."""
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(20):
        draw = np.exp(rng.normal(size=(1000 + 5000, 4)))
        table = Table.of(pd.DataFrame(draw[:1000], columns=list("abcd")))
        found = Distance.of(table, list("abcd"))
        shares.append(len(found.far(Table.of(pd.DataFrame(draw[1000:], columns=list("abcd"))))) / 5000)
    assert 0.0003 < np.mean(shares) < 0.003


def test_a_model_file_brings_it_back(study):
    """Flags of a loaded study would differ from those of the one that ran."""
    again = tamis.load(study.folder)
    new = _table(50, seed=3)
    new.loc[0, "a"] = 99.0
    assert study.predictions_csv(new) == again.predictions_csv(new)


def test_a_model_file_of_before_still_predicts(study, tmp_path):
    """A folder of an earlier version would be of no use any more."""
    facts = json.loads((study.folder / "model.json").read_text())
    del facts["training"], facts["residuals"]
    older = type(study.model_).from_dict(facts)
    loaded = tamis.load(study.folder)
    loaded.model_ = older
    rows = list(csv.DictReader(loaded.predictions_csv(_table(5)).splitlines()))
    assert list(rows[0]) == ["row", "y", "note"]
    np.testing.assert_array_equal([float(row["y"]) for row in rows], study.predict(_table(5)))
    assert any("earlier Tamis" in said for said in loaded.remarks_)
    assert any("no intervals" in said for said in loaded.remarks_)


@pytest.mark.parametrize(
    ("part", "bad"),
    [
        (("training", "columns", 0, "low"), "x"),
        (("training", "columns", 0, "name"), "nobody"),
        (("training", "distance", "scale"), [0.0, 1.0]),
        (("residuals", "quantiles"), [2.0, 1.0]),
    ],
)
def test_damage_is_named(study, tmp_path, part, bad):
    """A file that was changed by hand must not flag at random."""
    facts = json.loads((study.folder / "model.json").read_text())
    place = facts
    for key in part[:-1]:
        place = place[key]
    place[part[-1]] = bad
    (tmp_path / "model.json").write_text(json.dumps(facts))
    with pytest.raises(StudyError, match="damaged"):
        type(study.model_).read(tmp_path)


def test_many_reasons_are_counted():
    """A row that is wrong everywhere would fill a page."""
    frame = pd.DataFrame({f"c{j}": np.arange(20.0) for j in range(5)})
    training = Training.of(Table.of(frame), list(frame))
    assert training.unlike(Table.of(frame + 100))[0].endswith("; and 2 more")
