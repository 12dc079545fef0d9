"""Run: what is done, how far it is, the best so far; stop it, let it go on."""

from __future__ import annotations

import asyncio
import json
import re
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tornado.iostream import StreamClosedError

from tamis.app.folder import read_about, write_about
from tamis.app.pages.base import Page
from tamis.app.pages.start import study_name
from tamis.app.runs import process
from tamis.app.runs.command import command_of, write_files
from tamis.app.runs.progress import Watch, is_finished, progress, state_of

#: Seconds between two looks at the journal, and after which a line is sent though nothing changed.
LOOK, ALIVE = 0.25, 10.0


class RunPage(Page):
    """The page of a study at work."""

    def get(self, name: str) -> None:
        """What will be done, and how far it is."""
        from tamis.app.runs.forecast import spoken

        study, about = self.study(name)
        facts = {"id": name, "name": study_name(study), **about, "state": state_of(study)}
        self.show("run.html", study=facts, takes=spoken(about["plan"]["seconds"]))


class Events(Page):
    """Progress, as server-sent events: a tab that is opened again, or a server that was restarted, goes on."""

    async def get(self, name: str) -> None:
        """Facts whenever they change, until there is nothing more to say."""
        study, _ = self.study(name)
        self.set_header("Content-Type", "text/event-stream; charset=UTF-8")
        watch, last_text, quiet = Watch(study), "", 0.0
        try:
            while True:
                facts = await self.work(progress, watch)
                text = json.dumps(facts, allow_nan=False)
                if text != last_text or quiet >= ALIVE:
                    self.write(f"data: {text}\n\n")
                    await self.flush()
                    last_text, quiet = text, 0.0
                if facts["state"] != "running" or self.folder.folder_of("studies", name) is None:
                    return
                await asyncio.sleep(LOOK)
                quiet += LOOK
        except StreamClosedError:
            return


class Begin(Page):
    """A study that was stopped goes on."""

    async def post(self, name: str) -> None:
        """The same command again."""
        self.body()
        study, about = self.study(name)
        table = self.folder.folder_of("tables", about["table"])
        if table is None:
            self.refuse(HTTPStatus.CONFLICT, "the table of this study was deleted, so that it cannot go on")
        await self.work(begin, study, table, read_about(table))
        self.answer({})


class Stop(Page):
    """A study is stopped; what is finished is kept."""

    async def post(self, name: str) -> None:
        """As Ctrl-C would."""
        self.body()
        study, _ = self.study(name)
        await self.work(process.stop, study)
        self.answer({"state": state_of(study)})


def begin(folder: Path, table: Path, about: dict[str, Any]) -> None:
    """Start a study's process unless it runs, or is finished."""
    from tamis.app.columns.choices import settings_of
    from tamis.app.tables.keep import file_of, header_of

    if process.is_running(folder) or is_finished(folder):
        return
    study = read_about(folder)
    settings = settings_of(study["choices"])
    write_files(folder, settings)
    about = about | {"sheet": study["sheet"], "clean": study["clean"], "header": study.get("header")}
    command = command_of(file_of(table, about), folder, settings | {"header": header_of(about)})
    process.start(folder, command, len(Watch(folder).tasks()))


def remember_answer(study: Path) -> None:
    """Keep the answer's first words beside the study, for the list of studies."""
    about = read_about(study)
    if not about.get("answer") and is_finished(study):
        try:
            words = json.loads((study / "results.json").read_text(encoding="utf-8"))["answer"]["words"]
        except (OSError, ValueError, KeyError):
            return
        write_about(study, about | {"answer": first_sentences(str(words))})


def first_sentences(words: str, max_length: int = 240) -> str:
    """As many whole sentences as fit, at least the first.

    >>> first_sentences("Two columns predict y: a and b. On new rows it is right in 9 of 10 cases.", 40)
    'Two columns predict y: a and b.'
    """
    ends = [match.end() - 1 for match in re.finditer(r"[.?!]( |$)", words + " ")]
    fitting = [end for end in ends if end <= max_length] or ends[:1] or [max_length]
    return words[: fitting[-1]]
