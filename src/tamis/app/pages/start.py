"""Start: drop a table, take the demonstration, or go on with a study."""

from __future__ import annotations

import shutil
from http import HTTPStatus
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from tamis.app.folder import AppFolder, read_about
from tamis.app.pages.base import Page
from tamis.app.pages.upload import PART, Upload
from tamis.app.runs import process
from tamis.app.runs.progress import state_of
from tamis.app.tables.keep import choose_sheet, keep
from tamis.app.tables.receive import megabytes

#: How a state is called.
STATES = {"running": "running", "finished": "finished", "stopped": "stopped", "failed": "could not go on", "new": "new"}

DEMO = "breast_cancer.csv"


class Start(Page):
    """The first page."""

    def get(self) -> None:
        """Recent studies, and a place to drop a table."""
        self.show(
            "start.html",
            recent=recent(self.folder),
            most=megabytes(self.settings["app_most_bytes"]),
            bytes=self.settings["app_most_bytes"],
            folder=str(self.folder.path),
        )


class NewTable(Upload):
    """A table is dropped."""

    def make_place(self) -> Path:
        return self.folder.new("tables", {})

    def drop_place(self) -> None:
        shutil.rmtree(self.upload_folder, ignore_errors=True)

    async def post(self) -> None:
        """Look at the file; its address, and the sheets to choose from."""
        file = self.received()
        self.receiver = None  # from here on the browser may go away
        try:
            about = await self.work(keep, self.upload_folder, file, self.name)
        except BaseException:
            self.drop_place()
            raise
        self.answer({"table": self.upload_folder.name, "sheets": about["sheets"], "sheet": about["sheet"]})


class Demo(Page):
    """The table that comes with Tamis."""

    async def post(self) -> None:
        """Copy it, as if it had been dropped."""
        self.body()
        folder = self.folder.new("tables", {})
        with as_file(files("tamis") / "demo" / DEMO) as path:
            shutil.copyfile(path, folder / PART)
        await self.work(keep, folder, folder / PART, DEMO)
        self.answer({"table": folder.name, "sheets": [], "sheet": None})


class Sheet(Page):
    """A sheet of a workbook is chosen."""

    async def post(self, name: str) -> None:
        """Read that sheet."""
        folder, _ = self.table(name)
        sheet = self.body().get("sheet")
        if not isinstance(sheet, str):
            self.refuse(HTTPStatus.BAD_REQUEST, "no sheet was named")
        self.readings.forget(folder)
        await self.work(choose_sheet, folder, sheet)
        self.answer({"table": name})


class DeleteTable(Page):
    """An upload is deleted, with all its studies."""

    async def delete(self, name: str) -> None:
        """Stop what runs, then remove every file."""
        folder, _ = self.table(name)
        for study in self.folder.studies_of(name):
            await self.work(process.stop, study)
            self.folder.delete(study)
        self.readings.forget(folder)
        self.folder.delete(folder)
        self.answer({})


class DeleteStudy(Page):
    """A study is deleted; its upload stays."""

    async def delete(self, name: str) -> None:
        """Stop it where it runs, then remove every file."""
        study, _ = self.study(name)
        await self.work(process.stop, study)
        self.folder.delete(study)
        self.answer({})


def recent(folder: AppFolder) -> list[dict[str, Any]]:
    """Every table with its studies, the latest first."""
    studies: dict[str, list[dict[str, Any]]] = {}
    for entry, about in folder.all("studies"):
        state = state_of(entry)
        target = about.get("target", "")
        named = about.get("choices", {}).get("called") or f"Predicting {target}"
        facts = {"id": entry.name, "target": target, "name": named, "made": _day(about), "state": state}
        facts |= {"words": STATES[state], "answer": about.get("answer", "")}
        studies.setdefault(about.get("table", ""), []).append(facts)
    tables = []
    for entry, about in folder.all("tables"):
        size = megabytes(about.get("bytes", 0))
        waiting = len(about.get("sheets", [])) > 1 and about.get("sheet") is None
        facts = {"id": entry.name, "name": about.get("name", ""), "made": _day(about), "size": size}
        facts |= {"sheet": about.get("sheet"), "sheets": about.get("sheets", []) if waiting else []}
        tables.append({**facts, "studies": studies.pop(entry.name, [])})
    for left in studies.values():
        tables.append({"id": None, "name": "(upload deleted)", "made": "", "size": "", "sheet": None, "sheets": [],
                      "studies": left})  # fmt: skip
    return tables


def study_name(study: Path) -> str:
    """What a study is called on pages."""
    about = read_about(study)
    named = about.get("choices", {}).get("called")
    return named or f"{about.get('file', 'table')} → {about.get('target', '')}"


def _day(about: dict[str, Any]) -> str:
    return str(about.get("made", ""))[:16].replace("T", " ")
