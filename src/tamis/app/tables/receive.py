"""A file on its way from the browser to the disk: never in memory as a whole, never more than the limit."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import BinaryIO

from tamis.errors import TableError
from tamis.saved import naming

#: The most bytes of one upload.
MOST_BYTES = 512 * 1024 * 1024

#: Bytes of the disk that an upload leaves free.
SPARE = 200 * 1024 * 1024


class TooLarge(TableError):
    """An upload is larger than the limit."""


class Receiver:
    """Writes the pieces of an upload to a file, and refuses the one that goes beyond the limit."""

    def __init__(self, file: Path, announced: int | None, max_bytes: int = MOST_BYTES) -> None:
        self.file, self.max_bytes, self.n_bytes = file, max_bytes, 0
        if announced is not None and announced > max_bytes:
            raise TooLarge(_too_large(announced, max_bytes))
        if shutil.disk_usage(file.parent).free < (announced or 0) + SPARE:
            raise TableError("the disk is too full for this file; make room first")
        with naming(file):
            self._open: BinaryIO = file.open("xb")

    def add(self, piece: bytes) -> None:
        """Write one piece."""
        self.n_bytes += len(piece)
        if self.n_bytes > self.max_bytes:
            raise TooLarge(_too_large(self.n_bytes, self.max_bytes))
        with naming(self.file):
            self._open.write(piece)

    def close(self) -> None:
        """Nothing more comes."""
        self._open.close()


def _too_large(n_bytes: int, max_bytes: int) -> str:
    return (
        f"the file has {megabytes(n_bytes)} or more, and the page takes {megabytes(max_bytes)} at most; "
        "use `tamis run` in a terminal for larger ones"
    )


def megabytes(n_bytes: int) -> str:
    """A size for people.

    >>> megabytes(512 * 1024 * 1024), megabytes(2_500), megabytes(900)
    ('512 MB', '2 KB', '1 KB')
    """
    if n_bytes < 1024 * 1024:
        return f"{max(1, n_bytes // 1024):,} KB"
    return f"{n_bytes / 1024 / 1024:,.0f} MB" if n_bytes >= 10 * 1024 * 1024 else f"{n_bytes / 1024 / 1024:.1f} MB"
