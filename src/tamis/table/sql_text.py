"""Names and values as SQL writes them."""

import numpy as np


def quoted(name: str) -> str:
    """A name of a column or a table."""
    return '"' + name.replace('"', '""') + '"'


def literal(value: object) -> str:
    """A value: TRUE or FALSE, a number, or a text between quotes."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return repr(value)
    return "'" + str(value).replace("'", "''") + "'"
