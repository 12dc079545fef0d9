# mypy: allow-untyped-defs
"""Surrogate splits: other columns that send rows the way the primary split does.

Agreement of a surrogate is the weight of rows it sends to the same side as the primary split, divided by the weight of
all rows that the primary split can place; adjusted, it is measured from the majority side upwards:
(agreement - majority) / (1 - majority). At least two rows must go each way. (Breiman et al. 1984; as in rpart.)
"""

from __future__ import annotations

from tamis.engine.kernel import inner, njit
from tamis.tree.grow.layout import (
    HIGH,
    IS_CATEGORICAL,
    LEFT,
    LEVEL,
    LEVEL_SIDE,
    N_VALUES,
    ORDER,
    PLACE,
    RIGHT,
    ROWS,
    UNKNOWN,
)
from tamis.tree.grow.lists import more, put_levels
from tamis.tree.grow.scan.sort import SKIP, gather, sort_keys
from tamis.tree.grow.scan.two_classes import scan_directions


@inner
def _tabulate(keys, n, low, high, side, weight, table, table_rows):
    """Weight sent left and right, and rows, of every code; sorted or not, codes are seen once then."""
    for code in range(high - low + 1):
        table_rows[code] = 0
        table[code, 0] = table[code, 1] = 0.0
    for p in range(n):
        i, code = keys[p] & PLACE, (keys[p] >> HIGH) - low
        table[code, side[i]] += weight[i]
        table_rows[code] += 1


@inner
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
        if p == 0 or keys[p] >> HIGH == keys[p + 1] >> HIGH:
            continue
        as_is = same + (weight_right - cross)
        flipped = cross + (weight_left - same)
        if as_is > best or flipped > best:
            flip = 0 if as_is > best else 1
            best, cut, upper = max(as_is, flipped), keys[p] >> HIGH, keys[p + 1] >> HIGH
    return best, cut, upper, flip


@inner
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


@inner
def _place_level(group, g, code, same, cross, weight_left, weight_right):
    """A level goes with the majority of its rows, a tied one with the majority of all."""
    left = same > cross or (same == cross and weight_left > weight_right)
    group[LEVEL, g] = code
    group[LEVEL_SIDE, g] = LEFT if left else RIGHT
    return same if left else cross


@inner
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
        if p + 1 == n or keys[p] >> HIGH != keys[p + 1] >> HIGH:
            agree += _place_level(group, g, keys[p] >> HIGH, same, cross, weight_left, weight_right)
            g += 1
            same = cross = 0.0
    return agree, g


@inner
def _codes_around(keys, direction, p):
    """Codes of the last row up to place p, and of the first one beyond, that the primary split can place."""
    q = p
    while direction[keys[q] & PLACE] == 0:
        q -= 1
    p += 1
    while direction[keys[p] & PLACE] == 0:
        p += 1
    return keys[q] >> HIGH, keys[p] >> HIGH


@inner
def _second(keys, direction, start, step):
    """Place of the second row, from one end, that the primary split can place; -1 when there is none."""
    seen, p = 0, start
    while 0 <= p < len(keys):
        seen += direction[keys[p] & PLACE] & 1
        if seen == 2:
            return p
        p += step
    return -1


@inner
def _scan_weighted(keys, direction, weight, first, last):
    """As `scan_directions`, of rows that weigh differently."""
    d = most = least = 0.0
    most_at = least_at = -1
    for p in range(last):
        row = keys[p] & PLACE
        d += direction[row] * weight[row]
        if (d > most or d < least) and p >= first and keys[p] >> HIGH != keys[p + 1] >> HIGH:
            if d > most:
                most, most_at = d, p
            else:
                least, least_at = d, p
    return most, most_at, least, least_at


@inner(forceinline=True)
def _try_ordered(presorted, j, start, stop, missing, direction, tally, weight, unit, left, right, bar):
    """As `try_surrogate` for a column in order; `left` and `right` are weights that the primary split sends there.

    The weight that agrees is `right` plus the running sum of (left - right), or `left` minus it: the highest and the
    lowest running sum decide. Agreement up to `bar` is of no use.
    """
    p, placed, apart = stop, 0, 0
    while p > start and presorted[j, p - 1] >> HIGH == missing:
        p -= 1
        row = presorted[j, p] & PLACE
        placed += direction[row] & 1
        apart += direction[row]
        if unit == 0.0:
            left -= weight[row] * (direction[row] > 0)
            right -= weight[row] * (direction[row] < 0)
    left -= unit * ((placed + apart) >> 1)
    right -= unit * ((placed - apart) >> 1)
    keys, bar = presorted[j, start:p], max(bar, left, right)
    if left + right <= bar:
        return 0.0, -2, -2, 0, 0
    first, last = _second(keys, direction, 0, 1), _second(keys, direction, len(keys) - 1, -1)
    if first < 0 or first >= last:
        return 0.0, -2, -2, 0, 0
    if unit > 0.0:
        enough, little = int((bar - right) / unit + 1e-6), int((left - bar) / unit - 1e-6)
        most, most_at, least, least_at = scan_directions(keys, direction, tally, first, last, enough, little)
        as_is, flipped = right + unit * most, left - unit * least
    else:
        most, most_at, least, least_at = _scan_weighted(keys, direction, weight, first, last)
        as_is, flipped = right + most, left - least
    best = max(as_is if most_at >= 0 else 0.0, flipped if least_at >= 0 else 0.0)
    if best <= bar:
        return 0.0, -2, -2, 0, 0
    flip = most_at < 0 or as_is < best or (least_at >= 0 and flipped == best and least_at < most_at)
    cut, upper = _codes_around(keys, direction, least_at if flip else most_at)
    return best, cut, upper, int(flip), 0


@inner
def try_surrogate(columns, buffers, rows, start, stop, j):
    """Column j as a surrogate of the split in work.side: (agreeing weight, cut, upper, flip, n_levels)."""
    keys, side, weight = buffers.keys[0], buffers.side, buffers.weight
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
            keys, buffers.keys[1], buffers.digits, n, low, high, side, weight, buffers.group, weight_left, weight_right
        )
        return agree, -2, -2, 0, n_levels
    if high - low < n:
        _tabulate(keys, n, low, high, side, weight, buffers.table, buffers.group[ROWS])
        agree, cut, upper, flip = _agree_table(
            n, low, high, buffers.table, buffers.group[ROWS], weight_left, weight_right
        )
    else:
        sort_keys(keys, buffers.keys[1], buffers.digits, n, low, high)
        agree, cut, upper, flip = _agree_sorted(keys, n, side, weight, weight_left, weight_right)
    return (agree if cut >= 0 else 0.0), cut, upper, flip, 0


@inner(forceinline=True)
def _try_any(columns, target, buffers, rows, start, stop, j, left, right, bar, gathered):
    """Column j as a surrogate, whether it is kept in order or not."""
    if gathered is not None:  # noqa: SIM102
        if len(buffers.presorted) == 0 or columns.about[IS_CATEGORICAL, j]:
            return try_surrogate(columns, buffers, rows, start, stop, j)
    missing = columns.about[N_VALUES, j]
    return _try_ordered(
        buffers.presorted,
        j,
        start,
        stop,
        missing,
        buffers.direction,
        buffers.tally,
        target.case,
        buffers.unit,
        left,
        right,
        bar,
    )


@inner
def _make_room(surrogate, agreement, found, most, share):
    """The place of a surrogate of that agreement; those after it move down, the last may fall out."""
    q = found
    while q > 0 and agreement[q - 1, 0] < share:
        if q < most:
            for k in range(6):
                surrogate[q, k] = surrogate[q - 1, k]
            agreement[q, 0], agreement[q, 1] = agreement[q - 1, 0], agreement[q - 1, 1]
        q -= 1
    return q


@inner
def _find(
    columns,
    target,
    most,
    buffers,
    rows,
    start,
    stop,
    primary,
    left,
    right,
    surrogate,
    agreement,
    level,
    n_level,
    gathered,
):
    found, total, majority = 0, left + right, max(left, right)
    for t in range(columns.about.shape[1]):
        j = columns.about[ORDER, t]
        if j == primary:
            continue
        bar = majority * (1.0 + 1e-10)
        if found == most:  # it must agree more than the last of those found
            bar = max(bar, agreement[most - 1, 0] * total * (1.0 - 1e-10))
        agree, cut, upper, flip, n_levels = _try_any(
            columns, target, buffers, rows, start, stop, j, left, right, bar, gathered
        )
        if agree <= bar:
            continue
        q = _make_room(surrogate, agreement, found, most, agree / total)
        if q >= most:
            continue
        put_levels(level, n_level, buffers.group, n_levels)
        surrogate[q, 0], surrogate[q, 1], surrogate[q, 2] = j, cut, upper
        surrogate[q, 3], surrogate[q, 4], surrogate[q, 5] = flip, n_level, n_levels
        agreement[q, 0] = agree / total
        agreement[q, 1] = (agree - majority) / (total - majority)
        n_level += n_levels
        found = min(found + 1, most)
    return found, n_level


@njit
def find_surrogates(
    columns, target, most, buffers, rows, start, stop, primary, left, right, surrogate, agreement, level, n_level,
    gathered,
):  # fmt: skip
    """The best surrogates, best first, into surrogate[:most] and agreement[:most]; their number, and the levels."""
    room = 0
    for j in range(columns.about.shape[1]):
        if columns.about[IS_CATEGORICAL, j]:
            room += min(columns.about[N_VALUES, j], stop - start)
    level = more(level, n_level + room)
    found, n_level = _find(
        columns, target, most, buffers, rows, start, stop, primary, left, right, surrogate, agreement, level, n_level,
        gathered,
    )  # fmt: skip
    return found, level, n_level
