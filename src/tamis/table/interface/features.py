"""The gate of every estimator: X in any form becomes a Table, names and number of columns are remembered or checked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from tamis.errors import KindError, TableError
from tamis.table.like import TableLike
from tamis.table.notation import notations_of
from tamis.table.sources.frame import eager, is_frame, is_mixed
from tamis.table.table import Table, refuse_lazy
from tamis.wording import first_few


def features(
    estimator: BaseEstimator,
    X: TableLike,
    *,
    reset: bool,
    categorical: bool = True,
    missing: bool = True,
    sparse_ok: bool = False,
    min_rows: int = 1,
) -> Table:
    """X as a Table, after every check that holds for all estimators.

    With `reset` the estimator remembers `n_features_in_`, `feature_names_in_` and how its columns are written
    (`notations_in_`, of those that are neither plain numbers nor categories); without it they must match, and
    categorical columns are recoded to the levels seen in fit (`estimator.levels_in_`, a dict name -> levels).
    """
    refuse_lazy(X)
    X = X if isinstance(X, Table) else eager(X)
    table = _mixed(estimator, X, reset, min_rows) if _is_mixed(X) else None
    if table is None:
        try:
            table = _numeric(estimator, X, reset, sparse_ok, min_rows)
        except ValueError as error:
            if not _is_text(X, error):
                raise
            table = _mixed(estimator, X, reset, min_rows)
    if not categorical and not table.is_numeric:
        name = next(column.name for column in table.columns if column.is_categorical)
        raise KindError(f"column {name!r} holds categories; this method takes numbers only, so encode it first")
    _refuse_infinite(table)
    if not missing:
        refuse_missing(table)
    if reset:
        estimator.notations_in_ = notations_of(X, table)
    return _remember_levels(estimator, table, reset)


def refuse_missing(
    table: Table, way_out: str = "fill them first, for example with tamis.transform.Impute in a pipeline"
) -> None:
    """Raise the sentence that names the columns with missing values, when there are any."""
    holes = {name: int(n) for name, n in zip(table.names, _count_missing(table)) if n}
    if holes:
        listed = first_few([f"{name!r} ({n} rows)" for name, n in holes.items()], 5)
        raise TableError(f"missing values (NaN) in column(s) {listed}; {way_out}")


def _count_missing(table: Table) -> np.ndarray:
    if table.is_sparse:
        matrix = table.matrix.tocsc()
        return np.array([np.isnan(matrix.data[a:b]).sum() for a, b in zip(matrix.indptr[:-1], matrix.indptr[1:])])
    if table.dense is not None:
        if table.dense.dtype.kind != "f" or np.isfinite(_sum(table.dense)):
            return np.zeros(table.n_columns, dtype=int)
        return np.isnan(table.dense).sum(axis=0)
    return np.array([column.missing.sum() for column in table.columns])


def _is_mixed(X: TableLike) -> bool:
    """A Table, a frame or an array with columns that are not numbers."""
    if isinstance(X, Table):
        return True
    if isinstance(X, np.ndarray):
        return X.ndim == 2 and X.dtype.kind in "mM"
    return is_mixed(X)


@contextmanager
def one_sentence() -> Iterator[None]:
    """What scikit-learn and NumPy say at length about an array they cannot read, in one sentence."""
    try:
        yield
    except (TypeError, ValueError) as error:
        message = str(error)
        if message.startswith("Complex data not supported") or message.endswith("not 'complex'"):
            raise TableError(
                "Complex data not supported: X holds complex numbers; give their real and imaginary parts as columns"
            ) from None
        if message.startswith("Expected 2D array"):
            got = message.partition("got ")[2].partition(" array")[0]
            raise TableError(
                f"Expected 2D array, got {got} array instead; give rows × columns. Reshape your data: X.reshape(-1, 1) "
                "makes one column of it, X.reshape(1, -1) one row"
            ) from None
        if "DType" in message and "promoted" in message:
            raise KindError("X holds dates or time spans beside numbers; give a frame, or numbers of days") from None
        raise


def _is_text(X: Any, error: ValueError) -> bool:
    """An array of objects or text that scikit-learn could not read as numbers: its columns are categories."""
    if sparse.issparse(X) or "could not convert" not in str(error):
        return False
    return np.asarray(X).dtype.kind in "OUS" and np.ndim(X) == 2


def _numeric(estimator: BaseEstimator, X: TableLike, reset: bool, sparse_ok: bool, min_rows: int) -> Table:
    with one_sentence():
        checked = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse=["csc", "csr"] if sparse_ok else False,
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            ensure_min_samples=min_rows,
        )
    names = getattr(estimator, "feature_names_in_", None)
    return Table(matrix=checked, names=None if names is None else [str(name) for name in names])


def _mixed(estimator: BaseEstimator, X: TableLike, reset: bool, min_rows: int) -> Table:
    if isinstance(X, Table):
        remember_names(estimator, X, reset)
    else:
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    table = Table.of(X)
    if table.n_rows < min_rows:
        raise TableError(f"Found array with {table.n_rows} sample(s) while a minimum of {min_rows} is required.")
    if table.n_columns == 0:
        raise TableError(f"Found array with 0 feature(s) (shape={table.shape}) while a minimum of 1 is required.")
    return table


def remember_names(estimator: BaseEstimator, table: Table, reset: bool) -> None:
    """What scikit-learn does for a frame, for a Table."""
    fitted_names = getattr(estimator, "feature_names_in_", None)
    if reset:
        estimator.n_features_in_ = table.n_columns
        if table.named:
            estimator.feature_names_in_ = np.array(table.names, dtype=object)
        elif fitted_names is not None:
            del estimator.feature_names_in_
        return
    expected = estimator.n_features_in_
    if table.n_columns != expected:
        name = type(estimator).__name__
        raise TableError(f"X has {table.n_columns} features, but {name} is expecting {expected} features as input")
    if fitted_names is not None and table.named and tuple(fitted_names) != table.names:
        wrong = next(name for name, was in zip(table.names, fitted_names) if name != was)
        raise TableError(f"column {wrong!r} is not where it was in fit; give the columns of fit in their order")


def _sum(values: np.ndarray) -> float:
    """Finite when every value is; one of huge values may overflow all the same."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(values.sum())


def _refuse_infinite(table: Table) -> None:
    """Raise the sentence that names an infinite value; of a table whose views are kept all rows are looked at once."""
    views = None if table.origin is None else table.origin.table.views
    if views is not None and "finite" not in views:
        views["finite"] = _is_finite(table.origin.table)  # type: ignore[union-attr]
    if views is None or not views["finite"]:
        _refuse_infinite_of(table)


def _is_finite(table: Table) -> bool:
    try:
        _refuse_infinite_of(table)
    except TableError:
        return False
    return True


def _refuse_infinite_of(table: Table) -> None:
    values = table.matrix.data if table.is_sparse else table.dense
    if values is not None and (values.dtype.kind != "f" or np.isfinite(_sum(values)) or not np.isinf(values).any()):
        return
    for column in table.columns:
        if not column.is_categorical and np.isinf(column.values).any():
            row = int(np.flatnonzero(np.isinf(column.values))[0])
            value = column.values[row]
            raise TableError(
                f"column {column.name!r} holds an infinite value ({value}) in row {row + 1:,}; replace it first"
            )


def _remember_levels(estimator: BaseEstimator, table: Table, reset: bool) -> Table:
    if reset:
        estimator.levels_in_ = (
            {c.name: c.levels for c in table.columns if c.is_categorical} if not table.is_numeric else {}
        )
        return table
    fitted_levels = getattr(estimator, "levels_in_", {})
    if table.is_numeric and not fitted_levels:
        return table
    columns = []
    for column in table.columns:
        if column.is_categorical != (column.name in fitted_levels):
            was, now = ("categories", "numbers") if column.name in fitted_levels else ("numbers", "categories")
            raise TableError(f"column {column.name!r} held {was} in fit and holds {now} now; give it as it was")
        columns.append(column.recode(fitted_levels[column.name]) if column.is_categorical else column)
    recoded = Table(columns, n_rows=table.n_rows)
    recoded.named = table.named
    return recoded


def column_names(X: TableLike) -> tuple[str, ...]:
    """The names of the columns; x0, x1, … where there are none.

    >>> column_names(np.zeros((1, 2)))
    ('x0', 'x1')
    """
    if isinstance(X, Table):
        return X.names
    if is_frame(X):
        return tuple(str(name) for name in nw.from_native(eager(X), eager_only=True).columns)
    return tuple(f"x{j}" for j in range(X.shape[1] if hasattr(X, "shape") else np.asarray(X).shape[1]))
