"""Bounds of rankings: the area under the ROC curve, average precision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tamis.engine.seed import generator
from tamis.metrics.intervals import bounds
from tamis.metrics.intervals.bounds import FEWEST, Pair
from tamis.metrics.intervals.row_sums import Rows, RowSums
from tamis.metrics.intervals.tally import pooled, together
from tamis.metrics.ranking import average_precision

if TYPE_CHECKING:
    from tamis.metrics.intervals.evidence import Evidence


def area(evidence: Evidence) -> Pair:
    """The area under the ROC curve: DeLong's variance, never far below Hanley and McNeil's where rows are few."""
    repeat_sums = ranked(evidence)
    value = sum(sums.areas for sums in repeat_sums) / sum(sums.ranked for sums in repeat_sums)
    n_positive, n_negative = _sides(evidence)
    model = bounds.area_variance(value, n_positive, n_negative)
    variance_ratio = float(np.mean([_area_variance(sums, value) for sums in repeat_sums])) / model if model > 0 else 1.0
    prior_weight = FEWEST / (FEWEST + min(n_positive, n_negative))
    scale = prior_weight * max(1.0, variance_ratio) + (1 - prior_weight) * variance_ratio
    if evidence.grouped:
        units = len(evidence.sums.units)
        alike = bounds.area_variance(value, *(side * units / evidence.n_rows for side in (n_positive, n_negative)))
        unknown = 1 / (1 + min(value, 1 - value) * units)
        scale = (1 - unknown) * scale + unknown * (alike / model if model > 0 else evidence.n_rows / units)
        scale *= (evidence.quantile / evidence.z) ** 2
    scale *= evidence.training
    if model > 0:
        scale += evidence.excess(scale * model, evidence.scores) / model
    return bounds.area(value, n_positive, n_negative, scale, evidence.z)


def _area_variance(sums: RowSums, value: float) -> float:
    influence = (sums.values["ranks"] - value * sums.values["shares"]) / sums.ranked
    return float((influence**2).sum()) * len(influence) / max(1, len(influence) - 1)


def ranked(evidence: Evidence) -> list[RowSums]:
    """Sums of each repeat with an area; where folds are too small to have one they are put together first."""
    if evidence.sums.ranked < len(evidence.tallies) and evidence.tallies[0].rows is not None:
        candidates = [together([tally]) for tally in pooled(evidence.tallies)]
    else:
        candidates = evidence.by_repeat
    return [sums for sums in candidates if sums.ranked]


def _sides(evidence: Evidence) -> Pair:
    """Rows of a class and of the others; for more than two classes those that would give the mean's variance."""
    counts = evidence.class_rows
    if len(counts) == 2:
        return float(counts[1]), float(counts[0])
    return float(len(counts) ** 2 / (1 / counts).sum()), float(counts.sum())


def average_precision_bounds(evidence: Evidence) -> Pair:
    """Wilson's interval, of as many rows as give the variance under units drawn with replacement."""
    row_blocks = [tally.rows for tally in pooled(evidence.tallies) if tally.rows is not None]
    values = np.array(_of_rows(evidence, row_blocks) if row_blocks else _of_histogram(evidence))
    values = values[:, np.isfinite(values).all(axis=0)]
    point, variance = float(values[:, 0].mean()), float(values[:, 1:].mean(axis=0).var(ddof=1))
    n_positive = _sides(evidence)[0] if len(evidence.class_rows) > 2 else float(evidence.class_rows[1])
    n = min(n_positive, point * (1 - point) / variance) if variance > 0 else n_positive
    low, high = bounds.wilson(point, n / evidence.training, evidence.z)
    return float(low), float(high)


def _of_rows(evidence: Evidence, row_blocks: Sequence[Rows]) -> list[np.ndarray]:
    """Average precision of every class in every repeat: of all rows, then of units drawn with replacement."""
    n_classes, units = len(evidence.tallies[0].labels), evidence.sums.units
    rng = generator(evidence.seed, "precision")
    n_draws = max(100, min(400, 4_000_000 // len(units)))
    drawn = rng.multinomial(len(units), np.full(len(units), 1 / len(units)), size=n_draws)
    weights = np.vstack([np.ones(len(units)), drawn]).astype(np.float64)
    draws = []
    for rows in row_blocks:
        assert rows.answer is not None
        mine = weights[:, np.searchsorted(units, rows.units[rows.learned])]
        truth, answer = rows.truth[rows.learned], rows.answer[rows.learned]
        for code in [1] if n_classes == 2 else range(n_classes):
            decision = answer[:, code] if answer.ndim == 2 else answer
            with np.errstate(invalid="ignore", divide="ignore"):
                draws.append(average_precision(truth == code, decision, mine))
    return draws


def _of_histogram(evidence: Evidence) -> list[np.ndarray]:
    """The same from counts by predicted probability; rows are drawn, for units are not told apart there."""
    histograms = evidence.sums.histograms
    if histograms is None:
        return [np.full(2, np.nan)]
    rng = generator(evidence.seed, "precision")
    _, n = evidence.effective(evidence.sums.values["hit"].sum(axis=1), evidence.sums.values["rows"])
    share = min(1.0, n * evidence.training / evidence.judgements)
    draws = []
    for values, *sides in histograms:
        counts, is_positive = np.array(sides), np.repeat([False, True], len(values))
        all_values = np.tile(values, 2)
        n_drawn = max(2, round(float(counts.sum()) * share))
        drawn = rng.multinomial(n_drawn, (counts / counts.sum()).ravel(), size=400)
        with np.errstate(invalid="ignore", divide="ignore"):
            draws.append(
                average_precision(is_positive, all_values, np.vstack([counts.ravel(), drawn]).astype(np.float64))
            )
    return draws
