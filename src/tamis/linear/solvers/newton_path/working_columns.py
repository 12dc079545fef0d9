"""The columns that several fits solve for, as one dense block, and products with them in each fit's own units."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.linear.design import Design
from tamis.linear.solvers.newton_path.state import FitState


class WorkingColumns:
    """Standardised columns of a design, read when they are first wanted.

    Attributes
    ----------
    base_centre, base_inverse : units of the block, one a column of the design: (x - base_centre) · base_inverse.
    chosen : columns of the design that are in the block, in the order they came.
    block : rows × chosen.
    place : position in the block of every column of the design, -1 outside.
    """

    def __init__(self, design: Design, weights: np.ndarray, centred: bool) -> None:
        self.design = design
        self.base_centre, self.base_inverse = (a[:, 0] for a in design.units(weights, True, centred))
        self.chosen = np.zeros(0, dtype=np.int64)
        self.block = np.empty((design.n, 0), order="F")
        self.place = np.full(design.p, -1, dtype=np.int64)

    @property
    def stretch(self) -> np.ndarray:
        """1 / scale of every column of the design, 1 where it does not vary."""
        return np.where(self.base_inverse > 0, self.base_inverse, 1.0)

    def add(self, new: np.ndarray) -> None:
        """Read more columns."""
        self.place[new] = len(self.chosen) + np.arange(new.size)
        self.chosen = np.concatenate([self.chosen, new])
        added = self.design.columns(new, self.base_centre, self.base_inverse)
        self.block = np.asfortranarray(np.hstack([self.block, added]))

    def linear_predictor(self, fit: FitState) -> np.ndarray:
        """X β + intercept of one fit, without an offset (rows × outputs)."""
        which = self.chosen[fit.active]
        raw = fit.beta[fit.active] * fit.inverse[which, None]
        shift = fit.intercept - fit.centre[which] @ raw
        if 2 * len(which) > len(self.chosen):  # nearly all: the product is cheaper than the copy
            full = np.zeros_like(fit.beta)
            full[fit.active] = raw
            return np.asarray(self.block @ full + shift)
        return np.asarray(self.block[:, fit.active] @ raw + shift)

    def update_gradients(self, fits: list[FitState]) -> None:
        """The gradient of every column of the design, for all fits in one product."""
        K = fits[0].residual.shape[1]
        raw = self.design.score(np.hstack([fit.residual for fit in fits]))
        for i, fit in enumerate(fits):
            total = fit.residual.sum(axis=0)
            common = (raw[:, i * K : (i + 1) * K] - self.base_centre[:, None] * total) * self.base_inverse[:, None]
            fit.score = (common - fit.centre[:, None] * total) * fit.inverse[:, None]

    def active_gradient(self, fit: FitState, block: list[int], total: np.ndarray) -> np.ndarray:
        """The gradient of a fit's active columns for some outputs; total: the sums of their residuals."""
        which = self.chosen[fit.active]
        raw = self.block[:, fit.active].T @ fit.residual[:, block] - np.outer(fit.centre[which], total)
        return np.asarray(raw * fit.inverse[which, None])

    def product(self, fit: FitState, curvature: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """[1, Z]ᵀ diag(curvature) [1, Z] between two lists of positions in the block, in the fit's own units."""
        used = np.flatnonzero(curvature)
        rows: Any = slice(None) if used.size > 0.95 * len(curvature) else used
        curvature = curvature[rows]
        A = self.block[:, left][rows]
        B = A if left is right else self.block[:, right][rows]
        which, other = self.chosen[left], self.chosen[right]
        total = curvature.sum()
        weighted = B * curvature[:, None]
        sum_a, sum_b = curvature @ A, weighted.sum(axis=0)
        out = np.empty((len(which) + 1, len(other) + 1))
        square = A.T @ weighted
        square -= np.outer(fit.centre[which], sum_b - total * fit.centre[other]) + np.outer(sum_a, fit.centre[other])
        square *= fit.inverse[which, None]
        square *= fit.inverse[other]
        out[1:, 1:] = square
        out[0, 1:] = fit.inverse[other] * (sum_b - total * fit.centre[other])
        out[1:, 0] = fit.inverse[which] * (sum_a - total * fit.centre[which])
        out[0, 0] = total
        return out

    def restore(self, fit: FitState, centred: bool) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (p × outputs) and intercepts of one fit in the units of X."""
        coef = np.zeros((self.design.p, fit.beta.shape[1]))
        scale = fit.inverse[self.chosen, None]
        coef[self.chosen] = fit.beta * scale * self.stretch[self.chosen, None]
        shift = (fit.centre[self.chosen, None] * scale * fit.beta).sum(axis=0)
        intercept = fit.intercept - shift - self.base_centre @ coef if centred else np.zeros(fit.beta.shape[1])
        return coef, intercept
