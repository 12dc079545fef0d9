"""The app's script and style: two known files, no others."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from tamis.app.guard import Guarded

_KINDS = {"app.css": "text/css", "app.js": "text/javascript", "columns.js": "text/javascript",
          "run.js": "text/javascript", "predict.js": "text/javascript", "icon.svg": "image/svg+xml"}  # fmt: skip


@cache
def _content(name: str) -> bytes:
    return (files("tamis.app") / "static" / name).read_bytes()


class Static(Guarded):
    """Files of the package; they hold nothing of the user's, so that the page that refuses can be readable."""

    def prepare(self) -> None:
        self.refuse_foreign_host()

    def get(self, name: str) -> None:
        """A file of the list."""
        if name not in _KINDS:
            self.refuse(404, "there is nothing at this address")
        self.set_header("Content-Type", f"{_KINDS[name]}; charset=UTF-8")
        self.set_header("Cache-Control", "no-cache")
        self.write(_content(name))
