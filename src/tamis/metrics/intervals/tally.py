"""What the judged rows of a fold leave behind: rows where they are few, counts and sums where they are many.

An interval, a confusion matrix, a ROC curve and a calibration curve need little of the rows they are drawn from. A
Tally keeps the rows themselves (truth and answer) or, per *unit* of rows, the sums every metric is a function of. A
unit is one piece of evidence: a row, a group, a stretch of time, or an arbitrary share of many independent rows.

References
----------
DeLong, DeLong, Clarke-Pearson: Comparing the areas under two or more correlated receiver operating characteristic
curves. Biometrics 44 (1988).
Obuchowski: Nonparametric analysis of clustered ROC curve data. Biometrics 53 (1997).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis.errors import ParameterError
from tamis.metrics import METRICS, Metric

__all__ = ["EDGES", "RowSums", "Rows", "Tally", "calibration", "confusion", "pooled", "roc", "together"]

_FINE = np.logspace(-6, -2, 76)[:-1]
#: Edges of the bins of a probability: hundredths, and finer towards 0 and 1, where rare classes lie.
EDGES = np.unique(np.concatenate([[0.0, 1.0], _FINE, np.arange(1, 100) / 100, 1 - _FINE]))

ANSWERS = ("numbers", "labels", "decision", "probabilities")
#: Means over rows that every tally of sums holds.
MEANS = {"probabilities": ("brier", "log_loss"), "numbers": ("mse", "mae")}


@dataclass(frozen=True, eq=False)
class Rows:
    """Judged rows one by one.

    Attributes
    ----------
    units : int64, the row (or the group) each judged row is of.
    truth : class codes or numbers.
    answer : numbers, decision values, or probabilities (rows × classes); None where only labels were answered.
    decided : codes of the answered labels; None for numbers and decision values.
    learned : False where the model could not know the row's class: wrong as a label, left out of probability metrics.
    """

    units: np.ndarray
    truth: np.ndarray
    answer: np.ndarray | None
    decided: np.ndarray | None
    learned: np.ndarray


@dataclass(frozen=True, eq=False)
class RowSums:
    """Judged rows as sums over units.

    Attributes
    ----------
    units : int64, the distinct units.
    values : name -> one sum a unit, or units × classes. Of all: "rows". Of classes: "truth", rows of each class, and
        "hit", those answered rightly. Of means over rows: the metric's name, and "learned", the rows they are over,
        where these are not all. Of numbers: "y" and "y2", the target and its square about `centre`. Of rankings:
        "ranks" and "shares"; a unit's influence on the mean of the folds' areas is ranks − area · shares.
    cells : confusion counts, truth × answer; None where no labels were answered.
    histogram : curves × 2 × bins: rows of the other classes and of the class by predicted probability, for the second
        of two classes, or for each of more.
    areas, ranked : the sum of the folds' areas under the ROC curve, and how many folds have one.
    sure : answers that leave no probability to any other class.
    centre : what "y" is about.
    """

    units: np.ndarray
    values: dict[str, np.ndarray]
    cells: np.ndarray | None = None
    histogram: np.ndarray | None = None
    areas: float = 0.0
    ranked: int = 0
    sure: int = 0
    centre: float = 0.0

    @property
    def learned(self) -> np.ndarray:
        """Rows of each unit that count for means over rows."""
        return self.values.get("learned", self.values["rows"])


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
    >>> confusion([fold]).tolist()
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
        grouped: bool = False,
        repeat: int = 0,
        keep: bool = True,
        means: Sequence[Metric] = (),
    ) -> Tally:
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
        grouped : rows of a unit depend on each other.
        repeat : which drawing of the folds this fold is of.
        keep : keep the rows; else their sums.
        means : metrics that are means over rows, to be summed beside the usual ones (the mean cost).
        """
        kind = _kind(answer, labels, answered)
        rows = _rows(kind, y, answer, units, decided, learned)
        known = () if labels is None else tuple(_plain(label) for label in np.asarray(labels).tolist())
        tally = cls(kind, known, int(repeat), bool(grouped), rows)
        return tally if keep else tally.summed(means)

    def summed(self, means: Sequence[Metric] = ()) -> Tally:
        """The same tally as sums; itself where it already is."""
        if self.rows is None:
            return self
        return Tally(self.answered, self.labels, self.repeat, self.grouped, None, _sums(self, self.rows, means))

    def __add__(self, other: Tally) -> Tally:
        """Both folds in one, as sums."""
        if (self.answered, self.labels, self.grouped) != (other.answered, other.labels, other.grouped):
            raise ParameterError("tallies of different problems cannot be added; add folds of one procedure")
        return Tally(self.answered, self.labels, self.repeat, self.grouped, None, together([self, other]))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: numbers, text, lists."""
        told: dict[str, Any] = {
            "answered": self.answered,
            "labels": list(self.labels),
            "repeat": self.repeat,
            "grouped": self.grouped,
        }
        for name, part in (("rows", self.rows), ("sums", self.sums)):
            if part is not None:
                told[name] = {key: _listed(value) for key, value in vars(part).items() if value is not None}
        return told

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> Tally:
        """The tally that `to_dict` told."""
        rows, sums = told.get("rows"), told.get("sums")
        return cls(
            told["answered"],
            tuple(told["labels"]),
            told["repeat"],
            told["grouped"],
            None if rows is None else _rows_again(rows, told["answered"]),
            None if sums is None else _sums_again(sums),
        )


def together(tallies: Sequence[Tally]) -> RowSums:
    """The sums of several folds, unit by unit."""
    parts = [tally.summed().sums for tally in tallies]
    listed = [part for part in parts if part is not None]
    units, place = np.unique(np.concatenate([part.units for part in listed]), return_inverse=True)
    centre = listed[0].centre
    moved = [_about(part, centre) for part in listed]
    if any("learned" in part for part in moved):
        moved = [{"learned": part["rows"], **part} for part in moved]
    names = set.intersection(*(set(part) for part in moved))
    return RowSums(
        units,
        {name: _by_unit(place, np.concatenate([part[name] for part in moved]), len(units)) for name in sorted(names)},
        _added([part.cells for part in listed]),
        _added([part.histogram for part in listed]),
        float(sum(part.areas for part in listed)),
        sum(part.ranked for part in listed),
        sum(part.sure for part in listed),
        centre,
    )


def pooled(tallies: Sequence[Tally]) -> list[Tally]:
    """The folds of each repeat as one, where their rows are kept."""
    kept = [(tally, tally.rows) for tally in tallies if tally.rows is not None]
    found = []
    for repeat in sorted({tally.repeat for tally, _ in kept}):
        parts = [rows for tally, rows in kept if tally.repeat == repeat]
        columns = {name: [getattr(part, name) for part in parts] for name in vars(parts[0])}
        joined: dict[str, Any] = {
            name: None if column[0] is None else np.concatenate(column) for name, column in columns.items()
        }
        found.append(replace(kept[0][0], repeat=repeat, rows=Rows(**joined)))
    return found


def confusion(tallies: Sequence[Tally]) -> np.ndarray:
    """How often each class (row) was given each answer (column); the mean over repeats."""
    cells = together(tallies).cells
    if cells is None:
        raise ParameterError(f"there is no confusion matrix of {tallies[0].answered}; it needs labels or probabilities")
    return np.asarray(cells / _n_repeats(tallies))


def roc(tallies: Sequence[Tally], positive: int = 1) -> dict[str, np.ndarray]:
    """The ROC curve of a class (its code) against the rest, over all folds: rates and the threshold of each point.

    From rows it is exact; from sums its points are the edges of the bins.
    """
    threshold, others, own = _by_threshold(tallies, positive)
    others, own = np.cumsum(others[::-1]), np.cumsum(own[::-1])
    return {
        "false_positive": np.r_[0.0, others / max(others[-1], 1)],
        "true_positive": np.r_[0.0, own / max(own[-1], 1)],
        "threshold": np.r_[np.inf, threshold[::-1]],
    }


def calibration(tallies: Sequence[Tally], positive: int = 1, n_bins: int = 10) -> dict[str, np.ndarray]:
    """Predicted probability of a class against its share, in bins of equal width; empty bins are left out.

    From sums the predicted mean is exact to half of a bin's width, 0.005.
    """
    predicted, others, own = _by_threshold(tallies, positive, middle=True)
    place = np.minimum((predicted * n_bins).astype(np.int64), n_bins - 1)
    rows = np.bincount(place, others + own, n_bins)
    there = rows > 0
    return {
        "predicted": np.bincount(place, predicted * (others + own), n_bins)[there] / rows[there],
        "share": np.bincount(place, own, n_bins)[there] / rows[there],
        "rows": rows[there] / _n_repeats(tallies),
    }


def _by_threshold(
    tallies: Sequence[Tally], positive: int, middle: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predicted values ascending, and the rows of the other classes and of this one at each."""
    first = tallies[0]
    if first.answered not in ("probabilities", "decision") or (middle and first.answered == "decision"):
        raise ParameterError(f"there is no such curve of {first.answered}; it needs probabilities")
    if not 0 <= positive < len(first.labels):
        raise ParameterError(f"positive={positive}, but there are {len(first.labels)} classes; give one of their codes")
    kept = [tally.rows for tally in tallies if tally.rows is not None]
    if len(kept) == len(tallies):
        value = np.concatenate([_of_class(rows.answer, positive)[rows.learned] for rows in kept])
        own = np.concatenate([rows.truth[rows.learned] == positive for rows in kept])
        values, place = np.unique(value, return_inverse=True)
        return values, np.bincount(place, ~own, len(values)), np.bincount(place, own, len(values))
    histogram = together(tallies).histogram
    if histogram is None:
        raise ParameterError("decision values that were summed have no curve; keep the rows, or give probabilities")
    counts = histogram[0 if len(first.labels) == 2 else positive]
    values = (EDGES[:-1] + EDGES[1:]) / 2 if middle else EDGES[:-1]
    if len(first.labels) == 2 and positive == 0:
        values = (1 - values)[::-1] if middle else (1 - EDGES[1:])[::-1]
        counts = counts[::-1, ::-1]
    return values, counts[0].astype(np.float64), counts[1].astype(np.float64)


def _of_class(answer: Any, positive: int) -> np.ndarray:
    if answer.ndim == 2:
        return np.asarray(answer[:, positive])
    return np.asarray(answer if positive == 1 else -answer)


def _n_repeats(tallies: Sequence[Tally]) -> int:
    return len({tally.repeat for tally in tallies})


def _kind(answer: Any, labels: Any, answered: str | None) -> str:
    if answered is not None and answered not in ANSWERS:
        raise ParameterError(f"answered={answered!r} is not known; give one of {', '.join(ANSWERS)}")
    if labels is None:
        return "numbers"
    return answered or ("probabilities" if np.ndim(answer) == 2 else "labels")


def _rows(kind: str, y: Any, answer: Any, units: Any, decided: Any, learned: Any) -> Rows:
    given, of_classes = np.asarray(answer), kind != "numbers"
    truth = np.asarray(y, dtype=np.int64 if of_classes else np.float64)
    if not len(truth) == len(given) == len(np.asarray(units)):
        raise ParameterError(f"there are {len(given):,} answers for {len(truth):,} rows; give one answer a row")
    if decided is None and kind in ("labels", "probabilities"):
        decided = given if kind == "labels" else given.argmax(axis=1)
    return Rows(
        np.asarray(units, dtype=np.int64),
        truth,
        None if kind == "labels" else given.astype(np.float64, copy=False),
        None if decided is None else np.asarray(decided, dtype=np.int64),
        np.ones(len(truth), dtype=bool) if learned is None else np.asarray(learned, dtype=bool),
    )


def _sums(tally: Tally, rows: Rows, means: Sequence[Metric]) -> RowSums:
    units, place = np.unique(rows.units, return_inverse=True)
    k = len(tally.labels)
    shape = (len(units), k)
    each: dict[str, np.ndarray] = {"rows": np.ones(len(place))}
    by_class: dict[str, np.ndarray] = {}
    cells = histogram = None
    areas, ranked, sure, centre = 0.0, 0, 0, 0.0
    if k:
        by_class["truth"] = _by_class(place, rows.truth, shape)
    if rows.decided is not None:
        # a class that could not be learned is wrong whatever was answered
        right = (rows.decided == rows.truth) & rows.learned
        by_class["hit"] = _by_class(place[right], rows.truth[right], shape)
        cells = np.bincount(rows.truth * k + rows.decided, minlength=k * k).reshape(k, k).astype(np.float64)
    if not rows.learned.all():
        each["learned"] = rows.learned.astype(np.float64)
    each |= _summands(tally, rows, means)
    if tally.answered == "numbers":
        centre = float(rows.truth.mean())
        each |= {"y": rows.truth - centre, "y2": (rows.truth - centre) ** 2}
    if tally.answered in ("probabilities", "decision") and rows.answer is not None:
        areas, ranked, ranks = _ranks(rows.truth[rows.learned], rows.answer[rows.learned], k)
        each["ranks"], each["shares"] = np.zeros((2, len(place)))
        each["ranks"][rows.learned], each["shares"][rows.learned] = ranks.T
    if tally.answered == "probabilities" and rows.answer is not None:
        histogram = _histogram(rows.truth[rows.learned], rows.answer[rows.learned], k)
        sure = int((rows.answer.max(axis=1) > 1 - 1e-9).sum())
    values = {name: _by_unit(place, value, len(units)) for name, value in each.items()} | by_class
    for name in ("ranks", "shares") if ranked else ():
        values[name] = _short(values[name])
    return RowSums(units, values, cells, histogram, areas, ranked, sure, centre)


def _summands(tally: Tally, rows: Rows, means: Sequence[Metric]) -> dict[str, np.ndarray]:
    """The part of each row in every mean that is kept."""
    known = [METRICS[name] for name in MEANS.get(tally.answered, ())]
    found: dict[str, np.ndarray] = {}
    for metric in [*known, *means]:
        labelled = metric.task == "classes" and metric.needs == "labels"
        answer = rows.decided if labelled else rows.answer
        if answer is None or metric.base in found:
            continue
        if metric.base == "mape":
            there = rows.truth != 0
            relative = np.abs(np.divide(rows.truth - answer, rows.truth, out=np.zeros(len(answer)), where=there))
            found |= {"mape": relative, "nonzero": there.astype(np.float64)}
        elif metric.base == "poisson_deviance":
            found["poisson_deviance"] = _deviances(rows.truth, answer)
        elif metric.each is not None:
            value = metric.each(rows.truth, answer, np.asarray(tally.labels))
            found[metric.base] = np.where(rows.learned, -value if metric.negated else value, 0.0)
    return found


def _deviances(y: np.ndarray, answer: np.ndarray) -> np.ndarray:
    """Twice the gap in Poisson log likelihood of each row: 2 (y log(y / a) − y + a)."""
    given = np.maximum(answer, np.finfo(np.float64).tiny)
    logs = np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0) / given), 0.0)
    return np.asarray(2 * (logs - y + given))


def _ranks(truth: np.ndarray, answer: np.ndarray, k: int) -> tuple[float, int, np.ndarray]:
    """Area under the ROC curve (mean over the classes, each against the rest), and each row's rank and share.

    The rank is the mean over the classes of the row's placement (the share of rows of the other side that it is on the
    right side of) over the rows of its side; the share is the mean of one over the rows of its side.
    """
    ranks = np.zeros((len(truth), 2))
    counts = np.bincount(truth, minlength=k)
    if (counts == 0).any():
        return 0.0, 0, ranks
    curves = [1] if k == 2 else range(k)
    area = 0.0
    for code in curves:
        own = truth == code
        value, n_own, n_other = _of_class(answer, code), int(own.sum()), int((~own).sum())
        distinct, place = np.unique(value, return_inverse=True)
        with_own = np.bincount(place[own], minlength=len(distinct))
        with_other = np.bincount(place[~own], minlength=len(distinct))
        under_own = (np.cumsum(with_own) - with_own / 2) / n_own  # ties count by half
        under_other = (np.cumsum(with_other) - with_other / 2) / n_other
        placed = np.where(own, under_other[place], 1 - under_own[place])
        side = np.where(own, n_own, n_other)
        area += float(placed[own].mean()) / len(curves)
        ranks[:, 0] += placed / side / len(curves)
        ranks[:, 1] += 1 / side / len(curves)
    return area, 1, ranks


def _histogram(truth: np.ndarray, answer: np.ndarray, k: int) -> np.ndarray:
    curves = [1] if k == 2 else list(range(k))
    n_bins = len(EDGES) - 1
    counts = np.zeros((len(curves), 2, n_bins))
    for place, code in enumerate(curves):
        bins = np.searchsorted(EDGES[1:-1], answer[:, code], side="right")
        counts[place] = np.bincount((truth == code) * n_bins + bins, minlength=2 * n_bins).reshape(2, n_bins)
    return counts


def _short(values: np.ndarray) -> np.ndarray:
    """Seven digits: enough for a variance, and half the length in a file."""
    digits = 6 - np.floor(np.log10(np.abs(values), out=np.zeros_like(values), where=values != 0))
    scale = 10.0 ** np.minimum(digits, 22)  # exact powers, so that the quotient is the shortest decimal
    return np.asarray(np.round(values * scale) / scale)


def _by_class(place: np.ndarray, codes: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """Rows of each unit and class."""
    n_units, k = shape
    return np.bincount(place * k + codes, minlength=n_units * k).reshape(shape).astype(np.float64)


def _by_unit(place: np.ndarray, values: np.ndarray, n_units: int) -> np.ndarray:
    if values.ndim == 1:
        return np.bincount(place, values, n_units)
    return np.column_stack([np.bincount(place, column, n_units) for column in values.T])


def _about(part: RowSums, centre: float) -> dict[str, np.ndarray]:
    """The sums with the target's moments moved to another centre, exactly as if they had been taken about it."""
    if "y" not in part.values or part.centre == centre:
        return part.values
    shift, n = part.centre - centre, part.values["rows"]
    y, y2 = part.values["y"], part.values["y2"]
    return {**part.values, "y": y + shift * n, "y2": y2 + 2 * shift * y + shift**2 * n}


def _added(parts: list[np.ndarray | None]) -> np.ndarray | None:
    there = [part for part in parts if part is not None]
    return np.sum(there, axis=0) if len(there) == len(parts) else None


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _listed(value: Any) -> Any:
    """Arrays as lists, whole numbers without a point: a third of the file is zeros after a point."""
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.kind == "f" and np.isfinite(value).all() and (value == np.round(value)).all() and len(value):
        return value.astype(np.int64).tolist() if np.abs(value).max() < 2**53 else value.tolist()
    return value.tolist()


def _rows_again(told: dict[str, Any], answered: str) -> Rows:
    answer, decided = told.get("answer"), told.get("decided")
    return Rows(
        np.array(told["units"], dtype=np.int64),
        np.array(told["truth"], dtype=np.float64 if answered == "numbers" else np.int64),
        None if answer is None else np.array(answer, dtype=np.float64),
        None if decided is None else np.array(decided, dtype=np.int64),
        np.array(told["learned"], dtype=bool),
    )


def _sums_again(told: dict[str, Any]) -> RowSums:
    arrays = {name: np.array(told[name], dtype=np.float64) for name in ("cells", "histogram") if name in told}
    return RowSums(
        np.array(told["units"], dtype=np.int64),
        {name: np.array(value, dtype=np.float64) for name, value in told["values"].items()},
        arrays.get("cells"),
        arrays.get("histogram"),
        told["areas"],
        told["ranked"],
        told["sure"],
        told["centre"],
    )
