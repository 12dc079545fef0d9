"""One tree of the top and its subtrees, and its splits in values instead of codes."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from tamis.tree.grow.layout import CHI2
from tamis.tree.lazy.top import TopTree
from tamis.tree.tree import Tree
from tamis.views.coding import Coding

_LISTS = ("level", "coefficient", "surrogate", "surrogate_threshold", "agreement")


def tree_of_top(top: TopTree) -> Tree:
    """The top alone, its splits in codes; nodes that are grown in memory are leaves."""
    nodes, classes = top.nodes, top.problem.criterion <= CHI2
    levels: list[np.ndarray] = [np.empty((0, 2), dtype=np.int64)]
    surrogates: list[list[int]] = []
    between, agreement = [], []
    first_level, n_levels, first_surrogate, threshold = [], [], [], []
    at = 0
    for node in nodes:
        split = node.split
        own = levels[0] if split is None else split.levels
        first_level.append(at)
        n_levels.append(len(own))
        levels.append(own)
        at += len(own)
        threshold.append(0.0 if split is None or len(own) else _between(split.cut, split.upper))
        first_surrogate.append(len(surrogates))
        for one in node.surrogates:
            surrogates.append([one.column, int(one.flip), at, len(one.levels)])
            between.append(0.0 if len(one.levels) else _between(one.cut, one.upper))
            agreement.append([one.agreement, one.adjusted])
            levels.append(one.levels)
            at += len(one.levels)
    level = np.concatenate(levels)
    codings, impurity = top.problem.mapped.codings, np.array([node.impurity for node in nodes])
    return Tree(
        names=tuple(coding.name for coding in codings),
        levels=tuple(coding.levels for coding in codings),
        feature=np.array([-1 if node.split is None else node.split.column for node in nodes], dtype=np.int32),
        threshold=np.array(threshold),
        left=np.array([node.left for node in nodes], dtype=np.int32),
        parent=np.array([node.parent for node in nodes], dtype=np.int32),
        depth=np.array([node.depth for node in nodes], dtype=np.int32),
        default=np.array([0 if node.split is None else node.default for node in nodes], dtype=np.uint8),
        first_level=np.array(first_level, dtype=np.int64),
        n_levels=np.array(n_levels, dtype=np.int32),
        level=level,
        coefficient=np.zeros(len(level)),
        first_surrogate=np.array(first_surrogate, dtype=np.int64),
        n_surrogates=np.array([len(node.surrogates) for node in nodes], dtype=np.int32),
        surrogate=np.array(surrogates, dtype=np.int64).reshape(len(surrogates), 4),
        surrogate_threshold=np.array(between),
        agreement=np.array(agreement).reshape(len(agreement), 2),
        n_rows=np.array([node.n_rows for node in nodes], dtype=np.int64),
        weight=np.array([node.weight for node in nodes]),
        impurity=impurity,
        improvement=np.array([0.0 if node.split is None else max(node.split.gain, 0.0) for node in nodes]),
        risk=np.zeros(len(nodes)) if classes else impurity,
        value=np.array([node.value for node in nodes]),
    )


def _between(cut: int, upper: int) -> float:
    """Midway between two codes; infinite where missing values alone are beyond."""
    return np.inf if upper < 0 else 0.5 * cut + 0.5 * upper


def graft(top: Tree, subtrees: dict[int, Tree]) -> Tree:
    """The top with the trees of some of its leaves in their place; children still follow their parents."""
    parts: dict[str, list[np.ndarray]] = {f.name: [getattr(top, f.name).copy()] for f in fields(Tree)[2:]}
    n_nodes, n_level, n_surrogate = top.n_nodes, len(top.level), len(top.surrogate)
    for k, tree in sorted(subtrees.items()):
        moved = _moved(tree, k, n_nodes, n_level, n_surrogate, int(top.depth[k]))
        for name, values in moved.items():
            if name in _LISTS:
                parts[name].append(values)
                continue
            if name != "parent":
                parts[name][0][k] = values[0]
            parts[name].append(values[1:])
        n_nodes, n_level = n_nodes + tree.n_nodes - 1, n_level + len(tree.level)
        n_surrogate += len(tree.surrogate)
    return Tree(top.names, top.levels, **{name: np.concatenate(values) for name, values in parts.items()})


def _moved(tree: Tree, k: int, n_nodes: int, n_level: int, n_surrogate: int, depth: int) -> dict[str, np.ndarray]:
    """The arrays of a subtree: its root is node k, its other nodes follow from n_nodes on."""
    out = {f.name: getattr(tree, f.name) for f in fields(Tree)[2:]}
    out["left"] = np.where(tree.left >= 0, tree.left + (n_nodes - 1), -1).astype(np.int32)
    out["parent"] = np.where(tree.parent == 0, k, tree.parent + (n_nodes - 1)).astype(np.int32)
    out["depth"] = (tree.depth + depth).astype(np.int32)
    out["first_level"] = tree.first_level + n_level
    out["first_surrogate"] = tree.first_surrogate + n_surrogate
    surrogate = tree.surrogate.copy()
    surrogate[:, 2] += n_level
    out["surrogate"] = surrogate
    return out


def in_values(tree: Tree, codings: tuple[Coding, ...]) -> Tree:
    """The tree with thresholds among the values of its columns, and levels instead of codes that several share."""
    threshold = _edges(tree.threshold, tree.feature, tree.n_levels, codings)
    between = _edges(tree.surrogate_threshold, tree.surrogate[:, 0], tree.surrogate[:, 3], codings)
    tree = replace(tree, threshold=threshold, surrogate_threshold=between)
    if all(coding.lossless or not coding.is_categorical for coding in codings):
        return tree
    return _with_all_levels(tree, codings)


def _edges(between: np.ndarray, column: np.ndarray, n_levels: np.ndarray, codings: tuple[Coding, ...]) -> np.ndarray:
    """The edge above the code that a threshold among codes follows."""
    out = between.copy()
    for j, coding in enumerate(codings):
        if coding.edges is not None and len(coding.edges):
            here = (column == j) & (n_levels == 0) & np.isfinite(between)
            out[here] = coding.edges[np.floor(between[here]).astype(np.int64)]
    return out


def _with_all_levels(tree: Tree, codings: tuple[Coding, ...]) -> Tree:
    """Each code that several levels share becomes these levels; a code for missing values stays one beyond all."""
    parts: list[np.ndarray] = [np.empty((0, 2), dtype=np.int64)]
    first_level, n_levels, surrogate = tree.first_level.copy(), tree.n_levels.copy(), tree.surrogate.copy()
    at = 0

    def taken(column: int, first: int, n: int) -> tuple[int, int]:
        nonlocal at
        given, coding = tree.level[first : first + n], codings[column]
        if n and coding.table is not None:
            rows = [
                np.column_stack([own, np.full(len(own), side)])
                for code, side in given.tolist()
                for own in [_own_levels(coding, code)]
            ]
            given = np.concatenate(rows)
            given = given[np.argsort(given[:, 0])]  # rows look their level up by bisection
        parts.append(given)
        at += len(given)
        return at - len(given), len(given)

    for k in range(tree.n_nodes):
        first_level[k], n_levels[k] = taken(int(tree.feature[k]), int(tree.first_level[k]), int(tree.n_levels[k]))
    for q in range(len(surrogate)):
        surrogate[q, 2:] = taken(*tree.surrogate[q, [0, 2, 3]].tolist())
    level = np.concatenate(parts)
    return replace(
        tree, first_level=first_level, n_levels=n_levels, surrogate=surrogate, level=level,
        coefficient=np.zeros(len(level)),
    )  # fmt: skip


def _own_levels(coding: Coding, code: int) -> np.ndarray:
    if coding.table is None or code >= coding.n_values:
        return np.array([len(coding.levels or ())])
    return np.flatnonzero(coding.table == code)
