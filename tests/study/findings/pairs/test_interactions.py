"""Pairs that act together: named where they do, and not where effects add up."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import special
from sklearn.linear_model import LogisticRegression

import tamis
from tamis.study.findings.pairs.additive_fit import RIDGE, _logistic
from tamis.study.findings.pairs.interactions import inflated, interactions


def _correlated(rng, n, d=6, rho=0.5):
    return np.sqrt(rho) * rng.normal(size=(n, 1)) + np.sqrt(1 - rho) * rng.normal(size=(n, d))


def _binary(rng, eta):
    return np.where(rng.random(len(eta)) < special.expit(eta), "p", "q")


def _linear(rng):
    X = _correlated(rng, 200)
    return X, X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(size=200)


def _curved(rng):
    X = _correlated(rng, 200)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + np.exp(X[:, 2] / 1.5) + 0.5 * rng.normal(size=200)


def _lognormal(rng):
    X = np.exp(_correlated(rng, 200))
    return X, X[:, 0] + X[:, 1] + np.log(X[:, 2]) + rng.normal(size=200)


def _unequal_noise(rng):
    X = _correlated(rng, 200)
    return X, X[:, 0] + X[:, 1] + np.exp(0.7 * X[:, 0]) * rng.normal(size=200)


def _classes(rng):
    X = _correlated(rng, 200)
    return X, _binary(rng, 3 * (X[:, 0] + X[:, 1] - X[:, 2]))


def _curved_classes(rng):
    X = _correlated(rng, 300)
    return X, _binary(rng, 2 * np.sin(2 * X[:, 0]) + X[:, 1] ** 2 - 1 + X[:, 2])


def _three_classes(rng):
    X = _correlated(rng, 300)
    eta = np.column_stack([np.zeros(300), X[:, 0] + X[:, 1], X[:, 1] - X[:, 2]])
    return X, np.array(["p", "q", "r"])[(eta + rng.gumbel(size=eta.shape)).argmax(axis=1)]


def _groups(rng):
    group = np.repeat(np.arange(40), rng.integers(2, 10, 40))
    X = rng.normal(size=(40, 6))[group] + 0.5 * rng.normal(size=(len(group), 6))
    return X, X[:, 0] + X[:, 1] + rng.normal(size=40)[group] + 0.5 * rng.normal(size=len(group)), group


ADDITIVE = {
    "linear": _linear,
    "curved": _curved,
    "lognormal": _lognormal,
    "unequal noise": _unequal_noise,
    "classes": _classes,
    "curved, classes": _curved_classes,
    "three classes": _three_classes,
    "groups": _groups,
}


def _pairs(tmp_path, X, y, group=None):
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names).assign(y=y)
    settings = {} if group is None else {"groups": "group"}
    if group is not None:
        frame["group"] = [f"g{code}" for code in group]
    problem = tamis.Study(frame, target="y", folder=tmp_path / "s", lock=0, **settings).problem
    return [(pair["first"], pair["second"]) for pair in interactions(problem, names)["pairs"]]


def _n_named(kind, tmp_path, n_tables):
    make = ADDITIVE[kind]
    return sum(bool(_pairs(tmp_path, *make(np.random.default_rng(seed)))) for seed in range(n_tables))


@pytest.mark.parametrize("kind", ADDITIVE)
def test_effects_that_add_up_are_no_pair(kind, tmp_path):
    """Two columns that both matter would be said to act together; 5 of 25 at 5% has a probability of 0.007."""
    assert _n_named(kind, tmp_path, 25) <= 4


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ADDITIVE)
def test_pairs_of_additive_truths_are_named_in_5_percent(kind, tmp_path):
    """As above, of 300 tables: at most 5% and two standard errors."""
    assert _n_named(kind, tmp_path, 300) <= 300 * 0.05 + 2 * np.sqrt(300 * 0.05 * 0.95)


def _product(rng):
    X = rng.normal(size=(150, 6))
    return X, X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=150)


def _xor(rng):
    X = rng.normal(size=(150, 6))
    return X, np.where((X[:, 0] * X[:, 1] > 0) ^ (rng.random(150) < 0.1), "p", "q")


def _beside_effects(rng):
    X = rng.normal(size=(300, 6))
    return X, _binary(rng, X[:, 0] + X[:, 1] + 1.5 * X[:, 0] * X[:, 1])


@pytest.mark.parametrize("make", [_product, _xor, _beside_effects])
def test_columns_that_act_together_are_named_and_no_others(make, tmp_path):
    """A test that only avoids false pairs would name none."""
    for seed in range(5):
        assert _pairs(tmp_path, *make(np.random.default_rng(seed))) == [("x0", "x1")]


def test_levels_that_act_together_are_named(tmp_path):
    """Pairs with categories, or values missing, would never be tested."""
    rng = np.random.default_rng(0)
    level, number = rng.integers(0, 3, 300), rng.normal(size=300)
    y = number * (level - 1.0) + rng.normal(size=300)
    number[rng.random(300) < 0.1] = np.nan
    frame = pd.DataFrame({"c": np.array(list("uvw"), dtype=object)[level], "n": number, "z": rng.normal(size=300)})
    problem = tamis.Study(frame.assign(y=y), target="y", folder=tmp_path / "s", lock=0).problem
    found = interactions(problem, ["z", "n", "c"])
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [("c", "n")]
    assert found["pairs"][0]["share"] > 0.2


def test_the_logistic_fit_is_scikit_learns():
    """Residuals would be those of another model."""
    rng = np.random.default_rng(0)
    terms = np.column_stack([np.ones(200), rng.normal(size=(200, 5))])
    y = (rng.random(200) < special.expit(terms @ [0.3, 1, -1, 0, 2, 0])).astype(float)
    model = LogisticRegression(C=1 / RIDGE, tol=1e-10, max_iter=1000).fit(terms[:, 1:], y)
    np.testing.assert_allclose(_logistic(terms, y), model.predict_proba(terms[:, 1:])[:, 1], atol=1e-5)


def test_inflated_residuals_are_those_of_a_fit_without_the_group():
    """Draws would be smaller than the residuals of rows that the fit has not seen."""
    rng = np.random.default_rng(0)
    terms, y = np.column_stack([np.ones(60), rng.normal(size=(60, 3))]), rng.normal(size=60)
    basis = np.linalg.qr(terms)[0]
    clusters = np.arange(60) // 6
    for codes in (clusters, np.arange(60), np.maximum(np.arange(60) - 40, 3)):  # of one row beside one of 44
        fit = type("Fit", (), {"basis": basis, "residual": y - basis @ (basis.T @ y)})
        own = codes == 3
        coef = np.linalg.lstsq(terms[~own], y[~own], rcond=None)[0]
        np.testing.assert_allclose(inflated(fit, codes)[own], y[own] - terms[own] @ coef)
