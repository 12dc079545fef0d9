"""Where the names of a file's columns are: below title rows, or in two rows that are joined."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tamis.errors import ParameterError, TableError
from tamis.table.inference.missing import SOFT_TOKENS, TOKENS

#: A number, a date or a time, as a cell of a table holds it: digits, with signs, separators and a unit of one sign.
_VALUE = re.compile(r"[^\w\s]{0,2}\s?[0-9][0-9.,:/'\- ]*([eE][+-]?[0-9]+)?\s?[%€$£]?")
_LETTER = re.compile(r"[^\W\d_]")

#: Share of the widest row that a row of names fills, and of a column's values that make it one of numbers.
_FILLED, _NUMBERS = 0.6, 0.8

#: Rows below the names that detection asks for, and names of a title that are quoted.
_BODY, _QUOTED = 3, 40


@dataclass(frozen=True)
class Header:
    """The names of columns, the records that hold them, and what to say of it.

    Attributes
    ----------
    names : one a column.
    end : how many records lie above the first row of values.
    remark : a sentence where names were not simply in the first row; empty otherwise.
    """

    names: tuple[str, ...]
    end: int
    remark: str = ""


def header_given(header: Any) -> tuple[int, ...] | None:
    """The numbers (from 1) of the rows that hold names; none at all for a file without; None where not said.

    >>> header_given(None), header_given(False), header_given(3), header_given("2,3")
    (None, (), (3,), (2, 3))
    """
    if header is None:
        return None
    if isinstance(header, bool):
        return (1,) if header else ()
    listed = header.split(",") if isinstance(header, str) else header if isinstance(header, (list, tuple)) else [header]
    if isinstance(header, str) and header.strip().lower() in ("no", "none", "0"):
        return ()
    try:
        rows = tuple(int(str(row)) for row in listed)
    except ValueError:
        rows = (-1,)
    if rows == (0,):
        return ()
    if not rows or min(rows) < 1 or list(rows) != sorted(set(rows)):
        raise ParameterError(
            f"header={header!r} must be the number of the row with the names (3), two such rows (2,3), or no"
        )
    return rows


def header_of(
    records: Sequence[Sequence[Any]],
    numbers: Sequence[int],
    header_lines: tuple[int, ...] | None,
    *,
    label: str,
    unit: str = "line",
    ragged: bool = False,
) -> Header:
    """Names from the first records of a file.

    Parameters
    ----------
    records : the cells of the first rows that hold anything.
    numbers : the number (from 1) of each in its file; of a record of several lines, the last of them.
    header_lines : the rows with the names, where the user said so.
    unit : what a row of the file is called.
    ragged : whether records have as many cells as were written, so that a short one is no row of the table.
    """
    rows = [[_text(cell) for cell in record] for record in records]
    row_indices = _detected(rows, ragged) if header_lines is None else _header_rows(numbers, header_lines, label, unit)
    width = max((len(row) for row in rows[row_indices[0] :]), default=0)
    names = tuple(_names([[*rows[k], *[""] * (width - len(rows[k]))] for k in row_indices]))
    remark = "" if header_lines is not None else _remark(rows, numbers, row_indices, names, unit)
    return Header(names, row_indices[-1] + 1, remark)


def _text(cell: Any) -> str:
    """A cell in one line."""
    return "" if cell is None else " ".join(str(cell).split())


def _header_rows(numbers: Sequence[int], header_lines: tuple[int, ...], label: str, unit: str) -> list[int]:
    """The records of the rows that the user names."""
    at = {number: index for index, number in enumerate(numbers)}
    for row in header_lines:
        if row not in at:
            last = numbers[-1] if numbers else 0
            raise TableError(
                f"header={','.join(map(str, header_lines))}, but {unit} {row} of {label} holds no names (its "
                f"first {unit}s "
                f"end at {last}); give the number of the {unit} with the names"
            )
    return [at[row] for row in header_lines]


def _detected(rows: list[list[str]], ragged: bool) -> list[int]:
    """The places of the rows with names: the first, unless what stands above and below says otherwise."""
    width = max((_filled(row) for row in rows), default=0)
    lengths = Counter(len(row) for row in rows)
    length, n_alike = lengths.most_common(1)[0]
    short = ragged and n_alike >= 0.8 * len(rows) - 1

    def is_title(row: list[str]) -> bool:
        return _filled(row) < _FILLED * width or (short and len(row) not in (length, length - 1))

    first = next((k for k, row in enumerate(rows) if not is_title(row)), 0)
    if first and (len(rows) < first + 1 + _BODY or not _are_names(rows[first])):
        return [0]
    if first and _is_group(rows[first - 1], len(rows[first])):
        return [first - 1, first]
    if len(rows) > first + 1 + _BODY and _goes_on(rows[first], rows[first + 1], rows[first + 2 :]):
        return [first, first + 1]
    return [first]


def _filled(row: Iterable[str]) -> int:
    return sum(cell != "" for cell in row)


def _is_value(cell: str) -> bool:
    return _VALUE.fullmatch(cell) is not None


def _are_names(row: list[str]) -> bool:
    cells = [cell for cell in row if cell]
    return len(set(cells)) == len(cells) and not any(_is_value(cell) for cell in cells)


def _is_group(row: list[str], width: int) -> bool:
    """Whether cells are headings of several columns each, as merged cells leave them: words with gaps between."""
    at = [j for j, cell in enumerate(row) if cell]
    if len(at) < 2 or not all(_LETTER.search(row[j]) and not _is_value(row[j]) for j in at):
        return False
    return any(b - a > 1 for a, b in pairwise(at)) or at[-1] >= width / 2


def _goes_on(row: list[str], below: list[str], body: list[list[str]]) -> bool:
    """Whether a second row holds names, or units: words in columns that hold numbers from there on."""
    numeric = [j for j in range(len(below)) if _is_numeric([row_below[j] for row_below in body if j < len(row_below)])]
    cells = [below[j] for j in numeric if below[j]]
    if not cells or any(_is_value(cell) or cell in TOKENS or cell in SOFT_TOKENS for cell in cells):
        return False
    gaps = [j for j in range(len(below)) if j >= len(row) or not row[j]]
    fills = bool(gaps) and all(below[j] for j in gaps)
    return _are_names(row) and (fills or (len(cells) > 1 and 2 * len(cells) >= len(numeric)))


def _is_numeric(cells: list[str]) -> bool:
    filled = [cell for cell in cells if cell and cell not in TOKENS and cell not in SOFT_TOKENS]
    return len(filled) >= _BODY and sum(map(_is_value, filled)) >= _NUMBERS * len(filled)


def _names(rows: list[list[str]]) -> list[str]:
    """The names in one or more rows; a heading without a word below it stands alone, any other for what follows it.

    A row that repeats a heading beside itself leaves no heading out: there a gap is a gap.

    >>> _names([["", "Blood", "", ""], ["Age", "Pressure", "Sugar", "Iron"]])
    ['Age', 'Blood Pressure', 'Blood Sugar', 'Blood Iron']
    >>> _names([["", "Blood", "Blood", ""], ["Age", "Pressure", "Sugar", "Sick"]])
    ['Age', 'Blood Pressure', 'Blood Sugar', 'Sick']
    """
    names = list(rows[0])
    for below in rows[1:]:
        heading, joined = "", []
        is_repeated = any(a and a == b for a, b in pairwise(names))
        for name, cell in zip(names, below):
            heading = name if name or is_repeated else heading
            joined.append(f"{heading} {cell}".strip() if cell else name)
            heading = heading if cell else ""
        names = joined
    return [name or f"column {j + 1}" for j, name in enumerate(names)]


def _remark(
    rows: list[list[str]], numbers: Sequence[int], row_indices: list[int], names: tuple[str, ...], unit: str
) -> str:
    if row_indices == [0]:
        return ""
    at = [f"{numbers[index]:,}" for index in row_indices]
    if len(row_indices) > 1:
        remark = f"Names are joined from {unit}s {' and '.join(at)} (for example {names[-1]!r})"
    else:
        remark = f"Names are read from {unit} {at[0]}"
    if row_indices[0]:
        title = next(cell for row in rows for cell in row if cell)
        title_text = title if len(title) <= _QUOTED else f"{title[:_QUOTED]}…"
        remark += f"; what stands above them is a title ({title_text!r})"
    return f"{remark}; give header= if that is wrong."
