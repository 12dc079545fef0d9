"""LinearRegressor against scikit-learn, closed forms, refits, and its own promises."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse, stats
from sklearn.linear_model import ElasticNet, Lasso, LinearRegression, PoissonRegressor
from sklearn.linear_model import Ridge as SkRidge
from sklearn.model_selection import KFold

from tamis import LinearRegressor
from tamis.errors import KindError, NotConverged, ParameterError, TableError, TamisWarning


def data(n=120, p=15, seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p))) + rng.normal(size=p) * 5
    return X, X[:, :3] @ [1.0, -2.0, 0.5] + noise * rng.normal(size=n) + 10


# -- least squares ---------------------------------------------------------------------------------------------------
def test_least_squares_inference_equals_the_textbook():
    """Standard errors, t and p must be those of (XᵀX)⁻¹σ², weighted too."""
    X, y = data()
    w = np.random.default_rng(1).uniform(0.5, 2, size=len(y))
    for weights in (np.ones(len(y)), w):
        model = LinearRegressor(penalty=None).fit(X, y, sample_weight=weights)
        A = np.column_stack([np.ones(len(y)), X])
        inverse = np.linalg.inv(A.T @ (A * weights[:, None]))
        beta = inverse @ A.T @ (weights * y)
        noise = weights @ (y - A @ beta) ** 2 / (len(y) - 16)
        error = np.sqrt(noise * np.diagonal(inverse))
        np.testing.assert_allclose(model.coef_, beta[1:], rtol=1e-8)
        np.testing.assert_allclose(model.standard_errors_, error[1:], rtol=1e-8)
        np.testing.assert_allclose(model.intercept_standard_error_, error[0], rtol=1e-8)
        np.testing.assert_allclose(model.p_, 2 * stats.t.sf(np.abs(beta[1:] / error[1:]), len(y) - 16), rtol=1e-6)
    assert model.r2_ == pytest.approx(model.score(X, y, sample_weight=w))
    assert model.adjusted_r2_ == pytest.approx(1 - (1 - model.r2_) * 119 / 104)


def test_a_small_column_survives_beside_a_huge_one():
    """A 0/1 column beside one of size 5e7 must keep its coefficient."""
    rng = np.random.default_rng(0)
    X = np.column_stack([5e7 + 1e6 * rng.normal(size=200), rng.integers(0, 2, size=200)])
    model = LinearRegressor(penalty=None).fit(X, 1e-7 * X[:, 0] + 3 * X[:, 1])
    np.testing.assert_allclose(model.coef_, [1e-7, 3], rtol=1e-8)


def test_dependent_columns_are_named_and_the_shortest_solution_given():
    """Rank deficiency must warn with the column's name and give the minimal norm in standardised columns."""
    X, y = data(p=4)
    frame = pd.DataFrame(np.column_stack([X, X[:, 0]]), columns=["a", "b", "c", "d", "twin"])
    with pytest.warns(TamisWarning, match=r"'(a|twin)' depend"):
        model = LinearRegressor(penalty=None).fit(frame, y)
    assert model.coef_[0] == pytest.approx(model.coef_[4])
    np.testing.assert_allclose(model.predict(frame), LinearRegression().fit(X, y).predict(X), rtol=1e-10)
    with pytest.warns(TamisWarning, match="rank 9"):
        wide = LinearRegressor(penalty=None).fit(*data(n=10, p=30))
    assert wide.rank_ == 9


# -- ridge -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(60, 8), (20, 50)])
def test_ridge_equals_scikit_learn(shape):
    """Primal and dual must give scikit-learn's ridge on standardised columns."""
    X, y = data(*shape)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LinearRegressor(penalty="ridge", alpha=0.3).fit(X, y)
    np.testing.assert_allclose(model.coef_ * X.std(axis=0), SkRidge(alpha=0.3 * len(y)).fit(Z, y).coef_, rtol=1e-8)


@pytest.mark.parametrize("shape", [(40, 6), (15, 30)])
@pytest.mark.parametrize("weighted", [False, True])
def test_leave_one_out_in_closed_form_equals_refitting(shape, weighted):
    """r / (1 - h) must be the error of the model refitted without the row."""
    from tamis.linear.design import Design
    from tamis.linear.solvers.ridge import Ridge

    X, y = data(*shape, seed=2)
    w = np.random.default_rng(0).uniform(0.5, 2, size=len(y)) if weighted else np.ones(len(y))
    alphas = np.array([0.01, 0.3, 5.0])
    options = {"standardize": False, "fit_intercept": True}
    found = Ridge.of(Design(X), y, w, np.ones(X.shape[1]), **options).leave_one_out(alphas)
    for i in (0, 7, len(y) - 1):
        rest = np.arange(len(y)) != i
        for a, alpha in enumerate(alphas):
            model = SkRidge(alpha=alpha * w.sum()).fit(X[rest], y[rest], sample_weight=w[rest])
            np.testing.assert_allclose(found[i, a], (y[i] - model.predict(X[[i]])[0]) ** 2, rtol=1e-7)


def test_ridge_path_chooses_by_leave_one_out_and_by_folds():
    """The strength chosen must be the minimum of the errors on the path."""
    X, y = data(n=60, p=20, noise=5)
    for alpha in ("loo", "cv"):
        model = LinearRegressor(penalty="ridge", alpha=alpha, rule="min").fit(X, y)
        assert model.alpha_ == model.path_.alphas[np.argmin(model.path_.cv_mean)]
        assert model.path_.coef.shape == (100, 20, 1)
        assert 0 < np.argmin(model.path_.cv_mean) < 99


@pytest.mark.parametrize("shape", [(60, 8), (20, 50)])
def test_the_constrained_form_agrees_with_the_penalised_one(shape):
    """norm_bound_ of a fitted alpha, given back as norm_bound, must return the same model."""
    X, y = data(*shape)
    penalised = LinearRegressor(penalty="ridge", alpha=0.2).fit(X, y)
    bound = penalised.norm_bound_
    assert bound == pytest.approx(np.linalg.norm(penalised.coef_ * X.std(axis=0)))
    constrained = LinearRegressor(penalty="ridge", norm_bound=bound).fit(X, y)
    assert constrained.alpha_ == pytest.approx(0.2, rel=1e-8)
    np.testing.assert_allclose(constrained.coef_, penalised.coef_, rtol=1e-8)
    assert LinearRegressor(penalty="ridge", norm_bound=1e9).fit(*data(60, 8)).alpha_ == 0


# -- lasso and elastic net -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("penalty", "ratio"), [("lasso", 1.0), ("elastic-net", 0.5)])
@pytest.mark.parametrize("shape", [(120, 15), (30, 60)])
def test_coefficients_equal_scikit_learn_at_tight_tolerance(penalty, ratio, shape):
    """The objective must be scikit-learn's ElasticNet on standardised columns, tall and wide."""
    X, y = data(*shape)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for alpha in (0.02, 0.3):
        model = LinearRegressor(penalty=penalty, alpha=alpha).fit(X, y)
        other = ElasticNet(alpha=alpha, l1_ratio=ratio, tol=1e-14, max_iter=10**6).fit(Z, y)
        np.testing.assert_allclose(model.coef_ * X.std(axis=0), other.coef_, atol=1e-7)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(80, 10), (40, 60)])
def test_cv_equals_refitting_every_fold(shape, weighted):
    """Errors from fold moments (or in lockstep) must be those of models refitted on each fold's rows."""
    X, y = data(*shape, noise=2)
    w = np.random.default_rng(3).uniform(0.5, 2, size=len(y)) if weighted else np.ones(len(y))
    splits = list(KFold(5, shuffle=True, random_state=0).split(X))
    model = LinearRegressor(cv=splits, n_alphas=12, tol=1e-12).fit(X, y, sample_weight=w)
    errors = np.empty((5, len(model.path_.alphas)))
    for f, (train, test) in enumerate(splits):
        for a, alpha in enumerate(model.path_.alphas):
            part = LinearRegressor(alpha=alpha).fit(X[train], y[train], sample_weight=w[train])
            errors[f, a] = np.average((y[test] - part.predict(X[test])) ** 2, weights=w[test])
    share = np.array([w[test].sum() for _, test in splits])
    np.testing.assert_allclose(model.path_.cv_mean, np.average(errors, axis=0, weights=share), rtol=1e-8)
    spread = np.average((errors - model.path_.cv_mean) ** 2, axis=0, weights=share)
    np.testing.assert_allclose(model.path_.cv_se, np.sqrt(spread / 4), rtol=1e-6)


def test_rules_choose_the_best_or_the_simplest_within_one_standard_error():
    """1se must never use a smaller strength than min, and min is the minimum."""
    X, y = data(noise=4)
    best, simple = LinearRegressor(rule="min").fit(X, y), LinearRegressor(rule="1se").fit(X, y)
    path = best.path_
    assert best.alpha_ == path.alphas[np.argmin(path.cv_mean)]
    i = np.argmin(path.cv_mean)
    assert simple.alpha_ == path.alphas[path.cv_mean <= path.cv_mean[i] + path.cv_se[i]].max()
    assert len(path.alphas) == 100
    assert path.n_columns[0] == 0
    assert len(simple.selected_columns_) <= len(best.selected_columns_)


def test_path_coefficients_are_the_models_of_their_strengths():
    """The path the report draws must hold the models that fitting each strength gives."""
    X, y = data()
    path = LinearRegressor(n_alphas=10, tol=1e-10).fit(X, y).path_
    for i in (0, 4, 9):
        model = LinearRegressor(alpha=path.alphas[i]).fit(X, y)
        np.testing.assert_allclose(path.coef[i, :, 0], model.coef_, atol=1e-6)
        assert path.n_columns[i] == len(model.selected_columns_)


def test_the_answer_does_not_depend_on_the_order_of_columns():
    """The same table with its columns in another order must choose the same columns and predict the same."""
    X, y = data(n=40, p=60, noise=3)
    frame = pd.DataFrame(X, columns=[f"c{j:02d}" for j in range(60)])
    turned = frame[frame.columns[np.random.default_rng(0).permutation(60)]]
    a, b = LinearRegressor(cv=5).fit(frame, y), LinearRegressor(cv=5).fit(turned, y)
    assert sorted(a.selected_columns_) == sorted(b.selected_columns_)
    np.testing.assert_allclose(a.predict(frame), b.predict(turned), rtol=1e-12)
    assert LinearRegressor(cv=5, n_jobs=2).fit(frame, y).coef_.tolist() == a.coef_.tolist()


# -- other losses ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("penalty", [None, "ridge", "lasso", "elastic-net"])
@pytest.mark.parametrize("count", [1e-3, 0.37, 3.0, 1e9])
@pytest.mark.parametrize("shape", [(40, 3), (20, 60)])
def test_poisson_of_a_constant_target_is_that_constant(penalty, count, shape):
    """A target that does not vary would divide by a null deviance of zero, or be fitted to its rounding."""
    X = np.random.default_rng(0).normal(size=shape)
    for alpha in ("cv", 0.1):
        with pytest.warns(TamisWarning, match="every row") as caught:
            model = LinearRegressor(penalty, alpha=alpha, loss="poisson", cv=3).fit(X, np.full(len(X), count))
        assert len(caught) == 1
        np.testing.assert_allclose(model.predict(X), count, rtol=1e-9)


def test_poisson_equals_scikit_learn_and_takes_an_offset():
    """Ridge Poisson must be PoissonRegressor's; an offset must act as a known exposure."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = rng.poisson(np.exp(X @ [0.5, -0.3, 0, 0] + 1)).astype(float)
    model = LinearRegressor(penalty="ridge", alpha=0.1, loss="poisson", standardize=False).fit(X, y)
    other = PoissonRegressor(alpha=0.1, solver="newton-cholesky", tol=1e-12).fit(X, y)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-7)
    exposure = rng.uniform(0.5, 5, size=200)
    counts = rng.poisson(exposure * np.exp(0.4 * X[:, 0])).astype(float)
    fitted = LinearRegressor(penalty=None, loss="poisson").fit(X, counts, offset=np.log(exposure))
    left = counts - fitted.predict(X, offset=np.log(exposure))
    np.testing.assert_allclose(np.column_stack([np.ones(200), X]).T @ left, 0, atol=1e-4)


def test_huber_is_not_moved_by_outliers():
    """A few wild rows must not change the Huber fit much; the squared fit they ruin."""
    X, y = data(n=300, p=5)
    wild = y.copy()
    wild[:10] += 1e4
    truth = LinearRegressor(penalty=None).fit(X, y).coef_
    robust = LinearRegressor(alpha=0.001, loss="huber").fit(X, wild).coef_
    assert np.abs(robust - truth).max() < 0.5
    assert np.abs(LinearRegressor(penalty=None).fit(X, wild).coef_ - truth).max() > 5


# -- kinds of tables -------------------------------------------------------------------------------------------------
def mixed(n=200):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=n), "colour": rng.choice(["blue", "green", "red"], size=n)})
    frame["flag"] = rng.random(n) < 0.5
    y = frame["size"] + 2.0 * (frame["colour"] == "red") + 0.1 * rng.normal(size=n)
    return frame, y.to_numpy()


def test_categories_enter_as_indicators_and_columns_are_selected_whole():
    """coef_ is told by level, selected_columns_ by column, the same for pandas and polars."""
    frame, y = mixed()
    model = LinearRegressor(alpha=0.05).fit(frame, y)
    assert model.coef_names_ == ["size", "colour=blue", "colour=green", "colour=red", "flag"]
    assert model.selected_columns_ == ("size", "colour")
    np.testing.assert_array_equal(LinearRegressor(alpha=0.05).fit(pl.from_pandas(frame), y).coef_, model.coef_)
    plain = LinearRegressor(penalty=None).fit(frame, y)
    assert plain.coef_names_ == ["size", "colour=green", "colour=red", "flag"]
    assert plain.coef_[2] == pytest.approx(2, abs=0.1)
    new = frame.head(2).copy()
    new["colour"] = ["purple", "red"]
    assert np.all(np.isfinite(model.predict(new)))


def test_missing_values_are_refused_by_name_or_filled_with_training_means():
    """A hole must name its column and the way out; missing="mean" must use means of the training rows only."""
    frame, y = mixed()
    frame.loc[3, "size"] = np.nan
    frame.loc[5, "colour"] = None
    with pytest.raises(TableError, match=r"'size' \(1 rows\), 'colour' \(1 rows\).*missing='mean'"):
        LinearRegressor().fit(frame, y)
    model = LinearRegressor(alpha=0.01, missing="mean").fit(frame, y)
    filled = frame.assign(size=frame["size"].fillna(frame["size"].mean()))
    np.testing.assert_allclose(model.predict(frame)[3], model.predict(filled)[3])
    hole = frame.head(1).assign(size=np.nan)
    known = frame.head(1).assign(size=frame["size"].mean())
    np.testing.assert_allclose(model.predict(hole), model.predict(known))


def test_sparse_and_dense_give_the_same_path():
    """Sparse input must not change the answer, tall or wide."""
    for n, p in ((100, 20), (40, 80)):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.2)
        y = X[:, 0] - X[:, 1] + 0.1 * rng.normal(size=n)
        a, b = LinearRegressor(cv=4).fit(X, y), LinearRegressor(cv=4).fit(sparse.csr_array(X), y)
        np.testing.assert_allclose(a.coef_, b.coef_, atol=1e-8)
        np.testing.assert_allclose(a.path_.cv_mean, b.path_.cv_mean, rtol=1e-4)


# -- words, JSON, errors ---------------------------------------------------------------------------------------------
def test_to_text_tells_the_formula():
    """The formula must hold the coefficients on the original scale and name level and column."""
    frame, y = mixed()
    text = LinearRegressor(alpha=0.05).fit(frame, y).to_text()
    assert text.splitlines()[0].startswith("target = ")
    assert "× [colour is red]" in text
    assert "2 of 3 columns" in text


@pytest.mark.parametrize(
    "options", [{"alpha": 0.05}, {"penalty": None}, {"cv": 3, "n_alphas": 5}, {"penalty": "ridge"}]
)
def test_a_model_survives_json_to_the_last_bit(options):
    """A saved model must predict exactly the same after loading, levels and fills included."""
    frame, y = mixed()
    model = LinearRegressor(missing="mean", **options).fit(frame, y)
    back = LinearRegressor.from_dict(json.loads(json.dumps(model.to_dict())))
    np.testing.assert_array_equal(back.predict(frame), model.predict(frame))
    assert back.selected_columns_ == model.selected_columns_
    assert back.to_text() == model.to_text()
    X, y = data()
    plain = LinearRegressor(alpha=0.1).fit(X, y)
    np.testing.assert_array_equal(LinearRegressor.from_dict(plain.to_dict()).predict(X), plain.predict(X))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"alpha": -1}, ParameterError, "alpha=-1"),
        ({"alpha": "best"}, ParameterError, "cv, loo, bayes"),
        ({"l1_ratio": 1.5}, ParameterError, "l1_ratio=1.5"),
        ({"penalty": "laso"}, ParameterError, "did you mean 'lasso'"),
        ({"loss": "log"}, ParameterError, "loss='log'"),
        ({"penalty": "subset", "k": 99}, ParameterError, "k=99, but there are only 15 columns"),
        ({"penalty": "subset", "k": 2.5}, KindError, "k=2.5"),
        ({"penalty": "subset", "k": None}, ParameterError, "price of a column"),
        ({"penalty_factors": [1, 2]}, ParameterError, "penalty_factors"),
        ({"norm_bound": 1.0, "penalty": None}, ParameterError, "norm_bound"),
        ({"alpha": "bayes", "penalty": "elastic-net"}, ParameterError, "bayes"),
        ({"cv": 1}, ParameterError, "cv=1"),
    ],
)
def test_bad_parameters_get_one_sentence(options, error, words):
    """A wrong argument must be told by name, with its value and the way out."""
    with pytest.raises(error, match=words):
        LinearRegressor(**options).fit(*data())


def test_odd_targets():
    """A constant target warns and gives the constant; negative counts are refused."""
    X, y = data()
    with pytest.warns(TamisWarning, match="7 in every row"):
        model = LinearRegressor().fit(X, np.full(len(y), 7.0))
    np.testing.assert_allclose(model.predict(X), 7)
    assert model.selected_columns_ == ()
    with pytest.raises(ParameterError, match="Negative values in y: row 1"):
        LinearRegressor(loss="poisson").fit(X, -np.ones(len(y)))


def test_stopping_early_warns_with_the_gap():
    """A solver that has not reached its gap must say so and say how far it came."""
    X, y = data(n=30, p=80)
    with pytest.warns(NotConverged, match=r"relative duality gap of .* \(asked"):
        LinearRegressor(loss="huber", tol=1e-19, cv=2).fit(X, y)


@pytest.mark.parametrize("shape", [(60, 10), (20, 60)])
def test_a_strength_that_empties_the_model(shape):
    """Above the largest strength no column is used and the mean is predicted."""
    X, y = data(*shape)
    model = LinearRegressor(alpha=1e6).fit(X, y)
    assert model.selected_columns_ == ()
    np.testing.assert_allclose(model.predict(X), y.mean())


def test_alpha_zero_is_least_squares():
    """A lasso of strength 0 must be the least-squares fit."""
    X, y = data()
    np.testing.assert_allclose(LinearRegressor(alpha=0).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, rtol=1e-8)
    np.testing.assert_allclose(
        LinearRegressor(alpha=1e-9).fit(X, y).predict(X),
        Lasso(alpha=1e-9, tol=1e-12, max_iter=10**6).fit(X, y).predict(X),
        rtol=1e-4,
    )


def test_least_squares_tells_its_errors_in_text():
    """The table of coefficients has the textbook's standard errors, t and p (simple regression, by hand)."""
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    y = np.array([1.0, 2.0, 1.3, 3.75, 2.25])
    slope, intercept, _, p, error = stats.linregress(x, y)
    text = LinearRegressor(None).fit(x[:, None], y).to_text()
    line = next(row for row in text.splitlines() if row.startswith("x0"))
    assert line.split() == ["x0", f"{slope:.4g}", f"{error:.4g}", f"{slope / error:.3g}", f"{p:.2g}"]
    first = next(row for row in text.splitlines() if row.startswith("(intercept)"))
    assert first.split()[1] == f"{intercept:.4g}"
    assert "3 degrees of freedom" in text


def test_least_squares_intervals_are_the_textbooks():
    """One column, by the formula of simple regression: s √(1 + 1/n + (x − x̄)²/Sxx) times Student's t."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    y = 1 + 2 * x + rng.normal(size=30)
    model = LinearRegressor(None).fit(x[:, None], y)
    new = np.array([-1.0, 0.5, 3.0])
    s = np.sqrt(((y - model.predict(x[:, None])) ** 2).sum() / 28)
    reach = stats.t.ppf(0.95, 28) * s * np.sqrt(1 + 1 / 30 + (new - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum())
    found = model.predict_interval(new[:, None], 0.9)
    middle = model.predict(new[:, None])
    np.testing.assert_allclose(found, np.column_stack([middle - reach, middle + reach]), rtol=1e-9)
    assert not hasattr(LinearRegressor(alpha=0.1).fit(x[:, None], y), "predict_interval")
