"""Columns tried at a split, smallest leaf and kind of thresholds, chosen by the forest's own out-of-bag score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import KindError
from tamis.forest.grow.growing import GrowingForest
from tamis.forest.layout import ForestLimits, ForestTarget
from tamis.forest.settings import columns_to_try
from tamis.tree.settings import rows_or_share

TREES = 50  # that settings are compared by
LEAVES = (1, 5, 20, 100)
FEWEST = 4  # leaves that a tree of the rows drawn must have room for
MOST = 16  # settings of the first one's cost (columns tried) that comparing may cost: 1.6 forests of 500 trees
THRESHOLDS = ("best", "random")

#: Standard errors of the difference, paired by row, by which more columns tried (they cost time) must be better; a leaf
#: must just be better. Over 52 runs of classes (22 tables split twice, at most 1,200 rows to learn from; 4 of rare
#: positives, 4 of noise) the Brier score on new rows was 0.2395 by default, 0.2333 when leaves alone are chosen, 0.2261
#: with this margin, 0.2269 with 1; over 22 of numbers (9 tables split twice; 4 of little signal) 0.365, 0.361, 0.340,
#: 0.344 of the variance was left. `benchmarks/forest/margin.py` does the like on the tables alone.
MARGIN = 0.25


@dataclass(frozen=True)
class Setting:
    """What a forest is grown with, and the score to expect of the whole forest (lower is better)."""

    max_features: int
    min_samples_leaf: int
    score: float
    thresholds: str = "best"


@dataclass(frozen=True)
class Grid:
    """Columns tried at a split, smallest leaves and thresholds that may be taken; the search begins at the first."""

    features: list[int]
    leaves: list[int]
    thresholds: list[str]

    @classmethod
    def of(cls, given: Any, first: ForestLimits, n_columns: int, n_drawn: int) -> Grid:
        """What `tune` asks for: True, or a mapping with values for `max_features`, `min_samples_leaf`, `thresholds`.

        Leaves of which a tree of `n_drawn` rows has no room for a few are left out.
        """
        own = THRESHOLDS[first.random_cut]
        if given is True:
            return cls(features_to_try(first.max_features, n_columns), leaves_to_try(first.min_leaf, n_drawn), [own])
        if not isinstance(given, Mapping) or not given:
            raise KindError(
                f"tune={given!r} is neither True, False nor a mapping; give True, or values to try, as in "
                "{'max_features': ['sqrt', 0.5], 'min_samples_leaf': [1, 5]}"
            )
        for name in given:
            check.one_of("tune", name, ["max_features", "min_samples_leaf", "thresholds"])
        features = [columns_to_try(value, n_columns) for value in _values(given, "max_features", first.max_features)]
        leaves = [
            rows_or_share("min_samples_leaf", value, n_drawn, 1)
            for value in _values(given, "min_samples_leaf", first.min_leaf)
        ]
        fits = [leaf for leaf in leaves if leaf <= n_drawn // FEWEST] or leaves[:1]
        kinds = [check.one_of("thresholds", value, THRESHOLDS) for value in _values(given, "thresholds", own)]
        return cls(list(dict.fromkeys(features)), list(dict.fromkeys(fits)), list(dict.fromkeys(kinds)))

    def limits(self, first: ForestLimits, at: tuple[int, int, int]) -> ForestLimits:
        """The limits at a place of the grid."""
        features, leaf, kind = self.features[at[0]], self.leaves[at[1]], self.thresholds[at[2]]
        return first._replace(max_features=features, min_leaf=leaf, random_cut=kind == "random")

    def around(self, at: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
        """Neighbours of the same thresholds: more columns, next larger leaf, fewer columns, next smaller leaf."""
        for more, larger in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            i, j = at[0] + more, at[1] + larger
            if 0 <= i < len(self.features) and 0 <= j < len(self.leaves):
                yield i, j, at[2]


def _values(given: Mapping[str, Any], name: str, alone: Any) -> list[Any]:
    """The values to try of a parameter, in their order; the one it has, where none are given."""
    values = given.get(name, [alone])
    listed = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    if not listed:
        raise KindError(f"tune={given!r} has no value for {name}; give one or several, or leave it out")
    return listed


def tuned(
    begin: Callable[[ForestLimits], GrowingForest], first: ForestLimits, grid: Grid, n_trees: int
) -> tuple[GrowingForest, list[Setting]]:
    """The beginning of the forest of the best setting found, and all settings that were tried, the best one last.

    A setting is judged by the mean squared out-of-bag error (Brier score, for classes) of its first trees, which draw
    the same rows for every setting. From the first setting on, a neighbour (more columns, next larger leaf, fewer
    columns, next smaller leaf) is taken when it is better, more columns by `MARGIN`, until none is; likewise for the
    other thresholds, which want more columns, and the better of the two is taken. Settings that would cost too much
    are not tried, by the number of trees and columns, never by the clock.

    Parameters
    ----------
    begin : from limits to a forest without trees.
    first : all other limits.
    grid : what may be taken.
    n_trees : of the forest that is judged.
    """
    half = max(1, min(TREES, n_trees) // 2)
    scores: dict[tuple[int, int, int], np.ndarray] = {}
    forests: dict[tuple[int, int, int], GrowingForest] = {}
    settings: list[Setting] = []

    def judged(at: tuple[int, int, int]) -> GrowingForest:
        limits = grid.limits(first, at)
        forest = begin(limits)
        scores[at] = out_of_bag_scores(forest, half, n_trees)
        score = _mean(scores[at], forest.by_copy.judge.weight)
        settings.append(Setting(limits.max_features, limits.min_leaf, score, grid.thresholds[at[2]]))
        return forest

    def climbed(kind: int) -> tuple[int, int, int]:
        """The best place of one kind of thresholds."""
        at, is_moving = (0, 0, kind), True
        forests[at] = judged(at)
        while is_moving:
            is_moving = False
            for near in grid.around(at):
                cost = sum(grid.features[i] for i, _, k in (*scores, near) if k == kind)
                if near in scores or cost > MOST * grid.features[0]:
                    continue
                forest = judged(near)
                margin = MARGIN if near[0] > at[0] else 0.0
                if is_better(scores[near], scores[at], forest.by_copy.judge.weight, margin):
                    del forests[at]
                    forests[near], at, is_moving = forest, near, True
                    break
        return at

    best, *others = map(climbed, range(len(grid.thresholds)))
    for other in others:
        if is_better(scores[other], scores[best], forests[other].by_copy.judge.weight):
            best = other
    settings.append(settings.pop(list(scores).index(best)))
    return forests[best], settings


def features_to_try(first: int, n_columns: int) -> list[int]:
    """Numbers of columns, each twice the one before, and all of them in place of the last.

    >>> features_to_try(5, 30), features_to_try(10, 30), features_to_try(1, 1)
    ([5, 10, 20, 30], [10, 20, 30], [1])
    """
    out = [first]
    while 2 * out[-1] <= 0.75 * n_columns:
        out.append(2 * out[-1])
    return [*out, n_columns] if out[-1] < n_columns else out


def leaves_to_try(first: int, n_drawn: int) -> list[int]:
    """Smallest leaves from the first on, of which a tree of so many rows has room for a few.

    >>> leaves_to_try(1, 100), leaves_to_try(3, 1000)
    ([1, 5, 20], [3, 5, 20, 100])
    """
    return [first, *(leaf for leaf in LEAVES if first < leaf <= n_drawn // FEWEST)]


def is_better(one: np.ndarray, two: np.ndarray, weight: np.ndarray, margin: float = 0.0) -> bool:
    """Whether scores of rows are lower than others by so many standard errors of their mean difference.

    >>> one, two, even = np.array([1.0, 2, 3, 4]), np.array([2.0, 3, 4, 4]), np.ones(4)
    >>> is_better(one, two, even), is_better(one, two, even, 9.0), is_better(even, even, even)
    (True, False, False)
    """
    apart = one - two
    seen = ~np.isnan(apart) & (weight > 0)
    if not seen.any():
        return False
    share = weight[seen] / weight[seen].sum()
    mean = float(share @ apart[seen])
    error = float(np.sqrt((share**2) @ (apart[seen] - mean) ** 2))
    return mean < -margin * error


def _mean(scores: np.ndarray, weight: np.ndarray) -> float:
    seen = ~np.isnan(scores) & (weight > 0)
    return float(np.average(scores[seen], weights=weight[seen])) if seen.any() else np.inf


def out_of_bag_scores(forest: GrowingForest, half: int, n_trees: int) -> np.ndarray:
    """For each row the out-of-bag score to expect of `n_trees` trees, after growing two halves of so many."""
    judge = forest.by_copy.judge
    forest.grow(half)
    votes, counts = judge.votes.copy(), judge.n_trees.copy()
    forest.grow(2 * half)
    truth, scale = _truth(judge.target)
    with np.errstate(invalid="ignore"):
        one = (votes / counts[:, None] - truth) / scale
        two = ((judge.votes - votes) / (judge.n_trees - counts)[:, None] - truth) / scale
    return expected_scores(one, two, half, n_trees)


def _truth(target: ForestTarget) -> tuple[np.ndarray, np.ndarray]:
    """Indicators of the true class, or numbers (rows × outputs); and a scale for each, 1 unless there are several."""
    if target.n_classes:
        return target.classes[:, None] == np.arange(target.n_classes), np.ones(target.n_classes)
    spread = target.values.std(axis=0)
    several = target.values.shape[1] > 1
    return target.values, np.where(spread > 0, spread, 1.0) if several else np.ones(1)


def expected_scores(one: np.ndarray, two: np.ndarray, trees: int, total: int) -> np.ndarray:
    """The squared out-of-bag error of each row to expect of a forest of `total` trees, from two small forests.

    The mean answer of two forests scatters by v = mean |one - two|² / 4 about that of infinitely many trees; that of
    `total` trees by v · 2 trees / total. The difference is taken off: few trees would else speak for large leaves,
    whose answers scatter less (of 7 tables of numbers the share of the variance left by leaves chosen with 50 trees
    was 0.1748, so corrected 0.1736, as with 200 trees). A single row's score may come out below 0.

    Parameters
    ----------
    one, two : errors of each forest (rows × outputs), NaN for rows that no tree left out.
    trees : of each of the two.
    total : of the forest that is judged.

    >>> one, two = np.array([[1.0], [3.0]]), np.array([[1.0], [1.0]])
    >>> expected_scores(one, two, 10, 20), expected_scores(one, two, 10, 40)
    (array([1., 4.]), array([1. , 3.5]))
    """
    mean, apart = (one + two) / 2, one - two
    return np.asarray((mean**2).sum(axis=1) - (apart**2).sum(axis=1) / 4 * (1 - 2 * trees / total))
