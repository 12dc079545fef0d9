r"""Two procedures judged on the same rows: how much better one is, how sure that is, and whether chance explains it.

Losses are kept as sums over *units* that are independent of one another: rows, whole groups, or, where there are many,
a thousand parts of the rows. With :math:`s_u` the sum of the differences of unit u and :math:`n_u` its rows, the mean
difference is :math:`\bar d = \sum_u s_u / \sum_u n_u` and its standard error

.. math:: \frac{1}{\sum_u n_u} \sqrt{\frac{U}{U - 1} \sum_u (s_u - n_u \bar d)^2}.

Student's t has as many degrees of freedom as there are units that make up the variance, less one: with
:math:`v_u = (s_u - n_u \bar d)^2` they are :math:`(\sum_u v_u)^2 / \sum_u v_u^2`. Of forty rows, four of which are of
the rare class, it is these four that tell, and the plain t-test of forty would be far too sure.

Repeats of folds add no rows: the losses of a row are averaged over them before anything else is done.

In time order neighbouring units are alike. Their sums are added up in blocks of consecutive units, which then stand for
the units: with φ the first autocorrelation of :math:`s_u - n_u \bar d`, a block has twice the
:math:`(1 + \varphi) / (1 - \varphi)` units that are worth an independent one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tamis.engine.seed import generator
from tamis.metrics import METRICS, Metric
from tamis.metrics.distributions import t_tail
from tamis.metrics.intervals.row_sums import placements
from tamis.metrics.loss_matrix import LossMatrix
from tamis.task import predicts_classes

#: Rows are pooled into at most so many units: a standard error from 1,000 of them is known to 2%.
MOST_UNITS = 1_000

#: Differences below this share of the losses are rounding, not a gain: a lasso without columns is the baseline.
ROUNDING = 1e-7


#: Blocks that are left at least, however strong the autocorrelation.
MIN_BLOCKS = 3


@dataclass(frozen=True)
class Difference:
    """How much smaller the losses of one procedure are than another's.

    Attributes
    ----------
    mean : the mean difference of their losses; positive when the first loses more.
    error : its standard error.
    p_value : one-sided, of "the second is not better than the first".
    freedom : degrees of freedom of Student's t.
    """

    mean: float
    error: float
    p_value: float
    freedom: float = 1.0


def row_losses(
    kind: str, y: np.ndarray, answer: np.ndarray, *, n_train: int = 0, costs: np.ndarray | None = None
) -> np.ndarray:
    r"""The loss of every row by a proper score.

    Parameters
    ----------
    kind : "brier" (:math:`\sum_k (p_k - 1[y = k])^2`, halved for two classes), "log_loss" (of probabilities smoothed
        as by one more row of every class, so that a pure leaf does not cost infinity), "ranked_probability_score" of
        ordered classes, "squared_error", "poisson_deviance" (of means smoothed as by half a count more), or "cost".
    y : class codes, or numbers.
    answer : probabilities, rows × classes, or predicted numbers.
    n_train : rows the probabilities were learned from, for the smoothing.
    costs : truth × answer, for "cost": of the decision of least expected cost.

    >>> row_losses("brier", np.array([1, 0]), np.array([[0.2, 0.8], [0.5, 0.5]])).round(2).tolist()
    [0.04, 0.25]
    """
    rows = np.arange(len(y))
    if kind == "squared_error":
        return np.asarray((y - answer) ** 2)
    if kind == "poisson_deviance":
        answer = (n_train * np.maximum(answer, 0.0) + 0.5) / (n_train + 0.5) if n_train else answer
    each = METRICS[kind].each if kind in ("poisson_deviance", "ranked_probability_score") else None
    if each is not None:
        return each(y, answer, rows)
    if kind == "cost" and costs is not None:
        return np.asarray(costs[y, LossMatrix(costs, np.arange(len(costs))).answers(answer)])
    n_classes = answer.shape[1]
    if kind == "log_loss":
        return np.asarray(-np.log((n_train * answer[rows, y] + 1) / (n_train + n_classes)))
    squares = (answer**2).sum(axis=1) - 2 * answer[rows, y] + 1
    return np.asarray(squares / 2 if n_classes == 2 else squares)


def metric_losses(metric: Metric, y: np.ndarray, answer: np.ndarray) -> np.ndarray | None:
    r"""One loss a row whose mean is 1 − the metric, and whose variance is the metric's; None where there is none.

    Accuracy: 1 where the largest probability is not that of the truth. Balanced accuracy: the same times
    :math:`n / (K n_y)`. Area under the ROC curve A: with V the share of rows of the other side that a row is on the
    right side of, :math:`1 - A - (V - A) \, n / n_{side}` (DeLong's influence), averaged over classes.

    Parameters
    ----------
    metric : the metric that is quoted.
    y : class codes.
    answer : probabilities, rows × classes.

    >>> from tamis.metrics import METRICS
    >>> p = np.array([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3]])
    >>> metric_losses(METRICS["accuracy"], np.array([0, 1, 1]), p).tolist()
    [0.0, 0.0, 1.0]
    """
    if metric.source is not None or not predicts_classes(metric.task) or not len(y):
        return None
    n, k = len(y), answer.shape[1]
    if metric.base in ("accuracy", "error"):
        return (answer.argmax(axis=1) != y).astype(np.float64)
    counts = np.bincount(y, minlength=k)
    if metric.base == "balanced_accuracy":
        return (answer.argmax(axis=1) != y) * n / ((counts > 0).sum() * counts[y])
    if metric.base == "roc_auc" and (counts > 0).all():
        area, _, ranks = placements(y, answer, k)
        return np.asarray(1 - area - n * (ranks[:, 0] - area * ranks[:, 1]))
    return None


def pairing_units(
    n_rows: int, *, groups: ArrayLike | None = None, time: ArrayLike | None = None, seed: int = 0
) -> np.ndarray:
    """The unit of every row: itself, its group, or a part of many rows; with time, neighbours in time share one.

    >>> pairing_units(4, groups=np.array(["b", "a", "b", "c"])).tolist()
    [1, 0, 1, 2]
    """
    if groups is not None:
        codes = np.unique(np.asarray(groups), return_inverse=True)[1]
    elif time is not None:
        codes = np.unique(np.asarray(time), return_inverse=True)[1]
    else:
        codes = np.arange(n_rows)
    n_codes = int(codes.max()) + 1 if n_rows else 0
    if n_codes <= MOST_UNITS:
        return np.asarray(codes, dtype=np.int64)
    unit_of_code = np.arange(n_codes) * MOST_UNITS // n_codes
    if time is None or groups is not None:  # neighbours in a file may be alike, so parts are drawn
        unit_of_code = generator(seed, "units").permutation(unit_of_code)
    return np.asarray(unit_of_code[codes], dtype=np.int64)


def difference(first: np.ndarray, second: np.ndarray, rows: np.ndarray, *, ordered: bool = False) -> Difference:
    """The paired difference of two procedures' losses.

    Parameters
    ----------
    first, second : sums of losses by unit.
    rows : how many rows each sum is of; units without rows are left out.
    ordered : units are in time order, so that neighbours are not independent.

    >>> found = difference(np.array([1.0, 1.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4))
    >>> found.mean, round(found.error, 3), round(found.p_value, 3)
    (0.75, 0.25, 0.102)
    """
    occupied = rows > 0
    n, sums = rows[occupied].astype(np.float64), (first - second)[occupied]
    if ordered and len(n) > MIN_BLOCKS:
        blocks = np.arange(len(n)) // _block_length(sums - n * (sums.sum() / n.sum()))
        n, sums = (np.asarray(np.bincount(blocks, weights=values), dtype=np.float64) for values in (n, sums))
    n_units, total = len(n), float(n.sum())
    if n_units < 2:
        return Difference(0.0, 0.0, 1.0)
    mean = float(sums.sum() / total)
    squares = (sums - n * mean) ** 2
    error = float(np.sqrt(n_units / (n_units - 1) * squares.sum()) / total)
    scale = float(np.abs(first[occupied]).sum() + np.abs(second[occupied]).sum()) / total
    if abs(mean) <= ROUNDING * scale:
        return Difference(mean, error, 1.0)
    if error <= ROUNDING * abs(mean):  # every unit differs by the same: the sign test's least
        return Difference(mean, error, float(0.5**n_units) if mean > 0 else 1.0)
    freedom = max(1.0, float(squares.sum() ** 2 / (squares**2).sum()) - 1)
    return Difference(mean, error, float(t_tail(mean / error, freedom)), freedom)


def _block_length(residuals: np.ndarray) -> int:
    """Consecutive units in a block: one where their autocorrelation is not beyond chance."""
    n, total = len(residuals), float(residuals @ residuals)
    phi = float(residuals[1:] @ residuals[:-1]) / total if total > 0 else 0.0
    if phi <= 1.645 / np.sqrt(n):
        return 1
    phi = min(phi + (1 + 3 * phi) / n, 0.99)  # Kendall's correction of the bias in short series
    return int(min(np.ceil(2 * (1 + phi) / (1 - phi)), n // MIN_BLOCKS))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment: the chance of any false claim among all of them stays below the level.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted, running = [float("nan")] * len(p_values), 0.0
    for rank, index in enumerate(np.argsort(np.asarray(p_values), kind="stable")):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[int(index)] = running if np.isfinite(p_values[index]) else float("nan")
    return adjusted
