# mypy: allow-untyped-defs
"""Trees that were grown apart become one forest: columns, sets, sums and leaf tables get their places in it."""

from __future__ import annotations

from tamis.engine.kernel import njit
from tamis.forest.layout import CATEGORY, COLUMN, OBLIQUE


@njit(error_model="numpy")
def renumber(nodes, roots, columns, before, n_classes, tabled):
    """Rewrite the nodes of all trees in place.

    columns: the positions of the binned table's columns in the user's table. before[t]: words of sets, sums and rows
    of leaf tables that the trees before t have. tabled: leaves may ask for a row of the leaf table.
    """
    for t in range(len(roots) - 1):
        sets, sums, tables = before[t, 0], before[t, 1], before[t, 2]
        for k in range(roots[t], roots[t + 1]):
            node = nodes[k]
            if node.left < 0:
                if tabled and node.column >= n_classes:
                    node.column += tables
            elif node.column & OBLIQUE:
                node.column += sums
            else:
                node.column = (node.column & ~COLUMN) | columns[node.column & COLUMN]
                if node.column & CATEGORY:
                    node.threshold += sets if node.threshold >= 0.0 else -sets
