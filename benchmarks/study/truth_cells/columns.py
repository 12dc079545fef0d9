"""What is said of columns: p-values, pairs that act together, selectors with an error rate, columns called sure."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

import tamis
from tamis.study.claims.association import association
from tamis.study.findings.interchangeable import interchangeable
from tamis.study.findings.pairs.interactions import interactions
from tamis.study.findings.sure import sure_columns
from truth_cells.cell import Cell, Figure

Table = Callable[[np.random.Generator], pd.DataFrame]


def problem_of(frame: pd.DataFrame, **settings: Any) -> Any:
    """What a study of the frame would learn from."""
    with tempfile.TemporaryDirectory() as folder:
        return tamis.Study(frame, target="y", folder=Path(folder) / "s", lock=0, **settings).problem


def framed(X: np.ndarray, y: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{j:02d}" for j in range(X.shape[1])]).assign(y=y)


def correlated(rng: np.random.Generator, n: int, d: int, rho: float = 0.5) -> np.ndarray:
    return np.sqrt(rho) * rng.normal(size=(n, 1)) + np.sqrt(1 - rho) * rng.normal(size=(n, d))


def classes(rng: np.random.Generator, eta: np.ndarray) -> np.ndarray:
    return np.where(rng.random(len(eta)) < expit(eta), "p", "q")


# p-values of columns, in noise


def lognormal(rng: np.random.Generator) -> pd.DataFrame:
    return framed(np.exp(2 * rng.normal(size=(60, 10))), np.exp(2 * rng.normal(size=60)))


def skewed_categories(rng: np.random.Generator) -> pd.DataFrame:
    shares = [0.6, 0.2, 0.1, 0.05, 0.03, 0.02]
    words = np.array(list("abcdef"), dtype=object)[rng.choice(6, size=(120, 8), p=shares)]
    return framed(words, np.where(rng.random(120) < 0.15, "p", "q"))


def groups(rng: np.random.Generator) -> pd.DataFrame:
    group = np.repeat(np.arange(20), rng.integers(1, 10, 20))
    X = rng.normal(size=(20, 6))[group] + 0.5 * rng.normal(size=(len(group), 6))
    y = rng.normal(size=20)[group] + 0.5 * rng.normal(size=len(group))
    return framed(X, y).assign(w=[f"g{code}" for code in group])


def series(rng: np.random.Generator, phi: float) -> pd.DataFrame:
    values = np.zeros((120, 7))
    for step in range(1, 120):
        values[step] = phi * values[step - 1] + rng.normal(size=7)
    return framed(values[:, :6], values[:, 6]).assign(w=np.arange(120))


def p_values(make: Table, **settings: Any) -> Callable[[np.random.Generator], dict[str, float]]:
    return lambda rng: {"any p ≤ 0.05": association(problem_of(make(rng), **settings)).p_value <= 0.05}


# pairs that act together


def pairs(make: Table, **settings: Any) -> Callable[[np.random.Generator], dict[str, float]]:
    def compute(rng: np.random.Generator) -> dict[str, float]:
        problem = problem_of(make(rng), **settings)
        found = interactions(problem, list(problem.X.names))["pairs"]
        return {"a pair named": bool(found), "x00 and x01 named": bool(found) and found[0]["second"] == "x01"}

    return compute


def linear(rng: np.random.Generator) -> pd.DataFrame:
    X = correlated(rng, 200, 8)
    return framed(X, X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(size=200))


def curved(rng: np.random.Generator) -> pd.DataFrame:
    X = correlated(rng, 200, 8)
    return framed(X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + np.exp(X[:, 2] / 1.5) + 0.5 * rng.normal(size=200))


def linear_classes(rng: np.random.Generator) -> pd.DataFrame:
    X = correlated(rng, 200, 8)
    return framed(X, classes(rng, 3 * (X[:, 0] + X[:, 1] - X[:, 2])))


def curved_classes(rng: np.random.Generator) -> pd.DataFrame:
    X = correlated(rng, 300, 8)
    return framed(X, classes(rng, 2 * np.sin(2 * X[:, 0]) + X[:, 1] ** 2 - 1 + X[:, 2]))


def exclusive_or(rng: np.random.Generator) -> pd.DataFrame:
    X = rng.normal(size=(150, 8))
    return framed(X, np.where((X[:, 0] * X[:, 1] > 0) ^ (rng.random(150) < 0.1), "p", "q"))


# selectors


def shadow_noise(rng: np.random.Generator) -> dict[str, float]:
    X, y = rng.normal(size=(120, 10)), rng.integers(0, 2, 120)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {"confirmed": tamis.ShadowSelector(n_jobs=1).fit(X, y).support_.any()}


def knockoffs(kind: str) -> Callable[[np.random.Generator], dict[str, float]]:
    """15 of 40 columns matter; the share of false ones among the selected, and of true ones selected."""

    def compute(rng: np.random.Generator) -> dict[str, float]:
        sigma = 0.5 ** np.abs(np.subtract.outer(range(40), range(40)))
        Z = rng.normal(size=(400, 40)) @ np.linalg.cholesky(sigma).T
        frame = pd.DataFrame({f"x{j:02d}": Z[:, j] for j in range(40)})
        effects = Z.copy()
        for j in range(1, 40, 3) if kind != "normal" else ():
            codes = np.digitize(Z[:, j], [-0.8, 0.3])
            frame[f"x{j:02d}"] = np.array(list("bac"), dtype=object)[codes]
            effects[:, j] = 2.0 * (codes == 2) - (codes == 0)
        if kind == "holes":
            for j in range(40):
                frame.loc[rng.random(400) < 0.1 * (1 + np.tanh(Z[:, (j + 1) % 40])), f"x{j:02d}"] = None
            effects = np.where(frame.isna().to_numpy(), 0.5, effects)
        true = rng.permutation(40)[:15]
        y = effects[:, true] @ (0.35 * rng.choice([-1, 1], 15)) + rng.normal(size=400)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selected = np.flatnonzero(tamis.KnockoffSelector(n_jobs=1).fit(frame, y).support_)
        lasso = {int(name[1:]) for name in tamis.LinearRegressor(missing="mean").fit(frame, y).selected_columns_}
        n_true = len(np.intersect1d(selected, true))
        return {
            "false share": 1 - n_true / len(selected) if len(selected) else 0.0,
            "power": n_true / 15,
            "false share, lasso 1se": 1 - len(lasso & set(true.tolist())) / max(1, len(lasso)),
            "power, lasso 1se": len(lasso & set(true.tolist())) / 15,
        }

    return compute


_RATES = {
    "false share": Figure(high=0.1, rate=False),
    "power": Figure(low=0.5, rate=False),
    "false share, lasso 1se": Figure(rate=False),
    "power, lasso 1se": Figure(rate=False),
}


# columns that a lasso names


def named_columns(by_class: bool) -> Callable[[np.random.Generator], dict[str, float]]:
    """Five of 30 columns matter, the first most."""

    def compute(rng: np.random.Generator) -> dict[str, float]:
        X = correlated(rng, 150, 30, 0.3)
        eta = X[:, :5] @ [1, -0.8, 0.6, 0.4, 0.3]
        frame = framed(X, classes(rng, 1.5 * eta) if by_class else eta + rng.normal(size=150))
        problem = problem_of(frame)
        model = (tamis.LinearClassifier if by_class else tamis.LinearRegressor)().fit(
            frame.drop(columns="y"), frame["y"]
        )
        order = list(model.selected_columns_)
        sure = [
            row["name"] for row in sure_columns(problem, order, interchangeable(problem, order), []) if row["supported"]
        ]
        return {
            "noise among sure columns": np.mean([int(name[1:]) >= 5 for name in sure]) if sure else np.nan,
            "noise among named columns": np.mean([int(name[1:]) >= 5 for name in order]) if order else np.nan,
            "strongest column sure": "x00" in sure,
        }

    return compute


_NAMED = {
    "noise among sure columns": Figure(high=0.1, rate=False),
    "noise among named columns": Figure(rate=False),
    "strongest column sure": Figure(low=0.8),
}

_P, _ADDITIVE = {"any p ≤ 0.05": Figure(high=0.05)}, {"a pair named": Figure(high=0.05)}

CELLS = [
    Cell("p-values", "lognormal noise", p_values(lognormal), _P, tables=60),
    Cell("p-values", "skewed categories, noise", p_values(skewed_categories), _P, tables=60),
    Cell("p-values", "groups, noise", p_values(groups, groups="w"), _P, tables=60),
    Cell("p-values", "autoregressions", p_values(lambda rng: series(rng, 0.9), time="w"), _P, tables=60),
    Cell("p-values", "random walks", p_values(lambda rng: series(rng, 1.0), time="w"), _P, tables=60),
    Cell("pairs", "sum, linear", pairs(linear), _ADDITIVE, tables=60),
    Cell("pairs", "sum, curved", pairs(curved), _ADDITIVE, tables=60),
    Cell("pairs", "sum, linear, classes", pairs(linear_classes), _ADDITIVE, tables=60),
    Cell("pairs", "sum, curved, classes", pairs(curved_classes), _ADDITIVE, tables=60),
    Cell("pairs", "XOR", pairs(exclusive_or), {"x00 and x01 named": Figure(low=0.9)}),
    Cell("shadow", "noise, alpha 0.05", shadow_noise, {"confirmed": Figure(high=0.05)}, tables=60),
    Cell("knockoffs", "normal columns, fdr 0.1", knockoffs("normal"), _RATES, tables=60),
    Cell("knockoffs", "mixed columns, fdr 0.1", knockoffs("mixed"), _RATES, tables=60),
    Cell("knockoffs", "mixed columns with holes, fdr 0.1", knockoffs("holes"), _RATES, tables=60),
    Cell("named columns", "lasso, numbers", named_columns(by_class=False), _NAMED, tables=40),
    Cell("named columns", "lasso, classes", named_columns(by_class=True), _NAMED, tables=40),
]
