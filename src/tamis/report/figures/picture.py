"""Shapes in a rectangle, and the rectangle as SVG."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from dataclasses import dataclass, field

import numpy as np

from tamis.tree.export.picture.ink import clean

#: Families of the text of a saved picture.
FAMILIES = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, 'DejaVu Sans', sans-serif"

Point = tuple[float, float]


@dataclass(frozen=True)
class Style:
    """Ink of a shape: colours as #rrggbb, None for none."""

    fill: str | None = None
    fill_opacity: float = 1.0
    stroke: str | None = None
    stroke_opacity: float = 1.0
    width: float = 1.0
    dash: tuple[float, ...] = ()

    @property
    def is_seen(self) -> bool:
        """Whether anything of the shape can be seen."""
        filled = self.fill is not None and self.fill_opacity > 0
        return filled or (self.stroke is not None and self.stroke_opacity > 0 and self.width > 0)


@dataclass(frozen=True)
class Path:
    """Lines through points, closed where a shape is filled."""

    points: tuple[Point, ...]
    style: Style
    closed: bool = False


@dataclass(frozen=True)
class Circle:
    """A circle around a point."""

    center: Point
    radius: float
    style: Style


@dataclass(frozen=True)
class Words:
    """One line of text; `at` is the end of its baseline that `anchor` names; `turned` reads from bottom to top."""

    at: Point
    text: str
    size: float
    color: str = "#3c434d"
    anchor: str = "start"
    bold: bool = False
    turned: bool = False


@dataclass(frozen=True, eq=False)
class Raster:
    """Cells of colour that fill a rectangle: rows × columns × (red, green, blue, opacity), the top row first."""

    left: float
    top: float
    width: float
    height: float
    cells: np.ndarray


Shape = Path | Circle | Words | Raster


@dataclass(frozen=True)
class Picture:
    """A figure: its size in pixels, its shapes from back to front, and what it shows in words.

    >>> Picture(4, 2, (Circle((1, 1), 1, Style(fill="#000000")),), "a dot").svg().rpartition("<")[0][-44:]
    '<circle cx="1" cy="1" r="1" fill="#000000"/>'
    """

    width: float
    height: float
    shapes: tuple[Shape, ...]
    words: str
    paper: str = "#ffffff"
    frame: tuple[float, float, float, float] = field(default=(0.0, 0.0, 0.0, 0.0))  # left, top, width, height of data

    def svg(self) -> str:
        """The picture as the text of an SVG file."""
        size = f'width="{_number(self.width)}" height="{_number(self.height)}"'
        box = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        body = "".join(_element(shape) for shape in self.shapes)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} font-family="{FAMILIES}" role="img">'
            f"<title>{clean(self.words)}</title>"
            f'<rect width="100%" height="100%" fill="{self.paper}"/>{body}</svg>\n'
        )

    def _repr_svg_(self) -> str:
        return self.svg()


def _element(shape: Shape) -> str:
    if isinstance(shape, Words):
        return _text(shape)
    if isinstance(shape, Raster):
        place = f'x="{_number(shape.left)}" y="{_number(shape.top)}"'
        size = f'width="{_number(shape.width)}" height="{_number(shape.height)}"'
        cells = b64encode(png_of_cells(shape.cells)).decode()
        how = 'preserveAspectRatio="none" style="image-rendering: pixelated"'
        return f'<image {place} {size} {how} href="data:image/png;base64,{cells}"/>'
    if isinstance(shape, Circle):
        (x, y), radius = shape.center, shape.radius
        return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"{_ink(shape.style)}/>'
    route = "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in shape.points) + ("Z" if shape.closed else "")
    return f'<path d="{route}"{_ink(shape.style)}/>'


def png_of_cells(cells: np.ndarray) -> bytes:
    """A PNG of one pixel per cell.

    >>> png_of_cells(np.zeros((1, 1, 4), dtype=np.uint8))[:4]
    b'\\x89PNG'
    """
    height, width, _ = cells.shape
    rows = np.hstack([np.zeros((height, 1), np.uint8), cells.astype(np.uint8).reshape(height, -1)])
    parts = [
        (b"IHDR", struct.pack(">2I5B", width, height, 8, 6, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    ]
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + body


def _ink(style: Style) -> str:
    parts = [f' fill="{style.fill or "none"}"']
    if style.fill and style.fill_opacity < 1:
        parts.append(f' fill-opacity="{_number(style.fill_opacity)}"')
    if style.stroke:
        parts.append(f' stroke="{style.stroke}" stroke-width="{_number(style.width)}" stroke-linejoin="round"')
        if style.stroke_opacity < 1:
            parts.append(f' stroke-opacity="{_number(style.stroke_opacity)}"')
        if style.dash:
            parts.append(f' stroke-dasharray="{" ".join(_number(length) for length in style.dash)}"')
    return "".join(parts)


def _text(words: Words) -> str:
    x, y = (_number(value) for value in words.at)
    place = f'transform="translate({x} {y}) rotate(-90)"' if words.turned else f'x="{x}" y="{y}"'
    anchor = f' text-anchor="{words.anchor}"' if words.anchor != "start" else ""
    bold = ' font-weight="600"' if words.bold else ""
    ink = f'font-size="{_number(words.size)}" fill="{words.color}"'
    return f"<text {place} {ink}{anchor}{bold}>{clean(words.text)}</text>"


def _number(value: float) -> str:
    return f"{round(float(value), 2):g}" if abs(value) < 1e5 else f"{value:.0f}"
