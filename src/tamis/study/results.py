"""Finished tasks become the facts of results.json: what was compared, what was chosen, what to expect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tamis
from tamis.errors import StudyError
from tamis.evaluate.cross_validate import Fold
from tamis.linear.encoding import joined_levels
from tamis.metrics import Metric, utility
from tamis.metrics.distributions import normal_quantile
from tamis.results.answer import Answer
from tamis.results.fold import FoldRecord, Judgements
from tamis.results.results import SCHEMA, Results
from tamis.saved import mapping, numbers, read_entry, shortened, text, texts
from tamis.study.claims.price import price
from tamis.study.claims.scoring import largest_classes
from tamis.study.claims.sentences import answer, details, question
from tamis.study.claims.shrinkage import claim_excess
from tamis.study.comparison.figures import mean
from tamis.study.findings.sentinels import sentinels_of
from tamis.study.problem import StudyProblem
from tamis.study.settings import Settings

#: A claim of a larger p-value is near its threshold.
WEAK = 0.005

#: Where the claim itself takes more than a tenth of the gain, the corrected score stands beside the quoted one.
NEAR_THRESHOLD = 0.9


def assemble(
    settings: Settings,
    problem: StudyProblem,
    metric: Metric,
    folds: Sequence[Fold],
    compared: dict[str, Any],
    judged: Judgements,
    decisions: list[dict[str, Any]],
    final: dict[str, Any],
) -> Results:
    """All facts of a finished study, in the documented order; the same study gives the same bytes."""
    of_chosen = judged[compared["chosen"]]
    record = _answer(settings, problem, metric, folds, compared, judged, final)
    return Results(
        tamis=tamis.__version__,
        schema=SCHEMA,
        partial=len(folds) < final["finished"]["of"] or final["waiting"],
        answer=record,
        data=describe(settings, problem),
        settings=settings.to_dict(),
        columns=decisions,
        leaks=with_question(final["leaks"], record.to_dict()),
        ladder=compared["ladder"],
        comparison={name: value for name, value in compared.items() if name not in ("frontier", "paths", "ladder")},
        frontier=compared["frontier"],
        paths=compared["paths"],
        stability=_stability(of_chosen, final["contributions"]),
        findings=final.get("findings"),
        validity=final.get("validity"),
        plan=problem.plan.to_dict(),
        folds=[{"name": fold.name, "train": len(fold.train), "test": len(fold.test)} for fold in folds],
        model=final["words"],
        lock=_lock(problem),
        predictions=_predictions(problem, folds, of_chosen),
        null=final.get("null") or None,
        reading=list(problem.remarks) or None,
        sentinels=sentinels_of(problem) or None,
        joined=joined_levels(problem.X) or None,
    )


def _answer(
    settings: Settings,
    problem: StudyProblem,
    metric: Metric,
    folds: Sequence[Fold],
    compared: dict[str, Any],
    judged: Judgements,
    final: dict[str, Any],
) -> Answer:
    """The facts of the answer, and the sentences made of them."""
    rows = {row["name"]: row for row in compared["procedures"]}
    alone = compared["chosen_by"] == "person" or compared["chosen"] == "baseline"  # not the whole way of working
    quoted = rows[compared["chosen"]] if alone else compared
    record = Answer(
        words="",
        details="",
        task=problem.task,
        metric=metric.name,
        score=quoted["nested"] if alone else quoted["score"],
        interval=quoted["interval"],
        interval_note=quoted["interval_note"],
        baseline=rows["baseline"]["nested"],
        signal=compared["signal"],
        by_black_box_alone=compared["by_black_box_alone"],
        by_columns_alone=compared["by_columns_alone"],
        by_bound_alone=compared["by_bound_alone"],
        tentative=compared["tentative"],
        above_chance=compared["above_chance"],
        no_column=compared["no_column"],
        naive=compared["naive"],
        association=compared["association"],
        gain_p_value=compared["gain_p_value"],
        shown_by=_shown_by(compared),
        largest_classes=_largest_classes(problem, metric),
        n_rows=len(problem.y),
        beats_baseline=compared["signal"] == "captured"
        if compared["chosen_by"] == "rule"
        else rows[compared["chosen"]]["p_value"] <= compared["alpha"],
        procedure=compared["chosen"].partition("[")[0] if compared["ladder"] else compared["chosen"],
        max_columns=_size_of(compared["chosen"]),
        target=settings.target,
        kind=final["kind"],
        majority=_majority(problem),
        chosen_by=compared["chosen_by"],
        by_rule=compared["by_rule"],
        prefer=compared["prefer"],
        tried=final["tried"],
        black_boxes=final["black_boxes"],
        selected=list(final["contributions"]),
        contributions=final["contributions"],
        joint=final["joint"],
        sure=[row["name"] for row in (final.get("findings") or {}).get("sure", ()) if row["sure"]],
        n_columns=problem.table.n_columns,
        accuracy=_accuracy(problem, folds, compared, judged),
        alpha=compared["alpha"],
        pairs_ranked=_pairs_ranked(problem, compared, judged),
        recalls=compared["recalls"],
        weighted_kappa=(rows[compared["chosen"]].get("metrics") or {}).get("weighted_kappa"),
        finished=final["finished"],
        black_box=_reference(compared["black_box"]),
        price=_price(compared["black_box"]),
        readable=final["readable"],
        loss=compared["loss"],
        **quotable(final["leaks"]),
        dominant=final["dominant"],
        p_value=compared["p_value"],
        exposure=settings.exposure,
        monotone=final.get("monotone"),
    )
    if record.price is not None:
        record.price["words"] = price(record.to_dict())
    record.shrunken = _shrunken(record.to_dict(), metric, compared["shared_luck"], compared["alpha"])
    facts = record.to_dict()
    record.words, record.details = answer(facts), details(facts)
    return record


def _stability(records: list[FoldRecord], contributions: dict[str, float]) -> list[dict[str, Any]]:
    """Columns that a procedure used in any fold, most often first; of equals, the largest contribution."""
    counted = Counter(name for record in records for name in record.columns or ())
    rank_of = {name: at for at, name in enumerate(contributions)}  # largest contribution first
    order = sorted(counted, key=lambda name: (-counted[name], rank_of.get(name, len(rank_of)), name))
    return [{"name": name, "share": counted[name] / len(records), "selected": name in contributions} for name in order]


def _size_of(chosen: str) -> int | None:
    """The number of columns that a chosen model is bounded by, from its name.

    >>> _size_of("formula[5]"), _size_of("forest")
    (5, None)
    """
    size = chosen.partition("[")[2].removesuffix("]")
    return int(size) if size.isdigit() else None


def _majority(problem: StudyProblem) -> str | None:
    """The largest class by name."""
    return str(problem.labels[int(np.bincount(problem.y).argmax())]) if problem.labels else None


def _price(black_box: dict[str, Any] | None) -> dict[str, Any] | None:
    """The difference between the best black box and the quoted model, in the quoted metric, with its interval."""
    if black_box is None:
        return None
    return {
        "black_box": black_box["name"],
        "score": black_box["score"],
        "beside": black_box["beside"],
        "difference": black_box["cost"],
        "interval": black_box["cost_interval"],
        "better": black_box["better"],
    }


def quotable(leaks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Whether the score may be quoted, and why not: leaks that void it, or that of the locked rows.

    >>> quotable([{"kind": "predicts", "severity": "stop", "sentence": "column 'x' is the target"}])
    {'quotable': False, 'stops': ["Do not quote this score: column 'x' is the target"]}
    """
    stops = [leak for leak in leaks if leak["severity"] == "stop"]
    voided = [leak for leak in stops if leak["kind"] != "locked"]
    return {
        "quotable": not voided,
        "stops": [
            f"Do not {'quote this score' if leak in voided else 'open the locked rows'}: {leak['sentence']}"
            for leak in stops
        ],
    }


def with_question(leaks: list[dict[str, Any]], facts: dict[str, Any]) -> list[dict[str, Any]]:
    """The leaks, with the question about a column that carries the whole score before all but stops."""
    sentence = question(facts)
    if not sentence:
        return leaks
    question_leak = {
        "kind": "dominant",
        "columns": [facts["dominant"]["column"]],
        "severity": "warn",
        "sentence": sentence,
    }
    n_stops = sum(leak["severity"] == "stop" for leak in leaks)
    return [*leaks[:n_stops], question_leak, *leaks[n_stops:]]


#: What the answer says of the black box; the comparison has the rest.
_SAID = (
    *("name", "score", "interval", "interval_note", "folds", "beside", "cost", "cost_interval", "better", "p_value"),
)


def _reference(black_box: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if black_box is None else {name: black_box[name] for name in _SAID}


def _accuracy(
    problem: StudyProblem, folds: Sequence[Fold], compared: dict[str, Any], judged: Judgements
) -> list[float | None] | None:
    """For classes, the accuracy of the whole way of working and of always guessing the majority."""
    if not problem.labels:
        return None
    rows = {row["name"]: row for row in compared["procedures"]}
    if compared["chosen_by"] == "person" or compared["chosen"] == "baseline":
        model_accuracy = rows[compared["chosen"]]["metrics"]["accuracy"]
    else:
        model_accuracy = mean(
            [judged[name][i].metrics["accuracy"] for i, name in enumerate(compared["chosen_in_folds"])]
        )
    return [model_accuracy, rows["baseline"]["metrics"]["accuracy"]]


def _pairs_ranked(problem: StudyProblem, compared: dict[str, Any], judged: Judgements) -> float | None:
    """Of two classes, the share of pairs of one row each that the quoted procedure ranks rightly in the outer folds."""
    if len(problem.labels) != 2 or compared["chosen"] == "baseline":
        return None
    names = compared["chosen_in_folds"]
    if compared["chosen_by"] == "person":
        names = [compared["chosen"]] * len(names)
    return mean([judged[name][i].metrics.get("roc_auc") for i, name in enumerate(names)])


def _shown_by(compared: dict[str, Any]) -> dict[str, Any] | None:
    """The procedure of the smallest p-value, where that shows a signal."""
    rows = [row for row in compared["procedures"] if row["name"] != "baseline" and row["p_value"] <= compared["alpha"]]
    best = min(rows, key=lambda row: row["p_value"], default=None)
    return best and {
        "name": best["name"],
        "p_value": best["p_value"],
        "by_ranks": best["name"] in compared.get("by_ranks", ()),
    }


def _largest_classes(problem: StudyProblem, metric: Metric) -> list[int] | None:
    """How many classes are about as large as the largest, and of how many; None where accuracy is not quoted."""
    if not problem.labels or metric.base not in ("accuracy", "error"):
        return None
    counts = np.bincount(problem.y, minlength=len(problem.labels))
    return [len(largest_classes(counts)), len(problem.labels)]


def _shrunken(facts: dict[str, Any], metric: Metric, shared_luck: float, alpha: float) -> float | None:
    """The score with its gain over guessing corrected for having been claimed.

    None far above the threshold, and where the metric shows no gain (ranks or probabilities may be better all the
    same).
    """
    guess, p_value = 0.5 if facts["metric"] == "roc_auc" else facts["baseline"], facts["p_value"]
    is_claimed = facts["signal"] == "captured" or facts.get("tentative")
    if not is_claimed or facts["chosen_by"] == "person" or facts["score"] is None or guess is None:
        return None
    if facts["interval"] is None or p_value < WEAK or utility(metric, facts["score"]) <= utility(metric, guess):
        return None
    low, high = facts["interval"]
    gain = facts["score"] - guess
    error = (facts["score"] - low if gain > 0 else high - facts["score"]) / normal_quantile(0.975)
    corrected = max(0.0, abs(gain) - claim_excess(p_value, alpha) * shared_luck * error)
    return guess + float(np.sign(gain)) * corrected if corrected < NEAR_THRESHOLD * abs(gain) else None


def unfinished(
    settings: Settings, problem: StudyProblem, metric: Metric, decisions: Any, done: Any, total: int
) -> dict[str, Any]:
    """What is known when a run was stopped: labelled partial, with no choice and no promise."""
    return {
        "tamis": tamis.__version__,
        "schema": SCHEMA,
        "partial": True,
        "finished": {"tasks": len(done), "of": total},
        "metric": metric.name,
        "data": describe(settings, problem),
        "settings": settings.to_dict(),
        "columns": decisions,
        "so_far": _so_far(metric, done),
        "lock": _lock(problem),
    }


def _so_far(metric: Metric, done: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Of each procedure the folds that are finished, and its score over them; R² is pooled over these.

    What the baseline loses in a fold are the squares about the mean of its training rows.
    """
    records: dict[str, dict[str, FoldRecord]] = {}
    for task, result in done.items():
        if isinstance(result, dict) and "losses" in result:
            fold, _, name = task.rpartition(" ")
            records.setdefault(name, {})[fold] = FoldRecord.from_dict(result)
    rows = []
    for name, judged in sorted(records.items()):
        scores = [record.score for record in judged.values() if record.score is not None]
        if metric.base == "r2" and not metric.negated:
            paired = [(judged[fold], records["baseline"][fold]) for fold in judged if fold in records["baseline"]]
            squares, spreads = (sum(sum(pair[k].losses.loss) for pair in paired) for k in (0, 1))
            scores = [1 - squares / spreads] * len(paired) if spreads > 0 else []
        if scores:
            rows.append({"name": name, "folds": len(scores), "nested": float(np.mean(scores))})
    return rows


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
        "equal_rows": None
        if problem.equal_rows is None
        else {
            "rows": problem.equal_rows.n_rows,
            "sets": problem.equal_rows.n_sets,
            "as_groups": problem.groups is not None,
        },
        "classes": [{"label": label, "rows": rows} for label, rows in zip(problem.labels, classes)],
        "rare": None
        if problem.rare is None
        else {"how": problem.rare.how, "classes": [{"label": a, "rows": b} for a, b in problem.rare.classes]},
    }


def _predictions(problem: StudyProblem, folds: Sequence[Fold], judged: list[FoldRecord]) -> dict[str, Any] | None:
    """Out-of-fold predictions of the chosen procedure, means over the repeats and each; None where not kept."""
    if any(record.predictions is None for record in judged):
        return None
    shape = (len(problem.y), len(problem.labels)) if problem.labels else (len(problem.y),)
    repeats = sorted({fold.repeat for fold in folds})
    total, times = np.zeros(shape), np.zeros(len(problem.y))
    single: dict[int, list[Any]] = {repeat: [None] * len(problem.y) for repeat in repeats}
    for fold, result in zip(folds, judged):
        total[fold.test] += np.array(result.predictions)
        times[fold.test] += 1
        for row, prediction in zip(fold.test.tolist(), result.predictions or ()):
            single[fold.repeat][row] = prediction
    judged_rows = np.flatnonzero(times)
    mean = total[judged_rows] / (times[judged_rows] if not problem.labels else times[judged_rows, None])
    several = [[single[repeat][row] for row in judged_rows.tolist()] for repeat in repeats]
    return {
        "rows": problem.rows[judged_rows].tolist(),
        "truth": problem.y[judged_rows].tolist(),
        "answers": mean.tolist(),
        "by_repeat": several if len(repeats) > 1 else None,
    }


def refuse_damaged(results: dict[str, Any]) -> None:
    """Raise unless results that came from a file hold what a study says of itself; the report reads the rest."""
    answer = mapping("answer", read_entry(results, "answer"))
    texts("the selected columns", read_entry(answer, "selected"))
    numbers("the score", read_entry(answer, "score"), shape=())
    if read_entry(answer, "interval") is not None:
        numbers("the interval", answer["interval"], shape=(2,))
    text("the answer", read_entry(answer, "words"))
    lock = mapping("lock", read_entry(results, "lock"))
    for name in ("digest", "data"):
        text(f"the {name} of the lock", read_entry(lock, name))
    for name in ("data", "settings"):
        mapping(name, read_entry(results, name))


def refuse_older(results: dict[str, Any], folder: Path) -> None:
    """Raise for results of another layout than this version writes."""
    schema = results.get("schema")
    if schema != SCHEMA:
        writer = f"by Tamis {results['tamis']}" if isinstance(results.get("tamis"), str) else "by another Tamis"
        raise StudyError(
            f"{str(folder)!r} holds results of layout {shortened(repr(schema), 40)}, written {writer}; this "
            "version reads "
            f"layout {SCHEMA}: start over with run(fresh=True)"
        )
