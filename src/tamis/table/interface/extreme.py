"""What is not taken: numbers whose squares leave the range of floating point, and columns that a model refuses."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from tamis.errors import KindError, TableError
from tamis.table.like import TableLike
from tamis.table.sources.frame import dates_and_spans
from tamis.table.table import Table

LARGEST, SMALLEST = 1e70, 1e-70  # within these, squares of squares have a value
_SOME = 1_000  # rows that are looked at first


def is_extreme(X: TableLike) -> bool:
    """Whether some column holds a number beyond 1e70, or none as large as 1e-70 though it is not all zeros."""
    return _extreme(X) is not None


def refuse_extreme(table: Table) -> None:
    """Raise the sentence that names such a column, for methods that square what they read."""
    if table.is_sparse or table.dense is not None:
        refuse_extreme_matrix(table.matrix if table.is_sparse else table.dense, table.names)
        return
    for column in table.columns:
        if not column.is_categorical:
            refuse_extreme_matrix(column.values[:, None], [column.name])


def refuse_extreme_matrix(X: TableLike, names: Sequence[str]) -> None:
    """The same of a matrix, dense or sparse."""
    extreme = _extreme(X)
    if extreme is not None:
        j, value = extreme
        what, way_out = ("large", "divide") if value > 1 else ("small", "multiply")
        raise TableError(
            f"column {names[j]!r} holds {value:.3g}, which is too {what} to be squared; {way_out} it by a constant"
        )


@contextmanager
def overflow_refused(X: TableLike, names: Sequence[str], method: str) -> Iterator[None]:
    """Raise a sentence that names the most extreme column of X where NumPy computes a number beyond the largest.

    X : the Table or matrix that the computation reads.
    """
    try:
        with np.errstate(over="raise"):
            yield
    except FloatingPointError:
        if isinstance(X, Table):
            refuse_extreme(X)
        else:
            refuse_extreme_matrix(X, names)
        raise TableError(
            f"{method} of these columns gives a number beyond the largest ({np.finfo(float).max:.2g}); divide them by "
            "a constant"
        ) from None


def _extreme(X: Any) -> tuple[int, float] | None:
    """The first such column, and its largest absolute value."""
    if X.shape[0] == 0 or X.shape[1] == 0:
        return None
    if not sparse.issparse(X):
        X = np.asarray(X, dtype=np.float64)
        suspects = _sizes(X[:_SOME]) < SMALLEST
        if _below(X) and not suspects.any():
            return None
        which = np.flatnonzero(suspects) if _below(X) else np.arange(X.shape[1])
        sizes = _sizes(X[:, which])
    else:
        which, sizes = np.arange(X.shape[1]), _sizes_of_sparse(X.tocsc())
    bad = np.flatnonzero((sizes > LARGEST) | ((sizes < SMALLEST) & (sizes > 0)))
    return (int(which[bad[0]]), float(sizes[bad[0]])) if bad.size else None


def _below(X: np.ndarray) -> bool:
    """True when no number is beyond the largest; NaN is none."""
    return not (np.fmax.reduce(X, axis=None) > LARGEST or np.fmin.reduce(X, axis=None) < -LARGEST)


def _sizes(X: np.ndarray) -> np.ndarray:
    """Largest absolute value of each column; 0 where there is none."""
    return np.nan_to_num(np.maximum(np.fmax.reduce(X, axis=0), -np.fmin.reduce(X, axis=0)), nan=0.0, posinf=np.inf)


def _sizes_of_sparse(X: Any) -> np.ndarray:
    sizes = np.zeros(X.shape[1])
    np.fmax.at(sizes, np.repeat(np.arange(X.shape[1]), np.diff(X.indptr)), np.abs(X.data))
    return sizes


_TEXT = re.compile(
    r"convert string|convert str|could not convert|invalid literal|'<' not supported|str'|string dtype", re.I
)
_MISSING = re.compile(r"\bNaN\b|missing value|NAType|\bNA is ambiguous|NoneType", re.I)
_DATES = re.compile(r"promot|datetime|timedelta|timestamp|\[ns\]|\[us\]", re.I)


def refusal(
    who: str, X: TableLike, error: Exception, *, names: Sequence[str] | None = None, fills: bool = False
) -> Exception | None:
    """The sentence that names the column of X which `who` could not take; None when the error has another cause.

    `names` are those of an array's columns. With `fills` the model could fill missing values itself, if told to.
    """
    message = str(error)
    dates = dates_and_spans(X)
    if dates and _DATES.search(message):
        name, kind = next(iter(dates.items()))
        return KindError(
            f"column {name!r} holds {kind}, which {who} cannot take beside numbers; give numbers of days instead, "
            "or leave the column out"
        )
    if not (_TEXT.search(message) or _MISSING.search(message)):
        return None
    table = Table.of(X, names)
    words = next((column for column in table.columns if column.is_categorical), None)
    holes = next((column for column in table.columns if column.missing.any()), None)
    if holes is not None and _MISSING.search(message):
        hint = ", or give missing='mean'" if fills else ""
        return TableError(
            f"column {holes.name!r} has {int(holes.missing.sum()):,} missing values (NaN), which {who} cannot take; "
            f"fill them first, for example with tamis.transform.Impute in a pipeline{hint}"
        )
    if words is None:
        return None
    first_level = repr(words.levels[0])[:40] if words.levels else "no level"
    return KindError(
        f"column {words.name!r} holds categories ({first_level}, …), which {who} cannot take; encode it first, "
        "for example "
        "with OneHotEncoder in a pipeline, or leave it out"
    )
