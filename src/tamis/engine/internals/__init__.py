"""All that leans on private parts of Numba. Without it kernels compile as Numba always does: right, and slower.

Read `dispatch` (what a kernel is), `library` (all kernels below one optimised once), `recall`, `lower` and `group`
(less to work out, to write down and to hand on), `ranges`, `views` and `extremes` (loops, parts of arrays, the smaller
of two numbers, in few words), `arrays` (arrays made inside kernels).

Processor seconds of the first fit with nothing kept, with these parts and without them (two cores, Numba 0.68): a
lasso of 40 columns 9.5 and 20.7, a tree 12.5 and 45.2.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numba

#: Private parts change without notice: with other versions than these they are not used.
TRIED = ("0.68",)


def part(name: str) -> Any:
    """One of the modules here; None where Numba is of a version not tried, or lacks what one of them needs."""
    if ".".join(numba.__version__.split(".")[:2]) not in TRIED:
        return None
    try:
        for needed in ("library", "arrays", "dispatch"):
            import_module(f"{__name__}.{needed}")
    except (ImportError, AttributeError):
        return None
    return import_module(f"{__name__}.{name}")
