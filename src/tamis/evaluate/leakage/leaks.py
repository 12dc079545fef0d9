"""What in a table would make any score too good, found before anything is fitted and said in words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from tamis.evaluate.leakage.duplicates import duplicates, near_duplicates, row_keys
from tamis.evaluate.leakage.equal_rows import Coincidences, EqualRows, clearly_more, equal_rows
from tamis.evaluate.leakage.made_from_target import class_fills, encodings
from tamis.evaluate.leakage.near_twins import NearTwins, near_twins
from tamis.evaluate.leakage.univariate import Univariate, neighbour_share, suspects, univariate
from tamis.evaluate.problem import Problem, problem_of
from tamis.split import Folds
from tamis.table import Column, Table, refuse_extreme
from tamis.task import task_named

_IDENTIFIER = re.compile(r"(^|[_\W])(id|uuid|guid|key|index|row|number|no|nr)$|(id|Id|ID|No|Nr)$", re.UNICODE)
#: Who or what a row is of, at the end of a name or before a word for its number: the age of a patient is no patient.
_ENTITY = re.compile(
    r"(?<!of.)(patient|subject|person|user|customer|client|animal|donor|household|device|sample|case|participant)s?"
    r"([_\W]*(id|no|nr|num|number|code|name|key|index))?$",
    re.I,
)
_ALMOST = 0.995
_VOID = 0.25  # of the target's variance: twins that give away more make up most of a score
_FEW_LEVELS = 0.05  # levels per row of an encoding: a row is that share of its own mean
_FEW_DESIGNS = 50  # different rows of coarse columns that nobody takes for entities
_ODDS = 1e-3  # a finding that chance brings once in a thousand tables is worth a sentence


@dataclass(frozen=True)
class Leak:
    """Something in the data that would make scores too good.

    Attributes
    ----------
    kind : "predicts", "identifier", "duplicates", "near-duplicates", "near-twins", "entity", "time", "missingness",
        "encoded", "filled", "order" (rows of a file, by a study alone) or "locked".
    columns : the columns it is about; none when it is about rows.
    sentence : what was found and what to do.
    severity : "stop" (a score means nothing until this is settled), "warn" or "note".
    rows : how many rows it is about.
    """

    kind: str
    columns: tuple[str, ...]
    sentence: str
    severity: str
    rows: int = 0


def leaks(
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    time: Any = None,
    folds: Folds | None = None,
    locked: Any = None,
    as_read: Any = None,
    task: str | None = None,
) -> list[Leak]:
    """Every leak found in a table and its target, worst first.

    Parameters
    ----------
    X : the table (anything `Table.of` takes), without the target; or a `Problem`, which has the target, too.
    y : the target.
    groups, time : one value a row, when the split will respect them; what they settle is not reported.
    folds : the (train, test) positions that will be used, to say how many equal rows they tear apart.
    locked : the table of locked rows, which must not be repeated in X.
    as_read : a table of columns that models do not see, such as dates before they became parts: a target that drifts
        with a date, and entities, are looked for in them.
    task : "classification", "regression", "count" or "ordinal": what the target was decided to be; read from y when not
        given.

    >>> X = np.column_stack([np.arange(60) % 7, np.repeat([0.0, 1.0], 30)])
    >>> found = leaks(X, np.repeat(["no", "yes"], 30))
    >>> next(leak.sentence for leak in found if leak.kind == "predicts")
    "column 'x1' alone gives the target in 100% of the rows; drop it unless it was known beforehand"
    """
    if task is not None:
        task = task_named(task)
    if not isinstance(X, Problem):
        X = problem_of([], Table.of(X), y, groups=groups, time=time, task=task)
    table, classes, target, time = Table.of(X.X), X.of_classes, X.codes.astype(np.float64), X.time
    refuse_extreme(table)
    keys, chance = row_keys(table), Coincidences(table)
    sets, groups = duplicates(keys), X.groups if X.copies is None else X.copies
    copies = equal_rows(table, target, classes, sets)
    is_design = copies is None and 2 * _distinct(sets) < table.n_rows  # its points come again in any rows
    twins = near_twins(table, target, classes, sets, _group_codes(groups)) if time is None else None
    leaks_found = [
        *_by_column(table, target, classes, X.groups is not None, time is not None),
        *([] if as_read is None else _unseen(Table.of(as_read), target, classes, X)),
        *_from_target(table, target, classes, None if locked is None else Table.of(locked)),
        *_by_row(table, sets, copies, groups, folds),
        *(_twins(twins) or _nearly(table, chance, groups)),
        *([] if locked is None or is_design else _locked(table, keys, chance, Table.of(locked))),
    ]
    return by_severity(leaks_found)


def by_severity(leaks_found: Sequence[Leak]) -> list[Leak]:
    """Worst first."""
    order = {"stop": 0, "warn": 1, "note": 2}
    return sorted(leaks_found, key=lambda leak: order[leak.severity])


def _by_column(table: Table, y: np.ndarray, classes: bool, grouped: bool, timed: bool) -> Iterator[Leak]:
    perfect: list[tuple[str, Univariate]] = []
    for j in suspects(table, y, classes, _ALMOST, _ODDS):
        column = table.column(j)
        alone = univariate(column, y, classes)
        entity = [] if _is_code(alone, y) else list(_entity(column, alone, y, table.n_columns))
        if _is_identifier(column):
            yield _identifier(column)
        elif entity:
            yield from [] if grouped else entity
        if alone.share >= _ALMOST and alone.odds * table.n_columns < _ODDS and not entity:
            perfect.append((column.name, alone))
        if not timed:
            yield from _time(column, y, classes)
        yield from _missingness(column, y, classes, table.n_columns)
    yield from _predicts(perfect)


def _from_target(table: Table, y: np.ndarray, classes: bool, locked: Table | None) -> Iterator[Leak]:
    """Columns that were made from the target before the folds were drawn."""
    if table.is_sparse:
        return
    locked_columns = None if locked is None or locked.names != table.names else locked.columns
    for encoding in encodings(table.columns, locked_columns, y, classes):
        over = "the rows with the same value" if encoding.source is None else f"the other rows of {encoding.source!r}"
        sentence = (
            f"column {encoding.name!r} holds the target's mean over {over}: the target of each row is part of it, so "
            "encode inside the folds instead"
        )
        yield Leak(
            "encoded", (encoding.name,), sentence, "stop" if encoding.levels > _FEW_LEVELS * encoding.rows else "warn"
        )
    for fill in class_fills(table.columns, y) if classes else ():
        fill_values = " and ".join(f"{value:.6g}" for value in fill.values[:3])
        sentence = (
            f"{fill_values} of column {fill.name!r}, {fill.rows:,} rows in all, come with one class alone: were "
            "holes filled "
            "by class? if so, leave them empty"
        )
        is_certain = len(set(fill.classes)) > 1
        yield Leak("filled", (fill.name,), sentence, "stop" if is_certain else "warn", fill.rows)


def _unseen(table: Table, y: np.ndarray, classes: bool, problem: Problem) -> Iterator[Leak]:
    """What columns that models do not see say about the rows: their time, and whom they belong to."""
    for column in table.columns:
        if column.kind == "date":
            yield from [] if problem.time is not None else _time(column, y, classes)
        elif problem.groups is None:
            yield from _entity(column, univariate(column, y, classes), y, table.n_columns)


def _predicts(perfect: Sequence[tuple[str, Univariate]]) -> Iterator[Leak]:
    if len(perfect) > 5:
        names = tuple(name for name, _ in perfect)
        listed = ", ".join(repr(name) for name in names[:5])
        yield Leak(
            "predicts",
            names,
            f"{len(names)} columns, each alone, give the target almost perfectly ({listed}, …): "
            "either the task is easy, or they were made from the target",
            "warn",
        )
        return
    for name, alone in perfect:
        exact = alone.share >= 1 - 1e-12
        said = (
            f"gives the target in {alone.share:.0%} of the rows"
            if alone.classes
            else f"explains {alone.share:.2%} of the target's variance"
        )
        sentence = f"column {name!r} alone {said}; drop it unless it was known beforehand"
        yield Leak("predicts", (name,), sentence, "stop" if exact else "warn", alone.rows)


def _is_identifier(column: Column) -> bool:
    """Every value different, and either text, or whole numbers named or counted like an identifier."""
    if column.kind == "identifier":
        return True
    is_observed = ~column.missing
    values = column.values[is_observed]
    n = len(values)
    if n < 20 or column.kind in ("date", "boolean"):
        return False
    distinct = len(np.unique(values))
    if column.is_categorical:
        return distinct > 0.95 * n
    if distinct < n or not np.all(values == np.round(values)):
        return False
    counted = values.max() - values.min() < 1.5 * n
    return bool(counted or _IDENTIFIER.search(column.name))


def _identifier(column: Column) -> Leak:
    sentence = (
        f"column {column.name!r} looks like an identifier (a different value in every row): it says nothing about new "
        "rows, so drop it"
    )
    return Leak("identifier", (column.name,), sentence, "warn", int((~column.missing).sum()))


def _is_code(alone: Univariate, y: np.ndarray) -> bool:
    """A column that tells the class and has no more values than there are classes is a code of it, not an entity."""
    return alone.classes and alone.by_level >= _ALMOST and alone.levels <= len(np.unique(y))


def _entity(column: Column, alone: Univariate, y: np.ndarray, n_columns: int) -> Iterator[Leak]:
    """Values that come again a few times each, as the rows of a patient do, and carry the target with them."""
    if column.kind in ("date", "boolean") or not (column.is_categorical or alone.is_integer):
        return
    n, levels = alone.rows, alone.levels
    if n < 20 or levels < 8 or not 1.5 <= n / levels <= max(20.0, 0.05 * n):
        return
    named = bool(_ENTITY.search(column.name) or _IDENTIFIER.search(column.name))
    carries = alone.by_level > alone.base + 0.3 * (1 - alone.base) and alone.level_odds * n_columns < _ODDS
    if carries and not column.is_categorical:  # neighbouring values of a measurement say the same, numbers of cases not
        nearby = neighbour_share(column, y, alone.classes)
        carries = alone.by_level > nearby + 0.3 * (1 - nearby)
    if named or (carries and column.is_categorical):
        sentence = (
            f"column {column.name!r} has {levels:,} values for {n:,} rows, so the same one falls into training and "
            "judged rows: give it as groups if it names an entity"
        )
        yield Leak("entity", (column.name,), sentence, "stop" if named and carries else "warn", n)


def _time(column: Column, y: np.ndarray, classes: bool) -> Iterator[Leak]:
    if column.kind != "date":
        return
    present = ~column.missing
    drift = _drift(column.values[present], y[present], classes)
    sentence = (
        f"column {column.name!r} is a date{drift}: random folds train on the future, so give it as time if new rows "
        "will come later"
    )
    yield Leak("time", (column.name,), sentence, "warn" if drift else "note", int(present.sum()))


def _drift(days: np.ndarray, y: np.ndarray, classes: bool) -> str:
    """How the target changes with time, in words; empty where chance explains it."""
    if len(y) <= 10 or np.ptp(y) == 0 or np.ptp(days) == 0:
        return ""
    if classes and len(np.unique(y)) > 2:
        p = scipy.stats.kruskal(*(days[y == code] for code in np.unique(y))).pvalue
        return " and the shares of the classes drift with it" if p < _ODDS else ""
    r, p = scipy.stats.spearmanr(days, y)
    words = f"{r:.2f}".replace("-", "\u2212")
    return f" and the target drifts with it (rank correlation {words})" if p < _ODDS else ""


def _missingness(column: Column, y: np.ndarray, classes: bool, n_columns: int) -> Iterator[Leak]:
    is_missing = column.missing
    n = int(is_missing.sum())
    if n < 5 or n > len(is_missing) - 5:
        return
    strength, p = _association(is_missing, y, classes)
    if p * n_columns >= _ODDS or strength < 0.3:
        return
    sentence = (
        f"where column {column.name!r} has no value ({n:,} rows) predicts the target (association {strength:.2f}): "
        "are values recorded because of the outcome? if so, drop it"
    )
    yield Leak("missingness", (column.name,), sentence, "stop" if strength > 0.95 else "warn", n)


def _association(mask: np.ndarray, y: np.ndarray, classes: bool) -> tuple[float, float]:
    """Strength in [0, 1] and p-value: Cramér's V for classes, correlation for numbers."""
    if not classes:
        if np.ptp(y) == 0:
            return 0.0, 1.0
        r, p = scipy.stats.pearsonr(mask.astype(float), y)
        return abs(float(r)), float(p)
    codes = y.astype(np.int64)
    cells = np.zeros((2, codes.max() + 1))
    np.add.at(cells, (mask.astype(int), codes), 1)
    cells = cells[:, cells.sum(axis=0) > 0]
    if cells.shape[1] < 2:
        return 0.0, 1.0
    chi2 = scipy.stats.chi2_contingency(cells, correction=False)
    return float(np.sqrt(chi2.statistic / len(mask))), float(chi2.pvalue)


def _by_row(
    table: Table, sets: np.ndarray, copies: EqualRows | None, groups: ArrayLike, folds: Folds | None
) -> Iterator[Leak]:
    if copies is None:
        yield from _design_points(table, sets)
        return
    if not _unsettled(copies.sets, _group_codes(groups)):
        return
    n, expected = copies.n_rows, copies.expected
    split = "" if folds is None else f", {copies.split_by(folds):,} of them judged by a model that saw their twin"
    by_chance = f" (chance would give about {round(expected):,})" if expected >= 0.5 else ""
    sentence = (
        f"{n:,} of {table.n_rows:,} rows have a twin with the same values in every column{by_chance}{split}: keep one "
        "of each, or give what they share as groups"
    )
    yield Leak("duplicates", (), sentence, "stop" if n - expected > 0.05 * table.n_rows else "warn", n)


def _design_points(table: Table, sets: np.ndarray) -> Iterator[Leak]:
    """Few different rows, each many times, whose targets differ: no copies, but perhaps entities."""
    n, distinct = int((sets >= 0).sum()), _distinct(sets)
    if table.n_columns > 1 and 4 * distinct < table.n_rows and distinct > _FEW_DESIGNS:
        sentence = (
            f"the {table.n_rows:,} rows hold only {distinct:,} different ones: if each is one entity measured several "
            "times, give it as groups"
        )
        yield Leak("duplicates", (), sentence, "note", n)


def _distinct(sets: np.ndarray) -> int:
    """Different rows, of the sets of equal ones."""
    return int((sets < 0).sum()) + len(np.unique(sets[sets >= 0]))


def _twins(twins: NearTwins | None) -> list[Leak]:
    if twins is None:
        return []
    sentence = (
        f"{twins.share:.0%} of the rows have a near twin (chance would give about {twins.expected:.0%}), and twins "
        "agree in the target far beyond what the columns explain: give what they share, such as a patient, as groups"
    )
    return [Leak("near-twins", (), sentence, "stop" if twins.weight >= _VOID else "warn")]


def _nearly(table: Table, chance: Coincidences, groups: Any) -> Iterator[Leak]:
    if table.n_columns < 2 or table.is_sparse:
        return
    pairs, grouped = near_duplicates(table), _group_codes(groups)
    if grouped is not None:
        pairs = [(a, b) for a, b in pairs if grouped[a] != grouped[b]]
    rows = _rows_of(pairs)
    if not rows:
        return
    if not clearly_more(rows, chance.near_duplicates):
        return
    a, b = pairs[0]
    sentence = (
        f"{rows:,} rows are almost equal to another (rows {a} and {b}, for example): if they are copies of one "
        "case, keep one, or give them as groups"
    )
    yield Leak("near-duplicates", (), sentence, "warn", rows)


def _rows_of(pairs: Sequence[tuple[int, int]]) -> int:
    return len({row for pair in pairs for row in pair})


def _group_codes(groups: ArrayLike) -> np.ndarray | None:
    return None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]


def _unsettled(sets: np.ndarray, groups: np.ndarray | None) -> bool:
    """True when some set of equal rows is spread over several groups (or there are no groups)."""
    if groups is None:
        return True
    rows = np.flatnonzero(sets >= 0)
    pairs = np.unique(np.column_stack([sets[rows], groups[rows]]), axis=0)
    return len(pairs) > len(np.unique(sets[rows]))


def _locked(table: Table, keys: np.ndarray, chance: Coincidences, locked: Table) -> Iterator[Leak]:
    if table.names != locked.names and set(table.names) == set(locked.names):
        locked = locked.select(table.names)
    theirs, ours = np.sort(row_keys(locked)), np.sort(keys)  # in order, a search of millions stays in the cache
    again = int((ours[np.searchsorted(ours, theirs).clip(max=len(ours) - 1)] == theirs).sum())
    if again and clearly_more(again, chance.duplicates * locked.n_rows / table.n_rows):
        sentence = (
            f"{again:,} of {locked.n_rows:,} locked rows are repeated among the training rows: their score would be "
            "one of memory, so remove the copies and lock the table again"
        )
        yield Leak("locked", (), sentence, "stop", again)
