"""What to look at before any number is believed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tamis.report import show
from tamis.report.facts.lock import opened
from tamis.report.parts import marked, sentence
from tamis.results.results import ColumnStability, Results
from tamis.wording import first_few

Warning_ = dict[str, Any]

#: A class with more than this share of the rows makes accuracy easy; one with less than that is hardly learned.
LARGE, SMALL = 0.8, 0.05

#: With fewer rows than this every number is rough.
FEW_ROWS = 100

#: Below this stability of the selection the list of columns is one of several.
UNSTABLE = 0.5

#: The chance that a column of one fold's list is in another's, too, from which on lists are called alike all the same.
ALIKE = 0.9

#: Names in a sentence, at most.
MOST_NAMED = 8

ORDER = {"stop": 0, "warn": 1, "note": 2}


def warnings(results: Results, openings: Sequence[dict[str, Any]] = ()) -> list[Warning_]:
    """Each with a `word` (stop, warn or note) and its sentence in `parts`; worst first."""
    listed = [
        {"word": leak["severity"], "parts": marked(sentence(leak["sentence"]), leak["columns"])}
        for leak in results.leaks
    ]
    plain = [
        *_openings(openings),
        *_drawn(results),
        *_rows(results),
        *_balance(results),
        *_stability(results),
        *_optimism(results),
        *_joined_levels(results),
        *_left_out(results),
    ]
    listed += [{"word": word, "parts": [_part(sentence)]} for word, sentence in plain]
    listed += [
        {"word": word, "parts": [_part(sentence), *([_part(f" {command}", is_command=True)] if command else ())]}
        for word, sentence, command in (*_sentinels(results), *_reading(results))
    ]
    return sorted(listed, key=lambda warning: ORDER.get(warning["word"], 2))


def _part(text: str, *, is_command: bool = False) -> dict[str, Any]:
    """Words of a warning; those that speak of the command line are hidden where there is none."""
    return {"text": text, "is_name": False, "is_command": is_command}


def _openings(openings: Sequence[dict[str, Any]]) -> list[tuple[str, str]]:
    times = opened(openings)
    if times < 2:
        return []
    sentence = (
        f"The locked rows were opened {times:,} times: only the first score of them is independent of what was tried."
    )
    return [("warn", sentence)]


def _sentinels(results: Results) -> list[tuple[str, str, str]]:
    """Numbers that may stand for "not measured", with what they do to their column."""
    warned = []
    for row in results.sentinels or ():
        name, value = show.short(row["name"]), f"{row['value']:.10g}"
        low, high = row["range"]
        warned.append(
            (
                "warn",
                f"{name} is {value} in {show.count(row['rows'], 'training row')}, far from its other values "
                f"({low:.6g} to {high:.6g}). With {value} as a number, {name} shares {show.share(row['shared'])} of "
                f"its variance with the target; without these rows it shares {show.share(row['shared_without'])}. "
                f'If {value} means "not measured", treat it as missing and run again.',
                f'On the command line: --missing "{name}={value}".',
            )
        )
    return warned


def _reading(results: Results) -> list[tuple[str, str, str]]:
    """Which sheet and which names were read; the way to read others is an option of the command line."""
    remarks = results.reading or ()
    said = (re.fullmatch(r"(.*); give (header|sheet)=( .*)", remark) for remark in remarks)
    return [
        ("note", remark, "") if way is None else ("note", f"{way[1]}.", f"Give --{way[2]}{way[3]}")
        for remark, way in zip(remarks, said)
    ]


def _joined_levels(results: Results) -> list[tuple[str, str]]:
    return [
        (
            "note",
            f"{show.short(row['name'])} has {row['levels']:,} levels. Linear models have a coefficient for each of the "
            f"{row['kept']:,} most frequent ones; the others count alike.",
        )
        for row in results.joined or ()
    ]


def _drawn(results: Results) -> list[tuple[str, str]]:
    drawn = results.drawn
    if not drawn:
        return []
    sentence = f"{drawn['rows']:,} of {drawn['of']:,} rows were drawn, by a keyed hash of their numbers, and studied."
    return [("note", sentence)]


def _rows(results: Results) -> list[tuple[str, str]]:
    data = results.data
    notes = []
    if data.learned < FEW_ROWS:
        notes.append(("warn", f"There are only {show.count(data.learned, 'training row')}: every score here is rough."))
    if data.columns > data.learned:
        notes.append(
            (
                "note",
                f"There are more columns ({data.columns:,}) than training rows ({data.learned:,}): some columns "
                "fit by chance, so look at scores on held-out rows alone.",
            )
        )
    if data.without_target:
        notes.append(
            (
                "note",
                f"{show.count(data.without_target, 'unlocked row')} had no target and took no part in anything.",
            )
        )
    return notes


def _balance(results: Results) -> list[tuple[str, str]]:
    listed = results.data.classes
    total = sum(row["rows"] for row in listed)
    if not total:
        return []
    largest = max(listed, key=lambda row: row["rows"])
    smallest = min(listed, key=lambda row: row["rows"])
    notes = []
    if largest["rows"] / total > LARGE:
        notes.append(
            (
                "warn",
                f"{show.share(largest['rows'] / total)} of the rows are of the class "
                f"{show.short(largest['label'])}: always "
                "answering it is as often right. Look at balanced accuracy and at the recall of the other classes.",
            )
        )
    elif smallest["rows"] / total < SMALL:
        rare = sum(row["rows"] / total < SMALL for row in listed)
        named = f"the class {show.short(smallest['label'])}" if rare == 1 else f"each of {rare:,} classes"
        notes.append(("note", f"Fewer than 5% of the rows are of {named}: what is said of such a class is rough."))
    rare_classes = (results.data.rare or {}).get("classes")
    if rare_classes:
        notes.append(
            ("warn", f"{show.count(len(rare_classes), 'class', 'classes')} had fewer rows than there are folds.")
        )
    return notes


def _stability(results: Results) -> list[tuple[str, str]]:
    stability = results.findings.get("stability") or {}
    index = stability.get("index")
    if index is None or index >= UNSTABLE or not results.answer.selected or _are_alike(results.stability):
        return []
    return [
        (
            "warn",
            f"The selection is unstable ({show.number(index, 2)} of 1): another sample would probably give a different "
            "list.",
        )
    ]


def _are_alike(used: list[ColumnStability]) -> bool:
    """Whether a column of one fold's list is mostly in another's, too: lists of nearly all columns have a low index."""
    return sum(row.fraction**2 for row in used) >= ALIKE * sum(row.fraction for row in used)


def _optimism(results: Results) -> list[tuple[str, str]]:
    """Inner folds that promised more than the interval of the score allows."""
    compared, answer = results.comparison, results.answer
    excess, interval = compared.optimism, answer.interval
    if excess is None or interval is None or answer.signal == "none" or excess <= (interval[1] - interval[0]) / 2:
        return []
    return [
        ("note", f"Inner cross-validation was too optimistic by {show.number(excess)}; the nested score is quoted.")
    ]


def _left_out(results: Results) -> list[tuple[str, str]]:
    unused = [row for row in results.columns if not row["used"]]
    if not unused:
        return []
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in Counter(row["kind"] for row in unused).most_common())
    names = first_few([show.short(row["name"], 40) for row in unused], MOST_NAMED)
    if len(unused) == 1:
        why = "because it identifies rows" if unused[0]["kind"] == "identifier" else f"({unused[0]['kind']})"
        return [("note", f"{names} was left out {why}.")]
    return [("note", f"{len(unused):,} columns were left out ({kinds}): {names.removesuffix('.')}.")]
