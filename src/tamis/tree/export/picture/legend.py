"""What the colours of a picture mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tamis.tree.export.picture import colours, ink
from tamis.tree.export.picture.cards import Scale, short
from tamis.tree.export.picture.colours import FAINT, INK, LINE

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


SIZE, LINE_HEIGHT, SWATCH = 12, 20, 11


def of_classes(model: BaseEstimator, palette: list[str], room: float) -> tuple[str, float]:
    """One entry a class, in lines as wide as there is room; and the height of it all."""
    entries = [(str(label), colour) for label, colour in zip(model.classes_, palette) if colour != colours.OTHER]
    grey = [str(label) for label, colour in zip(model.classes_, palette) if colour == colours.OTHER]
    tips = [label for label, _ in entries]
    if grey:
        entries.append((f"{len(grey):,} rarer classes", colours.OTHER))
        tips.append("\n".join(grey))
    elements, x, y = ['<g class="legend">'], 0.0, 0.0
    for (label, colour), tip in zip(entries, tips):
        text = ink.clipped(label, min(200.0, room - 22), SIZE)
        width = SWATCH + 6 + ink.width_of(text, SIZE) + 18
        if x > 0 and x + width - 18 > room:
            x, y = 0.0, y + LINE_HEIGHT
        elements.append(
            f'<g class="entry">{ink.title(tip)}<rect x="{x:.1f}" y="{y:.1f}" width="{SWATCH}" height="{SWATCH}" rx="2" '
            f'fill="{colour}"/>{ink.write(x + SWATCH + 6, y + 10, text, SIZE, colour=INK)}</g>'
        )
        x += width
    return "".join(elements) + "</g>", y + LINE_HEIGHT


def of_numbers(scale: Scale) -> tuple[str, float]:
    """The shades from the smallest to the largest value; and the height of it all."""
    small, large, steps, width = short(scale.low), short(scale.high), 40, 160
    small, large = ("≤ " * scale.beyond_low) + small, ("≥ " * scale.beyond_high) + large
    x = ink.width_of(small, SIZE) + 8
    elements = ['<g class="legend">', ink.write(0, 10, small, SIZE, colour=INK)]
    elements.append('<g shape-rendering="crispEdges">')
    for k in range(steps):
        shade = colours.of_number(k / (steps - 1))
        step = width / steps
        elements.append(f'<rect x="{x + k * step:.1f}" y="0" width="{step:.1f}" height="{SWATCH}" fill="{shade}"/>')
    elements.append("</g>")
    elements.append(f'<rect x="{x:.1f}" y="0" width="{width}" height="{SWATCH}" fill="none" stroke="{LINE}"/>')
    elements.append(ink.write(x + width + 8, 10, large, SIZE, colour=INK))
    caption = "mark: the value; bar: ± one standard deviation"
    after = x + width + 8 + ink.width_of(large, SIZE) + 18
    elements.append(ink.write(after, 10, caption, 11, colour=FAINT))
    return "".join(elements) + "</g>", LINE_HEIGHT
