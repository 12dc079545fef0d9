"""Every loss × penalty satisfies its optimality conditions: dense and sparse, weighted, degenerate, tall and wide."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse

from tamis import LinearClassifier, LinearRegressor
from tamis.errors import ParameterError, TamisWarning

LOSSES = ["squared", "poisson", "huber", "logistic", "multinomial", "squared_hinge"]
PENALTIES = [("lasso", 1.0), ("elastic-net", 0.5), ("ridge", 0.0)]


def table(loss, shape, seed=0):
    """Rows with a duplicated and a constant column, a target of the loss' kind, weights."""
    n, p = shape
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 3, size=p)
    X[rng.random(X.shape) < 0.6] = 0
    X[:, 3] = X[:, 1]
    X[:, 4] = 1.0
    eta = X[:, :3] @ [0.5, -0.5, 0.4] + 0.3 * rng.normal(size=n)
    y = {
        "squared": eta,
        "huber": eta + 5 * (rng.random(n) < 0.05),
        "poisson": rng.poisson(np.exp(eta)).astype(float),
        "logistic": (eta + rng.normal(size=n) > 0).astype(int),
        "squared_hinge": (eta + rng.normal(size=n) > 0).astype(int),
        "multinomial": np.digitize(eta + rng.normal(size=n), [-0.5, 0.5]),
    }[loss]
    return X, y, rng.uniform(0.2, 2, size=n)


def slope(loss, eta, y, width):
    """Derivative of the loss by the linear predictor (rows × outputs), by the definition."""
    if loss == "squared":
        return eta - y[:, None]
    if loss == "huber":
        return np.clip(eta - y[:, None], -width, width)
    if loss == "poisson":
        return np.exp(eta) - y[:, None]
    if loss == "logistic":
        return 1 / (1 + np.exp(-eta)) - y[:, None]
    if loss == "squared_hinge":
        side = 2 * y[:, None] - 1
        return -2 * side * np.maximum(0, 1 - side * eta)
    raised = np.exp(eta - eta.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True) - np.eye(3)[y]


def model_for(loss, penalty, alpha, **options):
    if loss in ("squared", "poisson", "huber"):
        return LinearRegressor(penalty=penalty, alpha=alpha, loss=loss, **options)
    return LinearClassifier(penalty=penalty, alpha=alpha, loss="logistic" if loss == "multinomial" else loss, **options)


def weighted_median(values, w):
    """The value at which half of the weight is reached; the mean of two where it is reached between them."""
    order = np.argsort(values)
    below = np.cumsum(w[order]) / w.sum()
    return values[order[np.searchsorted(below, [0.5 - 1e-9, 0.5 + 1e-9])]].mean()


def violation(model, loss, X, y, w, alpha, ratio, standardize=True, factors=None):
    """The largest breach of the optimality conditions, in standardised columns, and of the intercept's."""
    w = w / w.sum()
    coef, intercept = np.atleast_2d(model.coef_).T, np.atleast_1d(model.intercept_)
    middle = weighted_median(y, w)
    spread = 1.4826 * weighted_median(np.abs(y - middle), w) or y.std()
    residual = -w[:, None] * slope(loss, X @ coef + intercept, y, 1.35 * spread)
    mean = w @ X
    scale = np.sqrt(w @ (X - mean) ** 2) if standardize else np.ones(X.shape[1])
    alive = np.sqrt(w @ (X - mean) ** 2) > 1e-12
    factors = np.ones(X.shape[1]) if factors is None else factors
    score = (X - mean).T @ residual
    score[alive] /= scale[alive, None]
    beta = coef * scale[:, None]
    l1, l2 = (alpha * ratio * factors)[:, None], (alpha * (1 - ratio) * factors)[:, None]
    inside = np.abs(score - l2 * beta - l1 * np.sign(beta))
    outside = np.maximum(np.abs(score) - l1, 0)
    breach = np.where(beta != 0, inside, outside)[alive]
    assert np.all(coef[~alive] == 0), "a column that does not vary has a coefficient"
    return max(float(breach.max()), float(np.abs(residual.sum(axis=0)).max()))


@pytest.mark.parametrize("shape", [(150, 12), (30, 60)], ids=["tall", "wide"])
@pytest.mark.parametrize(("penalty", "ratio"), PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
def test_optimality_conditions(loss, penalty, ratio, shape):
    """A model that breaks its optimality conditions is not the minimum it claims to be."""
    X, y, w = table(loss, shape)
    alpha = 0.05
    for form in (X, sparse.csr_array(X)):
        for weights in (None, w):
            model = model_for(loss, penalty, alpha).fit(form, y, sample_weight=weights)
            given = np.ones(len(y)) if weights is None else w
            assert violation(model, loss, X, y, given, alpha, ratio) < 1e-7
            assert model.gap_ <= 1e-10


@pytest.mark.parametrize("loss", ["squared", "logistic", "poisson"])
def test_without_standardisation_and_with_factors(loss):
    """Penalty factors and raw units must enter the conditions as they are given; a factor of 0 leaves a column free."""
    X, y, _ = table(loss, (120, 10), seed=3)
    factors = np.linspace(0.5, 2, 10)
    factors[5] = 0
    for standardize in (True, False):
        model = model_for(loss, "lasso", 0.04, standardize=standardize, penalty_factors=factors).fit(X, y)
        assert violation(model, loss, X, y, np.ones(len(y)), 0.04, 1.0, standardize, factors) < 2e-6
        assert model.coef_.ravel()[5] != 0


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_without_an_intercept(loss):
    """Without an intercept nothing is centred and the prediction at 0 is 0."""
    X, y, _ = table(loss, (120, 10), seed=4)
    model = model_for(loss, "lasso", 0.03, fit_intercept=False, standardize=False).fit(X, y)
    assert np.all(model.intercept_ == 0)
    coef = np.atleast_2d(model.coef_).T
    score = -X.T @ slope(loss, X @ coef, y, 1.0) / len(y)
    breach = np.where(coef != 0, np.abs(score - 0.03 * np.sign(coef)), np.maximum(np.abs(score) - 0.03, 0))
    assert breach.max() < 2e-6


def test_group_penalty_takes_a_column_whole():
    """All indicators of a column are in or out together, and the group conditions hold."""
    import pandas as pd

    rng = np.random.default_rng(0)
    n = 300
    levels = rng.choice(list("abcd"), size=n)
    frame = pd.DataFrame({"g": levels, "h": rng.choice(list("uvw"), size=n), "x": rng.normal(size=n)})
    y = (levels == "a") * 2.0 - (levels == "c") + 0.5 * frame["x"].to_numpy() + 0.3 * rng.normal(size=n)
    for alpha in (0.05, 0.2):
        model = LinearRegressor(alpha=alpha, group=True).fit(frame, y)
        Z = np.column_stack([levels == v for v in "abcd"] + [frame["h"] == v for v in "uvw"] + [frame["x"]]).astype(
            float
        )
        scale = Z.std(axis=0)
        Z = (Z - Z.mean(axis=0)) / scale
        beta = model.coef_ * scale
        score = Z.T @ (y - model.predict(frame)) / n
        for group in (slice(0, 4), slice(4, 7), slice(7, 8)):
            size, limit = np.linalg.norm(beta[group]), alpha * np.sqrt(len(beta[group]))
            if size > 0:
                np.testing.assert_allclose(score[group], limit * beta[group] / size, atol=1e-5)
                assert np.all(beta[group] != 0)
            else:
                assert np.linalg.norm(score[group]) <= limit + 1e-6
    assert "h" not in model.selected_columns_


@pytest.mark.parametrize("loss", ["squared", "huber", "logistic"])
@pytest.mark.parametrize("penalty", ["lasso", "ridge", "subset"])
@pytest.mark.parametrize("tiny", [0.0, 1e-320, 1e-200])
def test_folds_without_weight(loss, penalty, tiny):
    """A fold whose rows weigh nothing was divided by 0: warnings of NumPy, an IndexError, or a NaN."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=40)
    model = LinearClassifier(penalty, cv=4) if loss == "logistic" else LinearRegressor(penalty, loss=loss, cv=4)
    target = y > 0 if loss == "logistic" else y
    weights = np.where(np.arange(40) < 20, tiny, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TamisWarning)
        warnings.simplefilter("error", RuntimeWarning)
        assert np.isfinite(model.fit(X, target, sample_weight=weights).predict(X)).all()
        weights = np.full(40, tiny)
        weights[[int(np.argmin(y)), int(np.argmax(y))] if loss == "logistic" else [5]] = 1.0
        with pytest.raises(ParameterError, match="no fold of cv has enough of them in training and test"):
            model.fit(X, target, sample_weight=weights)
