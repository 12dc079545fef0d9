# mypy: ignore-errors
"""The weakest links of a tree, cut one after the other (Breiman et al. 1984, chapter 3)."""

from __future__ import annotations

import heapq

import numpy as np

from tamis.engine.kernel import njit


@njit
def _close(left, t, gone):
    """Everything below t is out of the race."""
    stack = [t]
    while len(stack) > 0:
        node = stack.pop()
        for child in range(left[node], left[node] + 2):
            if not gone[child]:
                gone[child] = True
                if left[child] >= 0:
                    stack.append(child)


@njit
def weakest_links(left, parent, risk, collapse):
    """collapse[t]: the price of a leaf from which on node t is one; -inf at leaves of the full tree.

    The node with the least (risk of t - risk of its subtree) / (leaves of its subtree - 1) goes first.
    """
    n = len(left)
    below, leaves = risk.copy(), np.ones(n)
    stamp, gone = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    for i in range(n):
        t = n - 1 - i  # children come after their parents
        collapse[t] = -np.inf
        if left[t] >= 0:
            below[t] = below[left[t]] + below[left[t] + 1]
            leaves[t] = leaves[left[t]] + leaves[left[t] + 1]
    heap = [(0.0, np.int64(-1), np.int64(0))]
    for t in range(n):
        if left[t] >= 0:
            heapq.heappush(heap, ((risk[t] - below[t]) / (leaves[t] - 1.0), np.int64(t), np.int64(0)))
    price = -np.inf
    while len(heap) > 0:
        g, t, at = heapq.heappop(heap)
        if t < 0 or gone[t] or stamp[t] != at:
            continue
        price = max(price, g)
        collapse[t] = price
        gone[t] = True
        _close(left, t, gone)
        saved, lost = risk[t] - below[t], leaves[t] - 1.0
        p = np.int64(parent[t])
        while p >= 0:
            below[p] += saved
            leaves[p] -= lost
            stamp[p] += 1
            heapq.heappush(heap, ((risk[p] - below[p]) / (leaves[p] - 1.0), p, stamp[p]))
            p = np.int64(parent[p])
    for t in range(n):  # a node never outlives its parent, nor is it closed before it is reached
        if left[t] >= 0:
            if collapse[t] == -np.inf:
                collapse[t] = collapse[parent[t]]
            elif parent[t] >= 0:
                collapse[t] = min(collapse[t], collapse[parent[t]])
