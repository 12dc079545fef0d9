"""Whether more rows would help: the chosen procedure on parts of its training rows, judged on the same others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.engine import generator, seed_of
from tamis.evaluate.cross_validate import Fold, predictions, train
from tamis.evaluate.inner_folds import inner_folds
from tamis.metrics.r_squared import fold_r_squared
from tamis.results.fold import FoldRecord
from tamis.study.claims.scoring import value
from tamis.study.problem import StudyProblem
from tamis.study.procedures import Procedure

if TYPE_CHECKING:
    from tamis.study.fold import FoldRules

#: Folds that are looked at; fewest and most rows of a part: what is fitted besides must cost little.
FOLDS, FEWEST, MOST = 2, 20, 1_000


def sizes(n_train: int) -> list[int]:
    """Rows of the parts: a ninth and a third of the training rows, or fixed numbers where those are many.

    >>> sizes(360), sizes(30_000), sizes(60)
    ([40, 120], [111, 1000], [20])
    """
    candidates = [n_train // 9, n_train // 3] if n_train // 3 <= MOST else [MOST // 9, MOST]
    return [size for size in candidates if size >= FEWEST]


def learning(
    problem: StudyProblem, rules: FoldRules, procedure: Procedure, folds: Sequence[Fold], *, seed: int
) -> dict[str, Any]:
    """Scores of the procedure by rows learned from, in the first folds: `rows` and, for each, a score a fold.

    A part that lacks a value of the score (one class alone) is left out. R² is what a fold adds to the one pooled over
    these folds, about the mean of all training rows of each: the same for every number of rows.
    """
    first_folds = list(folds[:FOLDS])
    smallest = min(len(fold.train) for fold in first_folds)
    rows, scores = [], []
    for size in sizes(smallest):
        answers = [_answers(problem, rules, procedure, fold, size, seed) for fold in first_folds]
        if rules.metric.base == "r2":
            squares = [
                float(((problem.y[fold.test] - answer) ** 2).sum()) for fold, (answer, _) in zip(first_folds, answers)
            ]
            values = _r_squared(problem, first_folds, squares)
        else:
            values = [_score(problem, rules, fold, *answer) for fold, answer in zip(first_folds, answers)]
        finite = [value for value in values if value is not None]
        if len(finite) == len(first_folds):
            rows.append(size)
            scores.append(finite)
    return {"procedure": procedure.name, "rows": rows, "scores": scores, "folds": len(first_folds)}


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


def _r_squared(problem: StudyProblem, folds: Sequence[Fold], squares: Sequence[float]) -> list[float | None]:
    """What each fold adds to R² pooled over these folds, from the sums of its squared errors."""
    spreads = [float(((problem.y[fold.test] - problem.y[fold.train].mean()) ** 2).sum()) for fold in folds]
    values = fold_r_squared(np.array(squares), np.array(spreads), np.zeros(len(folds)))
    return [float(fold_value) if np.isfinite(fold_value) else None for fold_value in values]


def _answers(
    problem: StudyProblem, rules: FoldRules, procedure: Procedure, fold: Fold, size: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Answers for held-out rows of the procedure trained on so many rows of the fold; and the classes it learned."""
    fold_seed = seed_of(seed, "learning", fold.index, size)
    train_rows = np.sort(generator(fold_seed, "rows").permutation(fold.train)[:size])
    model_recipe = procedure.make(problem.task)
    model = train(
        problem,
        model_recipe,
        train_rows,
        fold_seed,
        lambda k: inner_folds(problem, train_rows, k or rules.inner, fold_seed),
    )
    learned = (
        np.bincount(problem.y[train_rows], minlength=len(problem.labels)) > 0 if problem.labels else np.empty(0, bool)
    )
    return predictions(problem, model, fold.test), learned


def _score(
    problem: StudyProblem, rules: FoldRules, fold: Fold, answer: np.ndarray, learned: np.ndarray
) -> float | None:
    return value(rules.metric, problem.task, problem.y[fold.test], answer, problem.labels, learned)
