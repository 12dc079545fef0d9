"""P-values beyond the number of permutations, from a tail that is fitted to the largest permuted scores."""

import numpy as np

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
