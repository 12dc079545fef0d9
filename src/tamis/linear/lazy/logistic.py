"""Logistic models of a lazy table, by passes over its rows.

Without a penalty, Newton's method on all training parts at once: gradients are each part's own, curvatures those at the
model of all rows, which many rows leave close by. The path is that of the quadratic expansion about each optimum (least
squares approximation); its models are judged by their true loss on the rows held out, in one pass. The chosen strength
is then solved exactly, by a Newton step a pass. So the path's models are approximate where the penalty is strong, and
the model that is kept is not.

References
----------
Wang, Leng (2007), Unified lasso estimation by least squares approximation, JASA 102.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tamis.engine import one_blas_thread
from tamis.errors import NotConverged, ParameterError
from tamis.linear.lazy.logistic_pass import Derivatives, DerivativesOfCell, HeldOutLossOfCell, add, merge
from tamis.linear.lazy.prepare import folds_of, importances, learn_fill, refuse_ratios, remember
from tamis.linear.path import Path, strengths
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.penalties.units import Units, common_unit
from tamis.linear.solvers.normal_equations import NormalEquations
from tamis.table import LazyTable
from tamis.views.lazy.fold_moments import MomentsOfCell, RowFolds, fold_moments
from tamis.views.lazy.target import target_named, target_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


_PASSES = 30  # at most
_ENOUGH = 1e-10  # of the mean loss: what a further step would gain


def fit_logistic(model: BaseEstimator, table: LazyTable, y: ArrayLike) -> None:
    """Fit a LinearClassifier of two classes to a lazy table."""
    target = target_named(table, y)
    answer = target_of(table, target, numbers=False)
    _refuse(model, len(answer.labels))
    refuse_ratios(model)
    model.classes_ = np.array(answer.labels)
    free = model.penalty is None or (not isinstance(model.alpha, str) and model.alpha in (0, None))
    encoding = remember(model, table, target, reference=model.penalty is None)
    n_folds = 1 if free or not isinstance(model.alpha, str) else folds_of(model.cv)
    fill = learn_fill(model, table, target, encoding, answer)
    moments = fold_moments(table, target, n_folds=n_folds, encoding=encoding, answer=answer, fill=fill)
    spread = moments.total.deviation[:-1]
    scale = np.where(spread > 0, spread, 1.0)
    wanted = table.select([*encoding.names, target])
    rows = MomentsOfCell(wanted.cell_table(), encoding, target, RowFolds(n_folds), answer, fill)
    passes = _Passes(wanted, rows, moments.total.mean[:-1], scale)
    parts = [*(moments.train if n_folds > 1 else ()), moments.total]
    with one_blas_thread():
        optima = _unpenalised(passes, len(parts), float(moments.total.mean[-1]), spread > 0)
        if free:
            model.alpha_, model.gap_, model.path_ = 0.0, 0.0, None
            best = optima[-1].w
        else:
            penalised = spread[model._penalty(model.n_features_in_).factors > 0]
            unit = Units(columns=1.0 if model.standardize else common_unit(penalised))
            factors = [_column_factors(model, part.deviation[:-1], scale, unit) for part in parts]
            best = _penalised(model, passes, optima, factors, unit, np.array([test.weight for test in moments.test]))
    coef, intercept = passes.original(best[None])
    model._keep(coef.T, intercept)
    order = model.inputs_.order
    scatter = moments.total.scatter[:-1, :-1]
    model.feature_importances_ = importances(
        model.coef_[:, order], scatter, moments.total.weight, model.inputs_.groups, model.n_features_in_
    )


def _refuse(model: BaseEstimator, n_classes: int) -> None:
    known = model.loss == "logistic" and model.penalty != "subset" and model.alpha not in ("loo", "bayes")
    if not known or n_classes != 2 or model.class_weight is not None:
        raise ParameterError(
            "a lazy table takes logistic models of two classes with penalty None, 'ridge', 'lasso' or 'elastic-net', "
            f"without class_weight; this one has {n_classes} classes, penalty={model.penalty!r} and "
            f"loss={model.loss!r}: change it, or give a sample: table.sample(100_000)"
        )


@dataclass(frozen=True, eq=False)
class Optimum:
    """A model without a penalty (intercept first) and the mean curvature of its rows there."""

    w: np.ndarray
    hessian: np.ndarray


@dataclass(frozen=True, eq=False)
class _Passes:
    """The rows of a lazy table, standardised."""

    table: LazyTable
    rows: MomentsOfCell
    centre: np.ndarray
    scale: np.ndarray

    def derivatives(self, models: np.ndarray) -> Derivatives:
        """Of several models; the curvature is that of the last."""
        return self.table.reduce(DerivativesOfCell(self.rows, self.centre, self.scale, models), merge)

    def held_out(self, models: np.ndarray) -> np.ndarray:
        """Losses of the rows of each fold by models of its own."""
        return self.table.reduce(HeldOutLossOfCell(self.rows, self.centre, self.scale, models), add)

    def original(self, models: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients and intercepts in the units of the columns."""
        coef = models[:, 1:] / self.scale
        return coef, models[:, 0] - coef @ self.centre


def _unpenalised(passes: _Passes, n_parts: int, share: float, alive: np.ndarray) -> list[Optimum]:
    """The optimum of every training part, and of all rows last."""
    q = len(alive) + 1
    W = np.zeros((n_parts, q))
    W[:, 0] = np.log(share / (1 - share))
    firm = np.diag(np.append(0.0, np.where(alive, 1e-10, 1.0)))  # columns that do not vary, or depend on others
    before = W
    worst = np.full(n_parts, np.inf)
    for _ in range(_PASSES):
        found = passes.derivatives(W)
        loss, gradient, hessian = (_by_part(part, n_parts) for part in (found.loss, found.gradient, found.hessian))
        total = _by_part(found.rows, n_parts)
        losses = np.array([loss[m, m] for m in range(n_parts)]) / total
        worse = losses > worst + 1e-12
        if worse.any():
            W = np.where(worse[:, None], (W + before) / 2, W)
            continue
        H = [hessian[m] / total[m] + firm for m in range(n_parts)]
        steps = np.array([np.linalg.solve(H[m], gradient[m, m] / total[m]) for m in range(n_parts)])
        gain = max(0.5 * float(gradient[m, m] @ steps[m]) / total[m] for m in range(n_parts))
        if gain < _ENOUGH:
            return [Optimum(W[m] + steps[m], H[m]) for m in range(n_parts)]
        before, worst, W = W, losses, W + steps
    warnings.warn(
        "the logistic model did not settle without a penalty: the columns may part the classes perfectly; give "
        "penalty='ridge' and a number for alpha on a sample",
        NotConverged,
        stacklevel=4,
    )
    return [Optimum(W[m], H[m]) for m in range(n_parts)]


def _by_part(sums: np.ndarray, n_parts: int) -> np.ndarray:
    """Sums over the folds that make each part: all but one, and all of them last."""
    total = sums.sum(axis=0)
    if n_parts == 1:
        return np.asarray(total[None])
    others = [np.delete(sums, f, axis=0).sum(axis=0) for f in range(len(sums))]
    return np.array([*others, total])


def _column_factors(model: BaseEstimator, deviation: np.ndarray, scale: np.ndarray, unit: Units) -> np.ndarray:
    """What a coefficient of a standardised column is multiplied by before it is penalised; 0 for a constant column."""
    own = deviation if model.standardize else np.where(deviation > 0, unit.columns, 0.0)
    return np.asarray(own / scale)


def _quadratic(optimum: Optimum, factors: np.ndarray) -> tuple[NormalEquations, np.ndarray]:
    """The quadratic about an optimum in penalised units, its intercept solved for; and what the intercept follows."""
    H = optimum.hessian
    follow = H[0, 1:] / H[0, 0]
    inner = H[1:, 1:] - np.outer(H[1:, 0], follow)
    inverse = np.divide(1.0, factors, out=np.zeros_like(factors), where=factors > 0)
    inner = inner * inverse[:, None] * inverse
    beta = optimum.w[1:] * factors
    c = inner @ beta
    ones = np.ones(len(c))
    equations = NormalEquations(np.ascontiguousarray(inner), c, float(c @ beta), ones, 0 * ones, 0.0)
    return equations, follow


def _along(optimum: Optimum, factors: np.ndarray, penalty: Penalty, alphas: np.ndarray, tol: float) -> np.ndarray:
    """Models (strengths × (1 + columns)) along the path of the quadratic about an optimum."""
    equations, follow = _quadratic(optimum, factors)
    inverse = np.divide(1.0, factors, out=np.zeros_like(factors), where=factors > 0)
    w = equations.path(penalty, alphas, tol) * inverse
    return np.column_stack([optimum.w[0] - (w - optimum.w[1:]) @ follow, w])


def _penalised(
    model: BaseEstimator,
    passes: _Passes,
    optima: list[Optimum],
    factors: list[np.ndarray],
    unit: Units,
    weights: np.ndarray,
) -> np.ndarray:
    """The model at the strength given, or at that which the folds choose."""
    penalty = model._penalty(model.n_features_in_)
    if len(optima) == 1:
        model.alpha_, model.l1_ratio_, model.path_ = float(model.alpha), penalty.l1_ratio, None
        alpha, ratio = unit.inside(model.alpha_, model.l1_ratio_)
        penalty = replace(penalty, l1_ratio=ratio)
    else:
        equations, _ = _quadratic(optima[-1], factors[-1])
        top = penalty.largest(equations.c[:, None])
        alphas = strengths(top, model.n_alphas, False, penalty.l1_ratio == 0)
        paths = [_along(one, own, penalty, alphas, model.tol) for one, own in zip(optima, factors)]
        errors = passes.held_out(np.array(paths[:-1])) / weights[:, None]
        coef, intercept = passes.original(paths[-1])
        path = Path(alphas, coef[:, :, None], intercept[:, None], np.count_nonzero(coef, axis=1))
        path = path.scored(errors, weights)
        strength, _ = unit.outside(1.0, penalty.l1_ratio)
        model._keep_path(replace(path, alphas=alphas * strength))
        alpha = float(alphas[path.choose(model.rule)])
        model.alpha_, model.l1_ratio_ = unit.outside(alpha, penalty.l1_ratio)
    return _exact(model, passes, optima[-1], factors[-1], penalty, alpha)


def _exact(
    model: BaseEstimator, passes: _Passes, optimum: Optimum, factors: np.ndarray, penalty: Penalty, alpha: float
) -> np.ndarray:
    """The optimum of the penalised loss of all rows: from the quadratic's, a Newton step a pass."""
    w = _along(optimum, factors, penalty, np.array([alpha]), 1e-10)[0]
    firm = np.diag(np.append(0.0, np.where(factors > 0, 1e-10, 1.0)))
    for _ in range(_PASSES):
        found = passes.derivatives(w[None])
        n = found.rows.sum()
        hessian = found.hessian.sum(axis=0) / n + firm
        goal = w + np.linalg.solve(hessian, found.gradient.sum(axis=0)[0] / n)
        new = _along(replace(optimum, w=goal, hessian=hessian), factors, penalty, np.array([alpha]), 1e-10)[0]
        change = float((new - w) @ hessian @ (new - w))
        w = new
        if change < 1e-12:
            break
    else:
        warnings.warn(
            f"the logistic model stopped after {_PASSES} passes for alpha={alpha:.3g}; give a larger alpha",
            NotConverged,
            stacklevel=4,
        )
    model.gap_ = change
    return w
