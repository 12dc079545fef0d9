"""Coefficients of one sign: optimality conditions, SciPy's answer, what is refused; the sign itself is exact."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from tamis import LinearClassifier, LinearRegressor
from tamis.errors import ParameterError

SIDES = {"a": 1, "b": -1, "c": 1, "d": -1}
PENALTIES = [(None, 0.0, 1.0), ("ridge", 0.05, 0.0), ("lasso", 0.03, 1.0), ("elastic-net", 0.04, 0.5)]


def _table(n: int = 120, seed: int = 0, p: int = 7) -> tuple[pd.DataFrame, np.ndarray]:
    """Correlated columns, half of them of the sign that is not allowed."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.4 * rng.normal(size=(p, p)))
    eta = X @ np.resize([1.0, 0.8, -0.7, 0.5, 0.0, -0.6, 0.3], p)
    return pd.DataFrame(X, columns=[*"abcdefghijklmnop"][:p]), eta + rng.logistic(size=n)


def _target(loss: str, eta: np.ndarray) -> np.ndarray:
    if loss == "squared":
        return eta
    if loss == "poisson":
        return np.random.default_rng(1).poisson(np.exp(0.3 * eta)).astype(float)
    return np.where(eta > 0, 1.0, 0.0)


def _value(loss: str, y: np.ndarray, eta: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean loss and its derivative by each linear predictor."""
    n = len(y)
    if loss == "squared":
        return float(0.5 * np.mean((y - eta) ** 2)), (eta - y) / n
    if loss == "poisson":
        return float(np.mean(np.exp(eta) - y * eta)), (np.exp(eta) - y) / n
    return float(np.mean(np.logaddexp(0, eta) - y * eta)), (expit(eta) - y) / n


def _fitted(loss: str, penalty, alpha: float, frame: pd.DataFrame, y: np.ndarray, **more):
    kind = LinearClassifier if loss == "logistic" else LinearRegressor
    strength = {} if penalty is None else {"alpha": alpha}
    return kind(penalty, loss=loss, monotone=SIDES, **strength, **more).fit(frame, y)


def _coef(model) -> np.ndarray:
    return np.atleast_2d(model.coef_)[0]


def _by_scipy(loss, alpha, ratio, X, y, sides) -> float:
    """The least objective of standardised columns, positive and negative parts apart, by L-BFGS-B."""
    p = X.shape[1]

    def objective(v):
        beta = v[:p] - v[p : 2 * p]
        value, by_eta = _value(loss, y, X @ beta + v[-1])
        gradient = X.T @ by_eta + alpha * (1 - ratio) * beta
        value += alpha * ratio * v[: 2 * p].sum() + 0.5 * alpha * (1 - ratio) * beta @ beta
        return value, np.concatenate([gradient + alpha * ratio, alpha * ratio - gradient, [by_eta.sum()]])

    bounds = [(0, 0 if side < 0 else None) for side in sides] + [(0, 0 if side > 0 else None) for side in sides]
    options = {"maxiter": 20_000, "ftol": 1e-15, "gtol": 1e-10, "maxfun": 100_000}
    made = minimize(
        objective, np.zeros(2 * p + 1), jac=True, method="L-BFGS-B", bounds=[*bounds, (None, None)], options=options
    )
    return float(made.fun)


@pytest.mark.parametrize("loss", ["squared", "logistic", "poisson"])
@pytest.mark.parametrize(("penalty", "alpha", "ratio"), PENALTIES)
def test_the_solution_is_optimal_and_no_worse_than_scipys(loss, penalty, alpha, ratio):
    """Karush, Kuhn and Tucker: a gradient may be left over only where it points out of the allowed side."""
    frame, eta = _table()
    y = _target(loss, eta)
    model = _fitted(loss, penalty, alpha, frame, y)
    X = (frame - frame.mean()) / frame.std(ddof=0)
    beta = _coef(model) * frame.std(ddof=0).to_numpy()
    intercept = np.atleast_1d(model.intercept_)[0] + _coef(model) @ frame.mean().to_numpy()
    value, by_eta = _value(loss, y, X.to_numpy() @ beta + intercept)
    gradient = X.to_numpy().T @ by_eta + alpha * (1 - ratio) * beta
    sides = np.array([SIDES.get(name, 0) for name in frame.columns])
    l1 = alpha * ratio
    assert np.all(sides * beta >= 0)
    used = beta != 0
    assert np.any(~used & (sides != 0))  # the bound matters
    np.testing.assert_allclose(gradient[used], -l1 * np.sign(beta[used]), atol=2e-6)
    rest = ~used
    assert np.all(gradient[rest & (sides >= 0)] >= -l1 - 2e-6)
    assert np.all(gradient[rest & (sides <= 0)] <= l1 + 2e-6)
    objective = value + l1 * np.abs(beta).sum() + 0.5 * alpha * (1 - ratio) * beta @ beta
    assert objective <= _by_scipy(loss, alpha, ratio, X.to_numpy(), y, sides) + 1e-9


@pytest.mark.parametrize("loss", ["squared", "logistic", "huber", "squared_hinge", "cumulative_logit"])
@pytest.mark.parametrize("penalty", [None, "ridge", "lasso", "elastic-net"])
def test_the_sign_is_exact_where_folds_choose(loss, penalty):
    """No pair of rows that differ in one column alone is predicted the wrong way round, for any loss and penalty."""
    for n, p in ((60, 7), (40, 60)):
        rng = np.random.default_rng(n)
        X = pd.DataFrame(rng.normal(size=(n, p)), columns=[f"x{j}" for j in range(p)])
        eta = X.to_numpy()[:, :5] @ [1.0, -1.0, 1.0, -1.0, 0.5] + 0.5 * rng.normal(size=n)
        kind = LinearRegressor if loss in ("squared", "huber") else LinearClassifier
        y = eta if kind is LinearRegressor else np.digitize(eta, (-1, 1)) if loss == "cumulative_logit" else eta > 0
        sides = {"x0": -1, "x1": -1, "x2": 1, "x3": 1, "x4": 0}
        if penalty is None and p > n:
            continue  # no unpenalised optimum
        model = kind(penalty, loss=loss, monotone=sides, cv=3, n_alphas=30).fit(X, y)
        coef = _coef(model)
        assert coef[0] <= 0
        assert coef[1] <= 0
        assert coef[2] >= 0
        assert coef[3] >= 0
        if model.path_ is not None:
            assert np.all(model.path_.coef[:, 2:4] >= 0)
            assert np.all(model.path_.coef[:, :2] <= 0)


def test_a_bound_that_does_not_bind_changes_nothing():
    """The same optimum must come back where the signs are right anyway."""
    frame, eta = _table()
    free = LinearRegressor("lasso", alpha=0.05).fit(frame, eta)
    sides = {name: int(np.sign(c)) for name, c in zip(frame.columns, free.coef_) if c}
    bound = LinearRegressor("lasso", alpha=0.05, monotone=sides).fit(frame, eta)
    np.testing.assert_allclose(bound.coef_, free.coef_, atol=1e-9)
    ridge = LinearRegressor("ridge", alpha=0.05).fit(frame, eta)
    sides = {name: int(np.sign(c)) for name, c in zip(frame.columns, ridge.coef_)}
    np.testing.assert_allclose(
        LinearRegressor("ridge", alpha=0.05, monotone=sides).fit(frame, eta).coef_, ridge.coef_, atol=1e-7
    )


def test_wide_tables_are_optimal():
    """Columns that outnumber rows are screened: a column on its wrong side must neither enter nor stop the path."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(50, 300)), rng.normal(size=50)
    y = y + X[:, :3] @ [2.0, -2.0, 1.0]
    sides = {f"x{j}": 1 for j in range(150)}
    for target, kind, loss in ((y, LinearRegressor, "squared"), (y > 0, LinearClassifier, "logistic")):
        model = kind("lasso", alpha=0.1, monotone=sides, standardize=False).fit(X, target)
        coef = _coef(model)
        _, by_eta = _value(loss, target.astype(float), X @ coef + np.atleast_1d(model.intercept_)[0])
        gradient = X.T @ by_eta
        assert np.all(coef[:150] >= 0)
        assert np.all(gradient[:150] >= -0.1 - 1e-6)
        assert np.all(np.abs(gradient[150:]) <= 0.1 + 1e-6)
        np.testing.assert_allclose(gradient[coef != 0], -0.1 * np.sign(coef[coef != 0]), atol=1e-6)


def test_saved_models_keep_it():
    """A copy that forgot its signs would be refitted without them."""
    frame, eta = _table()
    model = LinearRegressor("lasso", alpha=0.1, monotone=SIDES).fit(frame, eta)
    again = LinearRegressor.from_dict(json.loads(json.dumps(model.to_dict())))
    assert again.monotone == SIDES
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"monotone": {"z": 1}}, "'z', which the table does not have"),
        ({"monotone": {"a": 2}}, r"monotone\['a'\]=2"),
        ({"monotone": [1]}, "give a dict column"),
        ({"monotone": {"sex": 1}}, "'sex', which holds categories"),
        ({"monotone": {"a": 1}, "penalty": "subset"}, "bounds the signs of coefficients"),
        ({"monotone": {"a": 1}, "relax": "cv"}, "bounds the signs of coefficients"),
        ({"monotone": {"a": 1}, "group": True}, "bounds the signs of coefficients"),
    ],
)
def test_what_cannot_be_bound_is_refused(given, says):
    """A constraint that is dropped in silence would be believed."""
    frame, eta = _table()
    frame = frame.assign(sex=np.resize(["f", "m"], len(frame)))
    with pytest.raises(ParameterError, match=says):
        LinearRegressor(**given).fit(frame, eta)


def test_several_classes_and_targets_are_refused():
    """With three classes no single answer rises."""
    frame, eta = _table()
    with pytest.raises(ParameterError, match="3 classes"):
        LinearClassifier(monotone={"a": 1}).fit(frame, np.digitize(eta, (-1, 1)))
    with pytest.raises(ParameterError, match="2 columns"):
        LinearRegressor("ridge", monotone={"a": 1}).fit(frame, np.column_stack([eta, eta]))
