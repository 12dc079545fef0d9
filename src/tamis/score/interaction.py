"""What two columns tell together that neither tells alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from tamis import check
from tamis.engine import generator, map_threads
from tamis.score.counts import cut
from tamis.score.criterion import Criterion, Target, read_table
from tamis.score.groups import Groups
from tamis.score.mutual_information import information
from tamis.table import Table, same_length

__all__ = ["Interaction", "Pair", "interaction", "top_pairs"]

LEVELS = 32  # levels of a category that pairs tell apart: the rarest share a group


class Pair(NamedTuple):
    """Two columns that tell more together, how many nats more, and how likely chance gives its best pair as much."""

    first: str
    second: str
    information: float
    pvalue: float


@dataclass(frozen=True, eq=False)
class _View:
    """Columns in the order of their names, so that sums over a pair's cells do not depend on where columns stand."""

    places: np.ndarray  # where the k-th column stands in the table
    groups: Groups
    freedom: np.ndarray  # (d, d), i < j: degrees of freedom of the interaction, for each class but one
    xlogx: np.ndarray

    @property
    def upper(self) -> tuple[np.ndarray, np.ndarray]:
        return np.triu_indices(self.groups.n_columns, 1)


class Interaction(Criterion):
    """The best of a column's pairs: information beyond the members', less what chance gives on average."""

    name = "interaction"
    takes_weights = False

    def target(self, y: Any, n_rows: int, weights: np.ndarray | None = None) -> Target:
        target = super().target(y, n_rows, weights)
        return target if target.kind == "classes" else cut(target, most=4)

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> _View:
        from tamis.score import pairs

        n, places = table.n_rows, table.order()
        # Five rows a cell, so that chance stays small; eight groups a column show all but the finest pattern.
        most = int(np.clip(np.sqrt(n / (5 * max(target.n_classes, 1))), 2, 8))
        groups = Groups.of(table.select(places.tolist()), most=most, levels=LEVELS, n_jobs=n_jobs)
        used = np.zeros((groups.n_columns, groups.n_columns))
        pairs.cells(groups.codes, groups.sizes, used)
        freedom = np.maximum(used - groups.sizes[:, None] - groups.sizes[None, :] + 1, 0)
        whole = np.arange(n + 1, dtype=np.float64)
        return _View(places, groups, np.triu(freedom, 1), xlogy(whole, whole))

    def synergy(self, view: _View, target: Target) -> np.ndarray:
        """Information of each pair i < j beyond its members', plain."""
        from tamis.score import pairs

        assert target.codes is not None
        groups = view.groups
        single = information(groups.tables(target.codes, target.n_classes))
        found = np.zeros((groups.n_columns, groups.n_columns))
        pairs.synergy(groups.codes, groups.sizes, target.codes, target.n_classes, view.xlogx, single, found)
        return found

    def values(self, view: _View, target: Target, n_jobs: int | None = None) -> np.ndarray:
        chance = view.freedom * max(target.n_classes - 1, 0) / (2 * target.n_rows)
        found = np.maximum(self.synergy(view, target) - chance, 0.0)
        found = np.where(view.freedom > 0, found, 0.0)
        best = np.empty(len(found))
        best[view.places] = np.maximum(found.max(axis=0), found.max(axis=1))
        return best

    def against_chance(
        self, view: _View, target: Target, n_permutations: int, seed: int, n_jobs: int | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """For each pair i < j: synergy less its mean over permuted targets, and the p-value against the best of chance.

        Pairs are compared on one scale: synergy standardised as the chi-squared variable it is when only chance acts.
        """
        upper = view.upper
        freedom = view.freedom[upper] * max(target.n_classes - 1, 0)
        scale = np.sqrt(2 * np.maximum(freedom, 1e-9))

        def standardised(synergy: np.ndarray) -> np.ndarray:
            return np.where(freedom > 0, (2 * target.n_rows * synergy - freedom) / scale, -np.inf)

        def one(p: int) -> tuple[np.ndarray, float]:
            order = generator(seed, "permutation", p).permutation(target.n_rows)
            synergy = self.synergy(view, target.take(order))[upper]
            return synergy, float(standardised(synergy).max(initial=-np.inf))

        mean, best = np.zeros(len(freedom)), []
        few = int(np.clip(20_000_000 // max(len(freedom), 1), 2, 16))  # at a time: d × d numbers each
        for first in range(0, n_permutations, few):
            for synergy, top in map_threads(one, range(first, min(first + few, n_permutations)), n_jobs):
                mean += synergy / n_permutations
                best.append(top)
        synergy = self.synergy(view, target)[upper]
        hits = (np.array(best)[:, None] >= standardised(synergy)[None, :]).sum(axis=0)
        return synergy - mean, (1.0 + hits) / (1.0 + n_permutations)


def _against_chance(
    X: Any, y: Any, n_permutations: int, random_state: int, n_jobs: int | None
) -> tuple[Table, np.ndarray, np.ndarray, np.ndarray]:
    """The table, and for each pair its two columns (2, pairs), first name first, its gain and its p-value."""
    check.count("n_permutations", n_permutations)
    criterion, table = Interaction(), read_table(X)
    if y is not None:
        same_length(table, y)
    target = criterion.target(y, table.n_rows)
    view = criterion.view(table, target, None, n_jobs)
    gain, pvalues = criterion.against_chance(view, target, n_permutations, random_state, n_jobs)
    return table, view.places[np.array(view.upper)], gain, pvalues


def interaction(
    X: Any, y: Any, *, alpha: float = 0.05, n_permutations: int = 50, random_state: int = 0, n_jobs: int | None = None
) -> np.ndarray:
    r"""Information that each pair of columns carries beyond its members, corrected for chance.

    .. math:: I(x_i, x_j; y) - I(x_i; y) - I(x_j; y)

    in nats, less its mean over permuted targets. A pair that is not above the best pair of all in at least a share
    1 − alpha of the permutations could be chance, and gets 0. Numbers are cut into two to eight groups, as the rows
    allow.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes or numbers.
    alpha : chance that a pair is reported where none has any interaction.
    n_permutations : number of permuted targets; at least 1 / alpha − 1, or no pair can pass.
    random_state : seed of the permutations.
    n_jobs : number of threads.

    Returns
    -------
    array of d × d numbers, symmetric, 0 on the diagonal.

    References
    ----------
    W. McGill, "Multivariate information transmission", 1954; A. Jakulin and I. Bratko, "Testing the significance of
    attribute interactions", ICML 2004; P. Westfall and S. Young, "Resampling-based multiple testing", 1993.

    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    >>> interaction(X, X[:, 0] ^ X[:, 1]).round(1)
    array([[0. , 0.7],
           [0.7, 0. ]])
    """
    check.number("alpha", alpha, low=0, high=1)
    table, pairs, gain, pvalues = _against_chance(X, y, n_permutations, random_state, n_jobs)
    found = np.zeros((table.n_columns, table.n_columns))
    found[pairs[0], pairs[1]] = np.where((pvalues <= alpha) & (gain > 0), gain, 0.0)
    return found + found.T


def top_pairs(
    X: Any,
    y: Any,
    *,
    top: int = 10,
    alpha: float = 0.05,
    n_permutations: int = 50,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> list[Pair]:
    """The pairs that `interaction` reports, by name, best first; an empty list when all could be chance.

    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    >>> top_pairs(X, X[:, 0] ^ X[:, 1])[0][:2]
    ('x0', 'x1')
    """
    check.number("alpha", alpha, low=0, high=1)
    check.count("top", top)
    table, pairs, gain, pvalues = _against_chance(X, y, n_permutations, random_state, n_jobs)
    kept = np.flatnonzero((pvalues <= alpha) & (gain > 0))
    best = kept[np.argsort(-gain[kept], kind="stable")][:top]  # equal gains stay in the order of their names
    named = [(table.names[pairs[0, p]], table.names[pairs[1, p]]) for p in best]
    return [Pair(a, b, float(gain[p]), float(pvalues[p])) for (a, b), p in zip(named, best)]
