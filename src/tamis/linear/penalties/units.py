"""Units in which a penalised model is solved: strengths that know neither the unit of the target nor of the columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tamis.linear.design import Design

if TYPE_CHECKING:
    from tamis.linear.fit import Job
    from tamis.linear.path import Path


@dataclass(frozen=True)
class Units:
    r"""The target is divided by `target`, and every column by `columns`, before a penalty is weighed.

    A coefficient w of the given units is w · columns / target here, so a penalty α (ρ|w| + (1 - ρ)/2 w²) becomes one
    with α ρ / (columns · target) of the absolute and α (1 - ρ) / columns² of the squared coefficients.

    Attributes
    ----------
    target : deviation of the target (squared and Huber loss); 1 for losses whose linear predictor has no unit.
    columns : root mean square deviation of the penalised columns; 1 where each is standardised anyway.

    >>> units = Units(target=100.0)
    >>> units.inside(10.0, 0.5)
    (5.05, 0.009900990099009901)
    >>> units.outside(*units.inside(10.0, 0.5))
    (10.0, 0.5)
    """

    target: float = 1.0
    columns: float = 1.0

    @classmethod
    def of(cls, job: Job) -> Self:
        """The units of a job: one of its target, and one of all its columns unless each is standardised."""
        share = job.weights / job.weights.sum()
        columns = 1.0 if job.standardize else column_unit(Design(job.X), share, job.penalty.factors, job.fit_intercept)
        return cls(job.loss.unit(share, job.fit_intercept), columns)

    def inside(self, alpha: float, l1_ratio: float) -> tuple[float, float]:
        """Strength and share of the absolute penalty in these units, from those of the given ones."""
        return _mix(alpha * l1_ratio / self.columns / self.target, alpha * (1 - l1_ratio) / self.columns**2, l1_ratio)

    def outside(self, alpha: float, l1_ratio: float) -> tuple[float, float]:
        """Strength and share of the absolute penalty in the given units, from those of these."""
        return _mix(alpha * l1_ratio * self.columns * self.target, alpha * (1 - l1_ratio) * self.columns**2, l1_ratio)

    def scaled(self, job: Job, l1_ratio: float) -> Job:
        """The same job in these units, its penalty with a share of its own."""
        X = job.X if self.columns == 1 else job.X * (1 / self.columns)
        return replace(job, X=X, loss=job.loss.over(self.target), penalty=replace(job.penalty, l1_ratio=l1_ratio))

    def path(self, path: Path, l1_ratio: float) -> Path:
        """A path of these units in the given ones."""
        strength, _ = self.outside(1.0, l1_ratio)
        errors: dict[str, Any] = {
            name: None if getattr(path, name) is None else getattr(path, name) * self.target**2
            for name in ("cv_mean", "cv_se", "fold_errors")
        }
        return replace(
            path,
            alphas=path.alphas * strength,
            coef=self.coef(path.coef),
            intercept=path.intercept * self.target,
            **errors,
        )

    def coef(self, coef: Any) -> Any:
        """Coefficients of these units in the given ones."""
        return coef * (self.target / self.columns)


def column_unit(design: Design, share: np.ndarray, factors: np.ndarray, centred: bool) -> float:
    """Root mean square deviation (about 0 without an intercept) of the penalised columns."""
    deviation = design.deviations(share[:, None])[:, 0]
    middle = np.zeros_like(deviation) if centred else np.asarray(design.X.T @ share)
    return common_unit(np.hypot(deviation, middle)[factors > 0])


def common_unit(sizes: np.ndarray) -> float:
    """Root mean square of sizes, 1 where all are 0."""
    largest = float(np.max(sizes, initial=0.0))
    return largest * float(np.sqrt(np.mean((sizes / largest) ** 2))) if largest > 0 else 1.0


def _mix(absolute: float, squared: float, l1_ratio: float) -> tuple[float, float]:
    """The strength and the share of its absolute part; the share itself where there is no penalty."""
    whole = absolute + squared
    return whole, absolute / whole if whole > 0 else l1_ratio
