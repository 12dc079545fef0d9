"""Levels that are neither texts nor numbers are read as their texts."""

import json

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.boosting import BoostingRegressor
from tamis.errors import KindError
from tamis.linear import LinearRegressor
from tamis.tree import TreeClassifier, TreeRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=80)
Y = X + RNG.normal(size=80)
CODES = RNG.integers(0, 3, 80)
LEVELS = {
    "interval": pd.Categorical(pd.cut(X, 4)),
    "timestamp": pd.Categorical(pd.to_datetime(["2020-01-01", "2021-01-01", "2022-05-01"])[CODES]),
    "period": pd.Categorical(pd.period_range("2020-01", periods=3, freq="M")[CODES]),
    "timedelta": pd.Categorical(pd.to_timedelta([1, 2, 3], unit="D")[CODES]),
    "bytes": pd.Categorical(np.array([b"a", b"b", b"c"], dtype=object)[CODES]),
}


@pytest.mark.parametrize(
    "model", [TreeRegressor(max_depth=2), LinearRegressor("ridge", alpha=0.1), BoostingRegressor(5)]
)
@pytest.mark.parametrize("kind", LEVELS)
def test_a_model_of_any_levels_is_json(kind, model):
    """json.dumps of a model raised for intervals, dates, periods and bytes."""
    frame = pd.DataFrame({"level": LEVELS[kind], "z": np.arange(80.0) % 7})
    model.fit(frame, Y)
    again = type(model).from_dict(json.loads(json.dumps(model.to_dict())))
    assert np.array_equal(again.predict(frame), model.predict(frame))


def test_intervals_as_a_target_get_a_sentence():
    """scikit-learn's "unknown label type" does not say what to do."""
    with pytest.raises(KindError, match="give its labels as text"):
        TreeClassifier().fit(X[:, None], LEVELS["interval"])
    with pytest.raises(KindError, match="fit with the labels as text"):
        TreeClassifier().fit(X[:, None], np.asarray(LEVELS["timestamp"])).to_dict()


@pytest.mark.parametrize("target", ["y", "level"])
def test_a_study_takes_the_intervals_of_cut(tmp_path, target):
    """Arrow has no cast for them, and said so in its own words."""
    frame = pd.DataFrame({"level": pd.cut(X, 3), "z": X + 0.1 * Y, "y": Y})
    few = {"procedures": "tree", "folds": 3, "inner": 2, "repeats": 1, "black_box": False, "n_jobs": 1}
    study = tamis.Study(frame, target=target, folder=tmp_path / "s", **few).run()
    found = study.predict(frame)
    assert len(found) == 80
    if target == "level":
        assert set(found) <= {str(level) for level in frame["level"].cat.categories}
    assert np.array_equal(tamis.load(tmp_path / "s").predict(frame), found)
