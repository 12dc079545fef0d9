"""A tree as one SQL CASE expression that any database takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tamis.errors import ParameterError
from tamis.table.notation import Notation
from tamis.table.sql_text import literal, quoted
from tamis.tree.export.wording import answer
from tamis.tree.tree import Tree

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def sql_of(model: BaseEstimator, name: str) -> str:
    """Nested CASE: the split, then its surrogates, then the default side decide, exactly as in `predict`.

    Columns are compared with what the database holds: dates and times of day with such (ISO texts, which every
    database takes for them), booleans with TRUE and FALSE, ordered words with words. Time spans are numbers of days.
    """
    tree, notations = model.tree_, model.notations_in_
    several = tree.value.shape[1] != 1 and not hasattr(model, "classes_")
    if getattr(model, "leaf", "constant") != "constant" or several:
        raise ParameterError(
            "to_sql writes one constant a leaf; it takes neither leaf='linear' or 'logistic' nor several targets"
        )
    text = [""] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        child = int(tree.left[node])
        if child < 0:
            text[node] = literal(answer(model, node)[0])
        else:
            text[node] = f"CASE WHEN {_goes_left(tree, notations, node)} THEN {text[child]} ELSE {text[child + 1]} END"
            text[child] = text[child + 1] = ""
    return f"{text[0]} AS {quoted(name)}"


def _goes_left(tree: Tree, notations: dict[str, Notation], node: int) -> str:
    j = int(tree.feature[node])
    clauses = []
    if j == -2:
        first = int(tree.first_level[node])
        which = range(first, first + int(tree.n_levels[node]))
        total = " + ".join(
            f"{literal(tree.coefficient[q])} * {quoted(tree.names[int(tree.level[q, 0])])}" for q in which
        )
        clauses.append(_compare(f"({total})", float(tree.threshold[node]), False))
    elif tree.n_levels[node]:
        clauses.append(_among(tree, j, int(tree.first_level[node]), int(tree.n_levels[node])))
    elif np.isinf(tree.threshold[node]):
        clauses.append(f"CASE WHEN {quoted(tree.names[j])} IS NOT NULL THEN 1 END")
    else:
        clauses.append(_cut(tree.names[j], notations, float(tree.threshold[node]), False))
    for q in range(int(tree.first_surrogate[node]), int(tree.first_surrogate[node] + tree.n_surrogates[node])):
        column, flip, first, n = (int(v) for v in tree.surrogate[q])
        if n:
            clauses.append(_among(tree, column, first, n))
        else:
            clauses.append(_cut(tree.names[column], notations, float(tree.surrogate_threshold[q]), bool(flip)))
    return f"COALESCE({', '.join(clauses)}, {1 - int(tree.default[node])}) = 1"


def _cut(name: str, notations: dict[str, Notation], threshold: float, flip: bool) -> str:
    """1 for the rows of a column that go to the one side of a threshold, 0 for those of the other."""
    how, what = notations.get(name), quoted(name)
    values = () if how is None else how.values()
    if not values:
        moment = "" if how is None else how.moment(threshold)
        return _compare(what, moment or threshold, flip)
    last = int(np.clip(np.floor(threshold) + 1, 0, len(values)))
    sides = (values[last:], values[:last]) if flip else (values[:last], values[last:])
    return _either(what, [[literal(value) for value in side] for side in sides])


def _compare(what: str, threshold: float | str, flip: bool) -> str:
    (below, above), value = (0, 1) if flip else (1, 0), literal(threshold)
    return f"CASE WHEN {what} <= {value} THEN {below} WHEN {what} > {value} THEN {above} END"


def _among(tree: Tree, j: int, first: int, n: int) -> str:
    levels = tree.levels[j] or ()
    sides: list[list[str]] = [[], []]
    for code, side in tree.level[first : first + n]:
        if code < len(levels):
            sides[int(side)].append(literal(levels[int(code)]))
    return _either(quoted(tree.names[j]), sides)


def _either(what: str, sides: list[list[str]]) -> str:
    """1 for the values of the first side, 0 for those of the second."""
    whens = [f"WHEN {what} IN ({', '.join(side)}) THEN {1 - k}" for k, side in enumerate(sides) if side]
    return f"CASE {' '.join(whens)} END"
