"""A column as the page shows it: kind and reason, first values, holes, a small picture; and what would not fit."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from tamis.app.columns.picture import picture_of
from tamis.app.columns.reading import Reading
from tamis.errors import KindError, TamisError
from tamis.report import show
from tamis.table import Column, Decision
from tamis.table.glance import cells_at, first_cells, misfits
from tamis.table.notation import notations_of
from tamis.table.table import Table
from tamis.table.types import Type, types_of

#: First values that are shown, letters of each, and cells that do not fit.
MOST_VALUES, MOST_LETTERS, MOST_MISFITS = 4, 40, 8

#: Kinds a user can choose, with what the page calls them.
KINDS = {
    "numeric": "Number",
    "categorical": "Category",
    "boolean": "Yes / no",
    "date": "Date",
    "ordinal": "Ordered",
    "text": "Text",
}

#: What a day has behind it when a source gives moments.
_MIDNIGHT = re.compile(r"[ T]00:00:00(\.0+)?$")

#: Advice for a command line, and what it is on the page.
_CLICKS = {
    "name the others in missing= to read numbers": "click Number to see the others",
    "name it in missing= to read dates": "click Date to see all that do not fit",
    '; name it in missing=, or leave it empty, if it means "not measured"': "",
}

#: Levels that an ordered column may have.
MOST_LEVELS = 60


def decision_of(reading: Reading, name: str, type: dict[str, Any] | None) -> tuple[Decision, list[Column]]:
    """How a column is read, by all rows, and its columns; kept, for a page asks for it again and again."""
    key = ("column", name, repr(type))
    with reading.busy:
        if key not in reading.cache:
            reading.cache[key] = _decided(reading, name, type)
        decided: tuple[Decision, list[Column]] = reading.cache[key]
    return decided


def _decided(reading: Reading, name: str, type: dict[str, Any] | None) -> tuple[Decision, list[Column]]:
    declared = None if type is None else types_of({name: type})[name]
    try:
        decision, columns = reading.raw.full_column(name, declared)
    except (TamisError, KindError) as error:
        return Decision(name, "text" if declared is None else declared.kind, str(error), used=False, note="refused"), []
    if declared is not None:
        decision = replace(decision, reason="as you said")
    if not columns and decision.kind in ("identifier", "text"):  # left out, but its values can be shown all the same
        columns = reading.raw.full_column(name, Type("categorical"))[1]
    return decision, columns


def column_facts(
    reading: Reading,
    name: str,
    type: dict[str, Any] | None,
    decision: Decision | None = None,
    rows: np.ndarray | None = None,
) -> dict[str, Any]:
    """Everything the page shows of a column.

    Parameters
    ----------
    type : what the user said it is, if anything.
    decision : what unlocked rows decided, once the lock is drawn.
    rows : the unlocked rows, once they are known: from then on nothing of the others is shown.
    """
    by_all, columns = decision_of(reading, name, type)
    decided = by_all if decision is None or type is not None else decision
    columns = columns if rows is None else [column.take(rows) for column in columns]
    last_column = columns[-1] if columns else None
    n_rows = reading.raw.n_rows if rows is None else len(rows)
    missing = (
        int(last_column.missing.sum()) if last_column is not None else (n_rows if decided.kind == "constant" else 0)
    )
    levels = None if last_column is None or last_column.levels is None else len(last_column.levels)
    return {
        "name": name,
        "shown": show.short(name, 80),
        "kind": decided.kind,
        "label": "Left out" if not decided.used else KINDS.get(decided.kind, decided.kind),
        "used": decided.used,
        "reason": decided.reason,
        "note": "" if decided.note == "refused" else _for_a_page(decided.note),
        "refused": decided.note == "refused",
        "given": type is not None,
        "missing": missing,
        "rows": n_rows,
        "levels": levels,
        "values": [
            show.short(_MIDNIGHT.sub("", text), MOST_LETTERS)
            for text in first_cells(reading.raw, name, MOST_VALUES, rows)
        ],
        "sentinel": None if decided.sentinel is None or not decided.used else f"{decided.sentinel:.10g}",
        "attention": decided.sentinel is not None or any(word in decided.note for word in ("numbers", "dates")),
        "picture": None if last_column is None else _picture(last_column),
    }


def fit_of(reading: Reading, name: str, type: dict[str, Any]) -> dict[str, Any]:
    """Whether a column can be read as a type: how many cells would not fit, and the first of them."""
    declared = types_of({name: type})[name]
    rows = misfits(reading.raw, name, declared)
    texts = cells_at(reading.raw, name, rows[:MOST_MISFITS].tolist())
    cells = [{"row": int(row) + 1, "text": show.short(text, MOST_LETTERS)} for row, text in zip(rows.tolist(), texts)]
    decision, columns = decision_of(reading, name, type)
    refused = decision.note == "refused"
    return {
        "fits": not len(rows) and not refused,
        "count": len(rows),
        "cells": cells,
        "sentence": decision.reason if refused else "",
        "columns": [column.name for column in columns],
    }


def levels_of(reading: Reading, name: str) -> list[str]:
    """The levels of a column in the order in which a person would most likely put them: numbers by size, else as a note
    suggests, else by their text."""
    decision, _ = decision_of(reading, name, None)
    column = reading.raw.full_column(name, Type("categorical"))[1][-1]
    words = [str(level) for level in column.levels or ()][: MOST_LEVELS + 1]
    suggested = decision.note.partition("ordinal(")[2].partition(")")[0].split("<")
    if sorted(suggested) == sorted(words):
        return suggested
    try:
        return sorted(words, key=float)
    except ValueError:
        return words


def _for_a_page(note: str) -> str:
    """A note in the words of the page: what is given on a command line is a click here.

    >>> _for_a_page("the words have an order; give grade=ordinal(A1<A2) as its type to use it")
    'the words have an order; click Ordered to use it'
    """
    note = re.sub(r"give .*=ordinal\(.*\) as its type to use it", "click Ordered to use it", note, flags=re.DOTALL)
    for option, click in _CLICKS.items():
        note = note.replace(option, click)
    return note


def _picture(column: Column) -> dict[str, Any] | None:
    picture = picture_of(column)
    if picture is None:
        return None
    if "ends" in picture:
        how = notations_of(None, Table([column])).get(column.name)
        low, high = picture["ends"]
        write = (lambda value: f"{value:.6g}") if how is None else how.write
        return {"path": picture["path"], "ends": [write(low), write(high)]}
    return {**picture, "levels": [[show.short(word, 18), share] for word, share in picture["levels"]]}
