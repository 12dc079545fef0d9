"""The one loop under every score: fit a procedure on the training rows of a fold, and judge it on the others.

Whoever calls says what is kept of a fold; where a journal stands in the loop, what it holds is not done again.
"""

import inspect
import time as clock
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from tamis import engine
from tamis.engine import Task, seed_of
from tamis.errors import KindError, ParameterError, TamisError
from tamis.evaluate.baseline import Baseline
from tamis.evaluate.inner_folds import InnerFolds, inner_folds
from tamis.evaluate.problem import Problem
from tamis.split import Folds
from tamis.table.interface.target import codes_among
from tamis.task import CLASSIFICATION

K = TypeVar("K")

#: Folds inside a training part, where nobody says how many.
INNER = 5


class Stopped(Exception):
    """The loop was asked to stop before all was done; the journal has what was."""


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows to learn from and to be judged on, as positions; its place among the folds decides its seed."""

    name: str
    train: np.ndarray
    test: np.ndarray
    repeat: int = 0
    index: int = 0


class FoldJournal(Protocol):
    """What has been finished, by name."""

    done: dict[str, Any]

    def add(self, task: str, seed: int, result: Any) -> None:
        """Keep one finished task."""


@dataclass(frozen=True, eq=False)
class Trained:
    """A procedure that has learned from the training part of a fold.

    Attributes
    ----------
    problem, fold : on what.
    procedure, model : before and after.
    seed : fixed all that was left open.
    inner : how many folds there are inside.
    seconds : that it took.
    name : of the procedure.
    """

    problem: Problem
    fold: Fold
    procedure: Any
    model: Any
    seed: int
    inner: int
    seconds: float
    name: str = ""

    @cached_property
    def pairs(self) -> Folds:
        """The folds inside the training part, the same for every procedure."""
        return folds_inside(self.problem, self.fold, self.inner)

    def predictions(self, rows: np.ndarray) -> np.ndarray:
        """What the model says of some rows of the problem."""
        return predictions(self.problem, self.model, rows)

    def inner_predictions(self) -> np.ndarray:
        """Out-of-fold predictions of the training rows by the whole procedure, NaN where no fold judged a row.

        A procedure that chose its strength in these very folds, with nothing learned before it, has them already: in
        each fold at the strength that the other folds choose (`nested_predictions_`), or at the one that all of them
        choose (`cv_predictions_`) where that is all it has. Another is fitted again in each fold, at the strength it
        chose (`chosen_parameters_`).
        """
        *_, last = self.inner_steps()
        return last

    def inner_steps(self) -> Iterator[np.ndarray]:
        """The same after each inner fold that is fitted again, NaN for rows of the folds to come; or once, if known."""
        stored = getattr(self.model, "nested_predictions_", getattr(self.model, "cv_predictions_", None))
        if stored is not None and isinstance(getattr(self.procedure, "cv", None), InnerFolds):
            yield self.aligned(np.asarray(stored, dtype=np.float64))
            return
        rows, problem = self.fold.train, self.problem
        again = clone(self.procedure).set_params(**getattr(self.model, "chosen_parameters_", {}))
        shape = (len(rows),) if problem.classes is None else (len(rows), len(problem.classes))
        out = np.full(shape, np.nan)
        for index, (learn, judged) in enumerate(self.pairs):
            inner_part = _Part(problem, rows[learn], seed_of(self.seed, "inner of inner", index), len(self.pairs))
            model = train(problem, again, rows[learn], self.seed, inner_part.folds)
            out[judged] = predictions(problem, model, rows[judged])
            yield out.copy()

    def aligned(self, shares: np.ndarray) -> np.ndarray:
        """Probabilities of the training rows in the order of the problem's classes; rates as expected counts."""
        return self.problem.counts(_aligned(self.problem, self.model, shares), self.fold.train)


@dataclass(frozen=True, eq=False)
class _Part:
    """Some rows, and the folds that may be drawn of them."""

    problem: Problem
    rows: np.ndarray
    seed: int
    k: int

    def folds(self, k: int | None) -> Folds:
        return inner_folds(self.problem, self.rows, k or self.k, self.seed)


def named_folds(pairs: Folds, repeats: int = 1) -> list[Fold]:
    """Folds with their names, repeat after repeat.

    Of pairs that were given (`repeats` is 1) a repeat ends before the fold that judges one of its rows again.

    >>> train = np.arange(4)
    >>> pairs = [(train, np.array(test)) for test in ([0, 1], [2, 3], [0, 2], [1, 3])]
    >>> [fold.name for fold in named_folds(pairs)]
    ['repeat 1 fold 1', 'repeat 1 fold 2', 'repeat 2 fold 1', 'repeat 2 fold 2']
    """
    each = max(1, len(pairs) // repeats)
    numbers = [i // each for i in range(len(pairs))] if repeats > 1 else _repeats_of([test for _, test in pairs])
    return [
        Fold(f"repeat {number + 1} fold {i - numbers.index(number) + 1}", train, test, number, i)
        for i, (number, (train, test)) in enumerate(zip(numbers, pairs))
    ]


def _repeats_of(tests: Sequence[np.ndarray]) -> list[int]:
    """The repeat of each fold: a new one begins where a row was judged in this one."""
    numbers: list[int] = []
    judged: set[int] = set()
    number = 0
    for test in tests:
        rows = set(np.asarray(test).tolist())
        if judged & rows:
            judged, number = set(), number + 1
        judged |= rows
        numbers.append(number)
    return numbers


def cross_validate(
    problem: Problem,
    procedures: Mapping[str, Any],
    folds: Sequence[Fold],
    keep: Callable[[Trained], K],
    *,
    seed: int = 0,
    inner: int = INNER,
    n_jobs: int | None = None,
    journal: FoldJournal | None = None,
    finished: Callable[[str], None] | None = None,
    stop: Callable[[], bool] | None = None,
    concurrent: "Sequence[Beside]" = (),
) -> dict[str, list[K]]:
    """What is kept of every procedure in every fold.

    Every fit is seeded by its fold alone, so that neither order nor company matters.

    Parameters
    ----------
    problem : what is learned from what.
    procedures : name -> unfitted model, any with fit and predict.
    folds : the outer folds.
    keep : from a trained procedure to what is kept; plain values where a journal stands.
    seed : fixes everything that a procedure left open.
    inner : folds inside every training part.
    n_jobs : tasks side by side.
    journal : what it holds is taken from it; what is done is added to it.
    finished : called with the name of every task that has been done.
    stop : once it says so no further task is begun; where any is left, `Stopped` is raised.
    concurrent : others to be judged meanwhile, for the journal alone.
    """
    names = [[task_name(fold, name) for name in procedures] for fold in folds]
    done = {} if journal is None else journal.done
    tasks = [
        Task(name, _judge, (problem, procedure, model, fold, keep, inner), seeded_by=f"fold {fold.index}")
        for fold, line in zip(folds, names)
        for name, (procedure, model) in zip(line, procedures.items())
        if name not in done
    ]
    concurrent_tasks = [
        task for reference in concurrent for task in reference.tasks(problem, inner) if task.name not in done
    ]
    tasks = _spread(tasks, concurrent_tasks) if concurrent_tasks else tasks
    results: dict[str, K] = {}
    for task, result in engine.run(tasks, seed=seed, n_jobs=n_jobs, stop=stop):
        results[task.name] = result
        if journal is not None:
            journal.add(task.name, task.seed(seed), result)
        if finished is not None:
            finished(task.name)
    if len(results) < len(tasks):
        raise Stopped
    return {
        procedure: [results[line[p]] if line[p] in results else done[line[p]] for line in names]
        for p, procedure in enumerate(procedures)
    }


@dataclass(frozen=True, eq=False)
class Beside:
    """A procedure with folds of its own, judged while others are: theirs may wait for the interpreter, or its."""

    name: str
    model: Any
    folds: Sequence[Fold]
    keep: Callable[[Trained], Any]

    def tasks(self, problem: Problem, inner: int) -> list[Task]:
        """One a fold."""
        return [
            Task(
                task_name(fold, self.name),
                _judge,
                (problem, self.name, self.model, fold, self.keep, inner),
                seeded_by=f"fold {fold.index}",
            )
            for fold in self.folds
        ]


def _spread(tasks: list[Task], concurrent: list[Task]) -> list[Task]:
    """Both, the others spread evenly among the tasks."""
    placed = [((i + 1) / len(group), task) for group in (tasks, concurrent) for i, task in enumerate(group)]
    return [task for _, task in sorted(placed, key=lambda pair: pair[0])]


def task_name(fold: Fold, procedure: str) -> str:
    """What a procedure in a fold is called in a journal."""
    return f"{fold.name} {procedure}"


def _judge(
    problem: Problem,
    name: str,
    procedure: BaseEstimator,
    fold: Fold,
    keep: Callable[[Trained], K],
    inner: int,
    *,
    seed: int,
) -> K:
    start = clock.perf_counter()
    try:
        model = train(problem, procedure, fold.train, seed, lambda k: folds_inside(problem, fold, k or inner))
        return keep(Trained(problem, fold, procedure, model, seed, inner, clock.perf_counter() - start, name))
    except Exception as error:
        if not isinstance(error, (TamisError, KindError)):  # an error of somebody else's code says nothing of where
            error.add_note(f"the procedure {name!r} failed in {fold.name}")
        raise


def folds_inside(problem: Problem, fold: Fold, k: int) -> Folds:
    """The folds inside a fold, the same for every procedure: their seed is the fold's alone."""
    key = (fold.index, k)
    cached = problem.latest.get("inside")  # procedures follow one another in a fold; those of one fold are kept
    if cached is None or cached[0] != key:
        cached = key, inner_folds(problem, fold.train, k, seed_of(0, "inner", fold.index))
        problem.latest["inside"] = cached
    return cached[1]


def train(
    problem: Problem, procedure: BaseEstimator, rows: np.ndarray, seed: int, inside: Callable[[int | None], Folds]
) -> Any:
    """A copy of the procedure that has learned from these rows alone; where they hold a single class, that is all.

    Parameters
    ----------
    seed : for every random state that the procedure left open.
    inside : from a number of folds, or None, to the folds that a procedure may choose its strength in.
    """
    y = problem.target(rows)
    if problem.of_classes and (y == y[0]).all():
        return Baseline(CLASSIFICATION).fit(None, y)
    model = prepared(clone(procedure), seed, inside)
    extra = {} if problem.groups is None else dict.fromkeys(_names_of_groups(model), problem.groups[rows])
    if problem.fit_weights is not None:
        extra |= dict.fromkeys(_names_of_weights(model, problem), problem.fit_weights[rows])
    return model.fit(problem.model_input(rows, model, learn=True), y, **extra)


def predictions(problem: Problem, model: BaseEstimator, rows: np.ndarray) -> np.ndarray:
    """Predicted numbers, expected counts, or probabilities of every class of the problem, of some rows."""
    return problem.counts(predicted(problem, model, problem.model_input(rows, model)), rows)


def predicted(problem: Problem, model: Any, X: Any) -> np.ndarray:
    """The same for a table that the model takes, counts per unit of exposure.

    A model without probabilities is taken to be sure of its answers.
    """
    if problem.classes is None:
        return np.asarray(model.predict(X), dtype=np.float64).reshape(X.shape[0])
    if hasattr(model, "predict_proba"):
        return _aligned(problem, model, np.asarray(model.predict_proba(X), dtype=np.float64))
    return (np.asarray(model.predict(X)).reshape(-1, 1) == problem.classes).astype(np.float64)


def _aligned(problem: Problem, model: BaseEstimator, shares: np.ndarray) -> np.ndarray:
    """Probabilities in the order of the problem's classes; 0 for a class that the training rows lacked."""
    if problem.classes is None:
        return shares
    model_classes = np.asarray(getattr(model, "classes_", problem.classes))
    if np.array_equal(model_classes, problem.classes):
        return shares
    out = np.zeros((len(shares), len(problem.classes)))
    out[:, codes_among(problem.classes, model_classes)] = shares
    return np.where(np.isnan(shares[:, :1]), np.nan, out)


def prepared(model: BaseEstimator, seed: int, inside: Callable[[int | None], Folds]) -> Any:
    """The same model with all that it left open settled: random states fixed, folds in every place of `InnerFolds`."""
    if not hasattr(model, "get_params"):
        return model
    settled: dict[str, Any] = {}
    for name, value in model.get_params(deep=True).items():
        if value is None and (name == "random_state" or name.endswith("__random_state")):
            settled[name] = seed_of(seed, name) % (2**31)
        elif isinstance(value, InnerFolds):
            settled[name] = inside(value.k)
    return model.set_params(**settled) if settled else model


def weight_names(model: BaseEstimator, *, exposure: bool) -> list[str]:
    """What `fit` calls the weights of rows: `sample_weight`, in a pipeline that of its last step; or nothing.

    Exposures of counts are weights as well. A model that takes them by this name needs to know that they are, and no
    copies of rows: so does every step of a pipeline that has an `exposure`.
    """
    steps = getattr(model, "steps", None)
    last = steps[-1][1] if steps else model
    if exposure and has_fit_parameter(last, "exposure"):
        names = ["exposure"]
    else:
        names = ["sample_weight"] if has_fit_parameter(last, "sample_weight") else []
    if not steps or not names:
        return names
    before = [f"{name}__exposure" for name, step in steps[:-1] if exposure and has_fit_parameter(step, "exposure")]
    return [*before, f"{steps[-1][0]}__{names[0]}"]


def _names_of_weights(model: BaseEstimator, problem: Problem) -> list[str]:
    names = weight_names(model, exposure=problem.exposure is not None)
    if not names:
        steps = getattr(model, "steps", None)
        name = type(steps[-1][1] if steps else model).__name__
        given = "sample_weight" if problem.exposure is None else "exposure"
        raise ParameterError(f"{name} takes no weights of rows; leave {given} out, or give a model that does")
    return names


def _names_of_groups(model: BaseEstimator) -> list[str]:
    """What `fit` calls the groups of rows: those of a search's own folds, of the model, of the steps of a pipeline."""
    if hasattr(model, "refit"):
        names = ["groups"] if "Group" in type(getattr(model, "cv", None)).__name__ else []
        return names + [name for name in _names_of_groups(getattr(model, "estimator", None)) if "__" in name]
    if isinstance(model, Pipeline):
        return [f"{step}__{name}" for step, inner in model.steps for name in _names_of_groups(inner)]
    learn = getattr(model, "fit", None)
    return ["groups"] if learn is not None and "groups" in inspect.signature(learn).parameters else []
