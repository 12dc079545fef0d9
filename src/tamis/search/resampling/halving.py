"""How often the columns of a forest can be halved: judged by rows that had no say in which half is kept.

Half of a halving keeps 0.71 of the columns: two of them are one.
"""

from collections.abc import Callable, Iterator
from math import ceil, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tamis.engine import generator
from tamis.forest.predict.temperature import calibrated
from tamis.metrics.intervals.paired import row_losses
from tamis.table import Table
from tamis.table.interface.target import codes_among

#: Columns that are left at least, and the share of the gain over a constant answer that fewer columns must keep.
FEWEST, KEPT = 4, 0.99

#: Columns of which half of a halving is tried, at most: a third fewer of 30 is a shorter list to read, of 130 not, and
#: costs as much (pcmac: 93 columns instead of 132, an accuracy of 0.878 instead of 0.899).
LISTED = 100

#: From a table, a target and weights of rows, or None, to a forest.
Grow = Callable[[Table, Any, Any], Any]


def halved(
    importance: np.ndarray,
    table: Table,
    y: ArrayLike,
    grow: Grow,
    n: float,
    fewest: int = FEWEST,
    weight: np.ndarray | None = None,
) -> Iterator[tuple[np.ndarray, Any]]:
    """Places of the better half of the columns, of the better half of these, … at most n times; and a forest of each.

    Columns are ranked by what they bring to rows out of the bag, in the first half given, then in these forests; ties
    by place. Where n ends in a half, so does the last step.
    """
    columns = np.arange(table.n_columns)
    for step in range(ceil(n)):
        best = _best(importance, 0.5 if step + 1 <= n else sqrt(0.5), fewest)
        if best is None:
            return
        columns = columns[best]
        forest = grow(table.select(columns.tolist()), y, weight)
        importance = forest.impurity_importance_
        yield columns, forest


def _best(importance: np.ndarray, share: float, fewest: int) -> np.ndarray | None:
    """Places of this share of the columns, those of largest importance; None where too few would be left."""
    k = int(share * len(importance))
    return None if k < fewest else np.sort(np.argsort(-importance, kind="stable")[:k])


class Halving(NamedTuple):
    """How often columns can be halved, and what was seen on the way.

    Attributes
    ----------
    n_halvings : halvings that keep 99% of the gain, the last of them perhaps half of one.
    chosen_step : of these among the steps.
    columns : of each step, how many there were: before the first halving, after it, after the second, …
    answers : at each, the answers for every row (numbers, or rows × classes) of the forest that had not seen it;
        shares are not calibrated.
    """

    n_halvings: float
    chosen_step: int = 0
    columns: tuple[int, ...] = ()
    answers: tuple[np.ndarray, ...] = ()


class _Step(NamedTuple):
    """Columns that are left in one half of the rows, their importance there, and answers for the other half."""

    columns: np.ndarray
    importance: np.ndarray
    answers: np.ndarray


class _Halves:
    """Two halves of the rows: the forests of each answer for the other.

    steps : of each half, columns before the first halving, after it, after the second, … as long as any are left.
    """

    def __init__(
        self,
        table: Table,
        target: np.ndarray,
        halves: list[np.ndarray],
        grow: Grow,
        fewest: int,
        weight: np.ndarray | None,
    ) -> None:
        self._table, self._target, self._parts, self._grow, self._fewest = table, target, halves, grow, fewest
        self._weight = weight
        self.classes = None if target.dtype.kind == "f" else np.unique(target)
        self._order = np.argsort(np.concatenate(halves[::-1]))  # the first half learned, so the other was judged first
        self.steps = list(zip(*(self._halved(half) for half in (0, 1))))

    def _halved(self, half: int) -> list[_Step]:
        half_table, truth = self._table.take(self._parts[half]), self._target[self._parts[half]]
        weight = self._weight_of(half)
        first = self._grow(half_table, truth, weight)
        n = half_table.n_columns
        fewer = halved(first.impurity_importance_, half_table, truth, self._grow, n, self._fewest, weight)
        return [self._step(half, *step) for step in ((np.arange(half_table.n_columns), first), *fewer)]

    def _weight_of(self, half: int) -> np.ndarray | None:
        return None if self._weight is None else self._weight[self._parts[half]]

    def _step(self, half: int, columns: np.ndarray, forest: BaseEstimator) -> _Step:
        judged = self._table.take(self._parts[1 - half]).select(columns.tolist())
        return _Step(columns, forest.impurity_importance_, _answers(forest, judged, self.classes))

    def after_half(self, step: tuple[_Step, ...]) -> tuple[_Step, ...]:
        """What half of a halving leaves after this step; nothing where there are too few columns, or many."""
        steps = []
        for half, last in enumerate(step):
            best = _best(last.importance, sqrt(0.5), self._fewest)
            if best is None or len(last.columns) > LISTED:
                return ()
            columns, learn = last.columns[best], self._parts[half]
            part = self._table.take(learn).select(columns.tolist())
            forest = self._grow(part, self._target[learn], self._weight_of(half))
            steps.append(self._step(half, columns, forest))
        return tuple(steps)

    def answers(self, step: tuple[_Step, ...]) -> np.ndarray:
        """For every row, of the forest that had not seen it."""
        return np.concatenate([half.answers for half in step])[self._order]


def halvings(
    table: Table,
    y: ArrayLike,
    grow: Grow,
    seed: int,
    calibrate: bool = False,
    fewest: int = FEWEST,
    weight: np.ndarray | None = None,
) -> Halving:
    """How often the columns can be halved while 99% of the gain is kept; at the end perhaps half of a halving.

    Rows are cut into two halves, every class in both. A forest of each half of the rows, and those of fewer columns
    by its own ranking, predict the other half; the loss (Brier, after calibration where asked for, or squared error) is
    that of all rows. The out-of-bag loss would not do: the rows it is measured on ranked the columns, too (yale,
    165 × 1,024: by it 10 columns are as good as 347, but an accuracy of 0.81 falls to 0.67).

    >>> from tamis import ForestClassifier
    >>> X = np.random.default_rng(0).normal(size=(400, 16))
    >>> grow = lambda part, target, weight: ForestClassifier(50, random_state=0).fit(part, target)
    >>> halvings(Table.of(X), (X[:, 3] + X[:, 5] > 0).astype(int), grow, 0)[:3]
    (2.0, 2, (16, 8, 4))
    """
    target = np.asarray(y)
    row_halves = _two_halves(target, seed)
    if min(len(row_halves[0]), len(row_halves[1])) < 2 or any(len(np.unique(target[half])) < 2 for half in row_halves):
        return Halving(0.0)
    halves = _Halves(table, target, row_halves, grow, fewest, weight)
    steps = halves.steps
    answers = [halves.answers(step) for step in steps]

    def loss(answer: np.ndarray) -> float:
        return _loss(answer, target, halves.classes, calibrate, weight)

    losses = np.array([loss(answer) for answer in answers])
    limit = losses[0] + (1 - KEPT) * max(0.0, _constant(target, weight) - losses[0])
    worse = np.flatnonzero(losses > limit)
    index = int(worse[0]) - 1 if len(worse) else len(losses) - 1
    n_halvings = float(index)
    between = halves.after_half(steps[index])
    if between:
        steps.insert(index + 1, between)
        answers.insert(index + 1, halves.answers(between))
        if loss(answers[index + 1]) <= limit:
            n_halvings, index = n_halvings + 0.5, index + 1
    return Halving(n_halvings, index, tuple(len(step[0].columns) for step in steps), tuple(answers))


def _two_halves(target: np.ndarray, seed: int) -> list[np.ndarray]:
    """Two halves of the rows, at random; of classes every other row of each."""
    order = generator(seed, "halves").permutation(len(target))
    if target.dtype.kind != "f":
        order = order[np.argsort(np.unique(target[order], return_inverse=True)[1], kind="stable")]
    return [np.sort(order[::2]), np.sort(order[1::2])]


def _answers(forest: BaseEstimator, table: Table, classes: np.ndarray | None) -> np.ndarray:
    """Numbers, or the share of every class; one that the forest does not know has none."""
    if classes is None:
        return np.asarray(forest.predict(table))
    shares = np.asarray(forest.predict_proba(table))
    out = np.zeros((len(shares), len(classes)))
    out[:, codes_among(classes, forest.classes_)] = shares
    return out


def _loss(
    answers: np.ndarray, target: np.ndarray, classes: np.ndarray | None, calibrate: bool, weight: np.ndarray | None
) -> float:
    """The mean loss of all rows; of numbers weighted."""
    if classes is None:
        return float(np.average(np.square(answers - target), weights=weight))
    codes = codes_among(classes, target)
    if calibrate:
        answers = calibrated(answers, codes, np.ones(len(codes))).shares
    return float(row_losses("brier", codes, answers).mean())


def _constant(target: np.ndarray, weight: np.ndarray | None) -> float:
    """The loss of the mean, or of the shares of classes."""
    if target.dtype.kind == "f":
        return float(np.average(np.square(target - np.average(target, weights=weight)), weights=weight))
    shares = np.unique(target, return_counts=True)[1] / len(target)
    loss = 1 - float(np.square(shares).sum())
    return loss / 2 if len(shares) == 2 else loss
