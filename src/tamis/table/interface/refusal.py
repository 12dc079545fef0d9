"""Which column of a table a model could not take, from what it said when it failed."""

import re
from collections.abc import Sequence

from tamis.errors import KindError, TableError
from tamis.table.like import TableLike
from tamis.table.sources.frame import dates_and_spans
from tamis.table.table import Table

_TEXT = re.compile(
    r"convert string|convert str|could not convert|invalid literal|'<' not supported|str'|string dtype", re.I
)
_MISSING = re.compile(r"\bNaN\b|missing value|NAType|\bNA is ambiguous|NoneType", re.I)
_DATES = re.compile(r"promot|datetime|timedelta|timestamp|\[ns\]|\[us\]", re.I)


def refusal(
    who: str, X: TableLike, error: Exception, *, names: Sequence[str] | None = None, fills: bool = False
) -> Exception | None:
    """The sentence that names the column of X which `who` could not take; None when the error has another cause.

    `names` are those of an array's columns. With `fills` the model could fill missing values itself, if told to.
    """
    message = str(error)
    dates = dates_and_spans(X)
    if dates and _DATES.search(message):
        name, kind = next(iter(dates.items()))
        return KindError(
            f"column {name!r} holds {kind}, which {who} cannot take beside numbers; give numbers of days instead, "
            "or leave the column out"
        )
    if not (_TEXT.search(message) or _MISSING.search(message)):
        return None
    table = Table.of(X, names)
    words = next((column for column in table.columns if column.is_categorical), None)
    holes = next((column for column in table.columns if column.missing.any()), None)
    if holes is not None and _MISSING.search(message):
        hint = ", or give missing='mean'" if fills else ""
        return TableError(
            f"column {holes.name!r} has {int(holes.missing.sum()):,} missing values (NaN), which {who} cannot take; "
            f"fill them first, for example with tamis.transform.Impute in a pipeline{hint}"
        )
    if words is None:
        return None
    first_level = repr(words.levels[0])[:40] if words.levels else "no level"
    return KindError(
        f"column {words.name!r} holds categories ({first_level}, …), which {who} cannot take; encode it first, "
        "for example "
        "with OneHotEncoder in a pipeline, or leave it out"
    )
