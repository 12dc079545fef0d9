# mypy: ignore-errors
"""Sums of the target and of weights over a node's rows, by bucket, level or class.

An addition to a sum in memory waits for the one before it to the same sum. Where there are few sums, so that this is
the rule, rows are added by turns to one of four copies.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.kernel import inner

COPIED = 64  # sums up to which there are copies
COPIES = 4


@inner(forceinline=True)
def sum_number(m, last, work):
    """bucket[k, 0] and table[k]: weight and sum of z of the rows with the code k, up to `last`; they are 0 before."""
    code, weight, z, copies, bucket, table = work.code, work.weight, work.z, work.copies, work.bucket, work.table
    if last >= COPIED or last > m:
        for i in range(m):
            c = code[i]
            bucket[c, 0] += weight[i]
            table[c] += z[i]
        return
    wide, whole = np.uint64(2 * COPIES), m & ~3
    for i in range(0, whole, 4):
        a, b = np.uint64(code[i]) * wide, np.uint64(code[i + 1]) * wide + np.uint64(2)
        c, d = np.uint64(code[i + 2]) * wide + np.uint64(4), np.uint64(code[i + 3]) * wide + np.uint64(6)
        copies[a] += weight[i]
        copies[a + np.uint64(1)] += z[i]
        copies[b] += weight[i + 1]
        copies[b + np.uint64(1)] += z[i + 1]
        copies[c] += weight[i + 2]
        copies[c + np.uint64(1)] += z[i + 2]
        copies[d] += weight[i + 3]
        copies[d + np.uint64(1)] += z[i + 3]
    for i in range(whole, m):
        a = np.uint64(code[i]) * wide
        copies[a] += weight[i]
        copies[a + np.uint64(1)] += z[i]
    for k in range(last + 1):
        at = 2 * COPIES * k
        bucket[k, 0] = (copies[at] + copies[at + 2]) + (copies[at + 4] + copies[at + 6])
        table[k] = (copies[at + 1] + copies[at + 3]) + (copies[at + 5] + copies[at + 7])
        for q in range(2 * COPIES):
            copies[at + q] = 0.0


@inner(forceinline=True)
def sum_classes(m, last, n_classes, work):
    """table[k * n_classes + c]: weight of the rows with the code k and the class c, likewise."""
    code, classes, weight, copies, table = work.code, work.classes, work.weight, work.copies, work.table
    stride, n = np.uint64(n_classes), (last + 1) * n_classes
    if n > 2 * COPIED or n > m:
        for i in range(m):
            table[code[i] * stride + classes[i]] += weight[i]
        return
    wide, whole = np.uint64(COPIES), m & ~3
    for i in range(0, whole, 4):
        copies[(code[i] * stride + classes[i]) * wide] += weight[i]
        copies[(code[i + 1] * stride + classes[i + 1]) * wide + np.uint64(1)] += weight[i + 1]
        copies[(code[i + 2] * stride + classes[i + 2]) * wide + np.uint64(2)] += weight[i + 2]
        copies[(code[i + 3] * stride + classes[i + 3]) * wide + np.uint64(3)] += weight[i + 3]
    for i in range(whole, m):
        copies[(code[i] * stride + classes[i]) * wide] += weight[i]
    for k in range(n):
        at = COPIES * k
        table[k] = (copies[at] + copies[at + 1]) + (copies[at + 2] + copies[at + 3])
        for q in range(COPIES):
            copies[at + q] = 0.0


@inner
def count_drawn(m, work):
    """bucket[k, 1]: how often rows with the code k were drawn."""
    for i in range(m):
        work.bucket[work.code[i], 1] += work.counts[i]
