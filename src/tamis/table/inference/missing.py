"""Which texts mean that a value is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from tamis.errors import ParameterError

#: Missing in every column, whatever else it holds (but see `words.codes_with_na` for NA among two-letter codes).
TOKENS = (
    *("", "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "NaN", "nan", "NAN", "-nan", "-NaN", "NaT", "null", "NULL", "Null"),
    *("<NA>", "#N/A", "#NA", "?", "."),
    *("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!"),  # what a spreadsheet writes for a failed formula
)

#: Missing among numbers, dates and booleans only: among words, "None" is a level (no garage) and "-" a sign (a strand).
SOFT_TOKENS = ("None", "none", "NONE", "nil", "-", "--", "---")


def missing_tokens(missing: str | Sequence[str] | None) -> tuple[str, ...]:
    """The usual tokens and those the user adds.

    >>> "-999" in missing_tokens("-999")
    True
    """
    if missing is None:
        return TOKENS
    given: Iterable[object] = [missing] if isinstance(missing, str) else missing
    if not isinstance(missing, (str, Sequence)) or any(not isinstance(token, (str, int, float)) for token in given):
        raise ParameterError(f"missing={missing!r} must be a text or a list of texts, for example missing=['-999']")
    return tuple(dict.fromkeys([*TOKENS, *(str(token).strip() for token in given)]))


def token_set(tokens: Iterable[str], type: pa.DataType) -> pa.Array:
    """The tokens as an Arrow array of the given text type, to look values up in."""
    return pa.array(list(tokens), type=type)
