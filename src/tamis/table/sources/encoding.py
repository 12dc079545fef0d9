"""How the bytes of a text file spell letters: UTF-8, UTF-16, Windows-1252 or Latin-1."""

import codecs

from tamis.errors import ParameterError, TableError

_BOMS = ((codecs.BOM_UTF8, "utf8"), (codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"))
_BOMS_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def encoding_of(head: bytes, label: str) -> str:
    """The encoding, from a byte order mark, or from what the first bytes can be; bytes that are no text are refused.

    >>> encoding_of("naïve".encode("latin-1"), "it")
    'latin-1'
    """
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name
    if head.startswith(_BOMS_16):
        return "utf-16"
    if b"\0" in head:
        return _without_mark(head, label)
    _refuse_binary(head, label)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
        return "utf8"
    except UnicodeDecodeError:
        return single_byte(head)


def single_byte(head: bytes) -> str:
    """Windows-1252 when its own letters (curly quotes, dashes, the euro) occur, Latin-1 otherwise."""
    if not any(0x80 <= byte <= 0x9F for byte in set(head)):
        return "latin-1"
    try:
        head.decode("cp1252")
        return "cp1252"
    except UnicodeDecodeError:
        return "latin-1"


def known_encoding(name: str) -> str:
    """The encoding the user gave, when Python knows it."""
    try:
        codec = codecs.lookup(name).name
    except (LookupError, TypeError) as error:
        raise ParameterError(f"encoding={name!r} is not known; give for example utf-8, utf-16 or latin-1") from error
    return "utf8" if codec == "utf-8" else codec


def _without_mark(head: bytes, label: str) -> str:
    """UTF-16 without a mark: mostly plain letters, so nearly all zero bytes are at odd (or even) places."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if min(even, odd) * 20 <= max(even, odd) and max(even, odd) * 5 >= len(head):
        return "utf-16-le" if odd > even else "utf-16-be"
    raise _no_text(label)


def _refuse_binary(head: bytes, label: str) -> None:
    controls = sum(head.count(bytes([byte])) for byte in (*range(1, 8), *range(14, 27), 127))
    if head.startswith((b"%PDF", b"\x89PNG", b"\xff\xd8\xff")) or controls * 10 > len(head):
        raise _no_text(label)


def _no_text(label: str) -> TableError:
    return TableError(
        f"{label} holds no text; give a CSV, TSV, Parquet, Feather, JSON lines or Excel file, "
        "or say encoding= when it is text of an uncommon kind"
    )
