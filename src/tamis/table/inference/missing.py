"""Which texts and numbers mean that a value is missing."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tamis.errors import ParameterError

#: Missing in every column, whatever else it holds (but see `words.codes_with_na` for NA among two-letter codes).
TOKENS = (
    *("", "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "NaN", "nan", "NAN", "-nan", "-NaN", "NaT", "null", "NULL", "Null"),
    *("<NA>", "#N/A", "#NA", "?", "."),
    *("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"),  # what a spreadsheet writes for a failed formula
    *("-", "--", "---"),  # a sign among signs is a level: see `words.signs`
)

#: Missing among numbers, dates and booleans only: among words, "None" is a level (no garage).
SOFT_TOKENS = ("None", "none", "NONE", "nil")


#: In a mapping of missing values, the name that stands for every column.
EVERYWHERE = "*"


@dataclass(frozen=True)
class MissingValues:
    """What a user says means "missing", besides the usual texts.

    Attributes
    ----------
    everywhere : texts and numbers that are missing in every column.
    by_column : column -> those that are missing there.
    """

    everywhere: tuple[str, ...] = ()
    by_column: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, missing: Any) -> "MissingValues":
        """From a text, a list of values, or a mapping column -> values.

        >>> MissingValues.of("999; age=-1,0")
        MissingValues(everywhere=('999',), by_column={'age': ('-1', '0')})
        >>> MissingValues.of({"age": 999}).of_column("age")
        ('999',)
        """
        if missing is None or isinstance(missing, MissingValues):
            return missing or cls()
        if isinstance(missing, str):
            return cls._of_text(missing)
        if isinstance(missing, Mapping):
            listed = {str(name): _values(missing, values) for name, values in missing.items()}
            return cls(listed.pop(EVERYWHERE, ()), listed)
        return cls(_values(missing, missing))

    @classmethod
    def _of_text(cls, text: str) -> "MissingValues":
        everywhere: list[str] = []
        by_column: dict[str, tuple[str, ...]] = {}
        for entry in text.split(";"):
            name, equals, values = entry.rpartition("=")
            listed = [value.strip() for value in values.split(",")]
            if not equals:
                everywhere += listed
            elif name.strip():
                by_column[name.strip()] = (*by_column.get(name.strip(), ()), *listed)
            else:
                raise ParameterError(f"missing={text!r} names no column before =; write for example age=999,-1")
        return cls(tuple(everywhere), by_column)

    def of_column(self, name: str) -> tuple[str, ...]:
        """The values that mean missing in a column."""
        return tuple(dict.fromkeys([*self.everywhere, *self.by_column.get(name, ())]))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The texts that mean missing in every column, the usual ones included."""
        return tuple(dict.fromkeys([*TOKENS, *self.everywhere]))

    def to_plain(self) -> dict[str, Any] | list[str] | None:
        """As plain values, from which the same is made again; None where nothing was said."""
        if not self.by_column:
            return list(self.everywhere) or None
        listed = {name: list(values) for name, values in self.by_column.items()}
        return {**({EVERYWHERE: list(self.everywhere)} if self.everywhere else {}), **listed}

    def __bool__(self) -> bool:
        return bool(self.everywhere or self.by_column)


#: What a user who says nothing says.
NOTHING_MISSING = MissingValues()


def without_values(array: pa.ChunkedArray, values: Sequence[str]) -> pa.ChunkedArray:
    """A column whose cells are missing where they are one of the values, as a text or as a number.

    >>> without_values(pa.chunked_array([[1.0, 999.0]]), ["999"]).to_pylist()
    [1.0, None]
    >>> without_values(pa.chunked_array([["5", " 999,0"]]), ["999"]).to_pylist()
    ['5', None]
    """
    kind = array.type
    if not values or pa.types.is_null(kind) or pa.types.is_boolean(kind):
        return array
    if pa.types.is_dictionary(kind):
        if not _is_text(kind.value_type) and not _is_number(kind.value_type):
            return array
        array = array.unify_dictionaries()
        words = array.chunk(0).dictionary if array.num_chunks else pa.array([], kind.value_type)
        is_missing = _are_values(words, values)
        if not pc.any(is_missing).as_py():
            return array
        chunks = [pa.DictionaryArray.from_arrays(_masked(chunk.indices, is_missing), words) for chunk in array.chunks]
        return pa.chunked_array(chunks)
    if _is_text(kind) or _is_number(kind) or pa.types.is_temporal(kind):
        is_missing = _are_values(array, values)
        return pc.if_else(is_missing, pa.scalar(None, kind), array) if pc.any(is_missing).as_py() else array
    return array


def _masked(codes: pa.Array, is_missing: pa.Array) -> pa.Array:
    return pc.if_else(pc.fill_null(is_missing.take(codes), False), pa.scalar(None, codes.type), codes)


def _are_values(cells: Any, values: Sequence[str]) -> Any:
    """A mask of the cells that are one of the values."""
    numbers = [value for value in values if _number(value) is not None]
    if _is_number(cells.type):
        number_values = pa.array([_number(value) for value in numbers], pa.float64())
        return pc.fill_null(pc.is_in(pc.cast(cells, pa.float64(), safe=False), value_set=number_values), False)
    if not _is_text(cells.type):
        days = pc.cast(pc.cast(cells, pa.date32(), safe=False), pa.string()) if _has_days(cells.type) else None
        return pc.fill_null(pc.is_in(days, value_set=pa.array(values, pa.string())), False) if days else _none(cells)
    is_missing = pc.is_in(pc.utf8_trim_whitespace(cells), value_set=pa.array(values, cells.type))
    if numbers:
        spelt = "|".join(_spelling(value) for value in numbers)
        is_missing = pc.or_(is_missing, pc.match_substring_regex(cells, rf"^\s*(?:{spelt})\s*$"))
    return pc.fill_null(is_missing, False)


def _spelling(value: str) -> str:
    """A pattern of the ways to write a number: 999, 999.0, 999,00."""
    integer_digits, _, fraction = value.strip().replace(",", ".").partition(".")
    fraction = fraction.rstrip("0")
    tail = rf"[.,]{fraction}0*" if fraction else r"(?:[.,]0*)?"
    return re.escape(integer_digits) + tail


def _none(cells: Any) -> Any:
    return pc.and_(pc.is_null(cells), pc.is_valid(cells))


def _has_days(kind: pa.DataType) -> bool:
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _number(text: str) -> float | None:
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _values(missing: Any, values: Any) -> tuple[str, ...]:
    """Values of a list, or one by itself, as texts; a whole number is written without a decimal point."""
    listed = [values] if isinstance(values, (str, int, float)) else values
    if not isinstance(listed, (list, tuple, set, frozenset)) or any(
        isinstance(value, bool) or not isinstance(value, (str, int, float)) for value in listed
    ):
        raise ParameterError(
            f"missing={missing!r} must be a text, a list of values, or a dict of them by column, for example "
            "missing=[-999] or missing={'age': [999, -1]}"
        )
    return tuple(str(v).strip() if isinstance(v, str) else f"{v:.17g}" for v in listed)


def numbers_among(values: Iterable[str]) -> list[float]:
    """The values that are numbers.

    >>> numbers_among(["999", "unknown"])
    [999.0]
    """
    return [number for number in map(_number, values) if number is not None]


def token_set(tokens: Iterable[str], type: pa.DataType) -> pa.Array:
    """The tokens as an Arrow array of the given text type, to look values up in."""
    return pa.array(list(tokens), type=type)
