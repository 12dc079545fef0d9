"""A few leading components of a table that is large both ways, by products with it alone."""

import warnings
from typing import Any

import numpy as np
from scipy import linalg, sparse

from tamis.engine.seed import generator
from tamis.errors import NotConverged
from tamis.project.pca.decompose import EPS, Decomposition
from tamis.table.like import TableLike

TOLERANCE = 1e-8  # residual ‖XᵀXv − σ²v‖ of every component, relative to the largest σ²: variances have its square
_MOST = 60  # rounds
_FAR = 100  # times the variance: a squared mean beyond it is taken off the rows first


def of_krylov(X: Any, weights: np.ndarray | None, n_components: int, seed: int) -> Decomposition:
    """Leading components of the centred rows."""
    weight = float(X.shape[0]) if weights is None else float(weights.sum())
    mean = np.asarray((X.mean(axis=0) if weights is None else weights @ X / weight), dtype=np.float64).ravel()
    roots = None if weights is None else np.sqrt(weights)
    squares = _squares(X, mean, weights)
    centred, left = X, mean
    if not sparse.issparse(X) and weight * float((mean**2).sum()) > _FAR * squares:
        centred = X - mean  # products with a large offset would lose digits
        left = np.asarray(centred.mean(axis=0) if weights is None else weights @ centred / weight)
        mean = mean + left
    values, components = leading(centred, n_components, seed, left, roots)
    rank = int((values > EPS * max(X.shape) * values[0]).sum())
    return Decomposition(
        mean, values**2 / (weight - 1.0), components[:rank], squares / (weight - 1.0), weight, "randomised"
    )


def leading(
    X: Any, k: int, seed: int, mean: np.ndarray | None = None, roots: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""Leading singular values and right singular vectors (rows) of diag(roots) (X − mean), by a block Krylov space.

    The space spanned by :math:`G, (A^\top A) G, (A^\top A)^2 G, …` for a random block G holds the leading directions
    after a few products; it grows until their residuals are below the tolerance.

    References
    ----------
    C. Musco and C. Musco, "Randomized block Krylov methods for stronger and faster approximate singular value
    decomposition", NeurIPS 2015.
    """
    n, p = X.shape
    width = min(min(n, p), k + max(4, k // 4))
    max_basis = min(min(n, p), max(8 * width, 200))
    block = linalg.qr(generator(seed, "krylov").normal(size=(p, width)), mode="economic")[0]
    basis, images, products = np.zeros((p, 0)), np.zeros((n, 0)), np.zeros((0, 0))
    for _ in range(_MOST):
        image = _times(X, block, mean, roots)
        cross = images.T @ image
        products = np.block([[products, cross], [cross.T, image.T @ image]])
        basis, images = np.hstack([basis, block]), np.hstack([images, image])
        values, turn = linalg.eigh(products)
        values, turn = np.maximum(values[::-1][: width + k], 0.0), turn[:, ::-1][:, : width + k]
        back = _back(X, images @ turn[:, :width], mean, roots)
        vectors = basis @ turn
        residual = np.linalg.norm(back[:, :k] - vectors[:, :k] * values[:k], axis=0)
        if np.all(residual <= TOLERANCE * max(values[0], 1e-300)) or basis.shape[1] >= min(n, p):
            return _polished(images @ turn, vectors, k)
        if basis.shape[1] + width > max_basis:  # begin again with the best so far
            basis, images, products = vectors, images @ turn, np.diag(values)
        block = _orthogonal_block(basis, back, values[0], min(n, p))
        if not block.shape[1]:
            return _polished(images, basis, k)
    warnings.warn(
        f"the {k} leading components have a residual of {residual.max() / values[0]:.1g} after {_MOST} rounds; "
        "give solver='moments', or fewer components",
        NotConverged,
        stacklevel=4,
    )
    return _polished(images, basis, k)


def _orthogonal_block(basis: np.ndarray, back: np.ndarray, size: float, max_basis: int) -> np.ndarray:
    """Orthonormal directions that a block adds to a space."""
    fresh = back - basis @ (basis.T @ back)
    fresh -= basis @ (basis.T @ fresh)
    block, triangle, _ = linalg.qr(fresh, mode="economic", pivoting=True)
    block = block[:, np.abs(np.diagonal(triangle)) > 1e-14 * size]
    block = block[:, : max(0, max_basis - basis.shape[1])]
    return np.asarray(block - basis @ (basis.T @ block))


def _polished(images: np.ndarray, vectors: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Singular values of the images themselves: products of them leave small ones few digits."""
    _, values, turn = linalg.svd(linalg.qr(images, mode="r")[0][: images.shape[1]], full_matrices=False)
    return values[:k], turn[:k] @ vectors.T


def _times(X: TableLike, block: np.ndarray, mean: np.ndarray | None, roots: np.ndarray | None) -> np.ndarray:
    out = np.asarray(X @ block)
    if mean is not None:
        out -= mean @ block
    return out if roots is None else out * roots[:, None]


def _back(X: Any, image: np.ndarray, mean: np.ndarray | None, roots: np.ndarray | None) -> np.ndarray:
    weighted = image if roots is None else image * roots[:, None]
    out = np.asarray(X.T @ weighted)
    return out if mean is None else out - np.outer(mean, weighted.sum(axis=0))


def _squares(X: Any, mean: np.ndarray, weights: np.ndarray | None) -> float:
    """Sum of squares about the mean, without a copy of the matrix."""
    row_weights = np.ones(X.shape[0]) if weights is None else weights
    if sparse.issparse(X):
        return float((row_weights @ X.power(2)).sum() - row_weights.sum() * (mean**2).sum())
    total = 0.0
    for start in range(0, len(X), 1024):
        block = X[start : start + 1024] - mean
        total += float(row_weights[start : start + 1024] @ np.einsum("ij,ij->i", block, block))
    return total
