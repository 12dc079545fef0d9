"""Folds within a fit: for the strength of a penalty, and for the pruning of a tree."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.check import count
from tamis.errors import ParameterError
from tamis.split.pairs import Folds, is_whole, pairs_of
from tamis.split.stratify import Stratified, dealt
from tamis.typing import Folding


def ordered_folds(cv: Any, y: np.ndarray, *, classifier: bool, weights: np.ndarray | None = None) -> Folds:
    """Folds for a path of penalised models: a number is folds of rows in their order, stratified for class codes.

    Fewer folds than asked where there are fewer rows, or fewer of the rarest class. A fold is left out where its
    training rows or its test rows weigh nothing, or its training rows with a weight are of one class.

    Parameters
    ----------
    cv : a number of folds (None is 5), a share of rows to hold out (0.2), "loo", a splitter, or (train, test) pairs.
    y : numbers, or class codes.
    weights : one a row; None where all are 1.

    >>> [test.tolist() for train, test in ordered_folds(2, np.array([0.5, 1.5, 2.5, 3.5]), classifier=False)]
    [[0, 1], [2, 3]]
    """
    if isinstance(cv, float):
        from tamis.split.folds import folds

        return _weighted(folds(cv, y, classifier=classifier), y, classifier, weights)
    if isinstance(cv, str) and cv == "loo":
        cv = _stretches(len(y), len(y))
    elif cv is None or is_whole(cv):
        n_folds = 5 if cv is None else int(cv)
        if n_folds < 2:
            raise ParameterError(f"cv={cv} is too small; give at least 2 folds")
        max_folds = int(np.bincount(y.astype(np.int64)).min()) if classifier else len(y)
        n_folds = max(2, min(n_folds, max_folds))
        cv = Stratified(n_folds, random_state=None) if classifier else _stretches(len(y), n_folds)
    return _weighted(pairs_of(cv, len(y), y), y, classifier, weights)


def _weighted(pairs: Folds, y: np.ndarray, classifier: bool, weights: np.ndarray | None) -> Folds:
    """The folds with weight on both sides; a model is fitted to the one and judged on the other."""
    if weights is None or weights.all():
        return pairs
    min_levels = 2 if classifier else 1
    trains = [train[weights[train] > 0] for train, _ in pairs]
    usable = [
        len(np.unique(y[train]) if classifier else train) >= min_levels and bool(weights[test].any())
        for train, (_, test) in zip(trains, pairs)
    ]
    if not any(usable):
        raise ParameterError(
            f"sample_weight leaves {np.count_nonzero(weights):,} of {len(weights):,} rows a weight above 0, and no "
            "fold of cv has enough of them in training and test; weight more rows, or give alpha as a number"
        )
    return [pair for pair, good in zip(pairs, usable) if good]


def _stretches(n_rows: int, k: int) -> Folds:
    """Folds of rows side by side, as scikit-learn's KFold cuts them: the first are longer by the rows left over.

    >>> [test.tolist() for train, test in _stretches(5, 2)]
    [[0, 1, 2], [3, 4]]
    """
    if n_rows < 2:
        raise ParameterError(f"cv cannot divide {n_rows} row into folds (n_samples={n_rows}); give more rows")
    rows, base_size, left = np.arange(n_rows), *divmod(n_rows, k)
    ends = np.cumsum([0, *(base_size + (fold < left) for fold in range(k))]).tolist()
    return [(np.concatenate([rows[:a], rows[b:]]), rows[a:b]) for a, b in pairwise(ends)]


def dealt_folds(
    cv: Folding, rows: np.ndarray, strata: np.ndarray, rng: np.random.RandomState, y: ArrayLike | None = None
) -> Folds:
    """Folds for pruning a tree grown on some rows: a number deals the rows of each stratum out in turn, shuffled.

    Parameters
    ----------
    cv : a number of folds, a splitter, or (train, test) pairs of positions among all rows.
    rows : positions of the rows the tree is grown on; others are left out of every fold.
    strata : of each row (of all): its class, or a stretch of the sorted target.
    y : the target, for splitters that look at it.

    >>> found = dealt_folds(2, np.arange(4), np.array([0, 0, 1, 1]), np.random.RandomState(0))
    >>> [sorted(np.array([0, 0, 1, 1])[test].tolist()) for _, test in found]
    [[0, 1], [0, 1]]
    """
    if is_whole(cv):
        n_folds = min(count("cv", cv, low=2), len(rows))
        if n_folds < 2:
            raise ParameterError(
                f"prune='cv' cannot divide 1 sample into folds (cv={cv}); give more rows or prune=None"
            )
        fold = dealt(strata[rows], n_folds, rng)
        return [(rows[fold != k], rows[fold == k]) for k in range(n_folds)]
    in_rows = np.zeros(len(strata), dtype=bool)
    in_rows[rows] = True
    pairs = [(train[in_rows[train]], test[in_rows[test]]) for train, test in pairs_of(cv, len(strata), y)]
    pairs = [(train, test) for train, test in pairs if len(train) and len(test)]
    if not pairs:
        raise ParameterError("cv gives no pair with rows on both sides; give at least one")
    return pairs
