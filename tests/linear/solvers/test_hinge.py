"""The hinge loss: the optimum of other solvers, certified by its gap, one against the rest for several classes."""

import json

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.svm import LinearSVC

from tamis.errors import ParameterError
from tamis.linear import LinearClassifier


def _table(n=100, p=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] - X[:, 1] + rng.normal(size=n) > 0).astype(int)


def _hinge(model, X, y):
    return np.maximum(0.0, 1 - (2 * y - 1) * model.decision_function(X)).mean()


@pytest.mark.parametrize("alpha", [0.3, 0.01])
def test_ridge_is_liblinears_support_vector_machine(alpha):
    """LinearSVC minimises the same objective, C = 1 / (n alpha)."""
    X, y = _table()
    model = LinearClassifier("ridge", loss="hinge", alpha=alpha, standardize=False, fit_intercept=False).fit(X, y)
    known = LinearSVC(loss="hinge", C=1 / (100 * alpha), fit_intercept=False, tol=1e-9, max_iter=10**6).fit(X, y)
    assert np.allclose(model.coef_, known.coef_, atol=1e-5)
    ours, theirs = (_hinge(m, X, y) + alpha / 2 * (m.coef_**2).sum() for m in (model, known))
    assert ours <= theirs + 1e-12
    assert model.gap_ <= 1e-10


@pytest.mark.parametrize("shape", [(100, 6), (30, 150)])
def test_the_lasso_is_a_linear_program(shape):
    """The sparse support vector machine has the optimum that a linear programme has, and exact zeros."""
    X, y = _table(*shape)
    n, p = shape
    side, alpha = 2 * y - 1, 0.05
    model = LinearClassifier(loss="hinge", alpha=alpha, standardize=False).fit(X, y)
    cost = np.concatenate([np.full(2 * p, alpha), [0, 0], np.full(n, 1 / n)])
    rows = -np.column_stack([side[:, None] * X, -side[:, None] * X, side, -side, np.eye(n)])
    known = linprog(cost, A_ub=rows, b_ub=-np.ones(n)).fun
    assert np.isclose(_hinge(model, X, y) + alpha * np.abs(model.coef_).sum(), known, rtol=1e-8)
    assert model.gap_ <= 1e-10
    assert 0 < np.count_nonzero(model.coef_) < p


def test_weights_are_copies_of_rows():
    """A row of weight 2 counts twice, one of weight 0 not at all."""
    X, y = _table(40)
    w = np.random.default_rng(1).integers(0, 3, size=40)
    weighted = LinearClassifier("elastic-net", loss="hinge", alpha=0.1).fit(X, y, w)
    copied = LinearClassifier("elastic-net", loss="hinge", alpha=0.1).fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert np.allclose(weighted.coef_, copied.coef_, atol=1e-7)


def test_a_path_is_judged_by_the_hinge_of_held_out_rows():
    """The error of a fold is the hinge loss of a model that did not see it."""
    X, y = _table(60)
    folds = [(np.arange(20, 60), np.arange(20)), (np.arange(40), np.arange(40, 60))]
    model = LinearClassifier(loss="hinge", cv=folds, n_alphas=8, rule="min").fit(X, y)
    at = int(np.argmin(model.path_.cv_mean))
    for f, (train, test) in enumerate(folds):
        part = LinearClassifier(loss="hinge", alpha=model.path_.alphas[at]).fit(X[train], y[train])
        assert np.isclose(_hinge(part, X[test], y[test]), model.path_.fold_errors[f, at], atol=1e-3)
    again = LinearClassifier.from_dict(json.loads(json.dumps(model.to_dict())))
    assert np.array_equal(again.predict(X), model.predict(X))


def test_several_classes_and_what_it_does_not_take():
    """Three classes are told one against the rest; there are no probabilities, subsets or refits."""
    rng = np.random.default_rng(2)
    y = np.repeat(["a", "b", "c"], 20)
    X = rng.normal(size=(60, 3)) + 3 * np.eye(3)[np.repeat(range(3), 20)]
    model = LinearClassifier(loss="hinge", alpha=0.02).fit(X, y)
    assert model.coef_.shape == (3, 3)
    assert model.score(X, y) > 0.9
    assert not hasattr(model, "predict_proba")
    for options in ({"penalty": "subset"}, {"relax": "cv"}, {"group": True}):
        with pytest.raises(ParameterError, match="hinge"):
            LinearClassifier(loss="hinge", **options).fit(X, y)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_fold_of_one_class(fit_intercept):
    """The balance of the two classes divided by the weight of the one that a fold lacks."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.array([0] * 26 + [1] * 4)
    folds = [(np.arange(20), np.arange(20, 30)), (np.arange(10, 30), np.arange(10))]
    model = LinearClassifier(loss="hinge", cv=folds, fit_intercept=fit_intercept).fit(X, y)
    assert np.isfinite(model.path_.cv_mean).all()
    assert np.isfinite(model.decision_function(X)).all()
