"""Units do not matter: a linear model of scaled rows is the same model in other units."""

import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

import tamis
from tamis.linear import LinearClassifier, LinearRegressor

LOSSES = ["squared", "huber", "poisson", "logistic", "multinomial", "squared_hinge"]
PENALTIES = ["ridge", "lasso", "elastic-net", "subset", None]
FACTORS, MORE_FACTORS = [1e-8, 1e8], [1e-8, 1e-5, 1e-2, 1e2, 1e5, 1e8]


def rows(loss, shape):
    """Columns of which two are correlated, and a target of the loss."""
    rng = np.random.default_rng(0)
    n, p = shape
    X = rng.normal(size=(n, p))
    X[:, 1] = X[:, 0] + 0.5 * X[:, 1]
    eta = X[:, 0] - 0.7 * X[:, 2] + 0.3 * X[:, 3]
    if loss in ("squared", "huber"):
        return X, 3 + eta + 0.3 * rng.normal(size=n)
    if loss == "poisson":
        return X, rng.poisson(np.exp(1 + 0.4 * eta)).astype(float)
    noisy = eta + rng.logistic(size=n)
    return X, np.digitize(noisy, [-1, 1]) if loss == "multinomial" else (noisy > 0).astype(int)


def answer(model, X):
    return model.predict(X) if isinstance(model, LinearRegressor) else model.decision_function(X)


def deviations(loss, penalty, shape, form=np.asarray, factors=FACTORS, **options):
    """The largest relative difference of predictions for every factor of target and columns."""
    X, y = rows(loss, shape)
    options["alpha"] = 0 if penalty is None else options.get("alpha", "cv")
    kind = LinearRegressor if loss in ("squared", "huber", "poisson") else LinearClassifier
    model = kind(penalty, loss="logistic" if loss == "multinomial" else loss, cv=4, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        base = answer(model.fit(form(X), y), form(X))
        unit = np.std(base) or 1.0
        found = {}
        for factor in factors:
            found["X", factor] = np.abs(answer(model.fit(form(X * factor), y), form(X * factor)) - base).max() / unit
            if kind is LinearRegressor:
                made = answer(model.fit(form(X), y * factor), form(X)) / factor
                found["y", factor] = np.abs(made - base).max() / unit
    return found


def check(found):
    wrong = {case: float(value) for case, value in found.items() if not value < 1e-5}
    assert not wrong


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
def test_scale_of_target_and_columns_changes_nothing_but_units(loss, penalty, standardize):
    """Strengths in units of the target or of the columns choose another model when metres become millimetres."""
    if penalty == "subset" and loss not in ("squared", "poisson"):
        pytest.skip("nightly: seconds each")
    check(deviations(loss, penalty, (60, 5), standardize=standardize))


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("rule", ["1se", "min"])
@pytest.mark.parametrize(("penalty", "alpha"), [("ridge", "loo"), ("ridge", "cv"), ("elastic-net", "cv")])
def test_more_columns_than_rows_and_rows_left_out_singly(penalty, alpha, rule, standardize):
    """Ridge has solvers of its own for wide tables and for leaving out one row."""
    check(deviations("squared", penalty, (30, 40), standardize=standardize, rule=rule, alpha=alpha))


@pytest.mark.nightly
@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("rule", ["1se", "min"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("shape", [(80, 6), (40, 60)])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_penalty_shape_and_form(loss, penalty, shape, form, rule, standardize):
    """Each has a solver, and each solver has tolerances."""
    if penalty in (None, "subset") and shape[1] > shape[0]:
        pytest.skip("no unique model")
    check(deviations(loss, penalty, shape, form, MORE_FACTORS, standardize=standardize, rule=rule))


@pytest.mark.parametrize("penalty", ["ridge", "lasso"])
@pytest.mark.parametrize("standardize", [True, False])
def test_posterior_draws_have_units_too(penalty, standardize):
    """A prior in units of the columns shrinks millimetres more than metres."""
    X, y = rows("squared", (60, 5))
    model = LinearRegressor(penalty, alpha="bayes", standardize=standardize, n_draws=50)
    base = model.fit(X, y).predict(X)
    for factor in FACTORS:
        assert model.fit(X * factor, y).predict(X * factor) == pytest.approx(base, rel=1e-6)
        assert model.fit(X, y * factor).predict(X) / factor == pytest.approx(base, rel=1e-6)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("loss", ["squared", "huber"])
@pytest.mark.parametrize("penalty", ["ridge", "lasso", "elastic-net"])
def test_the_strength_reported_gives_the_same_model(penalty, loss, standardize):
    """`alpha_` in units of its own would give another model when it is given as a number."""
    X, y = rows(loss, (60, 5))
    model = LinearRegressor(penalty, loss=loss, standardize=standardize, cv=4, tol=1e-9).fit(3 * X, 500 * y)
    given = LinearRegressor(
        penalty, loss=loss, standardize=standardize, alpha=model.alpha_, l1_ratio=model.l1_ratio_
    ).fit(3 * X, 500 * y)
    assert given.coef_ == pytest.approx(model.coef_, rel=1e-6)
    at = int(np.argmin(np.abs(model.path_.alphas - model.alpha_)))
    assert model.path_.alphas[at] == pytest.approx(model.alpha_, rel=1e-12)
    assert model.path_.coef[at, :, 0] == pytest.approx(model.coef_, rel=1e-3, abs=1e-3 * np.abs(model.coef_).max())


def test_whole_weights_are_copies_for_the_width_of_the_huber_loss():
    """A median that counts every row once gives a repeated row less than its weight."""
    X, y = rows("huber", (40, 4))
    times = np.random.default_rng(1).integers(1, 5, size=40)
    model = LinearRegressor("ridge", alpha=0.1, loss="huber")
    weighted = model.fit(X, y, sample_weight=times).predict(X)
    assert weighted == pytest.approx(model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).predict(X), rel=1e-8)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("penalty", ["ridge", "lasso", "elastic-net"])
def test_lazy_tables(tmp_path, penalty, standardize):
    """Models from moments have a grid of strengths of their own."""
    X, y = rows("squared", (200, 5))

    def coefficients(kind, X, y):
        table = pa.table({**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "y": y})
        pq.write_table(table, tmp_path / "t.parquet")
        model = kind(penalty, cv=4, standardize=standardize)
        return model.fit(tamis.read(str(tmp_path / "*.parquet"), lazy=True), "y").coef_

    expected = coefficients(LinearRegressor, X, y)
    classes = np.where(y > 3, "more", "less")
    of_classes = coefficients(LinearClassifier, X, classes)
    for factor in FACTORS:
        assert coefficients(LinearRegressor, X * factor, y) * factor == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert coefficients(LinearRegressor, X, y * factor) / factor == pytest.approx(expected, rel=1e-6, abs=1e-9)
        scaled = coefficients(LinearClassifier, X * factor, classes) * factor
        assert scaled == pytest.approx(of_classes, rel=1e-6, abs=1e-9)
