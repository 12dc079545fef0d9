"""Training and validation scores against complexity, and the size to take."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone

from tamis.check import count, nearest, number
from tamis.engine import generator, seed_from, seed_of
from tamis.errors import ParameterError
from tamis.evaluate.cross_validate import Fold, Trained, cross_validate, named_folds
from tamis.evaluate.problem import Problem, named_procedures, problem_of, refuse_one_class
from tamis.metrics import Metric, score_model, utility
from tamis.metrics.loss_matrix import metric_for
from tamis.metrics.one_standard_error import one_standard_error
from tamis.split import Folds, folds
from tamis.table.like import TableLike
from tamis.typing import Folding, RandomState, Scoring


@dataclass(frozen=True, eq=False)
class Curve:
    """Scores of training and validation rows, sizes × folds, for sizes from the simplest to the most complex.

    Attributes
    ----------
    parameter, values : what was varied, and how.
    metric : what was scored.
    train, validation : scores, values × folds.
    best : the value with the best mean validation score.
    one_se : the simplest value whose mean is within one standard error of the best.
    """

    parameter: str
    values: list[Any]
    metric: Metric
    train: np.ndarray
    validation: np.ndarray

    @property
    def best_index(self) -> int:
        return int(np.argmax(utility(self.metric, self.validation.mean(axis=1))))

    @property
    def one_se_index(self) -> int:
        losses = -np.asarray(utility(self.metric, self.validation.mean(axis=1)))
        error = self.standard_error(self.validation)[self.best_index]
        return one_standard_error(losses, error, rounding=1e-12 * float(np.abs(losses).max()))

    @property
    def best(self) -> Any:
        return self.values[self.best_index]

    @property
    def one_se(self) -> Any:
        return self.values[self.one_se_index]

    def standard_error(self, scores: np.ndarray) -> np.ndarray:
        """The spread of the folds over the root of their number, as the one-standard-error rule has it."""
        if scores.shape[1] < 2:
            return np.zeros(len(scores))
        return np.asarray(scores.std(axis=1, ddof=1) / np.sqrt(scores.shape[1]))

    def figure(self, **options: Any) -> Any:
        """A Bokeh figure of both curves with their bands, the best size and the one-standard-error size."""
        from tamis.evaluate.picture import curve_figure

        return curve_figure(self, **options)


@dataclass(frozen=True, eq=False)
class Grown:
    """The size that the wrapper chose, the model of that size fitted to all rows, and the curve it saw."""

    size: int
    model: Any
    curve: Curve
    converged: bool


def complexity_curve(
    procedure: BaseEstimator,
    X: TableLike,
    y: ArrayLike,
    parameter: str,
    values: Sequence[Any],
    *,
    cv: Folding = 5,
    repeats: int = 1,
    scoring: Scoring = None,
    groups: ArrayLike | None = None,
    time: ArrayLike | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Curve:
    """Score a procedure on training and validation rows for every size of one thing.

    Parameters
    ----------
    procedure : an estimator or pipeline; or a function value -> estimator, and `parameter` is only its label.
    parameter : a parameter of the procedure ("max_depth", "select__k", "alpha"), or "rows" for the number (or share) of
        training rows.
    values : from the simplest to the most complex (few rows first, strong penalties first, many neighbours first).
    cv, repeats, scoring, groups, time, random_state, n_jobs : as in `nested_score`.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> complexity_curve(tree, *load_iris(return_X_y=True), "max_depth", [1, 2, 3, 4]).one_se
    2
    """
    sizes = list(values)
    if not sizes:
        raise ParameterError(f"values of {parameter!r} are empty; give at least one")
    make = _maker(procedure, parameter, sizes)
    task = problem_of([make(sizes[0])], X, y, groups=groups, time=time)
    refuse_one_class(task)
    metric, seed = metric_for(scoring, None, task.classes), seed_from(random_state)
    pairs = folds(
        cv, task.y, groups=task.groups, time=task.time, classifier=task.of_classes, seed=seed, repeats=repeats, X=task.X
    )
    train, validation = _scores(make, task, metric, pairs, sizes, parameter, seed, n_jobs)
    return Curve(parameter, sizes, metric, train, validation)


def grow(
    make: Callable[[int], Any],
    X: TableLike,
    y: ArrayLike,
    *,
    cv: Folding = 5,
    scoring: Scoring = None,
    start: int = 1,
    most: int = 100,
    tolerance: float = 1e-3,
    patience: int = 3,
    groups: ArrayLike | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> Grown:
    """Raise the size until the training error has converged; take the size with least validation error.

    The wrapper of the textbook: for size 1, 2, … cross-validate; once the training score has not moved by more than
    `tolerance` over `patience` sizes, choose by the validation score and fit that size to all rows.

    Parameters
    ----------
    make : a function size -> estimator.
    start, most : the first and the last size tried.
    tolerance, patience : when the training score has converged.
    cv, scoring, groups, random_state, n_jobs : as in `nested_score`.

    References
    ----------
    Russell, Norvig: Artificial Intelligence, a Modern Approach, 3rd ed., section 18.4 (2010).

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> grow(lambda size: DecisionTreeClassifier(max_depth=size, random_state=0), X, y).converged
    True
    """
    if hasattr(make, "fit") or not callable(make):
        raise ParameterError(
            f"make={make!r} is no function of a size; give one, for example lambda size: "
            f"{type(make).__name__ if hasattr(make, 'fit') else 'TreeClassifier'}(max_depth=size)"
        )
    count("start", start)
    count("most", most, low=start)
    count("patience", patience)
    number("tolerance", tolerance, low=0)
    task = problem_of([make(start)], X, y, groups=groups)
    refuse_one_class(task)
    metric, seed = metric_for(scoring, None, task.classes), seed_from(random_state)
    pairs = folds(cv, task.y, groups=task.groups, classifier=task.of_classes, seed=seed, X=task.X)
    trains: list[np.ndarray] = []
    validations: list[np.ndarray] = []
    converged = False
    for size in range(start, most + 1):
        train, validation = _scores(make, task, metric, pairs, [size], "size", seed, n_jobs)
        trains.append(train[0])
        validations.append(validation[0])
        if len(trains) > patience:
            latest = np.array([scores.mean() for scores in trains[-patience - 1 :]])
            if np.ptp(latest) <= tolerance * float(np.abs(latest).max()):
                converged = True
                break
    sizes = list(range(start, start + len(trains)))
    curve = Curve("size", sizes, metric, np.array(trains), np.array(validations))
    return Grown(int(curve.best), make(curve.best).fit(task.X, task.y), curve, converged)


def _maker(procedure: BaseEstimator, parameter: str, sizes: list[Any]) -> Callable[[Any], Any]:
    """A function from a size to a procedure of that size."""
    if not hasattr(procedure, "fit"):
        if not callable(procedure):
            raise ParameterError(f"the procedure {procedure!r} is neither a model nor a function of a size; give one")
        make: Callable[[Any], Any] = procedure
        named_procedures(make(sizes[0]))
        return make
    named_procedures(procedure)
    if parameter == "rows":
        return lambda size: clone(procedure)
    parameters = procedure.get_params(deep=True)
    if parameter not in parameters:
        raise ParameterError(
            f"parameter={parameter!r} is no parameter of {type(procedure).__name__}{nearest(parameter, parameters)}; "
            f"give one of {', '.join(sorted(parameters))}, or 'rows'"
        )
    return lambda size: clone(procedure).set_params(**{parameter: size})


def _scores(
    make: Callable[[Any], Any],
    task: Problem,
    metric: Metric,
    pairs: Folds,
    sizes: list[Any],
    parameter: str,
    seed: int,
    n_jobs: int | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Training and validation scores, sizes × folds."""
    named, keep = named_folds(pairs), partial(_train_and_test, metric=metric)
    results = []
    for size in sizes:
        folds_of_size = named
        if parameter == "rows":
            folds_of_size = [_shortened(task, fold, i, size, seed) for i, fold in enumerate(named)]
        results.append(cross_validate(task, {"it": make(size)}, folds_of_size, keep, seed=seed, n_jobs=n_jobs)["it"])
    score_array = np.array(results)
    return score_array[:, :, 0], score_array[:, :, 1]


def _shortened(task: Problem, fold: Fold, index: int, size: Any, seed: int) -> Fold:
    """The fold with so many (or such a share) of its training rows."""
    order = nested_order(task, fold.train, seed_of(seed, "rows", index))
    return replace(fold, train=order[: _rows(size, len(fold.train))])


def _train_and_test(trained: Trained, *, metric: Metric) -> tuple[float, float]:
    """The score on the rows learned from, and on those held out."""
    row_sets = (trained.fold.train, trained.fold.test)
    train, test = (_score(trained.problem, trained.model, rows, metric) for rows in row_sets)
    return train, test


def _score(task: Problem, fitted: BaseEstimator, rows: np.ndarray, metric: Metric) -> float:
    return score_model(fitted, task.model_input(rows, fitted), task.y[rows], metric=metric, labels=task.classes)


def _rows(size: Any, n: int) -> int:
    n_requested = round(size * n) if isinstance(size, float) and size <= 1 else int(size)
    return count("rows", n_requested, low=2, high=n, of="training rows in a fold")


def nested_order(task: Problem, train: np.ndarray, seed: int) -> np.ndarray:
    """Training rows shuffled so that every beginning holds the classes in their shares; groups one after another."""
    draw = generator(seed, "order")
    if task.groups is not None:
        _, codes = np.unique(task.groups[train], return_inverse=True)
        return np.asarray(train[np.argsort(draw.permutation(codes.max() + 1)[codes], kind="stable")])
    shuffled = draw.permutation(train)
    if not task.of_classes:
        return np.asarray(shuffled)
    y = task.y[shuffled]
    position = np.empty(len(y))
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        position[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    return np.asarray(shuffled[np.argsort(position, kind="stable")])
