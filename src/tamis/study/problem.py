"""A table and its target, as far as a study may look at them: the locked rows' target stays out of reach."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis.errors import TableError
from tamis.evaluate.leakage.equal_rows import EqualRows, with_equal_rows
from tamis.evaluate.problem import Problem
from tamis.lock import Lock
from tamis.study.claims.rare_classes import Rare, settled
from tamis.study.plan import Plan, planned
from tamis.study.settings import Settings
from tamis.study.source import draw_lock, exposure_of, given_types
from tamis.study.target.decide import class_labels, task_of
from tamis.study.target.positive import meant_class, refuse_positive
from tamis.table import (
    Column,
    Decision,
    Held,
    Raw,
    Table,
    raw_of,
    refuse_extreme,
    refuse_extreme_matrix,
)
from tamis.table.inference.dates import PARTS
from tamis.table.inference.text_words import min_rows_of_word
from tamis.task import CLASSIFICATION, predicts_classes, predicts_numbers

#: With fewer rows than this neither a fold nor a score means anything.
FEWEST_ROWS = 10

#: The code of a class that no unlocked row has, and a value that is no label.
NEVER_SEEN = -1
_OTHER = object()


@dataclass(frozen=True, eq=False)
class Locked:
    """The locked rows, target included: what `open` sees.

    Attributes
    ----------
    table : the features of the locked rows that have a target.
    y : their target, codes into the problem's labels (`NEVER_SEEN` for a class of no unlocked row) or numbers.
    without_target : how many locked rows have no target, or one that does not fit what unlocked rows decided.
    misfits : how many of those have one that does not fit: a text among numbers, an infinite number.
    groups, exposure : the group and the exposure of each row, when given.
    """

    table: Table
    y: np.ndarray
    without_target: int
    misfits: int
    groups: np.ndarray | None = None
    exposure: np.ndarray | None = None

    @property
    def is_known_class(self) -> np.ndarray:
        """A mask of the rows whose class could be learned; all of them for numbers."""
        return np.ones(len(self.y), dtype=bool) if self.y.dtype.kind == "f" else self.y != NEVER_SEEN

    @property
    def never_seen(self) -> int:
        """How many rows have a class that no unlocked row has."""
        return int(np.count_nonzero(~self.is_known_class))


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyProblem(Problem):
    """What is learned from what, and what is locked.

    Models see the rows that may be learned from, X, and codes into `labels`, or numbers, as y.

    Attributes
    ----------
    table : the features of all rows, columns in the order of their names; kinds and levels are those that unlocked
        rows decide, and what locked rows hold that does not fit is missing (or a level never seen).
    labels : the classes as people know them, in their order, or sorted; of two classes the one that is meant comes
        last (see `target.positive`); empty for numbers.
    rows : positions of the rows that may be learned from: unlocked, with a target.
    lock : the locked rows.
    dropped : how many unlocked rows had no target.
    digest : of all features and the unlocked targets.
    plan : how many folds, by the rows that may be learned from.
    rare : what became of classes with fewer rows than folds; None for numbers.
    drawn_repeats : how often folds would be drawn if groups were many.
    as_read : of the same rows, columns that models do not see: dates before they became parts, and columns left out.
    equal_rows : rows with equal features that all folds keep together; None where there are none.
    locked_groups, locked_exposure : groups and exposures of the locked rows, when given.
    decisions : how every column was read, and why.
    remarks : what to know of the reading of the source as a whole, a sentence each.
    given_labels : the classes in their order, or sorted, before the one that is meant was put last.
    task_note : why the target is taken for what it is, and the word that changes it; empty where that was given.
    misfits : column -> how many values of locked rows did not fit its kind or levels.
    """

    table: Table
    labels: tuple[Any, ...]
    rows: np.ndarray
    lock: Lock
    dropped: int
    digest: str
    hidden: Held
    spelt: bool
    decisions: tuple[Decision, ...]
    misfits: dict[str, int]
    plan: Plan
    rare: Rare | None = None
    drawn_repeats: int = 1
    as_read: Table | None = None
    equal_rows: EqualRows | None = None
    locked_groups: np.ndarray | None = None
    locked_exposure: np.ndarray | None = None
    task_note: str = ""
    remarks: tuple[str, ...] = ()
    given_labels: tuple[Any, ...] = ()

    @classmethod
    def of(cls, source: Table | Raw, settings: Settings) -> StudyProblem:
        """Lock rows, then decide from the others what columns are and what is to be learned."""
        raw = raw_of(source)
        if raw.n_rows < FEWEST_ROWS:
            raise TableError(f"the table has {raw.n_rows} row(s); a study needs at least {FEWEST_ROWS}")
        lock, groups, time, decisions = draw_lock(raw, settings)
        exposure = exposure_of(raw, settings.exposure, given_types(raw, settings)) if settings.exposure else None
        free = np.flatnonzero(~lock.mask(raw.n_rows))
        parted = raw.parted(free, given_types(raw, settings), settings.target, decisions)
        table = _features(parted.table, settings)
        refuse_extreme(table)  # distances, variances and correlations of columns are told of every study
        values, spelt = target_values(parted.target)
        has = np.array([value is not None for value in values], dtype=bool)
        rows, answers = free[has], [value for value in values if value is not None]
        task, note, given_labels, labels, y = _as_task(answers, parted.target, settings)
        identity = (lock.data, table.digest(), settings.target, rows.tolist(), answers)
        plan = planned(settings, len(rows))
        rare = settled(labels, y, plan.folds, settings.rare, settings.target) if labels else None
        if rare is not None:
            rows, labels, y = rows[rare.is_used], rare.labels, rare.codes
        problem = cls(
            X=table.take(rows).share(),
            y=y,
            task=task,
            classes=np.arange(len(labels)) if labels else None,
            names=table.names,
            table=table,
            labels=labels,
            rows=rows,
            groups=None if groups is None else groups.values[rows],
            time=None if time is None else time.values[rows],
            lock=lock,
            dropped=int((~has).sum()),
            digest=hashlib.sha256("\n".join(str(item) for item in identity).encode()).hexdigest(),
            hidden=parted.locked,
            spelt=spelt,
            task_note=note,
            remarks=raw.remarks,
            given_labels=given_labels,
            decisions=_with_task(parted.table.decisions, settings, note),
            misfits={name: n for name, n in parted.misfits.items() if name not in settings.drop},
            rare=rare,
            plan=plan,
            as_read=_as_read(parted.table, settings, rows),
            locked_groups=None if groups is None else groups.values[lock.rows],
            exposure=None if exposure is None else exposure[rows],
            locked_exposure=None if exposure is None else exposure[lock.rows],
            min_word_rows=min_rows_of_word(len(free)) if _has_text(parted.table.decisions) else 0,
        )
        problem, copies = with_equal_rows(problem)
        n_groups = None if problem.groups is None else len(np.unique(problem.groups))
        return replace(problem, equal_rows=copies, plan=plan.of_groups(n_groups), drawn_repeats=plan.repeats)

    @property
    def codes(self) -> np.ndarray:  # type: ignore[override]
        """The classes of the rows are their codes."""
        return self.y

    @property
    def rarest(self) -> int:
        """The code of the class with the fewest rows; the first of several."""
        return int(np.bincount(self.y, minlength=len(self.labels)).argmin()) if self.labels else 0

    def locked(self) -> Locked:
        """The locked rows with their target, read as unlocked rows decided; only `open` calls this."""
        column, strange = self.hidden.column()
        values, _ = target_values(column, spelt=self.spelt)
        # another word than the two of a boolean target is a class, but never seen
        if predicts_classes(self.task) and column.kind == "boolean":
            values = [_OTHER if odd else value for value, odd in zip(values, strange)]
            strange = np.zeros(len(values), dtype=bool)
        texts = self.spelt * np.array([v is None for v in values]) & ~column.missing
        has = np.array([value is not None for value in values], dtype=bool)
        present = [value for value in values if value is not None]
        if predicts_numbers(self.task):
            y = np.array(present, dtype=np.float64)
        else:
            y = np.array([self._code(value) for value in present], dtype=np.int64)
        misfits = int(np.count_nonzero(strange | texts))
        groups, exposure = (
            None if values is None else values[has] for values in (self.locked_groups, self.locked_exposure)
        )
        return Locked(self.table.take(self.lock.rows[has]), y, int((~has).sum()), misfits, groups, exposure)

    def _code(self, value: Any) -> int:
        """The code of a locked row's class; of a rare class that was merged, that of the class it became."""
        label = self.rare.merged.get(value, value) if self.rare is not None else value
        return self.labels.index(label) if label in self.labels else NEVER_SEEN


def target_values(target: Column, *, spelt: bool | None = None) -> tuple[list[Any], bool]:
    """The target as numbers or text, None where missing, and whether its texts are read as the numbers they spell.

    Parameters
    ----------
    spelt : whether they are; None decides: where every text spells a number.
    """
    if not target.is_categorical:
        is_missing = np.isnan(target.values)
        if target.levels is None:
            objects = target.values.astype(object)
            objects[is_missing] = None
        else:
            objects = np.array([*target.levels, None], dtype=object)[
                np.where(is_missing, -1, target.values).astype(np.int64)
            ]
        return objects.tolist(), False
    levels, codes = target.levels or (), target.values
    used = np.unique(codes[codes >= 0]).tolist()
    numbers = {code: _number(levels[code]) for code in used}
    if spelt is None:
        spelt = bool(numbers) and all(value is not None for value in numbers.values())
    value_of_code = np.full(len(levels) + 1, None, dtype=object)  # the last is that of a missing value
    for code in used:
        value_of_code[code] = numbers[code] if spelt else levels[code]
    return value_of_code[np.maximum(codes, -1)].tolist(), spelt


def _number(text: Any) -> float | None:
    written = str(text).strip()
    if len(written) > 1 and written[0] == "0" and written[1].isdigit():  # a code such as 01234
        return None
    try:
        return float(written)
    except ValueError:
        return None


def _has_text(decisions: tuple[Decision, ...]) -> bool:
    return any(decision.kind == "text" and decision.used for decision in decisions)


def _features(table: Table, settings: Settings) -> Table:
    left_out = {*settings.drop, settings.exposure}
    names = [column.name for column in table.columns if column.origin not in left_out]
    if not names:
        raise TableError("no column is left to learn from: all are left out; give types= to bring some back")
    return table.select(sorted(names))


def _as_read(table: Table, settings: Settings, rows: np.ndarray) -> Table | None:
    """Dates, and columns that the user left out, of some rows."""
    if table.matrix is not None:
        return None
    dates = {decision.name for decision in table.decisions if decision.kind == "date" and decision.used}
    days = f" ({PARTS[-1]})"
    columns = []
    for column in table.columns:
        if column.origin in dates:
            if column.name == f"{column.origin}{days}":
                columns.append(Column(column.origin, "date", column.values[rows]))
        elif column.origin in settings.drop:
            columns.append(column.take(rows))
    return Table(columns, n_rows=len(rows)) if columns else None


def _with_task(decisions: tuple[Decision, ...], settings: Settings, note: str) -> tuple[Decision, ...]:
    """The decisions, with a note on what the target is taken for where nobody said so and another task would do."""
    if not note:
        return decisions
    return tuple(
        replace(decision, note=note) if decision.name == settings.target else decision for decision in decisions
    )


def _as_task(
    present: list[Any], column: Column, settings: Settings
) -> tuple[str, str, tuple[Any, ...], tuple[Any, ...], np.ndarray]:
    """The task, a note on it, the classes in their order (none for numbers) as given and with the one that is meant at
    the end, and the target as codes into the latter or as numbers.
    """
    name = settings.target
    if not present:
        raise TableError(f"the target {name!r} is missing in every row; give a column that has values")
    if len(set(present)) == 1:
        what = "has only one class" if settings.task == CLASSIFICATION else "is constant"
        raise TableError(f"the target {name!r} {what} ({present[0]!r} in every row); there is nothing to learn")
    if len(present) < FEWEST_ROWS:
        raise TableError(f"only {len(present)} unlocked rows have a value of {name!r}; a study needs {FEWEST_ROWS}")
    if not any(isinstance(value, str) for value in present):
        _refuse_infinite(present, name)
    task, note = task_of(present, column, settings)
    if predicts_numbers(task):
        y = np.array(present, dtype=np.float64)
        refuse_extreme_matrix(y[:, None], [name])
        refuse_positive(settings.positive, (), name)
        return task, note, (), (), y
    label_of = class_labels(set(present), column, task)
    labels = given = tuple(dict.fromkeys(label_of.values()))
    if task == CLASSIFICATION and len(labels) == 2:
        counts = Counter(label_of[value] for value in present)
        meant = meant_class(labels, np.array([counts[label] for label in labels]), settings.positive, name)
        labels = (*(label for label in labels if label != meant), meant)
    else:
        refuse_positive(settings.positive, labels, name)
    code_of = {label: code for code, label in enumerate(labels)}
    codes = {value: code_of[label] for value, label in label_of.items()}
    y = np.fromiter(map(codes.__getitem__, present), dtype=np.int64, count=len(present))
    return task, note, given, labels, y


def _refuse_infinite(present: list[float], name: str) -> None:
    if not np.isfinite(present).all():
        raise TableError(f"the target {name!r} holds an infinite value; replace it or drop its row")
