"""Fayyad and Irani's discretisation as the paper writes it: every cut between two values, tried one by one."""

from math import log, log2

TIE = 1e-10  # bits a row: a later cut must be better by more


def entropy(labels):
    n = len(labels)
    return -sum(labels.count(c) / n * log2(labels.count(c) / n) for c in set(labels))


def class_cuts(values, labels):
    """All accepted cuts of a column, growing."""
    pairs = sorted(zip(values, labels), key=lambda pair: pair[0])
    n = len(pairs)
    whole = [c for _, c in pairs]
    best = None
    for i in range(1, n):
        if pairs[i - 1][0] == pairs[i][0]:
            continue
        left, right = whole[:i], whole[i:]
        mean = len(left) / n * entropy(left) + len(right) / n * entropy(right)
        if best is None or mean < best[0] - TIE:
            best = (mean, i)
    if best is None:
        return []
    mean, i = best
    left, right = whole[:i], whole[i:]
    gain = entropy(whole) - mean
    k, k1, k2 = len(set(whole)), len(set(left)), len(set(right))
    delta = log2(3**k - 2) - (k * entropy(whole) - k1 * entropy(left) - k2 * entropy(right))
    if gain <= (log2(n - 1) + delta) / n:
        return []
    cut = (pairs[i - 1][0] + pairs[i][0]) / 2
    below, above = pairs[:i], pairs[i:]
    return [*class_cuts(*zip(*below)), cut, *class_cuts(*zip(*above))]


def number_cuts(values, target):
    """All accepted cuts of a column by the squared error of a numeric target, growing."""
    n = len(target)
    mean = sum(target) / n
    variance = sum((t - mean) ** 2 for t in target) / n
    return _number_cuts(sorted(zip(values, target), key=lambda pair: pair[0]), variance)


def _number_cuts(pairs, variance):
    n = len(pairs)
    target = [t for _, t in pairs]
    before = _squares(target)
    best = None
    for i in range(1, n):
        if pairs[i - 1][0] == pairs[i][0]:
            continue
        after = _squares(target[:i]) + _squares(target[i:])
        if best is None or after < best[0] - TIE * n * variance:
            best = (after, i)
    if best is None or variance == 0:
        return []
    after, i = best
    if n / 2 * log((before + variance) / (after + variance)) <= log(n - 1) + log(n) / 2:
        return []
    cut = (pairs[i - 1][0] + pairs[i][0]) / 2
    return [*_number_cuts(pairs[:i], variance), cut, *_number_cuts(pairs[i:], variance)]


def _squares(target):
    mean = sum(target) / len(target)
    return sum((t - mean) ** 2 for t in target)
