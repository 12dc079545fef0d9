"""Factor analysis: a few hidden factors, and noise of its own for every column."""

import warnings
from dataclasses import field
from typing import Any

import numpy as np
import scipy
from scipy import linalg

from tamis import check
from tamis.errors import DamagedError, NotConverged, ParameterError
from tamis.project.base import CATEGORIES, Loaded, refuse_overflow, saved_matrix
from tamis.project.pca.decompose import centre
from tamis.project.signs import fixed_signs
from tamis.saved import read_entry, read_integer
from tamis.table.interface.takes_table import parameters

_LEAST = 1e-6  # noise of a column, relative to its variance


@parameters
class FactorAnalysis(Loaded):
    r"""Factors z behind the columns: :math:`x = \mu + W z + \varepsilon`, with noise of variance ψ a column.

    .. math:: \mathrm{cov}(x) = W W^\top + \mathrm{diag}(\psi)

    W and ψ are the most likely ones. Where PCA calls any variance structure, a column's own noise counts for none here.

    Parameters
    ----------
    n_components : number of factors.
    rotation : None, or "varimax": factors turned so that each has few large loadings.
    categories : "refuse", "indicators" (a column 0/1 a level), or "keep" (pass categories on beside the scores).
    tol, max_iter : gradient of the mean log-likelihood at which it stops, and rounds at most.

    Attributes
    ----------
    components_ : loadings, factors × columns; the largest of each is positive. `loadings_` are columns × factors.
    noise_variance_ : ψ of each column.
    communalities_ : share of each column's variance that the factors hold.
    mean_, log_likelihood_ : of the columns; of the rows (mean).
    n_iter_ : rounds taken.

    References
    ----------
    K. G. Jöreskog, "Some contributions to maximum likelihood factor analysis", Psychometrika 32, 1967.
    H. F. Kaiser, "The varimax criterion for analytic rotation in factor analysis", Psychometrika 23, 1958.

    >>> rng = np.random.default_rng(0)
    >>> hidden = rng.normal(size=500)
    >>> X = hidden[:, None] * [1.0, 2.0, 3.0, 0.0] + rng.normal(size=(500, 4))
    >>> FactorAnalysis(1).fit(X).communalities_.round(1)  # 1/2, 4/5, 9/10, 0
    array([0.5, 0.8, 0.9, 0. ])
    """

    allows_missing = False
    min_rows = 2

    n_components: int = field(default=2, kw_only=False)
    rotation: str | None = None
    categories: str = "refuse"
    tol: float = 1e-6
    max_iter: int = 2_000

    def _check(self) -> None:
        check.count("n_components", self.n_components)
        if self.rotation is not None:
            check.one_of("rotation", self.rotation, ("varimax",))
        check.one_of("categories", self.categories, CATEGORIES)
        check.number("tol", self.tol, low=0)
        check.count("max_iter", self.max_iter)

    def _fit(self, X: np.ndarray, y: Any) -> None:
        n, p = X.shape
        if int(self.n_components) > min(p, n - 1):
            raise ParameterError(
                f"n_components={self.n_components}, but {n:,} rows of {p:,} columns (n_features={p}) have at most "
                f"{min(p, n - 1)} factors; give n_components between 1 and {min(p, n - 1)}"
            )
        centred, self.mean_, _ = centre(X, None)
        variances = np.einsum("ij,ij->j", centred, centred) / n
        refuse_overflow(X, self.encoding_.columns, variances)
        if n > p:  # the triangle has the same products of columns, in p rows
            centred = linalg.qr(centred, mode="r", overwrite_a=True, check_finite=False)[0][:p]
        loads, self.noise_variance_ = self._most_likely(centred / np.sqrt(n), variances)
        if self.rotation == "varimax":
            loads = varimax(loads.T).T
            loads = loads[np.argsort(-(loads**2).sum(axis=1), kind="stable")]
        self.components_ = loads * fixed_signs(loads, self._order_of_names())[:, None]
        explained = (self.components_**2).sum(axis=0)
        total = explained + self.noise_variance_
        self.communalities_ = np.divide(explained, total, out=np.zeros(p), where=total > 0)

    def _most_likely(self, root: np.ndarray, variances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        r"""W (factors × columns) and ψ; rootᵀ root is the covariance S.

        For given ψ the best W is known: the leading eigenvectors of :math:`\Psi^{-1/2} S \Psi^{-1/2}`. So ψ alone is
        sought, in logarithms, by its gradient :math:`(w_j^\top w_j + \psi_j - s_{jj}) / \psi_j`: some 30 rounds where
        EM takes thousands.
        """
        k = int(self.n_components)
        safe = np.maximum(variances, max(float(variances.max()), 1e-300) * 1e-12)

        def judged(logs: np.ndarray) -> tuple[float, np.ndarray]:
            noise = safe * np.exp(logs)
            squares, loads = _loads(root, noise, k)
            factor_squares = np.maximum(squares, 1.0)
            remaining_trace = float((variances / noise).sum()) - float(squares.sum())
            value = (
                float((np.log(factor_squares) + squares / factor_squares).sum()) + remaining_trace + float(logs.sum())
            )  # the unit's part below
            return 0.5 * value, 0.5 * ((loads**2).sum(axis=0) + noise - variances) / noise

        optimum = scipy.optimize.minimize(
            judged,
            np.full(len(safe), np.log(0.5)),
            jac=True,
            method="L-BFGS-B",
            bounds=[(np.log(_LEAST), 0.0)] * len(safe),
            options={"maxiter": int(self.max_iter), "gtol": float(self.tol), "ftol": 1e-15, "maxfun": 10**6},
        )
        self.n_iter_ = max(1, int(optimum.nit))
        if optimum.nit >= int(self.max_iter):
            warnings.warn(
                f"the factors still changed after max_iter={self.max_iter} rounds; give more, or fewer n_components",
                NotConverged,
                stacklevel=5,
            )
        noise = safe * np.exp(optimum.x)
        constant = 0.5 * len(safe) * float(np.log(2 * np.pi)) + 0.5 * float(np.log(safe).sum())
        self.log_likelihood_ = -float(optimum.fun) - constant
        return _loads(root, noise, k)[1], noise

    def _project(self, X: np.ndarray) -> np.ndarray:
        r"""Expected factors: :math:`(I + W \Psi^{-1} W^\top)^{-1} W \Psi^{-1} (x - \mu)`."""
        scaled = self.components_ / self.noise_variance_
        precision = np.eye(len(scaled)) + scaled @ self.components_.T
        return np.asarray(linalg.solve(precision, scaled @ (X - self.mean_).T, assume_a="pos").T)

    def _unproject(self, scores: np.ndarray) -> np.ndarray:
        return scores @ self.components_ + self.mean_

    def _learned(self) -> dict[str, Any]:
        arrays = ("components_", "noise_variance_", "mean_", "communalities_")
        arrays_learned = {name[:-1]: getattr(self, name).tolist() for name in arrays}
        return {**arrays_learned, "log_likelihood": float(self.log_likelihood_), "n_iter": self.n_iter_}

    def _relearn(self, state: dict[str, Any], n_columns: int) -> None:
        self.components_ = saved_matrix(state, "components", (None, n_columns))
        for name in ("noise_variance", "mean", "communalities"):
            setattr(self, f"{name}_", saved_matrix(state, name, (n_columns,)))
        if not len(self.components_) or not np.all(self.noise_variance_ > 0):
            raise DamagedError("it has no factor, or a column without noise")
        self.log_likelihood_ = float(saved_matrix(state, "log_likelihood", ()))
        self.n_iter_ = read_integer("n_iter", read_entry(state, "n_iter"))


def _loads(root: np.ndarray, noise: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Leading eigenvalues of the covariance in units of the noise, and the loadings they stand for."""
    scale = np.sqrt(noise)
    _, values, vectors = linalg.svd(root / scale, full_matrices=False, check_finite=False)
    squares = values[:k] ** 2
    return squares, np.sqrt(np.maximum(squares - 1.0, 0.0))[:, None] * vectors[:k] * scale


def varimax(loadings: np.ndarray, rounds: int = 100) -> np.ndarray:
    r"""Loadings (columns × factors) turned so that their squares vary most within each factor.

    Two factors at a time are turned by the best angle, which is known:

    .. math:: \tan 4\varphi = \frac{2\sum uv - \frac2p \sum u \sum v}
              {\sum (u^2 - v^2) - \frac1p ((\sum u)^2 - (\sum v)^2)}, \qquad u = a^2 - b^2, \quad v = 2ab

    >>> varimax(np.array([[0.8, 0.6], [0.6, -0.8]])).round(9) + 0.0
    array([[ 1.,  0.],
           [ 0., -1.]])
    """
    turned = np.array(loadings)
    p, k = turned.shape
    for _ in range(rounds):
        largest = 0.0
        for i in range(k - 1):
            for j in range(i + 1, k):
                a, b = turned[:, i].copy(), turned[:, j].copy()
                u, v = a**2 - b**2, 2 * a * b
                over = 2 * (u @ v) - 2 * u.sum() * v.sum() / p
                under = u @ u - v @ v - (u.sum() ** 2 - v.sum() ** 2) / p
                angle = 0.25 * float(np.arctan2(over, under))
                turned[:, i], turned[:, j] = (
                    a * np.cos(angle) + b * np.sin(angle),
                    b * np.cos(angle) - a * np.sin(angle),
                )
                largest = max(largest, abs(angle))
        if largest < 1e-9:
            break
    return turned
