"""What a study answers: the sentences, and the facts that they are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tamis.results.record import Record


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
    selected, contributions, joint, sure
        Columns of the model: largest contribution first, the shares, groups given jointly, and those well supported.
    black_box, price : dict or None
        The best model that nobody can read, and what reading costs beside it.
    shrunken : float or None
        The score with its gain corrected for having been claimed.
    exposure : str, optional
        Of rates, the column that says how long or how much a row was observed.
    monotone : dict, optional
        Directions of columns, where given: `directions`, `label` of the class that has them, `left_out`.
    """

    omitted = ("exposure", "monotone")

    words: str
    details: str
    task: str
    metric: str
    score: float | None
    interval: list[float] | None
    interval_note: str | None
    baseline: float | None
    signal: str
    by_black_box_alone: bool
    by_columns_alone: bool
    by_bound_alone: bool
    tentative: bool
    above_chance: dict[str, Any] | None
    no_column: bool
    naive: dict[str, Any] | None
    association: dict[str, Any]
    gain_p_value: float
    shown_by: dict[str, Any] | None
    largest_classes: list[int] | None
    n_rows: int
    beats_baseline: bool
    procedure: str
    max_columns: int | None
    target: str
    kind: str
    majority: str | None
    chosen_by: str
    by_rule: str
    prefer: str
    tried: list[str]
    black_boxes: list[str]
    selected: list[str]
    contributions: dict[str, float]
    joint: list[list[str]]
    sure: list[str]
    n_columns: int
    accuracy: list[float | None] | None
    alpha: float
    pairs_ranked: float | None
    recalls: list[dict[str, Any]] | None
    weighted_kappa: float | None
    finished: dict[str, Any]
    black_box: dict[str, Any] | None
    price: dict[str, Any] | None
    readable: str
    loss: str
    quotable: bool
    stops: list[str]
    dominant: dict[str, Any] | None
    p_value: float
    shrunken: float | None = None
    exposure: str | None = None
    monotone: dict[str, Any] | None = None
