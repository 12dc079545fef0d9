"""What is written in fewer words than Numba's does the same: loops, parts of arrays, the smaller of two numbers."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.engine.intrinsics import matrix
from tamis.engine.kernel import njit


@njit(error_model="numpy")
def _counted(first, end, out):
    """Values of loops whose steps are written out, one after another; how many there are."""
    n = 0
    for i in range(end):
        out[n] = i
        n += 1
    for i in range(first, end):
        out[n] = i
        n += 1
    for i in range(first, end, 3):
        out[n] = i
        n += 1
    for i in range(end, first, -1):
        out[n] = i
        n += 1
    for i in range(end, first, -4):
        out[n] = i
        n += 1
    return n


@njit(error_model="numpy")
def _stepped(first, end, step, out):
    """A loop whose step is not known beforehand, and its last value afterwards."""
    n, i = 0, np.int64(-99)
    for i in range(first, end, step):
        out[n] = i
        n += 1
    out[n] = i
    return n + 1


@njit(error_model="numpy")
def _parts(table, line, a, b, i):
    """Sums of parts of arrays."""
    out = np.empty(7)
    out[0] = _sum(line[a:b])
    out[1] = _sum(line[a:])
    out[2] = _sum(line[:b])
    out[3] = _sum(table[i])
    out[4] = _sum(table[i, a:b])
    out[5] = _sum(table[a:b][:, 0])
    out[6] = len(table[a:b])
    return out


@njit(error_model="numpy")
def _sum(values):
    s = 0.0
    for i in range(len(values)):
        s += values[i]
    return s


@njit(error_model="numpy")
def _written(n):
    """A matrix filled by its rows, handed out after the part that was written to is gone."""
    out = np.zeros((n, 3))
    for i in range(n):
        row = out[i]
        row[i % 3] = i
    return out[1:]


@njit(error_model="numpy")
def _extremes(a, b, i, j):
    return min(a, b), max(a, b), min(i, j), max(i, j), max(a, i), min(1, j)


@pytest.mark.parametrize("first", [-7, 0, 2, 9])
@pytest.mark.parametrize("end", [-5, 0, 1, 12])
def test_loops_count_as_pythons_do(first, end):
    """A loop with one turn more or less would read beside an array."""
    out, known = np.full(200, 7777), np.full(200, 7777)
    assert _counted(first, end, out) == _counted.py_func(first, end, known)
    assert np.array_equal(out, known)
    for step in (-3, 1, 5):
        assert _stepped(first, end, step, out) == _stepped.py_func(first, end, step, known)
        assert np.array_equal(out, known)


@pytest.mark.parametrize("bounds", [(0, 4), (1, 3), (3, 1), (-2, 9), (-9, -1), (4, 4), (7, 9)])
@pytest.mark.parametrize("i", [0, 3, -1])
def test_parts_of_arrays_are_numpys(bounds, i):
    """Bounds below zero and beyond the end have a meaning, and columns of a table are not side by side."""
    rng = np.random.default_rng(0)
    table, line = rng.normal(size=(4, 5)), rng.normal(size=4)
    for given in (table, np.asfortranarray(table), rng.normal(size=(8, 10))[::2, ::2]):
        assert np.allclose(_parts(given, line[::1], *bounds, i), _parts.py_func(given, line, *bounds, i))
    assert np.allclose(_parts(table, np.repeat(line, 2)[::2], *bounds, i), _parts.py_func(table, line, *bounds, i))


def test_a_part_keeps_its_array():
    """Memory that is given back while a part of it is in use holds anything."""
    made = [_written(50) for _ in range(20)]
    assert all(np.array_equal(one, _written.py_func(50)) for one in made)


@pytest.mark.parametrize("pair", [(1.0, 2.0), (2.0, 1.0), (np.nan, 1.0), (1.0, np.nan), (0.0, -0.0)])
def test_the_smaller_of_two_is_pythons(pair):
    """A missing value on one side must not become another answer than in plain Python."""
    found, known = _extremes(*pair, 3, -4), _extremes.py_func(*pair, 3, -4)
    assert np.array_equal(found, known, equal_nan=True)
    assert np.array_equal(np.signbit(found), np.signbit(known))


def test_an_array_of_too_many_elements_is_an_error():
    """A size that does not fit into 64 bits must not become a small array."""

    @njit
    def made(n):
        return len(matrix(n, n, np.float64))

    with pytest.raises(MemoryError):
        made(2**33)
