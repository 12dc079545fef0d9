"""What an uploaded file is: by its name and by its first bytes, which must agree."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath, PureWindowsPath

from tamis.errors import TableError

#: What may be uploaded: the ending of a name, and what its content must then be.
ENDINGS = {
    ".csv": "text",
    ".tsv": "text",
    ".tab": "text",
    ".txt": "text",
    ".dat": "text",
    ".data": "text",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".parquet": "parquet",
}

_TAKEN = "drop a CSV, an Excel workbook (.xlsx) or a Parquet file"

_FIRST = {
    b"PAR1": "parquet",
    b"PK\x03\x04": "excel",
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the old kind (.xls), or another old Office file",
    b"\x1f\x8b": "a packed file (gzip)",
    b"BZh": "a packed file (bzip2)",
    b"\x28\xb5\x2f\xfd": "a packed file (zstandard)",
    b"\xfd7zXZ": "a packed file (xz)",
    b"7z\xbc\xaf": "a packed file (7z)",
    b"SQLite format 3": "an SQLite database",
    b"%PDF": "a PDF",
    b"{\\rtf": "a text document (RTF)",
    b"ARROW1": "a Feather file",
}
_PAGE = re.compile(rb"\s*<(!doctype|html|\?xml|svg|script)", re.IGNORECASE)
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")  # of UTF-16 and UTF-8

#: Control characters that no table has.
_BINARY = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")

#: Bytes of the first look.
LOOK = 65_536


def shown_name(name: str) -> str:
    """The name of an upload for people: its last part alone, without control characters, not too long.

    >>> shown_name("../../etc/passwd"), shown_name("C:\\\\temp\\\\a\\x00b.csv")
    ('passwd', 'ab.csv')
    """
    last = PureWindowsPath(PurePosixPath(name).name).name
    printable = "".join(letter for letter in last if letter.isprintable()).strip(". ")
    return printable[-120:] or "table"


def format_of(file: Path, name: str) -> str:
    """ "text", "excel" or "parquet"; anything else is refused with what it is."""
    ending = Path(name).suffix.lower()
    if ending not in ENDINGS:
        what = f"files ending in {ending}" if ending else "files without an ending"
        raise TableError(f"{name!r}: {what} are not taken; {_TAKEN}")
    with file.open("rb") as open_file:
        start = open_file.read(LOOK)
    if not start.strip():
        raise TableError(f"{name!r} is empty; {_TAKEN}")
    content = _content(start)
    if content not in ("text", "excel", "parquet"):
        raise TableError(f"{name!r} is {content}; {_TAKEN}")
    if content != ENDINGS[ending]:
        words = {"text": "text", "excel": "an Excel workbook or another zip file", "parquet": "a Parquet file"}
        raise TableError(f"{name!r} is {words[content]}, whatever its name says; {_TAKEN}")
    return content


def _content(start: bytes) -> str:
    for first, what in _FIRST.items():
        if start.startswith(first):
            return what
    if _PAGE.match(start):
        return "a web page or an XML file"
    if not start.startswith(_MARKS[:2]) and _BINARY.search(start):
        return "no text"
    return "text"
