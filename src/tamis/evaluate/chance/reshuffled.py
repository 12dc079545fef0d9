"""Chance for given predictions: what they score against the same truth, reshuffled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.engine import generator
from tamis.evaluate.chance.answers import Answers, prepared, score_of
from tamis.evaluate.chance.shuffle import permuted
from tamis.evaluate.metrics import Metric

__all__ = ["reshuffled"]

_DRAWS = 10  # the mean of ten adds a tenth to the variance of a difference; each costs one more scoring

Fold = tuple[np.ndarray, np.ndarray, np.ndarray]


def reshuffled(
    metric: Metric,
    folds: Sequence[Answers],
    labels: np.ndarray | None,
    seed: int,
    *,
    groups: Any = None,
    time: Any = None,
) -> float:
    """The mean score of the same predictions when the truth within each fold is reshuffled.

    For a procedure that learned nothing from the rows of a fold every order of their targets is as likely as the true
    one, so the score and this have the same mean, whatever the metric and however the predictions are distributed.
    Where a fold holds a single row (or group) targets are reshuffled over all folds.

    >>> from tamis.evaluate.metrics import METRICS
    >>> fold = Answers(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0]))
    >>> reshuffled(METRICS["accuracy"], [fold], np.array([0, 1]), 0)
    0.75
    """
    ready = prepared(metric, folds, labels)
    values = []
    for draw in range(_DRAWS):
        truths = _new_truths(folds, ready, seed, draw, groups, time)
        values.append(score_of(metric, [(truth, given, known) for truth, (_, given, known) in zip(truths, ready)]))
    return float(np.mean(values))


def _new_truths(
    folds: Sequence[Answers], ready: Sequence[Fold], seed: int, draw: int, groups: Any, time: Any
) -> list[np.ndarray]:
    if any(_units(fold, groups) < 2 for fold in folds):
        together = np.concatenate([truth for truth, _, _ in ready])
        mixed = generator(seed, "reshuffled", draw).permutation(together)
        return list(np.split(mixed, np.cumsum([len(truth) for truth, _, _ in ready])[:-1]))
    return [
        permuted(truth, seed, draw * len(ready) + place, _of(groups, fold.rows), _of(time, fold.rows))
        for place, (fold, (truth, _, _)) in enumerate(zip(folds, ready))
    ]


def _units(fold: Answers, groups: Any) -> int:
    """Rows, or groups, whose targets can change places."""
    own = _of(groups, fold.rows)
    return len(fold.truth) if own is None else len(np.unique(own))


def _of(values: Any, rows: np.ndarray | None) -> np.ndarray | None:
    return None if values is None or rows is None else np.asarray(values)[rows]
