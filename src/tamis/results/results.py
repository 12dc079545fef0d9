"""The facts of a study, as results.json holds them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tamis.results.answer import Answer
from tamis.results.comparison import ColumnPath, Comparison, FrontierPoint, Rung
from tamis.results.record import Record

#: The layout of results.json.
SCHEMA = 3


@dataclass
class Data(Record):
    """What the study learned from.

    Attributes
    ----------
    digest : str
        Of all features and the unlocked targets.
    rows, learned, locked, without_target, columns : int
        Rows of the table, training rows, locked rows, unlocked rows without a target, and columns.
    target : str
    equal_rows, rare : dict or None
        Rows with equal features that folds keep together, and what was done with rare classes.
    classes : list of dict
        `label` and `rows` of each.
    """

    digest: str
    rows: int
    learned: int
    locked: int
    without_target: int
    columns: int
    target: str
    equal_rows: dict[str, Any] | None = None
    classes: list[dict[str, Any]] = field(default_factory=list)
    rare: dict[str, Any] | None = None


@dataclass
class LockedRows(Record):
    """How many rows are locked, the fraction asked for, how and why they were drawn, and the digests of the lock."""

    rows: int
    fraction: float
    how: str
    reason: str
    digest: str
    data: str = ""


@dataclass
class ColumnStability(Record):
    """A column, the fraction of folds that used it, and whether the final model does."""

    name: str
    fraction: float
    selected: bool


@dataclass(kw_only=True)
class Predictions(Record):
    """Out-of-fold predictions of the chosen procedure: rows of the source, truth, means over repeats, and each."""

    rows: list[int] = field(default_factory=list)
    truth: list[Any]
    answers: list[Any]
    by_repeat: list[list[Any]] | None = None


@dataclass(kw_only=True)
class Results(Record):
    """results.json, in the order it is written; docs/reference/results.md says what each key holds."""

    omitted = ("drawn", "null", "reading", "sentinels", "joined", "threshold")

    tamis: str
    schema: int
    partial: bool
    answer: Answer
    data: Data
    settings: dict[str, Any]
    columns: list[dict[str, Any]]
    leaks: list[dict[str, Any]] = field(default_factory=list)
    ladder: list[Rung] = field(default_factory=list)
    comparison: Comparison
    frontier: list[FrontierPoint] = field(default_factory=list)
    paths: list[ColumnPath] = field(default_factory=list)
    stability: list[ColumnStability]
    findings: dict[str, Any] = field(default_factory=dict)
    validity: dict[str, Any] | None = None
    plan: dict[str, Any]
    folds: list[dict[str, Any]]
    model: str
    lock: LockedRows
    predictions: Predictions | None
    drawn: dict[str, Any] | None = None
    null: dict[str, Any] | None = None
    reading: list[str] | None = None
    sentinels: list[dict[str, Any]] | None = None
    joined: list[dict[str, Any]] | None = None
    threshold: dict[str, Any] | None = None


@dataclass
class PartialResults(Record):
    """What is known of a study that was stopped: no choice and no score."""

    tamis: str
    schema: int
    partial: bool
    finished: dict[str, Any]
    metric: str
    data: Data
    settings: dict[str, Any]
    columns: list[dict[str, Any]]
    so_far: list[dict[str, Any]]
    lock: LockedRows


AnyResults = Results | PartialResults


def results_of(facts: dict[str, Any] | AnyResults) -> AnyResults:
    """The record of a finished study, or of one that was stopped, from plain values; a record stays as it is."""
    if isinstance(facts, (Results, PartialResults)):
        return facts
    return Results.from_dict(facts) if "answer" in facts else PartialResults.from_dict(facts)
