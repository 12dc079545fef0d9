"""The group lasso of one linear predictor: optimality conditions by group for every loss, by moments and by rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tamis import LinearClassifier, LinearRegressor


def data(n=400, columns=8, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({f"c{j}": pd.Categorical(rng.choice(list("abcd"), n)) for j in range(columns)})
    frame["x"] = rng.normal(size=n)
    eta = np.where(frame["c0"] == "a", 1.0, 0.0) - np.where(frame["c1"] == "b", 1.0, 0.0) + 0.7 * frame["x"]
    return frame, eta.to_numpy() + 0.5 * rng.normal(size=n)


def target(loss, eta):
    if loss == "poisson":
        return np.random.default_rng(1).poisson(np.exp(0.5 * eta))
    return (eta > 0).astype(int) if loss in ("logistic", "squared_hinge") else eta


def slope(loss, eta, y, width):
    """Minus the derivative of the loss."""
    if loss == "squared":
        return y - eta
    if loss == "huber":
        return np.clip(y - eta, -width, width)
    if loss == "poisson":
        return y - np.exp(eta)
    if loss == "logistic":
        return y - 1 / (1 + np.exp(-eta))
    side = 2 * y - 1
    return 2 * side * np.maximum(0, 1 - side * eta)


@pytest.mark.parametrize("shape", [(400, 8), (60, 40)], ids=["tall", "wide"])
@pytest.mark.parametrize("loss", ["squared", "poisson", "huber", "logistic", "squared_hinge"])
def test_a_group_is_in_or_out_as_a_whole(loss, shape):
    """|gradient of a group| is at most α√size where it is out; where it is in, the gradient points along it."""
    frame, eta = data(*shape)
    y = target(loss, eta)
    kind = LinearClassifier if loss in ("logistic", "squared_hinge") else LinearRegressor
    model = kind(loss=loss, group=True, alpha=0.08).fit(frame, y)
    assert model.gap_ <= 1e-10
    X = np.asarray(encode(model, frame))
    coef, intercept = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    spread = 1.4826 * np.median(np.abs(y - np.median(y))) if loss == "huber" else 1.0
    residual = slope(loss, X @ coef + intercept, y, 1.35 * spread) / len(y)
    mean, scale = X.mean(axis=0), X.std(axis=0)
    score, beta = ((X - mean) / scale).T @ residual, coef * scale
    groups, used = model.inputs_.encoding.groups, 0
    for j in np.unique(groups):
        inside = groups == j
        limit = 0.08 * np.sqrt(inside.sum())
        if beta[inside].any():
            used += 1
            expected = limit * beta[inside] / np.linalg.norm(beta[inside])
            np.testing.assert_allclose(score[inside], expected, atol=1e-6)
        else:
            assert np.linalg.norm(score[inside]) <= limit * (1 + 1e-6)
    assert 0 < used < len(np.unique(groups))


def encode(model, frame):
    from tamis.table import features

    return model.inputs_.read(features(model, frame, reset=False, sparse_ok=True))
