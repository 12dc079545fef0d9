"""One task of a study: a procedure learns from the training part of a fold and is judged on the rest of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.engine import seed_of
from tamis.errors import ParameterError, TableError
from tamis.evaluate.leaks import leaks
from tamis.evaluate.loss import LossMatrix
from tamis.evaluate.paired import row_losses
from tamis.evaluate.tally import Tally
from tamis.metrics import Metric
from tamis.split import Folds, folds
from tamis.study.contribution import contributions
from tamis.study.judging import besides, is_learned, value
from tamis.study.problem import Problem
from tamis.study.procedures import Fitted, Procedure
from tamis.table import Table

#: Rows before the first stretch of time that is judged: to learn anything from, and inside a training part.
FEWEST_BEFORE, FEWEST_INSIDE = 8, 4

#: Predictions are kept in the journal up to this many learnable rows; beyond it they would outgrow the results.
MOST_KEPT = 5_000


@dataclass(frozen=True)
class Fold:
    """Rows (positions among the learnable ones) to learn from and to be judged on."""

    name: str
    train: np.ndarray
    test: np.ndarray
    repeat: int = 0


@dataclass(frozen=True, eq=False)
class Rules:
    """How every fold of a study is judged.

    Attributes
    ----------
    metric : what is quoted.
    loss : the proper score that procedures are compared by: brier, log_loss, squared_error or cost.
    costs : truth × answer, when that is "cost".
    inner : folds within a training part, in which procedures choose their strength and are compared.
    """

    metric: Metric
    loss: str
    costs: np.ndarray | None
    inner: int


def outer_folds(problem: Problem, k: int, repeats: int, seed: int) -> list[Fold]:
    """The outer folds of a study, repeat after repeat."""
    if problem.time is not None and repeats == 1:
        pairs = _outer_in_time(problem, k)
    else:
        pairs = _folds(problem, np.arange(len(problem.y)), k, repeats, seed_of(seed, "outer"))
    per_repeat = len(pairs) // repeats
    names = [f"repeat {i // per_repeat + 1} fold {i % per_repeat + 1}" for i in range(len(pairs))]
    return [Fold(name, *pair, i // per_repeat) for i, (name, pair) in enumerate(zip(names, pairs))]


def judge(problem: Problem, rules: Rules, fold: Fold, procedure: Procedure, *, seed: int) -> dict[str, Any]:
    """Fit a procedure on the training part alone and score it on the rest.

    The inner losses come from folds within the training part: what the choice between procedures may use when its own
    honesty is judged on this fold.
    """
    # Inner folds are the same for every procedure: their seed is the fold's, not the task's.
    pairs = inner_folds(problem, fold.train, rules.inner, seed_of(0, "inner", fold.name))
    fitted = _fit(problem, procedure, fold.train, seed, pairs)
    inside = _inner_answers(problem, procedure, fitted, fold.train, seed, pairs)
    judged = ~np.isnan(inside if inside.ndim == 1 else inside[:, 0])
    learned, rare = _learned(problem, fold.train), problem.rarest
    answer = _answer(problem, fitted, fold.test)
    y, labels, task = problem.y[fold.test], problem.labels, problem.task
    result = {
        "inner": _losses(problem, rules, fold.train, fold.train[judged], inside[judged], learned, len(fold.train)),
        "promised": value(rules.metric, task, problem.y[fold.train[judged]], inside[judged], labels, learned),
        "train": _score(problem, rules.metric, fitted, fold.train, learned),
        "test": value(rules.metric, task, y, answer, labels, learned),
        "besides": besides(task, y, answer, labels, learned, rare),
        "outer": _losses(problem, rules, fold.test, fold.test, answer, learned, len(fold.train)),
        "unlearned": int((~is_learned(y, learned)).sum()) if labels else 0,
        "columns": list(fitted.columns),
    }
    if len(problem.y) <= MOST_KEPT:
        result["answers"] = answer.tolist()
    else:
        result["tally"] = _tally(problem, rules, fold, answer, keep=False).to_dict()
    return result


def tally_of(problem: Problem, rules: Rules, fold: Fold, result: dict[str, Any]) -> Tally:
    """The judged rows of a fold, from what `judge` wrote down of them."""
    if "tally" in result:
        return Tally.from_dict(result["tally"])
    return _tally(problem, rules, fold, np.array(result["answers"]), keep=True)


def _tally(problem: Problem, rules: Rules, fold: Fold, answer: np.ndarray, *, keep: bool) -> Tally:
    grouped = problem.groups is not None or problem.time is not None
    y, labels = problem.y[fold.test], problem.labels
    return Tally.of(
        y,
        answer,
        fold.test if keep and not grouped else problem.units[fold.test],
        labels or None,
        decided=None if rules.costs is None else LossMatrix(rules.costs, np.arange(len(labels))).answers(answer),
        learned=is_learned(y, _learned(problem, fold.train)) if labels else None,
        grouped=grouped,
        repeat=fold.repeat,
        keep=keep,
        means=(rules.metric,),
    )


def refit(problem: Problem, rules: Rules, procedure: Procedure, *, seed: int) -> dict[str, Any]:
    """Fit the chosen procedure on all rows that may be learned from; and what each column contributes to it."""
    rows = np.arange(len(problem.y))
    fitted = _fit(problem, procedure, rows, seed, inner_folds(problem, rows, rules.inner, seed))
    return {**fitted.to_dict(), "contributions": contributions(fitted)}


def find_leaks(problem: Problem, *, seed: int) -> list[dict[str, Any]]:
    """What in the table would make any score too good; the locked rows' target is not looked at."""
    rows = np.arange(len(problem.y))
    found = leaks(
        _table(problem, rows),
        problem.y,
        groups=problem.groups,
        time=problem.time,
        locked=problem.table.take(problem.lock.rows) if len(problem.lock.rows) else None,
        task=problem.task,
    )
    return [
        {"kind": leak.kind, "columns": list(leak.columns), "severity": leak.severity, "sentence": leak.sentence}
        for leak in found
    ]


def answers(task: str, fitted: Fitted, table: Table, n_labels: int) -> np.ndarray:
    """Predicted numbers, or probabilities of every class."""
    return fitted.numbers(table) if task == "numbers" else fitted.probabilities(table, n_labels)


def inner_folds(problem: Problem, rows: np.ndarray, k: int, seed: int) -> Folds:
    """Folds within training rows, in each of which every class can be learned.

    The only row of a class stays among those to learn from. Where groups or time forbid that, folds that lack a class
    are left out; and if fewer than two are left, or times are too few to cut, groups and time give way: nothing is
    judged here but strengths and promises.
    """
    y = problem.y[rows]
    pairs = _folds(problem, rows, k, 1, seed) if problem.time is None else _in_time(problem, rows, k, FEWEST_INSIDE)
    if pairs is None:  # too few different times to cut
        pairs = folds(2, y, classifier=problem.task == "classes", seed=seed, complete=False)
    if not problem.labels:
        return pairs
    if problem.groups is None and problem.time is None:
        return [_with_every_class(pair, y) for pair in pairs]
    n_classes = len(np.unique(y))
    whole = [pair for pair in pairs if len(np.unique(y[pair[0]])) == n_classes]
    if len(whole) >= 2 or len(rows) <= 3:
        return whole if len(whole) >= 2 else pairs
    return [_with_every_class(pair, y) for pair in folds(2, y, classifier=True, seed=seed, complete=False)]


def _with_every_class(pair: tuple[np.ndarray, np.ndarray], y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    train, test = pair
    lacking = np.bincount(y[train], minlength=int(y.max()) + 1)[y[test]] == 0
    return (np.sort(np.concatenate([train, test[lacking]])), test[~lacking]) if lacking.any() else pair


def _inner_answers(
    problem: Problem, procedure: Procedure, fitted: Fitted, rows: np.ndarray, seed: int, pairs: Folds
) -> np.ndarray:
    """Out-of-fold answers within training rows, NaN where no fold judged a row.

    A procedure that chose its strength in these very folds has them already, at the strength it chose.
    """
    own = fitted.inner_answers(len(problem.labels))
    if own is not None:
        return own
    shape = (len(rows), len(problem.labels)) if problem.labels else (len(rows),)
    out = np.full(shape, np.nan)
    for place, (train, test) in enumerate(pairs):
        inside: Folds = []
        if procedure.tunes:
            inside = inner_folds(problem, rows[train], len(pairs), seed_of(seed, "inner of inner", place))
        part = _fit(problem, procedure, rows[train], seed, inside, fitted)
        out[test] = _answer(problem, part, rows[test])
    return out


def _losses(
    problem: Problem,
    rules: Rules,
    within: np.ndarray,
    rows: np.ndarray,
    answer: np.ndarray,
    learned: np.ndarray,
    n_train: int,
) -> dict[str, list[float]]:
    """Sums of the proper loss, and rows, of each unit that has a row in `within`; classes not learned are left out."""
    known = is_learned(problem.y[rows], learned) if problem.labels else np.ones(len(rows), dtype=bool)
    judged, units = rows[known], problem.units
    there = np.bincount(units[within]) > 0  # units are whole numbers from 0, at most a thousand: nothing to sort
    size, place = int(there.sum()), (np.cumsum(there) - 1)[units[judged]]
    loss = row_losses(rules.loss, problem.y[judged], answer[known], n_train=n_train, costs=rules.costs)
    found = {
        "loss": np.bincount(place, weights=loss, minlength=size).tolist(),
        "rows": np.bincount(place, minlength=size).tolist(),
    }
    if rules.costs is not None:  # decisions may cost the same though the probabilities tell something
        proper = row_losses("brier", problem.y[judged], answer[known])
        found["proper"] = np.bincount(place, weights=proper, minlength=size).tolist()
    return found


def _learned(problem: Problem, rows: np.ndarray) -> np.ndarray:
    return np.bincount(problem.y[rows], minlength=len(problem.labels)) > 0 if problem.labels else np.empty(0, bool)


def _fit(
    problem: Problem, procedure: Procedure, rows: np.ndarray, seed: int, pairs: Folds, like: Fitted | None = None
) -> Fitted:
    return procedure.fit(_learnable(_table(problem, rows)), problem.y[rows], problem.task, seed, pairs, like)


def _learnable(table: Table) -> Table:
    """The table with the levels that its own rows have: those of other rows must leave no trace in what is fitted."""
    if table.is_numeric:
        return table
    return Table([column.trimmed() if column.is_categorical else column for column in table.columns], n_rows=len(table))


def _table(problem: Problem, rows: np.ndarray) -> Table:
    return problem.table.take(problem.rows[rows])


def _answer(problem: Problem, fitted: Fitted, rows: np.ndarray) -> np.ndarray:
    return answers(problem.task, fitted, _table(problem, rows), len(problem.labels))


def _score(problem: Problem, metric: Metric, fitted: Fitted, rows: np.ndarray, learned: np.ndarray) -> float | None:
    answer = _answer(problem, fitted, rows)
    return value(metric, problem.task, problem.y[rows], answer, problem.labels, learned)


def _folds(problem: Problem, rows: np.ndarray, k: int, repeats: int, seed: int) -> Folds:
    return folds(
        min(k, _most_folds(problem, rows)),
        problem.y[rows],
        groups=None if problem.groups is None else problem.groups[rows],
        time=None if problem.time is None else problem.time[rows],
        classifier=problem.task == "classes",
        seed=seed,
        repeats=repeats,
        complete=False,
    )


def _outer_in_time(problem: Problem, k: int) -> Folds:
    """As many folds in time order as the different times allow, each with rows enough to learn from."""
    found = _in_time(problem, np.arange(len(problem.y)), k, FEWEST_BEFORE)
    if found is None:
        n = len(np.unique(problem.time))  # type: ignore[arg-type]
        raise TableError(
            f"the {len(problem.y):,} unlocked rows have {n:,} different times, too few for two folds that learn from "
            f"{FEWEST_BEFORE} earlier rows at least; give more rows or a finer time, or leave time out"
        )
    return found


def _in_time(problem: Problem, rows: np.ndarray, k: int, fewest: int) -> Folds | None:
    """At most k folds in time order whose first learns from at least `fewest` rows; None where there are not two."""
    time = problem.time[rows]  # type: ignore[index]
    for fewer in range(min(k, len(np.unique(time)) - 1), 1, -1):
        try:
            pairs = folds(fewer, problem.y[rows], time=time, classifier=problem.task == "classes", complete=False)
        except ParameterError:  # many rows at one time
            continue
        if len(pairs[0][0]) >= fewest:
            return pairs
    return None


def _most_folds(problem: Problem, rows: np.ndarray) -> int:
    """Few groups, or few rows in every class, allow only so many folds."""
    units = [len(rows)]
    if problem.groups is not None:
        units.append(len(np.unique(problem.groups[rows])))
    if problem.labels:
        units.append(int(np.bincount(problem.y[rows]).max()))
    return max(2, min(units))
