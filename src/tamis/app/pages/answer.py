"""Answer: the report as it is on disk, and the lock behind a question."""

from __future__ import annotations

import secrets
import time
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tamis.app.guard import REPORT_POLICY
from tamis.app.pages.base import Page
from tamis.app.pages.run import remember_answer
from tamis.app.pages.start import study_name
from tamis.app.runs.progress import is_finished

#: Seconds that a confirmation is good for.
GOOD_FOR = 600


class Answer(Page):
    """The page of a finished study."""

    async def get(self, name: str) -> None:
        """The report, and what was seen of the locked rows so far."""
        study, about = self.study(name)
        if not is_finished(study):
            self.redirect(f"/study/{name}")
            return
        facts = await self.work(lock_facts, study)
        await self.work(remember_answer, study)
        self.show("answer.html", study={"id": name, "name": study_name(study), **about}, lock=facts)


class Report(Page):
    """The report, the very file of the study's folder, in an origin of its own."""

    policy = REPORT_POLICY

    def get(self, name: str) -> None:
        """The file as it is."""
        study, _ = self.study(name)
        if not (study / "report.html").is_file():
            self.refuse(HTTPStatus.NOT_FOUND, "there is no report yet")
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        if self.get_query_argument("save", ""):
            self.set_header("Content-Disposition", 'attachment; filename="report.html"')
        self.write((study / "report.html").read_bytes())


class Question(Page):
    """Asked before the lock is opened; its code is good for one opening."""

    async def post(self, name: str) -> None:
        """The question, and a code that stands for having read it."""
        self.body()
        study, _ = self.study(name)
        facts = await self.work(lock_facts, study)
        if not facts["rows"]:
            self.refuse(HTTPStatus.CONFLICT, "this study has no locked rows")
        elsewhere = await self.work(_looks_elsewhere, study)
        code = secrets.token_hex(16)
        self.settings["app_codes"][code] = (name, time.monotonic() + GOOD_FOR)
        self.answer({"code": code, "question": _question(facts["rows"], len(facts["looks"]) + elsewhere)})


class Open(Page):
    """The lock is opened."""

    async def post(self, name: str) -> None:
        """Score the final model on the locked rows, if this very confirmation was not used before."""
        code = self.body().get("code")
        study, _ = self.study(name)
        good, until = self.settings["app_codes"].pop(code if isinstance(code, str) else "", ("", 0.0))
        if good != name or time.monotonic() > until:
            self.refuse(HTTPStatus.CONFLICT, "this confirmation was used already, or is too old: ask again")
        self.answer(await self.work(_opened, study))


def lock_facts(study: Path) -> dict[str, Any]:
    """How many rows are locked, and every look at them."""
    from tamis.lock import Ledger, Lock
    from tamis.lock.lock import NO_ROWS

    lock = Lock.read(study)
    looks = Ledger(study).looks(data=lock.data)
    return {
        "rows": len(lock.rows),
        "reason": lock.reason.removeprefix(f"{NO_ROWS}: ").rstrip("."),
        "looks": [_look(look) for look in looks],
    }


def _look(look: dict[str, Any]) -> dict[str, Any]:
    from tamis.report import show

    sure = "" if look.get("interval") is None else show.interval(look["interval"])
    return {
        "when": str(look["when"])[:16].replace("T", " "),
        "kind": look["kind"],
        "metric": show.metric(look["metric"] or ""),
        "score": show.number(look.get("score")),
        "interval": sure,
        "independent": bool(look["independent"]),
        "note": look["note"],
    }


def _looks_elsewhere(folder: Path) -> int:
    """How many looks at rows of the study's table the other studies know of; the table is read where that is needed."""
    from tamis.lock import Lock
    from tamis.study import load
    from tamis.study.disk.earlier_looks import earlier_looks
    from tamis.study.source import fetch_source

    study = load(folder)
    return earlier_looks(
        folder, Lock.read(folder), lambda: fetch_source(study.source, study.settings, study.query)
    ).total


def _question(rows: int, before: int) -> str:
    if before:
        times = "once" if before == 1 else f"{before:,} times"
        return (
            f"The {rows:,} locked rows have been looked at {times} before. Opening them again works, but the score is "
            "no longer independent: it will be marked so for good, in the report too. Open them again?"
        )
    return (
        f"{rows:,} rows were put away before anything was learned. Scoring the final model on them gives a check that "
        "nothing else here can give, but only this first opening is independent: once you have seen the score, "
        "whatever you change afterwards has been chosen with these rows in mind. The opening is written down and "
        "cannot be undone. Are you done with choosing?"
    )


def _opened(study: Path) -> dict[str, Any]:
    from tamis.report import show
    from tamis.study import load

    opening = load(study).open()
    sure = "" if opening["interval"] is None else show.interval(opening["interval"])
    return {**opening, "shown": show.number(opening["score"]), "sure": sure, "words": show.metric(opening["metric"])}
