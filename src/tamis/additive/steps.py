"""The fewest steps of a curve: neighbouring bins joined where telling them apart is worth less than it costs."""

import numpy as np


def fewest_steps(heights: np.ndarray, curvature: np.ndarray, penalty: float) -> np.ndarray:
    r"""The group of each bin, in their order, that minimises

    .. math:: \sum_b h_b \lVert f_b - \bar f_{\text{group of } b} \rVert^2 + \text{penalty} \cdot \text{groups}.

    The sum is what the steps add to the deviance. A penalty of 2 per step is Akaike's. Solved exactly, by dynamic
    programming over where the last group begins.

    Parameters
    ----------
    heights : bins × sums.
    curvature : bins × sums, second derivative of the loss, summed over the rows of a bin.

    >>> fewest_steps(np.array([[0.0], [0.1], [1.0]]), np.array([[50.0], [50.0], [50.0]]), 2.0).tolist()
    [0, 0, 1]
    """
    n = len(heights)
    if n == 0:
        return np.zeros(0, dtype=np.int64)
    zero = np.zeros((1, heights.shape[1]))
    H = np.concatenate([zero, np.cumsum(curvature, axis=0)])
    S = np.concatenate([zero, np.cumsum(curvature * heights, axis=0)])
    Q = np.concatenate([[0.0], np.cumsum((curvature * heights**2).sum(axis=1))])
    best, begin = np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    for end in range(1, n + 1):
        h, s = H[end] - H[:end], S[end] - S[:end]
        explained = np.divide(s**2, h, out=np.zeros_like(s), where=h > 0).sum(axis=1)
        cost = best[:end] + np.maximum(Q[end] - Q[:end] - explained, 0.0) + penalty
        begin[end] = int(np.argmin(cost))
        best[end] = cost[begin[end]]
    groups, end, cuts = np.zeros(n, dtype=np.int64), n, []
    while end > 0:
        cuts.append(int(begin[end]))
        end = int(begin[end])
    for cut in cuts:
        if cut > 0:
            groups[cut:] += 1
    return groups


def joined_levels(heights: np.ndarray, curvature: np.ndarray, penalty: float) -> np.ndarray:
    """The group of each level: levels in the order of their heights are joined as bins are.

    Of several sums the order is that of the one that varies most.

    >>> joined_levels(np.array([[1.0], [0.0], [1.1]]), np.array([[50.0], [50.0], [50.0]]), 2.0).tolist()
    [1, 0, 1]
    """
    if len(heights) == 0:
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(heights[:, int(np.argmax(heights.var(axis=0)))], kind="stable")
    groups = np.empty(len(order), dtype=np.int64)
    groups[order] = fewest_steps(heights[order], curvature[order], penalty)
    return groups


def step_heights(values: np.ndarray, groups: np.ndarray, curvature: np.ndarray) -> np.ndarray:
    """Means of values (bins × sums) over the bins of each group, weighted by curvature; plain means where it is 0."""
    n_groups = int(groups.max(initial=-1)) + 1
    out = np.zeros((n_groups, values.shape[1]))
    for k in range(values.shape[1]):
        weight = np.bincount(groups, weights=curvature[:, k], minlength=n_groups)
        total = np.bincount(groups, weights=curvature[:, k] * values[:, k], minlength=n_groups)
        plain = np.bincount(groups, weights=values[:, k], minlength=n_groups) / np.bincount(groups, minlength=n_groups)
        out[:, k] = np.where(weight > 0, np.divide(total, weight, out=np.zeros(n_groups), where=weight > 0), plain)
    return out
