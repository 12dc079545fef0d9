"""The terms of an additive model: curves of one column, and maps of two."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis import _core
from tamis.table import Column


@dataclass(frozen=True, eq=False)
class Axis:
    """How the values of a column become the bins of a term.

    Attributes
    ----------
    name, index : of the column in the table of `fit`.
    edges : of a column of numbers, the values between its bins; x is in the bin k when k edges lie below it.
    levels : of a categorical column, the levels that it had in `fit`; else None.
    level_bins : the bin of each level; -1 where no training row had it.
    n_values : number of bins of values. The bin after them holds missing values and levels that `fit` never saw.
    """

    name: str
    index: int
    edges: np.ndarray
    levels: tuple[Any, ...] | None
    level_bins: np.ndarray
    n_values: int

    @property
    def is_categorical(self) -> bool:
        return self.levels is not None

    def bins(self, column: Column) -> np.ndarray:
        """The bin of every row of a column, whose levels are those of `fit`."""
        if self.levels is None:
            values = np.ascontiguousarray(column.values, dtype=np.float64)
            return np.asarray(_core.encode(values, self.edges, self.n_values)).astype(np.int64)
        bin_of_code = np.append(np.where(self.level_bins < 0, self.n_values, self.level_bins), self.n_values)
        return bin_of_code[np.maximum(column.values, -1)]

    def joined(self, groups: np.ndarray) -> "Axis":
        """The axis with bins joined: groups[k] is the new bin of bin k, rising for numbers."""
        n_values = int(groups.max(initial=-1)) + 1
        if self.levels is None:
            return replace(self, edges=self.edges[np.diff(groups) > 0], n_values=n_values)
        bins = np.where(self.level_bins < 0, -1, groups[self.level_bins]) if len(groups) else self.level_bins
        return replace(self, level_bins=bins, n_values=n_values)


@dataclass(frozen=True, eq=False)
class Curve:
    """What one column adds to the prediction: a height per bin, of mean 0 over the training rows.

    Attributes
    ----------
    column : its name.
    axis : how values become bins.
    heights : (bins,), or (bins, classes) of more than two; the last bin holds missing values.
    spread : standard deviation of the heights over the bags, likewise.
    weight : (bins,) training rows in each bin, by their weights.
    """

    axis: Axis
    heights: np.ndarray
    spread: np.ndarray
    weight: np.ndarray

    @property
    def column(self) -> str:
        return self.axis.name

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.axis.name,)

    @property
    def edges(self) -> np.ndarray:
        """The values between the bins of a column of numbers."""
        return self.axis.edges

    @property
    def n_steps(self) -> int:
        """Number of different neighbouring heights, of a category of different heights."""
        heights = self.heights[: self.axis.n_values].reshape(self.axis.n_values, -1)
        if self.axis.is_categorical:
            return len(np.unique(heights, axis=0))
        return int(self.axis.n_values > 0) + int((np.diff(heights, axis=0) != 0).any(axis=1).sum())

    def bins(self, columns: Any) -> tuple[np.ndarray, ...]:
        return (self.axis.bins(columns[self.axis.index]),)


@dataclass(frozen=True, eq=False)
class PairMap:
    """What two columns add together, beyond what each adds alone: a height per pair of bins.

    Heights have mean 0 over the training rows in every row and every column of the map.

    Attributes
    ----------
    columns : both names.
    axes : how values become bins.
    heights : (bins of the first, bins of the second), or with an axis of classes after them; missing values are last.
    weight : training rows in each cell, by their weights.
    p_value : share of shuffles of the residuals in which some pair was at least as strong: (1 + hits) / (1 + shuffles).
    """

    axes: tuple[Axis, Axis]
    heights: np.ndarray
    weight: np.ndarray
    p_value: float

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.axes[0].name, self.axes[1].name)

    def bins(self, columns: Any) -> tuple[np.ndarray, ...]:
        return tuple(axis.bins(columns[axis.index]) for axis in self.axes)


def spread_of(term: Curve | PairMap) -> float:
    """Standard deviation of a term over the training rows; of several classes the root mean square."""
    share = term.weight / max(float(term.weight.sum()), 1e-300)
    heights = term.heights.reshape(*share.shape, -1)
    mean = (share[..., None] * heights).sum(axis=tuple(range(share.ndim)))
    variance = (share[..., None] * (heights - mean) ** 2).sum(axis=tuple(range(share.ndim)))
    return float(np.sqrt(variance.mean()))
