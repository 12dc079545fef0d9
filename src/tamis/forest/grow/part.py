# mypy: ignore-errors
"""A part of a node's rows, among which its split is looked for."""

from __future__ import annotations

from tamis.engine.kernel import inner
from tamis.forest.data.rng import below
from tamis.forest.grow.node import summarise


@inner
def spread(node_rows, n, state, out):
    """out: n of the rows, as far apart as they can be, from a place at random on; whatever order the rows are in."""
    step = len(node_rows) // n
    first = below(state, len(node_rows) - (n - 1) * step)
    for i in range(n):
        out[i] = node_rows[first + i * step]


@inner
def summarise_part(kind, rows, part, work):
    """The Node that these rows alone would be; their weights and targets into the workspace."""
    return summarise(kind, rows, part, work, work.left)
