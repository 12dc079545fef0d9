"""Penalties on the coefficients: elastic net, column by column or group by group, with a factor for each column."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True, eq=False)
class Penalty:
    r"""alpha · Σ f (l1_ratio·|β| + (1 - l1_ratio)/2·β²); with groups, |β| is the length of a group's coefficients.

    Attributes
    ----------
    l1_ratio : share of the absolute (1 for the lasso, 0 for ridge).
    factors : one factor a column; 0 leaves the column free.
    starts : where each group begins (and the last one ends), or None when every column stands for itself.
    sides : 1 for a column whose coefficients are not below 0, -1 not above, 0 free; empty where all are free.
    """

    l1_ratio: float
    factors: np.ndarray
    starts: np.ndarray | None = None
    sides: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def at(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Weights of the absolute and of the squared coefficients; for groups the first is one number a group."""
        l1 = alpha * self.l1_ratio * self.factors
        l2 = alpha * (1 - self.l1_ratio) * self.factors
        if self.starts is not None:  # a group of s columns weighs √s, so that large groups are not favoured
            l1 = l1[self.starts[:-1]] * np.sqrt(np.diff(self.starts))
        return l1, l2

    @property
    def is_single(self) -> bool:
        """Whether the absolute of every column is penalised, one by one."""
        return self.starts is None and self.l1_ratio > 0 and bool(np.all(self.factors > 0))

    def by_column(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """For the core, at strength 1: both weights of every column, the end of its group (none: empty), its side."""
        l1, l2 = self.at(1.0)
        if self.starts is None:
            return l1, l2, np.zeros(0, dtype=np.int64), self.sides
        sizes = np.diff(self.starts)
        return np.repeat(l1, sizes), l2, np.repeat(np.asarray(self.starts[1:], dtype=np.int64), sizes), self.sides

    def allowed(self, gradient: np.ndarray) -> np.ndarray:
        """A gradient (columns × outputs) without what a coefficient of one sign may not follow."""
        if not self.sides.any():
            return gradient
        return np.where(self.sides[:, None] * gradient < 0, 0.0, gradient)

    def norms(self, values: np.ndarray) -> np.ndarray:
        """|values| of each column, or the length of each group; outputs side by side."""
        if self.starts is None:
            return np.abs(values)
        return np.sqrt(np.add.reduceat(values**2, self.starts[:-1], axis=0))

    def value(self, alpha: float, beta: np.ndarray) -> float:
        """The penalty of coefficients (columns × outputs)."""
        l1, l2 = self.at(alpha)
        return float(l1 @ self.norms(beta).sum(axis=1) + 0.5 * l2 @ (beta**2).sum(axis=1))

    def conjugate(self, alpha: float, gradient: np.ndarray) -> float:
        """The conjugate at a gradient (columns × outputs); free columns are left to the caller."""
        l1, l2 = self.at(alpha)
        over = np.maximum(self.norms(gradient) - l1[:, None] * (1 + 1e-12), 0.0)
        curvature = l2 if self.starts is None else l2[self.starts[:-1]]
        free = (l1 == 0) & (curvature == 0)
        if np.any(over[(curvature == 0) & ~free] > 0):
            return np.inf
        stiff = np.where(curvature > 0, curvature, 1.0)
        return float(0.5 * ((over**2).sum(axis=1) / stiff)[curvature > 0].sum())

    def shrink(self, alpha: float, gradient: np.ndarray) -> float:
        """The largest factor, at most 1, that brings a gradient within the l1 part alone."""
        l1, _ = self.at(alpha)
        norms = self.norms(self.allowed(gradient)).max(axis=1, initial=0.0)
        held = l1 > 0
        worst = np.max(norms[held] / l1[held], initial=0.0)
        return 1.0 if worst <= 1 else 1.0 / worst

    def largest(self, gradient: np.ndarray) -> float:
        """The smallest alpha at which all penalised coefficients are 0, given the gradient there."""
        nearly_ridge = Penalty(max(self.l1_ratio, 1e-3), self.factors, self.starts)
        l1, _ = nearly_ridge.at(1.0)
        norms = self.norms(self.allowed(gradient)).max(axis=1, initial=0.0)
        return float(np.max(norms[l1 > 0] / l1[l1 > 0], initial=0.0))
