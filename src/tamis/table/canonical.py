"""Every cell as 64 bits, before kinds are decided: a number, else a date, else trimmed text, else missing.

The same value gives the same bits whatever source it comes from: 1, 1.0 and the text "1"; True and "true"; a date and
its ISO text. Nothing depends on the cells of other rows. `digest` is the fingerprint of a table's content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.engine.hash import mix, text_hash
from tamis.engine.hash import number_bits as bits_of_numbers
from tamis.table.column import MISSING, UNSEEN, Column
from tamis.table.inference.amounts import clock_hours, clock_span_days, could_be_amounts, hours_of_times
from tamis.table.inference.dates import could_be_dates, days_of_times, iso_days
from tamis.table.inference.declared_types import texts_of
from tamis.table.inference.distinct_texts import DistinctTexts
from tamis.table.inference.kinds import Rules, floats_of, too_long
from tamis.table.inference.missing import SOFT_TOKENS, token_set
from tamis.table.inference.parse_numbers import CODE, DECIMAL_COMMA, NUMBER, grouped_codes, unspaced
from tamis.table.inference.quantity import numbers_rows
from tamis.table.inference.text_words import PROBE, is_prose
from tamis.table.inference.word_columns import names_rows

_BLOCK = 1 << 22  # bytes of text that are hashed at once
_MILLISECONDS = 86_400_000  # of a day
_CLOCK_START, _SPAN_START = "^[0-9]{1,2}:[0-9]{2}", "^-?[0-9]+ day"
_ISO_START = "^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
_TRUE, _FALSE = ("True", "TRUE"), ("False", "FALSE")


@dataclass(frozen=True, eq=False)
class Canonical:
    """A column in canonical form.

    Attributes
    ----------
    bits : one 64-bit word a row; equal values have equal bits.
    names_rows : True when the column tells rows apart rather than describes them: a count of rows, or texts that
        hardly repeat. Two rows that differ in nothing else are the same case.
    """

    bits: np.ndarray
    names_rows: bool = False


def canonical(name: str, array: pa.ChunkedArray, rules: Rules) -> Canonical:
    """The canonical form of a column as it came from its source."""
    type = array.type
    if pa.types.is_null(type):
        return Canonical(np.full(len(array), MISSING_BITS))
    if pa.types.is_boolean(type):
        return Canonical(_boolean_bits(floats_of(pc.cast(array, pa.uint8()))))
    if pa.types.is_integer(type) and too_long(array):
        return _of_texts(name, DistinctTexts.of(pc.cast(array, pa.string())), rules)
    if pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_decimal(type):
        return canonical_numbers(name, floats_of(array))
    if pa.types.is_duration(type):
        return canonical_numbers(name, floats_of(pc.cast(array.cast(pa.duration("us")), pa.int64())) / 86_400e6)
    if pa.types.is_time(type):
        return Canonical(_clock_bits(hours_of_times(array)))
    if pa.types.is_temporal(type):
        return Canonical(_date_bits(days_of_times(array)))
    return _of_texts(name, DistinctTexts.of(_texts(array)), rules)


def canonical_numbers(name: str, values: np.ndarray) -> Canonical:
    """The canonical form of a column of numbers, NaN for missing."""
    return Canonical(number_bits(values), numbers_rows(name, values))


def canonical_column(column: Column) -> Canonical:
    """The canonical form of a column whose kind is known already."""
    levels = column.levels
    if column.kind == "date":
        return Canonical(_date_bits(column.values))
    if column.kind == "boolean" and levels is None:
        return Canonical(_boolean_bits(column.values))
    if levels is None:
        return canonical_numbers(column.name, column.values)
    words = pa.array([None if level is None else str(level) for level in levels], pa.string())
    bits = np.append(text_bits(words, Rules()), [UNSEEN_BITS, MISSING_BITS])
    codes = column.values
    if not column.is_categorical:
        codes = np.where(np.isnan(codes), MISSING, codes).astype(np.int64)
    level_counts = np.bincount(codes[codes > UNSEEN] + 1, minlength=1)[1:]
    return Canonical(
        bits[codes], column.is_categorical and names_rows(int(np.count_nonzero(level_counts)), int(level_counts.sum()))
    )


def sparse_sums(matrix: Any, names: Sequence[str], columns: Sequence[int]) -> np.ndarray:
    """The sum over some columns of mix(bits of the cell + hash of the name), for every row of a sparse matrix."""
    block = matrix.tocsc()[:, list(columns)].tocsr()
    block.sum_duplicates()
    words = np.array([text_hash(names[j]) for j in columns], dtype=np.uint64)
    is_boolean = block.dtype.kind == "b"
    bits = _boolean_bits(block.data.astype(np.float64)) if is_boolean else number_bits(block.data)
    zero = _boolean_bits(np.zeros(1))[0] if is_boolean else np.uint64(0)
    empty = mix(words + zero)
    out = np.full(block.shape[0], empty.sum(dtype=np.uint64))
    if len(bits):
        change = mix(bits + words[block.indices]) - empty[block.indices]
        filled = np.flatnonzero(np.diff(block.indptr))
        out[filled] += np.add.reduceat(change, block.indptr[filled])
    return out


MISSING_BITS, UNSEEN_BITS = text_hash("\x00missing"), text_hash("\x00unseen")
_DATE, _CLOCK, _LENGTH, _BYTE = (
    text_hash("\x00date"),
    text_hash("\x00clock"),
    text_hash("\x00length"),
    text_hash("\x00byte"),
)


def number_bits(values: np.ndarray) -> np.ndarray:
    """The bits of float64 numbers; one zero, one missing value."""
    return bits_of_numbers(values, MISSING_BITS)


def text_bits(texts: pa.Array, rules: Rules) -> np.ndarray:
    """The bits of each text: of the number or ISO date it spells, of missing, or of the trimmed text itself."""
    return _text_bits(texts, rules)[0]


def _text_bits(texts: pa.Array, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """The bits of each text, and a mask of those that spell no number."""
    texts = pc.utf8_trim_whitespace(texts)
    tokens = token_set([*rules.tokens, *SOFT_TOKENS], texts.type)
    bits, is_other = np.full(len(texts), MISSING_BITS), np.zeros(len(texts), dtype=bool)
    present_rows = np.flatnonzero(
        ~pc.or_(pc.is_in(texts, value_set=tokens), pc.is_null(texts)).to_numpy(zero_copy_only=False)
    )
    present = texts if len(present_rows) == len(texts) else texts.take(pa.array(present_rows))
    present_bits, unread = _number_bits_of(present, "," in (rules.decimal, rules.doubt))
    if len(unread):
        present_bits[unread] = _other_bits(present.take(pa.array(unread)))
    bits[present_rows] = present_bits
    is_other[present_rows[unread]] = True
    return bits, is_other


def _number_bits_of(texts: pa.Array, decimal_comma: bool) -> tuple[np.ndarray, np.ndarray]:
    """The bits of texts that spell a number, and the places of those that do not; digits of a code spell none."""
    codes = _matches(texts, CODE)
    values = _cast(texts) if not codes.any() else None
    if values is not None:
        return number_bits(values), np.empty(0, dtype=np.int64)
    texts = unspaced(texts)
    bits, spelt = np.zeros(len(texts), dtype=np.uint64), ~codes & _matches(texts, NUMBER)
    bits[spelt] = number_bits(pc.cast(texts.filter(pa.array(spelt)), pa.float64()).to_numpy(zero_copy_only=False))
    if decimal_comma:
        comma = ~codes & ~spelt & _matches(texts, DECIMAL_COMMA)
        plain = pc.replace_substring(pc.replace_substring(texts.filter(pa.array(comma)), ".", ""), ",", ".")
        bits[comma] = number_bits(pc.cast(plain, pa.float64()).to_numpy(zero_copy_only=False))
        spelt |= comma
    return bits, np.flatnonzero(~spelt)


def _other_bits(texts: pa.Array) -> np.ndarray:
    """The bits of texts that spell no number."""
    for words, word in ((_TRUE, "true"), (_FALSE, "false")):
        texts = pc.if_else(pc.is_in(texts, value_set=token_set(words, texts.type)), pa.scalar(word, texts.type), texts)
    bits = _hashed(texts)
    for start, read, bits_of in (
        (_ISO_START, iso_days, _date_bits),
        (_CLOCK_START, clock_hours, _clock_bits),
        (_SPAN_START, clock_span_days, number_bits),
    ):
        matching = np.flatnonzero(_matches(texts, start))
        if len(matching):
            values = read(texts.take(pa.array(matching)))
            is_parsed = ~np.isnan(values)
            bits[matching[is_parsed]] = bits_of(values[is_parsed])
    return bits


def _of_texts(name: str, cells: DistinctTexts, rules: Rules) -> Canonical:
    bits, is_other = _text_bits(cells.texts, rules)
    by_row = bits if cells.codes is None else np.append(bits, MISSING_BITS)[cells.codes]
    if not is_other.any() and not (len(cells.texts) > 1 and grouped_codes(cells.texts)):
        values = np.where(by_row == MISSING_BITS, np.nan, by_row.view(np.float64))
        return Canonical(by_row, numbers_rows(name, values))
    present = by_row[by_row != MISSING_BITS]
    distinct = len(np.unique(bits[bits != MISSING_BITS]))
    mostly_words = 2 * len(np.unique(bits[is_other])) > distinct or not is_other.any()
    describes = not mostly_words or could_be_dates(cells.texts) or could_be_amounts(cells.texts, 0.8)
    if describes or not names_rows(distinct, len(present)):
        return Canonical(by_row)
    some = np.argsort(bits, kind="stable")[:PROBE]  # the same texts in any order of rows
    return Canonical(by_row, not is_prose(cells.texts.take(pa.array(some))))


def _boolean_bits(values: np.ndarray) -> np.ndarray:
    words = _hashed(pa.array(["false", "true"]))
    return np.array([*words, MISSING_BITS])[np.where(np.isnan(values), MISSING, values).astype(np.int64)]


def _date_bits(days: np.ndarray) -> np.ndarray:
    """To the millisecond: days as float64 tell no less apart."""
    is_known = ~np.isnan(days)
    bits = np.full(len(days), MISSING_BITS)
    bits[is_known] = mix(_milliseconds(days[is_known] * _MILLISECONDS) + _DATE)
    return bits


def _clock_bits(hours: np.ndarray) -> np.ndarray:
    """To the millisecond, as dates are."""
    return np.where(np.isnan(hours), MISSING_BITS, mix(_milliseconds(hours * (_MILLISECONDS / 24)) + _CLOCK))


def _milliseconds(values: np.ndarray) -> np.ndarray:
    return np.rint(np.nan_to_num(values)).astype(np.int64).view(np.uint64)


def _texts(array: pa.ChunkedArray) -> pa.ChunkedArray:
    """Any column that is neither number nor date as texts; numbers in a dictionary stay there."""
    is_dictionary = pa.types.is_dictionary(array.type)
    return _texts_of_numbers(array) if is_dictionary and _is_number(array.type.value_type) else texts_of(array)


def _texts_of_numbers(array: pa.ChunkedArray) -> pa.ChunkedArray:
    return pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays(
                chunk.indices, pa.array([None if v is None else str(v) for v in chunk.dictionary.to_pylist()])
            )
            for chunk in array.chunks
        ]
    )


def _is_number(type: pa.DataType) -> bool:
    return pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_boolean(type)


def _cast(texts: pa.Array) -> np.ndarray | None:
    try:
        if len(texts) > 1_000:  # a cast goes on after its first failure, at 1 µs for each: 100 rows find most out
            pc.cast(texts.slice(0, 100), pa.float64())
        return np.asarray(pc.cast(texts, pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:
        return None


def _matches(texts: pa.Array, pattern: str) -> np.ndarray:
    mask = pc.fill_null(pc.match_substring_regex(texts, pattern), False)
    return np.asarray(mask.to_numpy(zero_copy_only=False))


def _hashed(texts: pa.Array) -> np.ndarray:
    """A 64-bit hash of each text: the sum over its bytes of mix(byte, place), and its length, mixed."""
    offsets, data = _buffers(texts)
    lengths = np.diff(offsets)
    out = mix(lengths.astype(np.uint64) + _LENGTH)
    rows = np.flatnonzero(lengths)
    ends = np.cumsum(lengths[rows])
    start = 0
    while start < len(rows):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + _BLOCK, side="right")))
        block_rows = rows[start:stop]
        first = offsets[block_rows] - offsets[block_rows[0]]
        content = data[offsets[block_rows[0]] : offsets[block_rows[-1] + 1]].astype(np.uint64)
        byte_index = np.arange(len(content)) - np.repeat(first, lengths[block_rows])
        out[block_rows] += np.add.reduceat(mix(content + (byte_index.astype(np.uint64) << np.uint64(8)) + _BYTE), first)
        start = stop
    return mix(out)


def _buffers(texts: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Where each text begins, and all bytes."""
    if texts.null_count:
        texts = pc.fill_null(texts, "")
    _, offset_buffer, content = texts.buffers()
    size = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    if offset_buffer is None or not len(texts):
        return np.zeros(len(texts) + 1, dtype=np.int64), np.empty(0, dtype=np.uint8)
    offsets = np.frombuffer(offset_buffer, dtype=size)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    data = np.empty(0, dtype=np.uint8) if content is None else np.frombuffer(content, dtype=np.uint8)
    return offsets, data


if TYPE_CHECKING:
    from tamis.table.table import Table

_SPARSE = 4  # a column with fewer than n / 4 non-zero values is hashed as places and values


def digest(table: Table) -> str:
    """SHA-256 (hexadecimal) of the columns in the order of their names; the order of rows counts.

    Neither the file format, chunking, column order, storage (dense or sparse, float32 or float64 of the same value),
    the bits of NaN, the sign of zero, nor levels that no row has make a difference.

    >>> from tamis.table import Table
    >>> digest(Table.of([[1.0], [2.0]])) == digest(Table.of([[1], [2]]))
    True
    """
    hasher = hashlib.sha256(f"tamis table 1\n{table.n_rows}\n{table.n_columns}\n".encode())
    if table.is_sparse and table.matrix.format != "csc":
        table = type(table)(matrix=table.matrix.tocsc(), names=table.names)  # csr gives its columns slowly
    for j in sorted(range(table.n_columns), key=lambda j: table.names[j]):
        _add(hasher, table, j)
    return hasher.hexdigest()


def _add(hasher: Any, table: Table, j: int) -> None:
    if table.is_sparse:
        start, stop = table.matrix.indptr[j : j + 2]
        rows, values = table.matrix.indices[start:stop], table.matrix.data[start:stop]
        if table.matrix.has_canonical_format and len(values) * _SPARSE < table.n_rows:
            kind = "boolean" if values.dtype.kind == "b" else "numeric"
            _head(hasher, table.names[j], kind, None)
            used = np.flatnonzero(values != 0)
            order = used[np.argsort(rows[used], kind="stable")]
            _add_sparse(hasher, rows[order].astype(np.int64), values[order].astype(np.float64))
            return
    column = table.column(j)
    if column.is_categorical:
        _add_codes(hasher, column)
        return
    _head(hasher, column.name, column.kind, column.levels)
    values = np.ascontiguousarray(column.values, dtype=np.float64)
    rows = np.flatnonzero(values)  # NaN counts as non-zero
    if len(rows) * _SPARSE < len(values):
        _add_sparse(hasher, rows, values[rows])
    else:
        hasher.update(b"dense")
        hasher.update(_bits(values))


def _add_sparse(hasher: Any, rows: np.ndarray, values: np.ndarray) -> None:
    hasher.update(b"sparse%d" % len(rows))
    hasher.update(np.ascontiguousarray(rows, dtype="<i8"))
    hasher.update(_bits(values))


def _add_codes(hasher: Any, column: Column) -> None:
    """Categories as codes into the sorted texts of the levels that occur."""
    levels = column.levels or ()
    counts = np.bincount(column.values[column.values >= 0], minlength=len(levels))
    used = sorted((str(level), code) for code, level in enumerate(levels) if counts[code])
    texts = sorted({text for text, _ in used})
    code_of = {text: new for new, text in enumerate(texts)}
    recode = np.full(len(levels) + 2, MISSING, dtype="<i4")
    recode[-2] = -2
    for text, code in used:
        recode[code] = code_of[text]
    _head(hasher, column.name, column.kind, texts)
    hasher.update(recode[column.values])


def _head(hasher: Any, name: str, kind: str, levels: Any) -> None:
    texts = [name, kind, *(str(level) for level in levels or ())]
    for text in texts:
        coded = text.encode("utf-8", "surrogatepass")
        hasher.update(b"%d:" % len(coded) + coded)
    hasher.update(b";")


def _bits(values: np.ndarray) -> np.ndarray:
    return bits_of_numbers(values).astype("<u8", copy=False)
