# mypy: allow-untyped-defs
"""What a node holds: its statistics, impurity and risk; and whether there is anything left to split."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner
from tamis.tree.grow.layout import ABSOLUTE_ERROR, CHI2, IMPURITY, POISSON, RISK, TOTAL, WEIGHT
from tamis.tree.grow.scan.absolute_error import median_of, rank_targets
from tamis.tree.grow.scan.criterion import class_impurity, weight_of


@inner
def _gather_classes(target, node, gathered):
    """The node's classes and weights, by their place in the node."""
    for i in range(node.stop - node.start):
        row = node.rows[node.start + i]
        gathered.classes[i] = target.classes[row]
        gathered.weight[i] = target.weight[row]


@inner
def _count_classes(target, share, node, total, stats):
    """Weight of each class in the node; how many classes there are."""
    rows, start, stop, classes, weight = node.rows, node.start, node.stop, target.classes, target.weight
    for c in range(len(total)):
        total[c] = 0.0
    if len(share) == 2:
        ones = 0
        for i in range(start, stop):
            ones += classes[rows[i]]
        total[0], total[1] = share[0] * (stop - start - ones), share[1] * ones
    else:
        for i in range(start, stop):
            total[classes[rows[i]]] += weight[rows[i]]
    present = 0
    for c in range(len(total)):
        stats[c] = total[c]
        present += total[c] > 0.0
    return present


@inner
def _gather_numbers(target, node, gathered, total, stats):
    """The node's targets and weights, the weight and the means; whether all targets are the same."""
    source, values = target.values, gathered.values
    for c in range(len(total)):
        total[c] = 0.0
    same = True
    for i in range(node.stop - node.start):
        r = node.rows[node.start + i]
        w = target.weight[r]
        gathered.weight[i] = w
        total[0] += w
        for k in range(len(total) - 1):
            values[i, k] = source[r, k]
            total[k + 1] += w * source[r, k]
            same = same and values[i, k] == values[0, k]
    stats[0] = total[0]
    for k in range(1, len(total)):
        stats[k] = total[k] / total[0]
    return same


@inner
def _squares(values, weight, m, total, stats, centre):
    """Σ w (y - mean)²; on the way, targets may be centred: sums of squares then lose no digits."""
    out = 0.0
    for k in range(1, len(stats)):
        shifted = 0.0
        for i in range(m):
            off = values[i, k - 1] - stats[k]
            out += weight[i] * off * off
            shifted += weight[i] * off
            if centre:
                values[i, k - 1] = off
        if centre:
            total[k] = shifted
    return out


@inner
def summarise(target, buffers, node, floats, stats, gathered):
    """Gather the node's rows, its statistics, impurity and risk; impurity is 0 when all targets are the same."""
    criterion, m, total = target.criterion, node.stop - node.start, buffers.stats[TOTAL]
    if criterion <= CHI2:
        if gathered is not None:  # columns in order read classes by row
            _gather_classes(target, node, buffers.gathered)
        present = _count_classes(target, buffers.share, node, total, stats)
        floats[WEIGHT] = weight_of(total)
        floats[RISK] = 0.0
        floats[IMPURITY] = class_impurity(criterion, total, len(total)) if present > 1 else 0.0
        return
    same = _gather_numbers(target, node, buffers.gathered, total, stats)
    floats[WEIGHT] = total[0]
    centre = criterion != POISSON and criterion != ABSOLUTE_ERROR
    values, weight = buffers.gathered.values, buffers.gathered.weight
    floats[RISK] = floats[IMPURITY] = _squares(values, weight, m, total, stats, centre)
    if gathered is not None:
        _other_losses(criterion, buffers.gathered, buffers.median, m, floats, stats)
    if same:
        floats[RISK] = floats[IMPURITY] = 0.0


@inner
def _other_losses(criterion, gathered, median, m, floats, stats):
    """Impurity and risk of the criteria for numbers that no column is kept in order for."""
    values, weight = gathered.values, gathered.weight
    if criterion == POISSON:
        floats[IMPURITY] = 0.0
        for k in range(1, len(stats)):
            for i in range(m):
                y = values[i, k - 1]
                if y > 0.0:
                    floats[IMPURITY] += weight[i] * y * np.log(y / stats[k])
    elif criterion == ABSOLUTE_ERROR:
        rank_targets(values, m, median)
        middle = median_of(weight, median.rank[0], median.fenwick, m)
        floats[RISK] += stats[0] * (stats[1] - middle) ** 2
        floats[IMPURITY] = 0.0
        for i in range(m):
            floats[IMPURITY] += weight[i] * abs(values[i, 0] - middle)
        stats[1] = middle


@inner
def is_uniform(target, rows, start, stop):
    """Whether all targets of the rows are the same."""
    for i in range(start + 1, stop):
        if target.criterion <= CHI2:
            if target.classes[rows[i]] != target.classes[rows[start]]:
                return False
        else:
            for k in range(target.n_stats - 1):
                if target.values[rows[i], k] != target.values[rows[start], k]:
                    return False
    return True
