"""What `fit` is given with a lazy table: the target by its name, nothing that has one value a row."""

from typing import Any

from numpy.typing import ArrayLike

from tamis.errors import KindError, ParameterError
from tamis.table import LazyTable


def refuse_rows(**arguments: Any) -> None:
    """Refuse what has one value a row, which a table in its files has not."""
    for name, value in arguments.items():
        if value is not None:
            raise ParameterError(f"{name} has one value a row, which a lazy table cannot take; leave it out")


def target_named(table: LazyTable, y: ArrayLike) -> str:
    """The name of the target, which is a column of the table."""
    if not isinstance(y, str):
        raise KindError(f"y is {type(y).__name__}, but the target of a lazy table is one of its columns; give its name")
    return table.names[table.index(y)]
