"""Axes of a chart: where they begin and end, their ticks and how the ticks are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Share of the values' range that an axis without fixed ends leaves free, half of it on each side (as BokehJS does).
PADDING = 0.1

#: Steps between ticks, as multiples of a power of ten.
MANTISSAS = (0.5, 1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """Values to pixels.

    >>> Scale(0, 10, 100, 200).at(5)
    150.0
    """

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value."""
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)


def ends_of(given: Any, values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis: those that its range has, or the values' with room."""
    low, high = given.start, given.end
    if _is_set(low) and _is_set(high):
        return float(low), float(high)
    finite = [value for value in values if np.isfinite(value)]
    least, most = (min(finite), max(finite)) if finite else (0.0, 1.0)
    if least == most:
        return least - 1.0, most + 1.0  # what BokehJS shows around a single value
    middle, half = (least + most) / 2, (most - least) * (1 + PADDING) / 2
    return middle - half, middle + half


def _is_set(end: Any) -> bool:
    return end is not None and bool(np.isfinite(end))


def ticks_of(axis: Any, low: float, high: float) -> list[tuple[float, str]]:
    """Ticks between the ends, each with its words."""
    low, high = min(low, high), max(low, high)
    fixed = getattr(axis.ticker, "ticks", None)
    if fixed is not None:
        overrides = axis.major_label_overrides
        shown = [float(tick) for tick in fixed if low <= tick <= high]
        return [(tick, text_of(overrides.get(int(tick), f"{tick:g}"))) for tick in shown]
    values = round_ticks(low, high, axis.ticker.desired_num_ticks)
    overrides = getattr(axis.formatter, "format", None)
    write = plain_number if overrides is not None else short_number
    return [(value, write(value)) for value in values]


def round_ticks(low: float, high: float, desired: int) -> list[float]:
    """Round numbers between two values, about as many as desired; the steps that BokehJS takes.

    >>> round_ticks(0.03, 0.97, 5), round_ticks(-0.02, 1.02, 5)
    ([0.2, 0.4, 0.6, 0.8], [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    """
    size = 10.0 ** np.floor(np.log10((high - low) / desired))
    step = float(min(MANTISSAS, key=lambda mantissa: abs(desired - (high - low) / (mantissa * size))) * size)
    factors = np.arange(np.floor(low / step), np.ceil(high / step) + 1)
    values = [float(f"{factor * step:.12g}") + 0.0 for factor in factors]
    return [value for value in values if low <= value <= high]


def plain_number(value: float) -> str:
    """With a mark for thousands and at most six decimals.

    >>> plain_number(12345.5), plain_number(0.25), plain_number(-2.0)
    ('12,345.5', '0.25', '-2')
    """
    text = f"{value:,.6f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def short_number(value: float) -> str:
    """Very small or large numbers by their power of ten.

    >>> short_number(2e-7), short_number(4e12)
    ('2e-7', '4e+12')
    """
    mantissa, _, power = f"{value:.6e}".partition("e")
    if value == 0 or -4 < int(power) < 6:
        return f"{value:.6g}"
    return f"{mantissa.rstrip('0').rstrip('.')}e{power[0].replace('+', '+')}{power[1:].lstrip('0')}"


def text_of(label: Any) -> str:
    """The words of a label, which may be a text or Bokeh's plain text."""
    return str(getattr(label, "text", label))
