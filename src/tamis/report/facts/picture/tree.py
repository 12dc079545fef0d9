"""A tree as a picture from left to right, and as nodes within nodes for narrow screens."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.facts.picture.formula import coefficient

#: Of a larger tree only the first questions are unfolded in the list.
UNFOLDED_NODES, UNFOLDED_DEPTH = 31, 3

#: A node's box, from one box to the next, and letters that fit on a line of it.
WIDTH, HEIGHT, ACROSS, DOWN, LETTERS = 154, 44, 176, 50, 22

#: Pixels of the small letters of a box.
SMALL = 11.0

#: A picture up to this width shares its row of the page.
NARROW = 620


def tree(readable: dict[str, Any]) -> dict[str, Any]:
    """`root` (nodes within nodes), `picture` (boxes and edges) and a sentence about both."""
    nodes = readable["nodes"]
    words = [_node(readable, at) for at in range(len(nodes))]
    leaves = sum("children" not in node for node in nodes)
    used = {node["column"] for node in nodes if "children" in node}
    return {
        "root": _nested(words, nodes, 0, "all rows", 0),
        "picture": _picture(words, nodes),
        "sentence": f"{show.count(len(nodes) - leaves, 'question')} about {show.count(len(used), 'column')} lead to "
        f"{show.count(leaves, 'answer')}.",
    }


def _node(readable: dict[str, Any], at: int) -> dict[str, Any]:
    """A node in words: rows, prediction, shares of classes or the place of its number, question."""
    node, labels = readable["nodes"][at], [show.short(label, 40) for label in readable["labels"]]
    facts: dict[str, Any] = {"at": at, "rows": show.count(node["rows"], "row"), "parts": [], "mark": None, "sure": ""}
    if readable["classes"] is not None:
        shares, codes = node["value"], readable["classes"]
        best = _answer(readable, shares)
        facts |= {"answer": labels[codes[best]], "sure": show.share(shares[best]), "css": f"c{min(codes[best], 6)}"}
        facts["parts"] = [
            {"css": f"c{min(code, 6)}", "share": round(share, 4), "label": f"{labels[code]} {show.share(share)}"}
            for code, share in zip(codes, shares)
            if share > 0
        ]
    else:
        values = [node_of_tree["value"][0] for node_of_tree in readable["nodes"]]
        low, high = min(values), max(values)
        facts |= {"answer": coefficient(node["value"][0]), "css": ""}
        facts["mark"] = round(100 * (node["value"][0] - low) / (high - low), 1) if high > low else 50.0
    facts["question"] = show.short(node["question"], 60) if "children" in node else ""
    return facts


def _answer(readable: dict[str, Any], shares: list[float]) -> int:
    """The class that costs least, by the loss that the tree was grown with."""
    return int(np.argmin(np.array(shares) @ np.array(readable["loss"])))


def _nested(
    words: list[dict[str, Any]], nodes: list[dict[str, Any]], at: int, reply: str, depth: int
) -> dict[str, Any]:
    out: dict[str, Any] = {**words[at], "reply": reply, "children": []}
    if "children" in nodes[at]:
        out["open"] = len(nodes) <= UNFOLDED_NODES or depth < UNFOLDED_DEPTH
        sides = zip(nodes[at]["children"], nodes[at]["replies"])
        out["children"] = [_nested(words, nodes, child, show.short(text, 80), depth + 1) for child, text in sides]
    return out


def _picture(words: list[dict[str, Any]], nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """Boxes at (depth, middle of their leaves) and the edges between them."""
    x, y, replies, deepest, n_leaves = {0: 0}, {}, {0: "all rows"}, 0, 0
    for at, node in enumerate(nodes):  # a parent stands before its children
        for child, reply in zip(node.get("children", ()), node.get("replies", ())):
            x[child], replies[child] = x[at] + 1, reply
        deepest = max(deepest, x[at])
    for at in _in_order(nodes, 0):
        if "children" not in nodes[at]:
            y[at], n_leaves = float(n_leaves), n_leaves + 1
    for at in reversed(range(len(nodes))):
        if "children" in nodes[at]:
            y[at] = sum(y[child] for child in nodes[at]["children"]) / 2
    boxes = [_box(words[at], replies[at], x[at], y[at]) for at in range(len(nodes))]
    edges = [
        {"at": child, "d": _edge(boxes[at], boxes[child])}
        for at, node in enumerate(nodes)
        for child in node.get("children", ())
    ]
    width = deepest * ACROSS + WIDTH + 2
    return {
        "width": width,
        "height": (n_leaves - 1) * DOWN + HEIGHT + 2,
        "box_width": WIDTH,
        "box_height": HEIGHT,
        "boxes": boxes,
        "edges": edges,
        "is_wide": width > NARROW,
    }


def _in_order(nodes: list[dict[str, Any]], at: int) -> list[int]:
    return [at, *(below for child in nodes[at].get("children", ()) for below in _in_order(nodes, child))]


def _box(word: dict[str, Any], reply: str, x: int, y: float) -> dict[str, Any]:
    left = 1 + x * ACROSS
    bars, start = [], 0.0
    for share_of_class in word["parts"]:
        bars.append({"css": share_of_class["css"], "x": round(left + 1 + start * (WIDTH - 2), 1)})
        bars[-1]["width"] = round(share_of_class["share"] * (WIDTH - 2), 1)
        start += share_of_class["share"]
    answer = f"{word['answer']} {word['sure']}".strip()
    shares = ", ".join(share_of_class["label"] for share_of_class in word["parts"])
    return {
        "at": word["at"],
        "x": left,
        "y": round(1 + y * DOWN, 1),
        "reply": _fitting(reply, word["rows"]),
        "rows": word["rows"],
        "text": show.short(f"{word['question']}?" if word["question"] else word["answer"], LETTERS - 6),
        "sure": "" if word["question"] else word["sure"],
        "is_leaf": not word["question"],
        "css": word["css"],
        "parts": bars,
        "mark": None if word["mark"] is None else round(left + 6 + word["mark"] / 100 * (WIDTH - 12), 1),
        "title": f"{show.short(reply, 200)}: {word['rows']}, {answer}"
        + (f" ({shares})" if shares else "")
        + (f"; asks {word['question']}" if word["question"] else ""),
    }


def _fitting(text: str, beside: str) -> str:
    """A text cut in the middle until it fits on a line of a box with another one at its end."""
    from tamis.tree.export.picture.ink import width_of  # brings scikit-learn, so only when a report is written

    n_letters, room = len(show.name(text)), WIDTH - 20 - width_of(beside, SMALL)
    while n_letters > 3 and width_of(show.short(text, n_letters), SMALL) > room:
        n_letters -= 1
    return show.short(text, n_letters)


def _edge(parent: dict[str, Any], child: dict[str, Any]) -> str:
    x0, y0 = parent["x"] + WIDTH, parent["y"] + HEIGHT / 2
    x1, y1 = child["x"], child["y"] + HEIGHT / 2
    middle = (x0 + x1) / 2
    return f"M{x0:g} {y0:g}C{middle:g} {y0:g} {middle:g} {y1:g} {x1:g} {y1:g}"
