"""Tables in memory: read once, kept while somebody works on them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tamis.app.folder import read_about
from tamis.app.tables.keep import file_of, header_of

#: Tables kept at a time.
MOST_KEPT = 2


@dataclass(eq=False)
class Reading:
    """A source before anything is decided, with what was found out about its columns so far.

    Attributes
    ----------
    raw : the cells.
    cache : what was worked out, by a key of its own; whoever adds to it holds `busy`.
    """

    raw: Any
    cache: dict[Any, Any] = field(default_factory=dict)
    busy: threading.RLock = field(default_factory=threading.RLock)


class Readings:
    """The tables that were looked at last, by the folder of each and the file that was read."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Path, str], Reading] = OrderedDict()
        self._busy = threading.Lock()

    def of(self, folder: Path, about: dict[str, Any] | None = None) -> Reading:
        """The reading of a table; the file is read where it is not in memory."""
        from tamis.table import fetch

        about = read_about(folder) if about is None else about
        missing, header = about.get("choices", {}).get("missing") or None, header_of(about)
        key = (folder, f"{file_of(folder, about).name} {missing!r} {header!r}")
        with self._busy:
            if key not in self._kept:
                self._kept[key] = Reading(fetch(file_of(folder, about), missing=missing, header=header))
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]

    def forget(self, folder: Path) -> None:
        """A table that is deleted leaves memory, too."""
        with self._busy:
            for key in [key for key in self._kept if key[0] == folder]:
                del self._kept[key]
