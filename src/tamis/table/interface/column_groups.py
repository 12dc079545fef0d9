"""Columns as a user gives them: by name, position or mask, alone or in groups that belong together."""

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import numpy as np

from tamis.errors import KindError, ParameterError
from tamis.table.table import Table


def positions(table: Table, name: str, selection: Any) -> list[int]:
    """Positions of columns given by name, position or mask."""
    if selection is None:
        return []
    if isinstance(selection, (str, Integral)):
        selection = [selection]
    values = list(selection.tolist() if isinstance(selection, np.ndarray) else selection)
    if values and len(values) == table.n_columns and all(isinstance(v, (bool, np.bool_)) for v in values):
        return [j for j, is_selected in enumerate(values) if is_selected]
    return [position(table, name, value) for value in values]


def position(table: Table, name: str, value: object) -> int:
    """The position of a column given by name or position, as the argument `name`."""
    if isinstance(value, str):
        return table.index(value)
    if isinstance(value, Integral) and not isinstance(value, (bool, np.bool_)):
        if not -table.n_columns <= int(value) < table.n_columns:
            raise ParameterError(f"{name} names column {value}, but columns run from 0 to {table.n_columns - 1}")
        return int(value) % table.n_columns
    raise KindError(f"{name} holds {value!r}; give columns by name or position")


def column_groups_of(table: Table, order: np.ndarray, groups: Any) -> dict[Any, np.ndarray]:
    """Groups as units, in the order of their first column; a column in no group is a unit of its own.

    groups : a dict of lists, a list of lists, or one label a column (None: on its own).

    Returns for each unit its places in `order`, by ("group", its label) or by the position of its only column.

    >>> column_groups_of(Table.of([[1.0, 2.0, 3.0]]), np.arange(3), [["x0", "x2"]])
    {('group', 0): array([0, 2]), 1: array([1])}
    """
    label: dict[int, Any] = {}
    if isinstance(groups, Mapping):
        families: Iterable[tuple[Any, Any]] = groups.items()
    elif groups is None:
        families = ()
    else:
        listed = list(groups)
        flat = len(listed) == table.n_columns and not any(isinstance(g, (list, tuple, set, np.ndarray)) for g in listed)
        families = _labelled(listed) if flat else enumerate(listed)
    for name, members in families:
        for j in positions(table, "groups", members):
            if j in label:
                raise ParameterError(f"column {table.names[j]!r} is in two groups; give each column one group")
            label[j] = ("group", name)
    units: dict[Any, list[int]] = {}
    for i, j in enumerate(order.tolist()):
        units.setdefault(label.get(j, j), []).append(i)
    return {key: np.array(columns) for key, columns in units.items()}


def _labelled(labels: list[Any]) -> list[tuple[Any, list[int]]]:
    """Families from one label a column; None means a column on its own."""
    families: dict[Any, list[int]] = {}
    for j, label in enumerate(labels):
        if label is not None:
            families.setdefault(label, []).append(j)
    return list(families.items())
