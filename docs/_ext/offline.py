"""The site is read without a network: a page that would fetch something from elsewhere is a warning, so an error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

#: What a browser fetches by itself: scripts, styles, pictures, frames, fonts. Links that a reader may click are none.
FETCHED = re.compile(
    r"<(?:script|link|img|iframe|source|object)\b[^>]*?\b(?:src|href|data)=[\"']((?:https?:)?//[^\"']+)"
)
IMPORTED = re.compile(r"(?:@import|url\()\s*[\"']?((?:https?:)?//[^\"')\s]+)")
#: Relations of `link` that fetch nothing.
NAMES_ONLY = ('rel="canonical"', 'rel="license"')


def external(folder: Path) -> list[tuple[Path, str]]:
    """Pages and style sheets below a folder, and what they would fetch from elsewhere."""
    found = []
    for page in sorted(folder.rglob("*.html")):
        text = re.sub(r"<(pre|code|script)\b[^>]*>.*?</\1>", _head, page.read_text(encoding="utf-8"), flags=re.S)
        for tag in FETCHED.finditer(text):
            if not any(name in tag[0] for name in NAMES_ONLY):
                found.append((page, tag[1]))
    for sheet in sorted(folder.rglob("*.css")):
        found += [(sheet, address) for address in IMPORTED.findall(sheet.read_text(encoding="utf-8"))]
    return found


def _head(tag: re.Match[str]) -> str:
    """An element without what is inside it."""
    return tag[0][: tag[0].index(">") + 1]


def _check(app: Any, exception: Exception | None) -> None:
    from sphinx.util import logging

    if exception is None and app.builder.format == "html":
        for page, address in external(Path(app.outdir)):
            logging.getLogger(__name__).warning("%s fetches %s", page.relative_to(app.outdir), address)


def setup(app: Any) -> dict[str, Any]:
    app.connect("build-finished", _check)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
