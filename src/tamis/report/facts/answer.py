"""The answer in words, and the few numbers beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.report import show
from tamis.report.facts.lock import lock_card
from tamis.report.parts import marked
from tamis.results.answer import Answer
from tamis.results.results import Results
from tamis.task import predicts_classes

#: An answer of more characters than this is set smaller: it names many columns.
LONG_ANSWER = 240


def answer(results: Results, openings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The sentence in parts, four numbers, what comes after it, and the score on shuffled targets where asked for."""
    facts = results.answer
    sure = f"95% interval {show.interval(facts.interval)}" if facts.interval else facts.interval_note
    if not facts.quotable:
        sure = f"not to be quoted; {sure}" if sure else "not to be quoted"
    cards = [
        ("Expected " + show.metric(facts.metric), show.number(facts.score), sure),
        ("Baseline", show.number(facts.baseline), _guess(facts)),
        _columns(results),
        lock_card(results, openings),
    ]
    words, details = _parted(facts)
    return {
        "parts": marked(words, facts.selected),
        "is_long": len(words) > LONG_ANSWER,
        "cards": [{"label": label, "value": value, "detail": detail} for label, value, detail in cards],
        "price": details,
        "null": _null(results),
    }


def _guess(facts: Answer) -> str:
    if facts.metric == "cost":
        return "the cheapest answer for all"
    if not predicts_classes(facts.task):
        return "always the mean"
    return "one class, on average" if (facts.largest_classes or [1])[0] > 1 else "always the majority"


def _parted(facts: Answer) -> tuple[str, str]:
    """The answer, and what is printed smaller after it: what reading costs, and what else is known of columns."""
    details = facts.details
    if details and facts.words.endswith(details):
        return facts.words.removesuffix(details).rstrip(), show.name(details)
    words, price = facts.words, (facts.price or {}).get("words", "")
    if price and words.endswith(price):
        return words.removesuffix(price).rstrip(), show.name(price)
    return words, "" if price in words else show.name(price)


def _columns(results: Results) -> tuple[str, str, str]:
    facts = results.answer
    index = (results.findings.get("stability") or {}).get("index")
    stable = "" if index is None else f"; stability {show.number(index, 2)}"
    return "Columns used", f"{len(facts.selected):,}", f"of {show.count(facts.n_columns, 'column')}{stable}"


def _null(results: Results) -> str:
    """The score of the whole procedure on shuffled targets, beside the one quoted."""
    null = results.null
    if not null:
        return ""
    mean = show.number(null["mean"])
    return (
        f"On {show.count(null['permutations'], 'shuffled target')} this procedure scores {mean} on average, on "
        f"the target itself {show.number(null['score'])} (p {show.p_value(null['p_value'])})."
    )
