"""Small pictures: places on a scale."""

from __future__ import annotations

import pytest

from tamis.report.sketch import Frame, ticks, written


def test_values_stand_at_their_place_and_never_outside():
    """A curve would be drawn beside its axis."""
    frame = Frame(10, 5, 100, 50, (0, 4), (-1, 1))
    assert frame.line([0, 1, 9], [-1, 0, 5]) == "M10 55L35 30L110 5"
    assert frame.band([0, 4], [-1, -1], [1, 1]) == "M10 5L110 5L110 55L10 55Z"
    assert frame.stairs([0, 2, 4], [1, 0]) == "M10 55L10 5L60 5L60 30L110 30L110 55Z"


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 8), (1e-9, 3e-9), (5, 5), (-1e6, 1e7), (0.97, 0.99)])
def test_ticks_lie_between_the_ends_and_are_few(low, high):
    """An axis would have no number, or numbers one on the other."""
    found = ticks(low, high, 4)
    assert 1 <= len(found) <= 4
    assert all(low - 1e-12 <= value <= high + 1e-12 for value in found)
    assert len({written(value) for value in found}) == len(found)
