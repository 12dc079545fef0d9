"""Fit a procedure on the training rows of every fold and judge it on the others: the one loop under every score."""

from __future__ import annotations

import inspect
import time as clock
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor

from tamis.engine import map_threads, seed_of
from tamis.errors import KindError, ParameterError, TableError
from tamis.evaluate.interval import Judged
from tamis.evaluate.loss import metric_for
from tamis.evaluate.promise import promised, selected
from tamis.metrics import Metric, answer, prepare
from tamis.split import Folds
from tamis.table import Classes, Table, is_class_target, numbers, take
from tamis.table.names import column_names

__all__ = ["Outcome", "Problem", "judge", "named_procedures", "problem"]


@dataclass(frozen=True, eq=False)
class Problem:
    """A table, its target, and the metric answers are judged by."""

    X: Any
    y: np.ndarray
    names: tuple[str, ...]
    metric: Metric
    labels: np.ndarray | None

    @property
    def classes(self) -> bool:
        return self.labels is not None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one fold gave."""

    score: float
    promised: float | None
    selected: tuple[str, ...] | None
    judged: Judged
    n_train: int
    seconds: float
    model: Any = None


def problem(procedures: Sequence[Any], X: Any, y: Any, scoring: Any = None, loss: Any = None) -> Problem:
    """Table, target and metric, checked against each other and against the procedures."""
    X = _unwrapped(X)
    names = column_names(X)
    classes = _of_classes(procedures, y)
    target = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y).ravel() if classes else numbers(y)
    labels = Classes.of(y).labels if classes else None
    n_rows = X.shape[0]
    if n_rows != len(target):
        raise TableError(f"the table has {n_rows:,} rows and the target {len(target):,}; give one target a row")
    if labels is not None and len(labels) < 2:
        raise TableError(f"the target has one class only, {labels[0]!s}; there is nothing to tell apart")
    return Problem(X, target, names, metric_for(scoring, loss, labels), labels)


def named_procedures(procedure: Any) -> dict[str, Any]:
    """Procedures by name: of one, a list, (name, procedure) pairs or a dict; each must fit and predict."""
    if isinstance(procedure, Mapping):
        named = {str(name): model for name, model in procedure.items()}
    elif isinstance(procedure, (list, tuple)):
        named = {}
        for item in procedure:
            pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], str)
            name, model = item if pair else (type(item).__name__, item)
            if pair and name in named:
                raise ParameterError(f"two procedures are called {name!r}; give each a name of its own")
            named[name if name not in named else f"{name} {len(named) + 1}"] = model
    else:
        named = {type(procedure).__name__: procedure}
    if not named:
        raise ParameterError("the list of procedures is empty; give at least one")
    for name, model in named.items():
        if isinstance(model, type):
            raise KindError(f"{name} is a class; give an object of it, as in {model.__name__}()")
        for verb in ("fit", "predict"):
            if not hasattr(model, verb):
                raise KindError(f"{name} has no {verb}; give a model, or a pipeline that ends in one")
    return named


def judge(
    model: Any,
    task: Problem,
    pairs: Folds,
    *,
    groups: Any = None,
    seed: int = 0,
    repeats: int = 1,
    n_jobs: int | None = None,
    keep: bool = False,
) -> list[Outcome]:
    """One outcome a fold; every fit is seeded by its fold, so order does not matter.

    Callers hold BLAS to one thread for the whole of their run (finding the libraries costs milliseconds, so not here),
    else bits could depend on how many folds run side by side.
    """
    per_repeat = max(1, len(pairs) // repeats)
    group_values = None if groups is None else np.asarray(groups)

    def one(fold: int) -> Outcome:
        return _one(model, task, pairs[fold], fold // per_repeat, group_values, seed_of(seed, "fold", fold), keep)

    return map_threads(one, range(len(pairs)), n_jobs)


def _one(
    model: Any,
    task: Problem,
    pair: tuple[np.ndarray, np.ndarray],
    repeat: int,
    groups: np.ndarray | None,
    seed: int,
    keep: bool,
) -> Outcome:
    train, test = pair
    start = clock.perf_counter()
    fitted = _seeded(clone(model), seed)
    extra = {"groups": groups[train]} if groups is not None and _wants_groups(fitted) else {}
    fitted.fit(take(task.X, rows=train), task.y[train], **extra)
    held = take(task.X, rows=test)
    given = answer(fitted, held, task.metric, task.labels)
    seconds, ask = clock.perf_counter() - start, task.metric.of_model
    return Outcome(
        score=_score(task, test, given) if ask is None else ask(fitted, held, task.y[test]),
        promised=promised(fitted, task.metric),
        selected=selected(fitted, task.names),
        judged=Judged(test, given, repeat),
        n_train=len(train),
        seconds=seconds,
        model=fitted if keep else None,
    )


def _score(task: Problem, rows: np.ndarray, given: np.ndarray) -> float:
    """The score of a fold; NaN on a single row where the metric is not a mean over rows."""
    if len(rows) == 1 and task.metric.each is None:
        return float("nan")
    return float(task.metric.value(*prepare(task.metric, task.y[rows], given, task.labels)))


def _unwrapped(X: Any) -> Any:
    if isinstance(X, Table):
        return X.matrix if X.matrix is not None and not X.named else X
    if sparse.issparse(X):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def _of_classes(procedures: Sequence[Any], y: Any) -> bool:
    if all(is_classifier(model) for model in procedures):
        return True
    if all(is_regressor(model) for model in procedures):
        return False
    return is_class_target(y)


def _seeded(model: Any, seed: int) -> Any:
    """The same model with every random state that was left open fixed, so that a score can be repeated."""
    if not hasattr(model, "get_params"):
        return model
    random = {
        name: seed_of(seed, name) % (2**31)
        for name, value in model.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    return model.set_params(**random) if random else model


def _wants_groups(model: Any) -> bool:
    """True for a search whose own folds are told apart by groups, or a procedure whose fit takes them."""
    if hasattr(model, "refit") and "Group" in type(getattr(model, "cv", None)).__name__:
        return True
    return "groups" in inspect.signature(model.fit).parameters
