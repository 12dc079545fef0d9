"""Small pictures as SVG shapes: numbers become paths and places, which a template sets into a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tamis.report import show

#: Lines that must be told apart.
SEVERAL = (
    *("#2f6fbb", "#c2620a", "#3d8b5f", "#8659b5", "#b03a6f", "#5f7f8c"),
    *("#a3861c", "#4a4f9c", "#7a5230", "#2b9aa0", "#9c4444", "#6b8e23"),
)


@dataclass(frozen=True)
class Frame:
    """A rectangle of a picture with a scale on each side: x from left to right, y from bottom to top.

    >>> frame = Frame(0, 0, 100, 50, (0, 10), (0, 1))
    >>> frame.x(5), frame.y(1)
    (50.0, 0.0)
    """

    left: float
    top: float
    width: float
    height: float
    across: tuple[float, float]
    up: tuple[float, float]

    def x(self, value: float) -> float:
        """The place of a value, kept inside the frame."""
        return round(self.left + self.width * _share(value, self.across), 1)

    def y(self, value: float) -> float:
        """The height of a value, kept inside the frame."""
        return round(self.top + self.height * (1 - _share(value, self.up)), 1)

    def line(self, xs: Sequence[float], ys: Sequence[float]) -> str:
        """A path through points."""
        return "M" + "L".join(f"{self.x(a):g} {self.y(b):g}" for a, b in zip(xs, ys)) if len(xs) else ""

    def band(self, xs: Sequence[float], low: Sequence[float], high: Sequence[float]) -> str:
        """A closed path between two lines."""
        if not len(xs):
            return ""
        upper = [f"{self.x(a):g} {self.y(b):g}" for a, b in zip(xs, high)]
        back = [f"{self.x(a):g} {self.y(b):g}" for a, b in zip(reversed(xs), reversed(low))]
        return "M" + "L".join([*upper, *back]) + "Z"

    def stairs(self, edges: Sequence[float], heights: Sequence[float]) -> str:
        """A closed path over bars that stand side by side."""
        floor = self.y(self.up[0])
        points = [f"{self.x(edges[0]):g} {floor:g}"]
        for left, right, height in zip(edges, edges[1:], heights):
            points += [f"{self.x(left):g} {self.y(height):g}", f"{self.x(right):g} {self.y(height):g}"]
        return "M" + "L".join([*points, f"{self.x(edges[-1]):g} {floor:g}"]) + "Z"


def ticks(low: float, high: float, max_ticks: int = 4) -> list[float]:
    """Round numbers between two values, at most so many.

    >>> ticks(0.03, 0.97), ticks(120, 480, 3)
    ([0.2, 0.4, 0.6, 0.8], [200.0, 300.0, 400.0])
    """
    if not high > low:
        return [low]
    size = 10.0 ** np.floor(np.log10((high - low) / max_ticks))
    for factor in (1, 2, 5, 10, 20):
        step = factor * size
        values = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1) * step
        if len(values) <= max_ticks:
            return [float(f"{value:.12g}") for value in values]
    return [low, high]  # pragma: no cover - the last factor always fits


def written(value: float) -> str:
    """A tick as people write it.

    >>> written(1200.0), written(0.25), written(-3e-7)
    ('1,200', '0.25', '−3e-07')
    """
    text = f"{value:,.0f}" if value == round(value) and abs(value) < 1e7 else f"{value:.4g}"
    return ("0" if text == "-0" else text).replace("-", "\u2212", 1 if text.startswith("-") else 0)


def tick_words(value: float, name: str) -> str:
    """A tick of a column's values: years and days as such.

    >>> tick_words(2018.0, "begun (year)"), tick_words(17532.0, "begun (elapsed days)"), tick_words(2018.0, "price")
    ('2018', '2018-01', '2,018')
    """
    words = show.moment(value, name)
    return written(value) if words is None else words[:7]


def _share(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    if not high > low:
        return 0.5
    share = float((value - low) / (high - low))
    return 0.0 if share < 0 else 1.0 if share > 1 else share  # np.clip takes ten times as long for one number
