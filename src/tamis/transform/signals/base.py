"""What all transforms of signals share: blocks of ordered columns, missing values, rows in threads.

A signal is a row of a block: the values of its columns, in the block's order, are taken as equally spaced positions.
A subclass says what becomes of the rows of one block (`_rows`), and how many positions it needs (`_fits`).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, ClassVar, TypeVar

import numpy as np

from tamis import check, saved
from tamis.engine.run import map_threads
from tamis.errors import DamagedError, KindError, ParameterError, TableError
from tamis.table import Table, position
from tamis.table.interface.extreme import LARGEST, SMALLEST
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.transform.base import NumericTransform

T = TypeVar("T")

#: Cells that are worked on at once, 2 MB: they stay in the cache. The number of threads has no say in it, for some
#: library routines round by the number of rows they get.
CELLS = 1 << 18

MISSING = ("refuse", "interpolate")


@parameters
class SignalTransform(NumericTransform):
    """Signals in, signals or their summaries out; columns that belong to no block pass through.

    Attributes
    ----------
    blocks_ : dict, name of a block -> positions of its columns in the table, in the order of the signal.
    """

    min_positions: ClassVar[int] = 1
    squares: ClassVar[bool] = False  # signals are squared on the way, so that they must not be extreme
    columns: Any = None
    missing: str = "refuse"
    n_jobs: int | None = None

    def _check(self) -> None:
        check.one_of("missing", self.missing, MISSING)

    def _fits(self, name: str, n: int) -> None:
        """Refuse a block of n positions that the parameters do not fit."""
        if n < self.min_positions:
            kind = type(self).__name__
            raise TableError(
                f"{kind} needs at least {self.min_positions} positions, but block {name!r} has {n} feature(s); "
                "give more columns"
            )

    def _rows(self, name: str, signals: np.ndarray) -> np.ndarray:
        """What becomes of some rows of a block, rows × positions; never writes into them."""
        raise NotImplementedError

    def _learn_block(self, name: str, signals: np.ndarray) -> None:
        """Learn from the rows of a block, where something is learned."""

    def _learn(self, X: np.ndarray, y: Any) -> None:
        for name, columns in self.blocks_.items():
            self._fits(name, len(columns))
            self._learn_block(name, self._signals(name, X))

    def _apply(self, X: np.ndarray) -> np.ndarray:
        blocks = {name: self._block(name, self._signals(name, X)) for name in self.blocks_}
        if not self.one_to_one:
            return np.hstack(list(blocks.values()))
        return self._placed(blocks)

    def _placed(self, blocks: dict[str, np.ndarray]) -> np.ndarray:
        """Blocks of signals side by side, each column where it was among the touched ones."""
        if len(blocks) == 1 and self._in_order(next(iter(blocks))):
            return next(iter(blocks.values()))
        out = np.empty((len(next(iter(blocks.values()))), len(self.touched_)))
        for name, block in blocks.items():
            out[:, self._where(name)] = block
        return out

    def _block(self, name: str, signals: np.ndarray) -> np.ndarray:
        """What becomes of a block; a signal without any value stays missing."""
        empty = np.isnan(signals[:, 0])  # all others have been filled
        if not empty.any():
            return self._transformed(name, signals)
        out = self._transformed(name, np.where(empty[:, None], 0.0, signals))
        out[empty] = np.nan
        return out

    def _transformed(self, name: str, signals: np.ndarray) -> np.ndarray:
        return np.concatenate(self._by_rows(lambda rows: self._rows(name, rows), signals))

    def _by_rows(self, function: Callable[[np.ndarray], T], signals: np.ndarray) -> list[T]:
        """A function of some rows at a time, in threads."""
        step = max(32, CELLS // signals.shape[1])
        chunks = [signals[first : first + step] for first in range(0, len(signals), step)]
        errors = np.geterr()

        def computed(rows: np.ndarray) -> T:
            with np.errstate(**errors):  # a thread does not know those of its caller
                return function(rows)

        return map_threads(computed, chunks, self.n_jobs)

    def _signals(self, name: str, X: np.ndarray) -> np.ndarray:
        """The rows of a block, contiguous."""
        signals = np.ascontiguousarray(X if self._in_order(name) else X[:, self._where(name)])
        size = np.fmax.reduce(np.abs(signals), axis=None, initial=0.0) if self.squares else 1.0
        if size > LARGEST or 0 < size < SMALLEST:
            what, way_out = ("large", "divide") if size > 1 else ("small", "multiply")
            raise TableError(
                f"block {name!r} holds at most {size:.3g}, too {what} to be squared; {way_out} it by a constant"
            )
        return signals

    def _where(self, name: str) -> np.ndarray:
        return np.searchsorted(self.touched_, self.blocks_[name])

    def _in_order(self, name: str) -> bool:
        return np.array_equal(self.blocks_[name], self.touched_)

    def _read(self, X: TableLike, *, reset: bool) -> Table:
        _refuse_unequal(X)
        return super()._read(X, reset=reset)

    def _touched(self, X: TableLike, table: Table) -> np.ndarray:
        self.blocks_ = blocks_of(table, self.columns, super()._touched(X, table))
        return np.sort(np.concatenate(list(self.blocks_.values())))

    def _touched_columns(self, table: Table) -> np.ndarray:
        X: np.ndarray = super()._touched_columns(table)
        missing = np.isnan(X)
        if not missing.any():
            return X
        if self.missing == "refuse":
            row, column = np.argwhere(missing)[0]
            raise TableError(
                f"missing value (NaN) in column {self.names_[column]!r}, row {row + 1:,}; give missing='interpolate' "
                "to put it between its neighbours, or fill it first"
            )
        out = X.copy()
        for name in self.blocks_:
            out[:, self._where(name)] = interpolated(self._signals(name, X))
        return out

    def _state(self) -> dict[str, Any]:
        return {"blocks": [[name, columns.tolist()] for name, columns in self.blocks_.items()]}

    def _restore(self, state: dict[str, Any]) -> None:
        self.blocks_ = {
            saved.text("a block", name): saved.numbers("blocks", columns, np.int64)
            for name, columns in saved.read_entry(state, "blocks")
        }
        used = np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *self.blocks_.values()]))
        if not np.array_equal(used, self.touched_):
            raise DamagedError("its blocks do not hold the columns it transforms")
        for name, columns in self.blocks_.items():
            self._fits(name, len(columns))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing == "interpolate"
        return tags


def image_shape(shape: Any) -> tuple[int, int] | None:
    """Height and width of the images in a block, or None for signals."""
    if shape is None:
        return None
    if not isinstance(shape, (tuple, list, np.ndarray)) or len(shape) != 2:
        raise KindError(f"shape={shape!r} must be (height, width); give two whole numbers")
    return check.count("the height in shape", shape[0]), check.count("the width in shape", shape[1])


def refuse_other_shape(name: str, n: int, shape: tuple[int, int]) -> None:
    """Raise unless a block of n columns holds the pixels of images of a shape."""
    if shape[0] * shape[1] != n:
        raise ParameterError(
            f"images of {shape[0]} × {shape[1]} have {shape[0] * shape[1]} pixels, but block {name!r} has {n} "
            "columns; give the shape that fits"
        )


def along_both(function: Callable[[np.ndarray], np.ndarray], images: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A function of signals along the rows of images, then along their columns."""
    n, (height, width) = len(images), shape
    across = function(np.ascontiguousarray(images.reshape(n * height, width))).reshape(n, height, width)
    columns = np.ascontiguousarray(across.transpose(0, 2, 1)).reshape(n * width, height)
    down = function(columns).reshape(n, width, height)
    return np.ascontiguousarray(down.transpose(0, 2, 1)).reshape(n, height * width)


def window_of(requested: int | None, default: int, n: int, name: str) -> int:
    """An odd window of at most n positions; the default is shortened to what a signal has."""
    if requested is None:
        return min(default, n - 1 + n % 2)
    window = check.count("window", requested)
    if window % 2 == 0:
        raise ParameterError(f"window={window} has no middle; give an odd number such as {window + 1}")
    if window > n:
        raise ParameterError(
            f"window={window} is longer than block {name!r} of {n} positions; give an odd number of at most {n}"
        )
    return window


def _refuse_unequal(X: TableLike) -> None:
    """Raise when X is a list of signals that have not the same length."""
    if not isinstance(X, (list, tuple)) and not (isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1):
        return
    lengths: Sequence[int] = [len(row) if hasattr(row, "__len__") and not isinstance(row, str) else -1 for row in X]
    for row, n in enumerate(lengths):
        if n >= 0 and lengths[0] >= 0 and n != lengths[0]:
            raise TableError(
                f"signals of unequal length: row {row + 1:,} has {n} positions, row 1 has {lengths[0]}; "
                "cut or pad them to one length first"
            )


def interpolated(signals: np.ndarray) -> np.ndarray:
    """Missing values on the straight line between their neighbours; at an end, the nearest value.

    A signal without any value stays as it is.

    >>> interpolated(np.array([[np.nan, 1.0, np.nan, 3.0]]))
    array([[1., 1., 2., 3.]])
    """
    missing = np.isnan(signals)
    rows = np.flatnonzero(missing.any(axis=1) & ~missing.all(axis=1))
    if not len(rows):
        return signals
    out, at = signals.copy(), np.arange(signals.shape[1])
    for i in rows:
        is_observed = ~missing[i]
        out[i] = np.interp(at, at[is_observed], signals[i, is_observed])
    return out


_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")

#: The name of a block that was given without one and whose columns do not share one.
SIGNAL = "signal"


def blocks_of(table: Table, selection: Any, numeric: np.ndarray) -> dict[str, np.ndarray]:
    """Positions of the columns of each block, in the order of the signal.

    selection : None (all numeric columns), a name or pattern such as "spectrum_*", a list of names, patterns or
        positions, or a dict of these by the names of blocks.

    A list is taken in its own order. All columns, and those that a pattern fits, are ordered by the numbers in their
    names where these differ in nothing else (s_2 before s_10, in a table of any order), else as the table has them.

    >>> blocks_of(Table.of([[1.0, 2.0, 3.0]]), {"a": ["x2", "x0"]}, np.arange(3))
    {'a': array([2, 0])}
    """
    if isinstance(selection, Mapping):
        blocks = {str(name): _positions(table, columns_of_block) for name, columns_of_block in selection.items()}
    else:
        columns = _by_number(table, numeric) if selection is None else _positions(table, selection)
        blocks = {_stem(selection) if isinstance(selection, str) else _shared_stem(table, columns): columns}
    _refuse(table, blocks)
    return blocks


def _positions(table: Table, selection: Any) -> np.ndarray:
    listed = [selection] if isinstance(selection, (str, int)) else selection
    if not isinstance(listed, Iterable):
        raise KindError(
            f"columns={selection!r} must be names; give a list of names, a pattern such as 'x*' or a dict of them"
        )
    indices: list[int] = []
    for item in listed:
        indices += _matches(table, str(item)) if _is_pattern(table, item) else [position(table, "columns", item)]
    return np.array(indices, dtype=np.int64)


def _is_pattern(table: Table, item: Any) -> bool:
    return isinstance(item, str) and any(sign in item for sign in "*?[") and item not in table.names


def _by_number(table: Table, indices: np.ndarray) -> np.ndarray:
    """Positions ordered by the numbers in the names, where the names are alike in all else and no two are the same.

    >>> _by_number(Table.of([[1.0, 2.0, 3.0]], names=["s_10", "s_2", "s_1"]), np.arange(3))
    array([2, 1, 0])
    """
    if not table.named or not len(indices):
        return indices
    pieces = [_NUMBER.split(table.names[j]) for j in indices]  # text, number, text, …
    numbers = [tuple(float(piece) for piece in pieces_of_name[1::2]) for pieces_of_name in pieces]
    if len({tuple(pieces_of_name[::2]) for pieces_of_name in pieces}) > 1 or len(set(numbers)) < len(numbers):
        return indices
    return indices[np.array(sorted(range(len(indices)), key=numbers.__getitem__), dtype=np.int64)]


def _matches(table: Table, pattern: str) -> list[int]:
    indices = [j for j, name in enumerate(table.names) if fnmatchcase(name, pattern)]
    if not indices:
        listed = ", ".join(repr(name) for name in table.names[:5])
        raise ParameterError(f"columns={pattern!r} fits no column; the names are {listed}, …")
    return _by_number(table, np.array(indices)).tolist()


def _stem(pattern: str) -> str:
    """The name of a block given by one pattern or column: what stands before the first sign of a pattern."""
    first = min((pattern.index(sign) for sign in "*?[" if sign in pattern), default=len(pattern))
    return pattern[:first].rstrip("_-. ") or SIGNAL


def _shared_stem(table: Table, indices: np.ndarray) -> str:
    """The name of a block given by its columns: what stands before the number in the names of all of them."""
    if not table.named:
        return SIGNAL
    stems = {_NUMBER.split(table.names[j])[0].rstrip("_-. ([") for j in indices}
    return next(iter(stems)) or SIGNAL if len(stems) == 1 and len(indices) > 1 else SIGNAL


def _refuse(table: Table, blocks: dict[str, np.ndarray]) -> None:
    """Raise for a block without columns, a column that is not a number, and one that is used twice."""
    if not blocks:
        raise ParameterError("columns={} names no block; give a dict of names and columns, or leave it out")
    used: set[int] = set()
    for name, columns in blocks.items():
        if not len(columns):
            raise ParameterError(f"block {name!r} has no numeric columns; name at least one")
        for j in columns.tolist():
            if table.matrix is None and table.heads[j].kind in ("categorical", "date"):
                kind = "categories" if table.heads[j].is_categorical else "dates"
                raise KindError(
                    f"column {table.names[j]!r} holds {kind}, but a signal consists of numbers; leave it out"
                )
            if j in used:
                raise ParameterError(f"columns names {table.names[j]!r} twice; give each column one place in one block")
            used.add(j)
