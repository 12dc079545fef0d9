"""How often the columns of a forest can be halved: judged by rows that had no say in which half is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tamis.engine import generator
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


def halvings(table: Table, y: Any, grow: Grow, seed: int) -> int:
    """How often the columns can be halved while 99.5% of the gain is kept.

    Rows are cut into two halves, every class in both. A forest of each half of the rows, and those of fewer columns
    by its own ranking, predict the other half; the loss (Brier, or squared error) is that of all rows. The out-of-bag
    loss would not do: the rows it is measured on ranked the columns, too (yale, 165 × 1,024: by it 10 columns are as
    good as 347, but an accuracy of 0.81 falls to 0.67).

    >>> from tamis import ForestClassifier
    >>> X = np.random.default_rng(0).normal(size=(400, 16))
    >>> grow = lambda part, target: ForestClassifier(50, random_state=0).fit(part, target)
    >>> halvings(Table.of(X), (X[:, 3] + X[:, 5] > 0).astype(int), grow, 0)
    2
    """
    target = np.asarray(y)
    parts = _parts(target, seed)
    if min(len(parts[0]), len(parts[1])) < 2 or any(len(np.unique(target[part])) < 2 for part in parts):
        return 0
    losses: list[list[np.ndarray]] = []
    for learn, judged in (parts, parts[::-1]):
        own, truth = table.take(learn), target[learn]
        first, others, answers = grow(own, truth), table.take(judged), target[judged]
        fewer = halved(first.impurity_importance_, own, truth, grow, table.n_columns)
        rest = [_losses(forest, others.select(places.tolist()), answers) for places, forest in fewer]
        losses.append([_losses(first, others, answers), *rest])
    means = np.array([sum(float(half.sum()) for half in halves) for halves in zip(*losses)]) / len(target)
    limit = means[0] + (1 - KEPT) * max(0.0, _constant(target) - means[0])
    worse = np.flatnonzero(means > limit)
    return int(worse[0]) - 1 if len(worse) else len(means) - 1


def _parts(target: np.ndarray, seed: int) -> list[np.ndarray]:
    """Two halves of the rows, at random; of classes every other row of each."""
    order = generator(seed, "halves").permutation(len(target))
    if target.dtype.kind != "f":
        order = order[np.argsort(np.unique(target[order], return_inverse=True)[1], kind="stable")]
    return [np.sort(order[::2]), np.sort(order[1::2])]


def _losses(forest: Any, table: Table, truth: np.ndarray) -> np.ndarray:
    """Of each row; a class that the forest does not know counts as wrong."""
    if not hasattr(forest, "classes_"):
        return np.asarray((np.asarray(forest.predict(table)) - truth) ** 2)
    shares, known = np.asarray(forest.predict_proba(table)), np.asarray(forest.classes_)
    there = np.isin(truth, known)
    found = np.full(len(truth), 2.0 if len(known) > 2 else 1.0)
    found[there] = row_losses("brier", np.searchsorted(known, truth[there]), shares[there])
    return found


def _constant(target: np.ndarray) -> float:
    """The loss of the mean, or of the shares of classes."""
    if target.dtype.kind == "f":
        return float(target.var())
    shares = np.unique(target, return_counts=True)[1] / len(target)
    loss = 1 - float(np.square(shares).sum())
    return loss / 2 if len(shares) == 2 else loss
