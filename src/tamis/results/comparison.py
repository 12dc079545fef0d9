"""What results.json says of the comparison: the choice, its score, black boxes, the ladder, scores by columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tamis.results.procedure import ProcedureRecord, Scored
from tamis.results.record import Record


@dataclass(kw_only=True)
class BlackBox(Record):
    """The best black box in the same folds, beside the score that is quoted.

    Attributes
    ----------
    name, words, score, interval, interval_note, scores, metrics, loss : as of a procedure.
    folds : int
        How many folds it was judged in.
    quoted_score, cost, cost_interval
        The score that is quoted, how much better the black box's is, and the 95% interval of that.
    difference, standard_error : float
        Paired, of the quoted loss minus the black box's.
    better : "black box", "quoted" or "neither"
    p_value : float
        That it is no better than the baseline.
    """

    name: str
    words: str
    score: float | None
    interval: list[float] | None
    interval_note: str | None = None
    scores: list[float | None]
    metrics: dict[str, float | None]
    folds: int
    quoted_score: float | None
    cost: float | None
    cost_interval: list[float] | None
    loss: float
    difference: float
    standard_error: float
    better: str
    p_value: float
    by_ranks: bool = False


@dataclass(kw_only=True)
class Comparison(Record):
    """`comparison` of results.json; docs/reference/results-comparison.md says what each key holds."""

    procedures: list[ProcedureRecord]
    loss: str
    prefer: str
    chosen: str
    chosen_by: str = "rule"
    by_rule: str = ""
    by_metric: bool = False
    best: str
    signal: str
    by_black_box_alone: bool = False
    by_columns_alone: bool = False
    by_bound_alone: bool = False
    tentative: bool = False
    by_ranks: list[str] = field(default_factory=list)
    above_chance: dict[str, Any] | None = None
    association: dict[str, Any] | None = None
    p_value: float
    alpha: float = 0.1
    metric_correlation: float = 1.0
    gain_p_value: float = 1.0
    naive: dict[str, Any] | None = None
    score: float | None
    interval: list[float] | None
    interval_note: str | None = None
    scores: list[float | None]
    inner_score: float | None
    optimism: float | None
    chosen_in_folds: list[str]
    n_unlearned: int = 0
    recalls: list[dict[str, Any]] | None = None
    diagnostics: dict[str, Any] | None = None
    black_box: BlackBox | None = None
    no_column: bool = False

    def procedure(self, name: str) -> ProcedureRecord:
        """The row of a procedure."""
        return next(row for row in self.procedures if row.name == name)

    @property
    def is_by_person(self) -> bool:
        """Whether a person chose the procedure by name."""
        return self.chosen_by == "person"

    @property
    def quotes_one(self) -> bool:
        """Whether the score of one procedure is quoted, not that of the choice between them."""
        return self.is_by_person or self.chosen == "baseline"


@dataclass(kw_only=True)
class Rung(Scored, Record):
    """A rung of the ladder: the best readable model of at most so many columns, or the best black box.

    Attributes
    ----------
    columns, procedure, label : how many columns, the procedure that is fitted, and its name in charts.
    chosen, black_box : bool
    score, interval, loss : of held-out rows.
    p_value, better : that it is no better than the best rung below, and whether that is refuted.
    difference, standard_error : float, optional
        Of readable rungs, by how much the loss exceeds that of the best of them.
    selected, words, readable : optional
        Columns, kind and readability of the model, fitted on all rows that may be learned from.
    """

    omitted = ("difference", "standard_error", "selected", "words", "readable")

    columns: int
    procedure: str
    chosen: bool
    black_box: bool
    score: float | None
    interval: list[float] | None
    loss: float
    p_value: float = 1.0
    better: bool
    label: str = ""
    difference: float | None = None
    standard_error: float | None = None
    selected: list[str] | None = None
    words: str | None = None
    readable: str | None = None


@dataclass
class FrontierPoint(Scored, Record):
    """A procedure on the frontier: mean number of columns over folds, and what it scores in the outer folds."""

    procedure: str
    columns: float
    score: float | None
    interval: list[float] | None
    loss: float
    chosen: bool
    efficient: bool = False


@dataclass
class PathPoint(Record):
    """A procedure held to `max_columns` columns: mean number of those used, score, and loss of held-out rows."""

    max_columns: int
    columns: float
    score: float | None
    loss: float | None


@dataclass
class ColumnPath(Record):
    """Score against number of columns along a procedure, by "outer" (held-out) or "inner" rows; fewest first."""

    procedure: str
    rows: str
    points: list[PathPoint]
