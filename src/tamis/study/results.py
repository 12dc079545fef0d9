"""Finished tasks become the facts of results.json: what was compared, what was chosen, what to expect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

import tamis
from tamis.evaluate.interval import corrected, standard_error
from tamis.evaluate.metrics import Metric, utility
from tamis.study.choose import simplest_within_one_error
from tamis.study.fold import Fold
from tamis.study.problem import Problem
from tamis.study.procedures import Procedure
from tamis.study.settings import Settings
from tamis.study.words import answer

SCHEMA = 1

#: Metrics that cannot leave these bounds; an interval is cut there.
BOUNDS = {"r2": (-np.inf, 1.0), "log_loss": (0.0, np.inf), "cost": (0.0, np.inf), "matthews": (-1.0, 1.0)}

Judgements = dict[str, list[dict[str, Any]]]


def compare(
    metric: Metric, procedures: Sequence[Procedure], folds: Sequence[Fold], judged: Judgements
) -> dict[str, Any]:
    """Each procedure's train, nested and gap figures, the one chosen, and the honest score of choosing like this."""
    sizes = _sizes(folds)
    table = [_summary(metric, procedure, judged[procedure.name], sizes) for procedure in procedures]
    means = [utility(metric, row["nested"]) for row in table]
    place = simplest_within_one_error(means, [row["error"] for row in table])
    best = int(np.argmax(means))
    picked = [_picked_inside(metric, procedures, judged, i) for i in range(len(folds))]
    scores = np.array([judged[procedures[p].name][i]["test"] for i, p in enumerate(picked)])
    promised = np.array([np.mean(judged[procedures[p].name][i]["inner"]) for i, p in enumerate(picked)])
    return {
        "procedures": table,
        "chosen": procedures[place].name,
        "best": procedures[best].name,
        "score": float(scores.mean()),
        "interval": bounded(metric, *corrected(scores, *sizes)),
        "scores": scores.tolist(),
        "promised": float(promised.mean()),
        "optimism": float(np.mean(utility(metric, promised) - utility(metric, scores))),
        "picked": [procedures[p].name for p in picked],
    }


def _picked_inside(metric: Metric, procedures: Sequence[Procedure], judged: Judgements, fold: int) -> int:
    """The procedure that the training part of a fold alone would have chosen, by the same rule."""
    inner = [utility(metric, np.array(judged[procedure.name][fold]["inner"])) for procedure in procedures]
    k = len(inner[0])
    errors = [standard_error(scores, k - 1, 1) for scores in inner]
    return simplest_within_one_error([float(scores.mean()) for scores in inner], errors)


def _summary(metric: Metric, procedure: Procedure, judged: list[dict[str, Any]], sizes: Any) -> dict[str, Any]:
    test = np.array([fold["test"] for fold in judged])
    train = np.array([fold["train"] for fold in judged])
    besides = {name: float(np.mean([fold["besides"][name] for fold in judged])) for name in judged[0]["besides"]}
    return {
        "name": procedure.name,
        "words": procedure.words,
        "train": float(train.mean()),
        "nested": float(test.mean()),
        "gap": float(np.mean(utility(metric, train) - utility(metric, test))),
        "error": standard_error(test, *sizes),
        "interval": bounded(metric, *corrected(test, *sizes)),
        "scores": test.tolist(),
        "besides": besides,
        "columns": [len(fold["columns"]) for fold in judged],
    }


def assemble(
    settings: Settings,
    problem: Problem,
    metric: Metric,
    folds: Sequence[Fold],
    compared: dict[str, Any],
    judged: Judgements,
    decisions: list[dict[str, Any]],
    final: dict[str, Any],
) -> dict[str, Any]:
    """All facts of a finished study, in the documented order; the same study gives the same bytes."""
    of_chosen = judged[compared["chosen"]]
    counted = Counter(name for fold in of_chosen for name in fold["columns"])
    rows = {row["name"]: row for row in compared["procedures"]}
    facts = {
        "task": problem.task,
        "metric": metric.name,
        "score": compared["score"],
        "interval": compared["interval"],
        "baseline": rows["baseline"]["nested"],
        "beats_baseline": compared["chosen"] != "baseline",
        "selected": final["columns"],
        "n_columns": problem.table.n_columns,
    }
    return {
        "tamis": tamis.__version__,
        "schema": SCHEMA,
        "partial": False,
        "answer": {"words": answer(facts), **facts},
        "data": describe(settings, problem),
        "settings": settings.to_dict(),
        "columns": decisions,
        "leaks": final["leaks"],
        "comparison": compared,
        "stability": [
            {"name": name, "share": counted[name] / len(of_chosen), "selected": name in final["columns"]}
            for name in sorted(counted, key=lambda name: (-counted[name], name))
        ],
        "folds": [{"name": fold.name, "train": len(fold.train), "test": len(fold.test)} for fold in folds],
        "model": final["words"],
        "lock": _lock(problem),
        "predictions": _predictions(problem, folds, of_chosen),
    }


def unfinished(
    settings: Settings, problem: Problem, metric: Metric, decisions: Any, done: Any, total: int
) -> dict[str, Any]:
    """What is known when a run was stopped: labelled partial, with no choice and no promise."""
    found: dict[str, list[float]] = {}
    for name, result in done.items():
        if isinstance(result, dict) and "test" in result:
            found.setdefault(name.rpartition(" ")[2], []).append(result["test"])
    return {
        "tamis": tamis.__version__,
        "schema": SCHEMA,
        "partial": True,
        "finished": {"tasks": len(done), "of": total},
        "metric": metric.name,
        "data": describe(settings, problem),
        "settings": settings.to_dict(),
        "columns": decisions,
        "so_far": [{"name": name, "folds": len(s), "nested": float(np.mean(s))} for name, s in sorted(found.items())],
        "lock": _lock(problem),
    }


def _lock(problem: Problem) -> dict[str, Any]:
    lock = problem.lock
    return {
        "rows": len(lock.rows),
        "share": lock.share,
        "how": lock.how,
        "reason": lock.reason,
        "digest": lock.digest,
        "data": lock.data,
    }


def describe(settings: Settings, problem: Problem) -> dict[str, Any]:
    """What the study learned from."""
    classes = np.bincount(problem.y, minlength=len(problem.labels)).tolist() if problem.labels else []
    return {
        "digest": problem.digest,
        "rows": problem.table.n_rows,
        "learned": len(problem.y),
        "locked": len(problem.lock.rows),
        "without_target": problem.dropped,
        "columns": problem.table.n_columns,
        "target": settings.target,
        "classes": [{"label": label, "rows": rows} for label, rows in zip(problem.labels, classes)],
    }


def bounded(metric: Metric, low: float, high: float) -> list[float]:
    """An interval cut where the metric ends: accuracy does not exceed 1."""
    if metric.name.startswith("neg_"):
        return [low, min(high, 0.0)]
    ends = BOUNDS.get(metric.name, (0.0, 1.0) if metric.task == "classes" else (0.0, np.inf))
    return [max(low, ends[0]), min(high, ends[1])]


def _sizes(folds: Sequence[Fold]) -> tuple[float, float]:
    return float(np.mean([len(fold.train) for fold in folds])), float(np.mean([len(fold.test) for fold in folds]))


def _predictions(problem: Problem, folds: Sequence[Fold], judged: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Out-of-fold answers of the chosen procedure, averaged over the repeats; None where they were not kept."""
    if not all("answers" in fold for fold in judged):
        return None
    shape = (len(problem.y), len(problem.labels)) if problem.labels else (len(problem.y),)
    total, times = np.zeros(shape), np.zeros(len(problem.y))
    for fold, result in zip(folds, judged):
        total[fold.test] += np.array(result["answers"])
        times[fold.test] += 1
    seen = np.flatnonzero(times)
    mean = total[seen] / (times[seen] if not problem.labels else times[seen, None])
    return {"rows": problem.rows[seen].tolist(), "truth": problem.y[seen].tolist(), "answers": mean.tolist()}
