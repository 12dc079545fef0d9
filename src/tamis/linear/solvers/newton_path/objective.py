"""The penalised objective of one fit, and its duality gap."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.linear.losses.loss import Loss
from tamis.linear.penalties.elastic_net import Penalty
from tamis.linear.solvers.newton_path.state import FitState
from tamis.linear.solvers.newton_path.working_columns import WorkingColumns

_ROUNDING = 1e-13  # share of the objective below which a difference is rounding


@dataclass(frozen=True, eq=False)
class Objective:
    """Mean loss + alpha · penalty on shared columns."""

    loss: Loss
    penalty: Penalty
    columns: WorkingColumns

    def null(self, fit: FitState) -> float:
        """What a model can lower of the objective without columns: the measure of gaps.

        Where that is rounding only (a target that does not vary), gaps are measured by the size of the objective.
        """
        whole, floor = self.value(fit, 0.0), self.floor(fit)
        size = max(abs(whole), abs(floor), self.loss.magnitude(fit.weights), np.finfo(float).tiny)
        return whole - floor if whole - floor > _ROUNDING * size else size

    def floor(self, fit: FitState) -> float:
        """The part of the null objective that no model can lower: the loss of perfect predictions."""
        return float(-fit.weights @ self.loss.conjugate(np.zeros_like(fit.eta)))

    def value(self, fit: FitState, alpha: float) -> float:
        """Mean loss + alpha · penalty."""
        loss = float(fit.weights @ self.loss.value(fit.eta))
        if alpha == 0 or not len(self.columns.chosen):
            return loss
        full = np.zeros_like(fit.score)
        full[self.columns.chosen] = fit.beta
        return loss + self.penalty.value(alpha, full)

    def gap(self, fit: FitState, alpha: float) -> float:
        """Primal minus dual objective; free columns count with the gain a Newton step would still bring."""
        primal = self.value(fit, alpha)
        residual = fit.residual / np.where(fit.weights > 0, fit.weights, 1.0)[:, None]
        scales = {self.penalty.shrink(alpha, fit.score)} | ({1.0} if self.penalty.l1_ratio < 1 else set())
        free = np.flatnonzero(self.penalty.factors * alpha == 0)
        free_product = self._free(fit, free)
        gap = np.inf
        for dual_scale in scales:
            conjugate = self.penalty.conjugate(alpha, dual_scale * fit.score)
            if np.isfinite(conjugate):
                value = self.loss.conjugate(dual_scale * residual)
                if self.loss.offset is not None:
                    value = value + dual_scale * (residual * self.loss.offset).sum(axis=1)
                gap = min(gap, primal + float(fit.weights @ value) + conjugate + dual_scale * free_product)
        if not free.size:
            return gap
        curvature = max(1e-300, float((fit.weights @ self.loss.curvature(fit.eta)).mean()))
        return gap + 0.5 * float((fit.score[free] ** 2).sum()) / curvature

    def _free(self, fit: FitState, free: np.ndarray) -> float:
        """Coefficients of free columns times their gradients: the dual point has none there."""
        if not free.size:
            return 0.0
        both, inside, _ = np.intersect1d(self.columns.chosen, free, return_indices=True)
        return float((fit.beta[inside] * fit.score[both]).sum())
