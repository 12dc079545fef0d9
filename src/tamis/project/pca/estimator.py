"""PCA: the directions of largest variance, for any table, in one pass or batch by batch."""

import warnings
from dataclasses import field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.engine import one_blas_thread
from tamis.errors import DamagedError, MissingValueError, ParameterError, TableError, TamisWarning
from tamis.project.base import CATEGORIES, Loaded, refuse_holes, refuse_overflow, saved_matrix
from tamis.project.pca.anomaly import (
    carriers_of,
    hotelling,
    hotelling_threshold,
    residual_squares,
    residual_threshold,
)
from tamis.project.pca.decompose import EPS, SOLVERS, Decomposition, decompose, of_moments, solver_for
from tamis.project.pca.holes import expected_scores, of_holes
from tamis.project.pca.size import check_size, likelihoods, size_of, warn_of_counts
from tamis.project.pca.trimmed import of_most
from tamis.project.signs import fixed_signs
from tamis.saved import read_entry
from tamis.split import folds
from tamis.table import LazyTable, Table, eager, overflow_refused, refuse_extreme_matrix
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.typing import Folding, RandomState
from tamis.views import Moments
from tamis.views.lazy.fold_moments import fold_moments

PARTS = ("outside", "inside")
_DRAWN = 100_000  # rows of a lazy table with missing values that are looked at
_KEPT = 500  # columns up to which a small table's moments are kept for partial_fit


@parameters
class PCA(Loaded):
    r"""Principal components: directions of unit length along which the rows vary most.

    .. math:: \frac{1}{n - 1} \sum_i (x_i - \bar x)(x_i - \bar x)^\top = \sum_k \lambda_k v_k v_k^\top,
              \qquad t_{ik} = v_k^\top (x_i - \bar x)

    Parameters
    ----------
    n_components : how many to keep: a count, a share of the variance (0.9), "gap" (where the spectrum falls most), "cv"
        (the likelihood of held-out rows), or None for all.
    floor : keep only components with a variance above it.
    ddof : variances are sums of squares over n − ddof: 1, or 0 for the covariance with 1/n.
    solver : "full" (of the rows), "moments" (tall tables), "gram" (wide ones), "randomised" (large both ways, a count
        of components), or "auto": the cheapest. All agree.
    missing : "em" (the components most likely given the values that are there) or "refuse"; `trim` and "cv" need all
        values.
    categories : "refuse", "indicators" (a column 0/1 a level), or "keep" (pass categories on beside the scores).
    trim : share of the rows, those farthest from the others, that the components leave out.
    cv : folds for "cv": a number, a splitter or pairs of (train, test) rows.
    random_state : seed of the folds and of the randomised solver.

    Weights count rows: a row of weight 2 is two rows. Signs are such that the largest loading of a component is
    positive, so the order of the columns does not matter.

    Attributes
    ----------
    spectrum_ : variances along all components found, largest first: kept or not.
    components_ : directions, one a row; `loadings_` are the same as columns × components.
    mean_ : of each (encoded) column.
    n_components_ : how many are kept.
    explained_variance_, explained_variance_ratio_ : variances of those kept, and their shares of `total_variance_`.
    n_rows_ : number of rows, or the sum of their weights.
    solver_ : the solver taken; "em" for a table with missing values.
    trimmed_rows_ : positions of the rows left out by `trim`.

    References
    ----------
    I. T. Jolliffe, "Principal component analysis", 2nd ed., 2002.

    >>> pca = PCA().fit([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [3.0, 4.0]])
    >>> pca.components_.round(3), pca.spectrum_.round(3)
    (array([[0.6, 0.8]]), array([16.667,  0.   ]))
    >>> pca.carriers()
    [['x1', 'x0']]
    """

    takes_sparse = True
    n_components: Any = field(default=None, kw_only=False)
    floor: float | None = None
    ddof: int = 1
    solver: str = "auto"
    missing: str = "em"
    categories: str = "refuse"
    trim: float = 0.0
    cv: Folding = 5
    random_state: RandomState = 0

    # -- fitting -----------------------------------------------------------------------------------------------------
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the components from the rows of X, which may be a lazy table."""
        self._forget()
        if isinstance(X, LazyTable):
            return self._fit_lazily(X, sample_weight)
        table = self._touched_columns(self._fitted(eager(X), y))
        if table.n_rows < 2:
            raise TableError("Found array with 1 sample(s) while a minimum of 2 is required: one row does not vary")
        weights = self._weights(sample_weight, table.n_rows)
        matrix = self._encoded(table)
        with overflow_refused(matrix, self.encoding_.columns, "PCA"):
            self._keep(*self._decomposed(matrix, weights))
        return self

    @available_if(lambda self: not self.trim and self.n_components != "cv" and self.solver in ("auto", "moments"))
    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from further rows: exactly as if all rows so far had been given to `fit` at once.

        Moments of the batches add up; components are worked out when they are first asked for.
        """
        X, first = eager(X), not hasattr(self, "touched_")
        if first:
            table = self._touched_columns(self._fitted(X, y))
        elif self.moments_ is None:
            raise ParameterError(
                f"partial_fit cannot go on from a fit by solver={self.solver_!r}, which keeps no moments; "
                "begin with partial_fit, or give solver='moments'"
            )
        else:
            table = self._checked_input(X)
        refuse_holes(table, "partial_fit")
        weights = None if sample_weight is None else check.weights(sample_weight, table.n_rows, keep_scale=True)
        batch = self._moments(self._encoded(table), weights)
        self.moments_: Moments | None = batch if self.__dict__.get("moments_") is None else self.moments_ + batch
        self.trimmed_rows_ = np.zeros(0, dtype=np.int64)
        self._model: Decomposition | None = None
        return self

    def _fit_lazily(self, table: LazyTable, sample_weight: ArrayLike) -> Self:
        """From moments, in one pass over the rows."""
        if (
            sample_weight is not None
            or self.trim
            or self.n_components == "cv"
            or self.solver not in ("auto", "moments")
        ):
            raise ParameterError(
                "sample_weight, trim, n_components='cv' and other solvers than 'moments' need rows in memory; leave "
                "them out, or give a sample: table.sample(100_000)"
            )
        self._touched_columns(self._fitted(table.prototype(), None))
        rows = table.select(list(self.encoding_.names))
        try:
            moments = fold_moments(rows, encoding=self.encoding_).total
        except MissingValueError:
            if self.missing == "refuse":
                raise
            warnings.warn(
                f"the table has missing values, so components are those of {_DRAWN:,} rows drawn from its "
                f"{table.n_rows:,}, most likely given what is there",
                TamisWarning,
                stacklevel=3,
            )
            return self.fit(table.sample(_DRAWN))
        self.trimmed_rows_ = np.zeros(0, dtype=np.int64)
        with one_blas_thread():
            decomposition = of_moments(moments)
        self._keep(decomposition, self._size(self.n_components, decomposition), moments)
        return self

    def _moments(self, X: TableLike, weights: np.ndarray | None) -> Moments:
        return Moments.of(Table(matrix=X, names=self.encoding_.columns), sample_weight=weights)

    def _check(self) -> None:
        check_size(self.n_components, self.floor)
        check.count("ddof", self.ddof, low=0, high=1)
        check.one_of("solver", self.solver, ("auto", *SOLVERS))
        check.one_of("missing", self.missing, ("em", "refuse"))
        check.one_of("categories", self.categories, CATEGORIES)
        check.number("trim", self.trim, low=0, high=0.5, open_high=True)
        count = isinstance(self.n_components, (int, np.integer)) and not isinstance(self.n_components, bool)
        if self.solver == "randomised" and not count:
            raise ParameterError(
                f"solver='randomised' finds a number of components, but n_components={self.n_components!r}; "
                "give a count"
            )

    def _decomposed(self, X: Any, weights: np.ndarray | None) -> tuple[Decomposition, int, Moments | None]:
        """The decomposition, how many components to keep, and moments where they were taken."""
        self.trimmed_rows_ = np.zeros(0, dtype=np.int64)
        n_components, moments = self.n_components, None
        road = solver_for(X.shape, n_components) if self.solver == "auto" else self.solver
        by_moments = road == "moments" and not self.trim and n_components != "cv"
        if by_moments and weights is None and not sparse.issparse(X):
            moments = self._moments_of_complete(X)
            holes = moments is None
        else:
            holes = has_holes(X)
            moments = self._moments(X, weights) if by_moments and not holes else None
        if holes:
            decomposition = self._of_holes(X, weights)
            return decomposition, self._size(n_components, decomposition), None
        warn_of_counts(X, self.trim)
        if self.trim or n_components == "cv":
            X = X.toarray() if sparse.issparse(X) else X
        if n_components == "cv":
            n_components = self._size_by_folds(X, weights)
        if self.trim:
            max_guess = max(1, int((X.shape[0] if weights is None else weights.sum()) // 5))
            guess = n_components if isinstance(n_components, (int, np.integer)) else min(max_guess, X.shape[1])
            decomposition, self.trimmed_rows_ = of_most(X, weights, float(self.trim), int(guess))
        else:
            decomposition, moments = self._plainly(X, weights, n_components, moments)
        refuse_overflow(X, self.encoding_.columns, decomposition.spectrum, decomposition.components)
        if moments is None and X.shape[1] <= _KEPT and decomposition.solver == "full" and not self.trim:
            moments = self._moments(X, weights)
        return decomposition, self._size(n_components, decomposition), moments

    def _size(self, n_components: Any, decomposition: Decomposition) -> int:
        scaled = replace(decomposition, spectrum=decomposition.spectrum * self._variance_factor(decomposition))
        return size_of(n_components, self.floor, scaled, self.encoding_.columns)

    def _variance_factor(self, decomposition: Decomposition) -> float:
        """From variances with 1/(n − 1) to those with 1/(n − ddof)."""
        return 1.0 if self.ddof == 1 else max(decomposition.n_rows - 1.0, EPS) / decomposition.n_rows

    def _moments_of_complete(self, X: np.ndarray) -> Moments | None:
        """Moments, or None where values are missing: their sums say so, without a pass of its own over the rows."""
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                return self._moments(X, None)
        except TableError:
            return None

    def _plainly(
        self, X: TableLike, weights: np.ndarray | None, n_components: Any, moments: Moments | None
    ) -> tuple[Decomposition, Moments | None]:
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # said in a sentence where it matters
                return decompose(X, weights, n_components, self.solver, self._seed(), moments)
        except (linalg.LinAlgError, ValueError):  # numbers whose squares are infinite
            refuse_extreme_matrix(X, self.encoding_.columns)
            raise

    def _of_holes(self, X: Any, weights: np.ndarray | None) -> Decomposition:
        count = isinstance(self.n_components, (int, np.integer)) and not isinstance(self.n_components, bool)
        dense = X.toarray() if sparse.issparse(X) else X
        return of_holes(dense, weights, int(self.n_components) if count else None, self.encoding_.columns)

    def _size_by_folds(self, X: np.ndarray, weights: np.ndarray | None) -> int:
        splits = folds(self.cv, None, X=X, seed=self._seed())
        self.cv_likelihood_ = likelihoods(X, weights, splits)
        return max(1, int(self.cv_likelihood_.argmax()))

    # -- the fitted components ---------------------------------------------------------------------------------------
    def _forget(self) -> None:
        for name in ("moments_", "_model", "cv_likelihood_", "touched_"):
            self.__dict__.pop(name, None)

    def _keep(self, decomposition: Decomposition, size: int, moments: Moments | None) -> None:
        signs = fixed_signs(decomposition.components, self._order_of_names())
        turned = np.ascontiguousarray(decomposition.components[:size] * signs[:size, None])
        self._model = Decomposition(
            decomposition.mean,
            decomposition.spectrum,
            turned,
            decomposition.total,
            decomposition.n_rows,
            decomposition.solver,
        )
        self.moments_ = moments

    @property
    def _learnt(self) -> Decomposition:
        """The components; after `partial_fit`, worked out from the moments so far."""
        check_is_fitted(self)
        if self._model is None:
            assert self.moments_ is not None
            if self.moments_.weight <= 1:
                raise TableError("one row (n_samples=1) has no component; give partial_fit further rows")
            decomposition = of_moments(self.moments_)
            refuse_overflow(
                decomposition.mean[None, :], self.encoding_.columns, decomposition.spectrum, decomposition.components
            )
            self._keep(decomposition, self._size(self.n_components, decomposition), self.moments_)
        assert self._model is not None
        return self._model

    @property
    def components_(self) -> np.ndarray:  # type: ignore[override]
        """Directions of unit length, one a row."""
        return self._learnt.components

    @property
    def spectrum_(self) -> np.ndarray:
        """Variances along all components found, largest first."""
        return self._learnt.spectrum * self._variance_factor(self._learnt)

    @property
    def mean_(self) -> np.ndarray:
        """Mean of each (encoded) column."""
        return self._learnt.mean

    @property
    def n_components_(self) -> int:
        """Number of components kept."""
        return len(self._learnt.components)

    @property
    def total_variance_(self) -> float:
        """Sum of all variances."""
        return self._learnt.total * self._variance_factor(self._learnt)

    @property
    def n_rows_(self) -> float:
        """Number of rows, or sum of their weights."""
        return self._learnt.n_rows

    @property
    def solver_(self) -> str:
        """The solver taken."""
        return self._learnt.solver

    @property
    def explained_variance_(self) -> np.ndarray:
        """Variances of the components kept."""
        return self.spectrum_[: self.n_components_]

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        """Shares of the variance that the components kept hold."""
        return self.explained_variance_ / self.total_variance_

    @property
    def noise_variance_(self) -> float:
        """Mean variance of the directions that were not kept."""
        left = len(self.mean_) - self.n_components_
        residual_variance = self.total_variance_ - float(self.explained_variance_.sum())
        return max(residual_variance, 0.0) / left if left else 0.0

    # -- projecting --------------------------------------------------------------------------------------------------
    @property
    def _accepts_missing(self) -> bool:
        return bool(self.missing == "em" and not self.trim and self.n_components != "cv")

    def _project(self, X: Any) -> np.ndarray:
        learnt = self._learnt
        if sparse.issparse(X) and not has_holes(X):
            return np.asarray(X @ learnt.components.T) - learnt.mean @ learnt.components.T
        return self._scores(X.toarray() if sparse.issparse(X) else X)[0]

    def _scores(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scores, and the rows about the mean with holes filled by what the components expect."""
        learnt = self._learnt
        centred = X - learnt.mean
        if not has_holes(X):
            return centred @ learnt.components.T, centred
        return expected_scores(centred, learnt.components, self.explained_variance_, self.noise_variance_)

    def _unproject(self, scores: np.ndarray) -> np.ndarray:
        return scores @ self.components_ + self.mean_

    # -- odd rows ----------------------------------------------------------------------------------------------------
    def anomaly_score(self, X: TableLike, *, part: str = "outside") -> np.ndarray:
        r"""How odd each row is, larger is odder.

        "outside": Q, the squared distance from the components, :math:`\|x - \hat x\|^2`; "inside": T², the squared
        scores in units of their variances. `anomaly_threshold` says what is rare.
        """
        check.one_of("part", part, PARTS)
        if part == "inside":
            return hotelling(self._scores(self._dense(X))[0], self._learnt.spectrum[: self.n_components_])
        return residual_squares(self._residuals(X))

    def anomaly_threshold(self, level: float = 0.99, *, part: str = "outside") -> float:
        """The value that `anomaly_score` stays below for a share `level` of rows like those of `fit`, if normal."""
        check.one_of("part", part, PARTS)
        check.number("level", level, low=0, high=1, open_low=True, open_high=True)
        if part == "inside":
            return hotelling_threshold(self.n_components_, self.n_rows_, level)
        self._refuse_nothing_outside()
        learnt = self._learnt
        return residual_threshold(learnt.spectrum, learnt.total, self.n_components_, self._n_directions, level)

    @property
    def _n_directions(self) -> int:
        """Number of directions in which rows can vary."""
        return max(len(self.spectrum_), min(len(self.mean_), int(np.ceil(self.n_rows_)) - 1))

    def anomaly_columns(self, X: TableLike, *, share: float = 0.9) -> list[list[str]]:
        """For each row the fewest columns that hold a share of its residual, by name, largest first."""
        check.number("share", share, low=0, high=1, open_low=True)
        squares = np.nan_to_num(self._residuals(X) ** 2)
        names, order = list(self.encoding_.columns), self._order_of_names()
        return [carriers_of(line, names, share, order) for line in squares]

    def _residuals(self, X: TableLike) -> np.ndarray:
        """What the components leave of each row; NaN where a cell is missing."""
        self._refuse_nothing_outside()
        dense = self._dense(X)
        scores, filled = self._scores(dense)
        left = filled - scores @ self.components_
        left[np.isnan(dense)] = np.nan
        return left

    def _refuse_nothing_outside(self) -> None:
        if self.n_components_ >= min(len(self.mean_), self._n_directions):
            raise ParameterError(
                f"all {self.n_components_} components are kept, so no row is outside them; give fewer n_components, "
                "for example 0.9, or part='inside'"
            )

    def _dense(self, X: TableLike) -> np.ndarray:
        check_is_fitted(self)
        matrix = self._encoded(self._checked_input(eager(X)))
        return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix)

    # -- saving ------------------------------------------------------------------------------------------------------
    def _learned(self) -> dict[str, Any]:
        learnt = self._learnt
        return {
            "mean": learnt.mean.tolist(),
            "spectrum": learnt.spectrum.tolist(),
            "components": learnt.components.tolist(),
            "total": learnt.total,
            "n_rows": learnt.n_rows,
            "solver": learnt.solver,
        }

    def _relearn(self, state: dict[str, Any], n_columns: int) -> None:
        components = saved_matrix(state, "components", (None, n_columns))
        spectrum = saved_matrix(state, "spectrum", (None,))
        if not 0 < len(components) <= len(spectrum) or np.any(spectrum < 0):
            raise DamagedError(f"it has {len(components)} components and {len(spectrum)} variances")
        solver = check.one_of("solver", read_entry(state, "solver"), (*SOLVERS, "em"))
        total, n_rows = (float(saved_matrix(state, name, ())) for name in ("total", "n_rows"))
        self._model = Decomposition(
            saved_matrix(state, "mean", (n_columns,)), spectrum, components, total, n_rows, solver
        )
        self.moments_, self.trimmed_rows_ = None, np.zeros(0, dtype=np.int64)


def has_holes(X: Any) -> bool:
    """Whether some value is missing; one sum where none is."""
    values = X.data if sparse.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        return not np.isfinite(values.sum()) and bool(np.isnan(values).any())
