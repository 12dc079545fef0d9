"""Out-of-fold predictions at the strength the folds chose: those of refits, whichever way the path was solved."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from tamis import LinearClassifier, LinearRegressor
from tamis.linear.out_of_fold import OutOfFold

REGRESSORS = {
    "tall, by moments": ((300, 6), {}),
    "wide, compiled": ((60, 90), {}),
    "elastic net": ((60, 90), {"penalty": "elastic-net"}),
    "ridge of few columns": ((300, 6), {"penalty": "ridge"}),
    "ridge of many columns": ((40, 90), {"penalty": "ridge"}),
    "free column": ((80, 4), {"penalty": "ridge", "penalty_factors": [0.0, 1.0, 1.0, 1.0]}),
    "counts": ((200, 5), {"loss": "poisson"}),
    "Huber": ((200, 5), {"loss": "huber", "fit_intercept": False}),
}
CLASSIFIERS = {
    "tall, with a Hessian": ((400, 5), 2, {}),
    "wide, compiled": ((60, 90), 2, {}),
    "wide, lockstep": ((60, 90), 3, {}),
    "three classes": ((300, 4), 3, {"standardize": False}),
    "ridge": ((80, 10), 2, {"penalty": "ridge"}),
}


def numbers(shape, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape) * rng.uniform(0.5, 3.0, size=shape[1]) + 2.0
    return X, X[:, 0] - 0.5 * X[:, 1] + rng.normal(size=len(X))


def folds_of(n):
    """Four of five folds: nobody judges the rows of the fifth; the first rows are judged twice."""
    fold = np.arange(n) % 5
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
    return [*pairs, (np.arange(n // 2, n), np.arange(3))]


@pytest.mark.parametrize("name", REGRESSORS)
@pytest.mark.parametrize("rule", ["min", "1se"])
def test_numbers_are_those_of_models_fitted_without_the_row(name, rule):
    """If this fails, `cv_predictions_` is not what the model without a row says of it at the chosen strength."""
    shape, params = REGRESSORS[name]
    X, y = numbers(shape)
    if params.get("loss") == "poisson":
        y = np.random.default_rng(1).poisson(np.exp(0.2 * (y - y.mean())))
    folds = folds_of(len(y))
    model = LinearRegressor(**params, rule=rule, cv=folds, tol=1e-8, n_alphas=20).fit(X, y)
    params = {**params, "l1_ratio": model.l1_ratio_}  # of the target's own unit
    if params.get("loss") == "huber":  # the width is that of all rows
        params = {**params, "huber_width": 1.35 * spread(y)}
    said = np.zeros((len(folds), len(y)))
    judged = np.zeros((len(folds), len(y)), dtype=bool)
    for f, (train, test) in enumerate(folds):
        own = dict(params)
        if "huber_width" in own:
            own["huber_width"] /= spread(y[train])
        said[f, test] = LinearRegressor(**own, alpha=model.alpha_).fit(X[train], y[train]).predict(X[test])
        judged[f, test] = True
    assert np.isnan(model.cv_predictions_[~judged.any(axis=0)]).all()
    inside = judged.any(axis=0)
    expected = said.sum(axis=0)[inside] / judged.sum(axis=0)[inside]
    assert model.cv_predictions_[inside] == pytest.approx(expected, rel=1e-3, abs=1e-3 * y.std())
    assert "cv_predictions" not in str(model.to_dict())


def spread(y):
    return 1.4826 * np.median(np.abs(y - np.median(y)))


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_probabilities_are_those_of_models_fitted_without_the_row(name, as_sparse):
    """If this fails, the out-of-fold probabilities of a classifier are not those of refits."""
    shape, n_classes, params = CLASSIFIERS[name]
    X, y = numbers(shape, 2)
    y = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    folds = folds_of(len(y))
    given = sparse.csc_array(X) if as_sparse else X
    model = LinearClassifier(**params, rule="min", cv=folds[:4], tol=1e-8, n_alphas=20).fit(given, y)
    assert model.cv_predictions_.shape == (len(y), n_classes)
    assert np.isnan(model.cv_predictions_[np.arange(len(y)) % 5 == 4]).all()
    for train, test in folds[:4]:
        part = LinearClassifier(**params, alpha=model.alpha_).fit(X[train], y[train])
        assert model.cv_predictions_[test] == pytest.approx(part.predict_proba(X[test]), abs=1e-3)


def test_an_offset_is_part_of_what_is_predicted():
    """If this fails, out-of-fold counts are those of rows without their exposure."""
    X, y = numbers((200, 4))
    exposure = np.random.default_rng(3).uniform(0.0, 2.0, size=200)
    counts = np.random.default_rng(4).poisson(np.exp(0.2 * (y - y.mean()) + exposure))
    folds = folds_of(200)[:4]
    model = LinearRegressor(loss="poisson", cv=folds, tol=1e-9).fit(X, counts, offset=exposure)
    train, test = folds[1]
    part = LinearRegressor(loss="poisson", alpha=model.alpha_).fit(X[train], counts[train], offset=exposure[train])
    assert model.cv_predictions_[test] == pytest.approx(part.predict(X[test], offset=exposure[test]), rel=1e-3)


def test_ridge_in_closed_form_leaves_out_one_row_at_a_time():
    """If this fails, the predictions of alpha="loo" have seen the row they are for."""
    X, y = numbers((40, 5))
    model = LinearRegressor("ridge", alpha="loo", standardize=False).fit(X, y)
    for i in range(40):
        kept = np.arange(40) != i
        n = 40 / 39  # a mean over one row less: the same sum of squares needs a strength so much larger
        part = LinearRegressor("ridge", alpha=model.alpha_ * n, standardize=False).fit(X[kept], y[kept])
        assert model.cv_predictions_[i] == pytest.approx(part.predict(X[i : i + 1])[0], rel=1e-6)


def test_coefficients_and_predictors_say_the_same():
    """If this fails, predictions depend on which of the two was the smaller to keep."""
    rng = np.random.default_rng(5)
    X, coef, intercept = rng.normal(size=(12, 3)), rng.normal(size=(4, 3, 2)), rng.normal(size=(4, 2))
    coef[:, 1] = 0.0
    splits = [(np.arange(6), np.arange(6, 12)), (np.arange(6, 12), np.arange(6))]
    kept = [OutOfFold(made, splits) for made in (X, X, sparse.csr_array(X))]
    for f, (_, test) in enumerate(splits):
        for part in (slice(0, 3), slice(3, 4)):
            kept[0].keep_models(f, coef[part], intercept[part])
            kept[1].keep_predictors(f, np.einsum("ij,mjk->mik", X[test], coef[part]) + intercept[part][:, None])
            kept[2].keep_models(f, coef[part], intercept[part])
    for model in range(4):
        for held in kept:
            assert held.predict([model] * len(splits), np.asarray) == pytest.approx(X @ coef[model] + intercept[model])


def test_threads_and_other_choices_leave_nothing_behind():
    """If this fails, predictions depend on threads, or those of another table or a margin stay on the model."""
    X, y = numbers((60, 90))
    a, b = (LinearRegressor(n_jobs=k).fit(X, y) for k in (1, 2))
    assert np.array_equal(a.cv_predictions_, b.cv_predictions_)
    assert not hasattr(a.set_params(alpha=0.1).fit(X, y), "cv_predictions_")
    assert not hasattr(LinearRegressor.from_dict(b.to_dict()), "cv_predictions_")
    assert not hasattr(LinearClassifier(loss="squared_hinge").fit(X[:, :5], y > y.mean()), "cv_predictions_")


@pytest.mark.parametrize("rule", ["min", "1se"])
def test_nested_predictions_are_made_at_the_strength_that_the_other_folds_choose(rule):
    """If this fails, a row has a say in the strength it is judged at, and tuned models look better than others."""
    X, y = numbers((60, 12))
    fold = np.arange(60) % 4
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
    settings = {"rule": rule, "tol": 1e-8, "n_alphas": 30}
    model = LinearRegressor(cv=folds, **settings).fit(X, y)
    chosen = set()
    for f, (train, test) in enumerate(folds):
        alpha = LinearRegressor(cv=folds[:f] + folds[f + 1 :], **settings).fit(X, y).alpha_
        chosen.add(alpha)
        expected = LinearRegressor(alpha=alpha).fit(X[train], y[train]).predict(X[test])
        assert model.nested_predictions_[test] == pytest.approx(expected, rel=1e-3, abs=1e-3 * y.std())
    assert len(chosen) > 1  # else nothing was shown
    assert "nested_predictions" not in str(model.to_dict())
    classes = LinearClassifier(cv=folds).fit(X, y > y.mean())
    assert classes.nested_predictions_.shape == (60, 2)
    assert not np.isnan(classes.nested_predictions_).any()
