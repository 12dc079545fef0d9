"""Compiled paths: every strength within its gap, folds equal refits, threads and column order change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.model_selection import KFold, StratifiedKFold

from tamis import LinearClassifier, LinearRegressor, _core
from tamis.linear.fit import Job, path_of
from tamis.linear.losses.logistic import Logistic
from tamis.linear.losses.squared import Squared
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.standardized import StandardizedColumns

SHAPES = {"wide": (40, 150), "square": (60, 60), "tall": (1200, 25)}  # the last keeps a Hessian for two classes


def table(shape, classes, seed=0):
    """Correlated columns, one repeated, one constant, one with a large mean; a target of either kind; weights."""
    n, p = shape
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 3, size=p)
    X[:, 1:] += 0.5 * X[:, :-1]
    X[:, 3], X[:, 4], X[:, 5] = X[:, 1], 1.0, X[:, 5] + 1e4
    eta = X[:, :3] @ [0.5, -0.5, 0.4]
    y = eta + rng.normal(size=n)
    return X, (y > 0).astype(float) if classes else y, np.where(rng.random(n) < 0.1, 0.0, rng.uniform(0.2, 2, size=n))


def gap(X, y, w, coef, intercept, alpha, ratio, classes, standardize, centred):
    """Relative duality gap from the definitions: primal value less the best dual value along the residuals."""
    w = w / w.sum()
    mean = w @ X if centred else np.zeros(X.shape[1])
    spread = np.sqrt(w @ (X - w @ X) ** 2)
    alive = spread > 1e-9
    scale = np.where(alive, spread, 1.0) if standardize else np.ones(X.shape[1])
    beta, eta = coef * scale, X @ coef + intercept
    base = w @ y if centred else (0.5 if classes else 0.0)
    if classes:
        residual, value = w * (y - 1 / (1 + np.exp(-eta))), w @ (np.logaddexp(0, eta) - y * eta)
        null = -(base * np.log(base) + (1 - base) * np.log(1 - base))
    else:
        residual, value, null = w * (y - eta), 0.5 * w @ (y - eta) ** 2, 0.5 * w @ (y - base) ** 2
    assert abs(residual.sum()) < 1e-8 or not centred
    score = ((X - mean) / scale).T @ residual
    score[~alive] = 0 if centred else score[~alive]
    l1, l2 = alpha * ratio, alpha * (1 - ratio)
    share = 1.0 if l2 > 0 else min(1.0, l1 / np.abs(score).max())
    held = (np.maximum(np.abs(score) - l1, 0) ** 2).sum() / (2 * l2) if l2 > 0 else 0.0
    each = np.divide(share * residual, w, out=np.zeros_like(w), where=w > 0)
    if classes:
        q = np.clip(y - each, 1e-300, 1 - 1e-16)
        conjugate = q * np.log(q) + (1 - q) * np.log(1 - q)
    else:
        conjugate = 0.5 * each**2 - each * y
    return (value + l1 * np.abs(beta).sum() + 0.5 * l2 * beta @ beta + w @ conjugate + held) / null


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("classes", [False, True], ids=["squared", "logistic"])
@pytest.mark.parametrize("ratio", [1.0, 0.4])
def test_every_strength_of_a_path_is_within_its_gap(shape, classes, ratio):
    """A bound that spares a column that should enter would leave a gap larger than promised."""
    _, y, w = table(shape, classes)
    for weights in (np.ones(len(y)), w):
        X, _, _ = table(shape, classes)
        for standardize, centred in ((True, True), (False, True), (True, False)):
            loss, penalty = Logistic(y) if classes else Squared(y), Penalty(ratio, np.ones(shape[1]))
            if not centred:  # a mean of 10,000 would leave no other column
                X[:, 5] -= X[:, 5].mean()
            job = Job(X, loss, weights, penalty, standardize, centred)
            path = path_of(job, None, 30)
            assert len(path.alphas) > 15
            for alpha, coef, intercept in zip(path.alphas, path.coef[:, :, 0], path.intercept[:, 0]):
                assert coef[4] == 0 or not centred, "a column that does not vary has a coefficient"
                reached = gap(X, y, weights, coef, intercept, alpha, ratio, classes, standardize, centred)
                assert reached <= 1.01e-5
            assert np.count_nonzero(path.coef[-1]) > 3


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("classes", [False, True], ids=["squared", "logistic"])
def test_errors_over_folds_are_those_of_refitted_models(shape, classes):
    """Folds share columns and Hessians: a trace of held-out rows in a fit would change its error."""
    X, y, w = table(shape, classes, seed=1)
    w = w + 0.1
    splitter = (StratifiedKFold if classes else KFold)(3, shuffle=True, random_state=0)
    splits = list(splitter.split(X, y))
    Model = LinearClassifier if classes else LinearRegressor
    model = Model(cv=splits, n_alphas=12, tol=1e-10).fit(X, y, sample_weight=w)
    for a in (2, 6):
        errors, sizes = [], []
        for train, test in splits:
            part = Model(alpha=model.path_.alphas[a]).fit(X[train], y[train], sample_weight=w[train])
            share = w[test] / w[test].sum()
            eta = X[test] @ np.ravel(part.coef_) + np.ravel(part.intercept_)[0]
            each = np.logaddexp(0, eta) - y[test] * eta if classes else (y[test] - eta) ** 2
            errors.append(share @ each)
            sizes.append(w[test].sum())
        np.testing.assert_allclose(model.path_.cv_mean[a], np.average(errors, weights=sizes), rtol=1e-8)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("classes", [False, True], ids=["squared", "logistic"])
def test_threads_and_column_order_change_nothing(shape, classes):
    """The bits must not depend on n_jobs, nor the answer on the order of the columns."""
    import pandas as pd

    X, y, _ = table(shape, classes, seed=2)
    frame = pd.DataFrame(X, columns=[f"c{j:03d}" for j in range(shape[1])])
    Model = LinearClassifier if classes else LinearRegressor
    one, two = Model(cv=3, n_jobs=1).fit(frame, y), Model(cv=3, n_jobs=2).fit(frame, y)
    np.testing.assert_array_equal(one.path_.coef, two.path_.coef)
    np.testing.assert_array_equal(one.path_.cv_mean, two.path_.cv_mean)
    np.testing.assert_array_equal(one.coef_, two.coef_)
    turned = Model(cv=3).fit(frame[frame.columns[::-1]], y)
    np.testing.assert_array_equal(np.ravel(turned.coef_)[::-1], np.ravel(one.coef_))


def test_columns_are_in_the_units_of_every_weighting():
    """A fold's own standardised columns must have mean 0 and length 1 on its training rows, whatever their mean."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6)) + np.array([0, 1e6, 0, 0, 0, 0])
    X[:, 2], X[:, 3] = 7.0, np.r_[5.0, np.zeros(49)]  # constant everywhere; constant without the first row
    weights = np.ones((50, 2))
    weights[0, 1] = 0
    weights /= weights.sum(axis=0)
    columns = StandardizedColumns.of(X, weights, standardize=True, centred=True)
    for f in range(2):
        own = (columns.Z - columns.centres[:, [f]]) * columns.inverses[:, [f]]
        varies = columns.inverses[:, f] > 0
        np.testing.assert_array_equal(np.flatnonzero(~varies), [2] if f == 0 else [2, 3])
        np.testing.assert_allclose(own @ weights[:, f], 0, atol=1e-8)
        np.testing.assert_allclose((own**2 @ weights[:, f])[varies], 1, rtol=1e-8)
        np.testing.assert_allclose(columns.norms[varies, f], 1, rtol=1e-8)


def test_a_path_on_normal_equations_is_exact_for_orthogonal_columns():
    """With orthogonal columns the lasso is soft thresholding, whatever the solver does."""
    c = np.array([3.0, -2.0, 0.5, 0.0])
    alphas = np.array([2.5, 1.0, 0.1])
    out, gaps = np.empty((1, 3, 4)), np.empty((1, 3))
    _core.gram_paths(
        [np.eye(4)],
        [c],
        np.array([20.0]),
        np.ones(4),
        np.zeros(4),
        np.zeros(0, np.int64),
        np.zeros(0),
        alphas,
        1e-13,
        out,
        gaps,
        1,
    )
    np.testing.assert_allclose(out[0], np.sign(c) * np.maximum(np.abs(c) - alphas[:, None], 0), atol=1e-12)
    assert gaps.max() <= 1e-12


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_a_dense_table_of_zeros_is_fitted_as_its_entries(loss: str) -> None:
    """A table read by its entries must have its optimum: gradients within the penalty, equal to it where used."""
    rng = np.random.default_rng(5)
    X = rng.poisson(0.04, size=(600, 400)) * rng.uniform(0.5, 3, 400)
    y = (X[:, :15].sum(axis=1) + 0.3 * rng.normal(size=600) > 0.8).astype(int)
    model = LinearClassifier("lasso", alpha=0.01, loss=loss).fit(X, y)
    eta, side = X @ model.coef_[0] + model.intercept_[0], 2 * y - 1
    slope = 1 / (1 + np.exp(-eta)) - y if loss == "logistic" else -2 * side * np.maximum(0, 1 - side * eta)
    gradient = slope @ (X - X.mean(axis=0)) / X.std(axis=0) / len(y)
    assert 5 < np.count_nonzero(model.coef_) < 200
    assert np.abs(gradient).max() <= 0.01 * (1 + 1e-6)
    used = model.coef_[0] != 0
    assert np.allclose(gradient[used], -0.01 * np.sign(model.coef_[0, used]), atol=1e-7)
    assert np.allclose(model.coef_, LinearClassifier("lasso", alpha=0.01, loss=loss).fit(csr_array(X), y).coef_)


def test_a_ridge_path_ends_after_its_best() -> None:
    """Strengths far below the best cost most of the time; what is chosen is the best of the whole grid."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(90, 200))
    y = (X[:, :5].sum(axis=1) + rng.normal(size=90) > 0).astype(int)
    ended = LinearClassifier("ridge", rule="min", cv=5).fit(X, y)
    assert 50 < len(ended.path_.alphas) <= 100
    best = int(ended.path_.cv_mean.argmin())
    assert best < len(ended.path_.alphas) - 1
    assert ended.alpha_ == ended.path_.alphas[best]
