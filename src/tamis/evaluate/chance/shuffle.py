"""A target that has nothing to do with the columns: that of other rows, groups or times."""

import numpy as np
from numpy.typing import ArrayLike

from tamis.engine import generator
from tamis.split.exchange import Exchange

#: Draws of groups that are tried for one that holds every class.
ATTEMPTS = 20


def permuted(
    y: np.ndarray, seed: int, number: int, groups: ArrayLike | None = None, time: ArrayLike | None = None
) -> np.ndarray:
    """The target of another row for every row, dependent rows together (see `Exchange`).

    Rows in time order are shifted round by a random stretch, so that neighbours stay neighbours. Groups exchange their
    targets as wholes: shuffled row by row, targets would no longer be alike within groups, and a score would exceed
    those of shuffled targets too often. With both, groups exchange their series, shifted. Where no such draw holds
    every class, rows are shuffled.

    >>> sorted(permuted(np.array([1, 2, 3]), 0, 0).tolist())
    [1, 2, 3]
    >>> permuted(np.array([1, 1, 2, 2]), 0, 0, groups=["a", "a", "b", "b"]).tolist() in ([1, 1, 2, 2], [2, 2, 1, 1])
    True
    """
    draw = generator(seed, "permutation", number)
    if time is not None and groups is None:
        order = np.argsort(np.asarray(time), kind="stable")
        shifted = y.copy()
        shifted[order] = np.roll(y[order], int(draw.integers(1, len(y))))
        return shifted
    if groups is None:
        return np.asarray(draw.permutation(y))
    n_classes = 0 if y.dtype.kind == "f" else len(np.unique(y))
    for order in Exchange.of(len(y), groups, time).draws(ATTEMPTS, int(draw.integers(2**31))):
        if not n_classes or len(np.unique(y[order])) == n_classes:
            return np.asarray(y[order])
    return np.asarray(draw.permutation(y))
