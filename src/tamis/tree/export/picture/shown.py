"""Which nodes of a tree are drawn, and how many leaves hang below those that are not opened."""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np

from tamis.tree.tree import Tree

DEEPEST, MOST = 8, 60  # levels and splits that a picture holds unless more are asked for


def to_depth(tree: Tree, max_depth: int) -> np.ndarray:
    """Mask of the splits that are drawn: all above a depth."""
    return (tree.left >= 0) & (tree.depth < max_depth)


def best_first(tree: Tree, fits: Callable[[np.ndarray], bool]) -> np.ndarray:
    """Mask of the splits that are drawn: those that improve most, as long as the picture fits."""
    opened = np.zeros(tree.n_nodes, dtype=bool)
    heap = [(-float(tree.improvement[0]), 0)] if tree.left[0] >= 0 else []
    while heap and opened.sum() < MOST:
        _, node = heapq.heappop(heap)
        opened[node] = True
        if opened.sum() > 1 and not fits(opened):
            opened[node] = False
            continue
        for child in (int(tree.left[node]), int(tree.left[node]) + 1):
            if tree.left[child] >= 0 and tree.depth[child] < DEEPEST:
                heapq.heappush(heap, (-float(tree.improvement[child]), child))
    return opened


def leaves_below(tree: Tree) -> np.ndarray:
    """Leaves of the subtree of each node; 1 for a leaf."""
    out = np.ones(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes - 1, -1, -1):  # children come after their parents
        if tree.left[node] >= 0:
            out[node] = out[tree.left[node]] + out[tree.left[node] + 1]
    return out
