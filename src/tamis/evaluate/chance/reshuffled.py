"""Chance for given predictions: what they score against the same truth, reshuffled."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.engine import generator
from tamis.evaluate.chance.answers import Answers, prepared, score_of
from tamis.evaluate.chance.shuffle import permuted
from tamis.metrics import Metric
from tamis.metrics.intervals.bootstrap_metrics import bootstrap_metric
from tamis.task import predicts_classes, predicts_numbers

_DRAWS = 10  # the mean of ten adds a tenth to the variance of a difference; each costs one more scoring

_MOST_PAIRS = 20_000

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

    >>> from tamis.metrics import METRICS
    >>> fold = Answers(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0]))
    >>> reshuffled(METRICS["accuracy"], [fold], np.array([0, 1]), 0)
    0.75
    """
    ready = prepared(metric, folds, labels)
    alone = any(_units(fold, groups) < 2 for fold in folds)
    if alone or (predicts_numbers(metric.task) and (groups is not None or time is not None)):
        draws = [_new_truths(folds, ready, seed, draw, alone, groups, time) for draw in range(_DRAWS)]
        return _mean(np.array([score_of(metric, _against(truths, ready)) for truths in draws]))
    values = []
    for index, (fold, (truth, answer, known_labels)) in enumerate(zip(folds, ready)):
        units_and_times = _common(truth, _of(groups, fold.rows)), _of(time, fold.rows)
        drawn: np.ndarray
        if units_and_times[0] is None and units_and_times[1] is None:
            drawn = generator(seed, "reshuffled", index).permuted(np.tile(truth, (_DRAWS, 1)), axis=1)
        else:
            drawn = np.array([permuted(truth, seed, index * _DRAWS + draw, *units_and_times) for draw in range(_DRAWS)])
        values.append(_scores(metric, drawn, answer, known_labels))
    return _mean(np.concatenate(values))


def _mean(values: np.ndarray) -> float:
    """The mean of those that there are; NaN where the metric has no value in any draw."""
    defined = values[np.isfinite(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _against(truths: Sequence[np.ndarray], ready: Sequence[Fold]) -> list[Fold]:
    return [(truth, answer, labels) for truth, (_, answer, labels) in zip(truths, ready)]


def _scores(metric: Metric, drawn: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The metric of the same answers for many truths (draws × rows) at once (F1, 10 draws of 12 rows: 0.07 ms for 15).

    Every row is put beside every value there is, and weights say which of them a draw gives it.
    """
    n = len(answer)
    values, codes = np.unique(drawn, return_inverse=True)
    if predicts_classes(metric.task):
        values, codes = np.arange(len(labels)), drawn
    if n * len(values) > _MOST_PAIRS:
        return np.array([metric.value(truth, answer, labels) for truth in drawn])
    weights = np.zeros((len(drawn), n, len(values)))
    np.put_along_axis(weights, codes.reshape(drawn.shape)[:, :, None], 1.0, axis=2)
    paired = np.tile(values, n), np.repeat(answer, len(values), axis=0)
    return bootstrap_metric(metric, *paired, labels, weights.reshape(len(drawn), -1))


def _new_truths(
    folds: Sequence[Answers], ready: Sequence[Fold], seed: int, draw: int, alone: bool, groups: Any, time: Any
) -> list[np.ndarray]:
    if alone:
        together = np.concatenate([truth for truth, _, _ in ready])
        mixed = generator(seed, "reshuffled", draw).permutation(together)
        return list(np.split(mixed, np.cumsum([len(truth) for truth, _, _ in ready])[:-1]))
    return [
        permuted(truth, seed, draw * len(ready) + index, _common(truth, _of(groups, fold.rows)), _of(time, fold.rows))
        for index, (fold, (truth, _, _)) in enumerate(zip(folds, ready))
    ]


def _common(truth: np.ndarray, groups: np.ndarray | None) -> np.ndarray | None:
    """The groups, where each has one target; else None.

    The mean over draws does not depend on what stays together. Rows are the finer draw, which leaves nothing of a skill
    in it where a fold has few groups.
    """
    if groups is None:
        return None
    first, codes = np.unique(groups, return_index=True, return_inverse=True)[1:]
    return groups if np.array_equal(truth[first][codes], truth) else None


def _units(fold: Answers, groups: ArrayLike) -> int:
    """Rows, or groups, whose targets can change places."""
    group_codes = _of(groups, fold.rows)
    return len(fold.truth) if group_codes is None else len(np.unique(group_codes))


def _of(values: Any, rows: np.ndarray | None) -> np.ndarray | None:
    return None if values is None or rows is None else np.asarray(values)[rows]
