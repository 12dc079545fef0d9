"""Selectors side by side: which columns each chooses, how stable its choice is, and what score follows honestly."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from tamis import check
from tamis.engine import workers
from tamis.errors import KindError, ParameterError
from tamis.metrics import scorer_of
from tamis.search.estimator_input import refused, transforms
from tamis.search.resampling.resamples import agreement
from tamis.search.weights import column_weights
from tamis.split import folds
from tamis.table import Classes, Table, eager, in_days, is_class_target, is_frame, numbers, same_length, take
from tamis.table.like import TableLike
from tamis.typing import Folding, Scoring


@dataclass(frozen=True)
class Row:
    """One selector: its columns on all rows, and what it did on the folds.

    Attributes
    ----------
    name : the selector.
    columns : what it chooses on all rows.
    sizes : how many columns it chose on each fold's training rows.
    stability, interval : Nogueira's index over the folds, and its 95% interval.
    scores : of the model on each fold's test rows, which neither selector nor model saw.
    mean, error : their mean and standard error.
    """

    name: str
    columns: tuple[Any, ...]
    sizes: tuple[int, ...]
    stability: float
    interval: tuple[float, float]
    scores: tuple[float, ...]
    mean: float
    error: float


@dataclass(frozen=True)
class SelectorComparison:
    """Rows of a comparison; `overlap[a][b]` is the share of columns two selectors have in common (Jaccard)."""

    rows: tuple[Row, ...]
    overlap: np.ndarray

    def to_text(self) -> str:
        """The comparison as a table of text."""
        lines = [f"{'selector':<24}{'columns':>8}{'stability':>11}{'score':>10}{'error':>9}  chosen"]
        for row in self.rows:
            listed = ", ".join(map(str, row.columns[:6])) + (", …" if len(row.columns) > 6 else "")
            numbers_ = f"{len(row.columns):>8}{row.stability:>11.2f}{row.mean:>10.3f}{row.error:>9.3f}"
            lines.append(f"{row.name[:23]:<24}{numbers_}  {listed}")
        return "\n".join(lines)

    def __getitem__(self, name: str) -> Row:
        matches = [row for row in self.rows if row.name == name]
        if not matches:
            row_names = [row.name for row in self.rows]
            raise ParameterError(
                f"there is no selector {name!r}{check.nearest(name, row_names)}; there are {row_names}"
            )
        return matches[0]


def compare(
    selectors: Any,
    X: TableLike,
    y: ArrayLike,
    *,
    estimator: BaseEstimator | None = None,
    cv: Folding = 5,
    repeats: int = 1,
    scoring: Scoring = None,
    groups: ArrayLike | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> SelectorComparison:
    """Which sets some selectors choose, how stable they are, and what nested score follows.

    Each selector, and the model after it, is fitted on the training rows of every fold and scored on the others.

    Parameters
    ----------
    selectors : a dict of name -> selector, or a list of them.
    X, y : the table and its target.
    estimator : the model fitted on the chosen columns; by default a ridge or logistic regression of standardised
        columns, which takes categories and fills missing values with means.
    cv, repeats, groups : the folds, as in `tamis.split`.
    scoring : what judges them, as in `tamis.metrics.find`; larger is better.
    random_state : seed of the folds.
    n_jobs : fits at a time.

    >>> from sklearn.feature_selection import SelectKBest, f_regression
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(60, 4))
    >>> found = compare({"two": SelectKBest(f_regression, k=2)}, X, X[:, 0] + X[:, 2])
    >>> found["two"].columns, found["two"].stability
    ((0, 2), 1.0)
    """
    named = _named(selectors)
    X = eager(X)
    table = Table.of(X)
    by_class = is_class_target(y)
    target = _labels(y) if by_class else numbers(y)
    same_length(table, target)
    model = estimator if estimator is not None else _model(by_class, table.n_rows)
    scorer = scorer_of(model, scoring, classes=by_class, labels=Classes.of(y).labels if by_class else None)
    pairs = folds(cv, target, groups=groups, classifier=by_class, seed=random_state, repeats=repeats)
    features = X if is_frame(X) or isinstance(X, Table) else table.matrix if table.matrix is not None else np.asarray(X)
    features = features if any(map(transforms, [*named.values(), model])) else in_days(features)
    work = [(name, rows) for name in named for rows in [None, *pairs]]
    call = delayed(_fold_score)
    if workers(n_jobs) == 1:
        results = [_fold_score(named[name], model, scorer, features, target, rows) for name, rows in work]
    else:
        results = Parallel(n_jobs=n_jobs)(
            call(named[name], model, scorer, features, target, rows) for name, rows in work
        )
    labels = list(table.names) if is_frame(X) else list(range(table.n_columns))
    step = len(pairs) + 1
    results_of = {name: results[i * step : (i + 1) * step] for i, name in enumerate(named)}
    rows = tuple(_row(name, results_of[name], labels) for name in named)
    return SelectorComparison(rows, _overlap(rows))


def _named(selectors: Any) -> dict[str, Any]:
    if isinstance(selectors, Mapping):
        named = {str(name): selector for name, selector in selectors.items()}
    elif isinstance(selectors, Iterable):
        named = {}
        for selector in selectors:
            name = type(selector).__name__
            named[name if name not in named else f"{name} {len(named) + 1}"] = selector
    else:
        raise KindError(f"selectors={selectors!r} must be a dict or a list of selectors")
    if not named:
        raise ParameterError("selectors is empty; give at least one selector")
    return named


def _labels(y: ArrayLike) -> np.ndarray:
    classes = Classes.of(y)
    return classes.labels[classes.codes]


def _model(by_class: bool, n_rows: int) -> Any:
    """Ridge on standardised columns with a strength of 1 on the sum of losses, as scikit-learn has it by default."""
    from tamis.linear import LinearClassifier, LinearRegressor

    return (LinearClassifier if by_class else LinearRegressor)("ridge", alpha=1 / n_rows, missing="mean")


def _fold_score(
    selector: BaseEstimator, model: BaseEstimator, scorer: Any, X: TableLike, y: np.ndarray, rows: Any
) -> tuple[np.ndarray, float]:
    """The columns a selector chooses, on all rows or on the training rows of a fold, and the score on its test rows."""
    if rows is None:
        return _support(_fitted(selector, X, y), X), float("nan")
    train, test = rows
    train_table, test_table = take(X, rows=train), take(X, rows=test)
    chosen = _fitted(selector, train_table, y[train])
    steps = Pipeline([("select", chosen), ("model", _fitted(model, chosen.transform(train_table), y[train]))])
    return _support(chosen, train_table), float(scorer(steps, test_table, y[test]))


def _fitted(estimator: BaseEstimator, X: TableLike, y: np.ndarray) -> Any:
    try:
        return clone(estimator).fit(X, y)
    except (TypeError, ValueError) as error:
        raise refused(estimator, X, error) from error


def _support(selector: Any, X: Any) -> np.ndarray:
    return column_weights(selector, X.shape[1]) != 0


def _row(name: str, results: list[tuple[np.ndarray, float]], labels: list[Any]) -> Row:
    masks = np.array([mask for mask, _ in results[1:]])
    scores = np.array([score for _, score in results[1:]])
    value, interval = agreement(masks)
    error = float(scores.std(ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else float("nan")
    return Row(
        name,
        tuple(labels[j] for j in np.flatnonzero(results[0][0])),
        tuple(int(size) for size in masks.sum(axis=1)),
        value,
        interval,
        tuple(float(score) for score in scores),
        float(scores.mean()),
        error,
    )


def _overlap(rows: tuple[Row, ...]) -> np.ndarray:
    sets = [set(row.columns) for row in rows]
    return np.array([[len(a & b) / max(1, len(a | b)) for b in sets] for a in sets])
