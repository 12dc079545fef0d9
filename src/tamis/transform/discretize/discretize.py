"""Numbers as codes or names of intervals."""

import threading
from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis import check
from tamis.engine.run import map_threads
from tamis.errors import DamagedError
from tamis.saved import numbers, read_entry
from tamis.table import MISSING, Classes, Column, is_class_target
from tamis.table import numbers as numeric_target
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform
from tamis.transform.discretize.cuts import class_cuts, count_cuts, interval_names, kmeans_cuts, number_cuts, width_cuts

N_BINS = 5
BLOCK = 8  # columns that are read together: a cache line of each row
HOW = ("width", "count", "entropy", "kmeans")


@parameters
class Discretize(NumericTransform):
    r"""Cut each column into intervals.

    A value is in the interval whose lower cut is below it and whose upper cut is not. Missing values stay missing and
    have no say in the cuts. A column without a cut is one interval.

    Parameters
    ----------
    how : "width" (bins of equal width), "count" (of equal numbers of rows), "kmeans" (one-dimensional clusters) or
        "entropy", which needs y: cuts where classes change, as many as the description length allows (Fayyad and Irani;
        for a numeric target squared error, see `tamis.transform.discretize.cuts`).
    n_bins : how many; 5 when not given. For "entropy" the most there may be, no limit when not given.
    encode : "codes" (0, 1, 2, … from the lowest interval) or "intervals" (categories with names such as
        "2.45 < petal length ≤ 4.75").
    target : how y is read for "entropy": "classes", "numbers" or "auto".
    n_jobs : threads.

    Attributes
    ----------
    cuts_ : for each touched column its cuts, growing.
    intervals_ : for each touched column the names of its intervals.

    References
    ----------
    Fayyad, Irani (1993), Multi-interval discretization of continuous-valued attributes, IJCAI.

    >>> Discretize("width", n_bins=2).fit_transform([[0.0], [1.0], [4.0]]).ravel()
    array([0., 0., 1.])
    """

    how: str = field(default="width", kw_only=False)
    n_bins: int | None = field(default=None, kw_only=False)
    encode: str = "codes"
    target: str = "auto"
    n_jobs: int | None = None

    def _check(self) -> None:
        check.one_of("how", self.how, HOW)
        check.one_of("encode", self.encode, ["codes", "intervals"])
        check.one_of("target", self.target, ["auto", "classes", "numbers"])
        if self.n_bins is not None:
            check.count("n_bins", self.n_bins, low=2)

    def _target_needed(self) -> bool:
        return self.how == "entropy"

    def _learn(self, X: np.ndarray, y: Any) -> None:
        make = self._maker(y)
        memory = _Columns(len(X))

        def cuts_of(first: int) -> list[np.ndarray]:
            return [_cuts(x, make) for x in memory.read(X[:, first : first + BLOCK].T)]

        blocks = map_threads(cuts_of, range(0, X.shape[1], BLOCK), self.n_jobs)
        self.cuts_ = [cuts for several in blocks for cuts in several]

    def _maker(self, y: ArrayLike) -> Callable[[np.ndarray, Any], np.ndarray]:
        """What makes cuts of the values that are there and their rows: a mask, or a slice of all."""
        if self.how != "entropy":
            make, n_bins = {"width": width_cuts, "count": count_cuts, "kmeans": kmeans_cuts}[self.how], self.n_bins
            return lambda x, rows: make(x, n_bins or N_BINS)
        max_cuts = (self.n_bins or np.iinfo(np.int32).max) - 1
        if self.target == "classes" or (self.target == "auto" and is_class_target(y)):
            classes = Classes.of(y)
            codes = classes.codes.astype(np.int32)
            return lambda x, rows: class_cuts(x, codes[rows], classes.n_classes, max_cuts)
        values = numeric_target(y)
        return lambda x, rows: number_cuts(x, values[rows], max_cuts)

    @property
    def intervals_(self) -> list[tuple[str, ...]]:
        """Names of the intervals of each touched column."""
        return [interval_names(name, cuts) for name, cuts in zip(self.names_, self.cuts_)]

    def _apply(self, X: np.ndarray) -> Any:
        codes = np.empty(X.shape, order="F")
        for j, cuts in enumerate(self.cuts_):
            codes[:, j] = np.searchsorted(cuts, X[:, j])
        is_missing = np.isnan(X)
        if self.encode == "codes":
            codes[is_missing] = np.nan
            return codes
        codes[is_missing] = MISSING
        return [
            Column(name, "categorical", codes[:, j].astype(np.int32), words)
            for j, (name, words) in enumerate(zip(self.names_, self.intervals_))
        ]

    def _state(self) -> dict[str, Any]:
        return {"cuts": [cuts.tolist() for cuts in self.cuts_]}

    def _restore(self, state: dict[str, Any]) -> None:
        stored_cuts = read_entry(state, "cuts")
        if not isinstance(stored_cuts, list) or len(stored_cuts) != len(self.touched_):
            raise DamagedError("it does not hold the cuts of every column")
        self.cuts_ = [numbers("cuts", cuts) for cuts in stored_cuts]
        if any(np.any(np.diff(cuts) <= 0) for cuts in self.cuts_):
            raise DamagedError("its cuts do not grow")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.encode == "intervals":
            tags.transformer_tags.preserves_dtype = []  # words
        return tags


class _Columns(threading.local):
    """Some columns of a table, in memory of each thread that is written to again and again."""

    def __init__(self, n_rows: int) -> None:
        self.memory = np.empty((BLOCK, n_rows))

    def read(self, columns: np.ndarray) -> np.ndarray:
        """The columns, contiguous."""
        if columns.flags.c_contiguous:
            return columns
        out = self.memory[: len(columns)]
        out[:] = columns
        return out


def _cuts(column: np.ndarray, make: Callable[[np.ndarray, Any], np.ndarray]) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):
        complete = np.isfinite(column.sum())
    if complete:
        return make(column, slice(None)) if len(column) else np.empty(0)
    is_observed = ~np.isnan(column)
    values = column[is_observed]
    return make(values, is_observed) if len(values) else np.empty(0)
