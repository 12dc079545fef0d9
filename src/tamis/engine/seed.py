"""A seed for every task, from the study's seed and the task's name: order and thread count do not matter."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np


def seed_of(seed: int, *name: Any) -> int:
    """A 32-bit seed fixed by (seed, name), the same on every machine.

    >>> seed_of(0, "fold", 3) == seed_of(0, "fold", 3) != seed_of(0, "fold", 4)
    True
    """
    text = "\x1f".join([str(int(seed)), *map(str, name)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def generator(seed: int, *name: Any) -> np.random.Generator:
    """A random generator fixed by (seed, name)."""
    return np.random.default_rng(seed_of(seed, *name))
