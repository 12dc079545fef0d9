"""Where the nodes of a tree stand: every parent midway above its children, subtrees as close as they fit.

The outlines of two subtrees are compared level by level, over the levels that both have, so that the work grows with
the nodes and not with their square (Reingold and Tilford 1981).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.tree.tree import Tree


@dataclass
class _Outline:
    """Left and right edges of a subtree on each level, the deepest first; all are meant plus `base`."""

    left: list[float]
    right: list[float]
    base: float = 0.0


def across(tree: Tree, nodes: list[int], opened: np.ndarray, width: float, gap: float) -> dict[int, float]:
    """The middle of each node's card; the leftmost card begins at 0."""
    outlines: dict[int, _Outline] = {}
    offset: dict[int, float] = {}
    for node in reversed(nodes):
        outline = _Outline([], [])
        if opened[node]:
            left, right = int(tree.left[node]), int(tree.left[node]) + 1
            outline, distance = _joined_outlines(outlines.pop(left), outlines.pop(right), gap)
            offset[left], offset[right] = -distance / 2, distance / 2
        outline.left.append(-width / 2 - outline.base)
        outline.right.append(width / 2 - outline.base)
        outlines[node] = outline
    middle = {0: 0.0}
    for node in nodes[1:]:
        middle[node] = middle[int(tree.parent[node])] + offset[node]
    leftmost = min(middle.values()) - width / 2
    return {node: x - leftmost for node, x in middle.items()}


def _joined_outlines(left: _Outline, right: _Outline, gap: float) -> tuple[_Outline, float]:
    """Two subtrees as one, seen from the middle between their roots; and how far apart the roots are."""
    shared = min(len(left.left), len(right.left))
    distance = gap + max(left.right[-k] + left.base - right.left[-k] - right.base for k in range(1, shared + 1))
    left.base -= distance / 2
    right.base += distance / 2
    if len(left.left) >= len(right.left):
        for k in range(1, shared + 1):
            left.right[-k] = right.right[-k] + right.base - left.base
        return left, distance
    for k in range(1, shared + 1):
        right.left[-k] = left.left[-k] + left.base - right.base
    return right, distance
