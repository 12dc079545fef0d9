"""Variances and directions of a table by four roads that agree: full, by moments, by Gram matrix, randomised."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, sparse

from tamis.table import Table
from tamis.views import Moments

SOLVERS = ("full", "moments", "gram", "randomised")
EPS = float(np.finfo(np.float64).eps)
_SMALL = 2e7  # rows × columns × the smaller of both, up to which the full decomposition costs next to nothing
_LARGE = 1500  # of rows and columns, from which on a few components are found without the others
_DIGITS = 1e-6  # of the largest variance: below it, products of columns leave fewer than ten digits


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Principal directions of centred rows.

    Attributes
    ----------
    mean : of each column.
    spectrum : variances along the components, largest first; only the leading ones where the solver finds no others.
    components : directions of unit length, one a row; those without variance left out.
    total : sum of all variances.
    n_rows : number of rows, or sum of their weights.
    solver : the road taken.
    """

    mean: np.ndarray
    spectrum: np.ndarray
    components: np.ndarray
    total: float
    n_rows: float
    solver: str

    @property
    def rank(self) -> int:
        """Number of components with a variance beyond rounding."""
        return len(self.components)


def solver_for(shape: tuple[int, int], n_components: Any) -> str:
    """The cheapest road for a table: small, tall, wide, or large both ways.

    >>> solver_for((1_000_000, 100), None), solver_for((200, 20_000), None), solver_for((5_000, 4_000), 10)
    ('moments', 'gram', 'randomised')
    """
    n, p = shape
    smaller_side = min(n, p)
    count = isinstance(n_components, (int, np.integer)) and not isinstance(n_components, bool)
    if float(n) * p * smaller_side <= _SMALL:
        return "full"
    if smaller_side > _LARGE and count and n_components * 10 <= smaller_side:
        return "randomised"
    return "moments" if n >= p else "gram"


def decompose(
    X: Any,
    weights: np.ndarray | None,
    n_components: Any,
    solver: str = "auto",
    seed: int = 0,
    moments: Moments | None = None,
) -> tuple[Decomposition, Moments | None]:
    """The decomposition of a complete matrix, dense or sparse, and its moments where they were taken.

    Products of columns square the condition: where they leave variances with fewer than ten digits, "auto" decomposes
    the rows themselves.

    Parameters
    ----------
    moments : of the same rows, where they are known.
    """
    road = solver_for(X.shape, n_components) if solver == "auto" else solver
    if sparse.issparse(X) and road in ("full", "gram"):
        X = X.toarray()
    if road == "moments":
        moments = Moments.of(Table(matrix=X), sample_weight=weights) if moments is None else moments
        result = of_moments(moments)
        precise = result.rank == 0 or result.spectrum[result.rank - 1] >= _DIGITS * result.spectrum[0]
        if solver != "auto" or (precise and result.rank == len(result.spectrum)):
            return result, moments
        if sparse.issparse(X) or float(X.shape[0]) * X.shape[1] ** 2 > 1e11:
            return result, moments
        return of_triangle(X, weights), moments
    if road == "randomised":
        from tamis.project.pca.krylov import of_krylov

        return of_krylov(X, weights, int(n_components), seed), None
    return (of_rows if road == "full" else of_gram)(X, weights), None


def of_moments(moments: Moments) -> Decomposition:
    r"""From count, mean and scatter: eigenvectors of the covariance.

    .. math:: \frac{S}{n - 1} = \sum_k \lambda_k v_k v_k^\top
    """
    covariance = moments.scatter / max(moments.weight - 1.0, EPS)
    values, vectors = linalg.eigh(covariance, overwrite_a=True, check_finite=False)
    spectrum, components = np.maximum(values[::-1], 0.0), vectors[:, ::-1].T
    rank = _rank(spectrum, moments.n_rows, EPS)
    size = min(len(spectrum), max(moments.n_rows, 1))
    mean = moments.mean
    noise = float(EPS**2 * (mean**2).sum())  # of columns without any variance only the rounding of their mean is left
    rank = rank if spectrum.size and spectrum[0] > 64 * noise else 0
    return Decomposition(mean, spectrum[:size], components[:rank], float(spectrum.sum()), moments.weight, "moments")


def of_rows(X: np.ndarray, weights: np.ndarray | None) -> Decomposition:
    """Singular value decomposition of the centred rows."""
    centred, mean, weight = centre(X, weights)
    _, values, components = linalg.svd(centred, full_matrices=False, overwrite_a=True, check_finite=False)
    return _of_singular(mean, values, components, weight, X, "full")


def of_triangle(X: np.ndarray, weights: np.ndarray | None) -> Decomposition:
    """The same for many rows: batch by batch only the triangle of a QR decomposition is kept."""
    mean, weight = _mean(X, weights)
    p = X.shape[1]
    triangle, size = np.zeros((0, p)), max(4 * p, 4096)
    for start in range(0, len(X), size):
        block = np.subtract(X[start : start + size], mean, dtype=np.float64)
        if weights is not None:
            block *= np.sqrt(weights[start : start + size])[:, None]
        triangle = linalg.qr(np.vstack([triangle, block]), mode="r", overwrite_a=True, check_finite=False)[0][:p]
    _, values, components = linalg.svd(triangle, full_matrices=False, overwrite_a=True, check_finite=False)
    return _of_singular(mean, values, components, weight, X, "full")


def of_gram(X: np.ndarray, weights: np.ndarray | None) -> Decomposition:
    """Few rows, many columns: eigenvectors u of the rows' products give the directions Xᵀu / √λ."""
    centred, mean, weight = centre(X, weights)
    values, vectors = linalg.eigh(centred @ centred.T, overwrite_a=True, check_finite=False)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    rank = min(_rank(values, X.shape[1], EPS), X.shape[1])
    components = (centred.T @ vectors[:, :rank]).T
    sizes = np.sqrt(np.einsum("ij,ij->i", components, components))  # more digits than the roots of the eigenvalues
    components /= sizes[:, None]
    spectrum = np.zeros(min(X.shape))
    spectrum[:rank] = sizes**2
    if (
        rank and sizes[-1] ** 2 < _DIGITS * values[0]
    ):  # products of columns leave these directions few digits: orthogonal to the others at least
        components, spectrum = _polished(centred, components, spectrum)
        rank = len(components)
    spectrum /= max(weight - 1.0, EPS)
    if not _beyond_rounding(spectrum, mean):
        components = components[:0]
    return Decomposition(mean, spectrum, components, float(spectrum.sum()), weight, "gram")


def _polished(centred: np.ndarray, components: np.ndarray, spectrum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One step of subspace iteration: the small singular values regain the digits that products of columns lost."""
    basis = linalg.qr(components.T, mode="economic", check_finite=False)[0]
    _, values, turn = linalg.svd(centred @ basis, full_matrices=False, check_finite=False)
    nonzero = values > EPS * max(centred.shape) * values[0]
    out = np.zeros_like(spectrum)
    out[: len(values)] = np.where(nonzero, values**2, 0.0)
    return (turn @ basis.T)[nonzero], out


def centre(X: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, float]:
    """Rows about their mean (times the root of their weight), the mean and the sum of weights."""
    mean, weight = _mean(X, weights)
    centred = np.subtract(X, mean, dtype=np.float64)
    if weights is not None:
        centred *= np.sqrt(weights)[:, None]
    return centred, mean, weight


def _mean(X: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, float]:
    """The mean, corrected once by the mean of what is left: no digits go with a large offset."""
    if weights is None:
        mean = X.mean(axis=0, dtype=np.float64)
        return mean + (X - mean).mean(axis=0), float(len(X))
    weight = float(weights.sum())
    mean = weights @ X / weight
    return mean + weights @ (X - mean) / weight, weight


def _of_singular(
    mean: np.ndarray, values: np.ndarray, components: np.ndarray, weight: float, X: np.ndarray, solver: str
) -> Decomposition:
    spectrum = values**2 / max(weight - 1.0, EPS)
    rank = int((values > EPS * max(X.shape) * values[0]).sum()) if values.size else 0
    rank = rank if _beyond_rounding(spectrum, mean) else 0
    return Decomposition(mean, spectrum, components[:rank], float(spectrum.sum()), weight, solver)


def _rank(values: np.ndarray, size: int, eps: float) -> int:
    """Number of eigenvalues beyond rounding."""
    return int((values > eps * max(size, len(values)) * values[0]).sum()) if values.size and values[0] > 0 else 0


def _beyond_rounding(spectrum: np.ndarray, mean: np.ndarray) -> bool:
    """Whether anything is left beside the rounding of the mean: constant columns have no component."""
    return bool(spectrum.size and spectrum[0] > 64 * EPS**2 * float((mean**2).sum()))
