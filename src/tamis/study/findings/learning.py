"""Whether more rows would help: the chosen procedure on nested parts of its training rows, and twice the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.engine import seed_of
from tamis.evaluate.cross_validate import Fold, predictions, train
from tamis.evaluate.curves import nested_order
from tamis.evaluate.forecast import FEWEST_FOLDS, FEWEST_SIZES, forecast
from tamis.evaluate.inner_folds import inner_folds
from tamis.metrics import utility
from tamis.metrics.r_squared import fold_r_squared
from tamis.report import show
from tamis.results.comparison import Comparison
from tamis.results.fold import FoldRecord
from tamis.study.claims.scoring import value
from tamis.study.comparison.figures import first_folds
from tamis.study.problem import StudyProblem
from tamis.study.procedures import Procedure

if TYPE_CHECKING:
    from tamis.study.fold import FoldRules

#: Fewest and most rows of a part, and how often the training rows are halved: what is fitted besides must cost little.
FEWEST, MOST, HALVINGS = 20, 1_000, 3

#: Points of the band in the chart, from the training rows of a fold to twice all rows.
POINTS = 9


def sizes(n_train: int) -> list[int]:
    """Rows of the parts: an eighth, a quarter and a half of the training rows, or of a number where those are many.

    >>> sizes(360), sizes(30_000), sizes(60)
    ([45, 90, 180], [250, 500, 1000], [30])
    """
    largest = min(n_train // 2, MOST)
    return [size for size in (largest // 2**k for k in reversed(range(HALVINGS))) if size >= FEWEST]


def learning(
    problem: StudyProblem, rules: FoldRules, procedure: Procedure, folds: Sequence[Fold], *, seed: int
) -> dict[str, Any]:
    """Scores of the procedure by rows learned from, in the folds of the first repeat: `rows` and a score per fold.

    A part that lacks a value of the score (one class alone) is left out. R² is what a fold adds to the one pooled over
    these folds, about the mean of all training rows of each: the same for every number of rows.
    """
    curve_folds = first_folds(folds)
    smallest = min(len(fold.train) for fold in curve_folds)
    orders = [nested_order(problem, fold.train, seed_of(seed, "learning", fold.index)) for fold in curve_folds]
    rows, scores = [], []
    for size in sizes(smallest):
        parts = [np.sort(order[:size]) for order in orders]
        answers = [
            _answers(problem, rules, procedure, fold, part, seed_of(seed, "learning", fold.index, size))
            for fold, part in zip(curve_folds, parts)
        ]
        if rules.metric.base == "r2":
            squares = [
                float(((problem.y[fold.test] - answer) ** 2).sum()) for fold, (answer, _) in zip(curve_folds, answers)
            ]
            values = _r_squared(problem, curve_folds, squares)
        else:
            values = [_score(problem, rules, fold, *answer) for fold, answer in zip(curve_folds, answers)]
        finite = [value for value in values if value is not None]
        if len(finite) == len(curve_folds):
            rows.append(size)
            scores.append(finite)
    return {"procedure": procedure.name, "rows": rows, "scores": scores, "folds": len(curve_folds)}


def whole_curve(
    curve: dict[str, Any], problem: StudyProblem, rules: FoldRules, folds: Sequence[Fold], judged: list[FoldRecord]
) -> dict[str, Any]:
    """The same with a last point: all training rows of these folds, as they were judged anyway."""
    records = judged[: curve["folds"]]
    if rules.metric.base == "r2":
        last = _r_squared(problem, folds[: curve["folds"]], [sum(record.losses.loss) for record in records])
    else:
        last = [record.score for record in records]
    if not curve["rows"] or None in last:
        return {**curve, "rows": [], "scores": []}
    n_train = int(np.mean([len(fold.train) for fold in folds[: curve["folds"]]]))
    return {**curve, "rows": [*curve["rows"], n_train], "scores": [*curve["scores"], last]}


def forecast_facts(
    curve: dict[str, Any],
    problem: StudyProblem,
    rules: FoldRules,
    comparison: Comparison,
) -> dict[str, Any]:
    """What twice the rows would gain, with its band and a sentence in `words`; or in `words` why that cannot be told.

    Nothing is forecast where no model is shown to predict, nor where the band would be wider than the interval of the
    score itself.
    """
    n, metric, interval = len(problem.y), rules.metric, comparison.interval
    facts: dict[str, Any] = {"rows": 2 * n, "gain": None, "band": None, "points": None}
    if (reason := _no_forecast(curve, problem, comparison.signal)) is not None:
        return {**facts, "words": f"The gain from more rows cannot be estimated: {reason}."}
    sizes, scores = curve["rows"], np.asarray(utility(metric, np.array(curve["scores"])))
    share = 1 - sizes[-1] / n
    told = forecast(sizes, scores, (n, 2 * n), test_share=share)
    assert told is not None  # _no_forecast has looked
    low, high = float(told.low[1]), float(told.high[1])
    name, span = show.metric(metric.name), f"from {sizes[0]:,} to {sizes[-1]:,} training rows"
    if interval is not None and high - low > interval[1] - interval[0]:
        return {
            **facts,
            "words": f"The gain from more rows cannot be estimated: {name} {span} differs too much between the "
            f"{curve['folds']} folds.",
        }
    from_fold = np.unique(np.geomspace(sizes[-1], 2 * n, POINTS).astype(int)).tolist()
    drawn = forecast(sizes, scores, from_fold, test_share=share)
    assert drawn is not None
    sign = 1 if metric.larger else -1
    start = float(np.mean(curve["scores"][-1]))
    points = {
        "rows": list(drawn.rows),
        **{end: [start + sign * float(value) for value in getattr(drawn, end)] for end in ("gain", "low", "high")},
    }
    facts |= {"gain": float(told.gain[1]), "band": [low, high], "exponent": told.exponent, "points": points}
    return facts | {"words": _forecast_words(facts, name, metric.larger, span)}


def _no_forecast(curve: dict[str, Any], problem: StudyProblem, signal: str) -> str | None:
    """Why the curve cannot be continued; None where it can."""
    if signal != "captured":
        return "no model is shown to predict better than the baseline"
    if problem.time is not None:
        return "in the order of time more rows are earlier or later rows"
    if curve["folds"] < FEWEST_FOLDS:
        return f"the learning curve has {show.count(curve['folds'], 'fold')}, at least {FEWEST_FOLDS} are needed"
    if len(curve["rows"]) < FEWEST_SIZES:
        return f"the training rows are too few for a learning curve of {FEWEST_SIZES} sizes"
    return None


def _forecast_words(facts: dict[str, Any], name: str, larger: bool, span: str) -> str:
    gain, (low, high) = facts["gain"], facts["band"]
    digits = 3
    while digits < 6 and 0 < high < 2 * 10**-digits:
        digits += 1
    written, band = show.number(gain, digits), f"(95% band {show.interval((low, high), digits)})"
    would = f"{'raise' if larger else 'lower'} {name} by about {written} {band}"
    if not any(digit in written for digit in "123456789"):
        would = f"not {'raise' if larger else 'lower'} {name} measurably {band}"
    rows = f"{facts['rows']:,}"
    return f"Twice the rows to learn from ({rows}) would {would}, if the learning curve goes on as it went {span}."


def _r_squared(problem: StudyProblem, folds: Sequence[Fold], squares: Sequence[float]) -> list[float | None]:
    """What each fold adds to R² pooled over these folds, from the sums of its squared errors."""
    spreads = [float(((problem.y[fold.test] - problem.y[fold.train].mean()) ** 2).sum()) for fold in folds]
    values = fold_r_squared(np.array(squares), np.array(spreads), np.zeros(len(folds)))
    return [float(fold_value) if np.isfinite(fold_value) else None for fold_value in values]


def _answers(
    problem: StudyProblem, rules: FoldRules, procedure: Procedure, fold: Fold, train_rows: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Answers for held-out rows of the procedure trained on a part of the fold's rows; and the classes it learned."""
    model_recipe = procedure.make(problem.task)
    model = train(
        problem,
        model_recipe,
        train_rows,
        seed,
        lambda k: inner_folds(problem, train_rows, k or rules.inner, seed),
    )
    learned = (
        np.bincount(problem.y[train_rows], minlength=len(problem.labels)) > 0 if problem.labels else np.empty(0, bool)
    )
    return predictions(problem, model, fold.test), learned


def _score(
    problem: StudyProblem, rules: FoldRules, fold: Fold, answer: np.ndarray, learned: np.ndarray
) -> float | None:
    return value(rules.metric, problem.task, problem.y[fold.test], answer, problem.labels, learned)
