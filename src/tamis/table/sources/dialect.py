"""How a text file separates its values: delimiter, quote, names in the first line."""

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tamis.errors import ParameterError, TableError
from tamis.table.sources.header import Header, header_given, header_of

#: Tried in this order; a tie goes to the earlier, because a comma may also be a decimal sign.
DELIMITERS = ("\t", ";", "|", ",", "\x1f", "\x01", "~", "^", ":", "!", " ")
_RECORDS = 200
_ALIKE = 0.95  # share of records of the width of the first from which on its delimiter is believed
_TITLED = 0.6  # the least share of records below a title that are of one width
_SINGLE = re.compile(r"(?:^|[\t;|,])'[^'\n]*'(?=[\t;|,\r\n]|$)", re.MULTILINE)


@dataclass(frozen=True)
class Dialect:
    """What pyarrow.csv must be told.

    Parameters
    ----------
    names : the names of the columns.
    skip : lines above the first row of values, the header included.
    newlines : True when quoted values hold line ends.
    escape : True when a quote inside a value is written with a backslash before it.
    remark : a sentence about names that are not simply in the first line.
    """

    delimiter: str
    quote: str
    names: tuple[str, ...]
    skip: int
    newlines: bool
    escape: bool
    remark: str = ""


def dialect_of(
    head: str,
    label: str,
    *,
    is_complete: bool,
    delimiter: str | None = None,
    quote: str | None = None,
    header: Any = None,
) -> Dialect:
    r"""The dialect of a text, from its first lines; what is given is not guessed.

    >>> dialect_of("a;b\n1,5;2\n", "it", is_complete=True).delimiter
    ';'
    """
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise ParameterError(f"delimiter={delimiter!r} must be one character, for example ',' or ';'")
    if quote is not None and (not isinstance(quote, str) or len(quote) != 1):
        raise ParameterError(f"quote={quote!r} must be one character, for example '\"'")
    text = head if is_complete else _whole_lines(head)
    if not text.strip("\ufeff\r\n\t "):
        raise TableError(f"{label} is empty; give a file with a header and rows")
    mark = quote if quote is not None else _quote(text)
    escape = _escapes(text, mark)
    best = delimiter if delimiter is not None else _delimiter(text, mark, escape)
    records, lines = _records(text, best, mark, escape, _RECORDS)
    header_found = _header(records, lines, header_given(header), label)
    skip = lines[header_found.end - 1] if header_found.end else lines[0] - 1
    newlines = any("\n" in cell or "\r" in cell for record in records[max(1, header_found.end) :] for cell in record)
    return Dialect(best, mark, header_found.names, skip, newlines, escape, header_found.remark)


def _whole_lines(text: str) -> str:
    cut = max(text.rfind("\n"), text.rfind("\r"))
    return text if cut < 0 else text[: cut + 1]


def _quote(text: str) -> str:
    """A single quote when values begin and end with it and no double quote occurs; the double quote otherwise."""
    if '"' in text:
        return '"'
    return "'" if len(_SINGLE.findall(text)) > 1 else '"'


def _escapes(text: str, quote: str) -> bool:
    """True when quotes inside values have a backslash before them, and are not doubled."""
    unescaped = text.replace(f"\\{quote}", "")
    twice = re.escape(quote * 2)
    return len(unescaped) < len(text) and re.search(rf"\w{twice}|{twice}\w", unescaped) is None


def _delimiter(text: str, quote: str, escape: bool) -> str:
    """The delimiter that cuts most records into as many values as the first; then the one that gives more values."""
    first = text.lstrip("\ufeff\r\n").splitlines()[0]
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        if delimiter not in first:
            continue
        records, _ = _records(text, delimiter, quote, escape, 50)
        width = len(records[0])
        rows = records[1:] or records
        alike = sum(len(record) == width for record in rows) / len(rows)
        shifted = sum(len(record) == width + 1 for record in rows) / len(rows)  # row names without a header
        score = (round(max(alike, 0.99 * shifted), 2), min(width, 2))
        if width > 1 and score > best_score:
            best, best_score = delimiter, score
    return best if best_score[0] >= _ALIKE else _delimiter_below(text, quote, escape, best_score[0]) or best


def _delimiter_below(text: str, quote: str, escape: bool, share: float) -> str | None:
    """The delimiter that cuts the records below a title into equally many values; None where it does not do better."""
    best, best_share = None, max(share, _TITLED)
    for delimiter in DELIMITERS:
        records, _ = _records(text, delimiter, quote, escape, 50)
        lengths = [len(record) for record in records]
        width, n_alike = Counter(lengths).most_common(1)[0]
        below = lengths[lengths.index(width) :]
        alike = below.count(width) / len(below)
        if width > 1 and 2 * n_alike > len(lengths) and alike > best_share:
            best, best_share = delimiter, alike
    return best


def record_lengths(lines: Iterable[str], dialect: Dialect, *, strict: bool = False) -> Iterator[tuple[int, int]]:
    """The last line and the number of values of every record below the header."""
    reader = _reader(lines, dialect.delimiter, dialect.quote, dialect.escape, strict=strict)
    for record in reader:
        if record and reader.line_num > dialect.skip:
            yield reader.line_num, len(record)


def _records(
    text: str, delimiter: str, quote: str, escape: bool, max_records: int
) -> tuple[list[list[str]], list[int]]:
    """The first records that are not empty, and the number of lines read after each."""
    reader = _reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter, quote, escape)
    records, lines = [], []
    limit = csv.field_size_limit(len(text) + 1)
    try:
        for record in reader:
            if record:
                records.append(record)
                lines.append(reader.line_num)
            if len(records) == max_records:
                break
    except csv.Error:
        pass  # pyarrow's parser is the judge of the file; this one only guesses
    finally:
        csv.field_size_limit(limit)
    return records or [[text.splitlines()[0]]], lines or [1]


def _reader(lines: Iterable[str], delimiter: str, quote: str, escape: bool, *, strict: bool = False) -> Any:
    return csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=quote,
        doublequote=not escape,
        escapechar="\\" if escape else None,
        strict=strict,
    )


def _header(records: list[list[str]], lines: list[int], header_lines: tuple[int, ...] | None, label: str) -> Header:
    """The names of the columns; of a file without, or whose first line may be values, what to do about it."""
    if header_lines == ():
        return Header(tuple(f"x{j}" for j in range(len(records[0]))), 0)
    header = header_of(records, lines, header_lines, label=label, ragged=True)
    first = [cell.strip() for cell in records[header.end - 1]]
    if header_lines is None and _all_numbers(first) and not _rising(first):
        first_cells = ", ".join(first[:3]) + (", …" if len(first) > 3 else "")
        raise TableError(
            f"the first line of {label} holds numbers only ({first_cells}); give header=False when the file has "
            "no names, "
            "header=True when these are the names"
        )
    body = records[header.end :]
    names = header.names[: len(first)]
    if body and all(len(record) == len(first) + 1 for record in body):
        names = ("row names", *names)  # as R's write.table does
    refuse_duplicates(names)
    return replace(header, names=names)


def refuse_duplicates(names: Iterable[str]) -> None:
    """Two columns of one name cannot be told apart."""
    distinct: set[str] = set()
    for name in names:
        if name in distinct:
            raise TableError(f"the column name {name!r} appears more than once; give every column a name of its own")
        distinct.add(name)


def _all_numbers(cells: list[str]) -> bool:
    return all(_is_number(cell) for cell in cells)


def _rising(cells: list[str]) -> bool:
    """Names may be numbers (wavelengths, hours) when they rise from left to right."""
    return len(cells) > 2 and all(float(a) < float(b) for a, b in itertools.pairwise(cells))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
