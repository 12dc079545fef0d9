"""Which models are a lasso, and what they choose on many resamples: the lasso path on each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import linear_model
from sklearn.base import BaseEstimator

from tamis import check
from tamis.engine import map_threads
from tamis.errors import ParameterError
from tamis.linear import LinearRegressor

GAP = 1e-6  # relative duality gap: of half the variance of the target


@dataclass(frozen=True)
class Lasso:
    """Minimise |y - Xw|²/2n + alpha |w|₁ with a free intercept; `scaled` standardises the columns on each resample."""

    alpha: float
    scaled: bool = False
    gap: float = GAP

    def strengths(self, X: np.ndarray, y: np.ndarray, alphas: Any) -> np.ndarray:
        """Falling strengths: the model's own, those given, or so many from where nothing is chosen down to its own."""
        if alphas is None:
            return np.array([self.alpha])
        if np.ndim(alphas) == 1:
            sorted_alphas = np.sort([check.number("alphas", float(a), low=0, open_low=True) for a in alphas])[::-1]
            return np.array(sorted_alphas)
        centred = X - X.mean(axis=0)
        if self.scaled:
            spread = centred.std(axis=0)
            centred = centred / np.where(spread > 0, spread, 1.0)
        largest = float(np.abs(centred.T @ (y - y.mean())).max() / len(y))
        if largest <= self.alpha:
            raise ParameterError(f"alpha={self.alpha:g} chooses no column at all; give one below {largest:g}")
        return np.geomspace(largest, self.alpha, check.count("alphas", alphas, low=2))

    def select(
        self, X: np.ndarray, y: np.ndarray, drawn: list[np.ndarray], alphas: np.ndarray, n_jobs: int | None
    ) -> np.ndarray:
        """What is chosen: resamples × strengths × columns."""
        from tamis.linear.solvers.compiled.squared_fit import lasso_path

        lines = np.ascontiguousarray(X.T, dtype=np.float64)
        steps = _warm(lines, y, alphas) if len(alphas) == 1 else alphas

        noise = 1e-12 * np.abs(lines).max(axis=1, initial=0.0)

        def chosen_in(rows: np.ndarray) -> np.ndarray:
            sample, target = lines.take(rows, axis=1), y[rows] - y[rows].mean()
            sample -= sample.mean(axis=1)[:, None]
            size = np.sqrt(np.einsum("ji,ji->j", sample, sample) / len(rows))
            sample[size <= noise] = 0.0
            if self.scaled:
                sample /= np.where(size > noise, size, 1.0)[:, None]
            coef, _ = lasso_path(sample, target, steps, self.gap)
            return np.asarray(coef[-len(alphas) :] != 0)

        return np.array(map_threads(chosen_in, drawn, n_jobs))


def lasso_of(selector: BaseEstimator) -> Lasso | None:
    """The lasso that an estimator is, or None."""
    kind = type(selector)
    if kind is linear_model.Lasso and selector.fit_intercept and not selector.positive and selector.alpha > 0:
        return Lasso(float(selector.alpha))
    if kind is LinearRegressor:
        params = selector.get_params(deep=False)
        plain = params["penalty"] == "lasso" and params.get("loss", "squared") == "squared" and params["fit_intercept"]
        numeric = isinstance(params["alpha"], (int, float)) and params["alpha"] > 0
        if plain and numeric and params.get("penalty_factors") is None and not params.get("group"):
            return Lasso(float(params["alpha"]), scaled=bool(params["standardize"]))
    return None


def _warm(lines: np.ndarray, y: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    """A short path down to a single strength: each step starts near its end."""
    centred = lines - lines.mean(axis=1)[:, None]
    largest = float(np.abs(centred @ (y - y.mean())).max(initial=0.0) / len(y))
    if largest <= alphas[-1]:
        return alphas
    return np.geomspace(largest, alphas[-1], 2 + int(4 * np.log10(largest / alphas[-1])))[1:]
