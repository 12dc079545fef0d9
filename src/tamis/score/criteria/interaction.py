"""What two columns tell together that neither tells alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from tamis import _core, check
from tamis.engine import generator, map_threads
from tamis.score.counts import cut
from tamis.score.criterion import Criterion, Target, read_table
from tamis.score.groups import Groups
from tamis.table import Table, same_length
from tamis.table.like import TableLike

LEVELS = 32  # levels of a category that pairs tell apart: the rarest share a group
PAIRS = 4096  # pairs a task, about: milliseconds of work
FIRST = 8  # permutations after which it is first asked whether any pair can still pass: on noise, mostly none can


class Pair(NamedTuple):
    """Two columns that tell more together, how many nats more, and how likely chance gives its best pair as much."""

    first: str
    second: str
    information: float
    pvalue: float


@dataclass(frozen=True, eq=False)
class _View:
    """Columns in the order of their names, so that sums over a pair's cells do not depend on where columns stand."""

    indices: np.ndarray  # where the k-th column stands in the table
    columns: _core.PairColumns
    freedom: np.ndarray  # (d, d), i < j: degrees of freedom of the interaction, for each class but one
    xlogx: np.ndarray

    @property
    def n_columns(self) -> int:
        return len(self.indices)

    @property
    def upper(self) -> tuple[np.ndarray, np.ndarray]:
        return np.triu_indices(self.n_columns, 1)

    def targets(self, targets: Sequence[Target]) -> _core.PairTargets:
        """Targets of the same classes, as the kernels read them."""
        classes = np.array([target.codes for target in targets], dtype=np.int32)
        return _core.PairTargets(self.columns, classes, targets[0].n_classes, self.xlogx)

    def blocks(self) -> list[slice]:
        """Columns a task, with about as many pairs each; the same for any number of threads."""
        edges = [0]
        while edges[-1] < self.n_columns:
            edges.append(edges[-1] + max(1, PAIRS // max(self.n_columns - edges[-1], 1)))
        return [slice(a, min(b, self.n_columns)) for a, b in pairwise(edges)]


class Interaction(Criterion):
    """The best of a column's pairs: information beyond the members', less what chance gives on average."""

    name = "interaction"
    takes_weights = False

    def target(self, y: Any, n_rows: int, weights: np.ndarray | None = None) -> Target:
        target = super().target(y, n_rows, weights)
        return target if target.kind == "classes" else cut(target, max_bins=4)

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> _View:
        n, indices = table.n_rows, table.order()
        # Five rows a cell, so that chance stays small; eight groups a column show all but the finest pattern.
        max_groups = int(np.clip(np.sqrt(n / (5 * max(target.n_classes, 1))), 2, 8))
        groups = Groups.of(table.select(indices.tolist()), max_groups=max_groups, levels=LEVELS, n_jobs=n_jobs)
        row_counts = np.arange(n + 1, dtype=np.float64)
        used = np.zeros((groups.n_columns, groups.n_columns))
        view = _View(indices, _core.PairColumns(groups.codes, groups.sizes), used, xlogy(row_counts, row_counts))
        map_threads(
            lambda block: _core.count_used_cells(view.columns, block.start, block.stop, used), view.blocks(), n_jobs
        )
        freedom = np.maximum(used - groups.sizes[:, None] - groups.sizes[None, :] + 1, 0)
        return replace(view, freedom=np.triu(freedom, 1))

    def synergy(self, view: _View, targets: Sequence[Target], n_jobs: int | None = None) -> np.ndarray:
        """Information of each pair i < j beyond its members', plain: (targets, d, d)."""
        read = view.targets(targets)
        gains = np.zeros((len(targets), view.n_columns, view.n_columns))

        def some(block: slice) -> None:
            _core.pair_synergies(view.columns, read, view.xlogx, block.start, block.stop, gains)

        map_threads(some, view.blocks(), n_jobs)
        return gains

    def values(self, view: _View, target: Target, n_jobs: int | None = None) -> np.ndarray:
        return self._best(view, [target], n_jobs)[0]

    def values_of_targets(self, view: _View, targets: Sequence[Target]) -> np.ndarray:
        batch = min(_at_once(view, targets[0]), max(1, 20_000_000 // view.n_columns**2))  # d × d numbers each
        return np.concatenate([self._best(view, targets[a : a + batch]) for a in range(0, len(targets), batch)])

    def _best(self, view: _View, targets: Sequence[Target], n_jobs: int | None = None) -> np.ndarray:
        """Of each target and column, the best pair's synergy less its mean when only chance acts."""
        chance = view.freedom * max(targets[0].n_classes - 1, 0) / (2 * targets[0].n_rows)
        gains = np.maximum(self.synergy(view, targets, n_jobs) - chance, 0.0)
        gains = np.where(view.freedom > 0, gains, 0.0)
        best = np.empty((len(targets), view.n_columns))
        best[:, view.indices] = np.maximum(gains.max(axis=1), gains.max(axis=2))
        return best

    def against_chance(
        self,
        view: _View,
        target: Target,
        n_permutations: int,
        seed: int,
        n_jobs: int | None,
        alpha: float = 1.0,
    ) -> tuple[np.ndarray, np.ndarray]:
        """For each pair i < j: synergy less its mean over permuted targets, and the p-value against the best of chance.

        Pairs are compared on one scale: synergy standardised as the chi-squared variable it is when only chance acts.
        Permuting ends early when no pair's p-value can be `alpha` or less any more; all are then 1.
        """
        upper, freedom = view.upper, view.freedom * max(target.n_classes - 1, 0)
        synergy = self.synergy(view, [target], n_jobs)[0][upper]
        observed = _standardised(synergy, freedom[upper], target.n_rows)
        total, best = np.zeros_like(freedom), np.empty(0)
        first, batch = 0, FIRST
        while first < n_permutations:
            numbers = range(first, min(first + batch, n_permutations))
            read = view.targets([_permuted(target, seed, p) for p in numbers])

            def some(block: slice, read: _core.PairTargets = read) -> np.ndarray:
                tops = np.full(read.n_targets, -np.inf)
                _core.pair_null(view.columns, read, view.xlogx, freedom, block.start, block.stop, total, tops)
                return tops

            best = np.concatenate([best, np.max(map_threads(some, view.blocks(), n_jobs), axis=0)])
            hits = int((best >= observed.max(initial=-np.inf)).sum())
            if 1 + hits > alpha * (1 + n_permutations):
                return synergy, np.ones(len(synergy))
            first, batch = numbers.stop, _at_once(view, target)
        hits_of = n_permutations - np.searchsorted(np.sort(best), observed)
        return synergy - total[upper] / n_permutations, (1.0 + hits_of) / (1.0 + n_permutations)


def _standardised(synergy: np.ndarray, freedom: np.ndarray, n: int) -> np.ndarray:
    """Synergies less their mean and over their standard deviation, were they due to chance; as the kernel does it."""
    return np.where(freedom > 0, (2 * n * synergy - freedom) / np.sqrt(2.0 * np.maximum(freedom, 1e-9)), -np.inf)


def _permuted(target: Target, seed: int, p: int) -> Target:
    return target.take(generator(seed, "permutation", p).permutation(target.n_rows))


def _at_once(view: _View, target: Target) -> int:
    """Targets that are counted together: enough to share the ANDs of a pair, few enough to stay in the cache."""
    fit = (1 << 18) // max(view.columns.n_words * 8 * max(target.n_classes - 1, 1), 1)
    return int(np.clip(fit, 4, 64))


def _against_chance(
    X: TableLike, y: ArrayLike, alpha: float, n_permutations: int, random_state: int, n_jobs: int | None
) -> tuple[Table, np.ndarray, np.ndarray, np.ndarray]:
    """The table, and for each pair its two columns (2, pairs), first name first, its gain and its p-value."""
    check.number("alpha", alpha, low=0, high=1)
    check.count("n_permutations", n_permutations)
    criterion, table = Interaction(), read_table(X)
    if y is not None:
        same_length(table, y)
    target = criterion.target(y, table.n_rows)
    view = criterion.view(table, target, None, n_jobs)
    gain, pvalues = criterion.against_chance(view, target, n_permutations, random_state, n_jobs, alpha)
    return table, view.indices[np.array(view.upper)], gain, pvalues


def interaction(
    X: TableLike,
    y: ArrayLike,
    *,
    alpha: float = 0.05,
    n_permutations: int = 50,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> np.ndarray:
    r"""Information that each pair of columns carries beyond its members, corrected for chance.

    .. math:: I(x_i, x_j; y) - I(x_i; y) - I(x_j; y)

    in nats, less its mean over permuted targets. A pair that is not above the best pair of all in at least a share
    1 − alpha of the permutations could be chance, and gets 0; permuting ends as soon as none can pass. Numbers are cut
    into two to eight groups, as the rows allow.

    Permuted targets have nothing to do with any column. So the test is against a target that is independent of all
    columns; it is not against a sum of effects. Two columns whose effects add up can pass too: the information of a
    sum is not the sum of the informations. A study's report tests pairs against a sum of curves instead.

    Rows are counted 64 at a time, by ANDs of the sets of rows that have a value.

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes or numbers.
    alpha : chance that any pair is reported where the target is independent of all columns.
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
    table, pairs, gain, pvalues = _against_chance(X, y, alpha, n_permutations, random_state, n_jobs)
    matrix = np.zeros((table.n_columns, table.n_columns))
    matrix[pairs[0], pairs[1]] = np.where((pvalues <= alpha) & (gain > 0), gain, 0.0)
    return matrix + matrix.T


def top_pairs(
    X: TableLike,
    y: ArrayLike,
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
    check.count("top", top)
    table, pairs, gain, pvalues = _against_chance(X, y, alpha, n_permutations, random_state, n_jobs)
    significant = np.flatnonzero((pvalues <= alpha) & (gain > 0))
    best = significant[np.argsort(-gain[significant], kind="stable")][
        :top
    ]  # equal gains stay in the order of their names
    named = [(table.names[pairs[0, p]], table.names[pairs[1, p]]) for p in best]
    return [Pair(a, b, float(gain[p]), float(pvalues[p])) for (a, b), p in zip(named, best)]
