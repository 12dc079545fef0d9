# mypy: allow-untyped-defs
"""Surrogate splits: other columns that send rows the way the primary split does.

Agreement of a surrogate is the weight of rows it sends to the same side as the primary split, divided by the weight of
all rows that the primary split can place; adjusted, it is measured from the majority side upwards:
(agreement - majority) / (1 - majority). At least two rows must go each way. (Breiman et al. 1984; as in rpart.)
"""

from __future__ import annotations

from tamis.engine.kernel import njit
from tamis.tree.layout import IS_CATEGORICAL, LEFT, LEVEL, LEVEL_SIDE, RIGHT, ROWS, UNKNOWN
from tamis.tree.sort import PLACE, SKIP, gather, sort_keys


@njit
def _tabulate(keys, n, low, high, side, weight, table, table_rows):
    """Weight sent left and right, and rows, of every code; sorted or not, codes are seen once then."""
    for code in range(high - low + 1):
        table_rows[code] = 0
        table[code, 0] = table[code, 1] = 0.0
    for p in range(n):
        i, code = keys[p] & PLACE, (keys[p] >> 32) - low
        table[code, side[i]] += weight[i]
        table_rows[code] += 1


@njit
def _agree_sorted(keys, n, side, weight, weight_left, weight_right):
    """Best agreeing cut: (agreeing weight, cut, upper, 1 when codes up to the cut go right); cut -2: none."""
    best, cut, upper, flip = max(weight_left, weight_right), -2, -2, 0
    same = cross = 0.0  # weight up to here that the primary split sends left; right
    for p in range(n - 2):
        i = keys[p] & PLACE
        if side[i] == LEFT:
            same += weight[i]
        else:
            cross += weight[i]
        if p == 0 or keys[p] >> 32 == keys[p + 1] >> 32:
            continue
        as_is = same + (weight_right - cross)
        flipped = cross + (weight_left - same)
        if as_is > best or flipped > best:
            flip = 0 if as_is > best else 1
            best, cut, upper = max(as_is, flipped), keys[p] >> 32, keys[p + 1] >> 32
    return best, cut, upper, flip


@njit
def _agree_table(n, low, high, table, table_rows, weight_left, weight_right):
    """As `_agree_sorted`, from the weights of each code."""
    best, cut, upper, flip, last = max(weight_left, weight_right), -2, -2, 0, low
    same = cross = 0.0
    rows = 0
    for code in range(high - low + 1):
        if table_rows[code] == 0:
            continue
        as_is = same + (weight_right - cross)
        flipped = cross + (weight_left - same)
        if rows >= 2 and n - rows >= 2 and (as_is > best or flipped > best):
            flip = 0 if as_is > best else 1
            best, cut, upper = max(as_is, flipped), last, code + low
        same += table[code, 0]
        cross += table[code, 1]
        rows += table_rows[code]
        last = code + low
    return best, cut, upper, flip


@njit
def _place_level(group, g, code, same, cross, weight_left, weight_right):
    """A level goes with the majority of its rows, a tied one with the majority of all."""
    left = same > cross or (same == cross and weight_left > weight_right)
    group[LEVEL, g] = code
    group[LEVEL_SIDE, g] = LEFT if left else RIGHT
    return same if left else cross


@njit
def _agree_levels(keys, spare, digits, n, low, high, side, weight, group, weight_left, weight_right):
    """Agreeing weight, and the number of levels placed in group[LEVEL]."""
    sort_keys(keys, spare, digits, n, low, high)
    agree = same = cross = 0.0
    g = 0
    for p in range(n):
        i = keys[p] & PLACE
        if side[i] == LEFT:
            same += weight[i]
        else:
            cross += weight[i]
        if p + 1 == n or keys[p] >> 32 != keys[p + 1] >> 32:
            agree += _place_level(group, g, keys[p] >> 32, same, cross, weight_left, weight_right)
            g += 1
            same = cross = 0.0
    return agree, g


@njit
def try_presorted(presorted, j, start, stop, missing, side, weight, keys):
    """As `try_surrogate` for numbers that are sorted already; `side` and `weight` are by row."""
    n, weight_left, weight_right = 0, 0.0, 0.0
    for p in range(start, stop):
        key = presorted[j, p]
        if key >> 32 == missing:
            break  # rows without a value come last
        r = key & PLACE
        if side[r] != UNKNOWN:
            keys[n] = key
            n += 1
            if side[r] == LEFT:
                weight_left += weight[r]
            else:
                weight_right += weight[r]
    if n < 2:
        return 0.0, -2, -2, 0, 0
    agree, cut, upper, flip = _agree_sorted(keys, n, side, weight, weight_left, weight_right)
    return (agree if cut >= 0 else 0.0), cut, upper, flip, 0


@njit
def try_surrogate(columns, work, rows, start, stop, j):
    """Column j as a surrogate of the split in work.side: (agreeing weight, cut, upper, flip, n_levels)."""
    keys, side, weight = work.keys[0], work.side, work.weight
    n_all, low, high = gather(columns, j, rows, start, stop, SKIP, keys)
    n, weight_left, weight_right = 0, 0.0, 0.0
    for p in range(n_all):  # rows that the primary split can place
        i = keys[p] & PLACE
        if side[i] != UNKNOWN:
            keys[n] = keys[p]
            n += 1
            if side[i] == LEFT:
                weight_left += weight[i]
            else:
                weight_right += weight[i]
    if n < 2 or low == high:
        return 0.0, -2, -2, 0, 0
    if columns.about[IS_CATEGORICAL, j]:
        agree, n_levels = _agree_levels(
            keys, work.keys[1], work.digits, n, low, high, side, weight, work.group, weight_left, weight_right
        )
        return agree, -2, -2, 0, n_levels
    if high - low < n:
        _tabulate(keys, n, low, high, side, weight, work.table, work.group[ROWS])
        agree, cut, upper, flip = _agree_table(n, low, high, work.table, work.group[ROWS], weight_left, weight_right)
    else:
        sort_keys(keys, work.keys[1], work.digits, n, low, high)
        agree, cut, upper, flip = _agree_sorted(keys, n, side, weight, weight_left, weight_right)
    return (agree if cut >= 0 else 0.0), cut, upper, flip, 0
