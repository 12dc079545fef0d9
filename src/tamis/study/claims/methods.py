"""The methods paragraph of a paper, from the facts of a study: every sentence is one that the results bear out."""

from __future__ import annotations

from typing import Any

from tamis.results.answer import Answer
from tamis.results.results import Results
from tamis.study.choose import KEPT
from tamis.study.claims.price import UNQUOTABLE, spoken
from tamis.study.claims.sentences import associated, stop_words
from tamis.study.procedures import in_list, reference_noun, with_article
from tamis.wording import first_few, listed, minus, span

#: Columns named at most; the others are counted.
MOST_NAMED = 12

_LOSS = {
    "brier": "the Brier score",
    "log_loss": "the log loss",
    "squared_error": "the squared error",
    "ranked_probability_score": "the ranked probability score",
    "poisson_deviance": "the Poisson deviance",
    "cost": "the mean cost of their answers",
}
_RULE = {
    "simplest": "the simplest model (fewest columns first) within one standard error of the paired difference to the "
    "best",
    "balanced": "the simplest model (fewest columns first) that was within one standard error of the paired difference "
    f"to the best and kept {KEPT['balanced']:.0%} of the best's gain over the baseline",
    "best": "the procedure of least loss",
}
_LOCKED = {
    "features": "drawn by a keyed digest of their features, without looking at the target",
    "groups": "whole groups, drawn by a keyed digest, without looking at the target",
    "time": "the latest ones",
}


def methods(facts: dict[str, Any] | Results, looks: list[dict[str, Any]]) -> str:
    """What was done and found, in the past tense, as one paragraph.

    Parameters
    ----------
    facts : as in results.json
    looks : the lines of ledger.jsonl about this study's locked rows
    """
    results = facts if isinstance(facts, Results) else Results.from_dict(facts)
    design = (_data(results), _lock(results), _procedures(results), _folds(results), _choice(results))
    outcome = (_score(results), _signal(results), _model(results), _threshold(results))
    beside = (_black_box(results), _opening(results, looks))
    return stop_words(results.answer) + " ".join(sentence for sentence in (*design, *outcome, *beside) if sentence)


def _threshold(results: Results) -> str:
    """A threshold that a person set."""
    chosen = results.threshold
    if chosen is None:
        return ""
    value = f"{chosen['value']:.4g}"
    return f"{chosen['label']!r} was predicted from a probability of {value} on, a threshold set after the study."


def _data(results: Results) -> str:
    data = results.data
    dates = any(column["kind"] == "date" and column["used"] for column in results.columns)
    date_note = ", parts of dates counted as columns" if dates else ""
    without = f" {data.without_target:,} rows without a target were left out." if data.without_target else ""
    drawn = "" if results.drawn is None else f"of {results.drawn['of']:,} "
    return (
        f"We analysed {data.rows:,} {drawn}rows with Tamis {results.tamis} (seed {results.settings['seed']}); the "
        f"target was {data.target!r}{_per_exposure(results)}, and {data.columns:,} columns could be used"
        f"{date_note}.{without}"
    )


def _per_exposure(results: Results) -> str:
    name = results.settings.get("exposure")
    return "" if name is None else f" (a count; models predict its rate per unit of {name!r})"


def _lock(results: Results) -> str:
    data, lock = results.data, results.lock
    if not data.locked:
        return f"No rows were locked; everything was learned and judged on {data.learned:,} rows."
    return (
        f"Before anything was learned, {data.locked:,} rows were locked ({_LOCKED[lock.how]}); kinds of columns "
        f"and everything else were decided on the other {data.learned:,}."
    )


def _procedures(results: Results) -> str:
    names = [row.name for row in results.comparison.procedures if row.name != "baseline"]
    names = list(dict.fromkeys(name.partition("[")[0] for name in names))  # models of one kind at several sizes
    if not names:
        return "Only a baseline that looks at no column was judged."
    first = listed([in_list(name) for name in names])
    return (
        f"We compared {first} with a baseline that looks at no column; each made its own choice of columns and "
        f"settings on the training part of every fold alone.{_directions(results)}"
    )


def _directions(results: Results) -> str:
    given = results.settings.get("monotone")
    if not given:
        return ""
    parts = [f"{'rise' if direction > 0 else 'fall'} with {name!r}" for name, direction in given.items()]
    return f" All were held to predictions that may only {listed(parts)}."


def _folds(results: Results) -> str:
    plan, settings = results.plan, results.settings
    again = f", drawn {plan['repeats']} times" if plan["repeats"] > 1 else ""
    groups = f", rows of the same {settings['groups']!r} kept together" if settings["groups"] else ""
    if results.data.equal_rows:
        groups += ", rows with equal features kept together"
    time = f", each judged by models of earlier rows (by {settings['time']!r})" if settings["time"] else ""
    done = results.answer.finished or {"folds": len(results.folds), "of": len(results.folds)}
    partial = f" The run was ended early: {done['folds']} of {done['of']} folds were finished."
    sentence = (
        f"Rows were judged in {plan['folds']} outer folds{again}{groups}{time}, with {plan['inner']} inner folds."
    )
    return sentence + (partial if done["folds"] < done["of"] else "")


def _choice(results: Results) -> str:
    compared, answer = results.comparison, results.answer
    by = "group" if results.settings["groups"] else "row"
    if by == "row" and (results.data.equal_rows or {}).get("as_groups"):
        by = "set of equal rows"
    loss = f"{_LOSS.get(compared.loss, compared.loss)} of held-out rows, paired by {by}"
    rule = f"The rule of choice, fixed beforehand, took {_RULE[compared.prefer]}; losses were {loss}."
    if any(rung.difference is not None for rung in results.ladder):
        rule += " Models of the same number of columns were compared as one, their kind chosen by training rows."
    if compared.by_metric:
        rule += " Among procedures that these losses could not tell apart, the quoted metric decided."
    if answer.chosen_by != "person":
        return f"{rule} It took {_the(answer.procedure)}."
    return f"{rule} It took {_the(answer.by_rule)}; having seen the scores, a person chose {_the(answer.procedure)}."


def _score(results: Results) -> str:
    answer = results.answer
    if answer.score is None:
        return ""
    metric = spoken(answer.metric)
    what = (
        "of the chosen procedure in the outer folds"
        if answer.chosen_by == "person"
        else "of the whole procedure, the choice of a model repeated inside every outer fold"
    )
    bounds = answer.interval
    note = answer.interval_note or "no interval could be given"
    sure = note if bounds is None else f"95% interval {span(_figure(bounds[0]), _figure(bounds[1]))}"
    baseline = "" if answer.baseline is None else f"; the baseline had {_figure(answer.baseline)}"
    return f"The expected {metric} on new rows, {what}, was {_figure(answer.score)} ({sure}){baseline}."


def _signal(results: Results) -> str:
    compared = results.comparison
    if compared.signal == "captured":
        p = compared.p_value
        p_text = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
        tests = f"(one-sided tests of held-out losses and ranks, {p_text})"
        if _is_no_more_accurate(results.answer):
            return f"It was better than the baseline {tests}, but the predicted class was not right more often."
        return f"It was better than the baseline {tests}."
    if compared.tentative:
        return "Some test passed at the level of 0.1 but none at 0.05, so chance may explain what was seen."
    if compared.by_columns_alone:
        return f"No procedure was shown to be better than the baseline, but {associated(compared.association or {})}."
    if compared.signal == "uncaptured":
        return "Some signal was seen beyond chance, but no choice of a model captured it reliably."
    return "No signal was seen beyond what chance explains."


def _is_no_more_accurate(answer: Answer) -> bool:
    """Whether a quoted accuracy is not above the baseline's, though ranks or probabilities are better."""
    if answer.score is None or answer.baseline is None:
        return False
    return answer.metric in ("accuracy", "balanced_accuracy") and answer.score <= answer.baseline


def _model(results: Results) -> str:
    answer, learned = results.answer, results.data.learned
    columns = list(answer.selected)
    if not columns:
        return f"The final model, fitted on all {learned:,} unlocked rows, used no column."
    named = listed(columns) if len(columns) <= MOST_NAMED else first_few(columns, MOST_NAMED)
    number = "1 column" if len(columns) == 1 else f"{len(columns):,} columns"
    rows = f"all {learned:,} {'unlocked ' if results.data.locked else ''}rows"
    return f"The final model, {_the(answer.procedure)} fitted on {rows}, used {number}: {named}."


def _black_box(results: Results) -> str:
    box = results.comparison.black_box
    if box is None or box.score is None or box.quoted_score is None:
        return ""
    if (results.answer.interval_note or "").endswith(UNQUOTABLE):
        return ""
    had = _figure(box.score)
    could = "" if results.settings["prefer"] == "best" else " that could not be chosen"
    name = reference_noun(box.name, _the(box.name))
    return f"As a reference{could}, {name} had {had} in the same outer folds."


def _opening(results: Results, looks: list[dict[str, Any]]) -> str:
    if not results.data.locked:
        return ""
    opened = [look for look in looks if look.get("kind") == "opened"]
    if not opened:
        note = " They were given to the model for predictions." if looks else ""
        return f"The locked rows have not been opened.{note}"
    first = opened[0]
    bounds = first["interval"]
    sure = "" if bounds is None else f" (95% interval {span(f'{bounds[0]:.3g}', f'{bounds[1]:.3g}')})"
    metric = spoken(first["metric"])
    day = str(first["when"])[:10]
    score = f"{first['score']:.3g}{sure}"
    sentence = f"On the {first['rows']:,} locked rows the {metric} of the study's model was {score} on {day}"
    if len(looks) == 1 and first["independent"]:
        return f"{sentence}; this is the first opening known here."
    times = "once" if len(opened) == 1 else f"{len(opened)} times"
    count = f"they were opened {times}, and looked at {len(looks)} times in all"
    independent = "" if first["independent"] else "; this score is not independent of earlier looks"
    return f"{sentence}; {count}{independent}."


def _figure(value: float) -> str:
    """Three significant digits; rounding errors about zero are zero.

    >>> _figure(-3.7e-17), _figure(0.8404)
    ('0', '0.84')
    """
    return minus(f"{0.0 if abs(value) < 1e-9 else value:.3g}")


def _the(procedure: str) -> str:
    return with_article(procedure, f"the {procedure}")
