"""Columns made from the target beforehand are named; honest ones, the true means among them, are not."""

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.evaluate.leakage.leaks import leaks
from tamis.study.fold import find_leaks


def kinds(found):
    return {(leak.kind, leak.columns, leak.severity) for leak in found}


def coded(rng, classes, n=400, levels=60):
    """Noise: a category that says nothing about the target."""
    level = rng.integers(0, levels, n)
    y = rng.integers(0, 2, n).astype(float) if classes else rng.normal(10, 3, n)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n)})
    return frame, level, y


@pytest.mark.parametrize("classes", [True, False])
def test_means_of_the_target_are_told(classes):
    """Encoded before the folds, a level of few rows holds its own answers."""
    frame, level, y = coded(np.random.default_rng(0), classes)
    means = pd.Series(y).groupby(level).transform("mean")
    for written in (means, means.round(4)):
        assert ("encoded", ("town",), "stop") in kinds(leaks(frame.assign(town=written), y))
    apart = pd.Series(y).groupby(level)
    others = (apart.transform("sum") - y) / (apart.transform("count") - 1).clip(lower=1)
    left_out = frame.assign(town=[f"t{k}" for k in level], mean=others)
    assert ("encoded", ("mean",), "stop") in kinds(leaks(left_out, y))


@pytest.mark.parametrize("classes", [True, False])
def test_a_study_tells_means_though_it_does_not_see_all_rows(classes):
    """A fifth of the rows that the means were computed from are locked, and their target is not known."""
    frame, level, y = coded(np.random.default_rng(1), classes, n=600, levels=80)
    frame["town"] = pd.Series(y).groupby(level).transform("mean")
    frame["y"] = np.where(y == 1, "yes", "no") if classes else y
    problem = tamis.Study(frame, target="y", folder="never written").problem
    assert len(problem.lock.rows)
    assert [leak["columns"] for leak in find_leaks(problem, seed=0) if leak["kind"] == "encoded"] == [["town"]]


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_the_true_means_are_no_leak(seed, classes):
    """A column that is right about each town, as a price list is, agrees no better with it than chance allows."""
    rng = np.random.default_rng(seed)
    level, true = rng.integers(0, 50, 500), rng.uniform(0.1, 0.9, 50)
    y = (rng.random(500) < true[level]).astype(float) if classes else true[level] + 0.2 * rng.normal(size=500)
    frame = pd.DataFrame({"a": rng.normal(size=500), "risk": true[level], "count": rng.poisson(3, 500)})
    assert not {leak.kind for leak in leaks(frame, y)} & {"encoded", "filled"}


def test_holes_filled_by_class_are_told():
    """The mean of a class in the place of a hole says which class the row is of."""
    rng = np.random.default_rng(0)
    frame, y = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc")), rng.integers(0, 2, 300)
    holes = rng.random(300) < 0.15
    by_class = frame["b"].where(~holes, [frame["b"][~holes & (y == k)].mean() for k in y])
    assert ("filled", ("b",), "stop") in kinds(leaks(frame.assign(b=by_class), y))
    by_mean = frame["b"].where(~holes, frame["b"][~holes].mean())
    assert not [leak for leak in leaks(frame.assign(b=by_mean), y) if leak.kind == "filled"]
    limit = frame["b"].clip(lower=frame["b"].quantile(0.2))  # a limit of detection that one class reaches
    limit[(y == 1) & (limit == limit.min())] += 0.01 * rng.random(int(((y == 1) & (limit == limit.min())).sum()))
    assert not [leak for leak in leaks(frame.assign(b=limit), y) if leak.kind == "filled"]


def test_small_numbers_are_no_means_of_a_rarer_class():
    """Chlorides of wines, about 0.08, were said to hold the mean of a class with 1% of the rows."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        chlorides = np.round(np.exp(rng.normal(np.log(0.08), 0.25, 300)), 3)
        quality = rng.choice(6, 300, p=[0.01, 0.03, 0.43, 0.40, 0.12, 0.01])
        frame = pd.DataFrame({"chlorides": chlorides, "pH": rng.normal(size=300)})
        assert "encoded" not in {leak.kind for leak in leaks(frame, quality)}
