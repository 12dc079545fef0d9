"""What the judged rows of a fold leave behind: rows where they are few, counts and sums where they are many.

A Tally keeps the rows themselves (truth and answer) or, per *unit* of rows, the sums every metric is a function of. A
unit is one piece of evidence: a row, a group, a stretch of time, or an arbitrary share of many independent rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from tamis.errors import ParameterError
from tamis.metrics import Metric
from tamis.metrics.intervals.row_sums import Rows, RowSums, binned_scores, by_unit, sums_of

#: What is written of rows and of sums.
ROWS = ("units", "truth", "answer", "decided", "learned", "reference")
SUMS = ("units", "values", "cells", "histograms", "areas", "ranked", "sure", "centre")

ANSWERS = ("numbers", "labels", "decision", "probabilities")


@dataclass(frozen=True, eq=False)
class Tally:
    """The judged rows of one fold, or of several added up.

    Attributes
    ----------
    answered : "numbers", "labels", "decision" (values of the second of two classes) or "probabilities".
    labels : the classes in their order; empty for numbers.
    repeat : which drawing of the folds this fold is of.
    grouped : rows of a unit depend on each other (a group, a stretch of time), so that only units count as evidence.
    rows : the rows, where they are kept.
    sums : their sums, where they are not.

    >>> fold = Tally.of([0, 1, 1], [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], [0, 1, 2], ["a", "b"])
    >>> fold.summed().sums.cells.tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """

    answered: str
    labels: tuple[Any, ...] = ()
    repeat: int = 0
    grouped: bool = False
    rows: Rows | None = None
    sums: RowSums | None = None

    @classmethod
    def of(
        cls,
        y: Any,
        answer: Any,
        units: Any,
        labels: Any = None,
        *,
        answered: str | None = None,
        decided: Any = None,
        learned: Any = None,
        reference: float | None = None,
        grouped: bool = False,
        repeat: int = 0,
        keep: bool = True,
        means: Sequence[Metric] = (),
    ) -> "Tally":
        """The tally of a fold.

        Parameters
        ----------
        y : the truth of each judged row: codes into the labels, or numbers.
        answer : numbers, codes of labels, decision values, or probabilities (rows × classes).
        units : one whole number a row. Kept: the row's position in the table, or its group's number when `grouped`.
            Summed: the unit (at most a thousand or so) it is added to. A row has the same unit in every repeat.
        labels : the classes; None for numbers.
        answered : what the answers are; by default numbers without labels, probabilities for a matrix, else labels.
        decided : codes of the answered labels, where they are not those of the largest probability (costs).
        learned : False where the model could not know the row's class; all True by default.
        reference : the mean target of the training rows, which R² is about; that of the judged rows by default.
        grouped : rows of a unit depend on each other.
        repeat : which drawing of the folds this fold is of.
        keep : keep the rows; else their sums.
        means : metrics that are means over rows, to be summed beside the usual ones (the mean cost).
        """
        kind = _kind(answer, labels, answered)
        rows = _rows(kind, y, answer, units, decided, learned, reference)
        class_labels = () if labels is None else tuple(_plain(label) for label in np.asarray(labels).tolist())
        tally = cls(kind, class_labels, int(repeat), bool(grouped), rows)
        return tally if keep else tally.summed(means)

    def summed(self, means: Sequence[Metric] = ()) -> "Tally":
        """The same tally as sums; itself where it already is."""
        if self.rows is None:
            return self
        extra_metrics = [metric for metric in means if metric.each is not None or metric.base == "mape"]
        return self._summed(extra_metrics) if extra_metrics else self._usual

    @cached_property
    def _usual(self) -> "Tally":
        """The sums without further means: every metric of a study asks for them."""
        return self._summed(())

    def _summed(self, means: Sequence[Metric]) -> "Tally":
        assert self.rows is not None
        sums = sums_of(self.rows, self.answered, self.labels, means)
        return Tally(self.answered, self.labels, self.repeat, self.grouped, None, sums)

    def __add__(self, other: "Tally") -> "Tally":
        """Both folds in one, as sums."""
        if (self.answered, self.labels, self.grouped) != (other.answered, other.labels, other.grouped):
            raise ParameterError("tallies of different problems cannot be added; add folds of one procedure")
        return Tally(self.answered, self.labels, self.repeat, self.grouped, None, together([self, other]))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: numbers, text, lists."""
        record: dict[str, Any] = {
            "answered": self.answered,
            "labels": list(self.labels),
            "repeat": self.repeat,
            "grouped": self.grouped,
        }
        for name, values_of_part, keys in (("rows", self.rows, ROWS), ("sums", self.sums, SUMS)):
            if values_of_part is not None:
                values = {key: getattr(values_of_part, key) for key in keys}
                record[name] = {key: _listed(value) for key, value in values.items() if value is not None}
        return record

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> "Tally":
        """The tally that `to_dict` told."""
        rows, sums = record.get("rows"), record.get("sums")
        return cls(
            record["answered"],
            tuple(record["labels"]),
            record["repeat"],
            record["grouped"],
            None if rows is None else _rows_again(rows, record["answered"]),
            None if sums is None else _sums_again(sums),
        )


def together(tallies: Sequence[Tally]) -> RowSums:
    """The sums of several folds, unit by unit."""
    sums = [tally.summed().sums for tally in tallies]
    listed = [entry for entry in sums if entry is not None]
    units, codes = np.unique(np.concatenate([entry.units for entry in listed]), return_inverse=True)
    centre = listed[0].centre
    moved = [_about(entry, centre) for entry in listed]
    if any("learned" in entry for entry in moved):
        moved = [{"learned": entry["rows"], **entry} for entry in moved]
    names = set.intersection(*(set(entry) for entry in moved))
    return RowSums(
        units,
        {name: by_unit(codes, np.concatenate([entry[name] for entry in moved]), len(units)) for name in sorted(names)},
        _added([entry.cells for entry in listed]),
        float(sum(entry.areas for entry in listed)),
        sum(entry.ranked for entry in listed),
        sum(entry.sure for entry in listed),
        centre,
        partial(_merged, listed),
    )


def pooled(tallies: Sequence[Tally]) -> list[Tally]:
    """The folds of each repeat as one, where their rows are kept."""
    with_rows = [(tally, tally.rows) for tally in tallies if tally.rows is not None]
    pooled_tallies = []
    for repeat in sorted({tally.repeat for tally, _ in with_rows}):
        row_blocks = [rows for tally, rows in with_rows if tally.repeat == repeat]
        columns = {name: [getattr(block, name) for block in row_blocks] for name in vars(row_blocks[0])}
        joined: dict[str, Any] = {
            name: None if column[0] is None else np.concatenate(column) for name, column in columns.items()
        }
        pooled_tallies.append(replace(with_rows[0][0], repeat=repeat, rows=Rows(**joined)))
    return pooled_tallies


def _kind(answer: Any, labels: Any, answered: str | None) -> str:
    if answered is not None and answered not in ANSWERS:
        raise ParameterError(f"answered={answered!r} is not known; give one of {', '.join(ANSWERS)}")
    if labels is None:
        return "numbers"
    return answered or ("probabilities" if np.ndim(answer) == 2 else "labels")


def _rows(kind: str, y: Any, answer: Any, units: Any, decided: Any, learned: Any, reference: float | None) -> Rows:
    predictions, of_classes = np.asarray(answer), kind != "numbers"
    truth = np.asarray(y, dtype=np.int64 if of_classes else np.float64)
    if not len(truth) == len(predictions) == len(np.asarray(units)):
        raise ParameterError(f"there are {len(predictions):,} answers for {len(truth):,} rows; give one answer per row")
    if decided is None and kind in ("labels", "probabilities"):
        decided = predictions if kind == "labels" else predictions.argmax(axis=1)
    return Rows(
        np.asarray(units, dtype=np.int64),
        truth,
        None if kind == "labels" else predictions.astype(np.float64, copy=False),
        None if decided is None else np.asarray(decided, dtype=np.int64),
        np.ones(len(truth), dtype=bool) if learned is None else np.asarray(learned, dtype=bool),
        None if reference is None or of_classes else np.full(len(truth), float(reference)),
    )


def _about(row_sums: RowSums, centre: float) -> dict[str, np.ndarray]:
    """The sums with the target's moments moved to another centre, exactly as if they had been taken about it."""
    if "y" not in row_sums.values or row_sums.centre == centre:
        return row_sums.values
    shift, n = row_sums.centre - centre, row_sums.values["rows"]
    y, y2 = row_sums.values["y"], row_sums.values["y2"]
    return {**row_sums.values, "y": y + shift * n, "y2": y2 + 2 * shift * y + shift**2 * n}


def _added(cells: list[np.ndarray | None]) -> np.ndarray | None:
    present = [matrix for matrix in cells if matrix is not None]
    return np.sum(present, axis=0) if len(present) == len(cells) else None


def _merged(row_sums: Sequence[RowSums]) -> tuple[np.ndarray, ...] | None:
    """Histograms of several folds as one, curve by curve."""
    listed = [entry.histograms for entry in row_sums if entry.histograms is not None]
    if len(listed) < len(row_sums):
        return None
    if len(listed) == 1:
        return listed[0]
    return tuple(binned_scores(*np.concatenate(curve, axis=1)) for curve in zip(*listed))


def _plain(value: object) -> Any:
    return value.item() if hasattr(value, "item") else value


def _listed(value: object) -> Any:
    """Arrays as lists, whole numbers without a point: a third of the file is zeros after a point."""
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [[_listed(line) for line in curve] for curve in value]
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind == "f" and np.isfinite(value).all() and (value == np.round(value)).all() and len(value):
        return value.astype(np.int64).tolist() if np.abs(value).max() < 2**53 else value.tolist()
    return value.tolist()


def _rows_again(record: dict[str, Any], answered: str) -> Rows:
    answer, decided, reference = record.get("answer"), record.get("decided"), record.get("reference")
    return Rows(
        np.array(record["units"], dtype=np.int64),
        np.array(record["truth"], dtype=np.float64 if answered == "numbers" else np.int64),
        None if answer is None else np.array(answer, dtype=np.float64),
        None if decided is None else np.array(decided, dtype=np.int64),
        np.array(record["learned"], dtype=bool),
        None if reference is None else np.array(reference, dtype=np.float64),
    )


def _sums_again(record: dict[str, Any]) -> RowSums:
    cells, histograms = record.get("cells"), record.get("histograms")
    return RowSums(
        np.array(record["units"], dtype=np.int64),
        {name: np.array(value, dtype=np.float64) for name, value in record["values"].items()},
        None if cells is None else np.array(cells, dtype=np.float64),
        record["areas"],
        record["ranked"],
        record["sure"],
        record["centre"],
        None if histograms is None else partial(_curves_again, histograms),
    )


def _curves_again(curves: list[Any]) -> tuple[np.ndarray, ...]:
    return tuple(np.array(curve, dtype=np.float64) for curve in curves)
