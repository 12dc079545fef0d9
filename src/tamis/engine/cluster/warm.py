"""Compiling kernels on a worker before the others need them.

Several workers of one host that compile the same kernel at once have crashed, and each would wait as long as the first.
"""

from __future__ import annotations

from typing import Any


def warm(function: Any) -> None:
    """Let what makes the value of a cell compile its kernels, where it has some: its method `warm`."""
    prepare = getattr(getattr(function, "make", function), "warm", None)
    if prepare is not None:
        prepare()
