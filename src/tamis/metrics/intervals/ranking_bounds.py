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
    parts = ranked(evidence)
    value = sum(part.areas for part in parts) / sum(part.ranked for part in parts)
    own, other = _sides(evidence)
    model = bounds.area_variance(value, own, other)
    found = float(np.mean([_area_variance(part, value) for part in parts])) / model if model > 0 else 1.0
    few = FEWEST / (FEWEST + min(own, other))
    scale = few * max(1.0, found) + (1 - few) * found
    if evidence.grouped:
        units = len(evidence.sums.units)
        alike = bounds.area_variance(value, *(side * units / evidence.n_rows for side in (own, other)))
        unknown = 1 / (1 + min(value, 1 - value) * units)
        scale = (1 - unknown) * scale + unknown * (alike / model if model > 0 else evidence.n_rows / units)
        scale *= (evidence.quantile / evidence.z) ** 2
    scale *= evidence.training
    if model > 0:
        scale += evidence.excess(scale * model, evidence.scores) / model
    return bounds.area(value, own, other, scale, evidence.z)


def _area_variance(part: RowSums, value: float) -> float:
    influence = (part.values["ranks"] - value * part.values["shares"]) / part.ranked
    return float((influence**2).sum()) * len(influence) / max(1, len(influence) - 1)


def ranked(evidence: Evidence) -> list[RowSums]:
    """Sums of each repeat with an area; where folds are too small to have one they are put together first."""
    if evidence.sums.ranked < len(evidence.tallies) and evidence.tallies[0].rows is not None:
        parts = [together([tally]) for tally in pooled(evidence.tallies)]
    else:
        parts = evidence.by_repeat
    return [part for part in parts if part.ranked]


def _sides(evidence: Evidence) -> Pair:
    """Rows of a class and of the others; for more than two classes those that would give the mean's variance."""
    counts = evidence.class_rows
    if len(counts) == 2:
        return float(counts[1]), float(counts[0])
    return float(len(counts) ** 2 / (1 / counts).sum()), float(counts.sum())


def average_precision_bounds(evidence: Evidence) -> Pair:
    """Wilson's interval, of as many rows as give the variance under units drawn with replacement."""
    kept = [tally.rows for tally in pooled(evidence.tallies) if tally.rows is not None]
    values = np.array(_of_rows(evidence, kept) if kept else _of_histogram(evidence))
    values = values[:, np.isfinite(values).all(axis=0)]
    point, variance = float(values[:, 0].mean()), float(values[:, 1:].mean(axis=0).var(ddof=1))
    most = _sides(evidence)[0] if len(evidence.class_rows) > 2 else float(evidence.class_rows[1])
    n = min(most, point * (1 - point) / variance) if variance > 0 else most
    low, high = bounds.wilson(point, n / evidence.training, evidence.z)
    return float(low), float(high)


def _of_rows(evidence: Evidence, kept: Sequence[Rows]) -> list[np.ndarray]:
    """Average precision of every class in every repeat: of all rows, then of units drawn with replacement."""
    n_classes, units = len(evidence.tallies[0].labels), evidence.sums.units
    rng = generator(evidence.seed, "precision")
    n_draws = max(100, min(400, 4_000_000 // len(units)))
    drawn = rng.multinomial(len(units), np.full(len(units), 1 / len(units)), size=n_draws)
    weights = np.vstack([np.ones(len(units)), drawn]).astype(np.float64)
    found = []
    for rows in kept:
        assert rows.answer is not None
        mine = weights[:, np.searchsorted(units, rows.units[rows.learned])]
        truth, answer = rows.truth[rows.learned], rows.answer[rows.learned]
        for code in [1] if n_classes == 2 else range(n_classes):
            decision = answer[:, code] if answer.ndim == 2 else answer
            with np.errstate(invalid="ignore", divide="ignore"):
                found.append(average_precision(truth == code, decision, mine))
    return found


def _of_histogram(evidence: Evidence) -> list[np.ndarray]:
    """The same from counts by predicted probability; rows are drawn, for units are not told apart there."""
    histograms = evidence.sums.histograms
    if histograms is None:
        return [np.full(2, np.nan)]
    rng = generator(evidence.seed, "precision")
    _, n = evidence.effective(evidence.sums.values["hit"].sum(axis=1), evidence.sums.values["rows"])
    share = min(1.0, n * evidence.training / evidence.judgements)
    found = []
    for values, *sides in histograms:
        counts, own = np.array(sides), np.repeat([False, True], len(values))
        both = np.tile(values, 2)
        n_drawn = max(2, round(float(counts.sum()) * share))
        drawn = rng.multinomial(n_drawn, (counts / counts.sum()).ravel(), size=400)
        with np.errstate(invalid="ignore", divide="ignore"):
            found.append(average_precision(own, both, np.vstack([counts.ravel(), drawn]).astype(np.float64)))
    return found
