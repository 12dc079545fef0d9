"""Exponentials and logarithms of the core: NumPy's, to the last digits."""

from __future__ import annotations

import numpy as np
import pytest

from tamis import _core

_FUNCTIONS = (_core.exp_below_0, _core.log1p_below_1, _core.log_above_1, _core.times_log)


def _each(which, x):
    out = np.array(x, dtype=float)
    _FUNCTIONS[which](out)
    return out


def _units(found, exact):
    """Largest difference in units of the last place."""
    return np.max(np.abs(found - exact) / np.spacing(np.abs(exact).astype(np.float64)))


def test_exponentials_are_right_to_the_last_place():
    """Probabilities of a fitted model would be off, most where they are near 0."""
    x = -np.concatenate([np.linspace(0, 708, 200_001), np.geomspace(1e-300, 1, 5_000), [0.0]])
    assert _units(_each(0, x), np.exp(x.astype(np.longdouble))) <= 1.5
    assert (_each(0, np.array([-709.0, -1e300, -np.inf])) == _each(0, np.array([-708.0]))).all()
    assert _each(0, np.zeros(1))[0] == 1.0


def test_logarithms_are_right_to_the_last_places():
    """A duality gap would be told too small or too large."""
    u = np.concatenate([np.geomspace(1e-308, 1, 20_000), np.linspace(1e-9, 1, 100_001)])
    assert _units(_each(1, u), np.log1p(u.astype(np.longdouble))) <= 4
    assert _each(1, np.zeros(1))[0] == 0.0
    x = np.concatenate([np.linspace(1, 40, 100_001), np.geomspace(1, 1e300, 20_000)])
    exact = np.log(x.astype(np.longdouble))
    assert np.max(np.abs(_each(2, x) - exact) / np.maximum(exact, 0.3)) <= 1e-15
    assert _each(2, np.ones(1))[0] == 0.0


@pytest.mark.parametrize("q", [0.0, -0.1, 1.0])
def test_entropy_has_no_part_from_a_sure_class(q):
    """A class that is certain, or impossible, would bring a NaN into the gap."""
    assert _each(3, np.array([q]))[0] == 0.0


def test_entropy():
    """The dual objective would be wrong."""
    q = np.concatenate([np.linspace(1e-6, 1 - 1e-9, 50_001), np.geomspace(1e-290, 1e-3, 1_000)])
    assert np.allclose(_each(3, q), q * np.log(q), rtol=1e-13, atol=4e-16)
