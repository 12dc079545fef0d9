"""Losses and ranks of held-out rows: whether a procedure is better than another beyond chance, and whether it ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tamis.evaluate.cross_validate import Fold
from tamis.metrics.distributions import t_tail
from tamis.metrics.intervals.interval import corrected_gain_test
from tamis.metrics.intervals.paired import difference
from tamis.metrics.ranking_test import SHARED_TRAINING, ranking_p_value
from tamis.results.fold import FoldRecord
from tamis.study.comparison.figures import by_unit
from tamis.study.problem import StudyProblem

#: Share of the level that the test of ranks has where losses are tested, too. Losses of what is learned from noise are
#: larger than the baseline's, so their test hardly ever uses its own share.
RANKING_SHARE = 0.25


@dataclass(frozen=True, eq=False)
class Ranking:
    """The statistic of `ranking_test`, by unit and by fold, and its variance, means over the repeats."""

    sums: np.ndarray
    by_fold: np.ndarray
    variance: float


@dataclass(frozen=True, eq=False)
class HeldOut:
    """One procedure in the outer folds.

    Attributes
    ----------
    losses : sums by unit of the loss that procedures are chosen by. by_fold : its mean in each fold.
    proper, proper_by_fold : the same of a proper loss, where that is another one.
    rows : rows of each unit.
    ranking : None in folds of an older version.
    n_train, n_test : rows of a fold, means. In time order n_train is infinite: a stretch is judged by what came before
        it, so without a signal gains of different stretches are uncorrelated, whatever training rows they share.
    independent : rows are: no groups, time or equal rows. ordered : units are in time order.
    """

    losses: np.ndarray
    by_fold: np.ndarray
    proper: np.ndarray
    proper_by_fold: np.ndarray
    rows: np.ndarray
    ranking: Ranking | None
    n_train: float
    n_test: float
    independent: bool = True
    ordered: bool = False

    @classmethod
    def of(cls, problem: StudyProblem, folds: Sequence[Fold], judged: Sequence[FoldRecord]) -> HeldOut:
        """What was kept of a procedure in folds."""
        folds, records = list(folds), list(judged)
        kinds = [kind for kind in ("loss", "proper") if records[0].losses.of(kind) is not None]
        sums = [by_unit(problem, folds, records, kind) for kind in kinds]
        stretches = _stretches(problem, folds)
        means = [_means(stretches, np.array([record.losses.mean(kind) for record in records])) for kind in kinds]
        return cls(
            losses=sums[0],
            by_fold=means[0],
            proper=sums[-1],
            proper_by_fold=means[-1],
            rows=by_unit(problem, folds, records, "rows"),
            ranking=_ranking(problem, folds, records, stretches),
            n_train=float(np.mean([len(fold.train) for fold in folds])) if problem.time is None else np.inf,
            n_test=float(np.mean([len(fold.test) for fold in folds])),
            independent=problem.groups is None and problem.time is None and problem.copies is None,
            ordered=problem.time is not None and problem.groups is None,
        )

    def gain(self, baseline: HeldOut) -> float:
        """The share of the baseline's loss that it saves."""
        base = float(baseline.losses.sum())
        return (base - float(self.losses.sum())) / base if base > 0 else 0.0

    def gain_p_value(self, baseline: HeldOut, *, proper: bool = False) -> float:
        """One-sided, of "it loses no less than the baseline": the larger of a test over units and one over folds.

        Few units make up the sum where losses have heavy tails; folds differ where training rows decide.
        """
        first, second = (baseline.proper, self.proper) if proper else (baseline.losses, self.losses)
        units = difference(first, second, self.rows, ordered=self.ordered).p_value
        of_folds = (baseline.proper_by_fold, self.proper_by_fold) if proper else (baseline.by_fold, self.by_fold)
        return max(units, self._fold_p_value(of_folds[0] - of_folds[1]))

    @property
    def ranking_p_value(self) -> float:
        """One-sided, of "its answers do not rank held-out rows within their fold"; 1 where ranks were not kept.

        Where rows come in groups or in time, targets cannot be shuffled: the larger of tests over units and over folds.
        """
        if self.ranking is None or self.ranking.variance <= 0:
            return 1.0
        if self.independent:
            return ranking_p_value(float(self.ranking.sums.sum()), self.ranking.variance)
        gap = difference(self.ranking.sums, np.zeros_like(self.ranking.sums), self.rows, ordered=self.ordered)
        if gap.error <= 0:
            return 1.0
        units = float(t_tail(gap.mean / gap.error / np.sqrt(SHARED_TRAINING), gap.freedom))
        return max(units, self._fold_p_value(self.ranking.by_fold))

    def p_value(self, baseline: HeldOut) -> float:
        """One-sided, of "it is no better than the baseline", by losses or by ranks; paid for both tests."""
        by_loss = self.gain_p_value(baseline)
        if self.ranking is None:
            return by_loss
        return min(1.0, by_loss / (1 - RANKING_SHARE), self.ranking_p_value / RANKING_SHARE)

    def _fold_p_value(self, gains: np.ndarray) -> float:
        finite = gains[np.isfinite(gains)]
        return corrected_gain_test(finite, self.n_train, self.n_test) if len(finite) > 1 else 1.0


def _stretches(problem: StudyProblem, folds: list[Fold]) -> np.ndarray:
    """The stretch of time that each fold is judged in, as a code; without time each fold is its own.

    Where rows have groups and a time, several folds are judged in one stretch.
    """
    if problem.time is None:
        return np.arange(len(folds))
    ends = np.array([(problem.time[fold.test].min(), problem.time[fold.test].max()) for fold in folds])
    order = np.argsort(ends[:, 0], kind="stable")
    begins = ends[order[1:], 0] > np.maximum.accumulate(ends[order, 1])[:-1]  # stretches do not overlap
    stretch_of_fold = np.empty(len(folds), dtype=np.int64)
    stretch_of_fold[order] = np.concatenate([[0], np.cumsum(begins)])
    return stretch_of_fold


def _means(stretches: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Means over the folds of each stretch that have a value."""
    is_finite = np.isfinite(values)
    counts = np.bincount(stretches, weights=is_finite)
    sums = np.bincount(stretches, weights=np.where(is_finite, values, 0.0))
    return np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)


def _ranking(
    problem: StudyProblem, folds: list[Fold], records: list[FoldRecord], stretches: np.ndarray
) -> Ranking | None:
    ranked = [record.losses.ranking for record in records]
    if any(terms is None for terms in ranked):
        return None
    n_repeats = len({fold.repeat for fold in folds})
    return Ranking(
        by_unit(problem, folds, records, "ranking"),
        _means(stretches, np.array([sum(terms) for terms in ranked if terms is not None])),
        sum(record.ranking_variance for record in records) / n_repeats,
    )
