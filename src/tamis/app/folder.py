"""The app's own folder, the user's alone: uploads, studies, and the keys that let a browser in."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tamis.errors import StudyError, UnwritableError
from tamis.saved import naming, write_whole

#: What a table or a study is called on disk and in addresses; nothing else is ever joined to a path.
ID = r"[0-9a-f]{16}"

#: What is written about a table or a study, beside its own files.
ABOUT = "about.json"

#: Written first into every folder that the app makes: a folder without it is somebody else's and is never swept.
MARK = ".tamis-app"

_TOKEN = re.compile(r"[0-9a-f]{64}")


def default_folder() -> Path:
    """Where the app keeps its data unless another folder is given."""
    if os.name == "nt":
        home = os.environ.get("LOCALAPPDATA")
        return (Path(home) if home else Path.home() / "AppData" / "Local") / "tamis" / "app"
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "tamis" / "app"


class AppFolder:
    """A folder that only its user can read.

    `tables/<id>/` holds an upload and what was chosen about its columns, `studies/<id>/` the folder of a study, just as
    `tamis run` writes it: studies stand side by side, so that each knows how many others of its table there are.

    The folder carries a mark. A new or an empty folder is marked; any other without the mark is refused, so that
    nothing of the user's can be changed or deleted. The rights of a folder that exists stay as they are: what is
    private lies in folders and files of mode 0700 and 0600 inside.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = Path(path).expanduser().resolve() if path is not None else default_folder()
        with naming(self.path):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            _refuse_shared(self.path)
            if path is not None and not _is_marked(self.path) and any(self.path.iterdir()):
                raise StudyError(
                    f"the folder {str(self.path)!r} holds files that `tamis app` did not write; "
                    "give --folder, a new or an empty one"
                )
            _mark(self.path)
        for folder in (self.path / "entry", self.path / "tables", self.path / "studies"):
            with naming(folder):
                folder.mkdir(mode=0o700, exist_ok=True)

    # -- who may come in

    def session(self) -> str:
        """The value of the cookie: made once, so that a page that stays open is known to a server that is restarted."""
        file = self.path / "session"
        if not file.exists():
            new_file = self.path / f"session.{secrets.token_hex(8)}"
            write_private(new_file, secrets.token_hex(32))
            try:
                os.link(new_file, file)
            except FileExistsError:  # another of this user's servers was first
                pass
            except OSError:  # no links on this disk
                os.replace(new_file, file)
            new_file.unlink(missing_ok=True)
        return file.read_text(encoding="ascii").strip()

    def invite(self, address: str) -> Path:
        """A file that leads a browser in, once: only who can read it has the token.

        A token given on a command line, or in an address passed to the browser, is seen by every user of the machine.
        """
        token = secrets.token_hex(32)
        file = self.path / "entry" / f"{token}.html"
        goal = f"{address}/enter?token={token}"
        text = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
            f'<title>Tamis</title><meta http-equiv="refresh" content="0; url={goal}">'
            f'<p>Opening Tamis… <a href="{goal}">Continue</a></p></html>\n'
        )
        write_private(file, text)
        return file

    def admits(self, token: str) -> bool:
        """Whether a token is good; it is used up by this question."""
        if not _TOKEN.fullmatch(token):
            return False
        try:
            (self.path / "entry" / f"{token}.html").unlink()
        except FileNotFoundError:
            return False
        return True

    def forget_invitations(self) -> None:
        """Remove the files of tokens that were never used."""
        for file in (self.path / "entry").glob("*.html"):
            if _TOKEN.fullmatch(file.stem):
                file.unlink(missing_ok=True)

    # -- tables and studies

    def new(self, room: str, about: dict[str, Any]) -> Path:
        """A new folder of a table ("tables") or a study ("studies"); `about` is written once it is worth keeping."""
        new_folder = self.path / room / secrets.token_hex(8)
        new_folder.mkdir(mode=0o700)
        _mark(new_folder)
        if about:
            write_about(new_folder, about)
        return new_folder

    def folder_of(self, room: str, name: str) -> Path | None:
        """The folder of a table or a study by its id; None where there is none."""
        if not re.fullmatch(ID, name):
            return None
        folder = self.path / room / name
        return folder if (folder / ABOUT).is_file() else None

    def all(self, room: str) -> list[tuple[Path, dict[str, Any]]]:
        """Every table or study with what is written about it, the latest first."""
        entries = [
            (file.parent, read_about(file.parent))
            for file in (self.path / room).glob(f"*/{ABOUT}")
            if re.fullmatch(ID, file.parent.name)
        ]
        return sorted(entries, key=lambda pair: (pair[1].get("made", ""), pair[0].name), reverse=True)

    def studies_of(self, table: str) -> list[Path]:
        """The studies of one table."""
        return [study for study, about in self.all("studies") if about.get("table") == table]

    def delete(self, folder: Path) -> None:
        """Remove a table or a study with all its files."""
        (folder / ABOUT).unlink(missing_ok=True)  # first: from now on nobody finds it
        shutil.rmtree(folder, ignore_errors=True)

    def sweep(self) -> None:
        """Remove what an upload that never ended left behind; nothing that the app did not make."""
        for room in ("tables", "studies"):
            for folder in (self.path / room).iterdir():
                if re.fullmatch(ID, folder.name) and _is_marked(folder) and not (folder / ABOUT).is_file():
                    shutil.rmtree(folder, ignore_errors=True)


def read_about(folder: Path) -> dict[str, Any]:
    """What is written about a table or a study; nothing where the file is damaged."""
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8", errors="surrogatepass"))
    except (OSError, ValueError):
        return {}
    return about if isinstance(about, dict) else {}


def write_about(folder: Path, about: dict[str, Any]) -> None:
    """Write down what is known about a table or a study."""
    write_whole(folder / ABOUT, json.dumps(about, ensure_ascii=False, indent=1) + "\n")


def now() -> str:
    """The moment, as it is written down."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_private(file: Path, text: str) -> None:
    """A new file that only the user can read, from its first moment on."""
    with naming(file):
        end = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(end, "w", encoding="utf-8") as open_file:
            open_file.write(text)


def _mark(folder: Path) -> None:
    """Mark a folder as the app's own."""
    if not _is_marked(folder):
        try:
            write_private(folder / MARK, "This folder was made by `tamis app`, which may delete what is in it.\n")
        except UnwritableError:
            if not _is_marked(folder):  # else another of this user's servers was first
                raise


def _is_marked(folder: Path) -> bool:
    """Whether the app made a folder; a link to one that it made is none."""
    return not folder.is_symlink() and (folder / MARK).is_file()


def _refuse_shared(path: Path) -> None:
    """Refuse a folder that belongs to somebody else, or in which others can write."""
    if os.name == "nt":
        return
    status = path.stat()
    if status.st_uid != os.getuid():
        raise StudyError(f"the folder {str(path)!r} belongs to another user; give --folder, one of your own")
    if status.st_mode & 0o022:
        raise StudyError(
            f"other users can write in the folder {str(path)!r}; give --folder, one that only you can write in"
        )
