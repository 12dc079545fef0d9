"""Coverage of the intervals over simulated tables whose true scores are known in closed form."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline

from tamis.evaluate import nested_score

TABLES = 500


def two_classes(seed, n, d, informative=5, shift=0.6):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.normal(size=(n, d))
    X[:, :informative] += shift * y[:, None]
    return X, y


def accuracy(w, b, informative=5, shift=0.6):
    """The true accuracy of sign(w·x + b) for unit normal classes, the second shifted in the first columns."""
    length = np.linalg.norm(w)
    return (norm.cdf(-b / length) + norm.cdf((shift * w[:informative].sum() + b) / length)) / 2


def plane(model, d):
    """Weights over all columns and intercept of a linear classifier, behind a selection or not."""
    last = model[-1] if hasattr(model, "steps") else model
    w = np.zeros(d)
    w[model[0].get_support() if hasattr(model, "steps") else slice(None)] = last.coef_[0]
    return w, last.intercept_[0]


def line(seed, n, d=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, :3].sum(axis=1) + rng.normal(size=n)


def squares(w, b):
    """The true mean squared error of a line for unit normal columns and noise."""
    truth = np.r_[np.ones(3), np.zeros(len(w) - 3)]
    return 1 + b**2 + ((w - truth) ** 2).sum()


CASES = {
    "discriminant, 100 rows": (LinearDiscriminantAnalysis(), two_classes, {"n": 100, "d": 5}, "accuracy"),
    "best 5 of 50, 100 rows": (
        make_pipeline(SelectKBest(f_classif, k=5), LinearDiscriminantAnalysis()),
        two_classes,
        {"n": 100, "d": 50},
        "accuracy",
    ),
    "least squares, 80 rows": (LinearRegression(), line, {"n": 80}, "mse"),
}


def true_score(model, X):
    if isinstance(model, LinearRegression):
        return squares(model.coef_, model.intercept_)
    return accuracy(*plane(model, X.shape[1]))


def coverage(name, outer, repeats):
    """Shares of tables whose interval holds the mean true score of the models judged: corrected and bootstrap."""
    model, make, settings, scoring = CASES[name]
    truths, corrected, resampled, widths = [], [], [], []
    for seed in range(TABLES):
        X, y = make(seed, **settings)
        result = nested_score(model, X, y, outer=outer, repeats=repeats, scoring=scoring, keep_models=True)
        truths.append(np.mean([true_score(fitted, X) for fitted in result.models]))
        corrected.append(tuple(result.interval))
        resampled.append(tuple(result.bootstrap_interval))
        widths.append(result.interval.high - result.interval.low)
    expected = np.mean(truths)  # of the procedure, over training sets
    held = {}
    for kind, intervals in (("corrected", np.array(corrected)), ("bootstrap", np.array(resampled))):
        held[kind] = float(np.mean((intervals[:, 0] <= expected) & (expected <= intervals[:, 1])))
    print(f"{name}, {outer} folds × {repeats}: true {scoring} {expected:.3f}, mean width {np.mean(widths):.3f}, {held}")
    return held


@pytest.mark.nightly
@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize(("outer", "repeats"), [(5, 1), (10, 1), (5, 5)])
def test_intervals_hold_the_true_score_as_often_as_they_say(name, outer, repeats):
    """An interval that misses the truth more often than it admits is the very thing this package is against."""
    held = coverage(name, outer, repeats)
    assert 0.90 <= held["corrected"] <= 0.99
