"""Folds in which every class has its share: row by row, or whole groups at a time.

Rows are dealt out as by scikit-learn's StratifiedKFold, bit for bit. Groups are placed by the rule of its
StratifiedGroupKFold, except that folds which suit a group equally well go by size even where rounding tells them apart,
and that no fold stays empty. Theirs warn of a rare class, and silencing a warning changes filters of the whole process,
which threads undo for each other; ours say nothing (a class that training rows lack is refused by `split`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from tamis.table.like import TableLike


@dataclass(eq=False)
class Stratified:
    """A splitter: k folds with the classes' shares, shuffled unless `random_state` is None, no group torn apart.

    Groups of unequal sizes are placed in the order of their sizes, whatever the random state, so that two draws can be
    the same; with `varied` sizes count between one half and all of what they are, at random.

    >>> [test.tolist() for train, test in Stratified(2).split(range(4), [0, 0, 1, 1])]
    [[1, 2], [0, 3]]
    """

    n_splits: int = 5
    random_state: int | None = field(default=0, kw_only=True)
    varied: bool = field(default=False, kw_only=True)

    def split(
        self, X: TableLike, y: ArrayLike, groups: ArrayLike | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pairs of (train, test)."""
        draw = None if self.random_state is None else np.random.RandomState(self.random_state)
        codes = _codes(np.asarray(y))
        if groups is None:
            fold = _deal(codes, self.n_splits, draw)
        else:
            group_codes = np.unique(np.asarray(groups), return_inverse=True)[1]
            fold = _assign_fold(codes, group_codes, self.n_splits, draw, self.varied)
        for number in range(self.n_splits):
            yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def dealt(strata: np.ndarray, k: int, rng: np.random.RandomState) -> np.ndarray:
    """A fold for every row: rows shuffled, put in order of stratum, and dealt out in turn, one round for all strata.

    >>> np.bincount(dealt(np.array([0, 0, 0, 1, 1]), 2, np.random.RandomState(0))).tolist()
    [3, 2]
    """
    mixed = rng.permutation(len(strata))
    fold = np.empty(len(strata), dtype=np.int64)
    fold[mixed[np.argsort(strata[mixed], kind="stable")]] = np.arange(len(strata)) % k
    return fold


def _codes(y: np.ndarray) -> np.ndarray:
    """Classes as whole numbers from 0, in their order; small whole numbers are counted, for a sort costs 20 times that.

    >>> _codes(np.array([5, 3, 5])).tolist(), _codes(np.array(["b", "a", "b"])).tolist()
    ([1, 0, 1], [1, 0, 1])
    """
    if y.dtype.kind in "iu" and len(y) and y.min() >= 0 and y.max() < len(y):
        return np.asarray((np.cumsum(np.bincount(y) > 0) - 1)[y])
    return np.unique(y, return_inverse=True)[1]


def _deal(codes: np.ndarray, k: int, draw: np.random.RandomState | None) -> np.ndarray:
    """A fold for every row: rows in order of class are dealt out in turn, and shuffled within their class."""
    firsts = np.full(int(codes.max(initial=-1)) + 1, len(codes), dtype=np.int64)
    np.minimum.at(firsts, codes, np.arange(len(codes)))
    rank = np.argsort(np.argsort(firsts))  # classes in the order in which they appear
    turn = rank[codes]
    ends = np.cumsum(np.bincount(turn))
    fold = np.empty(len(codes), dtype=np.int64)
    for number, end in enumerate(ends):
        start = 0 if number == 0 else ends[number - 1]
        first = np.arange(start, start + k) % k  # the fold of the next k rows: one more for as many as are left over
        extra = np.bincount(first[: (end - start) % k], minlength=k)
        dealt = np.repeat(np.arange(k), (end - start) // k + extra)
        if draw is not None:
            draw.shuffle(dealt)
        fold[turn == number] = dealt
    return fold


def _assign_fold(
    codes: np.ndarray, groups: np.ndarray, k: int, draw: np.random.RandomState | None, varied: bool = False
) -> np.ndarray:
    """A fold for every row: the most uneven groups first, each where the classes' shares then differ least."""
    n_classes, n_groups = int(codes.max()) + 1, int(groups.max()) + 1
    counts = np.bincount(groups * n_classes + codes, minlength=n_groups * n_classes).reshape(n_groups, n_classes)
    order = np.arange(n_groups)
    if draw is not None:
        draw.shuffle(order)
    uneven = np.std(counts[order].astype(np.float64), axis=1)
    if varied and draw is not None:
        uneven = uneven * draw.uniform(0.5, 1.0, len(uneven))
    order = order[np.argsort(-uneven, kind="stable")]
    totals, fold_counts = counts.sum(axis=0), np.zeros((k, n_classes))
    fold, size = np.empty(n_groups, dtype=np.int64), np.zeros(k, dtype=np.int64)
    for left, group in zip(range(n_groups, 0, -1), order):
        empty = np.flatnonzero(size == 0)
        at = _evenest(fold_counts / totals, counts[group] / totals, size, empty if left <= len(empty) else np.arange(k))
        fold[group] = at
        fold_counts[at] += counts[group]
        size[at] += counts[group].sum()
    return fold[groups]


def _evenest(shares: np.ndarray, more: np.ndarray, size: np.ndarray, allowed: np.ndarray) -> int:
    """The fold to add a group's shares to: their spread decides, the smaller fold where that is the same."""
    best, best_spread = -1, np.inf
    for at in allowed:
        tried = shares.copy()
        tried[at] += more
        spread = tried.std(axis=0).mean()
        is_tie = abs(spread - best_spread) <= 1e-8 + 1e-5 * spread
        if size[at] < size[best] if is_tie else spread < best_spread:
            best, best_spread = at, spread
    return int(best)
