"""Rows with equal features: copies of one case, which must not be split between training and test rows."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from tamis.engine.seed import generator
from tamis.errors import KindError, TamisError
from tamis.evaluate.leakage.duplicates import Shuffled, duplicates, near_duplicates, row_keys
from tamis.evaluate.leakage.near_twins import encoded_rows, held_out_ridge, nearest
from tamis.evaluate.problem import Problem
from tamis.split import Folds
from tamis.table import Table

P = TypeVar("P", bound=Problem)


#: A set of equal rows larger than one of five folds would unbalance them; its rows are left as they are.
MAX_SHARE = 0.2

#: Joined with groups of the user, equal rows must leave this many groups at least.
MIN_GROUPS = 5

#: Sets of equal rows whose target is compared with that of the nearest other set, at most.
MAX_SETS = 500

#: Copies beyond the first of each set, of all rows, from which on rows count as dependent: with fewer it is enough that
#: folds keep them together.
DEPENDENT = 0.02

#: Of the target's variance: how much more the other rows of a set must predict than the nearest other set does.
MIN_EXCESS = 0.15


class Coincidences:
    """Rows that would equal another one by chance if only single columns, and pairs of them, were as they are."""

    def __init__(self, table: Table) -> None:
        self._shuffled = Shuffled(table)
        self._draws = range(5 if table.n_rows <= 50_000 else 2)  # a draw of many rows costs seconds

    @cached_property
    def duplicates(self) -> float:
        """Mean number of rows with a duplicate, in sets no larger than a fold."""
        sets = [duplicates(row_keys(self._shuffled.table(draw))) for draw in self._draws]
        return float(np.mean([int((of_fold_size(drawn) >= 0).sum()) for drawn in sets]))

    @cached_property
    def near_duplicates(self) -> float:
        """Mean number of rows with an almost equal one."""
        pairs = [near_duplicates(self._shuffled.table(draw)) for draw in self._draws]
        return float(np.mean([len({row for pair in drawn for row in pair}) for drawn in pairs]))


def of_fold_size(sets: np.ndarray) -> np.ndarray:
    """The sets of equal rows without those larger than one of five folds, whose rows become −1.

    >>> of_fold_size(np.array([0, 0, 0, 1, 1, -1, -1, -1, -1, -1])).tolist()
    [-1, -1, -1, 1, 1, -1, -1, -1, -1, -1]
    """
    sizes = np.bincount(sets[sets >= 0], minlength=1)
    return np.where((sets >= 0) & (sizes[sets] <= max(2, MAX_SHARE * len(sets))), sets, -1)


def clearly_more(observed: int, expected: float) -> bool:
    """Half as many again as expected, and four standard deviations of a count (in pairs) above it.

    The factor is for what the shuffled columns do not keep: three columns that depend on each other as no two of them
    do.

    >>> clearly_more(45, 40.2), clearly_more(125, 2.8)
    (False, True)
    """
    return bool(observed > 1.5 * expected + 4 * np.sqrt(2 * expected))


@dataclass(frozen=True, eq=False)
class EqualRows:
    """Sets of rows with equal features, more of them than chance explains.

    Attributes
    ----------
    sets : number of the set of each row, −1 for a row that equals no other.
    expected : rows with a duplicate that chance would give.
    """

    sets: np.ndarray
    expected: float

    @property
    def n_rows(self) -> int:
        """Rows that equal another one."""
        return int((self.sets >= 0).sum())

    @property
    def n_sets(self) -> int:
        """Different rows among them."""
        return len(np.unique(self.sets[self.sets >= 0]))

    def split_by(self, pairs: Folds) -> int:
        """Rows that are judged in some fold while an equal row is among its training rows."""
        is_split = np.zeros(len(self.sets), dtype=bool)
        for train, test in pairs:
            train_sets = np.unique(self.sets[train])
            is_split[test[(self.sets[test] >= 0) & np.isin(self.sets[test], train_sets)]] = True
        return int(is_split.sum())

    def joined(self, groups: np.ndarray | None) -> np.ndarray | None:
        """Groups of rows that share a set or a given group, directly or over other rows; None where they are too few.

        >>> EqualRows(np.array([0, -1, 0, -1]), 0.0).joined(np.array(["a", "a", "b", "c"])) is None
        True
        >>> EqualRows(np.array([0, -1, 0, -1]), 0.0).joined(None).tolist()
        [0, 1, 0, 2]
        """
        n = len(self.sets)
        rows = np.flatnonzero(self.sets >= 0)
        group_codes = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
        links = sparse.coo_matrix(
            (
                np.ones(n + len(rows)),
                (np.r_[np.arange(n), rows], np.r_[group_codes, group_codes.max() + 1 + self.sets[rows]]),
            ),
            shape=(n, int(group_codes.max()) + 2 + int(self.sets.max())),
        )
        graph = sparse.bmat([[None, links], [links.T, None]])
        components = np.unique(connected_components(graph, directed=False)[1][:n], return_inverse=True)[1]
        if groups is None:
            return components
        largest = max(int(np.bincount(group_codes).max()), MAX_SHARE * n)
        too_few = components.max() + 1 < min(MIN_GROUPS, int(group_codes.max()) + 1)
        return None if too_few or np.bincount(components).max() > largest else components


def equal_rows(table: Table, y: np.ndarray, classes: bool, sets: np.ndarray | None = None) -> EqualRows | None:
    """Rows that are copies of one case, by their features; None where equal rows are a coincidence of coarse columns.

    Equal rows are a coincidence where shuffled columns (see `Shuffled`) have about as many. Where fewer than half of
    the rows are different, the columns may form a design whose points come again; there the rows of a set must also
    agree in the target more than the features explain: their mean predicts a row better, by `MIN_EXCESS` of the
    target's variance, than the nearest other set does.

    Parameters
    ----------
    table : the features.
    y : class codes or numbers.
    classes : whether y holds class codes.
    sets : of equal rows, where they are known (see `duplicates`).
    """
    sets = duplicates(row_keys(table)) if sets is None else sets
    is_design = 2 * (int((sets < 0).sum()) + len(np.unique(sets[sets >= 0]))) < table.n_rows
    sets = of_fold_size(sets)
    n_rows = int((sets >= 0).sum())
    if not n_rows or table.n_columns < 2:
        return None
    expected = Coincidences(table).duplicates
    if not clearly_more(n_rows, expected) or (is_design and not _agree(table, y, classes, sets)):
        return None
    numbers = np.unique(sets[sets >= 0])
    return EqualRows(np.where(sets >= 0, np.searchsorted(numbers, sets), -1), expected)


def _agree(table: Table, y: np.ndarray, classes: bool, sets: np.ndarray) -> bool:
    """Whether the rows of a set share more of the target than the features explain.

    Each row is predicted by the other rows of its set, by the nearest other set, and by a ridge regression on the
    other sets; the better of the latter two is what the features explain.
    """
    several = np.flatnonzero(np.bincount(sets[sets >= 0]) > 1)
    if len(several) > MAX_SETS:
        several = np.sort(generator(0, "sets of equal rows").permutation(several)[:MAX_SETS])
    if len(several) < 10:
        return False
    rows = np.flatnonzero(np.isin(sets, several))
    code = np.searchsorted(several, sets[rows])
    target = (y[rows, None] == np.unique(y)).astype(np.float64) if classes else y[rows, None].astype(np.float64)
    variance = float(((target - target.mean(axis=0)) ** 2).sum())
    if variance == 0:
        return False
    size = np.bincount(code).astype(np.float64)
    total = np.array([np.bincount(code, weights=column) for column in target.T]).T
    points = encoded_rows(table.take(rows[np.unique(code, return_index=True)[1]]))
    means = total / size[:, None]
    by_features = (means[nearest(points, 1)[0][:, 0]], held_out_ridge(points, means, size))
    explained = min(float(((target - predicted[code]) ** 2).sum()) for predicted in by_features)
    within_scatter = float(((target - (total[code] - target) / (size[code] - 1)[:, None]) ** 2).sum())
    return explained - within_scatter > MIN_EXCESS * variance


def with_equal_rows(problem: P) -> tuple[P, EqualRows | None]:
    """The problem whose folds keep equal rows together, and those rows; as it was where there is nothing to keep.

    Where copies are many they become its groups, too, so that intervals and tests count each set once. Rows in time
    order stay as they are: what an equal row had in the past is known when a later one is predicted.
    """
    if problem.time is not None or problem.copies is not None:
        return problem, None
    try:
        table = Table.of(problem.X)
    except (TamisError, KindError):  # what only the user's own procedure can read
        return problem, None
    equal = equal_rows(table, problem.codes, problem.of_classes)
    joined = None if equal is None else equal.joined(problem.groups)
    if equal is None or joined is None:
        return problem, None
    if problem.groups is not None:
        return replace(problem, groups=joined), equal
    too_many = equal.n_rows - equal.n_sets > DEPENDENT * len(joined)
    return replace(problem, copies=joined, groups=joined if too_many else None), equal
