# mypy: allow-untyped-defs
"""The compiled half of the information criteria: what one column and every other share, plainly and within classes."""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import njit


@njit
def shared(codes, sizes, j, xlogx, entropy, out):
    """out[i] = I(x_i; x_j); `xlogx[c]` is c log c, `entropy` holds H(x_i), in nats."""
    d, n = codes.shape
    counts = np.zeros(sizes.max() * sizes[j], dtype=np.int64)
    own, width = codes[j], np.int64(sizes[j])
    for i in range(d):
        cells = np.int64(sizes[i]) * width
        counts[:cells] = 0
        other = codes[i]
        for r in range(n):
            counts[other[r] * width + own[r]] += 1
        joint = 0.0
        for c in range(cells):
            joint += xlogx[counts[c]]
        found = entropy[i] + entropy[j] - (xlogx[n] - joint) / n
        out[i] = found if found > 0.0 else 0.0


@njit
def shared_within(codes, sizes, j, classes, n_classes, xlogx, out):
    """out[i] = I(x_i; x_j | y), the mean over classes of what the two share within a class."""
    d, n = codes.shape
    most = np.int64(sizes.max())
    width = np.int64(sizes[j])
    joint = np.zeros((most * width, n_classes), dtype=np.int64)
    left = np.zeros((most, n_classes), dtype=np.int64)
    right = np.zeros((width, n_classes), dtype=np.int64)
    own = codes[j]
    total = 0.0
    for r in range(n):
        right[own[r], classes[r]] += 1
    for v in range(width):
        for c in range(n_classes):
            total += xlogx[right[v, c]]
    base = 0.0
    for c in range(n_classes):
        size = 0
        for v in range(width):
            size += right[v, c]
        base += xlogx[size]
    for i in range(d):
        k = np.int64(sizes[i])
        joint[: k * width] = 0
        left[:k] = 0
        other = codes[i]
        for r in range(n):
            joint[other[r] * width + own[r], classes[r]] += 1
            left[other[r], classes[r]] += 1
        inside = 0.0
        for v in range(k * width):
            for c in range(n_classes):
                inside += xlogx[joint[v, c]]
        margin = 0.0
        for v in range(k):
            for c in range(n_classes):
                margin += xlogx[left[v, c]]
        found = (inside - margin - total + base) / n
        out[i] = found if found > 0.0 else 0.0
