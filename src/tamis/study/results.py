"""Finished tasks become the facts of results.json: what was compared, what was chosen, what to expect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tamis
from tamis.errors import StudyError
from tamis.evaluate.cross_validate import Fold
from tamis.metrics import Metric, utility
from tamis.metrics.intervals.curves import calibration, confusion, roc
from tamis.metrics.intervals.interval import score_interval
from tamis.metrics.intervals.paired import difference
from tamis.metrics.intervals.tally import Tally
from tamis.saved import mapping, numbers, part, text, texts
from tamis.study.choose import choose
from tamis.study.claims.claim import claim
from tamis.study.claims.sentences import answer
from tamis.study.fold import FoldRules, tally_of
from tamis.study.problem import StudyProblem
from tamis.study.procedures import Procedure
from tamis.study.settings import Settings

SCHEMA = 2

Judgements = dict[str, list[dict[str, Any]]]


def compare(
    problem: StudyProblem,
    rules: FoldRules,
    prefer: str,
    procedures: Sequence[Procedure],
    folds: Sequence[Fold],
    judged: Judgements,
) -> dict[str, Any]:
    """Each procedure's figures, what they show against the baseline, the one chosen, and the score of choosing so.

    Procedures are compared by the proper loss of held-out rows, paired by unit; the metric is only quoted.
    """
    metric = rules.metric
    names = [procedure.name for procedure in procedures]
    picked = [_picked_inside(prefer, names, judged, i) for i in range(len(folds))]
    of_picked = [judged[names[p]][i] for i, p in enumerate(picked)]
    rows = _by_unit(problem, folds, judged[names[0]], "rows")
    losses = [_by_unit(problem, folds, judged[name], "loss") for name in names]
    proper = [_by_unit(problem, folds, judged[name], "proper") for name in names] if rules.costs is not None else losses
    shown = claim(proper, losses[0], _by_unit(problem, folds, of_picked, "loss"), rows)
    place = 0 if shown.signal == "none" else _chosen(losses, rows, prefer)
    best = int(np.argmin([sums.sum() for sums in losses]))
    scores = [fold["test"] for fold in of_picked]
    promised = [fold["promised"] for fold in of_picked]
    return {
        "procedures": [
            {
                **_summary(problem, rules, procedure, judged[procedure.name], folds),
                **_standing(losses, p, best, rows),
                "p_value": shown.p_values[p],
            }
            for p, procedure in enumerate(procedures)
        ],
        "loss": rules.loss,
        "prefer": prefer,
        "chosen": names[place],
        "best": names[best],
        "signal": shown.signal,
        "p_value": shown.p_value,
        "score": _mean(scores),
        **_interval(problem, rules, folds, of_picked),
        "scores": scores,
        "promised": _mean(promised),
        "optimism": _mean([_excess(metric, p, s) for p, s in zip(promised, scores)]),
        "chosen_in_folds": [names[p] for p in picked],
        "unlearned": sum(fold["unlearned"] for fold in of_picked),
        "judged": _judged(problem, rules, folds, judged[names[place]]),
    }


def _picked_inside(prefer: str, names: Sequence[str], judged: Judgements, fold: int) -> int:
    """The procedure that the training part of a fold alone would have chosen, by the same rule."""
    inner = [judged[name][fold]["inner"] for name in names]
    rows = np.array([part["rows"] for part in inner])
    common = (rows == rows[0]).all(axis=0)
    return choose([np.array(part["loss"])[common] for part in inner], rows[0, common], prefer)


def _chosen(losses: list[np.ndarray], rows: np.ndarray, prefer: str) -> int:
    """The choice by the outer losses, once there is a signal: then it is not the baseline."""
    place = choose(losses, rows, prefer)
    return place if place else 1 + int(np.argmin([sums.sum() for sums in losses[1:]]))


def _by_unit(problem: StudyProblem, folds: Sequence[Fold], judged: list[dict[str, Any]], part: str) -> np.ndarray:
    """Losses or rows of each unit, a row that was judged in several repeats counted once."""
    total, times = np.zeros(problem.units.max() + 1), np.zeros(len(problem.y))
    for fold, result in zip(folds, judged):
        np.add.at(total, np.unique(problem.units[fold.test]), result["outer"][part])
        times[fold.test] += 1
    return total / max(1.0, times.max())


def _standing(losses: list[np.ndarray], place: int, best: int, rows: np.ndarray) -> dict[str, float]:
    """Mean loss, what of the baseline's loss it saves, and the paired difference to the best with its error."""
    behind = difference(losses[place], losses[best], rows)
    base, own, n = float(losses[0].sum()), float(losses[place].sum()), float(rows.sum())
    return {
        "loss": own / n,
        "gain": (base - own) / base if base > 0 else 0.0,
        "difference": behind.mean,
        "standard_error": behind.error,
    }


def _summary(
    problem: StudyProblem, rules: FoldRules, procedure: Procedure, judged: list[dict[str, Any]], folds: Sequence[Fold]
) -> dict[str, Any]:
    metric = rules.metric
    test = [fold["test"] for fold in judged]
    train = [fold["train"] for fold in judged]
    return {
        "name": procedure.name,
        "words": procedure.words,
        "train": _mean(train),
        "nested": _mean(test),
        "gap": _mean([_excess(metric, a, b) for a, b in zip(train, test)]),
        **_interval(problem, rules, folds, judged),
        "scores": test,
        "metrics": {name: _mean([fold["metrics"][name] for fold in judged]) for name in judged[0]["metrics"]},
        "columns": [len(fold["columns"]) for fold in judged],
    }


def _interval(
    problem: StudyProblem, rules: FoldRules, folds: Sequence[Fold], judged: list[dict[str, Any]]
) -> dict[str, list[float] | str | None]:
    """Where the score of the refitted model lies on new rows, or why that cannot be said."""
    kept = [(fold, result) for fold, result in zip(folds, judged) if result["test"] is not None]
    if not kept:
        return {"interval": None, "interval_note": f"{rules.metric.name} has no value in any fold"}
    found = score_interval(
        rules.metric,
        [tally_of(problem, rules, fold, result) for fold, result in kept],
        [result["test"] for _, result in kept],
        float(np.mean([len(fold.train) for fold, _ in kept])),
        float(np.mean([len(fold.test) for fold, _ in kept])),
    )
    note = found.note or ("" if np.isfinite([found.low, found.high]).all() else "the judged rows give no bound")
    return {"interval": None if note else [found.low, found.high], "interval_note": note}


def _judged(
    problem: StudyProblem, rules: FoldRules, folds: Sequence[Fold], judged: list[dict[str, Any]]
) -> dict[str, Any] | None:
    """Confusion matrix and, for two classes, ROC and calibration curves of a procedure; None for numbers."""
    if not problem.labels:
        return None
    tallies: list[Tally] = [tally_of(problem, rules, fold, result) for fold, result in zip(folds, judged)]
    found: dict[str, Any] = {"confusion": confusion(tallies).tolist()}
    if "tally" in judged[0]:  # else the rows themselves are there
        codes = [1] if len(problem.labels) == 2 else []
        for code in codes:
            curve, bins = roc(tallies, code), calibration(tallies, code)
            found["roc"] = {name: np.clip(values, 0, 1).tolist() for name, values in curve.items()}
            found["calibration"] = {name: values.tolist() for name, values in bins.items()}
    return found


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean of the values there are."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _excess(metric: Metric, first: float | None, second: float | None) -> float | None:
    """How much better the first score is."""
    return None if first is None or second is None else float(utility(metric, first) - utility(metric, second))


def assemble(
    settings: Settings,
    problem: StudyProblem,
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
    quoted = rows["baseline"] if compared["signal"] == "none" else compared
    facts = {
        "task": problem.task,
        "metric": metric.name,
        "score": quoted["nested"] if compared["signal"] == "none" else quoted["score"],
        "interval": quoted["interval"],
        "interval_note": quoted["interval_note"],
        "baseline": rows["baseline"]["nested"],
        "signal": compared["signal"],
        "beats_baseline": compared["signal"] == "captured",
        "procedure": compared["chosen"],
        "tried": [name for name in rows if name != "baseline"],
        "selected": list(final["contributions"]),
        "contributions": final["contributions"],
        "n_columns": problem.table.n_columns,
        "accuracy": _accuracy(problem, folds, compared, judged),
        "finished": final["finished"],
    }
    return {
        "tamis": tamis.__version__,
        "schema": SCHEMA,
        "partial": len(folds) < final["finished"]["of"],
        "answer": {"words": answer(facts), **facts},
        "data": describe(settings, problem),
        "settings": settings.to_dict(),
        "columns": decisions,
        "leaks": final["leaks"],
        "comparison": compared,
        "stability": [
            {"name": name, "share": counted[name] / len(of_chosen), "selected": name in final["contributions"]}
            for name in sorted(counted, key=lambda name: (-counted[name], name))
        ],
        "findings": final.get("findings"),
        "plan": problem.plan.to_dict(),
        "folds": [{"name": fold.name, "train": len(fold.train), "test": len(fold.test)} for fold in folds],
        "model": final["words"],
        "lock": _lock(problem),
        "predictions": _predictions(problem, folds, of_chosen),
    }


def _accuracy(
    problem: StudyProblem, folds: Sequence[Fold], compared: dict[str, Any], judged: Judgements
) -> list[float | None] | None:
    """For classes, the accuracy of the whole way of working and of always guessing the majority."""
    if not problem.labels:
        return None
    picked = compared["chosen_in_folds"] if compared["signal"] != "none" else ["baseline"] * len(folds)
    return [
        _mean([judged[name][i]["metrics"]["accuracy"] for i, name in enumerate(names)])
        for names in (picked, ["baseline"] * len(folds))
    ]


def unfinished(
    settings: Settings, problem: StudyProblem, metric: Metric, decisions: Any, done: Any, total: int
) -> dict[str, Any]:
    """What is known when a run was stopped: labelled partial, with no choice and no promise."""
    found: dict[str, list[float]] = {}
    for name, result in done.items():
        if isinstance(result, dict) and result.get("test") is not None:
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


def _lock(problem: StudyProblem) -> dict[str, Any]:
    lock = problem.lock
    return {
        "rows": len(lock.rows),
        "share": lock.share,
        "how": lock.how,
        "reason": lock.reason,
        "digest": lock.digest,
        "data": lock.data,
    }


def describe(settings: Settings, problem: StudyProblem) -> dict[str, Any]:
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
        "rare": None
        if problem.rare is None
        else {"how": problem.rare.how, "classes": [{"label": a, "rows": b} for a, b in problem.rare.classes]},
    }


def _predictions(problem: StudyProblem, folds: Sequence[Fold], judged: list[dict[str, Any]]) -> dict[str, Any] | None:
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


def refuse_damaged(results: dict[str, Any]) -> None:
    """Raise unless results that came from a file hold what a study says of itself; the report reads the rest."""
    answer = mapping("answer", part(results, "answer"))
    texts("the selected columns", part(answer, "selected"))
    numbers("the score", part(answer, "score"), shape=())
    if part(answer, "interval") is not None:
        numbers("the interval", answer["interval"], shape=(2,))
    text("the answer", part(answer, "words"))
    lock = mapping("lock", part(results, "lock"))
    for name in ("digest", "data"):
        text(f"the {name} of the lock", part(lock, name))
    for name in ("data", "settings"):
        mapping(name, part(results, name))


def refuse_older(results: dict[str, Any], folder: Path) -> None:
    """Raise for results of another layout than this version writes."""
    found = results.get("schema")
    if found != SCHEMA:
        made = f"by Tamis {results['tamis']}" if isinstance(results.get("tamis"), str) else "by another Tamis"
        raise StudyError(
            f"{str(folder)!r} holds results of layout {found!r}, written {made}; this version reads layout {SCHEMA}: "
            "start over with run(fresh=True)"
        )
