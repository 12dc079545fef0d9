"""A fitted procedure whose predictions are moved by an intercept and a slope learned on another table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import expit, logit

from tamis.errors import StudyError
from tamis.metrics.calibration import PROBABILITY_FLOOR, Calibration, calibration, number_calibration
from tamis.report import show
from tamis.saved import numbers, read_entry
from tamis.study.model import Model
from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.table import Table

#: "intercept" moves all predictions by the same amount; "slope" spreads or shrinks them, too.
KINDS = ("intercept", "slope")

#: Ends of a slope's interval whose ratio is larger say nothing that predictions could be moved by.
VAGUE = 5.0


@dataclass(frozen=True)
class RecalibratedProcedure(FittedProcedure):
    """Logits (of two classes) or numbers become intercept + slope times themselves."""

    intercept: float = field(default=0.0, kw_only=True)
    slope: float = field(default=1.0, kw_only=True)

    def numbers(self, table: Table) -> np.ndarray:
        """Predicted numbers."""
        return self.intercept + self.slope * super().numbers(table)

    @property
    def has_interval(self) -> bool:
        """Never: intervals of the model belong to its own rows."""
        return False

    def interval(self, table: Table, coverage: float) -> np.ndarray | None:
        """None: intervals of the model belong to its own rows."""
        return None

    def probabilities(self, table: Table, n_labels: int) -> np.ndarray:
        """Probabilities of the two classes."""
        p = np.clip(super().probabilities(table, n_labels)[:, 1], PROBABILITY_FLOOR, 1 - PROBABILITY_FLOOR)
        moved = expit(self.intercept + self.slope * logit(p))
        return np.column_stack([1 - moved, moved])

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        return {**super().to_dict(), "recalibration": [self.intercept, self.slope]}


def recalibrated(model: Model, truth: np.ndarray, answers: np.ndarray, kind: str) -> Model:
    """The same model with its predictions recalibrated on these rows."""
    if len(model.labels) > 2:
        raise StudyError(f"the model has {len(model.labels)} classes; recalibration is for two classes and for numbers")
    intercept, slope = _classes(truth, answers[:, 1], kind) if model.labels else _numbers(truth, answers, kind)
    facts = vars(model.fitted)
    fitted = RecalibratedProcedure(**facts, intercept=intercept, slope=slope)
    return replace(model, fitted=fitted, residuals=None)


def from_dict(facts: dict[str, Any], model: Model) -> Model:
    """The recalibrated model that was written: `model` as read, with the intercept and slope of its facts."""
    intercept, slope = numbers("the recalibration", read_entry(facts, "recalibration"), shape=(2,)).tolist()
    fitted = RecalibratedProcedure(**vars(model.fitted), intercept=intercept, slope=slope)
    return replace(model, fitted=fitted)


def _classes(truth: np.ndarray, probability: np.ndarray, kind: str) -> tuple[float, float]:
    calibrated = calibration((truth == 1).astype(np.float64), np.clip(probability, 0, 1))
    if kind == "intercept":
        return calibrated.intercept, 1.0
    if calibrated.slope is None or calibrated.slope_intercept is None:
        raise StudyError("the predictions separate the classes of this table, or do not vary: there is no slope")
    _refuse_vague(calibrated)
    return calibrated.slope_intercept, calibrated.slope


def _numbers(truth: np.ndarray, prediction: np.ndarray, kind: str) -> tuple[float, float]:
    calibrated = number_calibration(truth, prediction)
    if kind == "intercept":
        return calibrated.intercept, 1.0
    if calibrated.slope is None or calibrated.slope_intercept is None:
        raise StudyError("the predictions do not vary: there is no slope")
    _refuse_vague(calibrated)
    return calibrated.slope_intercept, calibrated.slope


def _refuse_vague(calibrated: Calibration) -> None:
    """Raise where a slope may be 0 or several times another: predictions moved by it would be those of chance."""
    ends = calibrated.slope_interval
    if ends is None or ends[0] <= 0 or ends[1] > VAGUE * ends[0]:
        known = "" if ends is None else f"; 95% interval {show.interval(ends, 2)}"
        raise StudyError(
            f"the slope is too uncertain on this table ({show.number(calibrated.slope, 2)}{known}); give "
            "recalibrate='intercept', or a table of more rows"
        )
