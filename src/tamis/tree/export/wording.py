"""Splits and answers in plain words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.table.notation import Notation
from tamis.tree.tree import Tree

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


Notations = Mapping[str, Notation]
PLAIN: Notations = {}


def number(value: float) -> str:
    """A number as a person would write it: up to six digits.

    >>> number(2.50000001)
    '2.5'
    """
    return f"{value:.6g}"


def some(words: list[str], max_words: int = 12) -> str:
    """A set of levels; long ones are cut, and say so."""
    text = ", ".join(words[:max_words])
    return "{" + text + (f", … {len(words) - max_words} more" if len(words) > max_words else "") + "}"


def levels_on(tree: Tree, node: int, side: int) -> list[int]:
    """Codes of the levels that a categorical split sends to a side, missing (when it took part) left out."""
    first, n = int(tree.first_level[node]), int(tree.n_levels[node])
    pairs = tree.level[first : first + n]
    n_levels = len(tree.levels[tree.feature[node]] or ())
    return [int(code) for code, where in pairs if where == side and code < n_levels]


def condition(tree: Tree, node: int, side: int, notations: Notations = PLAIN) -> str:
    """What a row of that side of the node's split fulfils."""
    return f"{question(tree, node)} {reply(tree, node, side, notations)}"


def question(tree: Tree, node: int) -> str:
    """What a split asks for: a column, or a combination of columns."""
    j = int(tree.feature[node])
    return combination(tree, node) if j == -2 else tree.names[j]


def reply(tree: Tree, node: int, side: int, notations: Notations = PLAIN) -> str:
    """What rows of that side answer."""
    j = int(tree.feature[node])
    if j != -2 and tree.n_levels[node]:
        levels = tree.levels[j] or ()
        return f"in {some([str(levels[code]) for code in levels_on(tree, node, side)])}"
    if j != -2 and np.isinf(tree.threshold[node]):
        return f"is {'missing' if side else 'present'}"
    return bound(float(tree.threshold[node]), side, notations.get(question(tree, node)))


def bound(threshold: float, side: int, notation: Notation | None) -> str:
    """At most a threshold (side 0), or above it, as the column's values are written.

    >>> bound(0.5, 1, Notation("boolean", ("no", "yes")))
    'is yes'
    """
    if notation is None:
        return f"{'>' if side else '≤'} {number(threshold)}"
    if notation.kind == "boolean":
        return f"is {notation.above(threshold) if side else notation.write(threshold)}"
    return f"{'>' if side else '≤'} {notation.write(threshold)}"


def combination(tree: Tree, node: int, write: Callable[[float], str] = number) -> str:
    """A linear combination as a sum of columns."""
    first, n = int(tree.first_level[node]), int(tree.n_levels[node])
    terms: list[str] = []
    for q in range(first, first + n):
        factor = tree.coefficient[q]
        sign = ("-" if factor < 0 else "") if not terms else (" - " if factor < 0 else " + ")
        terms.append(f"{sign}{write(abs(factor))}·{tree.names[int(tree.level[q, 0])]}")
    return "".join(terms)


def answer(model: BaseEstimator, node: int) -> tuple[Any, float | None]:
    """A node's prediction, and for classes the share of rows (by weight) that are of that class."""
    tree = model.tree_
    if hasattr(model, "classes_"):
        which = int((tree.value[node] @ model.loss_).argmin())
        share = float(tree.value[node, which] / tree.value[node].sum())
        label = model.classes_[which]
        return (label.item() if isinstance(label, np.generic) else label), share
    values = [float(value) for value in tree.value[node]]
    return (values[0] if len(values) == 1 else values), None


def answer_in_words(model: BaseEstimator, node: int) -> str:
    """A node's prediction with its rows: `yes (12 rows, 92% yes)`."""
    label, share = answer(model, node)
    rows = int(model.tree_.n_rows[node])
    counted = f"{rows:,} row{'s' if rows != 1 else ''}"
    if share is not None:
        in_words = f"{label} ({counted}, {100 * share:.0f}% {label})"
        if hasattr(model, "leaf_models_") and model.tree_.left[node] < 0:
            in_words += f": {model.leaf_models_.words(node, model.classes_)}"
        return in_words
    text = ", ".join(number(v) for v in label) if isinstance(label, list) else number(label)
    if getattr(model, "leaf", "constant") == "linear" and model.tree_.left[node] < 0:
        text = model.leaf_models_.words(node)
    return f"{text} ({counted})"
