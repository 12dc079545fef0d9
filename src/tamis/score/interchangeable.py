"""Columns that could stand for each other: clusters by correlation, so that no arbitrary winner is named."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from tamis.table import Table


@dataclass(frozen=True)
class Interchangeable:
    """Columns that could stand for each other.

    Attributes
    ----------
    columns : their names (or positions), the best first.

    >>> print(Interchangeable(("g17", "g203")))
    g17 or g203
    """

    columns: tuple[Any, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.columns))


def clusters_of(table: Table, columns: np.ndarray, min_similarity: float) -> list[np.ndarray]:
    """Groups of columns in which every two correlate by at least `min_similarity` in absolute value (complete linkage).

    Missing values are read as the column's mean; categorical columns stand alone.
    """
    numeric = [int(j) for j in columns if not table.column(int(j)).is_categorical]
    alone = [np.array([int(j)]) for j in columns if table.column(int(j)).is_categorical]
    if len(numeric) < 2:
        return alone + [np.array([j]) for j in numeric]
    values = np.column_stack([_centred(table.column(j).values) for j in numeric])
    distance = np.clip(1 - np.abs(values.T @ values), 0, 1)
    np.fill_diagonal(distance, 0)
    hierarchy, pairs = scipy.cluster.hierarchy, scipy.spatial.distance.squareform(distance, checks=False)
    labels = hierarchy.fcluster(hierarchy.linkage(pairs, "complete"), 1 - min_similarity, "distance")
    return alone + [np.array(numeric)[labels == label] for label in np.unique(labels)]


def _centred(values: np.ndarray) -> np.ndarray:
    mean = np.nanmean(values) if not np.isnan(values).all() else 0.0
    filled = np.where(np.isnan(values), 0.0, values - mean)
    length = np.sqrt((filled**2).sum())
    return filled / length if length > 0 else filled
