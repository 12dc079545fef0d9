"""Intervals from a study's errors on rows not seen."""

from __future__ import annotations

import csv

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.study.prediction.residuals import Residuals, of_fold


def _frame(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return pd.DataFrame({"x": x, "noise": rng.normal(size=n), "y": 2 * x + rng.standard_t(5, size=n)})


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("residuals") / "study"
    made = tamis.Study(
        _frame(500, 0), target="y", folder=folder, procedures=("lasso", "tree"), prefer="best", repeats=2, folds=3
    )
    return made.run()


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_intervals_hold_as_often_as_they_say(study, coverage):
    """On 4,000 fresh rows the share held lies within the scatter of 400 learned ones."""
    new = _frame(4000, 1)
    rows = list(csv.DictReader(study.predictions_csv(new, coverage=coverage).splitlines()))
    low, high = (np.array([float(row[end]) for row in rows]) for end in ("low", "high"))
    held = ((low <= new["y"]) & (new["y"] <= high)).mean()
    assert abs(held - coverage) < 0.035
    assert f"probability {coverage:g}" in study.remarks_[0]
    assert "rows that were not seen in the study's folds" in study.remarks_[0]


def test_ranks_are_those_of_one_row_more():
    """Of 39 errors the smallest and the largest hold 95% of new ones; of fewer rows no interval can."""
    errors = np.arange(39.0)
    np.testing.assert_allclose(Residuals.of(errors).interval(np.array([0.0]), 0.95), [[0.0, 38.0]], atol=1e-12)
    assert Residuals.of(errors).max_coverage() == pytest.approx(0.95)
    few = Residuals.of(np.arange(9.0))
    assert few.interval(np.array([0.0]), 0.95).tolist() == [[0.0, 8.0]]
    assert few.max_coverage() == pytest.approx(0.8)


def test_quantiles_of_a_large_fold_are_as_good_as_its_errors():
    """Folds of many rows keep 401 numbers, and their interval is the same to a hundredth."""
    errors = np.random.default_rng(0).normal(size=20_000)
    whole = Residuals.of(errors).interval(np.array([0.0]), 0.95)
    brief = Residuals.of(np.array(of_fold(errors)), 20_000).interval(np.array([0.0]), 0.95)
    np.testing.assert_allclose(brief, whole, atol=0.02)


def test_the_command_says_where_the_interval_comes_from(study, tmp_path):
    """stderr says it; the CSV holds the columns that were there before, in their order, and the new ones behind."""
    path = tmp_path / "new.csv"
    _frame(5, 2).to_csv(path, index=False)
    done = CliRunner().invoke(app, ["predict", str(study.folder), str(path), "--coverage", "0.9"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[0] == "row,y,note,low,high,unlike"
    assert "probability 0.9, by the errors of" in done.stderr
    bad = CliRunner().invoke(app, ["predict", str(study.folder), str(path), "--coverage", "95"])
    assert bad.exit_code == 1
    assert "--coverage 95" in bad.stderr
