"""Kernel PCA: components of rows in the space that a kernel stands for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy
from scipy import linalg

from tamis import check
from tamis.engine.seed import generator
from tamis.errors import DamagedError, ParameterError
from tamis.project.base import Projection, refuse_overflow, saved_matrix
from tamis.project.signs import fixed_signs
from tamis.table.interface.takes_table import parameters
from tamis.typing import RandomState

KERNELS = ("rbf", "laplacian", "poly", "sigmoid", "cosine", "linear")


@dataclass(frozen=True)
class Kernel:
    """A kernel by name; called with rows A and B it gives k(a, b) of every pair.

    >>> Kernel("rbf", 0.5)(np.array([[0.0]]), np.array([[0.0], [2.0]])).round(3)
    array([[1.   , 0.135]])
    """

    name: str
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 1.0

    def __call__(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        if self.name == "laplacian":
            return np.exp(-self.gamma * scipy.spatial.distance.cdist(A, B, "cityblock"))
        if self.name == "rbf":
            out = squared_distances(A, B)
            out *= -self.gamma
            return np.exp(out, out=out)
        if self.name == "cosine":
            A, B = _of_length_one(A), _of_length_one(B)
        products = A @ B.T
        if self.name == "poly":
            return (self.gamma * products + self.coef0) ** self.degree
        if self.name == "sigmoid":
            return np.tanh(self.gamma * products + self.coef0)
        return np.asarray(products)


def squared_distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """‖a − b‖² of every pair, by one product of the rows about their common middle.

    >>> squared_distances(np.array([[1e9, 0.0]]), np.array([[1e9, 2.0], [1e9 + 1, 0.0]]))
    array([[4., 1.]])
    """
    middle = B.mean(axis=0)
    A, B = A - middle, B - middle
    out = A @ B.T
    out *= -2.0
    out += np.einsum("ij,ij->i", A, A)[:, None]
    out += np.einsum("ij,ij->i", B, B)
    return np.maximum(out, 0.0, out=out)


def _of_length_one(X: np.ndarray) -> np.ndarray:
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X))[:, None]
    return np.divide(X, lengths, out=np.zeros_like(X), where=lengths > 0)


EXACT = 5_000  # rows up to which every pair is looked at
_BATCH = 2_000
_BACK = 20  # rows a landmark that the way back is learned from: with all of 100,000 a fit took twice as long


@parameters
class KernelPCA(Projection):
    r"""Principal components in the space of a kernel.

    .. math:: \tilde K = \sum_k \lambda_k u_k u_k^\top, \qquad t_k(x) = \tilde k(x)^\top \frac{u_k}{\sqrt{\lambda_k}}

    where tildes are centred in the kernel's space. Eigenvectors are divided by the square roots of their eigenvalues,
    so scores of the rows of `fit` have the sum of squares λₖ. Beyond 5,000 rows the kernel is that of its best
    approximation by some of the rows, the landmarks (Nyström): the cost grows with rows × landmarks².

    Parameters
    ----------
    n_components : how many to keep.
    kernel : "rbf" exp(−γ‖a − b‖²), "laplacian" exp(−γ‖a − b‖₁), "poly" (γ aᵀb + c)^d, "sigmoid" tanh(γ aᵀb + c),
        "cosine", "linear"; a function f(A, B) that gives k(a, b) of every pair of rows; or "precomputed": X of `fit` is
        the kernel of all pairs of rows, later X the kernel of new rows with those, and there is no way back.
    gamma : γ; by default 1 / number of columns.
    degree, coef0 : d and c.
    landmarks : number of rows that stand for all beyond 5,000 rows, and for the way back.
    ridge : what the way back adds to the diagonal: larger is smoother.
    random_state : seed of the landmarks.

    Attributes
    ----------
    spectrum_ : eigenvalues λ of the centred kernel over n: variances of the scores (1/n).
    landmarks_ : the rows that are kept: all of them up to 5,000.

    References
    ----------
    B. Schölkopf, A. Smola, K.-R. Müller, "Nonlinear component analysis as a kernel eigenvalue problem", Neural
    Computation 10, 1998. C. Williams and M. Seeger, "Using the Nyström method to speed up kernel machines", NIPS 2000.

    >>> X = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 2.0]]
    >>> KernelPCA(2, kernel="linear").fit(X).spectrum_  # as PCA, over n
    array([1.  , 0.25])
    """

    allows_missing = False
    min_rows = 2

    n_components: int = field(default=2, kw_only=False)
    kernel: Any = "rbf"
    gamma: float | None = None
    degree: int = 3
    coef0: float = 1.0
    landmarks: int = 500
    ridge: float = 1e-3
    random_state: RandomState = 0

    def _check(self) -> None:
        check.count("n_components", self.n_components)
        if not callable(self.kernel):
            check.one_of("kernel", self.kernel, (*KERNELS, "precomputed"))
        if self.gamma is not None:
            check.number("gamma", self.gamma, low=0, open_low=True)
        check.count("degree", self.degree)
        check.number("coef0", self.coef0)
        check.count("landmarks", self.landmarks, low=2)
        check.number("ridge", self.ridge, low=0, open_low=True)

    def _kernel(self) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        if callable(self.kernel):
            return self._called
        if self.kernel == "precomputed":
            return lambda A, B: A
        gamma = 1.0 / self.encoding_.n_encoded if self.gamma is None else float(self.gamma)
        return Kernel(self.kernel, gamma, int(self.degree), float(self.coef0))

    def _called(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        values = np.asarray(self.kernel(A, B), dtype=np.float64)
        if values.shape != (len(A), len(B)) or not np.isfinite(values).all():
            raise ParameterError(
                f"the kernel gave shape {values.shape} for {len(A)} and {len(B)} rows, or values that are not finite; "
                "give f(A, B) -> a finite number for every pair"
            )
        return values

    def _refuse_no_kernel(self, X: np.ndarray) -> None:
        if X.shape[0] != X.shape[1] or not np.allclose(X, X.T, rtol=1e-8, atol=1e-10 * np.abs(X).max(initial=1.0)):
            raise ParameterError(
                f"kernel='precomputed', but X of shape {X.shape} is no symmetric matrix of all pairs of rows; give the "
                "kernel of the rows, or the name of one"
            )

    @property
    def _n_made(self) -> int:
        return int(self.weights_.shape[1])

    # -- fitting -----------------------------------------------------------------------------------------------------
    def _fit(self, X: np.ndarray, y: Any) -> None:
        n = len(X)
        if self.kernel == "precomputed":
            self._refuse_no_kernel(X)
            self.landmarks_ = np.zeros((n, 0))
            self._exactly(X)
            return
        drawn = np.sort(generator(self._seed(), "landmarks").permutation(n)[: min(n, int(self.landmarks))])
        if n <= EXACT:
            self.landmarks_ = np.ascontiguousarray(X)
            self._exactly(X)
        else:
            self.landmarks_ = np.ascontiguousarray(X[drawn])
            self._by_landmarks(X)
        self._learn_inverse(X, drawn)

    def _exactly(self, X: np.ndarray) -> None:
        kernel = self._kernel()(X, X)
        refuse_overflow(X, self.encoding_.columns, kernel)
        self.row_means_ = kernel.mean(axis=0)
        self.mean_ = float(self.row_means_.mean())
        centred = kernel - self.row_means_ - self.row_means_[:, None] + self.mean_
        n = len(X)
        low = max(0, n - int(self.n_components))
        values, vectors = linalg.eigh(centred, subset_by_index=[low, n - 1], overwrite_a=True, check_finite=False)
        values, vectors = values[::-1], vectors[:, ::-1]
        self._refuse_rank(values, n)
        signs = fixed_signs(vectors.T)
        self.weights_ = vectors * signs / np.sqrt(values)
        self.spectrum_ = values / n

    def _by_landmarks(self, X: np.ndarray) -> None:
        """Components of the features K(x, landmarks) R, where R Rᵀ is the inverse of the landmarks' own kernel."""
        kernel, marks = self._kernel(), self.landmarks_
        gram = kernel(marks, marks)
        refuse_overflow(X, self.encoding_.columns, gram)
        values, vectors = linalg.eigh(gram, check_finite=False)
        is_positive = values > 1e-10 * values[-1]
        root = vectors[:, is_positive] / np.sqrt(values[is_positive])
        sums, products = np.zeros(len(marks)), np.zeros((len(marks), len(marks)))
        for start in range(0, len(X), _BATCH):
            block = kernel(X[start : start + _BATCH], marks)
            sums += block.sum(axis=0)
            products += block.T @ block
        n = len(X)
        middle = sums / n
        covariance = root.T @ (products / n - np.outer(middle, middle)) @ root
        spectrum, turn = linalg.eigh(covariance, check_finite=False)
        spectrum, turn = spectrum[::-1][: self.n_components], turn[:, ::-1][:, : self.n_components]
        self._refuse_rank(spectrum * n, len(marks))
        weights = root @ turn
        self.weights_ = weights * fixed_signs(weights.T)
        self.spectrum_ = spectrum
        self.row_means_, self.mean_ = middle, float("nan")

    def _refuse_rank(self, values: np.ndarray, max_components: int) -> None:
        """Raise unless all components wanted have a variance beyond rounding."""
        rank = int((values > 1e-12 * max(float(values[0]), 1e-300)).sum()) if values[0] > 0 else 0
        if int(self.n_components) > rank:
            raise ParameterError(
                f"n_components={self.n_components}, but the kernel {self.kernel!r} of these rows has "
                f"{rank} component(s) beyond rounding; give at most {max(rank, 1)}, or another kernel"
            )

    def _learn_inverse(self, X: np.ndarray, drawn: np.ndarray) -> None:
        r"""The way back: a ridge regression of the rows on the Gaussian kernel of their scores with the landmarks'.

        .. math:: (Z^\top Z + \alpha K_{mm})\, C = Z^\top X, \qquad Z = k(t, t_{landmarks})
        """
        self.back_points_ = self._project(X[drawn])
        spread = self.back_points_.var(axis=0).sum()
        self.back_gamma_ = 1.0 / max(2.0 * float(spread), 1e-300)
        way = Kernel("rbf", self.back_gamma_)
        m = len(drawn)
        left, right = np.zeros((m, m)), np.zeros((m, X.shape[1]))
        self.back_mean_ = X.mean(axis=0)
        if len(X) > _BACK * m:
            X = X[np.linspace(0, len(X) - 1, _BACK * m).astype(np.int64)]
        for start in range(0, len(X), _BATCH):
            rows = X[start : start + _BATCH]
            block = way(self._project(rows), self.back_points_)
            left += block.T @ block
            right += block.T @ (rows - self.back_mean_)
        gram = way(self.back_points_, self.back_points_)
        left += float(self.ridge) * (gram + 1e-8 * m * np.eye(m))
        values, vectors = linalg.eigh(left, check_finite=False)
        is_positive = values > 1e-14 * values[-1]  # landmarks that lie together leave directions that say nothing
        self.back_weights_ = vectors[:, is_positive] @ ((vectors[:, is_positive].T @ right) / values[is_positive, None])

    # -- projecting --------------------------------------------------------------------------------------------------
    def _project(self, X: np.ndarray) -> np.ndarray:
        kernel = self._kernel()
        out = np.empty((len(X), self._n_made))
        for start in range(0, len(X), _BATCH):
            block = kernel(X[start : start + _BATCH], self.landmarks_)
            if self.mean_ == self.mean_:  # centred with all rows of fit
                block = block - block.mean(axis=1, keepdims=True) - self.row_means_ + self.mean_
            else:
                block = block - self.row_means_
            out[start : start + _BATCH] = block @ self.weights_
        return out

    def _unproject(self, scores: np.ndarray) -> np.ndarray:
        if self.kernel == "precomputed":
            raise ParameterError("kernel='precomputed' knows no rows, so there is no way back; give a kernel by name")
        return Kernel("rbf", self.back_gamma_)(scores, self.back_points_) @ self.back_weights_ + self.back_mean_

    # -- saving ------------------------------------------------------------------------------------------------------
    def _learned(self) -> dict[str, Any]:
        arrays = ["landmarks_", "weights_", "spectrum_", "row_means_"]
        if self.kernel != "precomputed":
            arrays += ["back_points_", "back_weights_", "back_mean_"]
        exact = self.mean_ == self.mean_
        return {
            **{name[:-1]: getattr(self, name).tolist() for name in arrays},
            "mean": self.mean_ if exact else None,
            "back_gamma": getattr(self, "back_gamma_", None),
        }

    def _relearn(self, state: dict[str, Any], n_columns: int) -> None:
        precomputed = self.kernel == "precomputed"
        self.landmarks_ = (
            np.zeros((n_columns, 0)) if precomputed else saved_matrix(state, "landmarks", (None, n_columns))
        )
        m = len(self.landmarks_)
        self.weights_ = saved_matrix(state, "weights", (m, None))
        k = self.weights_.shape[1]
        if not k:
            raise DamagedError("it has no component")
        self.spectrum_, self.row_means_ = saved_matrix(state, "spectrum", (k,)), saved_matrix(state, "row_means", (m,))
        self.mean_ = float("nan") if state.get("mean") is None else float(saved_matrix(state, "mean", ()))
        if precomputed:
            return
        self.back_points_ = saved_matrix(state, "back_points", (None, k))
        self.back_weights_ = saved_matrix(state, "back_weights", (len(self.back_points_), n_columns))
        self.back_mean_ = saved_matrix(state, "back_mean", (n_columns,))
        self.back_gamma_ = float(saved_matrix(state, "back_gamma", ()))
