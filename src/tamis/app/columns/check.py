"""What a study would do, before it is run: the lock, the folds, the procedures, how long, and what would leak."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tamis.app.columns.choices import MOST_CLASSES, settings_of
from tamis.app.columns.reading import Reading
from tamis.app.runs.forecast import forecast, spoken
from tamis.errors import KindError, TamisError
from tamis.lock.lock import NO_ROWS
from tamis.report import show


def check(reading: Reading, file: Path, choices: dict[str, Any], header: str | None = None) -> dict[str, Any]:
    """The facts of a study that is not run yet; where it cannot be, the sentence that says why.

    Locked rows are drawn as the study will draw them. From here on the page shows nothing of them.
    """
    key = ("check", repr(sorted(settings_of(choices).items(), key=lambda item: item[0])))
    with reading.busy:
        if key not in reading.cache:
            try:
                reading.cache[key] = _checked(file, choices, header)
            except (TamisError, KindError) as error:
                reading.cache[key] = {"error": str(error)}
        facts: dict[str, Any] = reading.cache[key]
    return facts


def cached_check(reading: Reading, choices: dict[str, Any]) -> dict[str, Any] | None:
    """What `check` found for these choices, where it was asked already."""
    if not choices.get("target"):
        return None
    key = ("check", repr(sorted(settings_of(choices).items(), key=lambda item: item[0])))
    return reading.cache.get(key)


def _checked(file: Path, choices: dict[str, Any], header: str | None) -> dict[str, Any]:
    import numpy as np

    from tamis.study import Study
    from tamis.study.fold import FoldRules, find_leaks
    from tamis.study.running import Run

    settings = settings_of(choices)
    study = Study(str(file), folder=file.parent / "never written", header=header, **settings)
    problem = study.problem
    rules = FoldRules.of(study.settings, problem)
    run = Run(study.settings, problem, rules, None)  # type: ignore[arg-type]  # nothing is run, so nothing written down
    locked = problem.lock.mask(len(problem.table))
    kinds = [one.kind for one in problem.decisions if one.used and one.name not in study.settings.roles]
    plan = {
        "rows": len(locked),
        "locked": int(locked.sum()),
        "why": problem.lock.reason.replace("`tamis open`", "opening the lock").removeprefix(f"{NO_ROWS}: ").rstrip("."),
        "learned": len(problem.rows),
        "without_target": problem.dropped,
        "columns": len(kinds),
        "parts": show.parts(kinds, problem.table.n_columns).rstrip("."),
        "task": problem.task,
        "classes": [show.short(label, 60) for label in problem.labels],
        "labels": [str(label) for label in problem.labels] if len(problem.labels) <= MOST_CLASSES else [],
        "folds": problem.plan.folds,
        "repeats": problem.plan.repeats,
        "metric": rules.metric.name,
        "metric_words": show.metric(rules.metric.name),
        "larger": rules.metric.larger,
        "procedures": [
            {"name": procedure.name, "words": procedure.words, "tasks": len(run.folds)} for procedure in run.procedures
        ],
        "black_box": bool(run.references),
        "tasks": run.n_tasks,
        "seconds": (seconds := forecast(len(problem.rows), problem.table.n_columns, len(run.folds), problem.task)),
        "spoken": spoken(seconds),
    }
    return {
        "plan": plan,
        "leaks": find_leaks(problem, seed=0),
        "decisions": {decision.name: decision for decision in problem.decisions},
        "unlocked": np.flatnonzero(~locked),
    }
