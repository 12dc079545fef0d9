"""Shapes as pixels, drawn by Pillow."""

from __future__ import annotations

import io
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from tamis.errors import ParameterError
from tamis.report.figures.picture import Circle, Path, Picture, Point, Raster, Style, Words

#: Fonts that are looked for, best first; Pillow's own where there is none of them.
FONTS = ("DejaVuSans.ttf", "Arial.ttf", "LiberationSans-Regular.ttf", "NotoSans-Regular.ttf", "Helvetica.ttc")
BOLD_FONTS = ("DejaVuSans-Bold.ttf", "Arial Bold.ttf", "arialbd.ttf", "LiberationSans-Bold.ttf", "NotoSans-Bold.ttf")

#: Pixels of the file per pixel of the picture, and how much finer it is drawn, so that edges are smooth.
SCALE, FINER = 2, 2

#: Most pixels of the fine drawing; larger pictures are drawn less finely.
MOST_PIXELS = 120_000_000


def png_of(picture: Picture) -> bytes:
    """The picture as the bytes of a PNG file, twice as wide and high as its SVG."""
    Image, _ = _pillow()
    fine = SCALE * FINER
    while fine > 1 and picture.width * picture.height * fine**2 > MOST_PIXELS:
        fine -= 1
    size = (round(picture.width * fine), round(picture.height * fine))
    sheet = Image.new("RGBA", size, picture.paper)
    for shape in picture.shapes:
        if isinstance(shape, Words):
            _write(sheet, shape, fine)
        elif isinstance(shape, Raster):
            cells = Image.fromarray(shape.cells.astype(np.uint8), "RGBA")
            size_of = (max(1, round(shape.width * fine)), max(1, round(shape.height * fine)))
            place = (round(shape.left * fine), round(shape.top * fine))
            sheet.alpha_composite(cells.resize(size_of, Image.Resampling.NEAREST), place)
        else:
            _paint(sheet, shape, fine)
    final = (round(picture.width * min(SCALE, fine)), round(picture.height * min(SCALE, fine)))
    stream = io.BytesIO()
    sheet.convert("RGB").resize(final, Image.Resampling.BOX).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def _pillow() -> tuple[Any, Any]:
    try:
        from PIL import Image, ImageDraw
    except ImportError as error:
        raise ParameterError(
            "a PNG needs Pillow, which is not installed; install tamis[image], or save as .svg"
        ) from error
    return Image, ImageDraw


def _paint(sheet: Any, shape: Path | Circle, fine: int) -> None:
    """A shape, laid over the part of the sheet that it covers: Pillow draws without mixing colours."""
    Image, ImageDraw = _pillow()
    points = np.array(_outline(shape)) * fine
    style, pad = shape.style, int(shape.style.width * fine) + 2
    low = np.floor(points.min(axis=0)).astype(int) - pad
    high = np.ceil(points.max(axis=0)).astype(int) + pad
    low, high = np.maximum(low, 0), np.minimum(high, sheet.size)
    if (high <= low).any():
        return
    moved = [tuple(point) for point in (points - low).tolist()]
    for layer_ink, is_line in (
        (_ink(style.fill, style.fill_opacity), False),
        (_ink(style.stroke, style.stroke_opacity), True),
    ):
        if layer_ink is None:
            continue
        layer = Image.new("RGBA", tuple((high - low).tolist()), (*layer_ink[:3], 0))
        draw = ImageDraw.Draw(layer)
        if is_line:
            _stroke(draw, moved, style, layer_ink, fine, isinstance(shape, Circle) or shape.closed)
        elif len(moved) > 2:
            draw.polygon(moved, fill=layer_ink)
        sheet.alpha_composite(layer, tuple(low.tolist()))


def _outline(shape: Path | Circle) -> list[Point]:
    if isinstance(shape, Path):
        return list(shape.points)
    angles = np.linspace(0, 2 * np.pi, 49)[:-1]
    (x, y), radius = shape.center, shape.radius
    return [(x + radius * float(np.cos(angle)), y + radius * float(np.sin(angle))) for angle in angles]


def _ink(color: str | None, opacity: float) -> tuple[int, int, int, int] | None:
    if color is None or opacity <= 0:
        return None
    red, green, blue = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue, round(255 * min(opacity, 1.0))


def _stroke(draw: Any, points: list[Any], style: Style, ink: Any, fine: int, closed: bool) -> None:
    way = [*points, points[0]] if closed else points
    width = max(1, round(style.width * fine))
    for piece in _dashes(way, [length * fine for length in style.dash]) if style.dash else [way]:
        draw.line(piece, fill=ink, width=width, joint="curve")


def _dashes(way: list[Any], lengths: list[float]) -> list[list[Any]]:
    """The pieces of a line that a dash pattern draws.

    >>> _dashes([(0, 0), (10, 0)], [4, 2])
    [[(0.0, 0.0), (4.0, 0.0)], [(6.0, 0.0), (10.0, 0.0)]]
    """
    pattern = lengths if len(lengths) % 2 == 0 else lengths * 2
    pieces: list[list[Any]] = []
    index, left, current = 0, pattern[0], [tuple(map(float, way[0]))]
    for start, end in pairwise(way):
        a, b = np.array(start, dtype=np.float64), np.array(end, dtype=np.float64)
        length, done = float(np.hypot(*(b - a))), 0.0
        while length - done > 1e-9:
            step = min(left, length - done)
            done, left = done + step, left - step
            corner = tuple((a + (b - a) * done / length).tolist())
            if index % 2 == 0:
                current.append(corner)
            if left <= 1e-9:
                if index % 2 == 0:
                    pieces.append(current)
                index, current = (index + 1) % len(pattern), [corner]
                left = pattern[index]
    if index % 2 == 0 and len(current) > 1:
        pieces.append(current)
    return pieces


def _write(sheet: Any, words: Words, fine: int) -> None:
    """A line of text; turned ones are written on a strip of their own."""
    Image, ImageDraw = _pillow()
    font = _font(round(words.size * fine), words.bold)
    x, y = (value * fine for value in words.at)
    text = " ".join(words.text.split())
    long = font.getlength(text)
    start = {"start": 0.0, "middle": long / 2, "end": long}[words.anchor]
    if not words.turned:
        ImageDraw.Draw(sheet).text((x - start, y), text, fill=words.color, font=font, anchor="ls")
        return
    room = round(words.size * fine)
    strip = Image.new("RGBA", (round(long) + 2, 2 * room), (*_ink(words.color, 1.0)[:3], 0))  # type: ignore[index]
    ImageDraw.Draw(strip).text((0, 1.4 * room), text, fill=words.color, font=font, anchor="ls")
    turned = strip.rotate(90, expand=True)
    place = (round(x - 1.4 * room), round(y + start - turned.height))
    sheet.alpha_composite(turned, (max(place[0], 0), max(place[1], 0)))


@cache
def _font(size: int, bold: bool) -> Any:
    from PIL import ImageFont

    for name in BOLD_FONTS if bold else FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return ImageFont.load_default(size)
