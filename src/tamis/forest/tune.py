"""Columns tried at a split, smallest leaf, criterion and drawing of rows, chosen by the forest's out-of-bag score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import KindError
from tamis.forest.growing import GrowingForest
from tamis.forest.layout import ForestLimits, ForestTarget
from tamis.forest.settings import CRITERIA, columns_to_try
from tamis.tree.settings import rows_or_share

TREES = 50  # that settings are compared by
FEWEST_TREES = 12  # with so many rows that fewer trees tell as much: see trees_to_compare
LEAVES = (1, 5, 20, 100)
FEWEST = 4  # leaves that a tree of the rows drawn must have room for
MOST = 16  # settings of the first one's cost (columns tried) that comparing may cost: 1.6 forests of 500 trees
THRESHOLDS = ("best", "random")

#: Standard errors of the difference, paired by row, by which what costs time (more columns tried, another criterion or
#: drawing) must be better; a leaf must just be better. Over 52 runs of classes (22 tables split twice, at most 1,200
#: rows to learn from; 4 of rare positives, 4 of noise) the Brier score on new rows was 0.2395 by default, 0.2333 when
#: leaves alone are chosen, 0.2261 with this margin, 0.2269 with 1; over 22 of numbers (9 tables split twice; 4 of
#: little signal) 0.365, 0.361, 0.340, 0.344 of the variance was left, all before criteria and drawings were compared.
MARGIN = 0.25


@dataclass(frozen=True)
class Drawing:
    """Which rows a tree sees, and which of a node's rows its split is looked for among; None: as it was given."""

    max_samples: float | None = None  # share of the rows, without replacement
    max_split_samples: int | None = None

    def params(self) -> dict[str, Any]:
        """The parameters that ask for it."""
        out: dict[str, Any] = {}
        if self.max_samples is not None:
            out |= {"bootstrap": False, "max_samples": self.max_samples}
        if self.max_split_samples is not None:
            out["max_split_samples"] = self.max_split_samples
        return out


#: What tune=True may draw instead of as many rows as there are with replacement. Trees of more different rows are
#: better one by one; looking for splits among few of them keeps them different, and costs less where nodes are large.
WITHOUT = Drawing(0.8)
SPARSE = Drawing(0.8, 320)
TIMES = 8  # the columns of the first setting that the latter is tried with
#: Rows from which on they are tried. With fewer, a fifth of 50 trees is too few to tell: over nine tables of 1,200 rows
#: or less they were taken where they did not help (0.2090 of the variance left, 0.2069 without).
MANY = 5_000


@dataclass(frozen=True)
class Setting:
    """What a forest is grown with, and the score to expect of the whole forest (lower is better)."""

    max_features: int
    min_samples_leaf: int
    score: float = np.nan
    thresholds: str = "best"
    criterion: str = CRITERIA[0]
    drawing: Drawing = Drawing()

    def limits(self, first: ForestLimits) -> ForestLimits:
        """The limits of its trees; `first` has all others."""
        max_rows = self.drawing.max_split_samples
        return first._replace(
            max_features=self.max_features,
            min_leaf=self.min_samples_leaf,
            random_cut=self.thresholds == "random",
            criterion=CRITERIA.index(self.criterion),
            max_rows=first.max_rows if max_rows is None else max_rows,
        )


@dataclass(frozen=True)
class Grid:
    """Values that may be taken; the search begins at the first of each."""

    features: list[int]
    leaves: list[int]
    thresholds: list[str]
    criteria: list[str]
    drawings: list[Drawing] = field(default_factory=lambda: [Drawing()])
    trees: int = TREES  # that settings are compared by

    @classmethod
    def of(
        cls, grid: Any, first: ForestLimits, n_columns: int, n_drawn: int, may_vary: Mapping[str, bool] | None = None
    ) -> Grid:
        """What `tune` asks for: True, or a mapping with values for `max_features`, `min_samples_leaf`, `thresholds`.

        Leaves of which a tree of `n_drawn` rows has no room for a few are left out. may_vary: what True may vary beside
        columns and leaves.
        """
        kind, criterion, vary = THRESHOLDS[first.random_cut], CRITERIA[first.criterion], may_vary or {}
        if grid is True:
            return cls(
                features_to_try(first.max_features, n_columns),
                leaves_to_try(first.min_leaf, n_drawn),
                [kind],
                list(CRITERIA[:2]) if vary.get("criterion") else [criterion],
                drawings_to_try(n_drawn) if vary.get("drawing") else [Drawing()],
                trees_to_compare(n_drawn),
            )
        if not isinstance(grid, Mapping) or not grid:
            raise KindError(
                f"tune={grid!r} is neither True, False nor a mapping; give True, or values to try, as in "
                "{'max_features': ['sqrt', 0.5], 'min_samples_leaf': [1, 5]}"
            )
        for name in grid:
            check.one_of("tune", name, ["max_features", "min_samples_leaf", "thresholds"])
        features = [columns_to_try(value, n_columns) for value in _values(grid, "max_features", first.max_features)]
        leaves = [
            rows_or_share("min_samples_leaf", value, n_drawn, 1)
            for value in _values(grid, "min_samples_leaf", first.min_leaf)
        ]
        fits = [leaf for leaf in leaves if leaf <= n_drawn // FEWEST] or leaves[:1]
        kinds = [check.one_of("thresholds", value, THRESHOLDS) for value in _values(grid, "thresholds", kind)]
        return cls(list(dict.fromkeys(features)), list(dict.fromkeys(fits)), list(dict.fromkeys(kinds)), [criterion])

    def first(self, kind: str) -> Setting:
        """Where the search of one kind of thresholds begins."""
        return Setting(self.features[0], self.leaves[0], np.nan, kind, self.criteria[0], self.drawings[0])

    def variants(self, at: Setting) -> Iterator[Setting]:
        """The same columns and leaf by another criterion; then rows drawn otherwise, as long as they are not.

        Splits that are looked for among few rows are tried with many columns, which suit them and then cost less.
        """
        if at.drawing != self.drawings[0]:
            return
        yield from (replace(at, criterion=variant) for variant in self.criteria if variant != at.criterion)
        for variant in self.drawings[1:]:
            max_features = max(n for n in self.features if n <= TIMES * self.features[0])
            yield replace(at, max_features=max_features if variant == SPARSE else at.max_features, drawing=variant)

    def around(self, at: Setting) -> Iterator[Setting]:
        """Neighbours: more columns, next larger leaf, fewer columns, next smaller leaf."""
        i, j = self.features.index(at.max_features), self.leaves.index(at.min_samples_leaf)
        for more, larger in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            if 0 <= i + more < len(self.features) and 0 <= j + larger < len(self.leaves):
                yield replace(at, max_features=self.features[i + more], min_samples_leaf=self.leaves[j + larger])


def _values(grid: Mapping[str, Any], name: str, alone: Any) -> list[Any]:
    """The values to try of a parameter, in their order; the one it has, where none are given."""
    values = grid.get(name, [alone])
    listed = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    if not listed:
        raise KindError(f"tune={grid!r} has no value for {name}; give one or several, or leave it out")
    return listed


def tuned(
    begin: Callable[[ForestLimits, Drawing], GrowingForest], first: ForestLimits, grid: Grid, n_trees: int
) -> tuple[GrowingForest, list[Setting]]:
    """The beginning of the forest of the best setting found, and all settings that were tried, the best one last.

    Parameters
    ----------
    begin : from limits and drawing to a forest without trees.
    first : all other limits.
    grid : what may be taken.
    n_trees : of the forest that is judged.
    """
    search = Search(begin, first, grid, n_trees)
    best, *rivals = map(search.climb, grid.thresholds)
    for rival in rivals:
        if search.is_better(rival, best, 0.0):
            best = rival
    chosen = search.scored.pop(best)
    return search.forests[best], [*search.scored.values(), chosen]


class Search:
    """Settings tried so far, by their places (settings without a score), and the forests of those that may be taken.

    A setting is judged by the mean squared out-of-bag error (Brier score, for classes) of its first trees. From the
    first setting on, the other criterion and drawings are taken when they are better, then a neighbour (more columns,
    next larger leaf, fewer columns, next smaller leaf) until none is better. The same for other thresholds, which want
    more columns, and the better of the two is taken. Settings that would cost too much are not tried, by the number of
    trees and columns, never by the clock.
    """

    def __init__(
        self,
        begin: Callable[[ForestLimits, Drawing], GrowingForest],
        first: ForestLimits,
        grid: Grid,
        n_trees: int,
    ) -> None:
        self.begin, self.first, self.grid, self.n_trees = begin, first, grid, n_trees
        self.half = max(1, min(grid.trees, n_trees) // 2)
        self.scored: dict[Setting, Setting] = {}
        self.by_row: dict[Setting, np.ndarray] = {}
        self.forests: dict[Setting, GrowingForest] = {}
        self.worse_leaves: list[Setting] = []

    def climb(self, kind: str) -> Setting:
        """The best place of one kind of thresholds."""
        at = self.grid.first(kind)
        self._judge(at)
        return self._moved(self._moved(at, self.grid.variants), self.grid.around)

    def is_better(self, first: Setting, second: Setting, margin: float) -> bool:
        """Whether a setting is better than another by so many standard errors."""
        return is_better(self.by_row[first], self.by_row[second], self.forests[first].by_copy.weight, margin)

    def _moved(self, at: Setting, near: Callable[[Setting], Iterator[Setting]]) -> Setting:
        """Where one arrives by going to a better neighbour as long as there is one."""
        is_moving = True
        while is_moving:
            is_moving = False
            for neighbour in near(at):
                larger = neighbour.min_samples_leaf > at.min_samples_leaf
                if (
                    neighbour in self.scored
                    or not self._is_affordable(neighbour)
                    or (larger and self._is_worse_leaf(neighbour))
                ):
                    continue
                self._judge(neighbour)
                if self.is_better(neighbour, at, self._margin(at, neighbour)):
                    del self.forests[at]
                    at, is_moving = neighbour, True
                    break
                del self.forests[neighbour]
                if larger:
                    self.worse_leaves.append(neighbour)
        return at

    def _is_worse_leaf(self, setting: Setting) -> bool:
        """Whether a larger leaf need not be tried: with many rows what another number of columns says will do."""
        worse = [replace(each, max_features=setting.max_features) for each in self.worse_leaves]
        return len(self.grid.drawings) > 1 and setting in worse

    def _margin(self, at: Setting, setting: Setting) -> float:
        """By how many standard errors a neighbour must be better: what costs time by `MARGIN`.

        With many rows a larger leaf, which saves time, may be worse by as much.
        """
        if setting.min_samples_leaf == at.min_samples_leaf:
            return MARGIN if setting.max_features >= at.max_features else 0.0
        saves = setting.min_samples_leaf > at.min_samples_leaf and len(self.grid.drawings) > 1
        return -MARGIN if saves else 0.0

    def _is_affordable(self, setting: Setting) -> bool:
        tried = sum(each.max_features for each in (*self.scored, setting) if each.thresholds == setting.thresholds)
        return tried * self.grid.trees <= MOST * TREES * self.grid.features[0]

    def _judge(self, at: Setting) -> None:
        forest = self.begin(at.limits(self.first), at.drawing)
        scores = out_of_bag_scores(forest, self.half, self.n_trees, len(self.grid.drawings) > 1)
        self.forests[at], self.by_row[at] = forest, scores
        self.scored[at] = replace(at, score=mean_score(scores, forest.by_copy.weight))


def trees_to_compare(n_rows: int) -> int:
    """How many trees compare settings: more rows tell with fewer trees which setting is better.

    >>> trees_to_compare(1_000), trees_to_compare(4_000), trees_to_compare(50_000)
    (50, 24, 12)
    """
    return max(FEWEST_TREES, min(TREES, 2 * (50_000 // n_rows)))


def drawings_to_try(n_rows: int) -> list[Drawing]:
    """Rows drawn as given; of many also without replacement, with splits looked for among few of them or all.

    >>> [drawing.params() for drawing in drawings_to_try(300)]
    [{}]
    """
    return [Drawing(), SPARSE, WITHOUT] if n_rows >= MANY else [Drawing()]


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


def is_better(first: np.ndarray, second: np.ndarray, weight: np.ndarray, margin: float = 0.0) -> bool:
    """Whether scores of rows are lower than others by so many standard errors of their mean difference.

    >>> one, two, even = np.array([1.0, 2, 3, 4]), np.array([2.0, 3, 4, 4]), np.ones(4)
    >>> is_better(one, two, even), is_better(one, two, even, 9.0), is_better(even, even, even)
    (True, False, False)
    """
    difference = first - second
    judged = ~np.isnan(difference) & (weight > 0)
    if not judged.any():
        return False
    share = weight[judged] / weight[judged].sum()
    mean = float(share @ difference[judged])
    error = float(np.sqrt((share**2) @ (difference[judged] - mean) ** 2))
    return mean < -margin * error


def mean_score(scores: np.ndarray, weight: np.ndarray) -> float:
    """The mean over the rows that have a score and a weight."""
    judged = ~np.isnan(scores) & (weight > 0)
    return float(np.average(scores[judged], weights=weight[judged])) if judged.any() else np.inf


def out_of_bag_scores(forest: GrowingForest, half: int, n_trees: int, on_new_rows: bool = False) -> np.ndarray:
    """For each row the out-of-bag score to expect of `n_trees` trees, after growing two halves of so many.

    on_new_rows: the score of a new row, which all trees answer, and not only those that left it out; by it drawings are
    compared that leave out different shares of the rows.
    """
    judge = forest.by_copy
    forest.grow(half)
    votes, counts = judge.votes, judge.n_trees
    forest.grow(2 * half)
    truth, scale = _truth(judge.target)
    with np.errstate(invalid="ignore"):
        error = (votes / counts[:, None] - truth) / scale
        two = ((judge.votes - votes) / (judge.n_trees - counts)[:, None] - truth) / scale
    if judge.target.codes.size:  # the ranked probability score
        error, two = (np.cumsum(each, axis=1)[:, :-1] for each in (error, two))
    share = forest.share / forest.n_trees if on_new_rows else 1.0
    return expected_scores(error, two, half * share, n_trees)


def _truth(target: ForestTarget) -> tuple[np.ndarray, np.ndarray]:
    """Indicators of the true class, or numbers (rows × outputs); and a scale for each, 1 unless there are several."""
    if target.n_classes:
        return target.classes[:, None] == np.arange(target.n_classes), np.ones(target.n_classes)
    spread = target.values.std(axis=0)
    several = target.values.shape[1] > 1
    return target.values, np.where(spread > 0, spread, 1.0) if several else np.ones(1)


def expected_scores(first: np.ndarray, second: np.ndarray, trees: float, total: int) -> np.ndarray:
    """The squared out-of-bag error of each row to expect of a forest of `total` trees, from two small forests.

    The mean answer of two forests scatters by v = mean |one - two|² / 4 about that of infinitely many trees; that of
    `total` trees by v · 2 trees / total. The difference is taken off: few trees would else speak for large leaves,
    whose answers scatter less (of 7 tables of numbers the share of the variance left by leaves chosen with 50 trees
    was 0.1748, so corrected 0.1736, as with 200 trees). A single row's score may come out below 0.

    Parameters
    ----------
    one, two : errors of each forest (rows × outputs), NaN for rows that no tree left out.
    trees : of each of the two, that answered a row.
    total : of the forest that is judged.

    >>> one, two = np.array([[1.0], [3.0]]), np.array([[1.0], [1.0]])
    >>> expected_scores(one, two, 10, 20), expected_scores(one, two, 10, 40)
    (array([1., 4.]), array([1. , 3.5]))
    """
    mean, difference = (first + second) / 2, first - second
    return np.asarray((mean**2).sum(axis=1) - (difference**2).sum(axis=1) / 4 * (1 - 2 * trees / total))
