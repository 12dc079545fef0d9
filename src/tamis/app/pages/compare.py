"""Compare: two finished studies side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tamis.app.pages.base import Page
from tamis.app.pages.start import study_name
from tamis.app.runs.progress import is_finished
from tamis.errors import TamisError


class Compare(Page):
    """The page of two studies."""

    async def get(self) -> None:
        """What to choose from, and the comparison of those chosen."""
        done = [(place, about) for place, about in self.folder.all("studies") if is_finished(place)]
        listed = [{"id": place.name, "name": study_name(place), "made": about["made"][:16].replace("T", " ")}
                  for place, about in done]  # fmt: skip
        chosen = [self.get_query_argument(which, "") for which in ("first", "second")]
        found: dict[str, Any] | None = None
        error = ""
        if all(chosen):
            places = [self.study(name)[0] for name in chosen]
            try:
                found = await self.work(compared, *places)
            except TamisError as raised:
                error = str(raised)
        self.show("compare.html", studies=listed, chosen=chosen, found=found, error=error)


def compared(first: Path, second: Path) -> dict[str, Any]:
    """Two studies as the page shows them."""
    from tamis.report import show
    from tamis.study import compare

    found = compare(first, second).to_dict()
    sides = []
    for place, side in ((first, found["first"]), (second, found["second"])):
        score = show.number(side["score"])
        sure = "" if side["interval"] is None else show.interval(side["interval"])
        sides.append({**side, "id": place.name, "name": study_name(place), "shown": score, "sure": sure,
                      "words": show.metric(side["metric"]), "base": show.number(side["baseline"])})  # fmt: skip
    differences = []
    for key, what in (("by_rows", "row by row"), ("by_folds", "fold by fold")):
        if found[key] is not None:
            differences.append(_difference(found[key], what, found["first"]["metric"]))
    return {"sides": sides, "columns": found["columns"], "comparable": found["comparable"], "reason": found["reason"],
            "differences": differences}  # fmt: skip


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
