"""Colours that people with any kind of colour vision tell apart."""

from __future__ import annotations

import numpy as np

#: Okabe and Ito (2008), without black; the first two are the farthest apart.
FEW = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
#: Tol (2021), "muted", for eight classes and more.
MANY = ("#332288", "#DDCC77", "#CC6677", "#88CCEE", "#117733", "#AA4499", "#44AA99", "#999933", "#882255", "#E8601C")
OTHER = "#B4BAC0"
#: Light to dark, even steps of lightness, yellow to blue (readable without red and green).
SCALE = ((255, 246, 205), (190, 222, 190), (118, 186, 196), (58, 138, 186), (33, 84, 148))

INK, FAINT, LINE, EDGE, PAPER = "#1F2933", "#5B6770", "#C9D1D8", "#B3BDC6", "#FFFFFF"


def of_classes(weight: np.ndarray) -> list[str]:
    """A colour for each class; beyond ten, the rarest share a grey."""
    palette = FEW if len(weight) <= len(FEW) else MANY
    if len(weight) <= len(palette):
        return list(palette[: len(weight)])
    frequent = sorted(np.argsort(-weight, kind="stable")[: len(palette)].tolist())
    colours = [OTHER] * len(weight)
    for colour, which in zip(palette, frequent):
        colours[which] = colour
    return colours


def of_number(share: float) -> str:
    """The colour of a place between the smallest (0) and the largest value (1)."""
    at = float(np.clip(share, 0.0, 1.0)) * (len(SCALE) - 1)
    low = min(int(at), len(SCALE) - 2)
    mixed = [round(a + (b - a) * (at - low)) for a, b in zip(SCALE[low], SCALE[low + 1])]
    return "#{:02X}{:02X}{:02X}".format(*mixed)


def readable_on(colour: str) -> str:
    """Black or white text, whichever has the higher contrast on a colour, at least 4.5 (WCAG)."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#000000" if (light + 0.05) / 0.05 > 1.05 / (light + 0.05) else PAPER
