"""Answers of Numba that are kept while a kernel is compiled: right ones, and only for as long."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from tamis.engine.internals.recall import _INSTEAD, recalled
from tamis.engine.kernel import inner, njit


def _standing():
    return [getattr(owner, name) for owner, name, _ in _INSTEAD]


def test_numba_is_as_before_once_a_kernel_is_compiled():
    """Other libraries of the same process compile with Numba as they know it."""
    before = _standing()
    with recalled():
        assert _standing() == [value for _, _, value in _INSTEAD]
        with recalled():
            pass
        assert _standing() == [value for _, _, value in _INSTEAD]
    assert _standing() == before


def test_numba_is_as_before_after_a_kernel_that_cannot_be_compiled():
    """An error says where it happened, and leaves nothing changed behind."""

    @inner
    def wrong(x):
        return x.no_such_thing

    def ask(x):
        return wrong(x)

    before = _standing()
    kernel = numba.njit(ask)
    with pytest.raises(numba.TypingError, match="no_such_thing"):
        kernel(1.0)
    assert _standing() == before


def test_an_operator_means_what_the_types_beside_it_say():
    """A kept answer belongs to its types: whole numbers divide to whole ones, numbers and arrays as NumPy's do."""

    @njit(error_model="numpy")
    def parts(i, j, x, a):
        return i // j, i / j, x // j, i**j, x**j, i + j, i + x, (a + i)[0], (a + x)[0], i < x, i + True

    found = parts(7, 2, 7.5, np.array([1, 2]))
    assert found == (3, 3.5, 3.0, 49, 56.25, 9, 14.5, 8, 8.5, True, 8)
    assert [type(one) for one in found[:6]] == [int, float, float, int, float, int]
