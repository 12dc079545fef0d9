"""Compare: two finished studies side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tamis.app.pages.base import Page
from tamis.app.pages.start import study_name
from tamis.app.runs.progress import is_finished
from tamis.errors import TamisError

#: Settings in the words of the pages.
SETTING_WORDS = {
    "drop": "columns left out",
    "types": "kinds given",
    "groups": "rows that belong together",
    "time": "rows in time order",
    "prefer": "how simple",
    "scoring": "score to quote",
    "loss": "costs of mistakes",
    "missing": "values read as missing",
    "positive": "class that is looked for",
}


class Compare(Page):
    """The page of two studies."""

    async def get(self) -> None:
        """What to choose from, and the comparison of those chosen."""
        done = [(study, about) for study, about in self.folder.all("studies") if is_finished(study)]
        listed = [{"id": study.name, "name": study_name(study), "made": about["made"][:16].replace("T", " ")}
                  for study, about in done]  # fmt: skip
        chosen = [self.get_query_argument(which, "") for which in ("first", "second")]
        comparison: dict[str, Any] | None = None
        error = ""
        if all(chosen):
            studies = [self.study(name)[0] for name in chosen]
            try:
                comparison = await self.work(compared, *studies)
            except TamisError as raised:
                error = str(raised)
        self.show("compare.html", studies=listed, chosen=chosen, found=comparison, error=error)


def compared(first: Path, second: Path) -> dict[str, Any]:
    """Two studies as the page shows them."""
    from tamis.report import show
    from tamis.study import compare

    comparison = compare(first, second).to_dict()
    sides = []
    for study, side in ((first, comparison["first"]), (second, comparison["second"])):
        score = show.number(side["score"])
        sure = "" if side["interval"] is None else show.interval(side["interval"])
        sides.append({**side, "id": study.name, "name": study_name(study), "shown": score, "sure": sure,
                      "words": show.metric(side["metric"]), "base": show.number(side["baseline"])})  # fmt: skip
    differences = []
    for key, what in (("by_rows", "row by row"), ("by_folds", "fold by fold")):
        if comparison[key] is not None:
            differences.append(_difference(comparison[key], what, comparison["first"]["metric"]))
    shared = {key: comparison[key] for key in ("columns", "comparable", "reason")}
    return {"sides": sides, **shared, "differences": differences, "asked": asked_differently(first, second)}


def asked_differently(first: Path, second: Path) -> list[dict[str, str]]:
    """The settings in which two studies differ, as they were written down."""
    one, two = (json.loads((place / "plan.json").read_text(encoding="utf-8"))["settings"] for place in (first, second))
    return [
        {"what": SETTING_WORDS.get(name, name), "first": _in_words(one.get(name)), "second": _in_words(two.get(name))}
        for name in sorted({*one, *two})
        if one.get(name) != two.get(name)
    ]


def _in_words(value: object) -> str:
    """A setting for people.

    >>> _in_words(None), _in_words(["a", "b"]), _in_words({"age": {"kind": "numeric"}})
    ('nothing', 'a, b', 'age: numeric')
    """
    from tamis.report import show

    if isinstance(value, dict):
        parts = [f"{k}: {v['kind'] if isinstance(v, dict) and 'kind' in v else _in_words(v)}" for k, v in value.items()]
        return show.short(", ".join(parts), 200) or "nothing"
    if isinstance(value, list):
        return show.short(", ".join(map(str, value)), 200) or "nothing"
    return "nothing" if value is None else show.short(value, 200)


def _difference(facts: dict[str, Any], what: str, metric: str) -> dict[str, Any]:
    from tamis.report import show
    from tamis.report.facts.procedures import LOSSES

    over = f"{facts['rows']:,} rows" if "rows" in facts else f"{facts['folds']} folds"
    judged = f"{LOSSES[facts['loss']]} (smaller is better)" if "loss" in facts else show.metric(metric)
    chance = facts["p_value"] > 0.05
    return {
        "what": what,
        "over": over,
        "judged": judged,
        "mean": show.signed(facts["mean"], 4),
        "error": show.number(facts["error"], 4),
        "p": show.p_value(facts["p_value"]),
        "sentence": "no more than chance explains" if chance else "more than chance explains",
    }
