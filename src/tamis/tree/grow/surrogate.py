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
    LEFT,
    LEVEL,
    LEVEL_SIDE,
    PLACE,
    RIGHT,
    ROWS,
    UNKNOWN,
    CodeSpan,
    SideWeights,
    SplitLists,
)
from tamis.tree.grow.lists import more, put_levels
from tamis.tree.grow.scan.sort import SKIP, gather, sort_keys
from tamis.tree.grow.scan.two_classes import scan_directions
from tamis.views.binned import IS_CATEGORICAL, N_VALUES, ORDER


@inner
def _tabulate(keys, span, side, weight, table, table_rows):
    """table[code]: weight that the primary split sends left and right; table_rows[code]: rows."""
    for code in range(span.high - span.low + 1):
        table_rows[code] = 0
        table[code, 0] = table[code, 1] = 0.0
    for p in range(span.n):
        i, code = keys[p] & PLACE, (keys[p] >> HIGH) - span.low
        table[code, side[i]] += weight[i]
        table_rows[code] += 1


@inner
def _agree_sorted(keys, n, side, weight, sides):
    """Best agreeing cut: (agreeing weight, cut, upper, 1 when codes up to the cut go right); cut -2: none."""
    best, cut, upper, flip = max(sides.left, sides.right), -2, -2, 0
    same = cross = 0.0  # weight up to here that the primary split sends left; right
    for p in range(n - 2):
        i = keys[p] & PLACE
        if side[i] == LEFT:
            same += weight[i]
        else:
            cross += weight[i]
        if p == 0 or keys[p] >> HIGH == keys[p + 1] >> HIGH:
            continue
        as_is = same + (sides.right - cross)
        flipped = cross + (sides.left - same)
        if as_is > best or flipped > best:
            flip = 0 if as_is > best else 1
            best, cut, upper = max(as_is, flipped), keys[p] >> HIGH, keys[p + 1] >> HIGH
    return best, cut, upper, flip


@inner
def agree_table(span, table, table_rows, sides):
    """As `_agree_sorted`, from the weights of each code."""
    n, low, high = span
    best, cut, upper, flip, last = max(sides.left, sides.right), -2, -2, 0, low
    same = cross = 0.0
    rows = 0
    for code in range(high - low + 1):
        if table_rows[code] == 0:
            continue
        as_is = same + (sides.right - cross)
        flipped = cross + (sides.left - same)
        if rows >= 2 and n - rows >= 2 and (as_is > best or flipped > best):
            flip = 0 if as_is > best else 1
            best, cut, upper = max(as_is, flipped), last, code + low
        same += table[code, 0]
        cross += table[code, 1]
        rows += table_rows[code]
        last = code + low
    return best, cut, upper, flip


@inner
def _place_level(group, g, code, same, cross, sides):
    """A level goes with the majority of its rows, a tied one with the majority of all; returns its agreeing weight."""
    left = same > cross or (same == cross and sides.left > sides.right)
    group[LEVEL, g] = code
    group[LEVEL_SIDE, g] = LEFT if left else RIGHT
    return same if left else cross


@inner
def _agree_levels(sort, span, side, weight, group, sides):
    """Agreeing weight, and the number of levels placed in group[LEVEL]."""
    keys, n = sort.keys[0], span.n
    sort_keys(keys, sort.keys[1], sort.digits, span)
    agree = same = cross = 0.0
    g = 0
    for p in range(n):
        i = keys[p] & PLACE
        if side[i] == LEFT:
            same += weight[i]
        else:
            cross += weight[i]
        if p + 1 == n or keys[p] >> HIGH != keys[p + 1] >> HIGH:
            agree += _place_level(group, g, keys[p] >> HIGH, same, cross, sides)
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
def _try_ordered(keys, missing, direction, tally, weight, unit, sides, bar):
    """As `try_surrogate` for a column in order; keys: those of the node, missing: the code of missing values.

    The weight that agrees is sides.right plus the running sum of (left - right), or sides.left minus it: the highest
    and the lowest running sum decide. Agreement up to `bar` is of no use.
    """
    left, right = sides
    p, placed, apart = len(keys), 0, 0
    while p > 0 and keys[p - 1] >> HIGH == missing:
        p -= 1
        row = keys[p] & PLACE
        placed += direction[row] & 1
        apart += direction[row]
        if unit == 0.0:
            left -= weight[row] * (direction[row] > 0)
            right -= weight[row] * (direction[row] < 0)
    left -= unit * ((placed + apart) >> 1)
    right -= unit * ((placed - apart) >> 1)
    keys, bar = keys[:p], max(bar, left, right)
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
def try_surrogate(columns, buffers, node, j):
    """Column j as a surrogate of the split in buffers.side: (agreeing weight, cut, upper, flip, n_levels)."""
    keys, side, weight = buffers.sort.keys[0], buffers.side, buffers.gathered.weight
    n_all, low, high = gather(columns, j, node, SKIP, keys)
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
    span, sides = CodeSpan(n, low, high), SideWeights(weight_left, weight_right)
    table, group = buffers.levels.table, buffers.levels.group
    if columns.about[IS_CATEGORICAL, j]:
        agree, n_levels = _agree_levels(buffers.sort, span, side, weight, group, sides)
        return agree, -2, -2, 0, n_levels
    if high - low < n:
        _tabulate(keys, span, side, weight, table, group[ROWS])
        agree, cut, upper, flip = agree_table(span, table, group[ROWS], sides)
    else:
        sort_keys(keys, buffers.sort.keys[1], buffers.sort.digits, span)
        agree, cut, upper, flip = _agree_sorted(keys, n, side, weight, sides)
    return (agree if cut >= 0 else 0.0), cut, upper, flip, 0


@inner(forceinline=True)
def _try_any(columns, case, buffers, node, j, sides, bar, gathered):
    """Column j as a surrogate, whether it is kept in order or not; case: the user's weights."""
    if gathered is not None:  # noqa: SIM102 - what is None is known when it is compiled
        if len(buffers.presorted) == 0 or columns.about[IS_CATEGORICAL, j]:
            return try_surrogate(columns, buffers, node, j)
    keys, missing = buffers.presorted[j, node.start : node.stop], columns.about[N_VALUES, j]
    return _try_ordered(keys, missing, buffers.direction, buffers.tally, case, buffers.unit, sides, bar)


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
def _find(columns, case, most, buffers, node, primary, sides, lists, gathered):
    """As `find_surrogates`, with room enough in `lists`; their number, and that of all levels."""
    surrogate, agreement = lists.surrogate[lists.n_surrogate :], lists.agreement[lists.n_surrogate :]
    found, total, majority, n_level = 0, sides.left + sides.right, max(sides.left, sides.right), lists.n_level
    for t in range(columns.about.shape[1]):
        j = columns.about[ORDER, t]
        if j == primary:
            continue
        bar = majority * (1.0 + 1e-10)
        if found == most:  # it must agree more than the last of those found
            bar = max(bar, agreement[most - 1, 0] * total * (1.0 - 1e-10))
        agree, cut, upper, flip, n_levels = _try_any(columns, case, buffers, node, j, sides, bar, gathered)
        if agree <= bar:
            continue
        q = _make_room(surrogate, agreement, found, most, agree / total)
        if q >= most:
            continue
        put_levels(lists.level, n_level, buffers.levels.group, n_levels)
        surrogate[q, 0], surrogate[q, 1], surrogate[q, 2] = j, cut, upper
        surrogate[q, 3], surrogate[q, 4], surrogate[q, 5] = flip, n_level, n_levels
        agreement[q, 0] = agree / total
        agreement[q, 1] = (agree - majority) / (total - majority)
        n_level += n_levels
        found = min(found + 1, most)
    return found, n_level


@njit
def find_surrogates(columns, case, most, buffers, node, primary, sides, lists, gathered):
    """The best surrogates of a split on column `primary`, at most `most`, best first, behind those in `lists`.

    case: the user's weights. sides: SideWeights of the primary split. Returns their number, and the lists.
    """
    room = 0
    for j in range(columns.about.shape[1]):
        if columns.about[IS_CATEGORICAL, j]:
            room += min(columns.about[N_VALUES, j], node.stop - node.start)
    level, needed = more(lists.level, lists.n_level + room), lists.n_surrogate + most
    surrogate, agreement = more(lists.surrogate, needed), more(lists.agreement, needed)
    longer = SplitLists(level, lists.n_level, surrogate, agreement, lists.n_surrogate)
    found, n_level = _find(columns, case, most, buffers, node, primary, sides, longer, gathered)
    return found, SplitLists(level, n_level, surrogate, agreement, lists.n_surrogate + found)
