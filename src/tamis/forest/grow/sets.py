# mypy: ignore-errors
"""The levels that go left at a categorical split: a bit for each, or a list of the few that differ from the rest.

While a node is divided its set is bits. In the tree it is kept in whichever form is shorter: bits from the word on that
the split's `threshold` says; or, with a threshold below zero, from the word -1 - threshold on a list. The first word of
a list is twice its length, plus 1 if all other levels go left; then come the listed levels in order, four to a word.
Without lists every split on a column of 30,000 levels would take 4 kB.
"""

from __future__ import annotations

import numpy as np

from tamis.engine.intrinsics import vector
from tamis.engine.kernel import inner, njit

ONE = np.uint64(1)


@inner(forceinline=True)
def has(bits, base, level):
    """Whether the bits that begin at `base` have a level."""
    return (bits[base + (level >> 6)] >> np.uint64(level & 63)) & ONE != 0


@inner
def holds(sets, threshold, level):
    """Whether a level goes left at a split of this threshold."""
    place = np.int64(threshold)
    if place >= 0:
        return has(sets, place, level)
    first = -place  # the word after the head
    low, high = np.int64(0), np.int64(sets[first - 1] >> ONE)
    rest_left = sets[first - 1] & ONE != 0
    while low < high:
        middle = (low + high) >> 1
        listed = np.int64((sets[first + (middle >> 2)] >> np.uint64((middle & 3) << 4)) & np.uint64(0xFFFF))
        if listed == level:
            return not rest_left
        if listed < level:
            low = middle + 1
        else:
            high = middle
    return rest_left


@inner
def write_bits(n_values, line, node_rows, n_set, weight, total, chosen, bits):
    """The bits of the levels that go left; levels the node has not met go with the heavier side: True if left."""
    words = (n_values >> 6) + 1
    for k in range(words):
        bits[k] = 0
    for i in range(n_set):
        bits[chosen[i] >> 6] |= ONE << np.uint64(chosen[i] & 63)
    left = 0.0
    for i in range(len(node_rows)):
        if has(bits, 0, np.int64(line[node_rows[i]])):
            left += weight[node_rows[i]]
    if 2.0 * left < total:
        return False
    for k in range(words):
        bits[k] = ~np.uint64(0)
    for i in range(len(node_rows)):
        c = np.int64(line[node_rows[i]])
        bits[c >> 6] &= ~(ONE << np.uint64(c & 63))
    for i in range(n_set):
        bits[chosen[i] >> 6] |= ONE << np.uint64(chosen[i] & 63)
    return True


@inner
def keep(bits, n_values, rest_left, base, sets):
    """Write a set to the word `base` and those after it; the split's threshold, and how many words it took."""
    words, rest = (n_values >> 6) + 1, ~np.uint64(0) if rest_left else np.uint64(0)
    n = 0
    for k in range(words):
        word = bits[k] ^ rest
        while word:
            word &= word - ONE
            n += 1
    if 1 + ((n + 3) >> 2) >= words:
        for k in range(words):
            sets[base + k] = bits[k]
        return np.float64(base), words
    sets[base] = (np.uint64(n) << ONE) | np.uint64(rest_left)
    n = 0
    for k in range(words):
        word = bits[k] ^ rest
        for b in range(64 if word else 0):
            if (word >> np.uint64(b)) & ONE:
                at, shift = base + 1 + (n >> 2), np.uint64((n & 3) << 4)
                level = np.uint64((k << 6) + b) << shift
                sets[at] = level if shift == 0 else sets[at] | level
                n += 1
    return np.float64(-1 - base), 1 + ((n + 3) >> 2)


@inner
def most_words(binned):
    """Words that the set of a split can take at most."""
    most = 0
    for j in range(len(binned.n_values)):
        if binned.category[j]:
            most = max(most, (binned.n_values[j] >> 6) + 1)
    return most


@njit(error_model="numpy")
def lengthened(words, used, n):
    """An array of n words that begins with those in use."""
    longer = vector(n, np.uint64)
    for i in range(used):  # a slice would bring in the words of an error about shapes: two seconds of compiling
        longer[i] = words[i]
    return longer
