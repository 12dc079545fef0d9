"""Figures of a procedure over outer folds: score, interval, other metrics, losses by unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.evaluate.cross_validate import Fold
from tamis.metrics import METRICS, Metric, utility
from tamis.metrics.intervals.aggregate import aggregated, fold_parts, is_pooled
from tamis.metrics.intervals.interval import score_interval
from tamis.metrics.intervals.tally import Tally, together
from tamis.results.fold import FoldRecord
from tamis.study.fold import FoldRules, tally_of
from tamis.study.problem import StudyProblem


def first_folds(folds: Sequence[Fold]) -> list[Fold]:
    """The folds of the first repeat, in which every row is judged once."""
    return [fold for fold in folds if fold.repeat == 0]


def mean(values: Sequence[float | None]) -> float | None:
    """The mean of the values there are."""
    present = [value for value in values if value is not None]
    return float(np.mean(present)) if present else None


def excess(metric: Metric, first: float | None, second: float | None) -> float | None:
    """How much better the first score is."""
    return None if first is None or second is None else float(utility(metric, first) - utility(metric, second))


def by_unit(problem: StudyProblem, folds: Sequence[Fold], judged: list[FoldRecord], kind: str) -> np.ndarray:
    """Losses or rows of each unit, a row that was judged in several repeats counted once."""
    total, times = np.zeros(problem.units.max() + 1), np.zeros(len(problem.y))
    for fold, result in zip(folds, judged):
        np.add.at(total, np.unique(problem.units[fold.test]), result.losses.of(kind))
        times[fold.test] += 1
    return total / max(1.0, times.max())


def figures(problem: StudyProblem, rules: FoldRules, folds: Sequence[Fold], judged: list[FoldRecord]) -> dict[str, Any]:
    """Score, interval, fold scores and other metrics of a procedure over outer folds.

    Returns
    -------
    `score` over all folds (pooled for R² and balanced accuracy, see `aggregate`), `interval` of the refitted model's
    score on new rows or None, `interval_note` that says why, `scores` of the folds (of R², what each adds to the
    pooled one, so that their mean is the score) and `metrics`, the others by name.
    """
    tallies = [tally_of(problem, rules, fold, result) for fold, result in zip(folds, judged)]
    metric, scores = rules.metric, [result.score for result in judged]
    if metric.base == "r2" and (fold_values := fold_parts(metric, tallies)) is not None:
        scores = [_finite(fold_value) for fold_value in fold_values]
    value = _aggregated(metric, tallies, scores)
    gain = _expected_gain(problem, rules, folds, judged, value)
    return {
        "score": value,
        **_interval(rules, folds, tallies, scores, gain),
        "scores": scores,
        "metrics": {
            name: _metric(problem, rules, name, tallies, [record.metrics[name] for record in judged])
            for name in judged[0].metrics
        },
    }


def score(problem: StudyProblem, rules: FoldRules, folds: Sequence[Fold], judged: list[FoldRecord]) -> float | None:
    """The score over all folds alone."""
    tallies = [tally_of(problem, rules, fold, result) for fold, result in zip(folds, judged)]
    return _aggregated(rules.metric, tallies, [result.score for result in judged])


def _aggregated(metric: Metric, tallies: Sequence[Tally], scores: Sequence[float | None]) -> float | None:
    values = [np.nan if value is None else value for value in scores]
    return _finite(aggregated(metric, tallies, values))


def _metric(
    problem: StudyProblem,
    rules: FoldRules,
    name: str,
    tallies: Sequence[Tally],
    values: Sequence[float | None],
) -> float | None:
    """One of the other metrics over all folds; `rare_recall` is pooled, as recalls in balanced accuracy are."""
    if rules.costs is not None:  # tallies hold the decisions of least cost, the metrics those of largest probability
        return mean(values)
    if name != "rare_recall":
        return _aggregated(METRICS[name], tallies, values)
    return recalls(tallies)[problem.rarest]


def recalls(tallies: Sequence[Tally]) -> list[float | None]:
    """Of each class, the share of its held-out rows that were predicted rightly; None without rows."""
    sums = together(tallies)
    hits, rows = sums.values["hit"].sum(axis=0), sums.values["truth"].sum(axis=0)
    return [float(hit / n) if n else None for hit, n in zip(hits, rows)]


def _expected_gain(
    problem: StudyProblem,
    rules: FoldRules,
    folds: Sequence[Fold],
    judged: list[FoldRecord],
    value: float | None,
) -> float:
    r"""How much better the model refitted on all n rows may be than those of the folds, by the learning curve's slope.

    Inner folds judge models of m rows, outer folds models of more, N. A score that rises with the logarithm of the rows
    gains :math:`(s_N - s_m) \log(n / N) / \log(N / m)` more; real curves flatten, so that this is an upper bound. 0
    where the outer score is not the better one, or where no inner score is known.
    """
    inner = mean([record.inner_score for record in judged])
    if value is None or inner is None or problem.time is not None:
        return 0.0
    n_train = float(np.mean([len(fold.train) for fold in folds]))
    steps = np.log(len(problem.y) / n_train) / np.log(rules.inner / (rules.inner - 1))
    return max(0.0, float(utility(rules.metric, value) - utility(rules.metric, inner)) * float(steps))


def _interval(
    rules: FoldRules,
    folds: Sequence[Fold],
    tallies: Sequence[Tally],
    scores: Sequence[float | None],
    gain: float,
) -> dict[str, list[float] | str | None]:
    """Where the score of the refitted model lies on new rows, or why that cannot be said.

    Parameters
    ----------
    gain : how much better the refitted model may be than those of the folds: the better end is moved by it.
    """
    usable = [i for i, value in enumerate(scores) if value is not None or is_pooled(rules.metric)]
    if not usable:
        return {"interval": None, "interval_note": f"{rules.metric.name} has no value in any fold"}
    result = score_interval(
        rules.metric,
        [tallies[i] for i in usable],
        [np.nan if scores[i] is None else scores[i] for i in usable],
        float(np.mean([len(folds[i].train) for i in usable])),
        float(np.mean([len(folds[i].test) for i in usable])),
    )
    note = result.note or ("" if np.isfinite([result.low, result.high]).all() else "the judged rows give no bound")
    if note:
        return {"interval": None, "interval_note": note}
    low, high = result.low, result.high
    if rules.metric.source is not None:  # a user's function has bounds that nobody knows
        low, high = (low, high + gain) if rules.metric.larger else (low - gain, high)
    elif rules.metric.larger:
        high = min(high + gain, max(high, 0.0 if rules.metric.negated else 1.0))
    else:
        low = max(low - gain, min(low, 0.0))
    return {"interval": [low, high], "interval_note": ""}


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
