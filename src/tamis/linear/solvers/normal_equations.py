"""The normal equations of a squared loss, read from Moments: a whole path of fits without going back to the rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from tamis import _core
from tamis.errors import NotConverged
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.penalties.units import Units
from tamis.views.moments import Moments

_NUMBERS = 50_000_000  # of Gram matrices that are in memory at a time


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """½ βᵀHβ - cᵀβ + ½ yy: the mean squared loss in standardised columns.

    Attributes
    ----------
    H, c, yy : second moments of columns and target, over the sum of weights.
    scale : what a standardised column was divided by (infinite for a column that does not vary).
    centre, middle : means of columns and target, 0 without an intercept.
    """

    H: np.ndarray
    c: np.ndarray
    yy: float
    scale: np.ndarray
    centre: np.ndarray
    middle: float

    @classmethod
    def of(cls, moments: Moments, *, standardize: bool, fit_intercept: bool) -> NormalEquations:
        """The normal equations of moments with one target."""
        p = moments.n_columns
        spread, unit = moments.deviation, moments.scale
        second = moments.unit_scatter / moments.weight
        mean = moments.mean / unit
        if not fit_intercept:
            second = second + np.outer(mean, mean)
        alive = spread[:p] > 0 if fit_intercept else np.diagonal(second)[:p] > 0
        scale = np.where(spread[:p] > 0, spread[:p], 1.0) if standardize else np.ones(p)
        ratio = np.where(alive, unit[:p] / scale, 0.0)
        return cls(
            np.ascontiguousarray(second[:p, :p] * ratio[:, None] * ratio),
            second[:p, p] * ratio * unit[p],
            float(second[p, p] * unit[p] ** 2),
            np.where(alive, scale, np.inf),
            moments.mean[:p] if fit_intercept else np.zeros(p),
            float(moments.mean[p]) if fit_intercept else 0.0,
        )

    def gap(self, beta: np.ndarray, q: np.ndarray, penalty: Penalty, alpha: float) -> float:
        """The duality gap at β, whose gradient is q = c - Hβ."""
        l1, l2 = penalty.at(alpha)
        gradient = q - l2 * beta
        dual_scale = penalty.shrink(alpha, gradient[:, None])
        left = self.yy - self.c @ beta - q @ beta + l2 @ beta**2
        size = l1 @ penalty.norms(beta[:, None])[:, 0]
        free = penalty.factors * alpha == 0
        left_free = penalty.allowed(q[:, None])[free, 0]
        slack = 0.5 * float((left_free**2).sum()) + dual_scale * float(beta[free] @ left_free)
        return float(0.5 * left * (1 + dual_scale * dual_scale) + size - dual_scale * (self.yy - self.c @ beta)) + slack

    def path(self, penalty: Penalty, alphas: np.ndarray, tol: float) -> np.ndarray:
        """Coefficients (strengths × columns, standardised units), each from the one before; relative gap below tol."""
        return gram_paths([self], penalty, alphas, tol, 1)[0]

    def _warn(self, alphas: np.ndarray, gaps: np.ndarray, goal: float, tol: float) -> None:
        worst = int(np.argmax(gaps))
        if gaps[worst] > max(goal, 1e-14 * self.yy) and self.yy > 0:
            warnings.warn(
                f"the linear model stopped at a relative duality gap of {2 * gaps[worst] / self.yy:.1e} (asked "
                f"{tol:.1e}) for alpha={alphas[worst]:.3g}; give a larger alpha, or drop nearly equal columns",
                NotConverged,
                stacklevel=5,
            )

    def scaled(self, units: Units) -> NormalEquations:
        """The same in other units of target and columns; models come back in the given ones."""
        ratio, factor = units.target / units.columns, 1 / units.columns
        return replace(
            self,
            H=self.H * factor**2,
            c=self.c * (factor / units.target),
            yy=self.yy / units.target**2,
            scale=self.scale / ratio,
        )

    def original(self, beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts in the units of the columns (rows of β may be several models)."""
        coef = beta / self.scale
        return coef, self.middle - coef @ self.centre


def gram_paths(
    equations: list[NormalEquations], penalty: Penalty, alphas: np.ndarray, tol: float, n_threads: int
) -> np.ndarray:
    """Coefficients (fits × strengths × columns, standardised units) of an elastic net, by one call for all fits."""
    p, m = len(equations[0].c), len(alphas)
    out, gaps, yy = np.empty((len(equations), m, p)), np.empty((len(equations), m)), [one.yy for one in equations]
    _core.gram_paths(
        [one.H for one in equations],
        [one.c for one in equations],
        np.array(yy),
        *penalty.by_column(),
        np.asarray(alphas, dtype=np.float64),
        tol,
        out,
        gaps,
        n_threads,
    )
    for one, reached in zip(equations, gaps):
        one._warn(alphas, reached, tol * max(0.5 * one.yy, np.finfo(float).tiny), tol)
    return out


def fold_paths(
    equations: Callable[[int], NormalEquations],
    n: int,
    penalty: Penalty,
    alphas: np.ndarray,
    tol: float,
    n_threads: int,
) -> Iterator[tuple[NormalEquations, np.ndarray]]:
    """The normal equations of every fold and their paths; as many folds at a time as memory takes."""
    start = 0
    while start < n:
        first = equations(start)
        at_once = max(n_threads, int(_NUMBERS // max(1, first.H.size)))
        some = [first, *(equations(f) for f in range(start + 1, min(n, start + at_once)))]
        yield from zip(some, gram_paths(some, penalty, alphas, tol, n_threads))
        start += len(some)


def test_error(test: Moments, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """Mean squared error of models (models × columns) on the rows behind some moments."""
    p = test.n_columns
    unit = test.scale
    scaled = np.column_stack([coef * unit[:p], np.full(len(coef), -unit[p])])
    spread = np.einsum("ij,ij->i", scaled @ test.unit_scatter, scaled) / test.weight
    offset = intercept + coef @ test.mean[:p] - test.mean[p]
    return np.asarray(np.maximum(spread, 0.0) + offset**2)
