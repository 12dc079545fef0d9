"""Folds inside a training part, in which a procedure chooses its strength; groups stay together, time in order."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.check import count
from tamis.engine import generator
from tamis.errors import ParameterError
from tamis.evaluate.problem import Problem
from tamis.split import Folds, folds, folds_of_copies
from tamis.table.like import TableLike

#: Rows before the first stretch of time that is judged, inside a training part.
FEWEST_INSIDE = 4

#: Parts of the groups, each judged by models of the others, where rows have groups and a time.
GROUP_PARTS = 3


class InnerFolds:
    """A place for folds: given as `cv`, it is filled with the folds that fit the training rows at hand.

    In a study or `nested_score`, groups and time of the problem are kept by them. Outside of these it is a splitter
    like scikit-learn's, which knows only the groups that it is given.

    Parameters
    ----------
    k : number of folds; None leaves it to the study.

    >>> [test.tolist() for _, test in InnerFolds(2).split(np.zeros((4, 1)), [1.5, 2.5, 3.5, 4.5])]
    [[2, 3], [0, 1]]
    """

    def __init__(self, k: int | None = None) -> None:
        if k is not None:
            count("k", k, low=2)
        self.k = k

    def __repr__(self) -> str:
        return "InnerFolds()" if self.k is None else f"InnerFolds({self.k})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InnerFolds) and self.k == other.k

    def __hash__(self) -> int:
        return hash(self.k)

    def split(
        self, X: TableLike, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pairs of training and test positions."""
        yield from folds(self.get_n_splits(), y, groups=groups, X=X)

    def get_n_splits(
        self, X: TableLike | None = None, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> int:
        """The number of folds."""
        return self.k or 5


def inner_folds(problem: Problem, rows: np.ndarray, k: int, seed: int) -> Folds:
    """Folds within training rows, in each of which every class can be learned.

    The only row of a class stays among those to learn from. Where groups or time forbid that, folds that lack a class
    are left out; and if fewer than two are left, or times are too few to cut, groups and time give way: nothing is
    judged here but strengths and inner scores.
    """
    y = problem.codes[rows]
    if problem.time is None:
        pairs = folds_within(problem, rows, k, 1, seed)
    else:
        in_time = folds_in_time(problem, rows, k, FEWEST_INSIDE)
        # too few different times to cut
        pairs = folds(2, y, classifier=problem.of_classes, seed=seed, complete=False) if in_time is None else in_time
    if not problem.of_classes:
        return pairs
    if problem.groups is None and problem.time is None:
        return [_with_every_class(pair, y) for pair in pairs]
    n_classes = len(np.unique(y))
    with_all_classes = [pair for pair in pairs if len(np.unique(y[pair[0]])) == n_classes]
    if len(with_all_classes) >= 2 or len(rows) <= 3:
        return with_all_classes if len(with_all_classes) >= 2 else pairs
    return [_with_every_class(pair, y) for pair in folds(2, y, classifier=True, seed=seed, complete=False)]


def _with_every_class(pair: tuple[np.ndarray, np.ndarray], y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    train, test = pair
    in_train = np.zeros(int(y.max()) + 1, dtype=bool)
    in_train[y[train]] = True
    lacking = ~in_train[y[test]]
    return (np.sort(np.concatenate([train, test[lacking]])), test[~lacking]) if lacking.any() else pair


def folds_within(problem: Problem, rows: np.ndarray, k: int, repeats: int, seed: int) -> Folds:
    """At most k folds of some rows, stratified by class; groups and equal rows are kept together."""
    options: dict[str, Any] = {
        "classifier": problem.of_classes,
        "seed": seed,
        "repeats": repeats,
        "complete": False,
    }
    k, y = min(k, most_folds(problem, rows)), problem.codes[rows]
    if problem.copies is not None:
        return folds_of_copies(k, y, problem.copies[rows], **options)
    groups = None if problem.groups is None else problem.groups[rows]
    return folds(k, y, groups=groups, time=None if problem.time is None else problem.time[rows], **options)


def folds_in_time(problem: Problem, rows: np.ndarray, k: int, fewest: int) -> Folds | None:
    """At most k stretches in time order whose folds learn from at least `fewest` rows; None where there are not two.

    With groups, each stretch is judged in three folds, in each by earlier rows of the other two thirds of the groups.
    """
    time = problem.time[rows]  # type: ignore[index]
    for fewer in range(min(k, len(np.unique(time)) - 1), 1, -1):
        try:
            pairs = folds(fewer, problem.codes[rows], time=time, classifier=problem.of_classes, complete=False)
        except ParameterError:  # many rows at one time
            continue
        if problem.groups is not None:
            pairs = _by_group_part(pairs, np.unique(problem.groups[rows], return_inverse=True)[1])
        if pairs and min(len(train) for train, _ in pairs) >= fewest:
            return pairs
    return None


def _by_group_part(pairs: Folds, groups: np.ndarray) -> Folds:
    """Each stretch judged in parts, by models that know no group of the part."""
    n_groups = int(groups.max()) + 1
    part_of_group = generator(0, "parts of groups").permutation(np.arange(n_groups) % min(GROUP_PARTS, n_groups))[
        groups
    ]
    candidates = [
        (train[part_of_group[train] != p], test[part_of_group[test] == p])
        for train, test in pairs
        for p in range(int(part_of_group.max()) + 1)
    ]
    return [(train, test) for train, test in candidates if len(test)]


def most_folds(problem: Problem, rows: np.ndarray) -> int:
    """Few groups, or few rows in every class, allow only so many folds."""
    units = [len(rows)]
    if problem.groups is not None:
        units.append(len(np.unique(problem.groups[rows])))
    if problem.of_classes:
        first = slice(None) if problem.copies is None else np.unique(problem.copies[rows], return_index=True)[1]
        units.append(int(np.bincount(problem.codes[rows][first]).max()))
    return max(2, min(units))
