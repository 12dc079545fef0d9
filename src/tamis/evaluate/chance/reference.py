"""What shows the chance level of a function that returns only a number.

`blind`: the best that answers score which know nothing of the columns. `recognised`: which metric the function returns.
From rows that are all alike one answer for all of them is learned, and the scores of constant answers tell metrics
apart when the classes are unequal, once this way and once the other way round.

Tables of the same shape in which nothing can be learned, selected or recognised: in one every column is the same coin
flip, in the other every column is the same continuous noise. Columns that are all the same leave nothing to select, and
columns drawn without the target nothing to learn. The second also shows what depends on how fine the columns are:
predictions that are never tied, and rows that are copied and recognised.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from tamis.engine import generator
from tamis.evaluate.chance.answers import Answers
from tamis.evaluate.chance.reshuffled import reshuffled
from tamis.metrics import METRICS, Metric, find, prepare, utility
from tamis.table import take
from tamis.table.interface.target import codes_among
from tamis.table.like import TableLike
from tamis.table.sources.frame import is_frame
from tamis.task import CLASSIFICATION, REGRESSION


def equal_rows(X: Any, seed: int, number: int) -> Any:
    """Every row the same row of X.

    Numbers are cut to eight binary digits, so that sums of squares are exact and a column of equal values has a
    variance of exactly 0: rounding errors must not be something to select by.

    >>> len(np.unique(equal_rows(np.arange(40.0).reshape(20, 2), 0, 0), axis=0))
    1
    """
    row = int(generator(seed, "equal rows", number).integers(X.shape[0]))
    alike = take(X, rows=np.full(X.shape[0], row))
    if isinstance(X, np.ndarray) and X.dtype.kind == "f":
        return _cut(alike)
    if not is_frame(X):
        return alike
    frame = nw.from_native(alike, eager_only=True)
    floats = [column for column in frame.iter_columns() if column.dtype.is_float()]
    cut = [nw.new_series(c.name, _cut(c.to_numpy()), backend=c.implementation) for c in floats]
    return _indexed(nw.to_native(_with(frame, cut)), X)


def _cut(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(np.float64)


def almost_equal_rows(X: TableLike, seed: int, number: int) -> Any | None:
    """Every row the same row of X but for noise in one column of numbers: models that divide by a variance need some.

    None where there is no such column.

    >>> len(np.unique(almost_equal_rows(np.arange(40.0).reshape(20, 2), 0, 0)[:, 1]))
    1
    """
    alike, noisy = equal_rows(X, seed, number), noise_table(X, seed, number)
    if isinstance(noisy, np.ndarray):
        return np.column_stack([noisy[:, :1], alike[:, 1:]])
    if noisy is None:
        return None
    frame = nw.from_native(noisy, eager_only=True)
    first = [column for column in frame.iter_columns() if column.dtype.is_numeric()][:1]
    return _indexed(nw.to_native(_with(nw.from_native(alike, eager_only=True), first)), X) if first else None


def coin_table(X: Any, seed: int, number: int) -> Any:
    """Every row one of two rows of X, by a coin: the values stay such as the columns have.

    >>> len(np.unique(coin_table(np.arange(40.0).reshape(20, 2), 0, 0), axis=0))
    2
    """
    n = X.shape[0]
    draw = generator(seed, "coin table", number)
    rows = draw.permutation(draw.choice(n, size=2, replace=False)[np.arange(n) % 2])
    return _indexed(take(X, rows=rows), X)


def noise_table(X: Any, seed: int, number: int) -> Any | None:
    """Every column of numbers the same uniform noise, over the range of the column; other columns by a coin.

    None for a sparse matrix, which would not be sparse, and for what is neither an array nor a frame.

    >>> made = noise_table(np.array([[0.0, 5.0], [1.0, 9.0], [0.5, 6.0]]), 0, 0)
    >>> bool(np.allclose(made[:, 1], 5 + 4 * made[:, 0] / np.ptp(made[:, 0]) * np.ptp(made[:, 0])))
    True
    """
    return _one_column(X, generator(seed, "noise table", number).random(X.shape[0]), seed, number)


def telling_table(X: Any, y: np.ndarray, labels: np.ndarray | None, seed: int, number: int) -> Any | None:
    """A table that tells the target: one row of X for each class; or every column of numbers the target.

    >>> X = np.arange(12.0).reshape(6, 2)
    >>> len(np.unique(telling_table(X, np.array([0, 1, 1, 0, 1, 0]), np.array([0, 1]), 0, 0), axis=0))
    2
    """
    if labels is None:
        return _one_column(X, (y - y.min()) / max(float(np.ptp(y)), 1e-300), seed, number)
    rows = generator(seed, "telling table", number).choice(X.shape[0], size=len(labels), replace=False)
    return _indexed(take(X, rows=rows[codes_among(labels, y)]), X)


def _one_column(X: Any, values: np.ndarray, seed: int, number: int) -> Any | None:
    """Every column of numbers the same values (0 to 1), over the range of the column; other columns by a coin."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiu":
        low, high = _range(X.astype(np.float64, copy=False))
        return low + values[:, None] * (high - low)
    if not is_frame(X):
        return None
    frame = nw.from_native(coin_table(X, seed, number), eager_only=True)
    input_frame = nw.from_native(X, eager_only=True)
    new_series = [_series(column, values) for column in input_frame.iter_columns() if column.dtype.is_numeric()]
    return _indexed(nw.to_native(_with(frame, new_series)), X)


def _range(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest number of each column; 0 and 1 where it has none."""
    finite = np.isfinite(values)
    low = np.where(finite, values, np.inf).min(axis=0)
    high = np.where(finite, values, -np.inf).max(axis=0)
    none = ~finite.any(axis=0)
    return np.where(none, 0.0, low), np.where(none, 1.0, high)


def _series(column: Any, values: np.ndarray) -> Any:
    low, high = _range(column.cast(nw.Float64).to_numpy()[:, None])
    return nw.new_series(column.name, low[0] + values * (high[0] - low[0]), backend=column.implementation)


def _with(frame: Any, new_series: list[Any]) -> Any:
    """The frame with some columns replaced; a pandas frame keeps its own index, so the values go in by position."""
    if not new_series:
        return frame
    if frame.implementation.is_pandas():
        native = nw.to_native(frame).copy()
        for series in new_series:
            native[series.name] = series.to_numpy()
        return nw.from_native(native, eager_only=True)
    return frame.with_columns(*new_series)


def _indexed(frame: Any, X: Any) -> Any:
    """The made frame under the index of the given one: functions join the target to it by index."""
    if is_frame(X) and nw.from_native(X, eager_only=True).implementation.is_pandas():
        frame = frame.copy()
        frame.index = X.index
    return frame


_FOLDS = 5  # some metrics are larger by chance on few rows: answers are judged in so many folds
_DRAWS = 20


def chance(metric: Metric, y: np.ndarray, labels: np.ndarray | None) -> float:
    """The score of the best constant answer.

    >>> from tamis.metrics import METRICS
    >>> chance(METRICS["accuracy"], np.array([0, 0, 0, 1]), np.array([0, 1]))
    0.75
    """
    return max(constant_answers(metric, y, labels), key=lambda value: utility(metric, value))


def constant_answers(metric: Metric, y: np.ndarray, labels: np.ndarray | None) -> list[float]:
    """Scores of constant answers: each class, the shares of the classes; the mean, and numbers over the range."""
    n = len(y)
    answers: Iterable[np.ndarray]
    if labels is None:
        answers = [np.full(n, value) for value in (y.mean(), *np.quantile(y, np.linspace(0.02, 0.98, 49)))]
    elif metric.needs == "labels":
        answers = [np.full(n, label) for label in labels]
    elif metric.needs == "decision":
        answers = [np.full((n, len(labels)), 1 / len(labels)) if len(labels) > 2 else np.zeros(n)]
    else:
        answers = [np.tile(_shares(y, labels), (n, 1))]
    return [float(metric.value(*prepare(metric, y, answer, labels))) for answer in answers]


def blind(metric: Metric, y: np.ndarray, labels: np.ndarray | None) -> list[float]:
    """What answers can score that know nothing of the columns: one number, or two that bound it.

    For F1 averaged over classes, and for average precision on few rows, answers drawn at random in the shares of the
    classes are better than any constant. For F1 of one class the best is to answer always that class, which no model
    does unasked; drawn answers are the other bound.

    >>> from tamis.metrics import METRICS
    >>> blind(METRICS["matthews"], np.array([0, 0, 0, 1]), np.array([0, 1]))
    [0.0]
    """
    best = chance(metric, y, labels)
    if metric.base == "rmse":
        return [min(abs(best), _root_on_folds(y)) * (-1 if metric.negated else 1)]
    if labels is None or metric.needs == "probabilities" or metric.base in _ANSWERS_DO_NOT_MATTER:
        return [best]
    drawn = _drawn(metric, y, labels)
    return [drawn, best] if metric.base == "f1" else [max(drawn, best)]


#: Metrics for which no drawn answer is better than the best constant one.
_ANSWERS_DO_NOT_MATTER = ("balanced_accuracy", "matthews", "kappa", "roc_auc", "accuracy", "error")


def _drawn(metric: Metric, y: np.ndarray, labels: np.ndarray) -> float:
    """The mean score, on folds, of labels drawn in the shares of the classes, or of decision values in random order."""
    draw = generator(0, "drawn answers")
    folds = np.array_split(_spread(y), max(1, min(_FOLDS, len(y) // 2)))
    values = []
    for number in range(_DRAWS):
        answer = draw.permutation(y)
        if metric.needs == "decision":
            answer = draw.random((len(y), len(labels)))
            answer = answer[:, 1] if len(labels) == 2 else answer / answer.sum(axis=1, keepdims=True)
        values.append(reshuffled(metric, [Answers(y[fold], answer[fold]) for fold in folds], labels, number))
    return float(np.mean(values))


def _spread(y: np.ndarray) -> np.ndarray:
    """The rows in an order whose stretches hold about the same share of every class."""
    order = np.argsort(y, kind="stable")
    return np.concatenate([order[start::_FOLDS] for start in range(_FOLDS)])


def _root_on_folds(y: np.ndarray) -> float:
    """The mean, over small folds, of the root of squared distances from the mean; it is less than the whole root."""
    draw = generator(0, "root on folds")
    samples = [draw.choice(y, size=max(2, len(y) // (2 * _FOLDS)), replace=False) for _ in range(_DRAWS)]
    return float(np.mean([np.sqrt(np.mean((sample - y.mean()) ** 2)) for sample in samples]))


def _shares(y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return np.asarray(np.bincount(codes_among(labels, y), minlength=len(labels)) / len(y))


_NAMES = {
    CLASSIFICATION: (
        *("accuracy", "balanced_accuracy", "roc_auc", "average_precision", "matthews", "kappa"),
        *("f1", "f1_macro", "f1_weighted", "log_loss", "brier", "error"),
    ),
    REGRESSION: ("r2", "mse", "rmse", "mae"),
}
_FACTOR = 1000.0

Score = Callable[[np.ndarray], float]


def recognised(scores: Sequence[Score], y: np.ndarray, labels: np.ndarray | None) -> list[Metric]:
    """The metrics, larger is better, that explain the scores of a function; often one, none when no known one does.

    Parameters
    ----------
    scores : the function's score for a target (NaN where it fails): on a table of almost equal rows, of equal rows.
    y, labels : the target, and its classes (None for numbers).

    >>> shares = lambda y: float(np.mean(y == np.bincount(y).argmax()))
    >>> [metric.name for metric in recognised([shares, shares], np.arange(40) % 2, np.array([0, 1]))]
    ['accuracy']
    """
    targets = [y, y * _FACTOR] if labels is None else unequal(len(y), labels)
    almost, equal = ([score(target) for target in targets] for score in scores)
    if forms := _fitting(almost, targets, labels, odd=False):
        return forms
    forms = _fitting(equal, targets, labels, odd=False)
    if forms and all(metric.base in ("matthews", "kappa") for metric in forms):
        return [*forms, METRICS["f1"]]  # it is 0 too where equal rows make a model answer the first class always
    return forms or _fitting(equal, targets, labels, odd=True)


def _fitting(scores: list[float], targets: list[np.ndarray], labels: np.ndarray | None, odd: bool) -> list[Metric]:
    if not np.isfinite(scores).all():
        return []
    named = [METRICS[name] for name in _NAMES[REGRESSION if labels is None else CLASSIFICATION]]
    forms = [m if m.larger else find(f"neg_{m.name}", classes=labels is not None) for m in named]
    return [form for form in forms if _explains(form, scores, targets, labels, odd)]


def unequal(n: int, labels: np.ndarray) -> list[np.ndarray]:
    """Two targets of unequal classes: the first class largest, and the last class largest.

    >>> [np.bincount(y).tolist() for y in unequal(10, np.array([0, 1]))]
    [[8, 2], [2, 8]]
    """
    k = len(labels)
    weights = np.arange(k, 0, -1, dtype=float) ** 2  # 0.8 and 0.2 for two classes
    edges = np.round(np.cumsum(weights) / weights.sum() * n).astype(int)
    codes = np.searchsorted(edges, np.arange(n), side="right")
    mixed = np.random.Generator(np.random.PCG64(0)).permutation(codes)
    return [labels[mixed], labels[k - 1 - mixed]]


def _explains(
    metric: Metric, observed: list[float], targets: list[np.ndarray], labels: np.ndarray | None, odd: bool
) -> bool:
    """True when one way of answering, the same for both targets, gives both scores.

    The usual answer is the largest class: the first for the first target, the last for the other. Odd ones are the
    smallest class, as after balancing the classes, and always the first, or always the last.
    """
    scores = [constant_answers(metric, target, labels) for target in targets]
    ways = [(0, 0)]
    if labels is not None and metric.needs == "labels":
        ways = [(-1, 0), (0, 0), (-1, -1)] if odd else [(0, -1)]
    expected = [[each[index] for each, index in zip(scores, way)] for way in ways]
    return any(np.all(np.abs(np.subtract(way, observed)) <= _slack(metric, way, labels is None)) for way in expected)


def _slack(metric: Metric, expected: list[float], numbers: bool) -> np.ndarray:
    """The mean of folds is not quite the score of all rows, and what is learned on other rows is a bit worse."""
    if not numbers:
        return np.full(len(expected), 0.03 if metric.needs == "probabilities" else 0.015)
    return np.full(len(expected), 0.25) if metric.base == "r2" else 0.1 * np.abs(expected)
