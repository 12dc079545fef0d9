"""Excel workbooks, read and nothing else: bombs are refused, macros and links are said and left alone."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tamis.errors import TableError, TamisError

#: A workbook unpacks to at most so many bytes, and to at most so many times its size once it is large.
MOST_UNPACKED, MOST_RATIO, LARGE = 1024 * 1024 * 1024, 100, 32 * 1024 * 1024

#: Files in a workbook.
MOST_PARTS = 5_000

#: Where an XML file would declare what blows it up: before its first element.
_DECLARED = re.compile(rb"<!(DOCTYPE|ENTITY)", re.IGNORECASE)
_PROLOG = 65_536

#: What may stand before the first element, and that element.
_ASIDE = re.compile(rb"<!--.*?-->|<\?.*?\?>", re.DOTALL)
_ELEMENT = re.compile(rb"<[A-Za-z_:]")


def remarks_on(file: Path) -> list[str]:
    """What a workbook holds besides cells, a sentence each; one that cannot be read safely is refused."""
    try:
        with zipfile.ZipFile(file) as book:
            entries = book.infolist()
            _refuse_bomb(entries, file.stat().st_size)
            for entry in entries:
                _refuse_declarations(book, entry)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError("this is no sound Excel workbook; save it again as .xlsx") from error
    names = [entry.filename.lower() for entry in entries]
    return _remarks(names)


def sheets_of(file: Path) -> list[str]:
    """The names of the sheets that hold cells."""
    from tamis.table.sources.excel import sheet_names
    from tamis.table.sources.file import File

    with _soundly():
        return sheet_names(File(file))


def table_of_sheet(file: Path, sheet: str, header: Any = None) -> tuple[Any, tuple[str, ...]]:
    """The Arrow table of one sheet, and what to know of its reading."""
    from tamis.table.sources.excel import read_excel
    from tamis.table.sources.file import File

    with _soundly():
        return read_excel(File(file), sheet, header)


@contextmanager
def _soundly() -> Iterator[None]:
    """A workbook can be damaged in any way; the reader then raises anything."""
    try:
        yield
    except TamisError:
        raise
    except Exception as error:
        raise TableError("this is no sound Excel workbook; save it again as .xlsx") from error


def _remarks(names: list[str]) -> list[str]:
    remarks = []
    if any(name.endswith("vbaproject.bin") for name in names):
        remarks.append("The workbook holds macros. They were not run; only cells are read.")
    if any(name.startswith("xl/externallinks/") for name in names):
        remarks.append("The workbook links to other files. They were not opened; the values saved last are read.")
    if any(name.startswith(("xl/connections", "xl/querytables/")) for name in names):
        remarks.append("The workbook holds connections to data elsewhere. They were not followed.")
    if any(name.startswith(("xl/embeddings/", "xl/activex/")) for name in names):
        remarks.append("The workbook holds embedded objects. They were not opened.")
    return remarks


def _refuse_bomb(entries: list[zipfile.ZipInfo], n_bytes: int) -> None:
    """Sizes that a zip file declares bound what is read of it: Python stops there."""
    if len(entries) > MOST_PARTS:
        raise TableError(f"the workbook has {len(entries):,} parts, more than {MOST_PARTS:,}; save the sheet as CSV")
    if len({entry.filename for entry in entries}) < len(entries):
        raise TableError("the workbook holds a part twice; save it again as .xlsx")
    if any(entry.flag_bits & 1 for entry in entries):
        raise TableError("the workbook is locked by a password; save it without one")
    unpacked = sum(entry.file_size for entry in entries)
    if unpacked > MOST_UNPACKED or (unpacked > LARGE and unpacked > MOST_RATIO * n_bytes):
        raise TableError(
            f"the workbook would unpack to {unpacked / 1e6:,.0f} MB, {unpacked / max(1, n_bytes):,.0f} times its size; "
            "it is refused, as a file made to fill the memory would be: save the sheet as CSV"
        )


def _refuse_declarations(book: zipfile.ZipFile, entry: zipfile.ZipInfo) -> None:
    """Refuse an XML part, whatever its name, that declares entities or begins with more than programs write."""
    with book.open(entry) as stream:
        start = stream.read(_PROLOG).replace(b"\x00", b"")  # of UTF-16, too
    bare = _ASIDE.sub(b"", start.lstrip(b"\xef\xbb\xbf\xff\xfe")).lstrip()
    if not bare.startswith(b"<"):
        if start.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<"):
            raise TableError("the workbook has a part without an element at its start; it is refused: save it again")
        return
    if _DECLARED.search(start) or not _ELEMENT.match(bare):
        raise TableError("the workbook declares entities, or may, which no spreadsheet program writes; it is refused")
