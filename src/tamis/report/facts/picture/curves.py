"""The curves and pair maps of an additive model: small pictures, each with its own scale and with the common one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.facts.picture.formula import coefficient, sum_words
from tamis.report.sketch import Frame, tick_words, ticks, written

#: Size of a picture and the rooms around its frame.
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 300, 150, 46, 8, 10, 22

#: Room at the right for the height of missing values.
MISSING = 34

#: Side of a map, and the room for the names of levels and the ticks.
MAP, MAP_LEFT, MAP_BOTTOM = 220, 70, 34

#: Classes drawn at most: those whose heights differ most.
MAX_CLASSES = 6

#: Distance of the smallest and largest of whole numbers up to which each gets a tick.
MAX_WHOLE = 10

Readable = dict[str, Any]


def curves(readable: Readable, target: str) -> dict[str, Any]:
    """A picture per curve and per pair map, largest contribution first, and the classes in their colours."""
    classes = _classes(readable)
    heights = [np.array(curve["heights"])[:, classes] for curve in readable["curves"]]
    common = _reach(heights)
    listed = [_curve(curve, readable, classes, common) for curve in readable["curves"]]
    listed.sort(key=lambda curve: curve["place"])
    several = len(readable["intercept"]) > 1
    legend = [show.short(readable["labels"][readable["classes"][c]], 40) for c in classes] if several else []
    return {
        "curves": listed,
        "pairs": [_pair(pair, readable) for pair in readable["pairs"]],
        "legend": [{"text": text, "css": f"c{k}"} for k, text in enumerate(legend)],
        "left_out": len(readable["intercept"]) - len(classes) if several else 0,
        "intercept": ", ".join(coefficient(value) for value in readable["intercept"]),
        "of": sum_words(readable, target),
    }


def _classes(readable: Readable) -> list[int]:
    """The sums that are drawn: all, or those that the curves move most."""
    n = len(readable["intercept"])
    if n <= MAX_CLASSES:
        return list(range(n))
    span = sum(np.ptp(np.array(curve["heights"]), axis=0) for curve in readable["curves"])
    return sorted(np.argsort(-np.asarray(span), kind="stable")[:MAX_CLASSES].tolist())


def _reach(heights: list[np.ndarray]) -> tuple[float, float]:
    """The least and the largest height, with 0 and some room."""
    ends = [0.0, *(float(end) for block in heights if block.size for end in (block.min(), block.max()))]
    low, high = min(ends), max(ends)
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def _curve(
    curve: dict[str, Any], readable: Readable, classes: list[int], common: tuple[float, float]
) -> dict[str, Any]:
    (axis,) = curve["axes"]
    column = readable["columns"][axis["column"]]
    heights, weight = np.array(curve["heights"])[:, classes], np.array(curve["weight"])
    facts: dict[str, Any] = {
        "place": axis["column"],
        "name": show.short(column["name"], 48),
        "whole": show.name(column["name"]),
        "levels": [],
        "scales": [],
        "width": WIDTH,
        "height": HEIGHT,
    }
    has_missing = bool(weight[-1] > 0)
    if axis["bins"] is not None:
        return {**facts, **_levels(axis, heights, weight, common), "alt": _alt(column["name"], heights)}
    spread = np.array(curve["spread"])[:, classes] if len(classes) == 1 else np.zeros_like(heights)
    across = _across(axis["edges"], column)
    own_ends = _reach(
        [
            heights[: len(heights) - (not has_missing)] + sign * spread[: len(heights) - (not has_missing)]
            for sign in (-1, 1)
        ]
    )
    right = WIDTH - RIGHT - (MISSING if has_missing else 0)
    scales = []
    for css, reach in (("own", own_ends), ("common", common)):
        frame = Frame(LEFT, TOP, right - LEFT, HEIGHT - TOP - BOTTOM, across, reach)
        scales.append({"css": css, **_steps(frame, axis["edges"], heights, spread, has_missing)})
    frame = Frame(LEFT, TOP, right - LEFT, 1, across, (0, 1))
    return {
        **facts,
        "scales": scales,
        "xticks": [{"x": frame.x(value), "text": text} for value, text in _ticks(across, column)],
        "right": right,
        "missing_x": right + MISSING / 2 if has_missing else None,
        "now": {"low": across[0], "high": across[1], "left": LEFT, "width": right - LEFT},
        "alt": _alt(column["name"], heights),
    }


def _alt(name: str, heights: np.ndarray) -> str:
    low, high = float(heights.min()), float(heights.max())
    return f"Curve of {show.short(name, 60)}: from {show.signed(low)} to {show.signed(high)}."


def _across(edges: list[float], column: dict[str, Any]) -> tuple[float, float]:
    """The values that are drawn: the column's, but no farther beyond the outer steps than a fifth of their distance."""
    low, high = column.get("low", 0.0), column.get("high", 1.0)
    if column["levels"] is not None:
        low, high = -0.5, len(column["levels"]) - 0.5
    elif _few_whole(column):
        return low - 0.5, high + 0.5
    if not edges:
        return low, high
    room = 0.2 * (edges[-1] - edges[0]) or 0.25 * (high - low)
    return max(low, edges[0] - room), min(high, edges[-1] + room)


def _few_whole(column: dict[str, Any]) -> bool:
    """Whether a column has a few whole numbers, each of which gets a tick."""
    return bool(column.get("whole")) and column["high"] - column["low"] <= MAX_WHOLE


def _ticks(across: tuple[float, float], column: dict[str, Any]) -> list[tuple[float, str]]:
    if column["levels"] is not None:  # ordered words, as numbers from 0
        words = list(enumerate(column["levels"]))
        return [(float(k), show.short(word, 10)) for k, word in words[:: max(1, len(words) // 4)]]
    if _few_whole(column):
        return [(float(k), tick_words(k, column["name"])) for k in range(int(column["low"]), int(column["high"]) + 1)]
    if column["kind"] == "date":
        return [(value, str(np.datetime64(int(value), "D"))[:7]) for value in ticks(*across, 3)]
    return [(value, tick_words(value, column["name"])) for value in ticks(*across, 4)]


def _steps(
    frame: Frame, edges: list[float], heights: np.ndarray, spread: np.ndarray, has_missing: bool
) -> dict[str, Any]:
    """Steps from edge to edge, with the spread over the bags where there is one line."""
    inside = [edge for edge in edges if frame.across[0] < edge < frame.across[1]]
    first = sum(edge <= frame.across[0] for edge in edges)
    ends = [frame.across[0], *inside, frame.across[1]]
    xs = [x for pair in pairwise(ends) for x in pair]
    bins = [first + k for k in range(len(ends) - 1) for _ in (0, 1)]
    lines = [
        {"css": f"c{c}" if heights.shape[1] > 1 else "c1", "d": frame.line(xs, heights[bins, c].tolist())}
        for c in range(heights.shape[1])
    ]
    band = ""
    if spread.any():
        low, high = (heights[bins, 0] + sign * spread[bins, 0] for sign in (-1, 1))
        band = frame.band(xs, low.tolist(), high.tolist())
    return {
        "lines": lines,
        "band": band,
        "zero": frame.y(0.0),
        "yticks": [{"y": frame.y(value), "text": written(value)} for value in ticks(*frame.up, 4)],
        "missing": [{"css": lines[c]["css"], "y": frame.y(float(h))} for c, h in enumerate(heights[-1])]
        if has_missing
        else [],
    }


def _levels(
    axis: dict[str, Any], heights: np.ndarray, weight: np.ndarray, common: tuple[float, float]
) -> dict[str, Any]:
    """A line per group of levels, for the class that they move most."""
    sums = int(np.argmax(np.ptp(heights, axis=0)))
    groups: dict[int, list[str]] = {}
    for level, k in axis["bins"].items():
        groups.setdefault(k, []).append(level)
    lines = sorted(((heights[k, sums], ", ".join(words)) for k, words in groups.items()), reverse=True)
    if weight[-1] > 0:
        lines.append((heights[-1, sums], "missing"))
    largest, widest = max(abs(height) for height, _ in lines) or 1.0, max(abs(end) for end in common) or 1.0
    levels = [
        {
            "words": show.short(words, 60),
            "text": show.signed(float(height)),
            "css": "below" if height < 0 else "above",
            "own": round(abs(float(height)) / largest, 4),
            "common": round(abs(float(height)) / widest, 4),
        }
        for height, words in lines
    ]
    return {"levels": levels, "levels_of": f"c{sums}" if heights.shape[1] > 1 else ""}


def _pair(pair: dict[str, Any], readable: Readable) -> dict[str, Any]:
    """A map: cells by the sign and the size of their heights, for the class that it moves most."""
    heights = np.array(pair["heights"])
    sums = int(np.argmax(np.ptp(heights.reshape(-1, heights.shape[-1]), axis=0)))
    heights, weight = heights[..., sums], np.array(pair["weight"])
    across, up = pair["axes"]
    rows = range(heights.shape[1] if weight[:, -1].any() else heights.shape[1] - 1)
    bars = range(heights.shape[0] if weight[-1].any() else heights.shape[0] - 1)
    largest = float(np.abs(heights[np.ix_(bars, rows)]).max()) or 1.0
    wide, high = MAP / max(len(bars), 1), MAP / max(len(rows), 1)
    cells = [
        {
            "x": round(MAP_LEFT + k * wide, 1),
            "y": round(MAP - (q + 1) * high, 1),
            "css": "down" if heights[k, q] < 0 else "up",
            "depth": round(abs(float(heights[k, q])) / largest, 3),
            "is_empty": bool(weight[k, q] == 0),
        }
        for k in bars
        for q in rows
    ]
    names = [show.short(readable["columns"][axis["column"]]["name"], 40) for axis in (across, up)]
    several = len(readable["intercept"]) > 1
    of = f" (for {show.short(readable['labels'][readable['classes'][sums]], 30)})" if several else ""
    return {
        "names": names,
        "cells": cells,
        "cell_width": round(wide, 2),
        "cell_height": round(high, 2),
        "width": MAP_LEFT + MAP + 8,
        "height": MAP + MAP_BOTTOM,
        "left": MAP_LEFT,
        "side": MAP,
        "xticks": [{"x": round(MAP_LEFT + at * MAP, 1), "text": text} for at, text in _bin_ticks(across, len(bars))],
        "yticks": [{"y": round(MAP - at * MAP, 1), "text": text} for at, text in _bin_ticks(up, len(rows))],
        "words": f"Orange adds, blue takes away: up to {coefficient(largest)}{of}.",
        "alt": f"Map of {names[0]} and {names[1]}: up to {coefficient(largest)} either way.",
    }


def _bin_ticks(axis: dict[str, Any], n_bins: int) -> list[tuple[float, str]]:
    """Places from 0 to 1 along a side of a map: edges between bins, or the middles of levels."""
    if axis["bins"] is None:
        edges = axis["edges"]
        step = max(1, -(-len(edges) // 4))
        tick_words = [((k + 1) / n_bins, coefficient(edges[k])) for k in range(0, len(edges), step)]
    else:
        groups: dict[int, list[str]] = {}
        for level, k in axis["bins"].items():
            groups.setdefault(k, []).append(level)
        tick_words = [((k + 0.5) / n_bins, show.short(", ".join(words), 10)) for k, words in sorted(groups.items())]
        tick_words = tick_words[:: max(1, -(-len(tick_words) // 6))]
    if n_bins > axis["n_bins"]:
        tick_words.append(((n_bins - 0.5) / n_bins, "missing"))
    return tick_words
