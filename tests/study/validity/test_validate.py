"""Validation on another table: score, calibration and drift of the frozen model, in the ledger; recalibration."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import tamis
from tamis.errors import ParameterError, StudyError, TableError
from tamis.lock import Ledger

FAST = {"folds": 4, "repeats": 1, "black_box": False, "procedures": ["lasso"]}


def _table(seed: int, n: int, shift: float = 0.0, slope: float = 1.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    ward = rng.choice(["a", "b"], size=n)
    y = rng.random(n) < expit(shift + slope * (2 * x[:, 0] + (ward == "a") - 0.5))
    return pd.DataFrame({"x": x[:, 0], "z": x[:, 1], "ward": ward, "y": np.where(y, "ill", "well")})


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("validate") / "s"
    return tamis.Study(_table(0, 400), target="y", folder=folder, **FAST).run()


def test_a_table_like_the_first_agrees_with_the_study(study):
    """An honest study would be contradicted by fresh rows of the same kind."""
    fresh = _table(1, 600)
    facts = study.validate(fresh)
    assert facts["rows"] == 600
    assert facts["score"] == pytest.approx(np.mean(study.predict(fresh) == fresh["y"]))
    assert facts["interval"][0] < facts["score"] < facts["interval"][1]
    assert facts["p_value"] > 0.01
    assert facts["calibration"][0]["slope_interval"][0] < 1 < facts["calibration"][0]["slope_interval"][1]
    looks = Ledger(study.folder).looks()
    assert looks[-1]["kind"] == "validated"
    assert looks[-1]["score"] == facts["score"]
    assert Ledger(study.folder).openings() == []


def test_drift_and_what_cannot_be_judged_are_counted(study):
    """Rows out of range, new levels and rows without an outcome would be judged in silence."""
    other = _table(2, 200)
    other.loc[:4, "x"] = 50.0
    other["ward"] = other["ward"].astype(object)
    other.loc[5:7, "ward"] = "c"
    other.loc[10:11, "y"] = None
    other.loc[12, "y"] = "unclear"
    facts = study.validate(other)
    assert (facts["rows"], facts["without_target"], facts["unknown_target"]) == (197, 2, 1)
    by_name = {one["column"]: one for one in facts["drift"]}
    assert by_name["x"]["above"] == 5
    assert by_name["ward"]["new_level"] == 3
    assert any("5 of 197 rows are outside the training range" in sentence for sentence in facts["words"])


def test_recalibration_mends_a_shifted_table_and_leaves_the_model_alone(study):
    """A new hospital with more patients needs another intercept, not another model."""
    before = json.dumps(study.model_.to_dict())
    first, second = _table(3, 2_000, shift=-1.5, slope=0.5), _table(4, 2_000, shift=-1.5, slope=0.5)
    wrong = study.validate(first, recalibrate="slope", name="north")
    assert wrong["calibration"][0]["slope_interval"][1] < 1
    assert "too extreme" in " ".join(wrong["words"])
    moved = tamis.load(study.folder).recalibrated("north")
    p = moved.predict_proba(second)[:, list(moved.labels).index("well")]
    found = tamis.evaluate.calibration((second["y"] == "well").astype(float), p)
    assert found.slope_interval[0] < 1 < found.slope_interval[1]
    assert abs(found.intercept) < 0.25  # both tables vary
    assert json.dumps(study.model_.to_dict()) == before
    with pytest.raises(StudyError, match="has a recalibrated model 'north' already"):
        study.validate(first, recalibrate="slope", name="north")
    with pytest.raises(StudyError, match="has no recalibrated model 'south'; it has north"):
        study.recalibrated("south")


def test_validations_do_not_spend_the_opening(study):
    """The locked rows would count as seen though nobody looked at them."""
    study.validate(_table(5, 100))
    assert study.open()["independent"] is True


def test_numbers_are_validated_too(tmp_path):
    """A regression would end in an error, or be judged as classes."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200)})
    frame["y"] = 3 * frame["x"] + rng.normal(size=200)
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **FAST).run()
    other = frame.assign(y=5 + 0.5 * frame["y"])
    facts = study.validate(other, recalibrate="slope", name="new")
    assert facts["calibration"][0]["slope"] == pytest.approx(0.5, abs=0.05)
    moved = study.recalibrated("new").predict(other)
    assert np.mean((moved - other["y"]) ** 2) < 0.3
    assert study.predictions_csv(other).splitlines()[0].startswith("row,y,note,low,high")


def test_bad_input_is_refused(study):
    """A validation without an outcome, or a folder name that leads elsewhere, must not be taken."""
    with pytest.raises(TableError, match="'y'"):
        study.validate(_table(6, 50).drop(columns="y"))
    with pytest.raises(TableError, match="no row of column 'y' has a target that the model knows"):
        study.validate(_table(6, 50).assign(y="other"))
    with pytest.raises(ParameterError, match="recalibrate and name go together"):
        study.validate(_table(6, 50), recalibrate="slope")
    with pytest.raises(ParameterError, match=r"name='\.\./x'"):
        study.validate(_table(6, 50), recalibrate="slope", name="../x")


def test_few_rows_do_not_show_that_a_model_is_calibrated(study):
    """A slope between -0.6 and 16.6 was called "no miscalibration", and models were recalibrated by it."""
    from tamis.study.validity.calibration import calibration_words

    wide = {
        "label": "ill",
        "slope": 7.99,
        "slope_interval": [-0.58, 16.57],
        "intercept": 0.1,
        "intercept_interval": None,
    }
    assert calibration_words(wide, 169) == (
        "Whether predicted probabilities of ill are calibrated cannot be judged from 169 rows: calibration slope 7.99 "
        "(95% interval −0.58 to 16.57; 1 is perfect)."
    )
    noise = _table(8, 80)
    noise["y"] = np.random.default_rng(1).permutation(noise["y"])
    with pytest.raises(StudyError, match=r"the slope is too uncertain .* give recalibrate='intercept'"):
        study.validate(noise, recalibrate="slope", name="vague")
    study.validate(noise, recalibrate="intercept", name="shifted")


def test_the_studys_own_table_is_no_other_table(study):
    """A model judged on the rows it learned from agreed with the study, and was called validated."""
    facts = study.validate(_table(0, 400))
    assert facts["locked_rows"] == 80
    assert facts["words"][0].startswith("The table holds 80 of the study's locked rows")
    assert any("shares rows with the study" in look["note"] for look in Ledger(study.folder).looks())
    assert "locked_rows" not in study.validate(_table(11, 200))
