"""The price of readability: a black box judged in the same outer folds, beside the procedure that is quoted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.evaluate.cross_validate import Fold
from tamis.metrics.distributions import t_quantile
from tamis.metrics.intervals.paired import difference
from tamis.results.comparison import BlackBox
from tamis.results.fold import FoldRecord, Judgements
from tamis.study.comparison.figures import by_unit, excess, figures, score
from tamis.study.fold import FoldRules
from tamis.study.problem import StudyProblem
from tamis.study.procedures import Procedure

#: Level of the two one-sided tests that say which of the two is better.
LEVEL = 0.05


#: Coverage of the interval of the price.
COVERAGE = 0.95


def best_black_box(
    problem: StudyProblem,
    rules: FoldRules,
    references: Sequence[Procedure],
    folds: Sequence[Fold],
    quoted: list[FoldRecord],
    judged: Judgements,
    tests: Sequence[tuple[float, bool]],
    guessed: float | None = None,
) -> BlackBox | None:
    """The score of the best black box, and what the quoted procedure gives up against it; None without any.

    Parameters
    ----------
    references : the black boxes.
    folds : all outer folds.
    quoted : in each of them, what was kept of the procedure whose score is quoted.
    judged : procedure -> what was kept in each fold.
    tests : of each the p-value that it is no better than the baseline, after Holm, and whether it is that of ranks.
    guessed : the baseline's score as it is quoted, where the baseline is what is quoted.
    """
    if not references:
        return None
    best, records = best_records(references, judged)
    rows = by_unit(problem, folds, quoted, "rows")
    ours, theirs = (by_unit(problem, folds, results, "loss") for results in (quoted, records))
    gap, back = difference(ours, theirs, rows), difference(theirs, ours, rows)
    values = figures(problem, rules, folds, records)
    quoted_score = score(problem, rules, folds, quoted) if guessed is None else guessed
    cost = excess(rules.metric, values["score"], quoted_score)
    p_value, by_ranks = min(tests, default=(1.0, False))
    return BlackBox(
        name=best.name,
        words=best.words,
        **values,
        folds=len(folds),
        quoted_score=quoted_score,
        cost=cost,
        cost_interval=_cost_interval(problem, rules, folds, quoted, records, cost),
        loss=float(theirs.sum() / rows.sum()),
        difference=gap.mean,
        standard_error=gap.error,
        better="black box" if gap.p_value <= LEVEL else "quoted" if back.p_value <= LEVEL else "neither",
        p_value=p_value,
        by_ranks=by_ranks,
    )


def best_records(references: Sequence[Procedure], judged: Judgements) -> tuple[Procedure, list[FoldRecord]]:
    """The black box of least loss, and what was kept of the best one in each fold.

    In each fold the best one is the one that loses least in the other folds, so that a fold's own rows do not choose
    the model that they judge.
    """
    means = np.array([[record.losses.mean() for record in judged[reference.name]] for reference in references])
    loss_of_others = means.sum(axis=1, keepdims=True) - means
    records = [judged[references[int(best)].name][i] for i, best in enumerate(np.argmin(loss_of_others, axis=0))]
    return references[int(np.argmin(means.sum(axis=1)))], records


def _cost_interval(
    problem: StudyProblem,
    rules: FoldRules,
    folds: Sequence[Fold],
    quoted: list[FoldRecord],
    records: list[FoldRecord],
    cost: float | None,
) -> list[float] | None:
    r"""95% interval of the difference of the two scores on new rows; None where a fold has no score.

    The larger of two standard errors: paired by unit, where the metric is a mean over rows or R², and over folds,
    :math:`s \sqrt{1/k + n_t / n_l}` (Nadeau and Bengio, 2003), because models of other training rows differ, too.
    """
    gaps = [excess(rules.metric, record.score, quoted_record.score) for record, quoted_record in zip(records, quoted)]
    finite_gaps = np.array([gap for gap in gaps if gap is not None])
    if cost is None or len(finite_gaps) < len(gaps) or len(finite_gaps) < 2:
        return None
    ratio = float(np.mean([len(fold.test) / len(fold.train) for fold in folds]))
    by_fold = float(finite_gaps.std(ddof=1) * np.sqrt(1 / len(finite_gaps) + ratio))
    error = max(by_fold, _unit_error(problem, rules, folds, quoted, records))
    width = float(t_quantile(0.5 + COVERAGE / 2, max(len(finite_gaps) - 1, 2))) * error
    return [cost - width, cost + width]


def _unit_error(
    problem: StudyProblem,
    rules: FoldRules,
    folds: Sequence[Fold],
    quoted: list[FoldRecord],
    records: list[FoldRecord],
) -> float:
    """Standard error of the difference, paired by unit; 0 for a metric that is no mean over rows."""
    kind = "quoted" if all(record.losses.quoted is not None for record in (*quoted, *records)) else None
    scale = 1.0
    if rules.metric.base == "r2":
        kind, scale = "loss", float(np.var(problem.y)) or 1.0
    if kind is None:
        return 0.0
    rows = by_unit(problem, folds, quoted, "rows")
    sums = [by_unit(problem, folds, results, kind) for results in (quoted, records)]
    return float(difference(sums[0], sums[1], rows).error) / scale
