"""All that a study finds out about its columns and its model, as plain values for results.json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tamis.results.fold import FoldFindings, FoldRecord, Judgements
from tamis.study.claims.association import Association
from tamis.study.findings.complexity import complexity, path_of
from tamis.study.findings.distribution import distribution, shown_classes
from tamis.study.findings.effect import effect_size, effects, grid_of, is_uncalibrated, most_moving
from tamis.study.findings.interchangeable import interchangeable
from tamis.study.findings.marginal import marginal
from tamis.study.findings.pairs.interactions import interactions
from tamis.study.findings.readable import readable
from tamis.study.findings.stability import expected_false, selection_stability
from tamis.study.findings.sure import sure_columns
from tamis.study.findings.table_one import table_one
from tamis.study.findings.terms import kept_terms, listed_terms, terms
from tamis.study.problem import StudyProblem
from tamis.study.procedures.models.facts import facts_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


#: Columns of the model that get a card, at most.
MOST_CARDS = 12


def of_fold(problem: StudyProblem, model: BaseEstimator, columns: Sequence[str]) -> FoldFindings:
    """What is kept of one fold's model: its effects, its coefficients, its error against complexity."""
    return FoldFindings(
        effects=effects(problem, model, _by_weight(problem, model, columns)),
        terms=kept_terms(model),
        complexity=complexity(model),
    )


def of_refit(problem: StudyProblem, model: BaseEstimator, order: Sequence[str]) -> dict[str, Any]:
    """The same of the final model, with its path; `order` is its columns, largest contribution first."""
    return {
        "effects": effects(problem, model, order),
        "uncalibrated": is_uncalibrated(model),
        "terms": terms(model),
        "complexity": complexity(model),
        "path": path_of(model),
        "expected_false": expected_false(model),
    }


def findings(
    problem: StudyProblem,
    judged: Judgements,
    chosen: str,
    order: Sequence[str],
    final: dict[str, Any],
    model: BaseEstimator,
    tested: Association,
    n_jobs: int | None = None,
) -> dict[str, Any]:
    """Everything, from the rows learned from and what the folds kept.

    Parameters
    ----------
    judged : procedure -> what is kept of each fold.
    chosen : the procedure that was refitted.
    order : columns of its model, largest contribution first.
    final : what `of_refit` gave.
    model : the fitted model.
    tested : every column alone against the target.
    """
    alone = marginal(problem, tested, n_jobs)
    strongest = sorted(zip(alone["name"], alone["strength"]), key=lambda pair: (-pair[1], pair[0]))
    first = [*order, *(name for name, _ in strongest if name not in set(order))]
    alike, together = interchangeable(problem, order), interactions(problem, first, n_jobs)
    return {
        "columns": alone,
        "support": sure_columns(problem, order, alike, together["pairs"]),
        "stability": selection_stability([record.columns or [] for record in judged[chosen]], problem.X.n_columns),
        "expected_false": final.get("expected_false"),
        "interchangeable": alike,
        "interactions": together,
        "classes": [str(problem.labels[code]) for code in shown_classes(problem)],
        "cards": [_card(problem, name, final, judged[chosen]) for name in order[:MOST_CARDS]],
        "effect_steps": effect_size(problem.X.n_columns)[1],
        "uncalibrated": final.get("uncalibrated", False),
        "terms": {
            "final": final.get("terms"),
            "folds": [
                listed_terms(record.findings.terms if record.findings else None, final.get("terms"))
                for record in judged[chosen]
            ],
        },
        "complexity": _complexities(judged),
        "path": final.get("path"),
        "learning": final.get("learning"),
        "final_complexity": final.get("complexity"),
        "readable": readable(model, problem, list(order)),
        "table_one": table_one(problem, first),
    }


def _card(problem: StudyProblem, name: str, final: dict[str, Any], records: list[FoldRecord]) -> dict[str, Any]:
    """Distribution and effect of a column; `folds` holds a curve a fold, None where the fold kept none.

    A fold whose model does not use the column has no effect of it: its curve is 0.
    """
    column = problem.X.column(name)
    card: dict[str, Any] = {"name": name, "distribution": distribution(column, problem), "effect": None}
    curve = final.get("effects", {}).get(name)
    if curve is None:
        return card
    points = grid_of(problem, name).points
    words = None if column.levels is None else [str(column.levels[int(point)]) for point in points]
    flat = [[0.0] * len(line) for line in curve]
    fold_curves = [
        (record.findings and record.findings.effects.get(name)) or (None if name in (record.columns or ()) else flat)
        for record in records
    ]
    effect = {"points": [float(point) for point in points], "levels": words, "final": curve, "folds": fold_curves}
    return {**card, "effect": effect}


def _complexities(judged: Judgements) -> dict[str, list[dict[str, Any]]]:
    """Procedure -> the curves of its folds, for those that have any."""
    curves_of = {
        name: [each.findings.complexity for each in records if each.findings and each.findings.complexity is not None]
        for name, records in judged.items()
    }
    return {name: curves for name, curves in curves_of.items() if curves}


def _by_weight(problem: StudyProblem, model: BaseEstimator, columns: Sequence[str]) -> list[str]:
    """Columns of a fold's model, largest contribution first: those that the final model's cards are most likely of."""
    weight = facts_of(model).importances()
    if not weight:
        return most_moving(problem, model, columns)
    return sorted(columns, key=lambda name: (-weight.get(name, 0.0), name))
