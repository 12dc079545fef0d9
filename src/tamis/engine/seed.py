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


def seeds_of(seed: int, name: str, numbers: range) -> list[int]:
    """`seed_of(seed, name, k)` for every k of a range, at a third of the time.

    >>> seeds_of(7, "tree", range(2)) == [seed_of(7, "tree", 0), seed_of(7, "tree", 1)]
    True
    """
    start, sha256 = f"{int(seed)}\x1f{name}\x1f".encode(), hashlib.sha256
    return [int.from_bytes(sha256(b"%b%d" % (start, k)).digest()[:4], "big") for k in numbers]


def generator(seed: int, *name: Any) -> np.random.Generator:
    """A random generator fixed by (seed, name)."""
    return np.random.default_rng(seed_of(seed, *name))
