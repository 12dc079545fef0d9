"""The search of projection pursuit: directions that separate groups, or along which rows are least normal."""

import numpy as np
from scipy import linalg

from tamis.engine.seed import generator
from tamis.errors import ParameterError
from tamis.project.pca.decompose import decompose

_NORMAL = 0.374567207491438  # E log cosh of a standard normal variable
_STARTS, _ROUNDS = 10, 200
_STEPS = 100  # columns that are ordered one after another; the rest by what is left of them


def separating(X: np.ndarray, codes: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Orthogonal directions of largest separation of groups of standardised rows, and the separation of each.

    Where there are more columns than rows, directions lie in the space that the rows span: outside it nothing varies.
    """
    basis = None
    if X.shape[1] > len(X):
        basis = decompose(X, None, None)[0].components
        X = X @ basis.T
    n, d = X.shape
    _, codes = np.unique(codes, return_inverse=True)
    sizes = np.bincount(codes).astype(np.float64)
    means = np.zeros((len(sizes), d))
    np.add.at(means, codes, X)
    means /= sizes[:, None]
    middle = X.mean(axis=0)
    class_offsets = (means - middle) * np.sqrt(sizes / n)[:, None]
    between, left = class_offsets.T @ class_offsets, X - means[codes]
    within_scatter = left.T @ left / n
    shrunken = _shrunken(within_scatter, left, d if basis is None else basis.shape[1])
    directions: list[np.ndarray] = []
    free = np.eye(d)
    for _ in range(k):
        _, vectors = linalg.eigh(free.T @ between @ free, free.T @ shrunken @ free, check_finite=False)
        direction = free @ vectors[:, -1]
        directions.append(direction / np.linalg.norm(direction))
        free = linalg.null_space(np.array(directions))
    components = np.array(directions)
    inside = np.einsum("ij,jk,ik->i", components, within_scatter, components)
    outside = np.einsum("ij,jk,ik->i", components, between, components)
    total = inside + outside
    separation = np.divide(outside, total, out=np.zeros(k), where=total > 0)
    return components if basis is None else components @ basis, separation


def _shrunken(within_scatter: np.ndarray, left: np.ndarray, p: int) -> np.ndarray:
    r"""The scatter within groups, drawn towards equal variances by the share of Ledoit and Wolf (2004).

    .. math:: (1 - \gamma) W + \gamma \frac{\mathrm{tr} W}{p} I, \qquad
              \gamma = \frac{\sum_i \|e_i e_i^\top - W\|^2 / n^2}{\|W - \frac{\mathrm{tr} W}{p} I\|^2}
    """
    n, level = len(left), float(np.trace(within_scatter)) / p
    squares = float((within_scatter**2).sum())
    lengths = np.einsum("ij,ij->i", left, left)
    noise = (float((lengths**2).sum()) - n * squares) / n**2
    dispersion = squares - p * level**2
    share = min(max(noise / dispersion, 0.0), 1.0) if dispersion > 0 else 1.0
    share = max(share, 1e-6)  # a direction without any scatter within groups would be infinitely good
    return np.asarray((1 - share) * within_scatter + share * max(level, 1e-12) * np.eye(len(within_scatter)))


def least_normal(X: np.ndarray, k: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Directions along which standardised rows are least normal, and the negentropy along each.

    The rows are first made uncorrelated and of equal variance, in as many leading components as a fifth of the rows;
    each direction is the best of those that a fixed-point search reaches from several starts, uncorrelated with the
    directions before.

    References
    ----------
    A. Hyvärinen, "Fast and robust fixed-point algorithms for independent component analysis", IEEE Trans. Neural
    Networks 10, 1999.
    """
    decomposition, _ = decompose(X, None, None)
    d = min(decomposition.rank, max(k, len(X) // 5))
    if k > d:
        raise ParameterError(f"n_components={k}, but the columns have rank {d}; give n_components between 1 and {d}")
    whiten = decomposition.components[:d] / np.sqrt(decomposition.spectrum[:d, None] * (len(X) - 1) / len(X))
    white = (X - decomposition.mean) @ whiten.T
    rng = generator(seed, "pursuit")
    directions = np.zeros((0, d))
    for _ in range(k):
        starts = np.vstack([np.eye(d)[: _STARTS // 2], rng.normal(size=(_STARTS, d))])
        reached = [_climb(white, start, directions) for start in starts]
        best = max(reached, key=lambda w: negentropy(white @ w))
        directions = np.vstack([directions, best])
    values = np.array([negentropy(white @ w) for w in directions])
    order = np.argsort(-values, kind="stable")
    components = directions[order] @ whiten
    return components / np.linalg.norm(components, axis=1, keepdims=True), values[order]


def negentropy(u: np.ndarray) -> float:
    """How far standardised values are from normal ones: (E log cosh u − E log cosh ν)².

    >>> rng = np.random.default_rng(0)
    >>> negentropy(np.sign(rng.normal(size=10_000))) > 100 * negentropy(rng.normal(size=10_000))
    True
    """
    size = np.abs(u)
    return float((np.mean(size + np.log1p(np.exp(-2 * size)) - np.log(2.0)) - _NORMAL) ** 2)


def _climb(white: np.ndarray, start: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The direction that w ← E[z g(wᵀz)] − E[g′(wᵀz)] w, g = tanh, comes to, orthogonal to those before."""
    w = _orthogonalized(start, before)
    for _ in range(_ROUNDS):
        slope = np.tanh(white @ w)
        new = _orthogonalized(white.T @ slope / len(white) - float(np.mean(1 - slope**2)) * w, before)
        done = abs(float(new @ w)) > 1 - 1e-10
        w = new
        if done:
            break
    return w


def _orthogonalized(w: np.ndarray, before: np.ndarray) -> np.ndarray:
    left = w - before.T @ (before @ w)
    size = float(np.linalg.norm(left))
    if size < 1e-12:  # the start lies among the directions before: any other will do
        basis = linalg.null_space(before) if len(before) else np.eye(len(w))
        return np.asarray(basis[:, 0])
    return np.asarray(left / size)


def gram_schmidt(X: np.ndarray, target: np.ndarray, order: np.ndarray) -> np.ndarray:
    r"""Columns by their share of the target, each judged orthogonal to those before: largest projections first.

    .. math:: \max_j \frac{\|Y^\top x_j\|^2}{\|x_j\|^2}, \qquad
              x \leftarrow x - \frac{x_j^\top x}{\|x_j\|^2} x_j \quad\text{for all columns x and the target Y}

    A column that those before make up is last. Ties go by `order`.
    """
    left = np.array(X - X.mean(axis=0))
    goal = target - target.mean(axis=0)
    spread = np.sqrt((goal**2).mean(axis=0))
    goal = goal / np.where(spread > 0, spread, 1.0)
    first = np.einsum("ij,ij->j", left, left)
    rank = np.empty(X.shape[1], dtype=np.int64)
    rank[order] = np.arange(X.shape[1])
    chosen: list[int] = []
    free = np.ones(X.shape[1], dtype=bool)
    for _ in range(min(X.shape[1], len(X) - 1, _STEPS)):
        gains = _projections(left, goal, first)
        gains[~free] = -1.0
        if gains.max() <= 0:
            break
        near = np.flatnonzero(gains >= gains.max() * (1 - 1e-9))
        j = int(near[rank[near].argmin()])
        chosen.append(j)
        free[j] = False
        unit = left[:, j] / np.linalg.norm(left[:, j])
        left -= np.outer(unit, unit @ left)
        goal -= np.outer(unit, unit @ goal)
    gains = _projections(left, goal, first)
    order_of_ties = np.lexsort((rank, -np.round(gains / max(float(gains.max(initial=0.0)), 1e-300), 9)))
    return np.array([*chosen, *(int(j) for j in order_of_ties if free[j])], dtype=np.int64)


def _projections(left: np.ndarray, goal: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Squared length of the target's projection on each column; 0 for columns of which nothing is left."""
    sizes = np.einsum("ij,ij->j", left, left)
    is_independent = sizes > 1e-10 * np.maximum(first, 1e-300)
    squares = ((goal.T @ left) ** 2).sum(axis=0)
    return np.divide(squares, sizes, out=np.zeros(len(sizes)), where=is_independent)
