"""Calibration and net benefit in results.json: from rows, from counts, for classes and numbers."""

import json

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.metrics.calibration import calibration
from tamis.study import fold

FAST = {"folds": 4, "repeats": 2, "black_box": False, "lock": 0, "procedures": ["lasso"], "subgroups": []}


def _table(kind: str, n: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    signal = x[:, 0] + 0.5 * x[:, 1] + rng.logistic(size=n)
    y = {"numbers": signal, "two": np.where(signal > 0, "yes", "no"), "three": np.digitize(signal, (-1, 1)).astype(str)}
    return pd.DataFrame(x, columns=list("abc")).assign(y=y[kind])


def test_they_are_of_the_held_out_predictions(tmp_path):
    """Calibration on training rows would be perfect, and false."""
    study = tamis.Study(_table("two"), target="y", folder=tmp_path / "s", **FAST).run()
    (record,) = study.results_["validity"]["calibration"]
    kept = study.results_["predictions"]
    truth = np.array(kept["truth"])
    p = np.concatenate([np.array(one)[:, 1] for one in kept["by_repeat"]])
    expected = calibration(np.tile(truth, 2), p, sample_weight=np.full(480, 0.5), groups=np.tile(np.arange(240), 2))
    assert record["slope"] == pytest.approx(expected.slope)
    assert record["slope_interval"] == pytest.approx(list(expected.slope_interval))
    assert "calibration slope" in study.results_["validity"]["words"][0]
    assert study.results_["validity"]["net_benefit"]["label"] == "yes"


def test_counts_of_many_rows_give_nearly_the_same(tmp_path, monkeypatch):
    """Above 5,000 rows a study would have no calibration, or another one."""
    few = tamis.Study(_table("two"), target="y", folder=tmp_path / "s", **{**FAST, "repeats": 1}).run()
    monkeypatch.setattr(fold, "MOST_KEPT", 10)
    many = tamis.Study(_table("two"), target="y", folder=tmp_path / "t", **{**FAST, "repeats": 1}).run()
    assert many.results_["predictions"] is None
    own, other = (study.results_["validity"]["calibration"][0] for study in (few, many))
    assert other["slope"] == pytest.approx(own["slope"], rel=0.02)
    assert other["slope_interval"] == pytest.approx(own["slope_interval"], rel=0.05)
    own, other = (study.results_["validity"]["net_benefit"] for study in (few, many))
    np.testing.assert_allclose(other["net_benefit"][9:80:10], own["net_benefit"][9:80:10], atol=0.02)


def test_three_classes_and_numbers(tmp_path):
    """A class without its own calibration would hide behind the others; numbers have a slope, too."""
    three = tamis.Study(_table("three"), target="y", folder=tmp_path / "s", task="classification", **FAST).run()
    assert [one["label"] for one in three.results_["validity"]["calibration"]] == [0, 1, 2]
    assert three.results_["validity"]["net_benefit"] is None
    numbers = tamis.Study(_table("numbers"), target="y", folder=tmp_path / "t", **FAST).run()
    (record,) = numbers.results_["validity"]["calibration"]
    assert record["slope_interval"][0] < 1 < record["slope_interval"][1]
    assert len(record["tenths"]) == 10
    json.dumps(numbers.results_["validity"], allow_nan=False)
