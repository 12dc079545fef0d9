"""A drawing of the report (the ladder, a tree, a curve, a column) as a picture, with the styles of the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np

from tamis.report.figures.picture import Circle, Path, Picture, Point, Raster, Shape, Style, Words
from tamis.report.figures.styles import Element, style_of
from tamis.tree.export.picture.ink import clipped, width_of

#: Room around a drawing, in its own pixels; height of its heading and of the line that names its colours.
MARGIN, HEADING, KEY = 10.0, 22.0, 18.0

#: Letters of a heading and of the names of colours.
LETTERS, SMALL = 13.0, 11.0

_COMMAND = re.compile(r"([MLHVCZ])([^MLHVCZ]*)")


def drawing_picture(
    svg: str, around: str, words: str, heading: str = "", key: Sequence[tuple[str, str]] = ()
) -> Picture:
    """The picture of a drawing.

    Parameters
    ----------
    svg : its text, as the page holds it.
    around : the classes of the element of the page that it stands in.
    heading : what stands above it, the name of a column.
    key : words and the class of their colour, where the page has them beside the drawing.
    """
    root = ElementTree.fromstring(svg)
    _, _, width, height = (float(value) for value in root.attrib["viewBox"].split())
    page: list[Element] = [("html", frozenset())]
    usual = style_of(page, {})
    page.append(("figure", frozenset(around.split())))
    room = clipped(heading, width, LETTERS, bold=True)
    above = [Words((0, LETTERS), room, LETTERS, usual["--ink"], bold=True)] if heading else []
    top = HEADING * bool(heading)
    named, lines = _key(key, page, usual, width, top)
    top += KEY * lines
    moved = [_moved(shape, MARGIN, MARGIN + top) for shape in _shapes(root, page, style_of(page, usual))]
    shapes = (*(_moved(shape, MARGIN, MARGIN) for shape in (*above, *named)), *moved)
    return Picture(width + 2 * MARGIN, height + top + 2 * MARGIN, shapes, words, paper=usual["--paper"])


def _key(
    key: Sequence[tuple[str, str]], page: list[Element], usual: dict[str, str], width: float, top: float
) -> tuple[list[Shape], int]:
    """A square of its colour and the words per class, and how many lines they take."""
    shapes: list[Shape] = []
    x, line = 0.0, 0
    for text, css in key:
        room = 14 + width_of(text, SMALL) + 14
        if x and x + room > width:
            x, line = 0.0, line + 1
        color = _color(style_of([*page, ("i", frozenset(("swatch", css)))], usual)["background"])
        y = top + line * KEY
        corners = ((x, y + 2), (x + 9, y + 2), (x + 9, y + 11), (x, y + 11))
        shapes += [Path(corners, Style(color), closed=True), Words((x + 14, y + 11), text, SMALL, usual["--soft"])]
        x += room
    return shapes, line + 1 if key else 0


def _shapes(element: Any, chain: list[Element], inherited: dict[str, str]) -> Iterator[Shape]:
    here = [*chain, (element.tag, frozenset(element.get("class", "").split()))]
    given = {name: value for name, value in element.attrib.items() if name.startswith(("fill", "stroke"))}
    style = style_of(here, inherited | given)
    if style.get("display") == "none":
        return
    if element.tag in _SHAPES:
        yield from (
            shape
            for shape in _SHAPES[element.tag](element, style)
            if isinstance(shape, (Words, Raster)) or shape.style.is_seen
        )
    for child in element:
        yield from _shapes(child, here, style)


def _ink(style: dict[str, str]) -> Style:
    dash = tuple(float(length) for length in style.get("stroke-dasharray", "").split())
    return Style(
        _color(style.get("fill", "#000000")),
        float(style.get("fill-opacity", 1)),
        _color(style.get("stroke", "none")),
        float(style.get("stroke-opacity", 1)),
        float(style.get("stroke-width", 1)),
        dash,
    )


def _color(value: str) -> str | None:
    """A colour as #rrggbb, None for none.

    >>> _color("rgb(47, 111, 187)"), _color("none")
    ('#2f6fbb', None)
    """
    if value == "none":
        return None
    if value.startswith("rgb("):
        return "#" + "".join(f"{int(part):02x}" for part in value[4:-1].split(","))
    return value


def _path(element: Any, style: dict[str, str]) -> Iterator[Shape]:
    ink = _ink(style)
    for points, closed in routes(element.get("d", "")):
        yield Path(tuple(points), ink, closed or ink.fill is not None)


def routes(d: str) -> Iterator[tuple[list[Point], bool]]:
    """The lines of a path with the commands M, L, H, V, C and Z, curves as sixteen pieces; and whether they are closed.

    >>> list(routes("M0 0H4V2Z"))
    [([(0.0, 0.0), (4.0, 0.0), (4.0, 2.0)], True)]
    """
    points: list[Point] = []
    for command, text in _COMMAND.findall(d):
        numbers = [float(number) for number in text.replace(",", " ").split()]
        if command == "M":
            if points:
                yield points, False
            points = list(zip(numbers[::2], numbers[1::2]))
        elif command == "L":
            points += list(zip(numbers[::2], numbers[1::2]))
        elif command == "H":
            points += [(number, points[-1][1]) for number in numbers]
        elif command == "V":
            points += [(points[-1][0], number) for number in numbers]
        elif command == "C":
            points += _curve([points[-1], *zip(numbers[::2], numbers[1::2])])
        else:
            yield points, True
            points = []
    if points:
        yield points, False


def _curve(controls: list[Point]) -> list[Point]:
    """Points of a cubic Bézier curve, without its first."""
    t = np.linspace(0, 1, 17)[1:, None]
    a, b, c, d = (np.array(point) for point in controls)
    line = (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
    return [(float(x), float(y)) for x, y in line]


def _rect(element: Any, style: dict[str, str]) -> Iterator[Shape]:
    x, y, width, height = (float(element.get(name, 0)) for name in ("x", "y", "width", "height"))
    radius = min(float(element.get("rx", 0)), width / 2, height / 2)
    angles = np.linspace(0, np.pi / 2, 6 if radius else 1)
    corners = ((x + width, y + height, 0), (x, y + height, 1), (x, y, 2), (x + width, y, 3))
    points = [
        (cx + radius * (np.cos(turn) - sign_x), cy + radius * (np.sin(turn) - sign_y))
        for cx, cy, quarter in corners
        for sign_x, sign_y in [((1, 1), (-1, 1), (-1, -1), (1, -1))[quarter]]
        for turn in angles + quarter * np.pi / 2
    ]
    yield Path(tuple((float(a), float(b)) for a, b in points), _ink(style), closed=True)


def _circle(element: Any, style: dict[str, str]) -> Iterator[Shape]:
    x, y, radius = (float(element.get(name, 0)) for name in ("cx", "cy", "r"))
    yield Circle((x, y), radius, _ink(style))


def _text(element: Any, style: dict[str, str]) -> Iterator[Shape]:
    place = (float(element.get("x", 0)), float(element.get("y", 0)))
    size, color = float(style.get("font-size", 11)), _color(style.get("fill", "#000000"))
    bold = style.get("font-weight", "400") in ("600", "650", "700", "bold")
    if element.text and color:
        yield Words(place, element.text, size, color, style.get("text-anchor", "start"), bold)


_SHAPES = {"path": _path, "rect": _rect, "circle": _circle, "text": _text}


def _moved(shape: Shape, right: float, down: float) -> Shape:
    """The shape elsewhere."""
    if isinstance(shape, Path):
        return replace(shape, points=tuple((x + right, y + down) for x, y in shape.points))
    if isinstance(shape, Circle):
        return replace(shape, center=(shape.center[0] + right, shape.center[1] + down))
    if isinstance(shape, Raster):
        return replace(shape, left=shape.left + right, top=shape.top + down)
    return replace(shape, at=(shape.at[0] + right, shape.at[1] + down))
