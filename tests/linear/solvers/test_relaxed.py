"""The relaxed lasso: least squares on the lasso's support, blends in between, chosen by the folds."""

import json

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

from tamis.errors import ParameterError
from tamis.linear import LinearClassifier, LinearRegressor


def _numbers(n=120, p=15, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.1, 10, size=p) + 3
    beta = np.zeros(p)
    beta[:3] = 2.0, -1.0, 1.5
    return X, X / X.std(axis=0) @ beta + rng.normal(size=n)


def test_the_unpenalised_end_is_least_squares_on_the_support():
    """A refit that kept a penalty, or took other columns, would not solve the normal equations of the support."""
    X, y = _numbers()
    w = np.random.default_rng(1).uniform(0.5, 2, size=len(y))
    lasso = LinearRegressor(alpha=0.4).fit(X, y, w)
    free = LinearRegressor(alpha=0.4, relax=0.0).fit(X, y, w)
    used = np.flatnonzero(lasso.coef_)
    assert used.size
    assert np.array_equal(np.flatnonzero(free.coef_), used)
    design, half = np.column_stack([np.ones(len(y)), X[:, used]]), np.sqrt(w)
    known = np.linalg.lstsq(design * half[:, None], y * half, rcond=None)[0]
    assert np.allclose(known, [free.intercept_, *free.coef_[used]], rtol=1e-9)
    middle = LinearRegressor(alpha=0.4, relax=0.5).fit(X, y, w)
    assert np.allclose(middle.coef_, (lasso.coef_ + free.coef_) / 2, rtol=1e-12)
    assert np.isclose(middle.intercept_, (lasso.intercept_ + free.intercept_) / 2)
    assert np.allclose(LinearRegressor(alpha=0.4, relax=1.0).fit(X, y, w).coef_, lasso.coef_)


def test_two_classes_are_refitted_by_maximum_likelihood():
    """A refit of another loss would not be the unpenalised logistic regression of the support."""
    X, y = _numbers(300)
    c = np.where(y + 3 * np.random.default_rng(2).normal(size=300) > np.median(y), "b", "a")
    model = LinearClassifier(alpha=0.05, relax=0.0).fit(X, c)
    used = np.flatnonzero(model.coef_[0])
    assert used.size
    known = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X[:, used] / X.std(axis=0)[used], c)
    assert np.allclose(model.coef_[0, used] * X.std(axis=0)[used], known.coef_[0], rtol=1e-3)


def test_several_classes_have_no_gradient_left_on_their_support():
    """Residuals of the unpenalised multinomial are orthogonal to every column that a class uses."""
    X, y = _numbers(400)
    c = np.digitize(y + 3 * np.random.default_rng(3).normal(size=400), np.quantile(y, [0.3, 0.7]))
    model = LinearClassifier(alpha=0.05, relax=0.0).fit(X, c)
    residual = np.eye(3)[c] - model.predict_proba(X)
    gradient = residual.T @ ((X - X.mean(axis=0)) / X.std(axis=0)) / 400
    assert np.abs(gradient[model.coef_ != 0]).max() < 1e-5
    assert np.abs(gradient[model.coef_ == 0]).max() > 1e-3


@pytest.mark.parametrize("loss", ["squared", "huber", "poisson"])
def test_folds_are_judged_by_their_own_blends(loss):
    """A blend scored by models of other rows would give other out-of-fold predictions than a fit of each fold."""
    X, y = _numbers()
    y = np.random.default_rng(4).poisson(np.exp((y - y.mean()) / y.std())).astype(float) if loss == "poisson" else y
    folds = list(KFold(5).split(X))
    model = LinearRegressor(relax="cv", loss=loss, cv=folds, rule="min", tol=1e-9).fit(X, y)
    for train, test in folds:
        part = LinearRegressor(alpha=model.alpha_, relax=model.gamma_, loss=loss)
        if loss == "huber":
            continue  # its width is that of all rows
        assert np.allclose(part.fit(X[train], y[train]).predict(X[test]), model.cv_predictions_[test], rtol=2e-4)
    if loss == "squared":
        assert np.isclose(np.mean((y - model.cv_predictions_) ** 2), model.path_.cv_mean.min())
    assert np.isfinite(model.nested_predictions_).all()


def test_strong_columns_are_chosen_without_the_noise():
    """The lasso at its least error keeps columns of noise to undo its shrinkage; the relaxed one need not."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 40))
    y = X[:, :4].sum(axis=1) + rng.normal(size=200)
    lasso, relaxed = (LinearRegressor(relax=relax, rule="min").fit(X, y) for relax in (None, "cv"))
    assert relaxed.selected_columns_ == ("x0", "x1", "x2", "x3")
    assert len(lasso.selected_columns_) > 6
    assert relaxed.path_.cv_mean.min() < lasso.path_.cv_mean.min()
    assert 0 <= relaxed.gamma_ < 0.5


def test_more_columns_than_rows_and_sparse_tables_are_relaxed_as_dense_ones_are():
    """A support read from the wrong columns of a sparse table would give other coefficients."""
    from scipy import sparse

    rng = np.random.default_rng(6)
    X = rng.normal(size=(60, 200)) * (rng.random((60, 200)) < 0.3)
    y = X[:, :3].sum(axis=1) * 3 + rng.normal(size=60)
    for target, kind in ((y, LinearRegressor), (y > 0, LinearClassifier)):
        dense, thin = (kind(relax="cv", cv=4).fit(one, target) for one in (X, sparse.csr_array(X)))
        assert dense.gamma_ == thin.gamma_
        assert np.allclose(dense.coef_, thin.coef_, atol=1e-4)
        assert dense.cv_predictions_.shape[0] == 60


def test_at_a_strength_that_is_given_the_folds_choose_the_blend():
    """With alpha as a number, the blend of least error over folds is taken."""
    X, y = _numbers()
    folds, shares = list(KFold(4).split(X)), [0.0, 0.25, 0.5, 0.75, 1.0]
    model = LinearRegressor(alpha=0.3, relax="cv", cv=folds, rule="min").fit(X, y)
    errors = [
        sum(((LinearRegressor(alpha=0.3, relax=g).fit(X[a], y[a]).predict(X[b]) - y[b]) ** 2).sum() for a, b in folds)
        for g in shares
    ]
    assert model.gamma_ == shares[int(np.argmin(errors))]
    assert np.isclose(model.alpha_, 0.3)


def test_it_is_saved_and_categories_enter_as_indicators():
    """A relaxed model is a formula like any other."""
    import pandas as pd

    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"a": rng.normal(size=150), "b": rng.choice(["u", "v", "w"], size=150)})
    y = 2 * frame["a"] + 3 * (frame["b"] == "w") + 0.3 * rng.normal(size=150)
    for group in (False, True):
        model = LinearRegressor(relax="cv", group=group).fit(frame, y)
        again = LinearRegressor.from_dict(json.loads(json.dumps(model.to_dict())))
        assert np.array_equal(again.predict(frame), model.predict(frame))
        assert again.gamma_ == model.gamma_
        assert "2" in model.to_text(1)


def test_what_cannot_be_relaxed_is_said():
    """Ridge selects no columns; a share beyond 1 is no blend."""
    X, y = _numbers()
    for options in ({"penalty": "ridge", "relax": "cv"}, {"relax": 1.5}, {"relax": "cv", "alpha": "bayes"}):
        with pytest.raises(ParameterError, match="relax"):
            LinearRegressor(**options).fit(X, y)
