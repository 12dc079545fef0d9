"""What all projections share: any table in, scores out, names of what carries them, plain JSON."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.engine import drawn_seed
from tamis.errors import KindError, ParameterError, TableError
from tamis.project.pca.anomaly import carriers_of
from tamis.saved import mapping, numbers, read_entry
from tamis.table import Table, eager, features, overflow_refused, refuse_extreme_matrix, refuse_missing
from tamis.table.like import TableLike
from tamis.transform.base import Transform
from tamis.views import Indicators

CATEGORIES = ("refuse", "indicators", "keep")


class Projection(Transform):
    """Columns in, scores out; `_project(matrix)` is what a subclass computes of a row.

    A categorical column is refused; with the parameter `categories="indicators"` it becomes one 0/1 column a level,
    with "keep" it is passed on beside the scores.

    Attributes
    ----------
    encoding_ : how the table's columns became numbers.
    """

    one_to_one: ClassVar[bool] = False
    touches: ClassVar[str] = "values"
    categories: str = "refuse"
    takes_weights: ClassVar[bool] = False
    encoding_: Indicators

    # -- reading -----------------------------------------------------------------------------------------------------
    def _read(self, X: TableLike, *, reset: bool) -> Table:
        table = features(
            self,
            X,
            reset=reset,
            missing=self._accepts_missing,
            sparse_ok=self._sparse_ok(),
            min_rows=self.min_rows if reset else 1,
        )
        if self.categories == "refuse" and not table.is_numeric:
            name = next(column.name for column in table.columns if column.is_categorical)
            way_out = "give categories='indicators', or " if "categories" in self._get_param_names() else ""
            raise KindError(f"column {name!r} holds categories; {way_out}encode it first")
        return table

    @property
    def _accepts_missing(self) -> bool:
        return bool(self.allows_missing)

    def _touched(self, X: TableLike, table: Table) -> np.ndarray:
        if self.categories == "indicators":
            return np.arange(table.n_columns)
        indices = super()._touched(X, table)
        if not len(indices):
            raise TableError("no column holds numbers; give categories='indicators', or columns of numbers")
        return indices

    def _learn(self, X: Any, y: Any) -> None:
        self.encoding_ = Indicators.of(X)

    def _apply(self, X: Any) -> np.ndarray:
        return self._project(self._encoded(X))

    def _encoded(self, table: Table) -> Any:
        """The touched columns as one matrix of float64, dense or sparse."""
        matrix = self.encoding_.encode(table)
        return matrix.astype(np.float64, copy=False) if sparse.issparse(matrix) else np.asarray(matrix, np.float64)

    def _weights(self, sample_weight: Any, n_rows: int) -> np.ndarray | None:
        """One weight a row, counted as so many rows; None where all are 1."""
        if sample_weight is None:
            return None
        weights = check.weights(sample_weight, n_rows, keep_scale=True)
        if weights.sum() <= 1:
            raise ParameterError(
                f"sample_weight sums to {weights.sum():.6g}; weights count rows, so multiply them by the number of rows"
            )
        return weights

    def _seed(self) -> int:
        return drawn_seed(self.random_state)

    def _order_of_names(self) -> np.ndarray:
        """Positions of the encoded columns in the order that breaks ties: by name, or by position when unnamed."""
        names = self.encoding_.columns
        if not hasattr(self, "feature_names_in_"):
            return np.arange(len(names))
        return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)

    # -- what scikit-learn asks --------------------------------------------------------------------------------------
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the rows of X."""
        table = self._touched_columns(self._fitted(eager(X), y))
        matrix = self._encoded(table)
        with overflow_refused(matrix, self.encoding_.columns, type(self).__name__):
            self._fit(matrix, y)
        return self

    def fit_transform(self, X: TableLike, y: ArrayLike | None = None, **fit_params: Any) -> Any:
        """Learn from the rows of X, and project them."""
        return self.fit(X, y, **fit_params).transform(X)

    @available_if(lambda self: hasattr(self, "_unproject"))
    def inverse_transform(self, X: TableLike) -> np.ndarray:
        """Rows with these scores: an array of the (encoded) columns."""
        check_is_fitted(self)
        scores = np.asarray(Table.of(eager(X)).numbers())
        if scores.shape[1] != self._n_made:
            raise TableError(f"X has {scores.shape[1]} columns, but there are {self._n_made} components; give those")
        return np.asarray(self._unproject(scores))  # type: ignore[attr-defined]

    def _fit(self, X: Any, y: Any) -> None:
        """Set the fitted attributes from the encoded matrix."""
        raise NotImplementedError

    def _project(self, X: Any) -> np.ndarray:
        """Scores of the rows of an encoded matrix."""
        raise NotImplementedError

    @property
    def _n_made(self) -> int:
        """Number of components."""
        return len(self.components_)

    def _output_names(self, names: Sequence[str]) -> Sequence[str]:
        return [f"{type(self).__name__.lower()}{k}" for k in range(self._n_made)]

    # -- saving ------------------------------------------------------------------------------------------------------
    def _state(self) -> dict[str, Any]:
        return {"encoding": self.encoding_.to_dict(), **self._learned()}

    def _learned(self) -> dict[str, Any]:
        """The fitted attributes as plain values."""
        raise NotImplementedError

    def _restore(self, state: dict[str, Any]) -> None:
        self.encoding_ = Indicators.from_dict(mapping("encoding", read_entry(state, "encoding")))
        if self.encoding_.names != self.names_:
            raise TableError("its columns are not those it was encoded by")
        self._relearn(state, self.encoding_.n_encoded)

    def _relearn(self, state: dict[str, Any], n_columns: int) -> None:
        """Set the fitted attributes from what `_learned` gave."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._accepts_missing
        tags.input_tags.categorical = self.categories != "refuse"
        return tags


class Loaded(Projection):
    """A projection on directions in the space of the columns, one a row of `components_`."""

    components_: np.ndarray

    @property
    def loadings_(self) -> np.ndarray:
        """Columns × components: how much of each column is in each component."""
        return np.asarray(self.components_.T)

    def carriers(self, share: float = 0.9) -> list[list[str]]:
        """For each component the fewest columns that hold a share of its squared loadings, by name, largest first."""
        check_is_fitted(self)
        check.number("share", share, low=0, high=1, open_low=True)
        names, order = list(self.encoding_.columns), self._order_of_names()
        return [carriers_of(line**2, names, share, order) for line in self.components_]


def refuse_holes(table: Table, method: str) -> None:
    """Raise the sentence that names the columns with missing values."""
    refuse_missing(table, f"{method} needs all values, so fill them first, for example with tamis.transform.Impute()")


def refuse_overflow(X: TableLike, names: Sequence[str], *arrays: np.ndarray) -> None:
    """Raise the sentence that names a column too large or small to be squared, where that shows in the result."""
    if not all(np.isfinite(values).all() for values in arrays):
        refuse_extreme_matrix(X, names)


def saved_matrix(state: dict[str, Any], name: str, shape: tuple[int | None, ...]) -> np.ndarray:
    """An array of finite numbers of a shape, from saved values."""
    return numbers(name, read_entry(state, name), shape=shape)
