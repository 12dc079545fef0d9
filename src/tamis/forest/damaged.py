"""Trees from a file: every index in them is looked at once, for the kernels that send rows down do not look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tamis.errors import DamagedError
from tamis.forest.layout import CATEGORY, COLUMN, NODE, OBLIQUE
from tamis.forest.predict.trees import Trees
from tamis.saved import refuse_outside, refuse_shape, refuse_tangled

_DTYPES = {
    "nodes": NODE,
    "roots": np.dtype(np.int64),
    "table": np.dtype(np.float64),
    "sets": np.dtype(np.uint64),
    "sum_column": np.dtype(np.int64),
    "sum_factor": np.dtype(np.float64),
}


def codes_of(
    names: Sequence[str], levels: Mapping[str, Sequence[object]], joined: Mapping[int, np.ndarray]
) -> np.ndarray:
    """How many codes each column can have when it comes to predict: 0 for numbers."""
    position = {name: j for j, name in enumerate(names)}
    codes = np.zeros(len(names), dtype=np.int64)
    for name, column_levels in levels.items():
        if name not in position:
            raise DamagedError(f"it has levels of {name!r}, which is none of its columns")
        codes[position[name]] = len(column_levels)
    for j, coding in joined.items():
        if not 0 <= j < len(names) or coding.dtype != np.int64 or coding.shape != (codes[j],):
            raise DamagedError(f"the codes of column {j} are not one for each of its levels")
        refuse_outside(f"the codes of {names[j]!r}", coding, 0, 2**16)
        codes[j] = int(coding.max(initial=-1)) + 1
    return codes


def refuse_damaged(trees: Trees, n_columns: int, codes: np.ndarray) -> None:
    """Raise unless every row of `n_columns` values, categories below `codes`, finds a leaf and its answer."""
    for name, dtype in _DTYPES.items():
        if getattr(trees, name).dtype != dtype:
            raise DamagedError(f"{name} is of another type")
    width = trees.n_classes or trees.n_outputs
    for name, shape in (("nodes", (None,)), ("roots", (None,)), ("sets", (None,)), ("sum_column", (None, None))):
        refuse_shape(name, getattr(trees, name), shape)
    refuse_shape("sum_factor", trees.sum_factor, trees.sum_column.shape)
    several = trees.n_classes > 0 or trees.n_outputs > 1
    refuse_shape("table", trees.table, (None, width if several and len(trees.table) else None))
    refuse_outside("the columns of sums", trees.sum_column, 0, n_columns - 1)
    _refuse_nodes(trees)
    _refuse_leaves(trees, several)
    _refuse_splits(trees, n_columns, codes)


def _refuse_nodes(trees: Trees) -> None:
    roots, n = trees.roots, len(trees.nodes)
    sizes = np.diff(roots)
    if len(roots) < 2 or roots[0] != 0 or roots[-1] != n or np.any(sizes < 1) or np.any(sizes > n):
        raise DamagedError("its trees do not begin where their nodes do")
    refuse_tangled("its trees", trees.nodes["left"], np.repeat(roots[:-1], sizes), np.repeat(sizes, sizes))


def _refuse_leaves(trees: Trees, several: bool) -> None:
    leaves = trees.nodes[trees.nodes["left"] < 0]
    if several:
        refuse_outside("the answers of leaves", leaves["column"], 0, trees.n_classes + len(trees.table) - 1)
        answers = trees.table
    else:
        answers = leaves["threshold"]
    if not np.isfinite(answers).all():
        raise DamagedError("a leaf has an answer that is not finite")


def _refuse_splits(trees: Trees, n_columns: int, codes: np.ndarray) -> None:
    splits = trees.nodes[trees.nodes["left"] >= 0]
    if np.any(splits["column"] < 0):
        raise DamagedError("a split has no column")
    column, oblique = splits["column"] & COLUMN, splits["column"] & OBLIQUE != 0
    category = splits["column"] & CATEGORY != 0
    if np.any(oblique & category):
        raise DamagedError("a split asks for a sum of levels")
    refuse_outside("the sums of splits", column[oblique], 0, len(trees.sum_column) - 1)
    refuse_outside("the columns of splits", column[~oblique], 0, n_columns - 1)
    if np.isnan(splits["threshold"]).any():
        raise DamagedError("a split has no threshold")
    _refuse_sets(trees.sets, splits["threshold"][category], codes[column[category]])


def _refuse_sets(sets: np.ndarray, threshold: np.ndarray, codes: np.ndarray) -> None:
    """Raise unless the bits or the list of every set lie within `sets`; codes: of the column of each."""
    if np.any(codes < 1):
        raise DamagedError("a split asks for levels of a column of numbers")
    if np.any(np.abs(threshold) > len(sets)) or np.any(threshold != np.floor(threshold)):
        raise DamagedError("a split asks for a set of levels that is not there")
    word = threshold.astype(np.int64)
    bits = word >= 0
    refuse_outside("the sets of levels", word[bits] + ((codes[bits] - 1) >> 6), 0, len(sets) - 1)
    head = -1 - word[~bits]
    refuse_outside("the lists of levels", head, 0, len(sets) - 1)
    length = (sets[head] >> np.uint64(1)).astype(np.float64)  # of a list, four to a word; exact as far as it matters
    if np.any(head + np.ceil(length / 4) >= len(sets)):
        raise DamagedError("a list of levels ends too late")
