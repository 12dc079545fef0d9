"""The chosen model: drawn in full, in words, by its columns, and with values to try."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.facts import picture
from tamis.report.facts.picture.formula import coefficient
from tamis.report.parts import sentence
from tamis.report.table import Cell, Head, ReportTable, cell
from tamis.results.results import Results

#: Sliders for the columns that contribute most; the others stay where the preset puts them.
MOST_SLIDERS = 12

#: The parts of a model, and what of them predictions do not depend on.
PARTS = ("nodes", "terms", "curves", "pairs", "statements")
WORDS = ("question", "replies", "rows", "words", "spread", "weight", "p_value")

#: Curves and maps of an additive model that share a row of the page with the ladder, at most.
FEW_CURVES = 2

#: Terms of a formula, and pixels of a tree, that are no higher than the ladder.
FEW_TERMS, SHORT = 8, 260


def model(results: Results) -> dict[str, Any]:
    """Words, contributions, coefficients over folds, the picture, and what a page needs to compute answers."""
    chosen = results.comparison.chosen
    words = results.comparison.procedure(chosen).words
    learned = show.count(results.data.learned, "training row")
    findings = results.findings
    readable = findings.get("readable")
    return {
        "text": show.text(results.model),
        "sentence": f"{sentence(words)} Fitted on all {learned}.",
        "contributions": _contributions(results.answer.contributions),
        "meaning": "What a column contributes: in formulas, curves and cards, how much it moves the sum (standard "
        "deviation over the training rows); in trees, the improvement its questions bring. It describes the model, not "
        "causes. Columns with the same information share it, or one of them takes all of it.",
        "terms": _terms(findings.get("terms"), results),
        "picture": _picture(readable, results) if readable else None,
        "try": _try(readable, results) if readable else None,
    }


def _picture(readable: dict[str, Any], results: Results) -> dict[str, Any]:
    """The model drawn in full, under the name of its kind.

    `is_wide` where it takes the whole width of the page, `is_short` where it is no higher than the ladder beside it.
    """
    kind, target = readable["kind"], results.data.target
    if kind == "tree":
        tree = picture.tree(readable)
        is_short = tree["picture"]["height"] <= SHORT
        return {"kind": kind, "tree": tree, "is_wide": tree["picture"]["is_wide"], "is_short": is_short}
    if kind == "linear":
        formula = picture.formula(readable, target)
        is_short = len(formula["rows"]) <= FEW_TERMS
        return {"kind": kind, "formula": formula, "is_wide": len(formula["heads"]) > 2, "is_short": is_short}
    if kind == "card":
        return {"kind": kind, "card": picture.card(readable, target), "is_wide": False, "is_short": False}
    curves = picture.curves(readable, target)
    is_wide = len(curves["curves"]) + len(curves["pairs"]) > FEW_CURVES
    return {"kind": kind, "curves": curves, "is_wide": is_wide, "is_short": False}


def _contributions(shares: dict[str, float]) -> ReportTable | None:
    if not shares:
        return None
    heads = (Head("column"), Head("contribution", number=True, bar=True))
    rows = [[cell(show.name(name), name=True), cell(show.share(share), share)] for name, share in shares.items()]
    return ReportTable("contributions", "What each column contributes to the model", heads, rows)


def _terms(terms: dict[str, Any] | None, results: Results) -> dict[str, Any] | None:
    """Coefficients of the final model, and from where to where they lie in the folds."""
    if not terms or not terms["final"] or not terms["final"]["names"]:
        return None
    outputs = len((final := terms["final"])["coef"])
    folds = [fold for fold in terms["folds"] if fold and len(fold["coef"]) == outputs]
    labels = _outputs(results, outputs)
    rows, known_in_all = [], True
    for j, name in enumerate(final["names"]):
        fold_coefs, used = _known_in(folds, name)
        known_in_all &= len(fold_coefs) == len(terms["folds"])
        for output in range(outputs):
            value, values = final["coef"][output][j], [line[output] for line in fold_coefs]
            if value == 0 and not used:
                continue
            rows.append(
                [
                    cell(term_name(name, results), name=True),
                    *([cell(labels[output], name=True)] if outputs > 1 else []),
                    cell(coefficient(value), value),
                    *_span(values),
                    cell(show.share(used / len(fold_coefs)) if fold_coefs else "", used),
                ]
            )
    heads = (
        Head("term"),
        *([Head("class")] if outputs > 1 else []),
        Head("coefficient", number=True),
        Head("smallest", number=True, title="of the folds"),
        Head("median", number=True, title="of the folds"),
        Head("largest", number=True, title="of the folds"),
        Head("folds", number=True, title="share of the folds whose model has the term"),
    )
    left = f" {show.count(final['left'], 'further term')} of the model are not listed." if final["left"] else ""
    if not known_in_all:
        left += " A fold of which a coefficient was not kept is left out of its spread."
    return {
        "table": ReportTable("terms", "Coefficients, and their spread over the folds", heads, rows),
        "sentence": "In the units of the table. A column that a fold did not select counts as 0. Confidence intervals "
        f"would mislead after selection, so the spread over folds is shown.{left}",
    }


def term_name(name: str, results: Results) -> str:
    """A term as the page calls it: a column, or a column and its level."""
    column = max((row["name"] for row in results.columns if name.startswith(f"{row['name']}=")), key=len, default="")
    return show.name(f"{column} = {name[len(column) + 1 :]}" if column else name)


def _outputs(results: Results, outputs: int) -> list[str]:
    labels = [show.short(row["label"], 40) for row in results.data.classes]
    return labels if outputs == len(labels) else [""] * outputs


def _known_in(folds: list[dict[str, Any]], name: str) -> tuple[list[list[float]], int]:
    """Coefficients of a term, one an output, in each fold in which they are known; and in how many it has one.

    A fold that lists all its terms has 0 where it does not list this one; of another nothing is known.
    """
    fold_coefs = []
    for fold in folds:
        if name in fold["names"]:
            j = fold["names"].index(name)
            fold_coefs.append([line[j] for line in fold["coef"]])
        elif not fold["left"]:
            fold_coefs.append([0.0] * len(fold["coef"]))
    return fold_coefs, sum(any(line) for line in fold_coefs)


def _span(values: list[float]) -> list[Cell]:
    """The least, the median and the largest coefficient; empty where none is known."""
    if not values:
        return [cell("")] * 3
    return [cell(coefficient(value), value) for value in (min(values), float(np.median(values)), max(values))]


def _try(readable: dict[str, Any], results: Results) -> dict[str, Any]:
    """Sliders, presets, and the model for the script."""
    columns = readable["columns"]
    first = readable["presets"][0]["values"]
    sliders = []
    for index, column in enumerate(columns[:MOST_SLIDERS]):
        levels = column["levels"]
        slider: dict[str, Any] = {
            "place": index,
            "name": show.short(column["name"], 48),
            "whole": show.name(column["name"]),
        }
        if levels is not None:
            slider["options"] = [show.short(level, 60) for level in levels]
            slider["value"] = int(first[index])
        else:
            slider |= {"options": None, "low": column["low"], "high": column["high"], "value": first[index]}
        sliders.append(slider)
    left = len(columns) - len(sliders)
    labels = [show.short(label, 40) for label in readable["labels"]]
    return {
        "sliders": sliders,
        "presets": [show.short(preset["of"], 40) for preset in readable["presets"]],
        "labels": labels,
        "target": show.short(results.data.target, 40),
        "left": f"{show.count(left, 'further column')} of the model keep the values of the preset." if left else "",
        "data": {key: value for key, value in readable.items() if key not in ("columns", "risk", *PARTS)}
        | {key: [_bare(term) for term in readable[key]] for key in PARTS if key in readable}
        | {"columns": [{"levels": column["levels"], "whole": column.get("whole", False)} for column in columns]},
    }


def _bare(term: dict[str, Any]) -> dict[str, Any]:
    """A node, term or statement as far as predictions depend on it: its words stand in the page already."""
    return {key: value for key, value in term.items() if key not in WORDS}
