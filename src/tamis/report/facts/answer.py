"""The answer in words, and the few numbers beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.report import show
from tamis.report.facts.lock import lock_card
from tamis.report.sentence import marked
from tamis.task import predicts_classes

Results = dict[str, Any]

#: An answer of more characters than this is set smaller: it names many columns.
LONG_ANSWER = 240


def answer(results: Results, openings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The sentence in parts, four numbers, what comes after it, and the score on shuffled targets where asked for."""
    found = results["answer"]
    sure = f"95% interval {show.interval(found['interval'])}" if found["interval"] else found["interval_note"]
    if not found.get("quotable", True):
        sure = f"not to be quoted; {sure}" if sure else "not to be quoted"
    cards = [
        ("Expected " + show.metric(found["metric"]), show.number(found["score"]), sure),
        ("Baseline", show.number(found["baseline"]), _guess(found)),
        _columns(results),
        lock_card(results, openings),
    ]
    words, details = _parted(found)
    return {
        "parts": marked(words, found["selected"]),
        "is_long": len(words) > LONG_ANSWER,
        "cards": [{"label": label, "value": value, "detail": detail} for label, value, detail in cards],
        "price": details,
        "null": _null(results),
    }


def _guess(found: dict[str, Any]) -> str:
    if found["metric"] == "cost":
        return "the cheapest answer for all"
    if not predicts_classes(found["task"]):
        return "always the mean"
    return "one class, on average" if (found.get("largest_classes") or [1])[0] > 1 else "always the majority"


def _parted(found: dict[str, Any]) -> tuple[str, str]:
    """The answer, and what is printed smaller after it: what reading costs, and what else is known of columns."""
    details = found.get("details", "")
    if details and found["words"].endswith(details):
        return found["words"].removesuffix(details).rstrip(), show.name(details)
    words, price = found["words"], (found.get("price") or {}).get("words", "")
    if price and words.endswith(price):
        return words.removesuffix(price).rstrip(), show.name(price)
    return words, "" if price in words else show.name(price)


def _columns(results: Results) -> tuple[str, str, str]:
    found = results["answer"]
    index = ((results.get("findings") or {}).get("stability") or {}).get("index")
    stable = "" if index is None else f"; stability {show.number(index, 2)}"
    return "Columns used", f"{len(found['selected']):,}", f"of {show.count(found['n_columns'], 'column')}{stable}"


def _null(results: Results) -> str:
    """The score of the whole procedure on shuffled targets, beside the one quoted."""
    found = results.get("null")
    if not found:
        return ""
    mean = show.number(found["mean"])
    return (
        f"On {show.count(found['permutations'], 'shuffled target')} this procedure scores {mean} on average, on "
        f"the target itself {show.number(found['score'])} (p {show.p_value(found['p_value'])})."
    )
