"""Whether more rows would help: the chosen procedure on parts of its training rows, judged on the same others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.engine import generator, seed_of
from tamis.evaluate.cross_validate import Fold, predictions, train
from tamis.evaluate.inner import inner_folds
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
    found = [n_train // 9, n_train // 3] if n_train // 3 <= MOST else [MOST // 9, MOST]
    return [size for size in found if size >= FEWEST]


def learning(
    problem: StudyProblem, rules: FoldRules, procedure: Procedure, folds: Sequence[Fold], *, seed: int
) -> dict[str, Any]:
    """Scores of the procedure by rows learned from, in the first folds: `rows` and, for each, a score a fold.

    A part that lacks a value of the score (one class alone) is left out.
    """
    few = list(folds[:FOLDS])
    smallest = min(len(fold.train) for fold in few)
    rows, scores = [], []
    for size in sizes(smallest):
        found = [_score(problem, rules, procedure, fold, size, seed) for fold in few]
        known = [score for score in found if score is not None]
        if len(known) == len(few):
            rows.append(size)
            scores.append(known)
    return {"procedure": procedure.name, "rows": rows, "scores": scores, "folds": len(few)}


def whole_curve(found: dict[str, Any], folds: Sequence[Fold], judged: list[dict[str, Any]]) -> dict[str, Any]:
    """The same with a last point: all training rows of these folds, as they were judged anyway."""
    last = [fold["test"] for fold in judged[: found["folds"]]]
    if not found["rows"] or None in last:
        return {**found, "rows": [], "scores": []}
    n_train = int(np.mean([len(fold.train) for fold in folds[: found["folds"]]]))
    return {**found, "rows": [*found["rows"], n_train], "scores": [*found["scores"], last]}


def _score(
    problem: StudyProblem, rules: FoldRules, procedure: Procedure, fold: Fold, size: int, seed: int
) -> float | None:
    own = seed_of(seed, "learning", fold.place, size)
    part = np.sort(generator(own, "rows").permutation(fold.train)[:size])
    made = procedure.make(problem.task)
    model = train(problem, made, part, own, lambda k: inner_folds(problem, part, k or rules.inner, own))
    learned = np.bincount(problem.y[part], minlength=len(problem.labels)) > 0 if problem.labels else np.empty(0, bool)
    answer = predictions(problem, model, fold.test)
    return value(rules.metric, problem.task, problem.y[fold.test], answer, problem.labels, learned)
