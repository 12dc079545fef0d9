"""Several targets: least squares and ridge target by target, the lasso with each column in or out for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.linear_model import MultiTaskLasso

from tamis.errors import ParameterError
from tamis.linear.design import Design
from tamis.linear.losses.squared import deviation
from tamis.linear.path import Path, strengths
from tamis.split import Folds
from tamis.table.like import TableLike


def takes_several(model: BaseEstimator) -> bool:
    """Whether a model's settings have a meaning for several targets."""
    if model.loss != "squared" or model.penalty not in (None, "ridge", "lasso") or model.alpha == "bayes":
        return False
    others = (model.relax, model.norm_bound, model.prior_sd, model.penalty_factors)
    plain = not model.group and model.alpha != "loo" and all(one is None for one in others)
    return model.penalty != "lasso" or plain


def check_several(model: BaseEstimator, offset: ArrayLike) -> None:
    """Refuse what several targets do not have."""
    if not takes_several(model) or offset is not None:
        raise ParameterError(
            "several targets take loss='squared' and penalty None, 'ridge' or 'lasso' (with alpha a number or 'cv' "
            f"alone), but loss={model.loss!r}, penalty={model.penalty!r} and alpha={model.alpha!r}; "
            "fit one target at a time"
        )


def target_units(Y: np.ndarray, weights: np.ndarray, centred: bool) -> np.ndarray:
    """The deviation of every target, in which they are compared."""
    share = weights / weights.sum()
    return np.array([deviation(y, share, centred) for y in Y.T])


class JointLasso:
    r"""min 1/(2n) |Y - b - Z W|² + α Σⱼ |Wⱼ|₂, with targets divided by their deviations and columns by theirs.

    A column's coefficients for all targets are one group: it is in or out for all. Solved by scikit-learn's
    MultiTaskLasso, rows multiplied by the roots of their weights.
    """

    def __init__(
        self, X: TableLike, Y: np.ndarray, weights: np.ndarray, unit: np.ndarray, options: dict[str, bool]
    ) -> None:
        share = weights / weights.sum()
        design = Design(X.toarray() if hasattr(X, "toarray") else X)
        centred = options["fit_intercept"]
        self.centre, self.inverse = (
            part[:, 0] for part in design.units(share[:, None], options["standardize"], centred)
        )
        self.middle = share @ Y if centred else np.zeros(Y.shape[1])
        self.unit = unit
        seen = np.flatnonzero(weights)
        half = np.sqrt(share[seen] * seen.size)[:, None]
        self.rows = np.asfortranarray(half * design.columns(np.arange(design.p), self.centre, self.inverse)[seen])
        self.target = np.asfortranarray(half * (Y[seen] - self.middle) / unit)
        self.solver = MultiTaskLasso(fit_intercept=False, warm_start=True, max_iter=100_000)

    @property
    def largest(self) -> float:
        """The strength that empties the model."""
        gradient = self.rows.T @ self.target / len(self.rows)
        return float(np.sqrt((gradient**2).sum(axis=1)).max(initial=0.0))

    @property
    def gap(self) -> float:
        """The duality gap of the last solution, of the objective without columns."""
        null = 0.5 * float((self.target**2).sum()) / len(self.target)
        return max(float(getattr(self.solver, "dual_gap_", 0.0)), 0.0) / max(null, np.finfo(float).tiny)

    def at(self, alpha: float, tol: float) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (columns × targets) and intercepts in the given units; from the solution before."""
        if alpha >= self.largest:
            standard = np.zeros((self.rows.shape[1], len(self.unit)))
        else:
            self.solver.set_params(alpha=alpha, tol=tol).fit(self.rows, self.target)
            standard = self.solver.coef_.T
        coef = standard * self.inverse[:, None] * self.unit
        return coef, self.middle - self.centre @ coef


def joint_path(
    job: Any, Y: np.ndarray, unit: np.ndarray, splits: Folds, n_alphas: int, keep: Callable[[int, Any, Any], None]
) -> Path:
    """The path of all rows, with mean squared errors of the folds averaged over targets in their units."""
    whole = JointLasso(job.X, Y, job.weights, unit, job.options)
    n, p = job.X.shape
    alphas = strengths(whole.largest, n_alphas, p > n)
    models = [whole.at(float(alpha), job.tol) for alpha in alphas]
    errors = np.empty((len(splits), len(alphas)))
    for f, (train, test) in enumerate(splits):
        kept = np.zeros(n)
        np.add.at(kept, train, job.weights[train])
        part = JointLasso(job.X, Y, kept, unit, job.options)
        found = [part.at(float(alpha), job.tol) for alpha in alphas]
        keep(f, np.array([coef for coef, _ in found]), np.array([b for _, b in found]))
        share = job.weights[test] / job.weights[test].sum()
        for a, (coef, b) in enumerate(found):
            errors[f, a] = share @ (((Y[test] - np.asarray(job.X[test] @ coef) - b) / unit) ** 2).mean(axis=1)
    stack = np.array([coef for coef, _ in models])
    path = Path(alphas, stack, np.array([b for _, b in models]), np.count_nonzero(stack.any(axis=2), axis=1))
    return path.scored(errors, np.array([job.weights[test].sum() for _, test in splits]))
