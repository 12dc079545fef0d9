"""The ladder: the best readable model of every number of columns, and the best black box, as a picture and a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from tamis.report import show
from tamis.report.parts import ladder_note
from tamis.report.sketch import Frame, ticks, written
from tamis.report.table import Head, ReportTable, cell
from tamis.results.comparison import Rung
from tamis.results.results import Results
from tamis.wording import first_few

#: Columns of a rung that its row names; the others are counted.
MAX_NAMES = 8


@dataclass(frozen=True)
class Size:
    """A layout of the picture: its size, the room on the left for the scale, the room of the black box."""

    css: str
    width: int
    height: int
    left: int
    box: int


#: For wide screens and paper, and for telephones: text keeps its size in both.
SIZES = (Size("wide", 620, 300, 50, 96), Size("narrow", 360, 300, 40, 62))
TOP, BOTTOM = 22, 46


def ladder(results: Results) -> dict[str, Any] | None:
    """Pictures, a sentence that explains them, and the rungs as a table; None of a study without a ladder."""
    rungs = [rung for rung in results.ladder if rung.score is not None]
    if not rungs:
        return None
    return {
        "pictures": [_picture(rungs, results, size) for size in SIZES],
        "caption": f"{_caption(rungs)} {ladder_note(results)}".rstrip(),
        "table": _table(rungs, results),
        "alt": _alt(rungs, results),
    }


def _caption(rungs: list[Rung]) -> str:
    words = (
        "Nested score of the best readable model by number of columns, with 95% intervals; orange is the chosen one."
    )
    if any(not rung.better and not rung.black_box for rung in rungs):
        words += " Grey: not better beyond chance than fewer columns."
    if any(rung.black_box for rung in rungs):
        words += " Square: the best black box, on all columns."
    return words


def _alt(rungs: list[Rung], results: Results) -> str:
    metric = show.metric(results.answer.metric)
    phrases = [f"{_columns(rung)}: {_kind(rung)}, {metric} {show.number(rung.score)}" for rung in rungs]
    return f"Score against number of columns. {'; '.join(phrases)}."


def _columns(rung: Rung) -> str:
    return "all columns" if rung.black_box else show.count(rung.columns, "column")


def _kind(rung: Rung) -> str:
    label = rung.label or rung.procedure
    return "formula" if label == "panel" else show.short(label, 12)  # a panel is a formula of more columns


def _table(rungs: list[Rung], results: Results) -> ReportTable:
    heads = (
        Head("columns", number=True),
        Head("model"),
        Head(show.metric(results.answer.metric), number=True),
        Head("95% interval"),
        Head("better than fewer columns"),
        Head("which columns"),
    )
    rows = [
        [
            cell(f"all {results.answer.n_columns:,}" if rung.black_box else f"{rung.columns:,}", k),
            cell(show.name(rung.words), badge="chosen" if rung.chosen else ""),
            cell(show.number(rung.score), rung.score, css="strong"),
            cell(show.interval(rung.interval)),
            cell("beyond chance" if rung.better else "not beyond chance", css="" if rung.better else "soft"),
            cell(_names(rung.selected or [])),
        ]
        for k, rung in enumerate(rungs)
    ]
    return ReportTable("rungs", "The best model of every number of columns", heads, rows)


def _names(selected: list[str]) -> str:
    return first_few([show.short(name, 40) for name in selected], MAX_NAMES)


def _picture(rungs: list[Rung], results: Results, size: Size) -> dict[str, Any]:
    """Points, intervals and words of the rungs; the numbers of columns stand on a logarithmic scale."""
    readable, boxes = ([r for r in rungs if r.black_box == is_box] for is_box in (False, True))
    ends = [end for rung in rungs for end in rung.ends]
    low, high = min(ends), max(ends)
    room = 0.22 * (high - low) or 0.05 * max(abs(high), 1.0)  # for words above and below
    counts = [math.log(max(rung.columns, 1)) for rung in readable] or [0.0]
    right = size.width - (size.box if boxes else 8)
    frame = Frame(
        size.left + 24,
        TOP,
        right - size.left - 54,
        size.height - TOP - BOTTOM,
        (min(counts), max(counts)),
        (low - room, high + room),
    )
    marks = [_mark(rung, frame.x(math.log(max(rung.columns, 1))), k % 2, frame) for k, rung in enumerate(readable)]
    line = "M" + "L".join(f"{mark['x']:g} {mark['y']:g}" for mark in marks) if len(marks) > 1 else ""
    for k, rung in enumerate(boxes):
        marks.append(_mark(rung, right + size.box / 2, k % 2, frame))
        marks[-1]["tick"] = f"all {results.answer.n_columns:,}"
    return {
        "css": size.css,
        "width": size.width,
        "height": size.height,
        "left": size.left,
        "right": size.width - 8,
        "floor": size.height - BOTTOM,
        "top": TOP,
        "wall": right if boxes else None,
        "middle": (size.left + right) / 2,
        "yticks": [{"y": frame.y(value), "text": written(value)} for value in ticks(*frame.up, 5)],
        "line": line,
        "marks": marks,
        "label": "number of columns (log scale)",
        "metric": show.metric(results.answer.metric),
    }


def _mark(rung: Rung, x: float, is_below: int, frame: Frame) -> dict[str, Any]:
    """A rung: its place, the ends of its interval, its words above or below, and all of it for the pointer."""
    low, high = rung.ends
    y = frame.y(rung.score or 0.0)
    top, bottom = min(frame.y(high), y - 8), max(frame.y(low), y + 8)
    css = "box" if rung.black_box else "chosen" if rung.chosen else "" if rung.better else "grey"
    names = f": {_names(rung.selected)}" if rung.selected else ""
    title = f"{show.number(rung.score)} ({show.interval(rung.interval)})" if rung.interval else show.number(rung.score)
    return {
        "css": f"{css} chosen" if rung.chosen and rung.black_box else css,
        "is_box": rung.black_box,
        "x": round(x, 1),
        "y": y,
        "top": top,
        "bottom": bottom,
        "word_y": round(bottom + 16 if is_below else top - 20, 1),
        "score_y": round(bottom + 30 if is_below else top - 6, 1),
        "word": _kind(rung),
        "score": show.number(rung.score),
        "tick": f"{rung.columns:,}",
        "title": f"{_columns(rung)}: {show.name(rung.words)}, {title}{names}",
    }
