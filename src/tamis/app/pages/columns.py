"""Columns: how the table was read, what to correct, what to predict; and what a study would do."""

from __future__ import annotations

import json
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tamis.app.folder import AppFolder, now, read_about, write_about
from tamis.app.guard import without_paths
from tamis.app.pages.base import Page
from tamis.errors import TamisError

#: Columns that are sent at a time.
MOST_SENT = 40


class Columns(Page):
    """The page of a table."""

    def get(self, name: str) -> None:
        """The page; its columns come by script, a few at a time."""
        _, about = self.table(name)
        if len(about["sheets"]) > 1 and about["sheet"] is None:
            self.redirect("/")
            return
        studies = [(study.name, read_about(study)) for study in self.folder.studies_of(name)]
        self.show("columns.html", table={"id": name, **about}, studies=studies)


class ColumnRows(Page):
    """Some columns of a table, as the page shows them."""

    async def get(self, name: str) -> None:
        """Columns from a place on, those whose name or kind holds a text."""
        folder, about = self.table(name)
        first = self.get_query_argument("from", "0")
        search = self.get_query_argument("find", "").strip().lower()
        start = int(first) if first.isdigit() and len(first) < 8 else 0
        self.answer(await self.work(rows_of, self.readings, folder, about, start, search))


class Choices(Page):
    """What the user says about the columns and the study."""

    async def post(self, name: str) -> None:
        """Take a change, unless another tab made one meanwhile."""
        folder, _ = self.table(name)
        self.answer(await self.work(self._change, folder, self.body()))

    def _change(self, folder: Path, request: dict[str, Any]) -> dict[str, Any]:
        from tamis.app.columns.choices import changed
        from tamis.app.tables.clean import write_clean

        names = self.readings.of(folder).raw.names
        with self.settings["app_lock"]:
            about = read_about(folder)
            if request.get("revision") != about["revision"]:
                return {"stale": True, "choices": about["choices"], "revision": about["revision"]}
            patch = request.get("change")
            choices = changed(about["choices"], patch if isinstance(patch, dict) else {}, names)
            if _blanked(choices) != _blanked(about["choices"]):
                about["clean"] = write_clean(folder, about, choices)
            about |= {"choices": choices, "revision": about["revision"] + 1}
            write_about(folder, about)
        return {"stale": False, "choices": choices, "revision": about["revision"]}


class Header(Page):
    """Which rows hold the names."""

    async def post(self, name: str) -> None:
        """Read the names from the rows that the user names; nothing is left to Tamis again."""
        place, _ = self.table(name)
        header = self.body().get("header")
        if header is not None and not isinstance(header, str):
            self.refuse(HTTPStatus.BAD_REQUEST, "the row with the names must be a number, as in 3 or 2,3")
        await self.work(self._change, place, header or None)
        self.answer({})

    def _change(self, place: Path, header: str | None) -> None:
        from tamis.app.tables.keep import choose_header

        with self.settings["app_lock"]:
            before = read_about(place)
            about = choose_header(place, header)
        try:
            self.readings.forget(place)
            self.readings.of(place, about)
        except TamisError:
            with self.settings["app_lock"]:
                choose_header(place, before.get("header"))
            raise


class Fit(Page):
    """Whether a column could be of another kind."""

    async def post(self, name: str) -> None:
        """The cells that would not fit."""
        folder, about = self.table(name)
        request = self.body()
        self.answer(await self.work(_fit, self.readings, folder, about, request.get("column"), request.get("type")))


class Check(Page):
    """What a study with these choices would do."""

    async def get(self, name: str) -> None:
        """The plan and the leaks."""
        folder, about = self.table(name)
        if not about["choices"].get("target"):
            self.answer({"plan": None})
            return
        if "\\u0000" in json.dumps(about["choices"]):
            self.refuse(HTTPStatus.BAD_REQUEST, "a chosen column has a NUL character in its name; rename it there")
        result = await self.work(_checked, self.readings, folder, about)
        if "error" in result:
            result = {"error": without_paths(result["error"])}
        self.answer({key: result[key] for key in ("plan", "leaks", "error") if key in result})


class NewStudy(Page):
    """A study is begun."""

    async def post(self, name: str) -> None:
        """Write down what is asked, and run it."""
        from tamis.app.pages.run import begin

        folder, about = self.table(name)
        request = self.body()
        if request.get("revision") != about["revision"]:
            self.refuse(HTTPStatus.CONFLICT, "the choices were changed in another tab; look at them again")
        if "\\u0000" in json.dumps(about["choices"]):
            self.refuse(HTTPStatus.BAD_REQUEST, "a chosen column has a NUL character in its name; rename it there")
        result = await self.work(_checked, self.readings, folder, about)
        if "error" in result:
            self.refuse(HTTPStatus.BAD_REQUEST, without_paths(result["error"]))
        with self.settings["app_lock"]:
            study = same_study(self.folder, name, about["choices"])
            if study is None:
                study = self.folder.new("studies", _about_study(name, about, result["plan"]))
        await self.work(begin, study, folder, about)
        self.answer({"study": study.name})


def _blanked(choices: dict[str, Any]) -> dict[str, Any]:
    """The columns whose cells that do not fit are made missing, with their types."""
    return {name: choices["types"][name] for name in choices.get("blank", [])}


def same_study(folder: AppFolder, table: str, choices: dict[str, Any]) -> Path | None:
    """The study of a table with exactly these choices: two tabs that begin it at once begin one."""
    for study in folder.studies_of(table):
        if read_about(study).get("choices") == choices:
            return study
    return None


def _about_study(name: str, about: dict[str, Any], plan: dict[str, Any]) -> dict[str, Any]:
    facts = {"table": name, "file": about["name"], "sheet": about["sheet"], "target": about["choices"]["target"]}
    facts |= {"clean": about["clean"], "header": about.get("header")}
    return {**facts, "made": now(), "choices": about["choices"], "plan": plan, "run": None}


def rows_of(readings: Any, folder: Path, about: dict[str, Any], start: int, search: str) -> dict[str, Any]:
    """The facts of some columns, and how many there are."""
    from tamis.app.columns.check import cached_check
    from tamis.app.columns.facts import column_facts

    reading, choices = readings.of(folder, about), about["choices"]
    checked = cached_check(reading, choices) or {}
    decided, unlocked = checked.get("decisions", {}), checked.get("unlocked")
    types = choices.get("types", {})
    names = reading.raw.names
    if search:
        names = [name for name in names if search in name.lower()]
    facts = [column_facts(reading, name, types.get(name), decided.get(name), unlocked)
             for name in names[start : start + MOST_SENT]]  # fmt: skip
    return {"columns": facts, "found": len(names), "all": len(reading.raw.names), "rows": reading.raw.n_rows,
            "names": list(reading.raw.names[:2_000]) if start == 0 else [], "unlocked": unlocked is not None,
            "remarks": [_spoken(said) for said in (*about.get("reading", ()), *reading.raw.remarks)],
            "choices": choices, "revision": about["revision"]}  # fmt: skip


def _spoken(remark: str) -> str:
    """A remark on the reading of a file in the words of the page."""
    return remark.replace("; give header= if that is wrong", "").replace("; give sheet= to read another", "")


def _checked(readings: Any, folder: Path, about: dict[str, Any]) -> dict[str, Any]:
    from tamis.app.columns.check import check
    from tamis.app.tables.keep import file_of, header_of

    return check(readings.of(folder, about), file_of(folder, about), about["choices"], header_of(about))


def _fit(readings: Any, folder: Path, about: dict[str, Any], name: Any, type: Any) -> dict[str, Any]:
    from tamis.app.columns.facts import fit_of, levels_of
    from tamis.errors import TableError

    reading = readings.of(folder, about)
    if name not in reading.raw.names:
        raise TableError(f"there is no column {name!r}")
    if type == "levels":
        return {"levels": levels_of(reading, name)}
    return fit_of(reading, name, {"kind": type} if isinstance(type, str) else type)
