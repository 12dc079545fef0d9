"""Reading CSV, TSV and their relatives: the encoding, a first look at some rows, then everything with pyarrow.csv."""

import codecs
import contextlib
import csv as python_csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from tamis.errors import ParameterError, TableError, cause
from tamis.table.inference.missing import SOFT_TOKENS
from tamis.table.sources.dialect import Dialect, dialect_of, record_lengths
from tamis.table.sources.file import File, arrow_buffer

_HEAD = 1 << 20  # bytes of the first look
_BITS = 8  # further places in a long file that are looked at
_BIT = 1 << 15
_TRIES = 4  # columns that may turn out to be other than they looked, before all are read as texts
_WIDE = 1_000  # columns from which on types are presumed from the first row
_FRACTION = re.compile(r"[+-]?[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")
_WORDS = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True)
class _Plan:
    """How to read the whole file."""

    dialect: Dialect
    encoding: str
    types: dict[str, pa.DataType]
    block: int


def read_text(
    file: File,
    tokens: tuple[str, ...],
    as_text: set[str],
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: Any = None,
) -> tuple[pa.Table, Dialect, Callable[[list[str]], pa.Table]]:
    """The columns of a text file (texts, or numbers and dates where the text cannot matter) and its dialect.

    The third part reads some columns once more, as texts.

    Numbers with a decimal point and ISO dates are read as such, since no other reading of their text exists; whole
    numbers stay texts, for they may be codes with leading zeros. `as_text` names columns to leave as texts.
    """
    head, is_complete = _look(file)
    plan = _first_plan(file, head, is_complete, delimiter, quote, encoding, header)
    every, dialect = plan.types, plan.dialect
    plan = replace(plan, types={**every, **_guess(file, head, is_complete, plan, tokens)})
    plan.types.update(dict.fromkeys(as_text & set(every), pa.string()))
    table, plan = _read(file, head, plan, tokens)

    def texts(names: list[str]) -> pa.Table:
        only = replace(plan, types=_texts(plan))
        return file.guard(lambda: _parse(file.open(), only, tokens, columns=names))

    return table, dialect, texts


def text_batches(
    file: File,
    tokens: tuple[str, ...],
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header: Any = None,
) -> Iterator[pa.RecordBatch]:
    """The rows of a text file in batches, every column as texts; one batch without rows of a file that has none."""
    head, is_complete = _look(file)
    plan = _first_plan(file, head, is_complete, delimiter, quote, encoding, header)
    if plan.dialect.quote.encode() in head:
        plan = replace(plan, dialect=replace(plan.dialect, newlines=True))
    try:
        reader = file.guard(lambda: csv.open_csv(file.open(), **_options(plan, tokens, plan.types)))
        some = False
        while (batch := file.guard(lambda: next(reader, None))) is not None:
            some = True
            yield batch
        if not some:
            yield pa.RecordBatch.from_pylist([], schema=pa.schema(list(plan.types.items())))
        _refuse_open_quote(plan, file)
    except pa.ArrowInvalid as error:
        _mended(plan, str(error), head, file)  # says what is wrong, or offers a plan that differs in types alone
        raise _ragged(plan, str(error), file) from error
    except UnicodeError as error:
        raise TableError(
            f"{file.label} is not {plan.encoding} text throughout ({cause(error)}); give its encoding="
        ) from error


def _first_plan(
    file: File,
    head: bytes,
    is_complete: bool,
    delimiter: str | None,
    quote: str | None,
    encoding: str | None,
    header: Any,
) -> _Plan:
    """A plan that reads every column as texts."""
    codec = known_encoding(encoding) if encoding is not None else encoding_of(head, file.label)
    dialect = dialect_of(
        _decoded(head, codec, file.label),
        file.label,
        is_complete=is_complete,
        delimiter=delimiter,
        quote=quote,
        header=header,
    )
    longest = max((len(line) for line in head.split(b"\n")), default=0)
    return _Plan(dialect, codec, dict.fromkeys(dialect.names, pa.string()), max(_HEAD, 8 * longest))


def _look(file: File) -> tuple[bytes, bool]:
    """The first bytes, with at least some lines, and whether that is all there is."""
    n_bytes = _HEAD
    while True:
        head = file.head(n_bytes)
        if len(head) < n_bytes:
            return head, True
        if head.count(b"\n") + head.count(b"\r") > 5 or n_bytes >= 1 << 28:
            return head, False
        n_bytes *= 4


def _decoded(head: bytes, encoding: str, label: str) -> str:
    try:
        return codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError as error:
        raise TableError(
            f"{label} is not {encoding} text (byte {error.start:,}: {error.reason}); give its encoding=, "
            "for example encoding='latin-1'"
        ) from error


def _guess(file: File, head: bytes, is_complete: bool, plan: _Plan, tokens: tuple[str, ...]) -> dict[str, pa.DataType]:
    """Types that save reading as text, from what pyarrow makes of the first rows and of some further down."""
    lines = _sample(file, head, is_complete, plan)
    presumed = _presumed(lines, plan)
    sample = _typed(lines, plan, tokens, presumed)
    if sample is None and presumed:
        sample = _typed(lines, plan, tokens, {})
    if sample is None:
        return {}
    types = {}
    for name, column in zip(sample.column_names, sample.columns):
        kind = column.type
        if pa.types.is_float64(kind):
            types[name] = kind
        elif pa.types.is_timestamp(kind) or pa.types.is_date(kind):
            types[name] = pa.timestamp("us", tz=getattr(kind, "tz", None))
        elif pa.types.is_boolean(kind) or (pa.types.is_string(kind) and _repeats(column)):
            types[name] = _WORDS
    return types


def _typed(lines: bytes, plan: _Plan, tokens: tuple[str, ...], types: dict[str, pa.DataType]) -> pa.Table | None:
    """Some lines, their columns of the given types, or else of the type pyarrow finds; None where they are not so."""
    try:
        return _parse(pa.BufferReader(arrow_buffer(lines)), plan, tokens, types=types, skip=0)
    except (pa.ArrowInvalid, UnicodeError):
        return None


def _presumed(lines: bytes, plan: _Plan) -> dict[str, pa.DataType]:
    """Columns of a wide table that begin with a decimal fraction: pyarrow tries seven types before it finds theirs.

    With 100,000 columns that takes 5 times as long as reading them.
    """
    names, dialect = plan.dialect.names, plan.dialect
    cells = lines.split(b"\n", 1)[0].decode(plan.encoding, "replace").rstrip("\r").split(dialect.delimiter)
    if len(names) < _WIDE or len(cells) != len(names):
        return {}
    return {name: pa.float64() for name, cell in zip(names, cells) if _FRACTION.fullmatch(cell)}


def _repeats(column: pa.ChunkedArray) -> bool:
    return pc.count_distinct(column).as_py() * 2 <= len(column)


def _sample(file: File, head: bytes, is_complete: bool, plan: _Plan) -> bytes:
    """Whole lines below the header from the start and, of a plain UTF-8 file, from places spread over it."""
    lines = head if is_complete else head[: head.rfind(b"\n") + 1] or head
    size = file.size
    pieces = [b"".join(lines.splitlines(keepends=True)[plan.dialect.skip :])]
    if is_complete or size is None or plan.encoding != "utf8" or plan.dialect.newlines or size < 2 * len(head):
        return pieces[0]
    with file.open() as stream:
        for index in range(1, _BITS + 1):
            stream.seek((size - len(head)) * index // _BITS + len(head) - max(_BIT, plan.block // 8))
            bit = stream.read(max(_BIT, plan.block // 8))
            pieces.append(bit[bit.find(b"\n") + 1 : bit.rfind(b"\n") + 1])
    return b"".join(pieces)


def _read(file: File, head: bytes, plan: _Plan, tokens: tuple[str, ...]) -> tuple[pa.Table, _Plan]:
    """The whole file and the plan that read it; where a plan turns out wrong it is mended and the file read again."""
    for _ in range(_TRIES + 4):
        try:
            table = file.guard(lambda plan=plan: _parse(file.open(), plan, tokens))
            _refuse_open_quote(plan, file)
            return table, plan
        except pa.ArrowInvalid as error:
            plan = _mended(plan, str(error), head, file)
        except UnicodeError as error:
            raise TableError(
                f"{file.label} is not {plan.encoding} text throughout{_at(error)}; give its encoding="
            ) from error
    plan = replace(plan, types=_texts(plan))
    return file.guard(lambda: _parse(file.open(), plan, tokens)), plan


def _at(error: UnicodeError) -> str:
    return f" ({error.reason})" if isinstance(error, UnicodeDecodeError) else ""


def _parse(
    stream: Any,
    plan: _Plan,
    tokens: tuple[str, ...],
    *,
    types: dict[str, pa.DataType] | None = None,
    skip: int | None = None,
    columns: list[str] | None = None,
) -> pa.Table:
    return csv.read_csv(stream, **_options(plan, tokens, plan.types if types is None else types, skip, columns))


def _options(
    plan: _Plan,
    tokens: tuple[str, ...],
    types: dict[str, pa.DataType],
    skip: int | None = None,
    columns: list[str] | None = None,
) -> dict[str, Any]:
    dialect = plan.dialect
    return {
        "read_options": csv.ReadOptions(
            column_names=list(dialect.names),
            skip_rows=dialect.skip if skip is None else skip,
            encoding=plan.encoding,
            block_size=plan.block,
        ),
        "parse_options": csv.ParseOptions(
            delimiter=dialect.delimiter,
            quote_char=dialect.quote,
            double_quote=not dialect.escape,
            escape_char="\\" if dialect.escape else False,
            newlines_in_values=dialect.newlines,
            ignore_empty_lines=len(dialect.names) > 1,
        ),
        "convert_options": csv.ConvertOptions(
            column_types=types,
            null_values=[*tokens, *SOFT_TOKENS],
            strings_can_be_null=False,
            include_columns=columns,
        ),
    }


def _texts(plan: _Plan) -> dict[str, pa.DataType]:
    return dict.fromkeys(plan.dialect.names, pa.string())


def _mended(plan: _Plan, message: str, head: bytes, file: File) -> _Plan:
    """The plan that avoids the failure, or the sentence for a file that cannot be read."""
    if message.startswith(("Empty CSV", "Could not skip initial")):
        raise TableError(f"{file.label} has names but no rows; give at least one row")
    if "invalid UTF8" in message and plan.encoding == "utf8":
        return replace(plan, encoding=single_byte(head))
    column = re.search(r"In CSV column #(\d+)", message)
    if column is not None:
        name = plan.dialect.names[int(column.group(1))]
        if plan.types[name] != pa.string():
            return replace(plan, types={**plan.types, name: pa.string()})
    elif not plan.dialect.newlines and plan.dialect.quote.encode() in head:
        return replace(plan, dialect=replace(plan.dialect, newlines=True))
    elif "straddl" in message and plan.block < 1 << 28:
        return replace(plan, block=plan.block * 8)
    _refuse_open_quote(plan, file)
    raise _ragged(plan, message, file)


def _refuse_open_quote(plan: _Plan, file: File) -> None:
    """A quote that never closes swallows all the rows below it without an error."""
    if not plan.dialect.newlines or plan.dialect.escape:
        return
    n, last = 0, plan.dialect.skip
    with file.open() as stream:
        while block := stream.read(1 << 22):
            n += block.count(plan.dialect.quote.encode())
    if n % 2 == 0:
        return
    try:
        with file.open() as stream:
            lines = io.TextIOWrapper(stream, encoding=plan.encoding, errors="replace", newline="")
            for line, _ in record_lengths(lines, plan.dialect, strict=True):
                last = line
    except python_csv.Error as error:
        if "unexpected end" in str(error):  # other complaints are about quotes inside values, which pyarrow allows
            raise TableError(
                f"a quote opened in line {last + 1:,} of {file.label} is never closed; close it"
            ) from error


def _ragged(plan: _Plan, message: str, file: File) -> TableError:
    """The sentence for a line with too many or too few values: Python's parser counts lines, pyarrow's does not."""
    n_columns = len(plan.dialect.names)
    with file.open() as stream:
        lines = io.TextIOWrapper(stream, encoding=plan.encoding, errors="replace", newline="")
        with contextlib.suppress(python_csv.Error):
            for line, got in record_lengths(lines, plan.dialect):
                if got != n_columns:
                    return TableError(
                        f"line {line:,} of {file.label} has {got:,} value{'' if got == 1 else 's'}, but there are "
                        f"{n_columns:,} columns; mend the line, or give delimiter= if it is not "
                        f"{plan.dialect.delimiter!r}"
                    )
    return TableError(f"{file.label} does not read as a table: {message.splitlines()[0]}")


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
