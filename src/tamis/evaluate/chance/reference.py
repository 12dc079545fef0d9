"""Two tables of the same shape in which nothing can be learned, selected or recognised.

In one every column is the same coin flip, in the other every column is the same continuous noise. Columns that are all
the same leave nothing to select, and columns drawn without the target nothing to learn. The second also shows what
depends on how fine the columns are: predictions that are never tied, and rows that are copied and recognised.
"""

from typing import Any

import narwhals as nw
import numpy as np

from tamis.engine import generator
from tamis.table import take
from tamis.table.interface.target import codes_among
from tamis.table.like import TableLike
from tamis.table.sources.frame import is_frame


def equal_rows(X: Any, seed: int, number: int) -> Any:
    """Every row the same row of X.

    Numbers are cut to eight binary digits, so that sums of squares are exact and a column of equal values has a
    variance of exactly 0: rounding errors must not be something to select by.

    >>> len(np.unique(equal_rows(np.arange(40.0).reshape(20, 2), 0, 0), axis=0))
    1
    """
    row = int(generator(seed, "equal rows", number).integers(X.shape[0]))
    alike = take(X, rows=np.full(X.shape[0], row))
    if isinstance(X, np.ndarray) and X.dtype.kind == "f":
        return _cut(alike)
    if not is_frame(X):
        return alike
    frame = nw.from_native(alike, eager_only=True)
    floats = [column for column in frame.iter_columns() if column.dtype.is_float()]
    cut = [nw.new_series(c.name, _cut(c.to_numpy()), backend=c.implementation) for c in floats]
    return _indexed(nw.to_native(_with(frame, cut)), X)


def _cut(values: np.ndarray) -> np.ndarray:
    bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(np.float64)


def almost_equal_rows(X: TableLike, seed: int, number: int) -> Any | None:
    """Every row the same row of X but for noise in one column of numbers: models that divide by a variance need some.

    None where there is no such column.

    >>> len(np.unique(almost_equal_rows(np.arange(40.0).reshape(20, 2), 0, 0)[:, 1]))
    1
    """
    alike, noisy = equal_rows(X, seed, number), noise_table(X, seed, number)
    if isinstance(noisy, np.ndarray):
        return np.column_stack([noisy[:, :1], alike[:, 1:]])
    if noisy is None:
        return None
    frame = nw.from_native(noisy, eager_only=True)
    first = [column for column in frame.iter_columns() if column.dtype.is_numeric()][:1]
    return _indexed(nw.to_native(_with(nw.from_native(alike, eager_only=True), first)), X) if first else None


def coin_table(X: Any, seed: int, number: int) -> Any:
    """Every row one of two rows of X, by a coin: the values stay such as the columns have.

    >>> len(np.unique(coin_table(np.arange(40.0).reshape(20, 2), 0, 0), axis=0))
    2
    """
    n = X.shape[0]
    draw = generator(seed, "coin table", number)
    rows = draw.permutation(draw.choice(n, size=2, replace=False)[np.arange(n) % 2])
    return _indexed(take(X, rows=rows), X)


def noise_table(X: Any, seed: int, number: int) -> Any | None:
    """Every column of numbers the same uniform noise, over the range of the column; other columns by a coin.

    None for a sparse matrix, which would not be sparse, and for what is neither an array nor a frame.

    >>> made = noise_table(np.array([[0.0, 5.0], [1.0, 9.0], [0.5, 6.0]]), 0, 0)
    >>> bool(np.allclose(made[:, 1], 5 + 4 * made[:, 0] / np.ptp(made[:, 0]) * np.ptp(made[:, 0])))
    True
    """
    return _one_column(X, generator(seed, "noise table", number).random(X.shape[0]), seed, number)


def telling_table(X: Any, y: np.ndarray, labels: np.ndarray | None, seed: int, number: int) -> Any | None:
    """A table that tells the target: one row of X for each class; or every column of numbers the target.

    >>> X = np.arange(12.0).reshape(6, 2)
    >>> len(np.unique(telling_table(X, np.array([0, 1, 1, 0, 1, 0]), np.array([0, 1]), 0, 0), axis=0))
    2
    """
    if labels is None:
        return _one_column(X, (y - y.min()) / max(float(np.ptp(y)), 1e-300), seed, number)
    rows = generator(seed, "telling table", number).choice(X.shape[0], size=len(labels), replace=False)
    return _indexed(take(X, rows=rows[codes_among(labels, y)]), X)


def _one_column(X: Any, values: np.ndarray, seed: int, number: int) -> Any | None:
    """Every column of numbers the same values (0 to 1), over the range of the column; other columns by a coin."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "fiu":
        low, high = _range(X.astype(np.float64, copy=False))
        return low + values[:, None] * (high - low)
    if not is_frame(X):
        return None
    frame = nw.from_native(coin_table(X, seed, number), eager_only=True)
    input_frame = nw.from_native(X, eager_only=True)
    new_series = [_series(column, values) for column in input_frame.iter_columns() if column.dtype.is_numeric()]
    return _indexed(nw.to_native(_with(frame, new_series)), X)


def _range(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest number of each column; 0 and 1 where it has none."""
    finite = np.isfinite(values)
    low = np.where(finite, values, np.inf).min(axis=0)
    high = np.where(finite, values, -np.inf).max(axis=0)
    none = ~finite.any(axis=0)
    return np.where(none, 0.0, low), np.where(none, 1.0, high)


def _series(column: Any, values: np.ndarray) -> Any:
    low, high = _range(column.cast(nw.Float64).to_numpy()[:, None])
    return nw.new_series(column.name, low[0] + values * (high[0] - low[0]), backend=column.implementation)


def _with(frame: Any, new_series: list[Any]) -> Any:
    """The frame with some columns replaced; a pandas frame keeps its own index, so the values go in by position."""
    if not new_series:
        return frame
    if frame.implementation.is_pandas():
        native = nw.to_native(frame).copy()
        for series in new_series:
            native[series.name] = series.to_numpy()
        return nw.from_native(native, eager_only=True)
    return frame.with_columns(*new_series)


def _indexed(frame: Any, X: Any) -> Any:
    """The made frame under the index of the given one: functions join the target to it by index."""
    if is_frame(X) and nw.from_native(X, eager_only=True).implementation.is_pandas():
        frame = frame.copy()
        frame.index = X.index
    return frame
