"""A tree as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tamis.tree.export.wording import answer_in_words, condition

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def text_of(model: BaseEstimator) -> str:
    """One line a node, its children indented below it; no recursion, so any depth will do."""
    tree, notations = model.tree_, getattr(model, "notations_in_", {})
    lines = [f"all rows: {answer_in_words(model, 0)}"]
    stack = [(0, 1, ""), (0, 0, "")] if tree.left[0] >= 0 else []
    while stack:
        parent, side, indent = stack.pop()
        node = int(tree.left[parent]) + side
        lines.append(
            f"{indent}{'└─ ' if side else '├─ '}{condition(tree, parent, side, notations)}: "
            f"{answer_in_words(model, node)}"
        )
        if tree.left[node] >= 0:
            deeper = indent + ("   " if side else "│  ")
            stack += [(node, 1, deeper), (node, 0, deeper)]
    return "\n".join(lines)
