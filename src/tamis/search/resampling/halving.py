"""How often the columns of a forest can be halved: judged by rows that had no say in which half is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tamis.engine import generator
from tamis.forest.predict.temperature import calibrated
from tamis.metrics.intervals.paired import row_losses
from tamis.table import Table

#: Columns that are left at least, and the share of the gain over a constant answer that fewer columns must keep.
FEWEST, KEPT = 4, 0.995

Grow = Callable[[Table, Any], Any]


def halved(importance: np.ndarray, table: Table, y: Any, grow: Grow, n: int) -> Iterator[tuple[np.ndarray, Any]]:
    """Places of the better half of the columns, of the better half of these, … at most n times; and a forest of each.

    Columns are ranked by what they bring to rows out of the bag, in the first half given, then in these forests; ties
    by place.
    """
    places = np.arange(table.n_columns)
    for _ in range(n):
        k = len(places) // 2
        if k < FEWEST:
            return
        places = np.sort(places[np.argsort(-importance, kind="stable")[:k]])
        forest = grow(table.select(places.tolist()), y)
        importance = forest.impurity_importance_
        yield places, forest


class Halving(NamedTuple):
    """How often columns can be halved, and what was seen on the way.

    Attributes
    ----------
    kept : halvings that keep 99.5% of the gain.
    columns : how many there were before the first, after it, after the second, …
    answers : at each, the answers for every row (numbers, or rows × classes) of the forest that had not seen it;
        shares are not calibrated.
    """

    kept: int
    columns: tuple[int, ...] = ()
    answers: tuple[np.ndarray, ...] = ()


def halvings(table: Table, y: Any, grow: Grow, seed: int, calibrate: bool = False) -> Halving:
    """How often the columns can be halved while 99.5% of the gain is kept.

    Rows are cut into two halves, every class in both. A forest of each half of the rows, and those of fewer columns
    by its own ranking, predict the other half; the loss (Brier, after calibration where asked for, or squared error) is
    that of all rows. The out-of-bag
    loss would not do: the rows it is measured on ranked the columns, too (yale, 165 × 1,024: by it 10 columns are as
    good as 347, but an accuracy of 0.81 falls to 0.67).

    >>> from tamis import ForestClassifier
    >>> X = np.random.default_rng(0).normal(size=(400, 16))
    >>> grow = lambda part, target: ForestClassifier(50, random_state=0).fit(part, target)
    >>> halvings(Table.of(X), (X[:, 3] + X[:, 5] > 0).astype(int), grow, 0)[:2]
    (2, (16, 8, 4))
    """
    target = np.asarray(y)
    parts = _parts(target, seed)
    if min(len(parts[0]), len(parts[1])) < 2 or any(len(np.unique(target[part])) < 2 for part in parts):
        return Halving(0)
    classes = None if target.dtype.kind == "f" else np.unique(target)
    halves: list[list[tuple[int, np.ndarray]]] = []
    for learn, judged in (parts, parts[::-1]):
        own, others, truth = table.take(learn), table.take(judged), target[learn]
        first = grow(own, truth)
        fewer = halved(first.impurity_importance_, own, truth, grow, table.n_columns)
        rest = [(len(p), _answers(forest, others.select(p.tolist()), classes)) for p, forest in fewer]
        halves.append([(table.n_columns, _answers(first, others, classes)), *rest])
    place = np.argsort(np.concatenate(parts[::-1]))  # the first half learned, so the other was judged first
    steps = list(zip(*halves))
    said = tuple(np.concatenate([answers for _, answers in step])[place] for step in steps)
    means = np.array([_loss(answers, target, classes, calibrate) for answers in said])
    limit = means[0] + (1 - KEPT) * max(0.0, _constant(target) - means[0])
    worse = np.flatnonzero(means > limit)
    return Halving(int(worse[0]) - 1 if len(worse) else len(means) - 1, tuple(step[0][0] for step in steps), said)


def _parts(target: np.ndarray, seed: int) -> list[np.ndarray]:
    """Two halves of the rows, at random; of classes every other row of each."""
    order = generator(seed, "halves").permutation(len(target))
    if target.dtype.kind != "f":
        order = order[np.argsort(np.unique(target[order], return_inverse=True)[1], kind="stable")]
    return [np.sort(order[::2]), np.sort(order[1::2])]


def _answers(forest: Any, table: Table, classes: np.ndarray | None) -> np.ndarray:
    """Numbers, or the share of every class; one that the forest does not know has none."""
    if classes is None:
        return np.asarray(forest.predict(table))
    shares = np.asarray(forest.predict_proba(table))
    out = np.zeros((len(shares), len(classes)))
    out[:, np.searchsorted(classes, forest.classes_)] = shares
    return out


def _loss(said: np.ndarray, target: np.ndarray, classes: np.ndarray | None, calibrate: bool) -> float:
    """The mean loss of all rows."""
    if classes is None:
        return float(np.square(said - target).mean())
    codes = np.searchsorted(classes, target)
    if calibrate:
        said = calibrated(said, codes, np.ones(len(codes))).shares
    return float(row_losses("brier", codes, said).mean())


def _constant(target: np.ndarray) -> float:
    """The loss of the mean, or of the shares of classes."""
    if target.dtype.kind == "f":
        return float(target.var())
    shares = np.unique(target, return_counts=True)[1] / len(target)
    loss = 1 - float(np.square(shares).sum())
    return loss / 2 if len(shares) == 2 else loss
