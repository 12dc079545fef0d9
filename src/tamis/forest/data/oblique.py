"""Oblique trees: each looks at its own random sums of a few columns instead of the columns themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.engine import generator
from tamis.forest.layout import COLUMN, LEFT_IF_MISSING, OBLIQUE
from tamis.table import Table
from tamis.views.binned import BinnedTable, bin_columns

PER = 4  # sums a tree is offered for each column
MOST_SUMS = 256  # and at most


@dataclass(frozen=True, eq=False)
class ObliqueColumns:
    """The binned table of one oblique tree: random sums first, then the categorical columns as they are.

    Attributes
    ----------
    binned : what the tree grows on.
    sum_column, sum_factor : (sums, columns in a sum) positions in the forest's binned table, and their factors.
    share : how much of a sum's spread each of its columns brings.
    plain : positions in the forest's binned table of the columns that follow the sums.
    """

    binned: BinnedTable
    sum_column: np.ndarray
    sum_factor: np.ndarray
    share: np.ndarray
    plain: np.ndarray

    @classmethod
    def of(cls, binned: BinnedTable, values: np.ndarray, width: int, seed: int, t: int) -> ObliqueColumns:
        """Binned table of tree t; factors are drawn evenly from -1 to 1, over their column's spread (Breiman 2001)."""
        numeric, plain = np.flatnonzero(~binned.category), np.flatnonzero(binned.category)
        width, n_sums = min(width, len(numeric)), min(PER * len(numeric), MOST_SUMS)
        random = generator(seed, "sums", t)
        sum_column = np.array([random.choice(numeric, width, replace=False) for _ in range(n_sums)], dtype=np.int64)
        weight = random.uniform(-1.0, 1.0, size=(n_sums, width))
        factor = weight / _spread(binned)[sum_column]
        sums = np.zeros((len(values), n_sums))
        for q in range(width):  # in the order in which a prediction adds them up
            sums += factor[:, q] * values[:, sum_column[:, q]]
        share = np.abs(weight) / np.maximum(np.abs(weight).sum(axis=1, keepdims=True), 1e-300)
        return cls(_with_categories(bin_columns(Table.of(sums))[0], binned, plain), sum_column, factor, share, plain)

    def spread(self, gain: np.ndarray, n_columns: int) -> np.ndarray:
        """What sums bring, shared out to their columns."""
        out, n_sums = np.zeros(n_columns), len(self.sum_column)
        np.add.at(out, self.sum_column, gain[:n_sums, None] * self.share)
        out[self.plain] += gain[n_sums:]
        return out

    def named(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rewrite a tree's nodes to ask for sums and for the forest's columns; the sums it uses."""
        flags, n_sums = nodes["column"], len(self.sum_column)
        split = nodes["left"] >= 0
        column = flags & COLUMN
        of_sum = split & (column < n_sums)
        used, index = np.unique(column[of_sum], return_inverse=True)
        flags[of_sum] = OBLIQUE | (flags[of_sum] & LEFT_IF_MISSING) | index.astype(np.int32)
        plain = split & ~of_sum
        if len(self.plain):
            flags[plain] = (flags[plain] & ~COLUMN) | self.plain[column[plain] - n_sums].astype(np.int32)
        return self.sum_column[used], self.sum_factor[used]


def _spread(binned: BinnedTable) -> np.ndarray:
    """Standard deviation of each column's different values: the same whether a row is given twice or weighs 2."""
    ends = zip(binned.first[:-1], binned.first[1:])
    deviation = np.array([np.std(binned.low[a:b]) if b > a else 0.0 for a, b in ends])
    return np.where(deviation > 0, deviation, 1.0)


def values_of(binned: BinnedTable) -> np.ndarray:
    """The numbers behind the codes, rows × columns; NaN for missing and for categories."""
    out = np.full((binned.codes.shape[1], len(binned.codes)), np.nan)
    for j in np.flatnonzero(~binned.category):
        present = binned.codes[j] < binned.n_values[j]
        out[present, j] = binned.low[binned.first[j] + binned.codes[j][present].astype(np.int64)]
    return out


def _with_categories(sums: BinnedTable, binned: BinnedTable, plain: np.ndarray) -> BinnedTable:
    """The sums, then the columns `plain` of the binned table, which are categories and have no values."""
    codes = np.concatenate([sums.codes, binned.codes[plain]])
    return sums._replace(
        codes=codes,
        by_row=np.ascontiguousarray(codes.T),
        n_values=np.concatenate([sums.n_values, binned.n_values[plain]]),
        missing=np.concatenate([sums.missing, binned.missing[plain]]),
        category=np.concatenate([sums.category, binned.category[plain]]),
        first=np.append(sums.first, np.full(len(plain), sums.first[-1])),
    )
