"""MDS: a map of the rows in which distances are, as well as may be, those between the rows."""

from dataclasses import field
from typing import Any

import numpy as np
import scipy
from scipy import linalg
from sklearn import manifold

from tamis import check
from tamis.engine.seed import generator
from tamis.errors import DamagedError, ParameterError, TableError
from tamis.project.base import Projection, refuse_overflow, saved_matrix
from tamis.project.kernel_pca import squared_distances
from tamis.project.signs import fixed_signs
from tamis.saved import read_entry, read_integer
from tamis.table import Table, refuse_missing
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.typing import RandomState

KINDS = ("classical", "metric")
METRICS = ("euclidean", "cityblock", "chebyshev", "cosine", "canberra", "braycurtis", "precomputed")
EXACT = 5_000  # rows up to which every pair is looked at
_ROUNDS = 200  # of moving a new row to its place


@parameters
class MDS(Projection):
    r"""Multidimensional scaling.

    Classical: coordinates z from the eigenvectors of the doubly centred squared distances,

    .. math:: -\tfrac12 J D^{(2)} J = \sum_k \lambda_k u_k u_k^\top, \qquad z_k = \sqrt{\lambda_k}\, u_k

    Metric: coordinates of least stress :math:`\sum_{i<j} (\delta_{ij} - \|z_i - z_j\|)^2`, from the classical ones on.
    New rows are put where their distances to the rows of `fit` say. Beyond 5,000 rows some of them, the landmarks, are
    mapped, and the others put among them.

    Parameters
    ----------
    n_components : dimensions of the map.
    kind : "classical" or "metric".
    metric : distance of two rows: euclidean, cityblock, chebyshev, cosine, canberra, braycurtis, or "precomputed" (the
        table holds the distances of its rows to those of `fit`).
    landmarks : number of rows that stand for all beyond 5,000.
    max_iter, tol : rounds of "metric", and the relative change of the stress at which it stops.
    random_state : seed of the landmarks.

    Attributes
    ----------
    embedding_ : coordinates of the rows that are kept: all of them up to 5,000.
    rows_ : those rows (the distances among them, where these were given).
    spectrum_ : eigenvalues λ of the classical solution, over the number of rows: variances of its coordinates (1/n).
    n_iter_ : rounds taken.
    stress_ : what is left, relative to the distances: the root of Σ (δ − d)² / Σ δ².

    References
    ----------
    J. C. Gower, "Adding a point to vector diagrams in multivariate analysis", Biometrika 55, 1968.
    I. Borg and P. Groenen, "Modern multidimensional scaling", 2nd ed., 2005.

    >>> Z = MDS(1).fit_transform([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]])  # three towns on a road
    >>> np.abs(np.diff(Z[:, 0])).round(9)
    array([5., 5.])
    """

    allows_missing = False
    min_rows = 2

    n_components: int = field(default=2, kw_only=False)
    kind: str = "classical"
    metric: str = "euclidean"
    landmarks: int = 500
    max_iter: int = 300
    tol: float = 1e-6
    random_state: RandomState = 0

    def _check(self) -> None:
        check.count("n_components", self.n_components)
        check.one_of("kind", self.kind, KINDS)
        check.one_of("metric", self.metric, METRICS)
        check.count("landmarks", self.landmarks, low=2)
        check.count("max_iter", self.max_iter)
        check.number("tol", self.tol, low=0)

    @property
    def _n_made(self) -> int:
        return int(self.embedding_.shape[1])

    def _read(self, X: TableLike, *, reset: bool) -> Table:
        if self.metric == "precomputed" and not reset and isinstance(X, np.ndarray) and X.ndim == 2:
            refuse_missing(Table.of(X), "give all distances")
            if np.isinf(Table.of(X).numbers()).any():
                raise TableError("a distance is infinite; give finite distances")
        return super()._read(X, reset=reset)

    # -- fitting -----------------------------------------------------------------------------------------------------
    def _fit(self, X: np.ndarray, y: Any) -> None:
        is_precomputed = self.metric == "precomputed"
        if is_precomputed:
            _refuse_no_distances(X)
        elif len(X) > EXACT:
            drawn = generator(self._seed(), "landmarks").permutation(len(X))[: int(self.landmarks)]
            X = X[np.sort(drawn)]
        self.rows_ = np.ascontiguousarray(X)
        distances = X if is_precomputed else self._distances(X)
        refuse_overflow(X, self.encoding_.columns, distances)
        values, self.embedding_ = _classical(distances, int(self.n_components))
        self._refuse_rank(values, X)
        self.spectrum_ = values / len(X)
        self.middle_ = (distances**2).mean(axis=0)
        self.n_iter_ = 1
        if self.kind == "metric":
            self.embedding_ = self._least_stress(distances)
        left = distances - scipy.spatial.distance.cdist(self.embedding_, self.embedding_)
        self.stress_ = float(np.sqrt((left**2).sum() / max(float((distances**2).sum()), 1e-300)))

    def _distances(self, X: np.ndarray) -> np.ndarray:
        """Distances of rows to those of `fit`."""
        if self.metric == "precomputed":
            return X
        if self.metric == "euclidean":
            distances = np.sqrt(squared_distances(X, self.rows_))
            is_training = X is self.rows_ or (X.shape == self.rows_.shape and np.array_equal(X, self.rows_))
            if is_training:  # products leave the distance of a row to itself a rounding above 0
                np.fill_diagonal(distances, 0.0)
                distances = (distances + distances.T) / 2
            return distances
        return np.asarray(scipy.spatial.distance.cdist(X, self.rows_, self.metric))

    def _refuse_rank(self, values: np.ndarray, X: np.ndarray) -> None:
        rank = int((values > 1e-12 * max(float(values[0]), 0.0)).sum()) if values[0] > 0 else 0
        if int(self.n_components) > rank:
            columns = f" (n_features={X.shape[1]})" if self.metric != "precomputed" else ""
            raise ParameterError(
                f"n_components={self.n_components}, but the distances of the {len(X):,} rows{columns} span "
                f"{rank} dimension(s); give n_components between 1 and {max(rank, 1)}"
            )

    def _least_stress(self, distances: np.ndarray) -> np.ndarray:
        coordinates, _, self.n_iter_ = manifold.smacof(
            distances,
            n_components=int(self.n_components),
            init=self.embedding_,
            n_init=1,
            max_iter=int(self.max_iter),
            eps=float(self.tol),
            normalized_stress=False,
            return_n_iter=True,
        )
        return np.asarray(coordinates - coordinates.mean(axis=0))

    # -- projecting --------------------------------------------------------------------------------------------------
    def _project(self, X: np.ndarray) -> np.ndarray:
        """Gower's formula for the classical map; for the other, the place of least stress, from the nearest row on."""
        distances = self._distances(X)
        if self.kind == "classical":
            return 0.5 * (self.middle_ - distances**2) @ (self.embedding_ / (self.spectrum_ * len(self.rows_)))
        return _placed(distances, self.embedding_)

    # -- saving ------------------------------------------------------------------------------------------------------
    def _learned(self) -> dict[str, Any]:
        arrays = ("rows_", "embedding_", "spectrum_", "middle_")
        return {
            **{name[:-1]: getattr(self, name).tolist() for name in arrays},
            "stress": self.stress_,
            "n_iter": int(self.n_iter_),
        }

    def _relearn(self, state: dict[str, Any], n_columns: int) -> None:
        self.rows_ = saved_matrix(state, "rows", (None, n_columns))
        self.embedding_ = saved_matrix(state, "embedding", (len(self.rows_), None))
        if not self.embedding_.size:
            raise DamagedError("it has no coordinates")
        self.spectrum_ = saved_matrix(state, "spectrum", (self.embedding_.shape[1],))
        self.middle_ = saved_matrix(state, "middle", (len(self.rows_),))
        self.stress_ = float(saved_matrix(state, "stress", ()))
        self.n_iter_ = read_integer("n_iter", read_entry(state, "n_iter"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self.metric == "precomputed"
        return tags


def _refuse_no_distances(X: np.ndarray) -> None:
    if X.shape[0] != X.shape[1]:
        raise TableError(f"metric='precomputed' needs one distance a pair of rows, but the table has shape {X.shape}")
    if X.min() < 0:
        raise TableError(f"Negative values in data: a distance is {X.min():g}; give distances of at least 0")
    worst = np.abs(X - X.T)
    if worst.max() > 1e-8 * max(float(X.max()), 1e-300):
        i, j = (int(k) for k in np.unravel_index(worst.argmax(), X.shape))
        raise TableError(f"rows {i} and {j} are {X[i, j]:g} apart one way and {X[j, i]:g} the other; give one distance")


def _classical(distances: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The k largest eigenvalues of the doubly centred squares, and coordinates of the rows; by scikit-learn where its
    version has it.
    """
    k = min(k, len(distances))
    if hasattr(manifold, "ClassicalMDS"):
        with np.errstate(invalid="ignore"):  # roots of negative eigenvalues, which are refused later
            model = manifold.ClassicalMDS(n_components=k, metric="precomputed").fit(distances)
        values, coordinates = np.asarray(model.eigenvalues_), np.asarray(model.embedding_)
    else:
        squares = distances**2
        squares = squares - squares.mean(axis=0)
        squares = -0.5 * (squares - squares.mean(axis=1, keepdims=True))
        values, vectors = linalg.eigh(squares, subset_by_index=[len(squares) - k, len(squares) - 1])
        values, vectors = values[::-1], vectors[:, ::-1]
        coordinates = vectors * np.sqrt(np.maximum(values, 0.0))
    return values, coordinates * fixed_signs(np.nan_to_num(coordinates.T))


def _placed(distances: np.ndarray, embedding: np.ndarray) -> np.ndarray:
    r"""Where rows have the least stress to the rows of a map, found by majorisation from their nearest row on.

    .. math:: z \leftarrow \frac1n \sum_i \Big( z_i + \delta_i \frac{z - z_i}{\|z - z_i\|} \Big)
    """
    z = embedding[distances.argmin(axis=1)].copy()
    active, size = np.arange(len(z)), max(float(np.abs(embedding).max()), 1e-300)
    middle = embedding.mean(axis=0)
    for _ in range(_ROUNDS):
        embedded_distances = scipy.spatial.distance.cdist(z[active], embedding)
        ratio = np.divide(
            distances[active],
            embedded_distances,
            out=np.zeros_like(embedded_distances),
            where=embedded_distances > 1e-12 * size,
        )
        moved = middle + (ratio.sum(axis=1)[:, None] * z[active] - ratio @ embedding) / len(embedding)
        step = np.abs(moved - z[active]).max(axis=1)
        z[active] = moved
        active = active[step > 1e-7 * size]
        if not active.size:
            break
    return z
