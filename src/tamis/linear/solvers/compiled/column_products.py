# mypy: allow-untyped-defs
"""Products with one column of a table that is stored dense or by its entries.

Z holds dense columns as rows (columns × rows of the table) and `place` is empty; or Z[0] holds the entries of a sparse
table, column by column, and `place` where each column begins, then the row of every entry. Both have the same types, so
a kernel is compiled once for either.
"""

from __future__ import annotations

from tamis.engine.kernel import inner
from tamis.linear.solvers.coordinate_descent import dot


@inner
def column_dot(Z, place, j, r):
    """Σ x r."""
    if len(place) == 0:
        return dot(Z[j], r)
    s, first = 0.0, len(place) - Z.shape[1]
    for e in range(place[j], place[j + 1]):
        s += Z[0, e] * r[place[first + e]]
    return s


@inner
def column_moments(Z, place, j, v):
    """Σ v x and Σ v x²."""
    one, two, first = 0.0, 0.0, len(place) - Z.shape[1]
    if len(place) == 0:
        for i in range(len(v)):
            one += v[i] * Z[j, i]
            two += v[i] * Z[j, i] * Z[j, i]
        return one, two
    for e in range(place[j], place[j + 1]):
        part = v[place[first + e]] * Z[0, e]
        one += part
        two += part * Z[0, e]
    return one, two


@inner
def column_add(Z, place, j, d, out):
    """out += d x."""
    if len(place) == 0:
        for i in range(len(out)):
            out[i] += d * Z[j, i]
        return
    first = len(place) - Z.shape[1]
    for e in range(place[j], place[j + 1]):
        out[place[first + e]] += d * Z[0, e]


@inner
def column_subtract(Z, place, j, d, v, out):
    """out -= d v x."""
    if len(place) == 0:
        for i in range(len(out)):
            out[i] -= d * v[i] * Z[j, i]
        return
    first = len(place) - Z.shape[1]
    for e in range(place[j], place[j + 1]):
        i = place[first + e]
        out[i] -= d * v[i] * Z[0, e]
