# mypy: allow-untyped-defs
"""Criteria: the goodness of a split, from the statistics of its two sides alone.

Statistics of a set of rows are the weight of each class, or the weight and, for each target, the weighted sum.
`goodness(left, total)` grows as both sides get purer; improvement is goodness minus that of the undivided rows.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner
from tamis.tree.grow.layout import CHI2, ENTROPY, GAIN_RATIO, GINI, POISSON


@inner
def weight_of(total):
    """The sum of the class weights."""
    out = 0.0
    for c in range(len(total)):
        out += total[c]
    return out


@inner
def _plogp(x):
    return x * np.log(x) if x > 0.0 else 0.0  # 0 log 0 = 0


@inner
def goodness(criterion, left, total, n_stats):
    """How good the split of `total` into `left` and the rest is; in units of weight times impurity."""
    if criterion == GINI:
        wl = wr = sl = sr = 0.0
        for c in range(n_stats):
            a = left[c]
            b = total[c] - a
            wl += a
            wr += b
            sl += a * a
            sr += b * b
        return (sl / wl if wl > 0.0 else 0.0) + (sr / wr if wr > 0.0 else 0.0)
    if criterion in (ENTROPY, GAIN_RATIO):
        wl = wr = out = 0.0
        for c in range(n_stats):
            a = left[c]
            b = total[c] - a
            wl += a
            wr += b
            out += _plogp(a) + _plogp(b)
        return out - _plogp(wl) - _plogp(wr)
    if criterion == CHI2:
        return _chi2(left, total, n_stats)
    wl = left[0]
    wr = total[0] - wl
    out = 0.0
    for k in range(1, n_stats):
        a = left[k]
        b = total[k] - a
        if criterion == POISSON:
            out += (a * np.log(a / wl) if a > 0.0 else 0.0) + (b * np.log(b / wr) if b > 0.0 else 0.0)
        else:
            out += (a * a / wl if wl > 0.0 else 0.0) + (b * b / wr if wr > 0.0 else 0.0)
    return out


@inner
def _chi2(left, total, n_stats):
    """Pearson's statistic of the table sides × classes."""
    w = wl = 0.0
    for c in range(n_stats):
        w += total[c]
        wl += left[c]
    wr = w - wl
    if wl <= 0.0 or wr <= 0.0:
        return 0.0
    out = 0.0
    for c in range(n_stats):
        if total[c] > 0.0:
            off = left[c] - wl * total[c] / w
            out += off * off / total[c]
    return out * w * (1.0 / wl + 1.0 / wr)


@inner
def enough(criterion, left, total, n_stats, least):
    """Whether both sides weigh at least `least`."""
    if least <= 0.0:
        return True
    w, wl = total[0], left[0]
    if criterion <= CHI2:
        for c in range(1, n_stats):
            w += total[c]
            wl += left[c]
    return wl >= least and w - wl >= least


@inner
def undivided(criterion, total, n_stats):
    """Goodness of the rows left in one node."""
    if criterion == GINI:
        w = s = 0.0
        for c in range(n_stats):
            w += total[c]
            s += total[c] * total[c]
        return s / w if w > 0.0 else 0.0
    if criterion in (ENTROPY, GAIN_RATIO):
        w = out = 0.0
        for c in range(n_stats):
            w += total[c]
            out += _plogp(total[c])
        return out - _plogp(w)
    if criterion == CHI2:
        return 0.0
    out = 0.0
    for k in range(1, n_stats):
        a = total[k]
        if criterion == POISSON:
            out += a * np.log(a / total[0]) if a > 0.0 else 0.0
        elif total[0] > 0.0:
            out += a * a / total[0]
    return out


@inner
def class_impurity(criterion, total, n_stats):
    """Impurity of a node of classes times its weight: Gini, or entropy in nats."""
    w = 0.0
    for c in range(n_stats):
        w += total[c]
    if criterion in (ENTROPY, GAIN_RATIO):
        return -undivided(ENTROPY, total, n_stats)
    return w - undivided(GINI, total, n_stats)


@inner
def split_information(left_weight, total_weight):
    """Entropy of the two sides' sizes, per unit of weight: what gain_ratio divides by."""
    p = left_weight / total_weight
    return -_plogp(p) - _plogp(1.0 - p)


@inner
def excess(criterion, total, impurity, n_rows, n_stats, n_groups):
    """Improvement that a categorical column owes to having more than ten levels.

    Levels of pure noise scatter around the node's mean; cutting their ordering in two captures a share 2/π of that
    scatter, so each level adds about 2/π of one row's impurity. Levels beyond the tenth are charged that much.
    """
    if n_groups <= 10:
        return 0.0
    levels = 2.0 / np.pi * (n_groups - 10)
    if criterion == CHI2:
        return levels
    if criterion in (ENTROPY, GAIN_RATIO):
        w = 0.0
        for c in range(n_stats):
            w += total[c]
        return 0.5 * levels * w / n_rows
    directions = n_stats - 1 if criterion == GINI else 1
    share = 0.5 if criterion == POISSON else 1.0
    return share * levels * impurity / (n_rows * directions)
