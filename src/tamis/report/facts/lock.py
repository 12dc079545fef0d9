"""The locked rows: how many, how often they were looked at, and what was found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tamis.report import show
from tamis.report.parts import coded, sentence
from tamis.report.table import Head, ReportTable, cell
from tamis.results.results import AnyResults, Results


def lock_card(results: AnyResults, openings: Sequence[dict[str, Any]]) -> tuple[str, str, str]:
    rows = results.lock.rows
    if not rows:
        return "Locked rows", "0", "no lock"
    first, times = _first(openings), _times(opened(openings))
    if first is None:
        return "Locked rows", f"{rows:,}", times
    return f"First opening of {show.count(first['rows'], 'row')}", show.number(first["score"]), times


def _first(looks: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The first look at the locked rows that scored them."""
    return next((look for look in looks if look["score"] is not None), None)


def opened(looks: Sequence[dict[str, Any]]) -> int:
    """How many looks were openings; a prediction of the locked rows is none."""
    return sum(look.get("kind") != "predicted" for look in looks)


def lock_facts(results: AnyResults, openings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    lock = results.lock
    rows = [_opening(number, opening) for number, opening in enumerate(openings, start=1)]
    heads = (
        Head("opening", number=True),
        Head("when"),
        Head("score", number=True),
        Head("95% interval"),
        Head("rows", number=True),
        Head("standing"),
        Head("note"),
    )
    return {
        "reason": coded(sentence(lock.reason)),
        "locked": lock.rows > 0,
        "times": f"Opened {_times(opened(openings)).removeprefix('opened ')}." if lock.rows else "",
        "openings": ReportTable("openings", "Every look at the locked rows", heads, rows).without_empty()
        if rows
        else None,
        "digest": lock.digest if lock.rows else "",
        "found": _score_words(results, openings),
    }


def _times(n: int) -> str:
    return {1: "opened once", 2: "opened twice"}.get(n, f"opened {n:,} times")


def _opening(number: int, opening: dict[str, Any]) -> list[Any]:
    standing = "first known here" if opening["independent"] else "no longer independent"
    if opening["score"] is None:  # predicted, or a line of the ledger that cannot be read
        kind, rows = opening["kind"], opening["rows"]
        cells = [cell(kind, 0), cell(""), cell("" if rows is None else f"{rows:,}", rows or 0), cell(kind, css="bad")]
    else:
        cells = [
            cell(f"{show.number(opening['score'])} ({show.metric(opening['metric'])})", opening["score"]),
            cell(show.interval(opening["interval"])),
            cell(f"{opening['rows']:,}", opening["rows"]),
            cell(standing, css="good" if opening["independent"] else "bad"),
        ]
    return [
        cell(str(number), number),
        cell(_when(opening["when"]), opening["when"]),
        *cells,
        cell(show.name(opening.get("note", ""))),
    ]


def _when(moment: str) -> str:
    try:
        return datetime.fromisoformat(moment).strftime("%d %B %Y, %H:%M %Z").strip()
    except ValueError:
        return show.name(moment)


def _score_words(results: AnyResults, openings: Sequence[dict[str, Any]]) -> str:
    """Does the first opening agree with what the nested folds expected?"""
    first = _first(openings)
    if not isinstance(results, Results) or first is None or first["metric"] != results.answer.metric:
        return ""
    if first["interval"] is None or results.answer.score is None:
        return f"The first opening found {show.number(first['score'])}, on rows too few for an interval."
    low, high = first["interval"]
    expected = results.answer.score
    agrees = low <= expected <= high
    verb = "agrees with" if agrees else "does not agree with"
    return (
        f"The first opening found {show.number(first['score'])} ({show.interval([low, high])}), which {verb} the "
        f"expected {show.number(expected)}."
    )
