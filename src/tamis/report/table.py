"""A table to show: heads and cells of text, and its many rows packed small."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

#: Rows written as HTML; the rest of a longer table travels packed and is shown by the script on demand.
FIRST_ROWS = 20

#: What must be escaped inside a script: "<", the separators that end a line, and halves of a character.
_ESCAPED = re.compile("[<\u2028\u2029\ud800-\udfff]")

_NUMBER = re.compile(r"\d[\d,.]*")


@dataclass(frozen=True)
class Head:
    """The head of a column: its text, whether it sorts by number, whether shares are drawn as bars, what it means."""

    text: str
    number: bool = False
    bar: bool = False
    title: str = ""


@dataclass(frozen=True)
class Cell:
    """Text; what it sorts by where that is not the text; whether it is a user's name; a class of style; a badge."""

    text: str
    sort: Any = None
    name: bool = False
    css: str = ""
    badge: str = ""


@dataclass(frozen=True)
class ReportTable:
    """An id in the page, a caption, heads, and rows of cells."""

    id: str
    caption: str
    heads: tuple[Head, ...]
    rows: Sequence[Sequence[Cell]]

    @property
    def first(self) -> Sequence[Sequence[Cell]]:
        """The rows that are written as HTML."""
        return self.rows[:FIRST_ROWS]

    def without_empty(self) -> ReportTable:
        """The same table without the columns that say nothing in any row."""
        filled = [i for i in range(len(self.heads)) if any(row[i].text for row in self.rows)]
        heads = tuple(self.heads[i] for i in filled)
        return ReportTable(self.id, self.caption, heads, [[row[i] for i in filled] for row in self.rows])

    @property
    def is_long(self) -> bool:
        """True when some rows travel packed."""
        return len(self.rows) > FIRST_ROWS


def cell(text: str, sort: Any = None, *, name: bool = False, css: str = "", badge: str = "") -> Cell:
    """A cell of a table."""
    return Cell(text, sort, name, css, badge)


def bar_share(text: str) -> float | None:
    """The length of a bar from 0 to 1 for a share as it is written; None where there is none.

    >>> bar_share("62.5%"), bar_share("0.3"), bar_share("<0.1%"), bar_share("")
    (0.625, 0.3, 0.0, None)
    """
    match = _NUMBER.search(text)
    if match is None:
        return None
    if text.startswith("<"):
        return 0.0
    return min(float(match.group().replace(",", "")) / (100 if text.endswith("%") else 1), 1.0)


def tables(facts: Any) -> list[ReportTable]:
    """Every table among facts, however deep."""
    if isinstance(facts, ReportTable):
        return [facts]
    inner = facts.values() if isinstance(facts, dict) else facts if isinstance(facts, (list, tuple)) else ()
    return [table for value in inner for table in tables(value)]


def packed(table: ReportTable, max_bytes: int) -> dict[str, Any]:
    """The rows of a long table for the script, in at most `max_bytes` bytes of JSON.

    Texts repeat: each is kept once, its numbers taken out ("all # values are numbers"), and a cell is the place of
    its text, followed by the numbers. Names rarely repeat and are kept as they are. Rows that do not fit are left out
    from the end and counted.

    >>> table = ReportTable("t", "", (Head("n"), Head("r")), [[cell("a", name=True), cell("all 3 fit")]])
    >>> packed(table, 1000)
    {'texts': ['all # fit'], 'rows': [['a', [0, '3']]], 'left': 0}
    """
    texts: dict[str, int] = {}
    rows: list[list[Any]] = []
    spent = 100  # the frame around the rows
    for row in table.rows:
        n_known = len(texts)
        line = [_packed_cell(cell_facts, texts) for cell_facts in row]
        spent += _size(line) + sum(_size(text) for text in islice(reversed(texts), len(texts) - n_known))
        if spent > max_bytes:
            break
        rows.append(line)
    return {"texts": list(texts), "rows": rows, "left": len(table.rows) - len(rows)}


def as_json(facts: Any) -> str:
    """JSON that may stand inside a script element: no character of it can end the element or start a comment.

    >>> as_json({"name": "</script>"})
    '{"name":"\\\\u003c/script>"}'
    """
    text = json.dumps(facts, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def compressed(text: str) -> str:
    """Text as base64 of gzip, a fifth of its size for the rows of a long table; the browser unpacks it.

    >>> compressed("a")[:6]
    'H4sIAA'
    """
    return base64.b64encode(gzip.compress(text.encode("utf-8", "surrogatepass"), 6, mtime=0)).decode("ascii")


def _size(facts: Any) -> int:
    return len(as_json(facts).encode("utf-8", "surrogatepass")) + 1  # and a comma


def _packed_cell(cell_facts: Cell, texts: dict[str, int]) -> Any:
    text = cell_facts.text if cell_facts.name else _packed_text(cell_facts.text, texts)
    besides = {"sort": cell_facts.sort, "css": cell_facts.css, "badge": cell_facts.badge}
    extras = {key: value for key, value in besides.items() if value not in (None, "")}
    return {"text": text, **extras} if extras else text


def _packed_text(text: str, texts: dict[str, int]) -> Any:
    numbers = [] if "#" in text else _NUMBER.findall(text)
    index = texts.setdefault(_NUMBER.sub("#", text) if numbers else text, len(texts))
    return [index, *numbers] if numbers else index
