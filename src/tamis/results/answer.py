"""What a study answers: the sentences, and the facts that they are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tamis.results.record import Record
from tamis.task import CLASSIFICATION


@dataclass
class Answer(Record):
    """`answer` of results.json, in the order it is written.

    Attributes
    ----------
    words, details : str
        The sentences, and those of them that come after columns and score.
    task, metric, target, kind : str
        What is predicted, by what it is judged, and the kind of model that was taken.
    score, interval, interval_note, baseline
        The quoted score with its interval (or why there is none), and the score of guessing.
    signal : "captured", "uncaptured" or "none"
        What may be claimed; `beats_baseline`, `tentative`, `shown_by`, `p_value`, `gain_p_value`, `association`,
        `above_chance`, `no_column` and the `by_…_alone` say why.
    procedure, max_columns, chosen_by, by_rule, prefer, tried, black_boxes
        What was taken, by whom, and from what.
    selected, contributions, joint, supported
        Columns of the model: largest contribution first, the shares, groups given jointly, and those well supported.
    black_box, price : dict or None
        The best model that nobody can read, and what reading costs beside it.
    corrected_score : float or None
        The score with its gain corrected for having been claimed.
    exposure : str, optional
        Of rates, the column that says how long or how much a row was observed.
    monotone : dict, optional
        Directions of columns, where given: `directions`, `label` of the class that has them, `left_out`.
    """

    omitted = ("exposure", "monotone")

    words: str = ""
    details: str = ""
    task: str = CLASSIFICATION
    metric: str = "accuracy"
    score: float | None = None
    interval: list[float] | None = None
    interval_note: str | None = None
    baseline: float | None = None
    signal: str = "captured"
    by_black_box_alone: bool = False
    by_columns_alone: bool = False
    by_bound_alone: bool = False
    tentative: bool = False
    above_chance: dict[str, Any] | None = None
    no_column: bool = False
    naive: dict[str, Any] | None = None
    association: dict[str, Any] | None = None
    gain_p_value: float = 1.0
    shown_by: dict[str, Any] | None = None
    largest_classes: list[int] | None = None
    n_rows: int = 0
    beats_baseline: bool = False
    procedure: str = ""
    max_columns: int | None = None
    target: str = ""
    kind: str = ""
    majority: str | None = None
    chosen_by: str = "rule"
    by_rule: str = ""
    prefer: str = "balanced"
    tried: list[str] = field(default_factory=list)
    black_boxes: list[str] = field(default_factory=list)
    selected: list[str] = field(default_factory=list)
    contributions: dict[str, float] = field(default_factory=dict)
    joint: list[list[str]] = field(default_factory=list)
    supported: list[str] | None = None
    n_columns: int = 0
    accuracy: list[float | None] | None = None
    alpha: float = 0.1
    pairs_ranked: float | None = None
    recalls: list[dict[str, Any]] | None = None
    weighted_kappa: float | None = None
    finished: dict[str, Any] | None = None
    black_box: dict[str, Any] | None = None
    price: dict[str, Any] | None = None
    readable: str = "no"
    loss: str = ""
    quotable: bool = True
    stops: list[str] = field(default_factory=list)
    dominant: dict[str, Any] | None = None
    p_value: float = 1.0
    corrected_score: float | None = None
    exposure: str | None = None
    monotone: dict[str, Any] | None = None

    @property
    def is_by_person(self) -> bool:
        """Whether a person chose the procedure by name."""
        return self.chosen_by == "person"

    @property
    def value(self) -> float:
        """The score; NaN where it has no value."""
        return float("nan") if self.score is None else self.score

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval; NaN without one."""
        low, high = self.interval or (float("nan"), float("nan"))
        return low, high
