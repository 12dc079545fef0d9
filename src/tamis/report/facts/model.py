"""The chosen model: in words, by its columns, as a tree or a formula that can be tried."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.table import Cell, Head, ReportTable, cell

Results = dict[str, Any]

#: Sliders for the columns that contribute most; the others stay where the preset puts them.
MOST_SLIDERS = 12

#: Of a larger tree only the first questions are unfolded.
UNFOLDED_NODES, UNFOLDED_DEPTH = 31, 3


def model(results: Results) -> dict[str, Any]:
    """Words, contributions, coefficients over folds, the tree, and what a page needs to compute answers."""
    chosen = results["comparison"]["chosen"]
    words = {row["name"]: row["words"] for row in results["comparison"]["procedures"]}[chosen]
    learned = show.count(results["data"]["learned"], "unlocked row")
    found = results.get("findings") or {}
    readable = found.get("readable")
    return {
        "text": show.text(results["model"]),
        "sentence": f"{chosen}: {show.name(words)}. Fitted on all {learned}.",
        "contributions": _contributions(results["answer"]["contributions"]),
        "meaning": "What a column contributes: in a linear model, how much it moves the sum (standard deviation over "
        "the rows learned from); in trees, the improvement its questions bring. It says what the model uses, not what "
        "causes the target; columns that tell the same share it, or take it from each other.",
        "terms": _terms(found.get("terms"), results),
        "tree": _tree(readable) if readable and readable["kind"] == "tree" else None,
        "try": _try(readable, results) if readable else None,
    }


def _contributions(shares: dict[str, float]) -> ReportTable | None:
    if not shares:
        return None
    heads = (Head("column"), Head("contribution", number=True, bar=True))
    rows = [[cell(show.name(name), name=True), cell(show.share(share), share)] for name, share in shares.items()]
    return ReportTable("contributions", "What each column contributes to the model", heads, rows)


def _terms(found: dict[str, Any] | None, results: Results) -> dict[str, Any] | None:
    """Coefficients of the final model, and from where to where they lie in the folds."""
    if not found or not found["final"] or not found["final"]["names"]:
        return None
    outputs = len((final := found["final"])["coef"])
    folds = [fold for fold in found["folds"] if fold and len(fold["coef"]) == outputs]
    labels = _outputs(results, outputs)
    rows, known_in_all = [], True
    for j, name in enumerate(final["names"]):
        known, used = _known_in(folds, name)
        known_in_all &= len(known) == len(found["folds"])
        for output in range(outputs):
            value, values = final["coef"][output][j], [line[output] for line in known]
            if value == 0 and not used:
                continue
            rows.append(
                [
                    cell(show.name(name), name=True),
                    *([cell(labels[output], name=True)] if outputs > 1 else []),
                    cell(_coefficient(value), value),
                    *_span(values),
                    cell(show.share(used / len(known)) if known else "", used),
                ]
            )
    heads = (
        Head("term"),
        *([Head("class")] if outputs > 1 else []),
        Head("coefficient", number=True),
        Head("least in folds", number=True),
        Head("median", number=True),
        Head("largest", number=True),
        Head("folds with it", number=True, bar=True),
    )
    left = f" {show.count(final['left'], 'further term')} of the model are not listed." if final["left"] else ""
    if not known_in_all:
        left += " A fold of which a coefficient was not kept is left out of its spread."
    return {
        "table": ReportTable("terms", "Coefficients, and their spread over the folds", heads, rows),
        "sentence": "In the units of the table. The folds' models chose their own columns; one without a term counts "
        f"as 0. Selection voids the usual confidence intervals, so none are given: this spread stands for them.{left}",
    }


def _outputs(results: Results, outputs: int) -> list[str]:
    labels = [show.short(row["label"], 40) for row in results["data"]["classes"]]
    return labels if outputs == len(labels) else [""] * outputs


def _known_in(folds: list[dict[str, Any]], name: str) -> tuple[list[list[float]], int]:
    """Coefficients of a term, one an output, in each fold in which they are known; and in how many it has one.

    A fold that lists all its terms has 0 where it does not list this one; of another nothing is known.
    """
    known = []
    for fold in folds:
        if name in fold["names"]:
            j = fold["names"].index(name)
            known.append([line[j] for line in fold["coef"]])
        elif not fold["left"]:
            known.append([0.0] * len(fold["coef"]))
    return known, sum(any(line) for line in known)


def _span(values: list[float]) -> list[Cell]:
    """The least, the median and the largest coefficient; empty where none is known."""
    if not values:
        return [cell("")] * 3
    return [cell(_coefficient(one), one) for one in (min(values), float(np.median(values)), max(values))]


def _coefficient(value: float) -> str:
    """Four digits, whatever the unit.

    >>> _coefficient(-0.00012345), _coefficient(28451.7), _coefficient(0.0)
    ('−0.0001234', '28,452', '0')
    """
    if value == 0:
        return "0"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return text.replace("-", "\u2212", 1) if text.startswith("-") else text


def _tree(readable: dict[str, Any]) -> dict[str, Any]:
    """The tree as nodes within nodes: reply, question, rows, answer, shares of classes, and whether it is unfolded."""
    nodes, labels = readable["nodes"], [show.short(label, 40) for label in readable["labels"]]
    few = len(nodes) <= UNFOLDED_NODES
    values = [node["value"][0] for node in nodes]
    low, high = min(values), max(values)

    def made(at: int, reply: str, depth: int) -> dict[str, Any]:
        node = nodes[at]
        out: dict[str, Any] = {
            "at": at,
            "reply": reply,
            "rows": show.count(node["rows"], "row"),
            "parts": [],
            "mark": None,
        }
        if readable["classes"] is not None:
            shares, codes = node["value"], readable["classes"]
            best = _answer(readable, shares)
            out["answer"], out["sure"] = labels[codes[best]], show.share(shares[best])
            out["parts"] = [
                {"css": f"c{min(code, 6)}", "share": round(share, 4), "label": f"{labels[code]} {show.share(share)}"}
                for code, share in zip(codes, shares)
                if share > 0
            ]
        else:
            out["answer"], out["sure"] = _coefficient(node["value"][0]), ""
            out["mark"] = round(100 * (node["value"][0] - low) / (high - low), 1) if high > low else 50.0
        out["children"] = []
        if "children" in node:
            out["question"] = show.short(node["question"], 60)
            out["open"] = few or depth < UNFOLDED_DEPTH
            sides = zip(node["children"], node["replies"])
            out["children"] = [made(child, show.short(words, 80), depth + 1) for child, words in sides]
        return out

    leaves = sum("children" not in node for node in nodes)
    return {"root": made(0, "all rows", 0), "sentence": _tree_words(nodes, leaves, readable)}


def _answer(readable: dict[str, Any], shares: list[float]) -> int:
    """The class that costs least, by the loss that the tree was grown with."""
    return int(np.argmin(np.array(shares) @ np.array(readable["loss"])))


def _tree_words(nodes: list[dict[str, Any]], leaves: int, readable: dict[str, Any]) -> str:
    asked = {node["column"] for node in nodes if "children" in node}
    return (
        f"{show.count(len(nodes) - leaves, 'question')} about {show.count(len(asked), 'column')} lead to "
        f"{show.count(leaves, 'answer')}. Click a question to fold what hangs below it; the sliders below mark the way "
        "that their values go."
    )


def _try(readable: dict[str, Any], results: Results) -> dict[str, Any]:
    """Sliders, presets, and the model for the script."""
    columns = readable["columns"]
    first = readable["presets"][0]["values"]
    sliders = []
    for place, column in enumerate(columns[:MOST_SLIDERS]):
        levels = column["levels"]
        made: dict[str, Any] = {
            "place": place,
            "name": show.short(column["name"], 48),
            "whole": show.name(column["name"]),
        }
        if levels is not None:
            made["options"] = [show.short(level, 60) for level in levels]
            made["value"] = int(first[place])
        else:
            made |= {"options": None, "low": column["low"], "high": column["high"], "value": first[place]}
        sliders.append(made)
    left = len(columns) - len(sliders)
    labels = [show.short(label, 40) for label in readable["labels"]]
    return {
        "sliders": sliders,
        "presets": [show.short(preset["of"], 40) for preset in readable["presets"]],
        "labels": labels,
        "target": show.short(results["data"]["target"], 40),
        "left": f"{show.count(left, 'further column')} of the model stay at the values of the row begun with."
        if left
        else "",
        "data": {key: value for key, value in readable.items() if key not in ("columns", "nodes")}
        | ({"nodes": [_bare(node) for node in readable["nodes"]]} if readable["kind"] == "tree" else {})
        | {"columns": [{"levels": column["levels"], "whole": column.get("whole", False)} for column in columns]},
    }


def _bare(node: dict[str, Any]) -> dict[str, Any]:
    """A node as far as answers depend on it: its words stand in the page already."""
    return {key: value for key, value in node.items() if key not in ("question", "replies", "rows")}
