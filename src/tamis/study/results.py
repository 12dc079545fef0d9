"""Finished tasks become the facts of results.json: what was compared, what was chosen, what to expect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tamis
from tamis.errors import StudyError, shortened
from tamis.evaluate.cross_validate import Fold
from tamis.linear.encoding import joined_levels
from tamis.metrics import Metric, utility
from tamis.metrics.distributions import normal_quantile
from tamis.results.answer import Answer
from tamis.results.comparison import BlackBox, Comparison
from tamis.results.fold import FoldRecord
from tamis.results.results import SCHEMA, ColumnStability, Data, LockedRows, PartialResults, Predictions, Results
from tamis.saved import mapping, numbers, read_entry, text, texts
from tamis.study.claims.price import price
from tamis.study.claims.scoring import largest_classes
from tamis.study.claims.sentences import answer, details, question
from tamis.study.claims.shrinkage import claim_excess
from tamis.study.comparison.figures import mean
from tamis.study.findings.sentinels import sentinels_of
from tamis.study.finished import FinishedRun
from tamis.study.problem import StudyProblem
from tamis.study.procedures.models.facts import facts_of
from tamis.study.procedures.models.readability import readability
from tamis.study.settings import Settings

#: A claim of a larger p-value is near its threshold.
WEAK = 0.005

#: Where the claim itself takes more than a tenth of the gain, the corrected score stands beside the quoted one.
NEAR_THRESHOLD = 0.9


def assemble(
    settings: Settings,
    problem: StudyProblem,
    metric: Metric,
    run: FinishedRun,
    decisions: list[dict[str, Any]],
    model_words: str,
    validity: dict[str, Any] | None,
) -> Results:
    """All facts of a finished study, in the documented order; the same study gives the same bytes."""
    record = _answer(settings, problem, metric, run)
    return Results(
        tamis=tamis.__version__,
        schema=SCHEMA,
        partial=len(run.folds) < run.n_folds or run.waiting,
        answer=record,
        data=describe(settings, problem),
        settings=settings.to_dict(),
        columns=decisions,
        leaks=with_question(run.leaks, record),
        ladder=run.ladder,
        comparison=run.comparison,
        frontier=run.frontier,
        paths=run.paths,
        stability=_stability(run.chosen_records, run.contributions),
        findings=run.findings,
        validity=validity,
        plan=problem.plan.to_dict(),
        folds=[{"name": fold.name, "train": len(fold.train), "test": len(fold.test)} for fold in run.folds],
        model=model_words,
        lock=_lock(problem),
        predictions=_predictions(problem, run.folds, run.chosen_records),
        null=run.null,
        reading=list(problem.remarks) or None,
        sentinels=sentinels_of(problem) or None,
        joined=joined_levels(problem.X) or None,
    )


#: What the answer takes from the comparison as it is.
_SHARED = (
    *("signal", "by_black_box_alone", "by_columns_alone", "by_bound_alone", "tentative", "above_chance", "no_column"),
    *("naive", "association", "gain_p_value", "chosen_by", "by_rule", "prefer", "alpha", "recalls", "loss", "p_value"),
)


def _answer(settings: Settings, problem: StudyProblem, metric: Metric, run: FinishedRun) -> Answer:
    """The facts of the answer, and the sentences made of them."""
    compared = run.comparison
    row = compared.procedure(compared.chosen)
    quoted = row if compared.quotes_one else compared
    record = Answer(
        **{name: getattr(compared, name) for name in _SHARED},
        **{name: getattr(quoted, name) for name in ("score", "interval", "interval_note")},
        task=problem.task,
        metric=metric.name,
        baseline=compared.procedure("baseline").score,
        shown_by=_shown_by(compared),
        largest_classes=_largest_classes(problem, metric),
        n_rows=len(problem.y),
        beats_baseline=row.p_value <= compared.alpha if compared.is_by_person else compared.signal == "captured",
        procedure=compared.chosen.partition("[")[0] if run.ladder else compared.chosen,
        max_columns=_size_of(compared.chosen),
        target=settings.target,
        kind=facts_of(run.fitted.model).words(),
        majority=_majority(problem),
        tried=run.tried,
        black_boxes=run.black_boxes,
        selected=list(run.contributions),
        contributions=run.contributions,
        joint=run.joint,
        supported=[row["name"] for row in run.findings["support"] if row["supported"]],
        n_columns=problem.table.n_columns,
        accuracy=_accuracy(problem, run),
        pairs_ranked=_pairs_ranked(problem, run),
        weighted_kappa=row.metrics.get("weighted_kappa"),
        finished={"folds": len(run.folds), "of": run.n_folds},
        black_box=_reference(compared.black_box),
        price=_price(compared.black_box),
        readable=readability(run.fitted.model),
        **quotable(run.leaks),
        dominant=run.dominant,
        exposure=settings.exposure,
        monotone=run.monotone,
    )
    if record.price is not None:
        record.price["words"] = price(record)
    record.corrected_score = _corrected_score(record, metric, compared.metric_correlation, compared.alpha)
    record.words, record.details = answer(record), details(record)
    return record


def _stability(records: list[FoldRecord], contributions: dict[str, float]) -> list[ColumnStability]:
    """Columns that a procedure used in any fold, most often first; of equals, the largest contribution."""
    counted = Counter(name for record in records for name in record.columns or ())
    rank_of = {name: at for at, name in enumerate(contributions)}  # largest contribution first
    order = sorted(counted, key=lambda name: (-counted[name], rank_of.get(name, len(rank_of)), name))
    return [ColumnStability(name, counted[name] / len(records), name in contributions) for name in order]


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


def _price(black_box: BlackBox | None) -> dict[str, Any] | None:
    """The difference between the best black box and the quoted model, in the quoted metric, with its interval."""
    if (box := black_box) is None:
        return None
    price_facts = {"black_box": box.name, "score": box.score, "quoted_score": box.quoted_score}
    return price_facts | {"difference": box.cost, "interval": box.cost_interval, "better": box.better}


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


def with_question(leaks: list[dict[str, Any]], facts: Answer) -> list[dict[str, Any]]:
    """The leaks, with the question about a column that carries the whole score before all but stops."""
    sentence = question(facts)
    if not sentence or facts.dominant is None:
        return leaks
    question_leak = {
        "kind": "dominant",
        "columns": [facts.dominant["column"]],
        "severity": "warn",
        "sentence": sentence,
    }
    n_stops = sum(leak["severity"] == "stop" for leak in leaks)
    return [*leaks[:n_stops], question_leak, *leaks[n_stops:]]


#: What the answer says of the black box; the comparison has the rest.
_QUOTED = (
    *("name", "score", "interval", "interval_note", "folds", "quoted_score", "cost", "cost_interval", "better"),
    "p_value",
)


def _reference(black_box: BlackBox | None) -> dict[str, Any] | None:
    return None if black_box is None else {name: getattr(black_box, name) for name in _QUOTED}


def _quoted_names(run: FinishedRun) -> list[str]:
    """In each fold, the procedure whose score is quoted."""
    compared = run.comparison
    return [compared.chosen] * len(run.folds) if compared.quotes_one else compared.chosen_in_folds


def _accuracy(problem: StudyProblem, run: FinishedRun) -> list[float | None] | None:
    """For classes, the accuracy of the whole procedure and of always guessing the majority."""
    if not problem.labels:
        return None
    compared = run.comparison
    of_model = compared.procedure(compared.chosen).metrics["accuracy"]
    if not compared.quotes_one:
        of_model = mean([run.judged[name][i].metrics["accuracy"] for i, name in enumerate(compared.chosen_in_folds)])
    return [of_model, compared.procedure("baseline").metrics["accuracy"]]


def _pairs_ranked(problem: StudyProblem, run: FinishedRun) -> float | None:
    """Of two classes, the fraction of pairs of one row each that the quoted procedure ranks rightly."""
    if len(problem.labels) != 2 or run.comparison.chosen == "baseline":
        return None
    return mean([run.judged[name][i].metrics.get("roc_auc") for i, name in enumerate(_quoted_names(run))])


def _shown_by(compared: Comparison) -> dict[str, Any] | None:
    """The procedure of the smallest p-value, where that shows a signal."""
    rows = [row for row in compared.procedures if row.name != "baseline" and row.p_value <= compared.alpha]
    best = min(rows, key=lambda row: row.p_value, default=None)
    return (
        None
        if best is None
        else {
            "name": best.name,
            "p_value": best.p_value,
            "by_ranks": best.name in compared.by_ranks,
        }
    )


def _largest_classes(problem: StudyProblem, metric: Metric) -> list[int] | None:
    """How many classes are about as large as the largest, and of how many; None where accuracy is not quoted."""
    if not problem.labels or metric.base not in ("accuracy", "error"):
        return None
    counts = np.bincount(problem.y, minlength=len(problem.labels))
    return [len(largest_classes(counts)), len(problem.labels)]


def _corrected_score(facts: Answer, metric: Metric, metric_correlation: float, alpha: float) -> float | None:
    """The score with its gain over guessing corrected for having been claimed.

    None far above the threshold, and where the metric shows no gain (ranks or probabilities may be better all the
    same).
    """
    guess, p_value = 0.5 if facts.metric == "roc_auc" else facts.baseline, facts.p_value
    is_claimed = facts.signal == "captured" or facts.tentative
    if not is_claimed or facts.chosen_by == "person" or facts.score is None or guess is None:
        return None
    if facts.interval is None or p_value < WEAK or utility(metric, facts.score) <= utility(metric, guess):
        return None
    low, high = facts.interval
    gain = facts.score - guess
    error = (facts.score - low if gain > 0 else high - facts.score) / normal_quantile(0.975)
    corrected = max(0.0, abs(gain) - claim_excess(p_value, alpha) * metric_correlation * error)
    return guess + float(np.sign(gain)) * corrected if corrected < NEAR_THRESHOLD * abs(gain) else None


def unfinished(
    settings: Settings, problem: StudyProblem, metric: Metric, decisions: Any, done: Any, total: int
) -> PartialResults:
    """What is known when a run was stopped: labelled partial, with no choice and no score."""
    return PartialResults(
        tamis=tamis.__version__,
        schema=SCHEMA,
        partial=True,
        finished={"tasks": len(done), "of": total},
        metric=metric.name,
        data=describe(settings, problem),
        settings=settings.to_dict(),
        columns=decisions,
        so_far=_so_far(metric, done),
        lock=_lock(problem),
    )


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
            rows.append({"name": name, "folds": len(scores), "score": float(np.mean(scores))})
    return rows


def _lock(problem: StudyProblem) -> LockedRows:
    lock = problem.lock
    return LockedRows(len(lock.rows), lock.share, lock.how, lock.reason, lock.digest, lock.data)


def describe(settings: Settings, problem: StudyProblem) -> Data:
    """What the study learned from."""
    classes = np.bincount(problem.y, minlength=len(problem.labels)).tolist() if problem.labels else []
    equal, rare, is_grouped = problem.equal_rows, problem.rare, problem.groups is not None
    return Data(
        digest=problem.digest,
        rows=problem.table.n_rows,
        learned=len(problem.y),
        locked=len(problem.lock.rows),
        without_target=problem.dropped,
        columns=problem.table.n_columns,
        target=settings.target,
        equal_rows=None if equal is None else {"rows": equal.n_rows, "sets": equal.n_sets, "as_groups": is_grouped},
        classes=_classes(zip(problem.labels, classes)),
        rare=None if rare is None else {"how": rare.how, "classes": _classes(rare.classes)},
    )


def _classes(rows_of: Iterable[tuple[Any, int]]) -> list[dict[str, Any]]:
    return [{"label": label, "rows": rows} for label, rows in rows_of]


def _predictions(problem: StudyProblem, folds: Sequence[Fold], judged: list[FoldRecord]) -> Predictions | None:
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
    return Predictions(
        rows=problem.rows[judged_rows].tolist(),
        truth=problem.y[judged_rows].tolist(),
        answers=mean.tolist(),
        by_repeat=several if len(repeats) > 1 else None,
    )


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
