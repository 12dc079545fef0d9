"""The compiled path of one linear predictor: every loss within its gap, dense and sparse, in any units of y."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import brentq

from tamis import LinearClassifier, LinearRegressor
from tamis.linear.fit import Job, path_of, solution_at
from tamis.linear.losses.huber import Huber
from tamis.linear.losses.logistic import Logistic
from tamis.linear.losses.poisson import Poisson
from tamis.linear.losses.squared import Squared
from tamis.linear.losses.squared_hinge import SquaredHinge
from tamis.linear.penalties.elastic_net import Penalty

LOSSES = ["logistic", "squared_hinge", "poisson", "huber"]
SHAPES = {"wide": (40, 150), "tall": (300, 25)}


def table(loss, shape, seed=0):
    """Columns with many zeros, one repeated, one constant; a target of the loss' kind; weights, some of them 0."""
    n, p = shape
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 3, size=p)
    X[rng.random(X.shape) < 0.6] = 0.0
    X[:, 3], X[:, 4] = X[:, 1], 1.0
    eta = X[:, :3] @ [0.5, -0.5, 0.4] + 0.3 * rng.normal(size=n)
    w = np.where(rng.random(n) < 0.1, 0.0, rng.uniform(0.2, 2, size=n))
    if loss == "huber":
        return X, Huber(eta + 5 * (rng.random(n) < 0.05), width=0.7), w
    if loss == "poisson":
        return X, Poisson(rng.poisson(np.exp(eta)).astype(float), rng.normal(size=n)), w
    kind = {"logistic": Logistic, "squared_hinge": SquaredHinge, "squared": Squared}[loss]
    return X, kind(eta if loss == "squared" else (eta + rng.normal(size=n) > 0).astype(float)), w


def gap(job, coef, intercept, alpha):
    """Relative duality gap from the definitions: primal value less the dual value at the residuals, shrunk."""
    X, loss, w = job.X, job.loss, job.weights / job.weights.sum()
    X = X.toarray() if sparse.issparse(X) else X
    mean, spread = w @ X, np.sqrt(w @ (X - w @ X) ** 2)
    alive, centred = spread > 1e-12, job.fit_intercept
    scale = np.where(alive, spread, 1.0) if job.standardize else np.ones(len(mean))
    offset = np.zeros((len(w), 1)) if loss.offset is None else loss.offset
    eta = (X @ coef + intercept)[:, None] + offset
    residual = loss.residual(eta)
    assert abs(w @ residual[:, 0]) < 1e-7 or not centred
    score = ((X - mean if centred else X) / scale).T @ (w * residual[:, 0])
    score[~alive] = 0 if centred else score[~alive]
    l1, l2 = job.penalty.at(alpha)
    share = 1.0 if l2.any() else min(1.0, float(np.min(l1 / np.maximum(np.abs(score), 1e-300))))
    held = (np.maximum(np.abs(score) - l1, 0) ** 2 / (2 * l2)).sum() if l2.any() else 0.0
    beta = coef * scale
    conjugate = loss.conjugate(share * residual) + share * (residual * offset)[:, 0]
    floor = -w @ loss.conjugate(np.zeros_like(residual))
    base = offset + (brentq(lambda b: w @ loss.residual(offset + b)[:, 0], -50, 50) if centred else 0.0)
    null = w @ loss.value(base) - floor
    return (w @ loss.value(eta) + l1 @ np.abs(beta) + 0.5 * l2 @ beta**2 + w @ conjugate + held) / null


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("loss", [*LOSSES, "squared"])
@pytest.mark.parametrize("ratio", [1.0, 0.4, 0.0])
def test_every_strength_of_a_path_is_within_its_gap(loss, shape, ratio):
    """A wrong residual, conjugate or centring would leave a gap larger than promised, on dense or on sparse columns."""
    X, given, w = table(loss, shape)
    penalty = Penalty(ratio, np.linspace(0.5, 2, shape[1]))
    for form in (X, sparse.csr_array(X)):
        for standardize, centred in ((True, True), (False, True), (True, False)):
            job = Job(form, given, w, penalty, standardize, centred)
            path = path_of(job, None, 20)
            for alpha, coef, intercept in zip(path.alphas, path.coef[:, :, 0], path.intercept[:, 0]):
                assert coef[4] == 0 or not centred, "a column that does not vary has a coefficient"
                assert gap(job, coef, intercept, alpha) <= 1.05e-5
            assert np.count_nonzero(path.coef[-1]) > 3


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("ratio", [1.0, 0.0])
def test_errors_of_folds_are_those_of_exact_models(loss, shape, ratio):
    """Folds share columns and Hessians: a trace of held-out rows in a fit would change its error."""
    X, given, w = table(loss, shape, seed=3)
    rows = np.arange(len(w)) % 3
    splits = [(np.flatnonzero(rows != f), np.flatnonzero(rows == f)) for f in range(3)]
    job = Job(X, given, w, Penalty(ratio, np.ones(shape[1])), True, True, tol=1e-9)
    path = path_of(job, splits, 12)
    for a in (1, 4):
        for f, (train, test) in enumerate(splits):
            alone = replace(job, weights=np.where(np.isin(np.arange(len(w)), train), w, 0.0))
            model = solution_at(alone, float(path.alphas[a]))
            held = given.take(test)
            eta = (X[test] @ model.coef[:, 0] + model.intercept[0])[:, None]
            eta = eta if held.offset is None else eta + held.offset
            error = w[test] @ held.value(eta) / w[test].sum()
            assert path.fold_errors[f, a] == pytest.approx(error, rel=5e-5)
    for form in (X, sparse.csr_array(X)):
        kept = solution_at(replace(job, X=form), float(path.alphas[5]))
        assert abs(gap(job, kept.coef[:, 0], kept.intercept[0], kept.alpha)) <= 1e-10
        np.testing.assert_allclose(X @ kept.coef[:, 0], X @ path.coef[5, :, 0], atol=2e-3)


@pytest.mark.parametrize("loss", ["poisson", "huber"])
@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_units_of_the_target_change_nothing(loss, scale):
    """Tolerances that depend on the units of the target would stop too early or never."""
    X, given, _ = table(loss, (200, 20), seed=1)
    one, other = (
        LinearRegressor(loss=loss, rule="min", cv=4).fit(X, y) for y in (given.y[:, 0], scale * given.y[:, 0])
    )
    assert other.alpha_ == pytest.approx(scale * one.alpha_, rel=1e-6)
    factor = scale if loss == "huber" else 1.0
    np.testing.assert_allclose(X @ other.coef_, factor * X @ one.coef_, rtol=1e-5, atol=1e-6 * factor)  # one repeats


@pytest.mark.parametrize("loss", LOSSES)
def test_threads_change_no_bit(loss):
    """Folds share a Hessian; which thread computes what must not matter, dense or sparse."""
    for shape in SHAPES.values():
        X, given, _ = table(loss, shape, seed=2)
        for form in (X, sparse.csr_array(X)):
            kind = LinearRegressor if loss in ("poisson", "huber") else LinearClassifier
            y = given.y[:, 0] if kind is LinearRegressor else given.y[:, 0].astype(int)
            one, two = (kind(loss=loss, cv=3, n_alphas=20, n_jobs=jobs).fit(form, y) for jobs in (1, 2))
            np.testing.assert_array_equal(one.path_.coef, two.path_.coef)
            np.testing.assert_array_equal(one.path_.cv_mean, two.path_.cv_mean)
            np.testing.assert_array_equal(one.coef_, two.coef_)
