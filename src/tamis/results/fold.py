"""What a study keeps of one procedure in one outer fold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tamis.results.record import Record


@dataclass
class UnitLosses(Record):
    """Sums over rows, one for each unit (a row, a group of rows, or a fixed share of many rows).

    Attributes
    ----------
    loss : list of float
        The loss that procedures are compared by.
    rows : list of float
        How many rows the sums are of.
    quoted : list of float, optional
        Losses whose mean the quoted metric is.
    proper : list of float, optional
        A proper loss, where `loss` is the cost of decisions.
    ranking : list of float, optional
        Terms of the ranking test.
    """

    omitted = ("quoted", "proper", "ranking")

    loss: list[float]
    rows: list[float]
    quoted: list[float] | None = None
    proper: list[float] | None = None
    ranking: list[float] | None = None

    def of(self, kind: str) -> list[float]:
        """The sums of a kind, by the name of its field."""
        sums: list[float] = getattr(self, kind)
        return sums

    def mean(self, kind: str = "loss") -> float:
        """Mean over rows; NaN without rows."""
        n_rows = sum(self.rows)
        return sum(self.of(kind)) / n_rows if n_rows else float("nan")


@dataclass
class RaceEnd(Record):
    """How the race inside a training part ended early for a procedure.

    Attributes
    ----------
    verdict : "out" or "won"
    by : what decided it, in words.
    fits, of : inner fits that were made, and those there would have been.
    """

    verdict: str
    by: str
    fits: int
    of: int


@dataclass
class RestrictedRecord(Record):
    """A procedure fitted again with at most `max_columns` columns: columns used, score and summed held-out loss."""

    max_columns: int
    columns: int
    score: float | None
    loss: float


@dataclass
class HalvedRecord(Record):
    """A forest on part of the columns: how many, and the score on the training rows that it was not grown on."""

    columns: int
    inner_score: float | None


@dataclass
class FoldFindings(Record):
    """Effects of columns, coefficients, and error against complexity of a fold's model."""

    effects: dict[str, list[list[float]]]
    terms: dict[str, Any] | None
    complexity: dict[str, Any] | None


@dataclass
class FoldRecord(Record):
    """One procedure in one outer fold.

    Attributes
    ----------
    score : float or None
        The quoted metric on held-out rows; None where it has no value.
    metrics : dict
        The same of other metrics, by name.
    losses : UnitLosses
        Of held-out rows.
    n_unlearned : int
        Held-out rows of a class that the training rows lack.
    ranking_variance : float
        Variance of the statistic of the ranking test.
    predictions : list, optional
        Of held-out rows; of many rows `tally` (and, for numbers, `errors`) stand for them.
    columns : list of str, optional
        Columns that the model uses.
    train_score : float or None
        The quoted metric on training rows.
    inner_losses, inner_score
        Of out-of-fold predictions of the training rows.
    restricted, halved
        The procedure on fewer columns.
    race : RaceEnd, optional
        Where the race inside the training part was decided early.
    size : int, optional
        Of a model of several sizes, the number of columns it was fitted for.
    """

    omitted = (
        *("predictions", "tally", "errors", "columns", "inner_losses", "restricted", "halved", "findings", "race"),
        "size",
    )

    score: float | None
    metrics: dict[str, float | None]
    losses: UnitLosses
    n_unlearned: int = 0
    ranking_variance: float = 0.0
    predictions: list[Any] | None = None
    tally: dict[str, Any] | None = None
    errors: list[float] | None = None
    columns: list[str] | None = None
    train_score: float | None = None
    inner_losses: UnitLosses | None = None
    inner_score: float | None = None
    restricted: list[RestrictedRecord] | None = None
    halved: list[HalvedRecord] | None = None
    findings: FoldFindings | None = None
    race: RaceEnd | None = None
    size: int | None = None

    @property
    def n_columns(self) -> int:
        """How many columns the model uses."""
        return len(self.columns or ())

    @property
    def is_out(self) -> bool:
        """Whether the procedure could not win any more in this training part."""
        return self.race is not None and self.race.verdict == "out"


@dataclass
class SizedRecord(Record):
    """A procedure that fits models of several sizes, fewest columns first: a record of each."""

    sizes: list[FoldRecord]


def fold_record(facts: Any) -> FoldRecord | SizedRecord:
    """The record of a fold, from what a journal holds; a record stays as it is."""
    if isinstance(facts, (FoldRecord, SizedRecord)):
        return facts
    return SizedRecord.from_dict(facts) if "sizes" in facts else FoldRecord.from_dict(facts)


#: Procedure -> its records, one a fold.
Judgements = dict[str, list[FoldRecord]]
