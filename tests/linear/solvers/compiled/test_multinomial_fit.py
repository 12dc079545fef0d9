"""The compiled path of three classes or more: every strength within its gap, folds equal refits, odd tables hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.special import log_softmax, softmax, xlogy
from sklearn.model_selection import StratifiedKFold

from tamis import LinearClassifier
from tamis.linear.fit import Job, path_of, solution_at
from tamis.linear.losses.logistic import Multinomial
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.compiled.path_fit import path_fits

SHAPES = {"wide": (50, 120), "small": (80, 9), "shared": (700, 40)}  # the last has one Hessian for all folds


def table(shape, K=4, seed=0):
    """Correlated columns, one repeated, one constant, one with a large mean; K classes; weights, some of them 0."""
    n, p = shape
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 3, size=p)
    X[:, 1:] += 0.5 * X[:, :-1]
    X[:, 3], X[:, 4], X[:, 5] = X[:, 1], 1.0, X[:, 5] + 1e4
    y = np.argmax(X[:, :3] @ rng.normal(size=(3, K)) + 2 * rng.normal(size=(n, K)), axis=1)
    y[:K] = np.arange(K)
    w = np.where(rng.random(n) < 0.1, 0.0, rng.uniform(0.2, 2, size=n))
    w[:K] = 1.0
    return X, y, w


def units(X, w, standardize, centred):
    """Columns as the penalty sees them, their scales, and which of them vary."""
    mean, spread = w @ X, np.sqrt(w @ (X - w @ X) ** 2)
    alive = spread > 1e-9
    scale = np.where(alive, spread, 1.0) if standardize else np.ones_like(spread)
    Z = (X - mean if centred else X) / scale
    return Z * (alive | (not centred)), scale


def gap(X, y, w, coef, intercept, alpha, penalty, standardize=True, centred=True):
    """Relative duality gap from the definitions; free columns must be at their optimum."""
    w = w / w.sum()
    Z, scale = units(X, w, standardize, centred)
    beta, eta, Y = coef * scale[:, None], X @ coef + intercept, np.eye(coef.shape[1])[y]
    each = Y - softmax(eta, axis=1)
    if centred:
        np.testing.assert_allclose(w @ each, 0, atol=1e-9)
    score = Z.T @ (w[:, None] * each)
    l1, l2 = (alpha * part for part in penalty.at(1.0))
    norms = penalty.norms(score)
    if penalty.starts is not None:
        l2 = l2[penalty.starts[:-1]]
    held = l1 + l2 > 0
    np.testing.assert_allclose(norms[~held], 0, atol=3e-3)  # its square over the curvature is part of the gap
    over = np.maximum(norms - l1[:, None], 0)[held & (l2 > 0)]
    hard = held & (l2 == 0)
    share = min(1.0, np.min(l1[hard] / np.maximum(norms[hard].max(axis=1), 1e-300), initial=1.0))
    q = np.clip(Y - share * each, 0, 1)
    value = w @ -log_softmax(eta, axis=1)[np.arange(len(y)), y] + penalty.value(alpha, beta)
    free = np.flatnonzero(penalty.factors == 0)
    value += share * (beta[free] * score[free]).sum() + w @ xlogy(q, q).sum(axis=1)
    value += (over**2 / (2 * l2[held & (l2 > 0), None])).sum()
    base = w @ Y if centred else np.full(Y.shape[1], 1 / Y.shape[1])
    return value / -(w @ Y @ np.log(np.maximum(base, 1e-300)))


def penalties(p):
    factors = np.linspace(0.5, 2, p)
    free = factors.copy()
    free[2] = 0
    starts = np.unique(np.r_[0, 1, 3, np.arange(6, p, 4), p])
    one = np.ones(p)
    return {
        "lasso": Penalty(1.0, one),
        "elastic net": Penalty(0.4, factors),
        "ridge": Penalty(0.0, factors),
        "free": Penalty(1.0, free),
        "free ridge": Penalty(0.0, free),
        "group": Penalty(1.0, one, starts),
        "group elastic net": Penalty(0.5, one, starts),
    }


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("kind", list(penalties(9)))
def test_every_strength_of_a_path_is_within_its_gap(shape, kind):
    """A bound that spares a pair that should enter, or a stale Hessian, would leave a gap larger than promised."""
    X, y, w = table(shape)
    penalty = penalties(shape[1])[kind]
    X[:, 5] -= 1e4  # without an intercept a mean of 10,000 would leave no other column
    for weights, standardize, centred in ((np.ones(len(y)), True, True), (w, False, True), (w, True, False)):
        job = Job(X, Multinomial(np.eye(4)[y]), weights, penalty, standardize, centred)
        path = path_of(job, None, 15)
        assert len(path.alphas) > 7
        for alpha, coef, intercept in zip(path.alphas, path.coef, path.intercept):
            assert not coef[4].any() or not centred, "a column that does not vary has a coefficient"
            assert gap(X, y, weights, coef, intercept, alpha, penalty, standardize, centred) <= 1.05e-5
        kept = solution_at(job, float(path.alphas[6]))
        assert kept.gap <= 1e-10
        assert abs(gap(X, y, weights, kept.coef, kept.intercept, kept.alpha, penalty, standardize, centred)) <= 1.1e-10


@pytest.mark.parametrize("kind", list(penalties(9)))
def test_sparse_columns_have_the_path_of_dense_ones(kind):
    """Columns read by their entries, not centred: a centre forgotten would change the model."""
    X, y, w = table((90, 12), K=3, seed=3)
    X[:, 3] = np.random.default_rng(1).normal(size=90)  # a repeated column leaves the coefficients open
    X[:, 5] -= 1e4
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    job = Job(X, Multinomial(np.eye(3)[y]), w, penalties(12)[kind], True, True, tol=1e-9)
    path, other = path_of(job, splits, 10), path_of(replace(job, X=sparse.csr_array(X)), splits, 10)
    m = min(len(path.alphas), len(other.alphas))
    np.testing.assert_allclose(path.cv_mean[:m], other.cv_mean[:m], rtol=1e-5)
    kept, other = (solution_at(replace(job, X=form), float(path.alphas[5])) for form in (X, sparse.csr_array(X)))
    eta, theirs = X @ kept.coef + kept.intercept, X @ other.coef + other.intercept
    np.testing.assert_allclose(softmax(eta, axis=1), softmax(theirs, axis=1), atol=1e-6)
    np.testing.assert_allclose(kept.intercept.sum(), 0, atol=1e-9)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("penalty", ["lasso", "ridge"])
def test_errors_over_folds_are_those_of_refitted_models(shape, penalty):
    """Folds share columns and Hessians: a trace of held-out rows in a fit would change its error."""
    X, y, w = table(shape, K=3, seed=1)
    X[:, 3], w = X[:, 3] + np.random.default_rng(5).normal(size=len(y)), w + 0.1
    splits = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    model = LinearClassifier(penalty, cv=splits, n_alphas=10, tol=1e-10).fit(X, y, sample_weight=w)
    for a in (2, 5):
        errors, sizes = [], []
        for train, test in splits:
            part = LinearClassifier(penalty, alpha=model.path_.alphas[a])
            part.fit(X[train], y[train], sample_weight=w[train])
            each = -part.predict_log_proba(X[test])[np.arange(len(test)), y[test]]
            errors.append(np.average(each, weights=w[test]))
            sizes.append(w[test].sum())
        np.testing.assert_allclose(model.path_.cv_mean[a], np.average(errors, weights=sizes), rtol=1e-5)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("penalty", ["lasso", "ridge"])
def test_threads_change_nothing(shape, penalty):
    """The bits must not depend on n_jobs."""
    X, y, _ = table(shape, seed=2)
    one, two = (LinearClassifier(penalty, cv=3, n_alphas=20, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.path_.coef, two.path_.coef)
    np.testing.assert_array_equal(one.path_.cv_mean, two.path_.cv_mean)
    np.testing.assert_array_equal(one.cv_predictions_, two.cv_predictions_)
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_out_of_fold_predictions_come_from_the_folds_models():
    """The linear predictors of the folds and their kept coefficients must tell the same probabilities."""
    for shape in ((60, 8), (40, 90)):
        X, y, _ = table(shape, K=3, seed=4)
        splits = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
        model = LinearClassifier(cv=splits, rule="min", tol=1e-9).fit(X, y)
        np.testing.assert_allclose(model.cv_predictions_.sum(axis=1), 1)
        train, test = splits[0]
        part = LinearClassifier(alpha=model.alpha_).fit(X[train], y[train])
        np.testing.assert_allclose(model.cv_predictions_[test], part.predict_proba(X[test]), atol=1e-4)


def test_a_class_missing_from_a_fold_does_not_disturb_the_others():
    """A fold whose training rows lack a class must fit the rest as if the class did not exist."""
    X, y, _ = table((60, 8), K=3, seed=5)
    X[:, 3] = np.random.default_rng(0).normal(size=60)
    rare = np.flatnonzero(y == 2)
    splits = [(np.setdiff1d(np.arange(60), rare), rare), (np.arange(0, 60, 2), np.arange(1, 60, 2))]
    job = Job(X, Multinomial(np.eye(3)[y]), np.ones(60), Penalty(1.0, np.ones(8)), True, True, tol=1e-9)
    path = path_of(job, splits, 8)
    assert np.all(np.isfinite(path.cv_mean))
    fits = path_fits(job, np.column_stack([np.ones(60), np.isin(np.arange(60), splits[0][0]).astype(float)]))
    found, _ = fits[1].solve_path(path.alphas[4:5] * 0.5, 1e-10)
    train = splits[0][0]
    two = LinearClassifier(alpha=path.alphas[4] * 0.5).fit(X[train], y[train])  # |w| as of w/2 and -w/2 together
    both = found.coef[0]
    assert not both[:, 2].any()
    np.testing.assert_allclose(both[:, 1] - both[:, 0], two.coef_[0], atol=1e-5)


def test_separated_classes_end_in_a_model_that_is_sure():
    """Perfectly separable classes have no finite optimum at strength 0, and a path towards it that must stay finite."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 20)
    X = np.eye(3)[y] * 5 + 0.1 * rng.normal(size=(60, 3))
    model = LinearClassifier(cv=3, rule="min").fit(X, y)
    assert np.all(np.isfinite(model.path_.coef))
    assert (model.predict(X) == y).all()
    free = LinearClassifier(None).fit(X, y)
    assert np.all(np.isfinite(free.coef_))
    assert free.predict_proba(X)[np.arange(60), y].min() > 0.999


def test_two_classes_do_not_load_the_kernel_of_many():
    """Compiling what is not used costs seconds of a first run."""
    import subprocess
    import sys

    script = (
        "import sys, numpy as np; from tamis import LinearClassifier;"
        "X = np.random.default_rng(0).normal(size=(40, 3));"
        "LinearClassifier(cv=3).fit(X, X[:, 0] > 0);"
        "assert 'tamis.linear.solvers.compiled.multinomial' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_a_working_set_too_large_for_a_hessian_is_within_its_gap():
    """Beyond a thousand pairs residuals take the place of the Hessian: the classes must stay coupled in them."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 500))
    y = np.argmax(2 * X[:, :4] + rng.normal(size=(60, 4)), axis=1)
    penalty = Penalty(0.02, np.ones(500))
    job = Job(X, Multinomial(np.eye(4)[y]), np.ones(60), penalty, True, True)
    path = path_of(job, None, 8)
    assert np.count_nonzero(path.coef[-1]) > 1000
    for alpha, coef, intercept in zip(path.alphas, path.coef, path.intercept):
        assert gap(X, y, job.weights, coef, intercept, alpha, penalty) <= 1.05e-5
    kept = solution_at(job, float(path.alphas[-1]))
    assert abs(gap(X, y, job.weights, kept.coef, kept.intercept, kept.alpha, penalty)) <= 1.1e-10


def test_a_model_without_columns_has_the_shares_of_the_classes():
    """With no column in use the intercepts would be moved by whatever lay in memory: to NaN, or to another class."""
    random = np.random.default_rng(0)
    X, y = random.uniform(size=(30, 3)), np.repeat([0, 1, 2], [15, 9, 6])
    shares = np.log([15 / 30, 9 / 30, 6 / 30])
    spoilt = []
    for k in range(40):
        spoilt.append(np.full(random.integers(1, 40), np.nan))  # so that memory that is taken again holds NaN
        if k % 3 == 0:
            spoilt.clear()
        model = LinearClassifier(alpha=10.0).fit(X, y)
        assert not model.coef_.any()
        np.testing.assert_allclose(model.intercept_, shares - shares.mean(), rtol=1e-9)
