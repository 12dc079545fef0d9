# mypy: allow-untyped-defs
"""Random numbers inside kernels, and the rows each tree draws: one seed a tree, so any of it can be drawn again."""

from __future__ import annotations

import numpy as np

from tamis.engine.hash import GOLDEN, splitmix64
from tamis.engine.intrinsics import vector
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
def below(state, n):
    """A whole number from 0 to n - 1, for n below 2³²."""
    return np.int64(((_next(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit(error_model="numpy", forceinline=True)
def uniform(state):
    """A number in [0, 1)."""
    return np.float64(_next(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(error_model="numpy")
def draw_bootstrap(population, strata, sizes, replace, seed, counts):
    """counts[i]: how often row i is drawn; `population` lists rows, the stratum s being strata[s] … strata[s + 1] - 1.

    sizes[s] are drawn from stratum s, with or without replacement.
    """
    state = vector(1, np.uint64)
    seed_state(seed, state)
    for i in range(len(counts)):
        counts[i] = 0
    if not replace:
        drawn_from = vector(len(population), np.uint32)
        for i in range(len(population)):  # `copy` brings in Numba's part for arrays: 60 ms of every first fit
            drawn_from[i] = population[i]
        population = drawn_from
    for s in range(len(sizes)):
        first, n = strata[s], strata[s + 1] - strata[s]
        for k in range(sizes[s]):
            if replace:
                counts[population[first + below(state, n)]] += 1
            else:
                at = first + k + below(state, n - k)
                row = population[at]
                population[at] = population[first + k]
                counts[row] += 1
