"""The out-of-bag error against other systems, against test rows, and against theory."""

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_friedman1

from tamis.forest import ForestClassifier, ForestRegressor

LOAD = {"breast_cancer": load_breast_cancer, "wine": load_wine, "digits": load_digits}
ERRORS = json.loads((Path(__file__).parents[2] / "golden" / "out_of_bag.json").read_text())["errors"]


@pytest.mark.parametrize("name", LOAD)
def test_error_lies_in_the_band_of_other_forests(name):
    """If this fails, our forests are worse (or dishonestly better) than randomForest's and scikit-learn's."""
    X, y = LOAD[name](return_X_y=True)
    ours = [1 - ForestClassifier(500, random_state=seed, n_jobs=2).fit(X, y).oob_score_ for seed in range(10)]
    theirs = np.concatenate([ERRORS[name]["randomForest"], ERRORS[name]["scikit-learn"]])
    assert theirs.min() <= np.mean(ours) <= theirs.max()
    difference = np.mean(ours) - theirs.mean()
    assert abs(difference) < 3 * np.sqrt(np.var(ours, ddof=1) / 10 + theirs.var(ddof=1) / 20)


@pytest.mark.parametrize("n", [10, 300, 5_000])
def test_the_share_left_out_is_that_of_drawing_with_replacement(n):
    """If this fails, rows are not drawn uniformly with replacement: a row escapes n draws with (1 - 1/n)^n."""
    rng = np.random.default_rng(n)
    forest = ForestRegressor(400, max_depth=1, n_jobs=2).fit(rng.normal(size=(n, 2)), rng.normal(size=n))
    wanted = (1 - 1 / n) ** n
    assert abs(forest.oob_fraction_ - wanted) < 4 * np.sqrt(wanted * (1 - wanted) / (400 * n))
    if n == 5_000:
        assert round(forest.oob_fraction_, 3) == 0.368


def test_out_of_bag_error_equals_test_error_on_many_rows():
    """If this fails, out-of-bag answers are not honest: the gap to new rows exceeds its 95% interval."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(16_000, 8))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=len(X)) > 0
    forest = ForestClassifier(300, n_jobs=2).fit(X[:8_000], y[:8_000])
    ours, test = 1 - forest.oob_score_, 1 - forest.score(X[8_000:], y[8_000:])
    assert abs(ours - test) < 1.96 * np.sqrt(2 * test * (1 - test) / 8_000)

    X, y = make_friedman1(16_000, 8, noise=1.0, random_state=0)
    forest = ForestRegressor(200, n_jobs=2).fit(X[:8_000], y[:8_000])
    off = (forest.oob_prediction_ - y[:8_000]) ** 2
    new = (forest.predict(X[8_000:]) - y[8_000:]) ** 2
    assert abs(off.mean() - new.mean()) < 1.96 * np.sqrt((off.var() + new.var()) / 8_000)
    assert forest.oob_curve_[-1] == pytest.approx(off.mean())


def test_fewer_rows_left_out_judge_the_same_trees() -> None:
    """Judging by some of the rows left out must leave the trees as they are, judge every row, and find their error.

    A row is judged by a seventh of the trees, so the error is that of a smaller forest.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 6))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=3000) > 0).astype(int)
    whole = ForestClassifier(200, max_samples=300, random_state=1).fit(X, y)
    some = ForestClassifier(200, max_samples=300, max_oob_samples=400, random_state=1).fit(X, y)
    assert np.array_equal(whole.predict_proba(X), some.predict_proba(X))
    assert not np.isnan(some.oob_decision_function_).any()
    assert some.oob_fraction_ < 0.2 < 0.8 < whole.oob_fraction_
    small = ForestClassifier(30, max_samples=300, random_state=1).fit(X, y)
    assert small.oob_score_ - 0.01 < some.oob_score_ < whole.oob_score_ + 0.01
    with pytest.raises(ValueError, match="max_oob_samples=0"):
        ForestClassifier(5, max_oob_samples=0).fit(X, y)
