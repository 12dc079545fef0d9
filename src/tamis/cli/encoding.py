"""Output that never fails for its encoding: words are transliterated, data are written as UTF-8."""

import codecs
import io
import json
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

#: The name of the error handler that streams of the command get.
TRANSLITERATE = "tamis.transliterate"

#: What stands for characters that a screen lacks, besides letters without their accents.
_ASCII = {
    **dict.fromkeys("‐‑‒–—―−─━┄┈╌═", "-"),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("╭╮╯╰┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬", "+"),
    **dict.fromkeys("‘’‚", "'"),
    **dict.fromkeys("“”„«»", '"'),
    **{"…": "...", "×": "x", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "±": "+/-", "·": ".", "•": "*"},
    **{"→": "->", "←": "<-", "€": "EUR", "£": "GBP", "µ": "u", "°": " deg", "²": "^2", "³": "^3"},
    **{"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"},
}


def transliterate(text: str) -> str:
    r"""A text in ASCII: letters without accents, signs by those that look or read alike, others as escapes.

    >>> transliterate("Größe ≥ 3 – naïve \u4e2d")
    'Grosse >= 3 - naive \\u4e2d'
    """
    return "".join(_replacement(letter) for letter in text)


def _replacement(letter: str) -> str:
    if letter.isascii():
        return letter
    plain = _ASCII.get(letter) or unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return plain or letter.encode("ascii", "backslashreplace").decode()


def _handler(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return transliterate(error.object[error.start : error.end]), error.end


def tolerant_streams() -> None:
    """Let the standard output and the standard error write every character in some way."""
    codecs.register_error(TRANSLITERATE, _handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=TRANSLITERATE)


def echo_json(value: Any, indent: int | None = None) -> None:
    """Print JSON; characters that the screen lacks are written as JSON's own escapes."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    typer.echo(text if _is_encodable(text) else json.dumps(value, indent=indent))


def echo_data(text: str) -> None:
    """Print a file's content as it is; in UTF-8 where the encoding of the screen lacks a character."""
    if _is_encodable(text) or not isinstance(sys.stdout, io.TextIOWrapper):
        typer.echo(text, nl=False)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    sys.stdout.buffer.flush()


@contextmanager
def data_stream() -> Iterator[Any]:
    """A stream for data that come part by part: the standard output, in UTF-8 whatever its encoding."""
    if not isinstance(sys.stdout, io.TextIOWrapper) or codecs.lookup(sys.stdout.encoding).name == "utf-8":
        yield sys.stdout
        return
    sys.stdout.flush()
    stream = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", errors="surrogatepass", newline="")
    try:
        yield stream
    finally:
        stream.flush()
        stream.detach()


def _is_encodable(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
