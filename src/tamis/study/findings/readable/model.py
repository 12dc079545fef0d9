"""A model that people can read as plain values, from which a page draws it and computes answers of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.study.findings.distribution import CLASSES
from tamis.study.findings.readable.card import card_of
from tamis.study.findings.readable.curves import curves_of
from tamis.study.problem import StudyProblem
from tamis.study.procedures.models.facts import TreeFacts, facts_of
from tamis.table import Column
from tamis.table.interface.takes_table import takes_table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


#: Nodes of a tree, and terms of a linear model, beyond which no page is asked to draw or compute it.
MOST_NODES, MOST_TERMS = 127, 60


def readable(model: BaseEstimator, problem: StudyProblem, order: list[str]) -> dict[str, Any] | None:
    """`kind` (tree, linear, additive, card), the `columns` that it asks for and its parts; None of another model.

    Parameters
    ----------
    order : columns of the model, largest contribution first: `columns` has that order.

    `presets` are rows to begin with: the middle values of the columns, of all rows and of each class (of a numeric
    target: of its lower and upper third). No row of the table is given away.
    """
    final = _last(model)
    if final is None:
        return None
    plain = _PLAIN_VALUES.get(facts_of(final).kind)
    facts = None if plain is None else plain(final, order)
    if facts is None:
        return None
    columns = [problem.X.column(name) for name in order]
    return {
        **facts,
        "labels": [str(label) for label in problem.labels],
        "columns": [_column(column) for column in columns],
        "presets": [{"of": of, "values": [_middle(column, rows) for column in columns]} for of, rows in _rows(problem)],
    }


def _last(model: BaseEstimator) -> Any:
    """The model itself, or the one behind selectors alone: those hand on columns as they are."""
    if not takes_table(model) and not hasattr(model, "steps"):
        return None
    steps = getattr(model, "steps", None)
    if steps is None:
        return model
    selectors = all(hasattr(step, "get_support") for _, step in steps[:-1] if not isinstance(step, str))
    return steps[-1][1] if selectors and takes_table(steps[-1][1]) else None


def _column(column: Column) -> dict[str, Any]:
    """Name, kind, and the values that a slider offers: a range of numbers, or levels."""
    out: dict[str, Any] = {"name": column.name, "kind": column.kind}
    if column.levels is not None:
        return {**out, "levels": [str(level) for level in column.levels]}
    observed = column.values[~np.isnan(column.values)]
    is_integer = bool(len(observed)) and bool((observed == np.round(observed)).all())
    low, high = (float(observed.min()), float(observed.max())) if len(observed) else (0.0, 1.0)
    return {**out, "levels": None, "low": low, "high": high, "whole": is_integer}


def _rows(problem: StudyProblem) -> list[tuple[str, np.ndarray]]:
    """What presets are the middle of, and the rows of each."""
    every = ("all rows", np.ones(len(problem.y), dtype=bool))
    if problem.labels:
        is_listed = len(problem.labels) <= CLASSES
        return [every, *((str(label), problem.y == code) for code, label in enumerate(problem.labels) if is_listed)]
    low, high = np.quantile(problem.rates, (1 / 3, 2 / 3))
    return [every, ("the lower third of the target", problem.rates <= low), ("its upper third", problem.rates >= high)]


def _middle(column: Column, rows: np.ndarray) -> float:
    """The median of a number that some row has, or the most frequent code."""
    values = column.values[rows]
    if column.is_categorical:
        observed = values[values >= 0]
        return float(np.bincount(observed).argmax()) if len(observed) else 0.0
    observed = values[~np.isnan(values)]
    if not len(observed):
        observed = column.values[~np.isnan(column.values)]
    return float(np.quantile(observed, 0.5, method="inverted_cdf")) if len(observed) else 0.0


def _tree(model: BaseEstimator, order: list[str]) -> dict[str, Any] | None:
    """Nodes in the order of reading; the index of a column is its place in `order`."""
    from tamis.tree.export.wording import question, reply

    tree, notations = model.tree_, getattr(model, "notations_in_", {})
    if tree.n_nodes > MOST_NODES or not TreeFacts(model).is_plain:
        return None
    if not {tree.names[int(j)] for j in tree.feature[tree.feature >= 0]} <= set(order):  # columns made on the way
        return None
    reading = [int(node) for node in tree.preorder()]
    index_of_node, column = {node: k for k, node in enumerate(reading)}, {name: k for k, name in enumerate(order)}
    classes, nodes = facts_of(model).codes(), []
    for node in reading:
        value = tree.value[node]
        shares = value if classes is None else value / value.sum()
        facts: dict[str, Any] = {"rows": int(tree.n_rows[node]), "value": [float(share) for share in shares]}
        if tree.left[node] >= 0:
            left = int(tree.left[node])
            facts |= {
                "children": [index_of_node[left], index_of_node[left + 1]],
                "column": column[tree.names[int(tree.feature[node])]],
                "question": question(tree, node),
                "replies": [reply(tree, node, side, notations) for side in (0, 1)],
                "default": int(tree.default[node]),
                **_split(tree, node),
            }
        nodes.append(facts)
    loss = model.loss_.tolist() if classes is not None else None
    return {"kind": "tree", "nodes": nodes, "classes": classes, "loss": loss}


def _split(tree: Any, node: int) -> dict[str, Any]:
    """Levels that go left, or the threshold up to which values do; None where the split asks whether there is one."""
    if not tree.n_levels[node]:
        threshold = float(tree.threshold[node])
        return {"threshold": threshold if np.isfinite(threshold) else None}
    first, n = int(tree.first_level[node]), int(tree.n_levels[node])
    levels = tree.levels[int(tree.feature[node])] or ()
    sides = {str(levels[int(code)]): int(side) for code, side in tree.level[first : first + n] if code < len(levels)}
    return {"threshold": None, "sides": sides}


def _linear(model: BaseEstimator, order: list[str]) -> dict[str, Any] | None:
    """Terms: a column by its place in `order`, the level that it stands for, and a coefficient an output."""
    facts = facts_of(model)
    coef, encoding = np.atleast_2d(model.coef_), model.inputs_.encoding
    used = np.flatnonzero(coef.any(axis=0))
    names = {encoding.names[int(encoding.groups[j])] for j in used}
    if facts.link() == "one_hot" or len(used) > MOST_TERMS or not names <= set(order):  # or columns made on the way
        return None
    column = {name: k for k, name in enumerate(order)}
    terms = []
    for j in used:
        name = encoding.names[int(encoding.groups[j])]
        level = None
        if encoding.levels[int(encoding.groups[j])] is not None:
            level = str(model.coef_names_[j])[len(name) + 1 :]
        terms.append({"column": column[name], "level": level, "coef": coef[:, j].tolist()})
    return {
        "kind": "linear",
        "terms": terms,
        "intercept": np.atleast_1d(model.intercept_).tolist(),
        "link": facts.link(),
        "classes": facts.codes(),
        **({"thresholds": model.thresholds_.tolist()} if facts.link() == "cumulative" else {}),
    }


#: Kind of a model -> its plain values, None where it is too large for a page.
_PLAIN_VALUES: dict[str, Callable[[Any, list[str]], dict[str, Any] | None]] = {
    "tree": _tree,
    "linear": _linear,
    "additive": curves_of,
    "card": card_of,
}
