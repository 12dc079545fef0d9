"""A forest as one line of text: its file, compressed; no more is unpacked than such a forest can hold."""

from __future__ import annotations

import base64
import io
import zlib
from typing import TYPE_CHECKING, Any

from tamis.errors import DamagedError
from tamis.forest.save import MAGIC, read_forest, read_header, write_to

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


MOST_HEADER = 2**28  # bytes of a packed forest's header: names and levels of its columns
MOST_TREES, MOST_ROWS = 100_000, 2**31  # that a packed forest may be said to have


def packed(forest: BaseEstimator) -> str:
    """The forest's file, compressed, as text."""
    file = io.BytesIO()
    write_to(forest, file)
    return base64.b64encode(zlib.compress(file.getbuffer())).decode("ascii")


def unpacked(kind: Any, text: str, n_columns: int, n_trees: int, n_rows: int) -> Any:
    """The forest of `packed`.

    Parameters
    ----------
    kind : ForestClassifier or ForestRegressor; a forest of the other is refused.
    n_columns, n_trees, n_rows : its columns and trees, and the rows that a tree draws at most: they bound its size.
    """
    source = base64.b64decode(text, validate=True)
    file = io.BufferedReader(_Unpacking(source))
    if file.read(len(MAGIC)) != MAGIC:
        raise DamagedError("it does not begin like a forest")
    header = read_header(file, MOST_HEADER)
    if header["kind"] != kind.__name__:
        raise DamagedError(f"it is no {kind.__name__}")
    return read_forest(kind, header, file, _most_bytes(header, n_columns, n_trees * 2 * n_rows))


def _most_bytes(header: dict[str, Any], n_columns: int, n_nodes: int) -> int:
    """How many bytes the arrays of a forest can have: nodes, leaf tables, sets of levels and what each column has."""
    width = len(header["classes"]["values"]) if "classes" in header else 1
    words = max((len(column_levels) // 64 + 1 for _, column_levels in header["levels"]), default=0)
    return n_nodes * (16 + 4 * width + 4 * words) + 8 * n_columns + MOST_HEADER


class _Unpacking(io.RawIOBase):
    """Compressed bytes as a file: unpacked as they are read."""

    def __init__(self, packed: bytes) -> None:
        self._engine, self._left = zlib.decompressobj(), packed

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        data = self._engine.decompress(self._left, len(room)) if len(room) else b""
        self._left = self._engine.unconsumed_tail
        room[: len(data)] = data
        return len(data)
