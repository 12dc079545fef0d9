"""The description that the package carries: README.md, made to be read outside the repository.

A package index shows the README without the files beside it, and takes pictures only from an address, not from the page
itself. So relative links and pictures get the address of the repository's files, where one is given
(`make dist FILES=https://…`); without one, links become their words and a picture becomes its caption.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: `[words](path)` or `![caption](path)`, where the path is neither an address nor a heading.
RELATIVE = re.compile(r"(!?)\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)")


def description(readme: str, files: str) -> str:
    """The README for readers without the repository; `files` is the address of its files, or empty."""
    if files:
        return RELATIVE.sub(rf"\1[\2]({files.rstrip('/')}/\3)", readme)
    return RELATIVE.sub(lambda found: f"*{found[2]}: {found[3]} in the sources.*" if found[1] else found[2], readme)


class Description(MetadataHookInterface):
    """Called by hatchling for `dynamic = ["readme"]`."""

    def update(self, metadata: dict[str, Any]) -> None:
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        text = description(readme, os.environ.get("TAMIS_FILES", ""))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
