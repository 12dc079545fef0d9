"""Splits by the fall of the standard deviation: those that trying every cut finds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tamis import ForestRegressor
from tamis.errors import ParameterError


def deviation(y: np.ndarray, w: np.ndarray) -> float:
    """Weight times standard deviation; 0 for no rows."""
    return float(w.sum() * np.sqrt(np.average((y - np.average(y, weights=w)) ** 2, weights=w))) if len(y) else 0.0


def after(x: np.ndarray, y: np.ndarray, w: np.ndarray, cut: float) -> float:
    """What a cut leaves."""
    return deviation(y[x <= cut], w[x <= cut]) + deviation(y[x > cut], w[x > cut])


def best_by_trying(X: np.ndarray, y: np.ndarray, w: np.ndarray, least: int) -> float:
    """The least that a cut of any column leaves."""
    return min(
        after(x, y, w, cut) for x in X.T for cut in np.unique(x)[:-1] if min((x <= cut).sum(), (x > cut).sum()) >= least
    )


def root(X: object, y: np.ndarray, w: np.ndarray | None = None, **settings: object) -> tuple[int, float]:
    """Column and threshold of a tree of one split on all rows."""
    one = {"max_features": None, "bootstrap": False, "oob_score": False, "max_depth": 1}
    forest = ForestRegressor(1, criterion="standard_deviation", **one, **settings).fit(X, y, w)
    return int(forest.trees_.nodes[0]["column"]) & ((1 << 28) - 1), float(forest.trees_.nodes[0]["threshold"])


@pytest.mark.parametrize("n", [7, 50, 300])
@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_cut_is_the_one_that_trying_all_finds(n, least, weighted):
    """Small nodes compare every place between values, large ones buckets; either could drop a root or a weight."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 40, size=(n, 3)).astype(float)
        y = X[:, 0] * rng.normal(size=n) + 0.3 * X[:, 1]
        w = rng.uniform(0.5, 2.0, size=n) if weighted else np.ones(n)
        column, threshold = root(X, y, w, min_samples_leaf=least)
        left = X[:, column] <= threshold
        assert min(left.sum(), (~left).sum()) >= least
        assert after(X[:, column], y, w, threshold) == pytest.approx(best_by_trying(X, y, w, least))


def test_a_column_that_only_scatters_the_answers_is_found():
    """Means of both sides are equal: squared errors see nothing but noise, and products stay hidden."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(400, 5))
    y = np.where(X[:, 3] > 0.5, 5.0, 1.0) * rng.choice([-1.0, 1.0], size=400)
    column, threshold = root(X, y)
    assert column == 3
    assert threshold == pytest.approx(0.5, abs=0.03)


def test_missing_values_go_to_the_side_that_suits_them():
    """The deviation of rows without a value would be left out of the sums."""
    rng = np.random.default_rng(1)
    for n in (40, 400):
        x = rng.integers(0, 30, size=n).astype(float)
        y = np.where(x < 10, 0.0, 6.0) + 0.1 * rng.normal(size=n)
        x[y > 5.9] = np.nan  # some of the large ones
        forest = ForestRegressor(
            1, criterion="standard_deviation", bootstrap=False, oob_score=False, max_depth=1, max_features=None
        ).fit(x[:, None], y)
        assert forest.predict([[np.nan]])[0] == pytest.approx(6.0, abs=0.1)
        assert forest.predict([[0.0]])[0] == pytest.approx(0.0, abs=0.1)


def test_levels_are_told_apart_by_their_deviations():
    """Sums of squares by level would be those of other levels, or stay from the node before."""
    rng = np.random.default_rng(2)
    level = rng.integers(6, size=300)
    y = np.where(level < 3, 0.0, 4.0) + np.where(level < 3, 0.1, 1.0) * rng.normal(size=300)
    frame = pd.DataFrame({"noise": rng.normal(size=300), "word": pd.Categorical([f"w{k}" for k in level])})
    forest = ForestRegressor(
        1, criterion="standard_deviation", bootstrap=False, oob_score=False, max_depth=1, max_features=None
    ).fit(frame, y)
    answers = forest.predict(frame)
    assert np.ptp(answers[level < 3]) == np.ptp(answers[level >= 3]) == 0.0
    assert answers[level >= 3].mean() - answers[level < 3].mean() == pytest.approx(4.0, abs=0.2)


def test_products_are_learned_better_and_threads_do_not_matter():
    """The reason for the criterion would be gone; or the same seed would give another forest on another machine."""
    rng = np.random.default_rng(3)
    X, new = rng.normal(size=(2, 2000, 8))
    fit = {
        (criterion, jobs): ForestRegressor(40, criterion=criterion, n_jobs=jobs).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
        for criterion, jobs in (("squared_error", 1), ("standard_deviation", 1), ("standard_deviation", 2))
    }
    truth = new[:, 0] * new[:, 1] + new[:, 2]
    plain, one, two = fit.values()
    assert one.score(new, truth) > plain.score(new, truth) + 0.05
    assert np.array_equal(one.predict(new), two.predict(new))


def test_what_it_cannot_do_is_refused():
    """Several targets would be split by the first alone; a typing error would be the squared error."""
    X = np.arange(20.0).reshape(10, 2)
    with pytest.raises(ParameterError, match="one target"):
        ForestRegressor(2, criterion="standard_deviation").fit(X, X)
    with pytest.raises(ParameterError, match="criterion"):
        ForestRegressor(2, criterion="sd").fit(X, X[:, 0])


def test_a_row_given_twice_is_one_that_weighs_two():
    """Equal cuts would be told apart by the rounding of roots."""
    rng = np.random.default_rng(0)
    for seed in range(20):
        X, y = rng.integers(0, 4, size=(15, 10)).astype(float), rng.integers(0, 3, size=15).astype(float)
        copies = rng.integers(1, 4, size=15)
        weighed, repeated = (
            ForestRegressor(20, criterion="standard_deviation", random_state=seed).fit(*given)
            for given in ((X, y, copies), (np.repeat(X, copies, axis=0), np.repeat(y, copies)))
        )
        assert np.allclose(weighed.predict(X), repeated.predict(X))
