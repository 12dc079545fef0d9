"""Bounds of means over rows: losses, their ratio to the variance of the target, and anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tamis.metrics.intervals import bounds
from tamis.metrics.intervals.bounds import Pair
from tamis.metrics.intervals.row_sums import RowSums

if TYPE_CHECKING:
    from tamis.metrics.intervals.evidence import Evidence

LOSSES = ("mse", "mae", "mape", "poisson_deviance", "brier", "ranked_probability_score", "log_loss", "cost")


def mean(evidence: Evidence, name: str) -> Pair:
    """A mean over rows: of losses, each 0 or more, or of anything else."""
    value, variance = _estimate(evidence, name)
    if name in LOSSES and value <= 0:
        return 0.0, _at_least(evidence, 0.0, _reference(evidence, name))
    if name not in LOSSES:
        reach = evidence.quantile * float(np.sqrt(variance))
        return value - reach, value + reach
    low, high = bounds.positive(value, np.sqrt(variance) / value, evidence.quantile)
    if name == "mse":
        worse, variance = _estimate(evidence, name, hidden=True)
        high = max(high, bounds.positive(worse, np.sqrt(variance) / worse, evidence.quantile)[1])
    return low, max(high, _at_least(evidence, value, _reference(evidence, name)))


def relative_error(evidence: Evidence) -> Pair:
    """The squared error over that of the mean (of the training rows, where it is given): 1 − R²."""
    value, variance = _estimate(evidence, "mse", over_spread=True)
    if value <= 0:
        return 0.0, _at_least(evidence, 0.0, 1.0)
    low, high = bounds.positive(value, np.sqrt(variance), evidence.quantile)
    worse, variance = _estimate(evidence, "mse", over_spread=True, hidden=True)
    high = max(high, bounds.positive(worse, np.sqrt(variance), evidence.quantile)[1])
    return low, max(high, _at_least(evidence, value, 1.0))


def _estimate(evidence: Evidence, name: str, *, over_spread: bool = False, hidden: bool = False) -> Pair:
    """A mean over rows and its variance.

    over_spread : instead, its ratio to the variance of the target, and the variance of that ratio's logarithm.
    hidden : with one unit more than was seen, for a heavy tail shows only where a large error was drawn.
    """
    values, variances = [], []
    for repeat_sums in evidence.by_repeat:
        total, rows, about = repeat_sums.values[name], _weights(repeat_sums, name), spread_of(repeat_sums)
        if hidden and total.sum() > 0:
            times = _hidden(evidence, total / total.sum() * len(total))
            worst = int(total.argmax())
            total, rows = np.r_[total, times * total[worst]], np.r_[rows, rows[worst]]
            about = np.r_[about, max(times * total[worst], times * about[worst])]
        mean, n, units = float(total.sum() / rows.sum()), rows.sum(), len(repeat_sums.units)
        influence = (total - mean * rows) / n
        excess = evidence.excess(_spread(evidence, influence, units), _fold_means(evidence, name)) if mean > 0 else 0.0
        spread = float(about.sum() / n)
        if over_spread and mean > 0 and spread > 0:
            influence = influence / mean - (about - spread * rows) / (spread * n)
            # the mean itself varies by its own square, and that is all a constant answer does
            excess = excess / mean**2 + (2 / evidence.n_rows) ** 2
            mean /= spread
        values.append(mean)
        variances.append(_spread(evidence, influence, units) + excess)
    return float(np.mean(values)), float(np.mean(variances))


def _hidden(evidence: Evidence, losses: np.ndarray) -> float:
    """How many times the largest loss a unit not drawn may have.

    Squared errors of normal residuals vary by √2 of their mean. Where they vary by more the tail is heavy, and the
    largest loss of a second sample would often exceed this one's by half. With fewer than a hundred rows a tail
    cannot be told, and is supposed; with many, one unit weighs little. Constants by simulation.
    """
    n = evidence.n_rows
    heavy = float(losses.std()) / np.sqrt(2) - (1 - 75 / n)
    return 2 * min(1.0, max(0.0, heavy)) * min(1.0, np.sqrt(100 / n))


def spread_of(sums: RowSums) -> np.ndarray:
    """Squares of the target, summed in each unit, about the mean of the training rows or of all; zeros for classes."""
    if "sst" in sums.values:
        return sums.values["sst"]
    if "y" not in sums.values:
        return np.zeros(len(sums.units))
    n, first, second = (sums.values[name] for name in ("rows", "y", "y2"))
    mean = first.sum() / n.sum()
    return np.asarray(second - 2 * mean * first + mean**2 * n)


def _spread(evidence: Evidence, influence: np.ndarray, units: int) -> float:
    return float((influence**2).sum()) * units / max(1, units - 1) * evidence.training


def _fold_means(evidence: Evidence, name: str) -> np.ndarray:
    fold_sums = evidence.by_fold
    return np.array([sums.values[name].sum() / _weights(sums, name).sum() for sums in fold_sums])


def _weights(sums: RowSums, name: str) -> np.ndarray:
    return sums.values["nonzero"] if name == "mape" else sums.learned


def _at_least(evidence: Evidence, value: float, reference: float) -> float:
    """How bad it may be unseen: as many rows as n can hide (z², as in Wilson's interval), answered at random."""
    n = (len(evidence.sums.units) if evidence.grouped else evidence.n_rows) / evidence.training
    return (n * value + evidence.z**2 * max(value, reference)) / (n + evidence.z**2)


def _reference(evidence: Evidence, name: str) -> float:
    """The loss of an answer that knows nothing; where answers are sure, that of a sure answer that is wrong."""
    if evidence.tallies[0].answered == "numbers":
        n, first, second = (float(evidence.sums.values[key].sum()) for key in ("rows", "y", "y2"))
        spread = max(0.0, second / n - (first / n) ** 2)
        return {"mse": spread, "mae": float(np.sqrt(spread * 2 / np.pi))}.get(name, 0.0)
    k = len(evidence.tallies[0].labels)
    shares = evidence.class_rows / evidence.class_rows.sum()
    each = evidence.metric.each
    if each is None or evidence.metric.needs != "probabilities":
        return 0.0
    labels = np.arange(k)
    sure = each(np.repeat(labels, k), np.tile(np.eye(k), (k, 1)), labels).reshape(k, k)
    unsure = each(labels, np.tile(shares, (k, 1)), labels)
    certain = evidence.sums.sure / evidence.judgements
    return float(shares @ (certain * sure.max(axis=1) + (1 - certain) * unsure))
