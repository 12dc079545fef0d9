"""What chance alone would give: scores of permuted targets, p-values, and their adjustment for many columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tamis.engine import generator, map_threads
from tamis.score.criterion import Target

__all__ = ["benjamini_hochberg", "permutation_pvalues"]

AT_ONCE = 32  # permutations a task: fixed, and enough for a criterion to share work between targets


def permutation_pvalues(
    observed: np.ndarray,
    scores: Callable[[Sequence[np.ndarray]], np.ndarray],
    n_rows: int,
    n_permutations: int,
    *,
    seed: int = 0,
    n_jobs: int | None = None,
) -> np.ndarray:
    """(1 + permutations that score as high) / (1 + permutations), for each column.

    `scores` takes orders of the rows of the target and gives a line of scores for each; whatever it reads of the table
    is made before. Scores that differ by rounding only count as equal.
    """
    bar = observed - 1e-10 * np.maximum(np.abs(observed), 1e-6)

    def hits(first: int) -> np.ndarray:
        last = min(first + AT_ONCE, n_permutations)
        orders = [generator(seed, "permutation", p).permutation(n_rows) for p in range(first, last)]
        return (scores(orders) >= bar).sum(axis=0)

    found = map_threads(hits, range(0, n_permutations, AT_ONCE), n_jobs)
    return (1.0 + np.sum(found, axis=0)) / (1.0 + n_permutations)


def permuted(targets: Sequence[Target], orders: Sequence[np.ndarray]) -> list[list[Target]]:
    """For each target its permuted copies, in the same orders."""
    return [[target.take(order) for order in orders] for target in targets]


def benjamini_hochberg(pvalues: np.ndarray) -> np.ndarray:
    r"""P-values adjusted so that, among columns with values up to α, at most a share α is expected to be false.

    .. math:: \tilde p_{(i)} = \min_{k \ge i} \min\left(1, \frac{d}{k}\, p_{(k)}\right)

    References
    ----------
    Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", JRSS B 57, 1995.

    >>> benjamini_hochberg(np.array([0.01, 0.5, 0.02])).round(3)
    array([0.03, 0.5 , 0.03])
    """
    d = len(pvalues)
    order = np.argsort(-pvalues, kind="stable")
    adjusted = np.empty(d)
    adjusted[order] = np.minimum(np.minimum.accumulate(pvalues[order] * d / np.arange(d, 0, -1)), 1.0)
    return adjusted
