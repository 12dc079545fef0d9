"""What results.json says of one procedure over all outer folds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tamis.results.record import Record


class Scored:
    """A score with its interval."""

    score: float | None
    interval: list[float] | None

    @property
    def ends(self) -> tuple[Any, Any]:
        """The ends of the interval; without one, the score itself."""
        low, high = self.interval or (self.score, self.score)
        return low, high


@dataclass(kw_only=True)
class ProcedureRecord(Scored, Record):
    """A row of `comparison.procedures`.

    Attributes
    ----------
    name, words : of the procedure.
    train_score, score : float or None
        The quoted metric on training rows (mean over folds) and on held-out rows.
    gap : float or None
        Training minus held-out score, positive where held-out rows are worse.
    interval, interval_note
        Of the refitted model's score on new rows, or why there is none.
    scores, metrics
        The quoted metric by fold, and other metrics by name.
    columns : list of int
        Columns used in each fold.
    race : dict
        In how many training parts it was `eliminated` or had `won` early, and the inner fits saved by that.
    loss, gain : float
        Mean loss that procedures are compared by, and the fraction of the baseline's loss that is saved.
    difference, standard_error : float
        Paired difference of losses to the best procedure, with its error.
    p_value : float
        That the procedure is no better than the baseline.
    """

    name: str
    words: str
    train_score: float | None
    score: float | None
    gap: float | None
    interval: list[float] | None
    interval_note: str | None = None
    scores: list[float | None]
    metrics: dict[str, float | None]
    columns: list[int]
    race: dict[str, int] = field(default_factory=dict)
    loss: float
    gain: float
    difference: float
    standard_error: float
    p_value: float = 1.0
