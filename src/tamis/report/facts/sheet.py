"""The model information sheet: how each kind of leakage was kept out, and how to get the same study again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.report import show
from tamis.report.facts.lock import opened
from tamis.report.reproduce import command, versions
from tamis.report.table import Head, ReportTable, cell
from tamis.results.results import AnyResults, Results


def reproduce(results: AnyResults, plan: dict[str, Any]) -> dict[str, Any]:
    """The command, and what must be the same for the same answer."""
    by_command = plan.get("source") is not None
    line = command(plan)
    lines = [
        ("Tamis", results.tamis),
        ("seed", str(results.settings["seed"])),
        ("data digest", results.data.digest),
        ("report written with", ", ".join(f"{name} {number}" for name, number in versions().items())),
    ]
    return {
        "command": line,
        "what": "Same table, seed and version give a byte-identical results.json, on any number of threads."
        + ("" if by_command else " The table was handed over in memory: give the same frame again."),
        "lines": [{"label": label, "value": show.name(value)} for label, value in lines],
    }


def leakage(results: Results, openings: Sequence[dict[str, Any]] = ()) -> ReportTable:
    """Each kind of leakage after Kapoor and Narayanan, what was done about it here, and what is left to the reader.

    References
    ----------
    S. Kapoor, A. Narayanan (2023), Leakage and the reproducibility crisis in machine-learning-based science,
    Patterns 4.
    """
    settings, counts = results.settings, _counted(results)
    rows = [
        ("no separate test rows", *_test_rows(results, openings)),
        (
            "preprocessing on all rows",
            "kept out",
            "Fill-in values, scales, bins and levels were learned inside each training part alone.",
        ),
        (
            "columns chosen on all rows",
            "kept out",
            "Columns and strengths were chosen in each training part; so was the procedure for the score expected.",
        ),
        ("the same rows on both sides", *_duplicates(results, counts)),
        ("columns not known beforehand", *_illegitimate(counts)),
        ("the future used to predict the past", *_time(settings, counts)),
        ("rows that belong together", *_groups(settings, counts)),
        (
            "rows unlike those of use",
            "for you to judge",
            "Scores hold for new rows drawn like these. The table cannot show whether later rows are.",
        ),
    ]
    css = {"kept out": "good", "nothing found": "good", "found": "bad", "for you to judge": ""}
    heads = (Head("kind of leakage"), Head("here"), Head("how"))
    cells = [[cell(kind), cell(state, css=css.get(state, "")), cell(how)] for kind, state, how in rows]
    return ReportTable("leakage", "Leakage, kind by kind", heads, cells)


def _counted(results: Results) -> dict[str, int]:
    """How many leaks of each kind were found."""
    kinds: dict[str, int] = {}
    for leak in results.leaks:
        kinds[leak.get("kind", "")] = kinds.get(leak.get("kind", ""), 0) + 1
    return kinds


def _test_rows(results: Results, openings: Sequence[dict[str, Any]]) -> tuple[str, str]:
    folds, rows = show.count(len(results.folds), "outer fold"), results.lock.rows
    if not rows:
        return "kept out", f"Scores come from {folds}. No rows are locked, so nothing confirms them once more."
    times = opened(openings)
    looked = "not yet opened" if not times else "opened once" if times == 1 else f"opened {times:,} times"
    return "kept out", f"Scores come from {folds}; {show.count(rows, 'row')} stay locked besides, {looked}."


def _duplicates(results: Results, counts: dict[str, int]) -> tuple[str, str]:
    equal_rows = results.data.equal_rows
    other_kinds = ("near-duplicates", "near-twins", "locked")
    if equal_rows and not any(counts.get(kind) for kind in other_kinds):
        return "kept out", f"{equal_rows['rows']:,} rows equal another row; all folds keep equal rows on one side."
    if any(counts.get(kind) for kind in ("duplicates", *other_kinds)):
        return "found", "Rows repeat each other; see the warnings at the top."
    return (
        "nothing found",
        "Rows were compared with each other and with the locked ones; equal rows are locked together.",
    )


def _illegitimate(counts: dict[str, int]) -> tuple[str, str]:
    n = sum(counts.get(kind, 0) for kind in ("predicts", "identifier", "missingness"))
    if n:
        return "found", f"{show.count(n, 'suspicion')}; see the warnings at the top. Only you know what is known when."
    return "for you to judge", "No column gives the target away almost perfectly. Only you know what was known when."


def _time(settings: dict[str, Any], counts: dict[str, int]) -> tuple[str, str]:
    if settings.get("time"):
        return (
            "kept out",
            f"Each fold learned from earlier rows than it was judged on, by {show.short(settings['time'])}.",
        )
    if counts.get("time"):
        return (
            "found",
            "Rows seem to be in the order of a time; see the warnings. Run again with the column of the time.",
        )
    return (
        "for you to judge",
        "No time was given, and rows were drawn in any order. If time matters, run again with the column of the time.",
    )


def _groups(settings: dict[str, Any], counts: dict[str, int]) -> tuple[str, str]:
    if settings.get("groups"):
        return "kept out", f"Rows of one {show.short(settings['groups'])} stayed on one side of every split."
    if counts.get("entity"):
        return (
            "found",
            "A column seems to name who a row is of; see the warnings. Run again with it as groups.",
        )
    return (
        "for you to judge",
        "No groups were given: rows are taken to be independent. If not, run again with a column of groups.",
    )
