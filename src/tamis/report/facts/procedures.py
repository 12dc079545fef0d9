"""Which procedures were compared, by what rule one was chosen, and how optimistic inner folds were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tamis.report import show
from tamis.report.facts.curves import complexity, learning, path
from tamis.report.parts import sentence
from tamis.report.table import Head, ReportTable, cell
from tamis.results.comparison import Comparison, Rung
from tamis.results.procedure import ProcedureRecord
from tamis.results.results import AnyResults, Results
from tamis.wording import first_few

if TYPE_CHECKING:
    from tamis.metrics import Metric


#: The proper scores that procedures are compared by, in words.
LOSSES = {
    "brier": "Brier score",
    "log_loss": "smoothed log loss",
    "squared_error": "squared error",
    "poisson_deviance": "Poisson deviance",
    "ranked_probability_score": "ranked probability score",
    "cost": "mean cost",
}

#: What each preference asks of a simpler procedure.
PREFERENCES = {
    "simplest": "the simplest that loses no more than one standard error of the paired difference to the best",
    "balanced": "the simplest that loses no more than one standard error of the paired difference to the best and "
    "keeps 90% of the best's gain over the baseline",
    "best": "the best",
}

#: Rows that the score on training rows is of at most: that of `study.fold`, which stands above reports.
MOST_TRAINED = 100_000

#: Columns that are named in a sentence; the others are counted.
MOST_NAMED = 8


def metric_of(results: AnyResults) -> Metric:
    """The metric of results, finished or partial."""
    from tamis.metrics.loss_matrix import metric_for  # brings scikit-learn, so only when a report is written

    name = results.answer.metric if isinstance(results, Results) else results.metric
    loss = results.settings.get("loss")
    labels = [row["label"] for row in results.data.classes] or None
    return metric_for(name if loss is None else None, loss, labels)


def procedures(results: Results) -> dict[str, Any]:
    """The leaderboard, the rule of choice in words, other metrics, and error against complexity."""
    metric, compared = metric_of(results), results.comparison
    listed = compared.procedures
    heads = (
        Head("procedure"),
        Head("train", number=True),
        Head("nested", number=True),
        Head("gap", number=True),
        Head("95% interval"),
        Head(LOSSES[compared.loss], number=True),
        Head("saved", number=True),
        Head("p", number=True),
        Head("columns", number=True),
    )
    rows = [_procedure(row, index, compared.chosen) for index, row in enumerate(listed)]
    return {
        "table": ReportTable("procedures", "Procedures compared, simplest first", heads, rows),
        "rule": f"{_rule(compared, results.ladder)} {_claim(compared)}",
        "chosen": compared.chosen,
        "direction": sentence(f"{show.metric(metric.name)}: {'larger' if metric.larger else 'smaller'} is better"),
        "loss": sentence(
            f"{LOSSES[compared.loss]}: smaller is better; saved: of the baseline's; p: that it is no better than "
            "the baseline, after Holm"
        ),
        "folds": _folds(results),
        "besides": _besides(listed),
        "complexity": complexity(results),
        "path": path(results),
        "learning": learning(results),
        "told": [
            {"name": show.name(row.name), "words": sentence(show.name(row.words))}
            for row in listed
            if show.procedure(row.name) == show.name(row.name)
        ],
    }


def _rule(compared: Comparison, ladder: Sequence[Rung]) -> str:
    best, chosen = compared.procedure(compared.best), compared.procedure(compared.chosen)
    best_name, chosen_name = show.procedure(best.name), show.procedure(chosen.name)
    how = f"Procedures are compared by the {LOSSES[compared.loss]} of held-out rows, row by row."
    best_words = f"Best: {best_name}, {show.number(best.loss, 4)}."
    if compared.chosen_by == "person":
        preference, by_rule = PREFERENCES[compared.prefer], show.procedure(compared.by_rule)
        return f"{how} {best_words} A person chose {chosen_name}; the rule ({preference}) takes {by_rule}."
    if compared.signal == "none":
        return f"{how} {best_words} None differs measurably from the baseline, so the baseline is kept."
    if chosen.name == best.name == "baseline":
        return f"{how} {best_words} No procedure loses less than the baseline, so the baseline is kept."
    if compared.by_metric:
        return (
            f"{how} {best_words} {chosen_name} does not differ measurably from it and is better by the quoted "
            "metric beyond chance, so it is chosen."
        )
    if compared.prefer == "best":
        return f"{how} {best_words} It is chosen."
    if chosen.name == best.name:
        return f"{how} {best_words} It is chosen because every simpler procedure is clearly worse."
    best_of_sizes, error, gap = "the best", chosen.standard_error, chosen.difference
    rung = next((rung for rung in ladder if rung.chosen and rung.difference is not None), None)
    if rung is not None and rung.difference is not None and rung.standard_error is not None:
        how += " With each number of columns, training rows choose the kind of model."
        least = min((rung for rung in ladder if not rung.black_box), key=lambda rung: rung.loss)
        best_of_sizes = f"the best number of columns ({least.columns})"
        error, gap = rung.standard_error, rung.difference
    behind = f"{show.number(gap, 4)} behind {best_of_sizes}, with a standard error of {show.number(error, 4)}"
    words = f"{chosen_name}, {behind}"
    return f"{how} {best_words} Chosen is {PREFERENCES[compared.prefer]}: {words}."


def _claim(compared: Comparison) -> str:
    p = show.p_value(compared.p_value)
    tests = f"The whole procedure, the choice between models included, against the baseline: p {p}."
    if compared.tentative:
        return f"{tests} No test has a p-value of 0.05 or less, so chance may explain this."
    if compared.by_black_box_alone:
        return f"{tests} A black box beats the baseline beyond chance, no procedure tried does."
    if compared.by_bound_alone:
        return (
            f"{tests} The interval of its score lies above chance, but no procedure passes a test that allows for all."
        )
    if compared.no_column:
        return f"{tests} The model fitted to all rows uses no column."
    if compared.by_columns_alone:
        return f"{tests} No procedure tried beats the baseline beyond chance, but {_associated(compared)}."
    alone = compared.association
    tested = ""
    if alone:
        p = show.p_value(alone["p_value"])
        tested = f" No column alone goes with the target at the level of {alone['level']} (smallest adjusted p {p})."
    return {
        "captured": tests,
        "uncaptured": f"{tests} Some procedure alone beats the baseline beyond chance, the choice between them not.",
        "none": f"{tests} No procedure tried beats the baseline beyond chance.{tested}",
    }[compared.signal]


def _associated(compared: Comparison) -> str:
    """Which columns, each alone, go with the target more than with shuffled ones."""
    association = compared.association or {}
    p_values = association["columns"]
    if not p_values:
        p = show.p_value(association["joint_p_value"])
        return (
            f"the columns taken together go with the target (p {p}, by {association['permutations']} shuffled targets)"
        )
    names = first_few([show.short(name) for name in p_values], MOST_NAMED)
    verb = "goes" if len(p_values) == 1 else "go"
    p = show.p_value(max(p_values.values()))
    return (
        f"{names} {verb} with the target, each tested alone (p {p}, by "
        f"{association['permutations']} shuffled targets, adjusted for all columns)"
    )


def _procedure(row: ProcedureRecord, index: int, chosen: str) -> list[Any]:
    columns = row.columns
    fewest, max_columns = min(columns), max(columns)
    spread = f"{fewest:,}" if fewest == max_columns else f"{fewest:,}–{max_columns:,}"
    mark = "chosen" if row.name == chosen else ""
    is_baseline = index == 0
    return [
        cell(show.procedure(row.name), index, badge=mark),
        cell(show.number(row.train_score), row.train_score),
        cell(show.number(row.score), row.score, css="strong"),
        cell(show.signed(row.gap), row.gap),
        cell(show.interval(row.interval)),
        cell(show.number(row.loss, 4), row.loss),
        cell("" if is_baseline else show.percent(row.gain), row.gain),
        cell("" if is_baseline else show.p_value(row.p_value).removeprefix("= "), row.p_value),
        cell(spread, sum(columns) / len(columns)),
    ]


def _folds(results: Results) -> str:
    folds = results.folds
    train, test = (sum(fold[side] for fold in folds) / len(folds) for side in ("train", "test"))
    return (
        f"{show.count(len(folds), 'fold')}: in each, every procedure was fitted on about {train:,.0f} rows, "
        f"transforms, selection and tuning included, and scored on about {test:,.0f} others."
        + (f" The score on training rows is of {MOST_TRAINED:,} of them at most." if train > MOST_TRAINED else "")
    )


def _besides(listed: list[ProcedureRecord]) -> ReportTable | None:
    """The other metrics, nested, for every procedure."""
    names = list(listed[0].metrics)
    if not names:
        return None
    heads = (Head("procedure"), *(Head(show.short_metric(name), number=True) for name in names))
    rows = [
        [
            cell(show.procedure(row.name), index),
            *(cell(show.number(row.metrics[n]), row.metrics[n]) for n in names),
        ]
        for index, row in enumerate(listed)
    ]
    return ReportTable("besides", "Other metrics, nested", heads, rows)


def optimism(results: Results) -> dict[str, Any]:
    """The scores by inner cross-validation and on held-out rows, and which procedures the folds picked."""
    compared = results.comparison
    inner_score, nested_score, excess = compared.inner_score, compared.score, compared.optimism
    if excess is None:
        meaning = "one of them has no value on so few rows"
    elif show.number(inner_score) == show.number(nested_score):
        meaning = "both agree"
    elif excess > 0:
        meaning = f"cross-validation was too optimistic by {show.number(excess)}"
    else:
        meaning = f"cross-validation was too pessimistic by {show.number(-excess)}"
    picked = Counter(compared.chosen_in_folds)
    chosen = [f"{show.procedure(name)} {times:,}×" for name, times in picked.most_common()]
    return {
        "inner_score": show.number(inner_score),
        "found": show.number(nested_score),
        "excess": show.signed(excess),
        "sentence": (
            f"Cross-validation inside the training folds gave {show.number(inner_score)}, held-out rows gave "
            f"{show.number(nested_score)}: {meaning}. {_quoted(compared)}"
        ),
        "picked": f"Inside the folds the same rule picked: {', '.join(chosen)}.",
    }


def _quoted(compared: Comparison) -> str:
    """Which of the scores is quoted above."""
    if compared.chosen_by == "person":
        name = show.procedure(compared.chosen)
        return f"That is the rule's own choice; quoted above is the nested score of {name} alone."
    if compared.chosen == "baseline":
        return "That is the rule's own choice; quoted above is the nested score of the baseline, which is kept."
    return (
        "The expected score quoted above is the nested one. It includes the choice between procedures, so it can "
        "differ from the nested score of the chosen one."
    )
