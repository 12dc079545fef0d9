# mypy: allow-untyped-defs
"""The kernels that find splits from a table of codes, called with the tables of a large node."""

from __future__ import annotations

from tamis.engine.kernel import njit
from tamis.tree.grow.layout import ARRANGED, CODE, ROWS, CodeSpan, SideWeights
from tamis.tree.grow.scan.categories import divide
from tamis.tree.grow.scan.criterion import undivided
from tamis.tree.grow.scan.thresholds import scan_table
from tamis.tree.grow.surrogate import agree_table


@njit
def cut_numbers(criterion, n, table, rows, left, total, limits):
    """Improvement of the best cut of codes in order, the last code on the left (-2: none) and the next one."""
    best, cut, upper = scan_table(criterion, CodeSpan(n, 0, len(rows) - 1), table, rows, left, total, limits)
    return best - undivided(criterion, total, len(total)), cut, upper


@njit
def divide_levels(criterion, n, n_groups, levels, stats, total, limits):
    """Improvement of the best division of levels, and how many of levels.group[ARRANGED] go left."""
    best, n_left = divide(criterion, n, n_groups, levels, stats, total, limits)
    return best - undivided(criterion, total, len(total)), n_left


@njit
def best_agreement(n, table, rows, left, right):
    """Agreeing rows of the best surrogate cut, the codes around it, and 1 when codes up to it go right."""
    return agree_table(CodeSpan(n, 0, len(rows) - 1), table, rows, SideWeights(left, right))


__all__ = ["ARRANGED", "CODE", "ROWS", "best_agreement", "cut_numbers", "divide_levels"]
