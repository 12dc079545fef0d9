"""A table and its target, as far as a study may look at them: the locked rows' target stays out of reach."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tamis.errors import TableError
from tamis.evaluate.paired import units_of
from tamis.lock import Lock
from tamis.study.rare import Rare, settled
from tamis.study.settings import Settings
from tamis.study.source import made_from, time_of
from tamis.table import Column, Table, is_class_target

#: With fewer rows than this neither a fold nor a score means anything.
FEWEST_ROWS = 10


@dataclass(frozen=True, eq=False)
class Problem:
    """What is learned from what.

    Attributes
    ----------
    table : the features of all rows, columns in the order of their names.
    task : "classes" or "numbers".
    labels : the classes, sorted; empty for numbers.
    rows : positions of the rows that may be learned from: unlocked, with a target.
    y : their target, codes into `labels` or numbers.
    groups, time : of those rows, when given.
    lock : the locked rows.
    dropped : how many unlocked rows had no target.
    digest : of all features and the unlocked targets.
    rare : what became of classes with fewer rows than folds; None for numbers.
    """

    table: Table
    task: str
    labels: tuple[Any, ...]
    rows: np.ndarray
    y: np.ndarray
    groups: np.ndarray | None
    time: np.ndarray | None
    lock: Lock
    dropped: int
    digest: str
    hidden: Column
    rare: Rare | None = None

    @classmethod
    def of(cls, whole: Table, settings: Settings) -> Problem:
        """Split a table into features and target, lock rows, and take the unlocked rows' target."""
        target = whole.column(settings.target)
        if whole.n_rows < FEWEST_ROWS:
            raise TableError(f"the table has {whole.n_rows} row(s); a study needs at least {FEWEST_ROWS}")
        groups = whole.column(settings.groups) if settings.groups else None
        time = time_of(whole, settings.time) if settings.time else None
        table = _features(whole, settings)
        lock = Lock.of(table, share=settings.lock, seed=settings.seed, groups=groups, time=time)
        free = np.flatnonzero(~lock.mask(whole.n_rows))
        values = target_values(target, free)
        has = np.array([value is not None for value in values], dtype=bool)
        rows, known = free[has], [value for value in values if value is not None]
        task, labels, y = _as_task(known, settings)
        rare = settled(labels, y, settings.folds, settings.rare, settings.target) if labels else None
        if rare is not None:
            rows, labels, y = rows[rare.kept], rare.labels, rare.codes
        digest = hashlib.sha256(f"{table.digest()}\n{settings.target}\n{rows.tolist()}\n{known}".encode())
        return cls(
            table=table,
            task=task,
            labels=labels,
            rows=rows,
            y=y,
            groups=None if groups is None else groups.values[rows],
            time=None if time is None else time.values[rows],
            lock=lock,
            dropped=int((~has).sum()),
            digest=digest.hexdigest(),
            hidden=target,
            rare=rare,
        )

    @cached_property
    def units(self) -> np.ndarray:
        """The unit of every learnable row, over which losses are summed and compared."""
        return units_of(len(self.y), groups=self.groups, time=self.time)

    @property
    def rarest(self) -> int:
        """The code of the class with the fewest rows; the first of several."""
        return int(np.bincount(self.y, minlength=len(self.labels)).argmin()) if self.labels else 0

    def locked(self) -> tuple[Table, np.ndarray, int]:
        """Features and target of the locked rows, and how many had no usable target; only `open` calls this."""
        values = target_values(self.hidden, self.lock.rows)
        usable = [value is not None and (self.task == "numbers" or value in self.labels) for value in values]
        rows = self.lock.rows[np.array(usable, dtype=bool)]
        kept = [value for value, ok in zip(values, usable) if ok]
        y = np.array([self.labels.index(value) for value in kept]) if self.labels else np.array(kept, dtype=float)
        return self.table.take(rows), y, len(values) - len(rows)


def target_values(target: Column, rows: np.ndarray) -> list[Any]:
    """The target of some rows as numbers or text, None where missing; other rows do not matter.

    A column that reads as text only because of other rows is read as numbers here: what those rows hold must not
    change what is learned from these.
    """
    part = target.take(rows)
    if not part.is_categorical:
        words = part.levels
        whole = [None if np.isnan(value) else value for value in part.values.tolist()]
        return whole if words is None else [None if v is None else words[int(v)] for v in whole]
    levels = part.levels or ()
    texts = [None if code < 0 else levels[code] for code in part.values]
    as_numbers = {text: _number(text) for text in set(texts) if text is not None}
    if as_numbers and all(value is not None for value in as_numbers.values()):
        return [None if text is None else as_numbers[text] for text in texts]
    return texts


def _number(text: Any) -> float | None:
    written = str(text).strip()
    if len(written) > 1 and written[0] == "0" and written[1].isdigit():  # a code such as 01234
        return None
    try:
        return float(written)
    except ValueError:
        return None


def _features(whole: Table, settings: Settings) -> Table:
    aside = [name for name in (settings.target, settings.groups, settings.time) if name]
    out = made_from(whole, (*aside, *settings.drop))
    names = [name for name in whole.names if name not in out]
    if not names:
        raise TableError("no column is left to learn from: all are left out; give --types to bring some back")
    return whole.select(sorted(names))


def _as_task(known: list[Any], settings: Settings) -> tuple[str, tuple[Any, ...], np.ndarray]:
    name = settings.target
    if not known:
        raise TableError(f"the target {name!r} is missing in every row; give a column that has values")
    if len(set(known)) == 1:
        raise TableError(f"the target {name!r} is constant ({known[0]!r} in every row); there is nothing to learn")
    if len(known) < FEWEST_ROWS:
        raise TableError(f"only {len(known)} unlocked rows have a value of {name!r}; a study needs {FEWEST_ROWS}")
    text = any(isinstance(value, str) for value in known)
    if text and settings.task == "numbers":
        value = next(value for value in known if isinstance(value, str))
        raise TableError(f"task='numbers', but the target {name!r} holds {value!r}; give task='classes'")
    task = settings.task or ("classes" if text or is_class_target(np.array(known)) else "numbers")
    if task == "numbers":
        _refuse_infinite(known, name)
        return task, (), np.array(known, dtype=np.float64)
    shown = [int(v) if isinstance(v, float) and v.is_integer() else v for v in known]
    labels = tuple(sorted(set(shown), key=lambda v: (isinstance(v, str), v)))
    place = {label: code for code, label in enumerate(labels)}
    return task, labels, np.array([place[value] for value in shown], dtype=np.int64)


def _refuse_infinite(known: list[float], name: str) -> None:
    if not np.isfinite(known).all():
        raise TableError(f"the target {name!r} holds an infinite value; replace it or drop its row")
