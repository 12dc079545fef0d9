"""What all pages share: templates, work that takes longer, the table or study an address names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache, partial
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import tamis
from tamis.app.columns.reading import Readings
from tamis.app.folder import read_about
from tamis.app.guard import Guarded
from tamis.app.words import WORDS

T = TypeVar("T")


class Page(Guarded):
    """A handler with the app's templates and its worker threads."""

    @property
    def readings(self) -> Readings:
        """The tables in memory."""
        readings: Readings = self.settings["app_readings"]
        return readings

    async def work(self, task: Callable[..., T], *arguments: Any, **named: Any) -> T:
        """Do what takes longer beside the server, which goes on answering."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.settings["app_pool"], partial(task, *arguments, **named))

    def table(self, name: str) -> tuple[Path, dict[str, Any]]:
        """The folder of a table, and what is known about it."""
        return self._entry_of("tables", name, "table")

    def study(self, name: str) -> tuple[Path, dict[str, Any]]:
        """The folder of a study, and what is known about it."""
        return self._entry_of("studies", name, "study")

    def _entry_of(self, room: str, name: str, what: str) -> tuple[Path, dict[str, Any]]:
        folder = self.folder.folder_of(room, name)
        if folder is None:
            self.refuse(HTTPStatus.NOT_FOUND, f"this {what} is not here, or was deleted")
        return folder, read_about(folder)

    def show(self, template: str, **facts: Any) -> None:
        """Write a page."""
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        shared = {"version": tamis.__version__, "words": WORDS}
        text = environment().get_template(template).render(**shared, **facts)
        self.write(text.encode("utf-8", "replace"))


@cache
def environment() -> Any:
    """The templates, each compiled once; everything that is filled in is escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    jinja = Environment(
        loader=FileSystemLoader(str(files("tamis.app") / "template")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters["thousands"] = lambda n: f"{n:,}"
    return jinja
