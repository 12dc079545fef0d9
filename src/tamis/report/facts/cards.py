"""A card for each column of the model: its values by target, and its effect with the spread over folds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tamis.report import show
from tamis.report.facts.columns import direction
from tamis.report.sketch import Frame, tick_words, ticks, written
from tamis.results.results import Results

Reach = tuple[float, float]

#: Size of a picture, the room for its scale on the left, and the rooms of its two parts.
WIDTH, HEIGHT, LEFT, TOP, UPPER, BETWEEN, LOWER = 340, 264, 46, 16, 86, 26, 112

#: Steps between the points of a curve, in words.
SHARES = {5: "fifths", 6: "sixths", 7: "sevenths", 8: "eighths", 9: "ninths", 10: "tenths"}


def cards(results: Results) -> dict[str, Any]:
    """The cards, a sentence about them, the classes in their colours, and how many columns have none."""
    findings = results.findings
    listed = findings.get("cards") or []
    total = len(results.answer.selected)
    common = _reach(listed)
    return {
        "listed": [_card(card, results, findings["classes"], common) for card in listed],
        "sentence": _sentence(results, findings.get("classes") or []) if listed else "",
        "left": f"{show.count(total - len(listed), 'further column')} of the model have no card; the table holds them."
        if total > len(listed) and listed
        else "",
        "legend": _legend(findings.get("classes") or [], results),
    }


def _legend(classes: list[str], results: Results) -> list[dict[str, str]]:
    """Classes in the order of their colours; of two, the second is the one whose probability is shown."""
    if not classes:
        return []
    n_others = len(results.data.classes) - len(classes)
    words = [show.short(label, 40) for label in classes] + ([f"{n_others:,} others"] if n_others else [])
    return [{"text": text, "css": f"c{index}"} for index, text in enumerate(words)]


def _of_shares(results: Results) -> bool:
    """Whether effects are of a forest's shares before calibration; older results tell it by the procedure's name."""
    procedure = results.answer.procedure.partition("[")[0]  # "forest[5]" is the forest held to 5 columns
    return bool(results.findings.get("uncalibrated", procedure == "forest"))


def _marks(findings: dict[str, Any]) -> str:
    """What the marks under a curve are, for the steps that effects were computed in; empty where there are none."""
    effects = [card["effect"] for card in findings["cards"] if card["effect"] and not card["effect"]["levels"]]
    if not effects:
        return ""
    max_steps = max(len(effect["points"]) - 1 for effect in effects)
    steps = findings.get(
        "effect_steps", max_steps if max_steps == max(SHARES) else 0
    )  # equal values fall together: often fewer
    return f"; marks under the curve are {SHARES[steps]} of the rows" if steps in SHARES else ""


def _sentence(results: Results, classes: list[str]) -> str:
    what = "the predicted number"
    if len(results.data.classes) == 2:
        what = f"the predicted probability of {show.short(classes[1], 40)}"
    elif classes:
        what = "the predicted probability of each class"
    if classes and _of_shares(results):
        what += " (of the forest, the mean share in the leaves)"
    upper = "how its values are spread within each class" if classes else "the quartiles of the target over its values"
    return (
        f"Above: {upper}. Below: its effect in the model, how much {what} moves with it, other columns as they are "
        f"(accumulated local effects{_marks(results.findings)}). The band runs from the smallest to "
        "the largest effect among the folds' models; a fold that does not use the column counts as no effect. It shows "
        "how much the rows matter, and is no confidence interval."
    )


def _reach(listed: list[dict[str, Any]]) -> Reach:
    """The least and the largest effect on any of these cards."""
    ends = [0.0]
    for card in listed:
        if card["effect"]:
            for curves in (card["effect"]["final"], *(fold for fold in card["effect"]["folds"] if fold)):
                ends += [value for line in curves for value in line]
    low, high = min(ends), max(ends)
    return (low - 0.04 * (high - low), high + 0.04 * (high - low)) if high > low else (-1.0, 1.0)


def _card(card: dict[str, Any], results: Results, classes: list[str], common: Reach) -> dict[str, Any]:
    """A card with its own scale of effects, and the one that all cards have in common."""
    name, spread, effect = card["name"], card["distribution"], card["effect"]
    scales = {"own": _reach([card]), "common": common}
    facts = _column_facts(results, name)
    card_facts = {
        "name": show.name(name),
        "short": show.short(name, 60),
        "lines": _lines(facts, spread, results) + _band_words(effect),
        "width": WIDTH,
        "height": HEIGHT,
        "alt": _alt(name, effect, facts),
    }
    if "levels" in spread:
        return {**card_facts, **_levels(spread, effect, classes, scales)}
    across = (spread["edges"][0], spread["edges"][-1])
    upper = _upper(spread, across, bool(classes), results)
    lower = [{"css": css, **_lower(effect, across, reach)} for css, reach in scales.items()] if effect else []
    points = [point for point in (effect or {}).get("points", ()) if across[0] < point < across[1]]
    frame = Frame(LEFT, 0, WIDTH - LEFT - 8, 1, across, (0, 1))
    rug = [frame.x(point) for point in points]
    return {**card_facts, **upper, "scales": lower, "rug": rug, "xticks": _xticks(across, name), "words": []}


def _column_facts(results: Results, name: str) -> dict[str, Any]:
    alone = results.findings["columns"]
    j = alone["name"].index(name)
    share = next((row.fraction for row in results.stability if row.name == name), 0.0)
    return {
        "contribution": results.answer.contributions.get(name, 0.0),
        "share": share,
        "direction": alone["direction"][j],
        "strength": alone["strength"][j],
        "p_value": alone["p_value"][j],
    }


def _lines(facts: dict[str, Any], spread: dict[str, Any], results: Results) -> list[str]:
    p = "" if facts["p_value"] is None else show.p_value(facts["p_value"]).replace(" ", "\u00a0")
    lines = [
        f"{show.share(facts['contribution'])} of what columns contribute, in {show.share(facts['share'])} of the folds",
        f"alone: strength {show.number(facts['strength'])}" + (f", adjusted p\u00a0{p}" if p else ""),
    ]
    towards = direction(facts, results)
    if towards:
        lines[1] += f", {towards}"
    if spread["missing"]:
        lines.append(f"{show.count(spread['missing'], 'row')} without a value")
    if spread.get("tails"):
        lines.append(f"{show.count(spread['tails'], 'value')} further out, counted at the ends")
    if spread.get("others"):
        lines.append(f"{show.count(spread['others'], 'rarer level')} not shown apart")
    return lines


def _fold_curves(effect: dict[str, Any]) -> list[list[list[float]]]:
    """The curves of the folds that have one: of a fold that uses the column, but kept no curve, nothing is known."""
    return [fold for fold in effect["folds"] if fold]


def _band_words(effect: dict[str, Any] | None) -> list[str]:
    """How many folds the band is of, where it is not of all."""
    if effect is None or len(fold_curves := _fold_curves(effect)) == len(effect["folds"]):
        return []
    if not fold_curves:
        return ["no band: the folds kept no effect of this column"]
    return [f"the band covers {len(fold_curves):,} of {len(effect['folds']):,} folds"]


def _alt(name: str, effect: dict[str, Any] | None, facts: dict[str, Any]) -> str:
    """The picture in words, for those who cannot see it."""
    sentence = f"Values of {show.short(name, 60)} by target, and its effect in the model."
    if effect is None:
        return sentence
    output = _widest(effect)
    line = effect["final"][output]
    low, high = int(np.argmin(line)), int(np.argmax(line))
    points = effect["levels"] or [written(point) for point in effect["points"]]
    return (
        f"{sentence} The effect is smallest, {show.signed(line[low])}, at {show.short(points[low], 30)} and largest, "
        f"{show.signed(line[high])}, at {show.short(points[high], 30)}; {_span_words(effect, output)}."
    )


def _span_words(effect: dict[str, Any], output: int) -> str:
    """From where to where the spans of the folds' curves go."""
    spans = [max(fold[output]) - min(fold[output]) for fold in _fold_curves(effect)]
    if not spans:
        return "no fold kept its curve"
    of = "the folds" if len(spans) == len(effect["folds"]) else f"{len(spans):,} of {len(effect['folds']):,} folds"
    return f"its span in {of} is {show.number(min(spans))} to {show.number(max(spans))}"


def _upper(spread: dict[str, Any], across: tuple[float, float], classes: bool, results: Results) -> dict[str, Any]:
    """Histograms of classes, each as shares of its own rows; or the quartiles of the target."""
    edges = spread["edges"]
    if classes:
        shares = [np.array(line) / max(sum(line), 1) for line in spread["counts"]]
        top = max(float(line.max()) for line in shares) or 1.0
        frame = Frame(LEFT, TOP, WIDTH - LEFT - 8, UPPER, across, (0.0, top))
        is_multiclass = len(shares) > 2  # areas of more than two classes hide each other
        at = [(a + b) / 2 for a, b in pairwise(edges)]
        stairs = [
            {
                "css": f"{'profile' if is_multiclass else 'stairs'} c{k}",
                "d": frame.line(at, line) if is_multiclass else frame.stairs(edges, line),
            }
            for k, line in enumerate(shares)
        ]
        labels = [{"y": frame.y(top), "text": show.share(top)}, {"y": frame.y(0), "text": "0%"}]
        return {"stairs": stairs, "band": "", "middle": "", "yticks": labels, "uplabel": "rows of the class"}
    filled_bins = [k for k, value in enumerate(spread["middle"]) if value is not None]
    low, high = (
        min(spread["low"][k] for k in filled_bins),
        max(spread["high"][k] for k in filled_bins),
    )
    frame = Frame(LEFT, TOP, WIDTH - LEFT - 8, UPPER, across, (low, high))
    at = [(edges[k] + edges[k + 1]) / 2 for k in filled_bins]
    max_rows = max(spread["rows"]) or 1
    floor = Frame(LEFT, TOP, WIDTH - LEFT - 8, UPPER, across, (0.0, 4.0 * max_rows))
    return {
        "stairs": [{"css": "stairs rows", "d": floor.stairs(edges, spread["rows"])}],
        "band": frame.band(at, [spread["low"][k] for k in filled_bins], [spread["high"][k] for k in filled_bins]),
        "middle": frame.line(at, [spread["middle"][k] for k in filled_bins]),
        "yticks": [{"y": frame.y(value), "text": written(value)} for value in ticks(low, high, 3)],
        "uplabel": show.short(results.data.target, 24),
    }


def _lower(effect: dict[str, Any], across: tuple[float, float], reach: Reach) -> dict[str, Any]:
    """The effect as a line per output with the band of the folds, on a scale."""
    frame = Frame(LEFT, TOP + UPPER + BETWEEN, WIDTH - LEFT - 8, LOWER, across, reach)
    points = np.array(effect["points"])
    inside = points[(points > across[0]) & (points < across[1])]
    xs = [across[0], *inside.tolist(), across[1]] if across[1] > across[0] else points.tolist()
    folds = _fold_curves(effect)
    curves = []
    for output, line in enumerate(effect["final"]):
        several = np.array([np.interp(xs, points, fold[output]) for fold in folds])
        css = f"c{output}" if len(effect["final"]) > 1 else "c1"
        band = frame.band(xs, several.min(axis=0).tolist(), several.max(axis=0).tolist()) if folds else ""
        curves.append({"css": css, "band": band, "line": frame.line(xs, np.interp(xs, points, line).tolist())})
    etick = [{"y": frame.y(value), "text": written(value)} for value in ticks(*reach, 5)]
    return {"curves": curves, "etick": etick, "zero": frame.y(0.0)}


def _xticks(across: tuple[float, float], name: str) -> list[dict[str, Any]]:
    frame = Frame(LEFT, 0, WIDTH - LEFT - 8, 1, across, (0, 1))
    return [{"x": frame.x(value), "text": tick_words(value, name)} for value in ticks(*across, 4)]


def _levels(
    spread: dict[str, Any], effect: dict[str, Any] | None, classes: list[str], scales: dict[str, Reach]
) -> dict[str, Any]:
    """A line a level: its rows by class (or the target's quartiles), and its effect with the spread over folds."""
    words = [show.short(word, 26) for word in spread["levels"]] + (["others"] if spread["others"] else [])
    index_of = {word: k for k, word in enumerate((effect or {}).get("levels") or [])}
    total = max(sum(spread["rows"]), 1)
    ends = [value for value in spread.get("low", []) + spread.get("high", []) if value is not None]
    scale = Frame(0, 0, 100, 1, (min(ends), max(ends)), (0, 1)) if ends else None
    across = {css: Frame(0, 0, 100, 1, reach, (0, 1)) for css, reach in scales.items()}
    lines, output = [], _widest(effect)
    for k, word in enumerate(words):
        rows = spread["rows"][k]
        level: dict[str, Any] = {
            "word": word,
            "rows": f"{rows:,}",
            "share": round(rows / total, 4),
            "parts": [],
            "box": None,
        }
        if classes:
            counts = [line[k] for line in spread["counts"]]
            level["parts"] = [{"css": f"c{c}", "share": round(n / max(rows, 1), 4)} for c, n in enumerate(counts) if n]
        elif scale is not None and spread["middle"][k] is not None:
            level["box"] = [scale.x(spread[key][k]) for key in ("low", "middle", "high")]
        at = index_of.get(spread["levels"][k]) if k < len(spread["levels"]) else None
        level["effect"] = _level_effect(effect, at, output, across)
        lines.append(level)
    several = effect is not None and len(effect["final"]) > 1
    empty = dict.fromkeys(("stairs", "scales", "yticks", "xticks", "rug"), ())
    return {
        **empty,
        "words": lines,
        "zero": {css: frame.x(0.0) for css, frame in across.items()},
        "band": "",
        "middle": "",
        "uplabel": "",
        "effect_of": f"effect on {show.short(classes[output], 24)}" if several and output < len(classes) else "effect",
    }


def _widest(effect: dict[str, Any] | None) -> int:
    """The output that the column moves most."""
    return 0 if effect is None else int(np.argmax([max(line) - min(line) for line in effect["final"]]))


def _level_effect(
    effect: dict[str, Any] | None, at: int | None, output: int, across: dict[str, Frame]
) -> dict[str, Any] | None:
    """Where the effect on an output lies, and from where to where the folds' do, on each scale."""
    if effect is None or at is None:
        return None
    value = effect["final"][output][at]
    folds = [fold[output][at] for fold in _fold_curves(effect)]
    ends = {
        css: {
            "at": frame.x(value),
            "from": frame.x(min(folds, default=value)),
            "to": frame.x(max(folds, default=value)),
        }
        for css, frame in across.items()
    }
    return {**ends, "has_band": bool(folds), "text": show.signed(value)}
