# mypy: allow-untyped-defs
"""Random numbers inside kernels: those of `_core/rng.hpp`."""

from __future__ import annotations

import numpy as np

from tamis.engine.hash import GOLDEN, splitmix64
from tamis.engine.kernel import inner, njit

_splitmix64 = inner(splitmix64)


@njit(error_model="numpy")
def seed_state(seed, state):
    """Set the state (one uint64) from a seed; splitmix64 keeps near seeds apart."""
    state[0] = _splitmix64(np.uint64(seed) + GOLDEN) | np.uint64(1)


@njit(error_model="numpy", forceinline=True)
def _next(state):
    """xorshift64*"""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return x * np.uint64(0x2545F4914F6CDD1D)


@njit(error_model="numpy", forceinline=True)
def uniform(state):
    """A number in [0, 1)."""
    return np.float64(_next(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
