"""The kernels of a first forest that a second process compiles, and arguments of the types that they are given."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from tamis.engine.ahead import compile_ahead
from tamis.forest.layout import NODE, ForestTarget, NodeLimits, TargetCosts
from tamis.views.binned_table import BinnedTable


def compile_forest_ahead(mixed: bool, several: bool, more: bool) -> None:
    """Begin to compile what comes after the coding of columns.

    mixed : some column is categorical. several : the target is not one number. more : splits are looked for among some
    rows, or by the standard deviation.
    """
    from tamis.forest.data import row_hash
    from tamis.forest.grow import subtrees
    from tamis.forest.predict import merge, route

    kind = "in_parts" if more else "mixed" if mixed else "numeric"
    first = getattr(subtrees, f"subtrees_{kind}{'_several' if several else ''}")
    compile_ahead(__name__, [first, route.add_left_out, merge.renumber, row_hash.fold_words])


def prototype(name: str) -> tuple[Any, ...]:
    """Arguments of a kernel: of one row, one column and one tree, the numbers in them of no account."""
    module, kernel = name.rsplit(".", 1)
    return _PROTOTYPES[module if kernel.startswith("subtrees_") else kernel]()


def _floats(*shape: int) -> np.ndarray:
    return np.zeros(shape)


def _wholes(*shape: int, dtype: Any = np.int64) -> np.ndarray:
    return np.zeros(shape, dtype=dtype)


def _target() -> ForestTarget:
    return ForestTarget(0, 0, _wholes(0, dtype=np.int32), _floats(1, 1), _floats(1), _floats(1))


def _subtrees() -> tuple[Any, ...]:
    from tamis.forest.grow.workspace import rows_of, tree_buffers, workspace

    codes, flags, target = _wholes(1, 1, dtype=np.uint16), _wholes(1, dtype=np.bool_), _target()
    n_values, first, values = _wholes(1, dtype=np.int32), _wholes(2), _floats(1)
    binned = BinnedTable(codes, codes, n_values, flags, flags, first, values, values)
    work = _in_python(workspace)(binned, target, 1, 1, _wholes(1, dtype=np.uint8))
    buffers = _in_python(tree_buffers)(binned, target, 1, 1, True)
    rows = _in_python(rows_of)(binned, target, np.ones(1, dtype=np.int32))
    limits = NodeLimits(1, 1, 1, 1, 0.0, False, False, 1, 0)
    return binned, target, rows, rows, limits, work, buffers


def _in_python(kernel: Any) -> Callable[..., Any]:
    """A kernel that makes arrays, as a function of Python."""
    names = {name: getattr(value, "py_func", value) for name, value in kernel.py_func.__globals__.items()}
    return FunctionType(kernel.py_func.__code__, {**names, "vector": np.empty, "matrix": _matrix})


def _matrix(n: int, m: int, dtype: Any) -> np.ndarray:
    return np.empty((n, m), dtype)


def _add_left_out() -> tuple[Any, ...]:
    from tamis.forest.predict.route import LeftOut, OutOfBagSums

    left_out = LeftOut(_wholes(1, dtype=np.uint32), _wholes(1, dtype=np.int32), _wholes(2))
    costs = TargetCosts(0, _wholes(1, dtype=np.int32), _floats(1, 1), _floats(1), _floats(1, 1), True)
    sums = OutOfBagSums(_floats(1, 1), _wholes(1), _floats(1), _floats(2))
    return left_out, np.zeros(1, NODE), _floats(1, 1), _wholes(2, 4), costs, sums, _floats(1)


def _renumber() -> tuple[Any, ...]:
    return np.zeros(1, NODE), _wholes(2), _wholes(1), _wholes(2, 3), 0, False


def _fold_words() -> tuple[Any, ...]:
    return _wholes(1, dtype=np.uint64), _wholes(1, dtype=np.uint64)


_PROTOTYPES: dict[str, Callable[[], tuple[Any, ...]]] = {
    "tamis.forest.grow.subtrees": _subtrees,
    "add_left_out": _add_left_out,
    "renumber": _renumber,
    "fold_words": _fold_words,
}
