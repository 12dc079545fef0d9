"""A study in time order works on small tables, or says what is wrong with the time."""

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.errors import TableError
from tamis.evaluate.cross_validate import Fold
from tamis.metrics.intervals.paired import difference
from tamis.study.comparison.naive import naive_forecasts
from tamis.study.fold import FoldRules, outer_folds


def frame(n, per_day, classes):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = np.where(x + rng.normal(size=n) > 0.5, "u", "v") if classes else x
    return pd.DataFrame({"x": x, "z": rng.normal(size=n), "day": np.arange(n) // per_day, "y": y})


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize(("n", "per_day"), [(30, 1), (60, 1), (45, 15), (200, 30)])
def test_few_times_give_fewer_folds_and_no_crash(n, per_day, classes, tmp_path):
    """A stretch of few rows, or of one time only, ended in IndexError or in advice about a cv nobody gave."""
    data = frame(n, per_day, classes)
    study = tamis.Study(
        data, target="y", time="day", folder=tmp_path / "s", procedures=("stump", "lasso"), n_jobs=1
    ).run()
    assert np.isfinite(study.score_)


def test_too_few_times_are_told_as_such(tmp_path):
    """The sentence is about the time, not about folds the user never gave."""
    with pytest.raises(TableError, match="2 different times, too few"):
        tamis.Study(frame(40, 20, True), target="y", time="day", folder=tmp_path / "s").run()


def _in_order(y, **columns):
    return pd.DataFrame({**columns, "day": np.arange(len(y)), "y": y})


def _autoregressive(rng, n, phi):
    noise, series = rng.normal(size=n), np.zeros(n)
    for t in range(1, n):
        series[t] = phi * series[t - 1] + noise[t]
    return series


QUICK = {"target": "y", "time": "day", "procedures": ("stump", "lasso"), "black_box": False, "n_jobs": 1}


@pytest.mark.parametrize("seed", range(4))
def test_a_walk_is_not_predicted_by_other_walks(seed, tmp_path):
    """Walks that have nothing to do with each other were called a captured signal in 24 of 32 tables."""
    rng = np.random.default_rng(seed)
    a, b, y = rng.normal(size=(3, 160)).cumsum(axis=1)
    study = tamis.Study(_in_order(y, a=a, b=b), folder=tmp_path / "s", **QUICK).run()
    assert study.results_["answer"]["signal"] == "none"


@pytest.mark.parametrize("seed", range(2))
def test_a_signal_under_autocorrelated_noise_is_found(seed, tmp_path):
    """Caution about time would deny what a column predicts."""
    rng = np.random.default_rng(seed)
    a, b = (_autoregressive(rng, 240, 0.5) for _ in range(2))
    y = 2 * a + _autoregressive(rng, 240, 0.7)
    study = tamis.Study(_in_order(y, a=a, b=b), folder=tmp_path / "s", **QUICK).run()
    assert study.results_["answer"]["signal"] == "captured"
    assert study.selected_[0] == "a"


def _forecasts(y, train, test, tmp_path, **settings):
    frame = _in_order(y, a=np.arange(len(y)) % 7 + 0.5)
    study = tamis.Study(frame, target="y", time="day", folder=tmp_path / "s", lock=0, **settings)
    fold = Fold("f", np.arange(train), np.arange(train, test))
    found = naive_forecasts(study.problem, FoldRules.of(study.settings, study.problem), [fold])
    return {name: np.array(kept[0].predictions) for name, kept in found.items()}


def test_naive_forecasts_of_numbers_are_those_of_the_past(tmp_path):
    """The last value, the line from the first to the last value, or the season would be other numbers."""
    season = np.tile([3.0, 1.0, 0.0, 1.5], 10) + 1e-3 * np.arange(40)
    found = _forecasts(season, 30, 33, tmp_path)
    np.testing.assert_allclose(found["last value"], season[29])
    np.testing.assert_allclose(found["drift"], season[29] + (season[29] - season[0]) / 29 * np.arange(1, 4))
    np.testing.assert_allclose(found["season"], [season[k:30:4].mean() for k in (2, 3, 0)])


def test_naive_forecasts_of_classes_are_recent_shares(tmp_path):
    """Shares of the latest rows would be those of others."""
    y = np.array(["u", "v"], dtype=object)[np.r_[np.arange(30) % 2, np.ones(7, int), 0, 1, 1, np.arange(10) % 2]]
    found = _forecasts(y, 40, 42, tmp_path)
    np.testing.assert_allclose(found["recent shares"], [[0.9, 0.1]] * 2)  # "u" is rarer, so it is the second class
    np.testing.assert_allclose(found["season"].sum(axis=1), 1)


def test_blocks_are_as_long_as_neighbours_are_alike():
    """Autocorrelated differences of losses would be taken for independent ones, and noise for a gain."""
    rng = np.random.default_rng(0)
    p = {True: [], False: []}
    for _ in range(300):
        gains = _autoregressive(rng, 150, 0.8)
        for ordered, values in p.items():
            values.append(difference(gains, np.zeros(150), np.ones(150), ordered=ordered).p_value)
    assert np.mean(np.array(p[False]) < 0.05) > 0.2
    assert np.mean(np.array(p[True]) < 0.05) < 0.09
    same = rng.normal(size=150)
    plain = difference(same, np.zeros(150), np.ones(150))
    assert difference(same, np.zeros(150), np.ones(150), ordered=True) == plain


def test_groups_and_time_together_judge_later_rows_of_other_groups(tmp_path):
    """A panel was refused; its rows would be judged by models that know their group, or what came later."""
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"g": np.repeat(np.arange(12), 15), "day": np.tile(np.arange(15), 12)})
    data = data.assign(x=rng.normal(size=180), z=rng.normal(size=180)).assign(y=lambda d: d.x + rng.normal(size=180))
    study = tamis.Study(data, groups="g", folder=tmp_path / "s", **QUICK)
    problem = study.problem
    folds = outer_folds(problem, 5, 1, 0)
    assert len(folds) == 15
    for fold in folds:
        assert not set(problem.groups[fold.train]) & set(problem.groups[fold.test])
        assert problem.time[fold.train].max() < problem.time[fold.test].min()
    judged = np.concatenate([fold.test for fold in folds])
    assert len(judged) == len(set(judged.tolist()))
    assert study.run().results_["answer"]["signal"] == "captured"
