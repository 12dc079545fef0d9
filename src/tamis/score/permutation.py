"""What chance alone would give: scores of permuted targets, p-values, and their adjustment for many columns."""

from collections.abc import Callable, Sequence

import numpy as np
import scipy

from tamis.engine import generator, map_threads

PARTS_HELD = 8  # tasks whose scores are in memory at a time where their largest are gathered
AT_ONCE = 32  # permutations a task: fixed, and enough for a criterion to share work between targets


def permutation_pvalues(
    observed: np.ndarray,
    scores: Callable[[Sequence[np.ndarray]], np.ndarray],
    n_rows: int,
    n_permutations: int,
    *,
    seed: int = 0,
    n_jobs: int | None = None,
    tail: "TailScores | None" = None,
) -> np.ndarray:
    """(1 + permutations that score as high) / (1 + permutations), for each column.

    Parameters
    ----------
    observed : scores of the criteria for the target as it is (criteria, columns).
    scores : takes orders of the target's rows and gives scores (criteria, orders, columns); whatever it reads of the
        table is made before.
    n_rows, n_permutations, seed, n_jobs : of the permutations.
    tail : gathers the largest scores of one criterion; p-values of columns with few hits then come from a fitted tail.

    Scores that differ by rounding only count as equal. With several criteria, the score that is compared is the mean of
    the ranks that a column's scores have among its own permutations (nonparametric combination): ranks among columns
    would not do, for chance too puts some column first.

    References
    ----------
    B. Phipson and G. Smyth, "Permutation p-values should never be zero", 2010; F. Pesarin and L. Salmaso, "Permutation
    tests for complex data", 2010.
    """
    size = np.abs(observed)
    bar = observed - 1e-10 * np.maximum(size, 1e-6 * size.max(axis=-1, initial=0.0, keepdims=True))
    several = len(observed) > 1

    def some(first: int) -> np.ndarray:
        last = min(first + AT_ONCE, n_permutations)
        orders = [generator(seed, "permutation", p).permutation(n_rows) for p in range(first, last)]
        permuted = scores(orders)
        return permuted if several or tail is not None else (permuted[0] >= bar[0]).sum(axis=0)

    starts = range(0, n_permutations, AT_ONCE)
    if tail is not None and not several:
        hits = np.zeros(observed.shape[1])
        for k in range(0, len(starts), PARTS_HELD):
            for part in map_threads(some, starts[k : k + PARTS_HELD], n_jobs):
                hits += (part[0] >= bar[0]).sum(axis=0)
                tail.add(part[0])
        counted = (1.0 + hits) / (1.0 + n_permutations)
        fitted = tail_pvalues(observed[0], tail, hits, n_permutations)
        return np.where(np.isnan(fitted), counted, fitted)
    parts = map_threads(some, starts, n_jobs)
    hits = _combined_hits(observed, np.concatenate(parts, axis=1)) if several else np.sum(parts, axis=0)
    return (1.0 + hits) / (1.0 + n_permutations)


def _combined_hits(observed: np.ndarray, null: np.ndarray) -> np.ndarray:
    """Of each column, the permutations whose mean rank over the criteria is as high as that of the target as it is."""
    total = np.zeros((1 + null.shape[1], null.shape[2]))
    for observed_scores, permuted in zip(observed, null):
        every = np.vstack([observed_scores, permuted])
        size = np.maximum(np.abs(every).max(axis=0), 1e-300)
        total += scipy.stats.rankdata(np.round(every / size, 10), axis=0)
    return (total[1:] >= total[0]).sum(axis=0)


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


#: Permuted scores that a tail is fitted to, at most, and the largest share of all permutations that they are.
LARGEST, SHARE = 250, 0.25

#: Permutations from which on a tail is fitted.
FEWEST_PERMUTATIONS = 200

#: Hits below which the tail takes the place of counting.
FEW_HITS = 10


class TailScores:
    """The largest permuted scores of every column (scores, columns), gathered part by part."""

    def __init__(self, n_permutations: int) -> None:
        self.size = max(2, min(LARGEST, int(SHARE * n_permutations)))
        self.largest: np.ndarray | None = None

    def add(self, scores: np.ndarray) -> None:
        """Take the scores of some permutations (orders, columns)."""
        both = scores if self.largest is None else np.concatenate([self.largest, scores])
        self.largest = both if len(both) <= self.size + 1 else -np.partition(-both, self.size, axis=0)[: self.size + 1]


def tail_pvalues(observed: np.ndarray, tail: TailScores, hits: np.ndarray, n_permutations: int) -> np.ndarray:
    r"""P-values of columns with fewer than ten hits, by a generalised Pareto tail; NaN for the other columns.

    With :math:`m` exceedances of a threshold :math:`t` among :math:`N` permutations,

    .. math:: p = \frac{m}{N} \left(1 + \frac{\xi (s - t)}{\sigma}\right)^{-1/\xi}.

    The shape :math:`\xi \ge 0` is the median over the columns of its estimate by probability-weighted moments, because
    one column's estimate varies too much; a tail that would end (:math:`\xi < 0`) counts as exponential, so that no
    p-value is 0.

    References
    ----------
    T. Knijnenburg et al., "Fewer permutations, more accurate P-values", Bioinformatics 25, 2009; J. Hosking and J.
    Wallis, "Parameter and quantile estimation for the generalized Pareto distribution", Technometrics 29, 1987.
    """
    assert tail.largest is not None
    scores = np.sort(tail.largest, axis=0)
    threshold, exceedances = (scores[0] + scores[1]) / 2, scores[1:]
    excess = exceedances - threshold
    mean = excess.mean(axis=0)
    shape = max(0.0, float(np.median(_shapes(excess, mean)[mean > 0]))) if np.any(mean > 0) else 0.0
    scale = np.maximum(mean * (1 - shape), 1e-300)
    beyond = np.maximum(observed - threshold, 0.0) / scale
    survival = np.exp(-beyond) if shape == 0 else (1 + shape * beyond) ** (-1 / shape)
    counted = (1.0 + hits) / (1.0 + n_permutations)
    fitted = np.minimum(len(excess) / n_permutations * survival, counted)
    return np.where((hits < FEW_HITS) & (mean > 0), fitted, np.nan)


def _shapes(excess: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Shape of each column's tail from its mean excess and the mean weighted by the share of larger ones."""
    n = len(excess)
    above = 1 - (np.arange(1, n + 1) - 0.35) / n
    weighted = above @ excess / n
    gap = mean - 2 * weighted
    return np.where(gap > 0, 2 - mean / np.maximum(gap, 1e-300), 0.5)
