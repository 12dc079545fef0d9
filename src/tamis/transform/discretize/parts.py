# mypy: allow-untyped-defs
"""What every cutting of a sorted column into parts needs: the part to cut next, and the cut itself."""

from __future__ import annotations

from tamis.engine.kernel import inner


@inner
def largest(gain, n_parts):
    """The part of the largest gain, the first of several."""
    best = 0
    for part in range(1, n_parts):
        if gain[part] > gain[best]:
            best = part
    return best


@inner
def midpoint(x, at):
    """The middle of x[at] and x[at + 1], always below the latter."""
    cut = x[at] + 0.5 * (x[at + 1] - x[at])
    return cut if cut < x[at + 1] else x[at]
