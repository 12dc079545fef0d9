"""The table that was learned from, and every column of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tamis.report import show
from tamis.report.table import Head, ReportTable, cell
from tamis.results.results import AnyResults, Results
from tamis.wording import first_few

#: The p-value up to which a direction is named.
ALPHA = 0.05

#: Rare classes named in a sentence.
MOST_RARE = 8


def data(results: AnyResults, plan: dict[str, Any]) -> dict[str, Any]:
    data, aside = results.data, _aside(results)
    kinds = [row["kind"] for row in results.columns if row["used"] and row["name"] not in aside]
    lines = [
        f"{show.count(data.rows, 'row')}: {data.learned:,} for training, {data.locked:,} set aside as a test "
        f"set; {show.count(len(kinds), 'column')} to learn from."
    ]
    lines += [parts] if (parts := show.parts(kinds, data.columns)) else []
    if data.without_target:
        lines.append(f"{show.count(data.without_target, 'unlocked row')} had no target and were left out.")
    lines += _rare(results)
    if plan.get("studies_here", 1) > 1:
        lines.append(f"This is the {show.ordinal(plan['studies_here'])} study of this table in this place.")
    total = sum(row["rows"] for row in data.classes)
    rows = [
        [
            cell(show.name(row["label"]), name=True),
            cell(f"{row['rows']:,}", row["rows"]),
            cell(show.share(row["rows"] / total), row["rows"]),
        ]
        for row in data.classes
    ]
    heads = (Head("class"), Head("rows", number=True), Head("share", number=True, bar=True))
    return {
        "sentences": lines,
        "classes": ReportTable("classes", "Training rows, by class", heads, rows) if rows else None,
    }


def _rare(results: AnyResults) -> list[str]:
    """What became of rare classes, and how many judged rows were of a class their training part lacked."""
    rare = results.data.rare
    if not rare or not rare["classes"]:
        return []
    listed = first_few([f"{show.name(row['label'])} ({row['rows']:,})" for row in rare["classes"]], MOST_RARE)
    became = {
        "keep": "they are learned all the same",
        "merge": "they are read as one class",
        "drop": "their rows were left out",
    }[rare["how"]]
    sentences = [f"Rare classes, with fewer rows than folds: {listed}; {became}."]
    unlearned = results.comparison.n_unlearned if isinstance(results, Results) else 0
    if unlearned:
        sentences.append(
            f"{show.count(unlearned, 'judged row')} had a class that the training part lacked: counted as wrong "
            "answers, left out of metrics of probabilities."
        )
    return sentences


def columns(results: AnyResults) -> dict[str, Any]:
    """Columns by kind, and every column with all that is known of it."""
    decided, aside = results.columns, _aside(results)
    kinds = Counter(row["kind"] for row in decided)
    used = Counter(row["kind"] for row in decided if row["used"] and row["name"] not in aside)
    summary = [
        [
            cell(kind),
            cell(f"{n:,}", n),
            cell(f"{used[kind]:,}", used[kind]),
            cell(f"{n - used[kind]:,}", n - used[kind]),
        ]
        for kind, n in kinds.most_common()
    ]
    numbers = (Head(word, number=True) for word in ("columns", "used", "left out"))
    facts_of = _column_facts(results)
    rank_of = {name: k for k, name in enumerate(results.answer.selected)} if isinstance(results, Results) else {}
    # What a reader looks for first: the columns of the model, then those with something to say, then the strongest.
    order = sorted(
        [*decided, *_parts(decided, facts_of)],
        key=lambda row: (
            rank_of.get(row["name"], len(rank_of)),
            row["used"],
            not row["note"],
            -facts_of.get(row["name"], {}).get("strength", 0.0),
            row["name"],
        ),
    )
    rows = [
        _line(row, row["name"] in rank_of, aside.get(row["name"], ""), facts_of.get(row["name"], {}), results)
        for row in order
    ]
    return {
        "summary": ReportTable("kinds", "Columns by kind", (Head("kind"), *numbers), summary),
        "table": ReportTable("columns", "Every column, and all that is known of it", HEADS, rows).without_empty(),
        "meanings": [{"name": head.text, "words": head.title} for head in HEADS if head.title] if facts_of else [],
    }


def _parts(decided: list[dict[str, Any]], facts_of: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """A line for each part of a date and each word of a text that a model used in some fold."""
    ends = {"date": " (", "text": ": "}
    wholes = tuple(f"{row['name']}{ends[row['kind']]}" for row in decided if row["kind"] in ends)
    names = {row["name"] for row in decided}
    used = [name for name, facts in facts_of.items() if wholes and {"share", "contribution"} & set(facts)]
    parts = [name for name in used if name.startswith(wholes) and name not in names]
    return [{"name": name, "kind": "part", "used": True, "reason": "part of a column", "note": ""} for name in parts]


HEADS = (
    Head("column"),
    Head("contribution", number=True, bar=True, title="Its share of what all columns contribute to the model."),
    Head("folds", number=True, bar=True, title="The share of folds whose model uses it."),
    Head(
        "strength",
        number=True,
        bar=True,
        title="Alone, without any model: the share of variance that it and the target have in common, from 0 to 1.",
    ),
    Head(
        "direction",
        title="Where its larger values are found, if p is 0.05 or less. Alone: a model may see it the other way.",
    ),
    Head(
        "p, adjusted",
        number=True,
        title="Share of permuted targets for which any column's ranks go with the target as closely as this column's; "
        "groups and time order are kept together.",
    ),
    Head("information", number=True, title="Mutual information with the target in nats, less its bias; alone."),
    Head(
        "relief",
        number=True,
        title="ReliefF: whether it separates near rows of different targets, beside the other columns.",
    ),
    Head("missing", number=True, bar=True, title="Share of training rows without a value."),
    Head("kind"),
    Head("used"),
    Head("how it was read"),
    Head("note"),
)


def _column_facts(results: AnyResults) -> dict[str, dict[str, Any]]:
    """What is known of each column that was learned from: alone, in the model and over the folds."""
    if not isinstance(results, Results):
        return {}
    alone = results.findings.get("columns")
    facts: dict[str, dict[str, Any]] = {}
    if alone:
        keys = [key for key, values in alone.items() if key != "name" and values is not None]
        facts = {name: {key: alone[key][j] for key in keys} for j, name in enumerate(alone["name"])}
    for row in results.stability:
        facts.setdefault(row.name, {})["share"] = row.fraction
    for name, share in results.answer.contributions.items():
        facts.setdefault(name, {})["contribution"] = share
    return facts


def direction(facts: dict[str, Any], results: AnyResults) -> str:
    """Where a column's larger values are found; nothing where that could be chance."""
    value = facts.get("direction")
    if value is None or facts["p_value"] is None or facts["p_value"] > ALPHA:
        return ""
    labels = [show.short(row["label"], 24) for row in results.data.classes]
    if len(labels) > 2:
        return f"largest in {labels[value]}"
    if value == 0:
        return ""
    return f"larger in {labels[1 if value > 0 else 0]}" if labels else ("rising" if value > 0 else "falling")


def _aside(results: AnyResults) -> dict[str, str]:
    """Columns that were read but not learned from, and what they are for instead."""
    settings = results.settings
    roles = {settings.get(role): role for role in ("groups", "time", "exposure") if settings.get(role)}
    return {**dict.fromkeys(settings.get("drop") or (), "dropped"), **roles, results.data.target: "target"}


def _line(row: dict[str, Any], chosen: bool, aside: str, facts: dict[str, Any], results: AnyResults) -> list[Any]:
    def share(key: str) -> str:
        return show.share(facts[key]) if facts.get(key) else ""

    def number(key: str) -> str:
        return show.number(facts[key]) if facts.get(key) is not None else ""

    p = facts.get("p_value")
    return [
        cell(show.name(row["name"]), name=True, badge="model" if chosen else aside),
        cell(share("contribution")),
        cell(share("share") or ("0%" if chosen else "")),
        cell(number("strength")),
        cell(direction(facts, results)),
        cell("" if p is None else show.p_value(p).removeprefix("= ")),
        cell(number("information")),
        cell(number("relief")),
        cell(share("missing")),
        cell(row["kind"]),
        cell("yes" if row["used"] and not aside else "no", css="" if row["used"] else "bad"),
        cell(show.name(row["reason"])),
        cell(show.name(row["note"])),
    ]
