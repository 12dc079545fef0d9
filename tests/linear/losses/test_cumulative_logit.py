"""Ordered classes: proportional odds against closed forms, R's MASS::polr and optimality conditions."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from tamis import LinearClassifier
from tamis.errors import DamagedError, ParameterError
from tamis.linear.losses.cumulative_logit import CumulativeLogit

LOSS = "cumulative_logit"


def data(n=300, p=6, K=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2, size=p) + 3
    eta = (X[:, :3] - 3) @ [1.0, -0.5, 0.8] + rng.logistic(size=n)
    return X, np.digitize(eta, np.linspace(-1.5, 2, K - 1)), rng.uniform(0.2, 2, size=n)


def log_likelihood(model, X, y):
    """From the definition P(y <= c) = F(θ_c - xβ)."""
    below = expit(model.thresholds_ - (X @ model.coef_[0])[:, None])
    both = np.diff(np.hstack([np.zeros((len(y), 1)), below, np.ones((len(y), 1))]), axis=1)
    return np.log(both[np.arange(len(y)), y])


def test_without_a_penalty_it_is_the_maximum_of_the_likelihood():
    """statsmodels and polr maximise the same likelihood: no parameter may improve it."""
    X, y, w = data()
    model = LinearClassifier(None, loss=LOSS).fit(X, y, sample_weight=w)

    def loss(parameters):
        beta, theta = parameters[:6], np.cumsum([parameters[6], *np.exp(parameters[7:])])
        below = expit(theta - (X @ beta)[:, None])
        both = np.diff(np.hstack([np.zeros((len(y), 1)), below, np.ones((len(y), 1))]), axis=1)
        return -w @ np.log(np.maximum(both[np.arange(len(y)), y], 1e-300)) / w.sum()

    given = np.concatenate([model.coef_[0], model.thresholds_[:1], np.log(np.diff(model.thresholds_))])
    best = minimize(loss, given, method="BFGS", options={"gtol": 1e-9})
    assert loss(given) <= best.fun + 1e-12
    np.testing.assert_allclose(given, best.x, atol=1e-5)
    assert model.deviance_ == pytest.approx(-2 * (w / w.mean()) @ log_likelihood(model, X, y))  # of mean 1
    assert model.degrees_of_freedom_ == 6 + 3


def test_agrees_with_statsmodels():
    """An independent program for the same model: coefficients, thresholds and deviance."""
    statsmodels = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    X, y, _ = data()
    model = LinearClassifier(None, loss=LOSS).fit(X, y)
    other = statsmodels.OrderedModel(y, X, distr="logit")
    fitted = other.fit(method="bfgs", disp=False, maxiter=1000, gtol=1e-9)
    np.testing.assert_allclose(model.coef_[0], fitted.params[:6], atol=1e-5)
    np.testing.assert_allclose(model.thresholds_, other.transform_threshold_params(fitted.params)[1:-1], atol=1e-4)
    assert model.deviance_ <= -2 * fitted.llf + 1e-9


def test_thresholds_without_columns_are_cumulative_log_odds():
    """The empty model must give every class its share."""
    X, y, w = data()
    model = LinearClassifier(alpha=1e6, loss=LOSS).fit(X, y, sample_weight=w)
    share = np.bincount(y, weights=w) / w.sum()
    np.testing.assert_allclose(model.predict_proba(X[:1])[0], share, atol=1e-12)


def test_two_classes_are_logistic_regression():
    """With one threshold the model is the logistic one, whose intercept is minus the threshold."""
    X, y, w = data(K=2)
    for penalty in ("lasso", "ridge"):
        one = LinearClassifier(penalty, alpha=0.02, loss=LOSS).fit(X, y, sample_weight=w)
        two = LinearClassifier(penalty, alpha=0.02).fit(X, y, sample_weight=w)
        np.testing.assert_allclose(one.coef_, two.coef_, atol=1e-9)
        np.testing.assert_allclose(one.thresholds_, -two.intercept_, atol=1e-9)


@pytest.mark.parametrize("shape", [(300, 6), (60, 150)], ids=["tall", "wide"])
@pytest.mark.parametrize(("penalty", "ratio"), [("lasso", 1.0), ("elastic-net", 0.5), ("ridge", 0.0)])
def test_optimality_conditions(shape, penalty, ratio):
    """Gradients must be within the penalty, at it where a column is used; dense and sparse."""
    X, y, w = data(*shape)
    alpha = 0.03 if ratio else 0.3
    for form in (X, sparse.csr_array(X)):
        model = LinearClassifier(penalty, alpha=alpha, l1_ratio=ratio, loss=LOSS).fit(form, y, sample_weight=w)
        assert 0 <= model.gap_ <= 1e-10
        share = w / w.sum()
        mean, scale = share @ X, np.sqrt(share @ (X - share @ X) ** 2)
        padded = np.concatenate([[-np.inf], model.thresholds_, [np.inf]])
        eta = X @ model.coef_[0]
        residual = expit(padded[y + 1] - eta) + expit(padded[y] - eta) - 1
        beta = model.coef_[0] * scale
        score = ((X - mean) / scale).T @ (share * residual) - alpha * (1 - ratio) * beta
        used = beta != 0
        np.testing.assert_allclose(score[used], alpha * ratio * np.sign(beta[used]), atol=1e-7)
        assert np.all(np.abs(score[~used]) <= alpha * ratio + 1e-7)


def test_path_is_chosen_by_the_loss_of_held_out_rows():
    """Errors over folds are those of models refitted without them."""
    X, y, _ = data()
    splits = [(np.flatnonzero(np.arange(300) % 3 != f), np.flatnonzero(np.arange(300) % 3 == f)) for f in range(3)]
    model = LinearClassifier(loss=LOSS, cv=splits, n_alphas=20, tol=1e-9).fit(X, y)
    errors = []
    for train, test in splits:
        part = LinearClassifier(alpha=model.path_.alphas[8], loss=LOSS).fit(X[train], y[train])
        errors.append(-log_likelihood(part, X[test], y[test]).mean())
    assert model.path_.cv_mean[8] == pytest.approx(np.mean(errors), rel=1e-6)
    assert model.cv_predictions_.shape == (300, 4)
    np.testing.assert_allclose(model.cv_predictions_.sum(axis=1), 1)
    at = int(np.argmin(np.abs(model.path_.alphas - model.alpha_)))
    np.testing.assert_allclose(model.path_.coef[at, :, 0], model.coef_[0], atol=1e-4)


def test_a_class_missing_in_a_fold_keeps_its_threshold():
    """A fold without a class must still give a finite loss to its held-out rows."""
    X, y, _ = data(120, 4, K=3)
    y[y == 1] = 0
    y[:2] = 1
    splits = [(np.arange(2, 120), np.arange(40)), (np.arange(60), np.arange(60, 120))]
    model = LinearClassifier(loss=LOSS, cv=splits, n_alphas=10).fit(X, y)
    assert np.all(np.isfinite(model.path_.cv_mean))
    assert np.all(np.diff(model.thresholds_) > 0)


def test_order_of_the_classes():
    """An ordered categorical gives the order; coefficients change sign where it is reversed."""
    X, y, _ = data(K=3)
    words = np.array(["low", "middle", "high"])[y]
    up, down = (
        LinearClassifier(alpha=0.02, loss=LOSS).fit(X, pd.Series(pd.Categorical(words, levels, ordered=True)))
        for levels in (["low", "middle", "high"], ["high", "middle", "low"])
    )
    assert up.classes_.tolist() == ["low", "middle", "high"]
    np.testing.assert_allclose(up.coef_, -down.coef_, atol=1e-8)
    np.testing.assert_allclose(up.predict_proba(X), down.predict_proba(X)[:, ::-1], atol=1e-9)
    assert up.decision_function(X[y == 2]).mean() > up.decision_function(X[y == 0]).mean()
    assert "log-odds of at most low (not middle)" in up.to_text()


def test_saved_model_predicts_the_same_and_damage_is_refused():
    """JSON keeps the thresholds; ones that do not ascend give negative probabilities."""
    X, y, _ = data()
    model = LinearClassifier("ridge", alpha=0.1, loss=LOSS).fit(X, y)
    state = json.loads(json.dumps(model.to_dict()))
    np.testing.assert_array_equal(LinearClassifier.from_dict(state).predict_proba(X), model.predict_proba(X))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), atol=1e-15)
    state["thresholds"] = state["thresholds"][::-1]
    with pytest.raises(DamagedError, match="ascend"):
        LinearClassifier.from_dict(state)


def test_best_subset_and_groups():
    """Both find the columns that the classes depend on."""
    X, y, _ = data(n=600)
    assert LinearClassifier("subset", k=3, loss=LOSS).fit(X, y).selected_columns_ == ("x0", "x1", "x2")
    frame = pd.DataFrame(X).add_prefix("x")
    frame["level"] = pd.Categorical(np.random.default_rng(1).integers(0, 4, 600).astype(str))
    model = LinearClassifier(loss=LOSS, group=True, alpha=0.05).fit(frame, y)
    assert "level" not in model.selected_columns_
    assert model.gap_ <= 1e-10


def test_settings_without_a_meaning_are_refused():
    """Thresholds take the place of the intercept."""
    X, y, _ = data()
    for options in ({"fit_intercept": False}, {"relax": "cv"}):
        with pytest.raises(ParameterError, match="thresholds between its classes"):
            LinearClassifier(loss=LOSS, **options).fit(X, y)


def test_probabilities_far_out_are_not_lost():
    """A difference of two probabilities near 1 has no digits; logarithms keep them."""
    far = CumulativeLogit.log_probabilities(np.array([[-800.0, -790.0]]))
    np.testing.assert_allclose(far[0], [-800.0, -790.0 + np.log1p(-np.exp(-10.0)), 0.0], rtol=1e-12)
