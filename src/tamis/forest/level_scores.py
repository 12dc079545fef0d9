"""Scores of ordered classes: the numbers that the splits of an ordinal forest compare."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.special import ndtri

from tamis.engine.seed import generator
from tamis.errors import KindError, ParameterError
from tamis.forest.growing import GrowingForest
from tamis.forest.tune import mean_score, out_of_bag_scores

#: Words that give scores; "oob" chooses them.
WORDS = ("equal", "normal", "oob")

#: Scores drawn at random beside those with a name, and trees that compare them.
N_DRAWN, TREES = 6, 50


def level_scores(given: Any, weight: np.ndarray) -> np.ndarray | None:
    """Scores of classes of some weights, 0 for the first and 1 for the last; of "oob" those that are compared first.

    "equal": equal distances. "normal": quantiles of the normal distribution at the middle of each class's stretch of
    the cumulative shares.

    >>> level_scores("equal", np.ones(3)).tolist(), level_scores([0, 1, 4], np.ones(3)).tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.25, 1.0])
    >>> level_scores("normal", np.array([1.0, 2.0, 1.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    if given is None:
        return None
    if isinstance(given, str):
        if given not in WORDS:
            raise ParameterError(
                f"level_scores={given!r} is not known; give {', '.join(map(repr, WORDS))} or a number a class"
            )
        return _unit(_normal(weight) if given == "normal" else np.arange(len(weight), dtype=np.float64))
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise KindError(f"level_scores={given!r} must hold numbers, one a class, that rise") from error
    if scores.shape != (len(weight),):
        raise ParameterError(f"level_scores={given!r}, but there are {len(weight)} classes; give a number for each")
    if not np.isfinite(scores).all() or (np.diff(scores) <= 0).any():
        raise ParameterError(f"level_scores={given!r} must rise from each class to the next")
    return _unit(scores)


def codes_of(scores: np.ndarray | None, n_classes: int) -> np.ndarray:
    """What splits compare, classes × codes: the scores; without them indicators of being above each class but the last.

    >>> codes_of(None, 3).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    """
    if scores is not None:
        return np.ascontiguousarray(scores[:, None])
    return (np.arange(n_classes)[:, None] > np.arange(max(1, n_classes - 1))).astype(np.float64)


def best_scores(
    begin: Callable[[np.ndarray], GrowingForest], weight: np.ndarray, n_trees: int, seed: int
) -> np.ndarray:
    """Of several scores those whose small forest has the least ranked probability score out of the bag.

    Equal and normal scores, and some drawn at random (Hornung 2020): the stretch from 0 to 1 is cut at random, and the
    score of a class is the normal quantile of the middle of its part.

    Parameters
    ----------
    begin : from scores to a forest without trees.
    n_trees : of the forest that is judged.
    """
    tried = list(_candidates(weight, seed))
    half = max(1, min(TREES, n_trees) // 2)
    losses = []
    for scores in tried:
        forest = begin(scores)
        by_row = out_of_bag_scores(forest, half, n_trees)
        losses.append(mean_score(by_row, forest.by_copy.weight))
    return tried[int(np.argmin(losses))]


def _candidates(weight: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    n = len(weight)
    yield _unit(np.arange(n, dtype=np.float64))
    yield _unit(_normal(weight))
    rng = generator(seed, "level scores")
    for _ in range(N_DRAWN):
        ends = np.sort(rng.random(n - 1))
        yield _unit(ndtri((np.append(0.0, ends) + np.append(ends, 1.0)) / 2))


def _normal(weight: np.ndarray) -> np.ndarray:
    share = np.maximum(weight, 1e-9 * weight.sum())  # a class may have rows of weight 0 only
    share = share / share.sum()
    return np.asarray(ndtri(np.cumsum(share) - share / 2))


def _unit(scores: np.ndarray) -> np.ndarray:
    spread = scores[-1] - scores[0]
    return np.zeros(len(scores)) if spread == 0 else np.asarray((scores - scores[0]) / spread)
