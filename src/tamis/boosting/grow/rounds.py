# mypy: allow-untyped-defs
"""Rounds of boosting: gradients of all rows, then a tree for every sum, whose answers are added to it."""

from __future__ import annotations

import numpy as np

from tamis.boosting.grow.tree import grow_tree
from tamis.boosting.layout import BEGIN, END, GAIN, LOGISTIC, SQUARED
from tamis.engine.exponential import exp_below_0
from tamis.engine.intrinsics import vector
from tamis.engine.kernel import inner, njit


@njit(error_model="numpy")
def boost(table, target, limits, scores, buffers, grown, n_rounds, which):
    """So many rounds; every tree is appended to those that are grown, class after class in a round.

    which : -1 for all sums; else the one sum that gets a tree, by the gradients that are there.
    """
    state = vector(1, np.uint64)
    for _ in range(n_rounds):
        if which < 0:
            differentiate(target, scores.raw, scores.gradient, scores.hessian)
        for k in range(max(which, 0), len(scores.raw) if which < 0 else which + 1):
            _add_tree(table, target, limits, scores, buffers, grown, k, state)


@njit(error_model="numpy")
def differentiate(target, raw, gradient, hessian):
    """Gradients and hessians of the loss by the sums; raw: (sums, rows)."""
    y, weight, n = target.values, target.weight, raw.shape[1]
    if target.loss == SQUARED:
        for i in range(n):
            gradient[0, i], hessian[0, i] = weight[i] * (raw[0, i] - y[i]), weight[i]
    elif target.loss == LOGISTIC:
        for i in range(n):
            e = exp_below_0(-abs(raw[0, i]))
            p = (1.0 if raw[0, i] >= 0.0 else e) / (1.0 + e)
            gradient[0, i], hessian[0, i] = weight[i] * (p - y[i]), weight[i] * e / ((1.0 + e) * (1.0 + e))
    else:
        _differentiate_several(y, weight, raw, gradient, hessian)


@inner
def _differentiate_several(y, weight, raw, gradient, hessian):
    """Those of the multinomial loss: p - 1 of the row's class, p of the others, and p (1 - p)."""
    for i in range(raw.shape[1]):
        top, total = raw[0, i], 0.0
        for k in range(len(raw)):
            top = max(top, raw[k, i])
        for k in range(len(raw)):
            gradient[k, i] = exp_below_0(raw[k, i] - top)
            total += gradient[k, i]
        for k in range(len(raw)):
            p = gradient[k, i] / total
            gradient[k, i], hessian[k, i] = weight[i] * (p - (y[i] == k)), weight[i] * p * (1.0 - p)


@inner
def _add_tree(table, target, limits, scores, buffers, grown, k, state):
    """Grow a tree on the gradients of sum k, and add what its leaves answer."""
    raw, rows, leaf = scores.raw[k], buffers.rows, buffers.leaf
    grown.used[1] += 1
    n_leaves = grow_tree(table, limits, scores.gradient[k], scores.hessian[k], target.counted, buffers, grown, state)
    for q in range(n_leaves):
        answer = buffers.sums[GAIN, q]
        for i in range(leaf[BEGIN, q], leaf[END, q]):
            raw[rows[i]] += answer
