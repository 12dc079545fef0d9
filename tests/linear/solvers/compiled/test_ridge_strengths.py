"""Ridge fits of wide tables with many rows: several strengths at once, by conjugate gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tamis.linear import LinearClassifier, LinearRegressor

ROWS, COLUMNS = 150, 400


def _table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of unlike scales, a linear predictor, and weights of the rows."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(ROWS, COLUMNS)) * rng.uniform(0.1, 10, COLUMNS) + rng.normal(size=COLUMNS)
    eta = (X[:, :20] - X[:, :20].mean(axis=0)) @ (rng.normal(size=20) / X[:, :20].std(axis=0)) / 3
    return X, eta, rng.uniform(0.5, 2, ROWS)


def _derivative(loss: str, y: np.ndarray, eta: np.ndarray) -> np.ndarray:
    """The derivative of every row's loss by its linear predictor, as the textbooks have it."""
    if loss == "logistic":
        return np.asarray(1 / (1 + np.exp(-eta)) - y)
    if loss == "squared_hinge":
        side = 2 * y - 1
        return np.asarray(-2 * side * np.maximum(0, 1 - side * eta))
    if loss == "poisson":
        return np.asarray(np.exp(eta) - y)
    return np.clip(eta - y, -1.35, 1.35)


def _model(loss: str, **settings: Any) -> Any:
    kind = LinearClassifier if loss in ("logistic", "squared_hinge") else LinearRegressor
    return kind("ridge", loss=loss, **settings)


def _target(loss: str, eta: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(4)
    if loss in ("logistic", "squared_hinge"):
        return np.asarray(rng.random(ROWS) < 1 / (1 + np.exp(-2 * eta))).astype(int)
    return rng.poisson(np.exp(0.4 * eta)).astype(float) if loss == "poisson" else eta + rng.standard_t(2, ROWS)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "poisson"])
@pytest.mark.parametrize("alpha", [0.001, 0.1, 30.0])
def test_the_gradient_is_the_penalty_of_the_coefficients(loss: str, alpha: float, intercept: bool) -> None:
    """At the optimum the mean loss's gradient by each standardised column is -alpha times its coefficient."""
    X, eta, w = _table()
    y = _target(loss, eta)
    model = _model(loss, alpha=alpha, fit_intercept=intercept).fit(X, y, sample_weight=w)
    coef, b = model.coef_.reshape(-1), float(np.reshape(model.intercept_, -1)[0])
    w = w / w.sum()
    left = w * _derivative(loss, y, X @ coef + b)
    centre = w @ X
    scale = np.sqrt(w @ (X - centre) ** 2)
    found = left @ (X - centre * intercept) / scale + alpha * coef * scale
    assert np.abs(found).max() < 1e-6 * max(1.0, np.abs(alpha * coef * scale).max())
    assert (b == 0) if not intercept else abs(left.sum()) < 1e-8


def test_a_path_is_that_of_single_fits() -> None:
    """Strengths solved together would be wrong if they shared anything but the table.

    The objective is strongly convex: coefficients with a duality gap g are within sqrt(2 g / alpha) of the optimum.
    """
    X, eta, _ = _table()
    y = _target("logistic", eta)
    path = _model("logistic", alpha="cv", cv=3, n_alphas=25).fit(X, y).path_
    for place in (3, 12, len(path.alphas) - 1):
        alone = _model("logistic", alpha=float(path.alphas[place])).fit(X, y)
        apart = (path.coef[place][:, 0] - alone.coef_.reshape(-1)) * X.std(axis=0)
        assert np.linalg.norm(apart) <= np.sqrt(2 * 1e-5 * np.log(2) / path.alphas[place])


def test_held_out_rows_do_not_touch_a_fold() -> None:
    """The errors of the folds come from models that never saw the rows they are judged on."""
    X, eta, _ = _table()
    y = _target("logistic", eta)
    folds = [(np.arange(50, ROWS), np.arange(50)), (np.r_[:50, 100:ROWS], np.arange(50, 100))]
    model = _model("logistic", alpha="cv", cv=folds, n_alphas=10).fit(X, y)
    changed = X.copy()
    changed[:50] *= -3.0
    other = _model("logistic", alpha="cv", cv=folds, n_alphas=10).fit(changed, y)
    train, test = folds[0]
    for fitted, rows in ((model, X), (other, changed)):
        place = 5
        alone = _model("logistic", alpha=float(fitted.path_.alphas[place])).fit(rows[train], y[train])
        p = alone.predict_proba(rows[test])[np.arange(50), y[test]]
        assert np.isclose(fitted.path_.fold_errors[0, place], -np.log(p).mean(), rtol=1e-3)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_change_no_bit(n_jobs: int) -> None:
    """A fit that depends on the number of threads cannot be repeated elsewhere."""
    X, eta, _ = _table()
    y = _target("logistic", eta)
    fitted = [_model("logistic", cv=3, n_alphas=10, n_jobs=jobs).fit(X, y).coef_ for jobs in (None, n_jobs)]
    assert np.array_equal(*fitted)
