"""A Bokeh figure as a picture: the marks of its own sources, on axes with the ends and ticks that the page shows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from tamis.errors import ParameterError
from tamis.report.figures.axes import Scale, ends_of, text_of, ticks_of
from tamis.report.figures.picture import Circle, Path, Picture, Point, Raster, Shape, Style, Words
from tamis.tree.export.picture.ink import width_of

#: Pixels across, where the figure takes the width of its page.
WIDTH = 760

#: Letters of ticks and labels, and of names in the picture, in pixels.
LETTERS, SMALL = 13.0, 12.0

#: Room for a line of letters, and around the picture.
LINE, MARGIN = 22.0, 14.0

Values = dict[str, np.ndarray]


def chart_picture(figure: Any, words: str = "", width: int | None = None) -> Picture:
    """The picture of a figure.

    Parameters
    ----------
    figure : a Bokeh figure of lines, segments, steps, bars, areas, points and their labels.
    words : what it shows, for those who cannot see it.
    width : pixels; that of the figure, or 760.
    """
    natural = WIDTH if figure.sizing_mode == "stretch_width" else figure.width
    across, height = float(width or natural), float(figure.height)
    marks = [(renderer.glyph, renderer.data_source.data) for renderer in figure.renderers]
    x_ends = ends_of(figure.x_range, _reach(marks, "x"))
    y_ends = ends_of(figure.y_range, _reach(marks, "y"))
    left, top, right, bottom = _margins(figure, x_ends, y_ends)
    x, y = Scale(*x_ends, left, across - right), Scale(*y_ends, height - bottom, top)
    shapes: list[Shape] = [*_grid(figure, x, y), *_axes(figure, x, y)]
    if title_of(figure):
        shapes.append(Words((left, MARGIN / 2 + LETTERS), title_of(figure), LETTERS, "#3c434d", bold=True))
    for glyph, data in marks:
        shapes.extend(
            shape for shape in _drawn(glyph, data, x, y) if isinstance(shape, (Words, Raster)) or shape.style.is_seen
        )
    shapes.extend(_notes(figure, x, y))
    frame = (x.start, y.end, x.end - x.start, y.start - y.end)
    return Picture(across, height, tuple(shapes), words, frame=frame)


def _margins(
    figure: Any, x_ends: tuple[float, float], y_ends: tuple[float, float]
) -> tuple[float, float, float, float]:
    """Room for words at the left, above, at the right and below."""
    left, right, axis = MARGIN / 2, MARGIN, figure.yaxis[0]
    if axis.visible:
        left += 10 + max((width_of(word, LETTERS) for _, word in ticks_of(axis, *y_ends)), default=0.0)
        left += LINE if text_of(axis.axis_label or "") else 0
    below = MARGIN / 2
    if figure.xaxis[0].visible:
        below += LINE + (LINE if text_of(figure.xaxis[0].axis_label or "") else 0)
        words = ticks_of(figure.xaxis[0], *x_ends)
        if figure.xaxis[0].major_label_orientation != "horizontal":
            below += max((width_of(word, LETTERS) for _, word in words), default=0.0) - LINE / 2
        elif words:
            right += width_of(words[-1][1], LETTERS) / 2
    top = MARGIN / 2 + LINE * bool(figure.legend) + LINE * bool(title_of(figure))
    return left, top, right, below


def title_of(figure: Any) -> str:
    """What stands above the figure; nothing mostly."""
    return text_of(figure.title.text) if figure.title is not None else ""


def _reach(marks: list[tuple[Any, Any]], axis: str) -> list[float]:
    """The values that the marks reach along an axis."""
    values: list[float] = []
    for glyph, data in marks:
        for name in (axis, f"{axis}0", f"{axis}1", f"{axis}2", f"{axis}s", *_bar(glyph, axis)):
            if name in glyph.properties():
                read = _values(glyph, name, data)
                if name == f"{axis}s":
                    read = np.concatenate([np.asarray(line, dtype=np.float64) for line in read]) if len(read) else read
                values.extend(np.asarray(read, dtype=np.float64).tolist())
        if f"d{'w' if axis == 'x' else 'h'}" in glyph.properties():
            values.extend(
                (_values(glyph, axis, data) + _values(glyph, f"d{'w' if axis == 'x' else 'h'}", data)).tolist()
            )
        if axis == "y" and type(glyph).__name__ == "HBar":
            middle, half = _values(glyph, "y", data), float(_setting(glyph.height)) / 2
            values.extend([*(middle - half).tolist(), *(middle + half).tolist()])
    return values


def _bar(glyph: Any, axis: str) -> tuple[str, ...]:
    return ("left", "right") if axis == "x" and type(glyph).__name__ == "HBar" else ()


def _values(glyph: Any, name: str, data: Any) -> np.ndarray:
    """A property of a glyph for every mark: a column of its source, or the same for all."""
    column, n = getattr(glyph, name), max((len(values) for values in data.values()), default=0)
    field = getattr(column, "field", column)
    if isinstance(field, str) and field in data:
        return np.asarray(data[field], dtype=object if name in ("xs", "ys") else None)
    return np.array([_setting(column)] * n)


def _setting(value: Any) -> Any:
    """A value as it stands, or the one that Bokeh wraps."""
    return getattr(value, "value", value)


def _colors(glyph: Any, kind: str, data: Any) -> list[str | None]:
    """The colour of every mark: "fill" or "line"."""
    if f"{kind}_color" not in glyph.properties():
        return [None] * max((len(values) for values in data.values()), default=0)
    return [color_of(color) for color in _values(glyph, f"{kind}_color", data)]


def color_of(color: Any) -> str | None:
    """A colour as #rrggbb: Bokeh also takes names.

    >>> color_of("lightgray"), color_of("#2f6fbb"), color_of(None)
    ('#d3d3d3', '#2f6fbb', None)
    """
    if color is None or str(color).startswith("#"):
        return color
    from bokeh.colors import named

    return str(getattr(named, str(color)).to_hex())


def _style(glyph: Any, fill: str | None, line: str | None) -> Style:
    """Ink of a mark of these colours."""
    has = glyph.properties()

    def setting(name: str, usual: float) -> float:
        return float(_setting(getattr(glyph, name))) if name in has else usual

    dash = _setting(glyph.line_dash) if "line_dash" in has else ()
    return Style(
        fill,
        setting("fill_alpha", 1.0),
        line,
        setting("line_alpha", 1.0),
        setting("line_width", 1.0),
        tuple(dash or ()),
    )


def _drawn(glyph: Any, data: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    """The shapes of one glyph."""
    kind = type(glyph).__name__
    if kind not in _PAINTERS:
        raise ParameterError(
            f"a figure that holds Bokeh's {kind} cannot be saved; those of {', '.join(sorted(_PAINTERS))} can"
        )
    return _PAINTERS[kind](glyph, data, x, y)


def _lines(glyph: Any, data: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    style = _style(glyph, None, _colors(glyph, "line", data)[0] if len(_values(glyph, "x", data)) else None)
    yield from _runs(list(zip(_values(glyph, "x", data), _values(glyph, "y", data))), style, x, y)


def _runs(points: list[Any], style: Style, x: Scale, y: Scale) -> Iterator[Shape]:
    """A line through points, broken where one has no value."""
    run: list[Point] = []
    for a, b in [*points, (np.nan, np.nan)]:
        if np.isfinite(a) and np.isfinite(b):
            run.append((x.at(float(a)), y.at(float(b))))
        elif run:
            yield Path(tuple(run), style)
            run = []


def _steps(glyph: Any, data: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    """A line that keeps its height up to the next point (mode="after")."""
    points = list(zip(_values(glyph, "x", data), _values(glyph, "y", data)))
    corners = [corner for (a, b), (c, _) in pairwise(points) for corner in ((a, b), (c, b))]
    yield from _runs([*corners, *points[-1:]], _style(glyph, None, _colors(glyph, "line", data)[0]), x, y)


def _several_lines(glyph: Any, data: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    ways = zip(_values(glyph, "xs", data), _values(glyph, "ys", data), _colors(glyph, "line", data))
    for across, up, color in ways:
        yield from _runs(list(zip(across, up)), _style(glyph, None, color), x, y)


def _segments(glyph: Any, data: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    ends = [_values(glyph, name, data) for name in ("x0", "y0", "x1", "y1")]
    for a, b, c, d, color in zip(*ends, _colors(glyph, "line", data)):
        if None not in (a, b, c, d):
            yield from _runs([(float(a), float(b)), (float(c), float(d))], _style(glyph, None, color), x, y)


def _points(glyph: Any, data: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    columns = (_values(glyph, name, data) for name in ("x", "y", "size"))
    colors = (_colors(glyph, kind, data) for kind in ("fill", "line"))
    for a, b, size, fill, line in zip(*columns, *colors):
        if a is not None and b is not None and np.isfinite(float(a)) and np.isfinite(float(b)):
            yield Circle((x.at(float(a)), y.at(float(b))), float(size) / 2, _style(glyph, fill, line))


def _bars(glyph: Any, data: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    half = float(_setting(glyph.height)) / 2
    columns = (_values(glyph, name, data).astype(np.float64) for name in ("y", "left", "right"))
    for middle, left, right, fill, line in zip(*columns, _colors(glyph, "fill", data), _colors(glyph, "line", data)):
        yield _box(x.at(left), y.at(middle + half), x.at(right), y.at(middle - half), _style(glyph, fill, line))


def _box(left: float, top: float, right: float, bottom: float, style: Style) -> Path:
    return Path(((left, top), (right, top), (right, bottom), (left, bottom)), style, closed=True)


def _areas(glyph: Any, data: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    across, low, high = (_values(glyph, name, data).astype(np.float64) for name in ("x", "y1", "y2"))
    there = np.isfinite(across) & np.isfinite(low) & np.isfinite(high)
    upper = [(x.at(a), y.at(b)) for a, b in zip(across[there], high[there])]
    lower = [(x.at(a), y.at(b)) for a, b in zip(across[there], low[there])]
    fill = _colors(glyph, "fill", data)
    if upper:
        yield Path((*upper, *reversed(lower)), _style(glyph, fill[0], None), closed=True)


def _images(glyph: Any, data: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    """Cells of colour: given as such, or numbers that a palette colours."""
    columns = [_values(glyph, name, data).astype(np.float64) for name in ("x", "y", "dw", "dh")]
    for cells, left, low, wide, high in zip(data[_field(glyph.image)], *columns):
        colored = _colored(np.asarray(cells), getattr(glyph, "color_mapper", None))
        xs, ys = sorted((x.at(left), x.at(left + wide))), sorted((y.at(low), y.at(low + high)))
        if y.at(low + high) < y.at(low):  # the first row is that of the smallest value
            colored = colored[::-1]
        yield Raster(xs[0], ys[0], xs[1] - xs[0], ys[1] - ys[0], colored)


def _field(value: Any) -> str:
    return str(getattr(value, "field", value))


def _colored(cells: np.ndarray, mapper: Any) -> np.ndarray:
    """Rows × columns × (red, green, blue, opacity)."""
    if mapper is None:
        return np.ascontiguousarray(cells.astype(np.uint32)).view(np.uint8).reshape(*cells.shape, 4)
    palette = np.array([[int(color[k : k + 2], 16) for k in (1, 3, 5)] + [255] for color in mapper.palette], np.uint8)
    place = (cells - mapper.low) / (mapper.high - mapper.low) * len(palette)
    return np.asarray(palette[np.clip(place.astype(np.int64), 0, len(palette) - 1)])


_PAINTERS = {
    "Image": _images,
    "ImageRGBA": _images,
    "Line": _lines,
    "Step": _steps,
    "MultiLine": _several_lines,
    "Segment": _segments,
    "Scatter": _points,
    "HBar": _bars,
    "VArea": _areas,
}


def _grid(figure: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    """A line across the frame at every tick."""
    color = color_of(figure.grid[0].grid_line_color)
    if color is None or not figure.grid[0].visible:
        return
    style = Style(stroke=color)
    for tick, _ in ticks_of(figure.xaxis[0], x.low, x.high):
        yield Path(((x.at(tick), y.start), (x.at(tick), y.end)), style)
    for tick, _ in ticks_of(figure.yaxis[0], y.low, y.high):
        yield Path(((x.start, y.at(tick)), (x.end, y.at(tick))), style)


def _axes(figure: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    """Both axes with ticks, their words and the labels."""
    below, beside = figure.xaxis[0], figure.yaxis[0]
    if below.visible:
        color, ink = color_of(below.axis_line_color), color_of(below.major_label_text_color) or ""
        yield Path(((x.start, y.start), (x.end, y.start)), Style(stroke=color))
        turned, room = below.major_label_orientation != "horizontal", LINE
        for tick, word in ticks_of(below, x.low, x.high):
            yield Path(((x.at(tick), y.start), (x.at(tick), y.start + 5)), Style(stroke=color))
            if turned:
                room = max(room, width_of(word, LETTERS) + LINE / 2)
                yield Words((x.at(tick) + 0.35 * LETTERS, y.start + 8), word, LETTERS, ink, "end", turned=True)
            else:
                yield Words((x.at(tick), y.start + 19), word, LETTERS, ink, "middle")
        middle = ((x.start + x.end) / 2, y.start + 19 + room)
        yield Words(middle, text_of(below.axis_label or ""), LETTERS, ink, "middle")
    if beside.visible:
        color, ink = color_of(beside.axis_line_color), color_of(beside.major_label_text_color) or ""
        yield Path(((x.start, y.start), (x.start, y.end)), Style(stroke=color))
        for tick, word in ticks_of(beside, y.low, y.high):
            yield Words((x.start - 8, y.at(tick) + 0.35 * LETTERS), word, LETTERS, ink, "end")
        label = text_of(beside.axis_label or "")
        if label:
            yield Words((MARGIN / 2 + LETTERS, (y.start + y.end) / 2), label, LETTERS, ink, "middle", turned=True)


def _notes(figure: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    """Straight lines across the frame, names beside points, and the legend."""
    for note in figure.center:
        kind = type(note).__name__
        if kind == "Span" and note.location is not None:
            yield _span(note, x, y)
        elif kind == "LabelSet":
            yield from _names(note, x, y)
    for legend in figure.legend:
        yield from _legend(legend, x, y)


def _span(note: Any, x: Scale, y: Scale) -> Shape:
    at, is_upright = float(note.location), note.dimension == "height"
    ends = ((x.at(at), y.start), (x.at(at), y.end)) if is_upright else ((x.start, y.at(at)), (x.end, y.at(at)))
    dash = tuple(note.line_dash or ())
    return Path(
        ends, Style(stroke=color_of(_setting(note.line_color)), width=float(_setting(note.line_width)), dash=dash)
    )


def _names(note: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    data, size = note.source.data, float(str(_setting(note.text_font_size)).removesuffix("px"))
    columns = [_values(note, name, data) for name in ("x", "y", "text", "x_offset", "y_offset", "text_color")]
    anchor = {"left": "start", "right": "end", "center": "middle"}[str(_setting(note.text_align))]
    for a, b, text, right, up, color in zip(*columns):
        place = (x.at(float(a)) + float(right), y.at(float(b)) - float(up))
        yield Words(place, text_of(text), size, color_of(color) or "", anchor)


def _legend(legend: Any, x: Scale, y: Scale) -> Iterator[Shape]:
    """A sign and words per item, side by side above the frame."""
    at, height = x.start, y.end - 0.5 * LINE
    for item in legend.items:
        renderer, word = item.renderers[0], text_of(_setting(item.label))
        glyph, data = renderer.glyph, renderer.data_source.data
        fill, line = (next(iter(_colors(glyph, kind, data)), None) for kind in ("fill", "line"))
        style = _style(glyph, fill, line)
        if type(glyph).__name__ == "Scatter":
            size = next(iter(_values(glyph, "size", data)), 8)
            yield Circle((at + 10, height), float(size) / 2, style)
        else:
            yield Path(((at, height), (at + 20, height)), style)
        yield Words((at + 26, height + 0.35 * LETTERS), word, LETTERS, color_of(legend.label_text_color) or "")
        at += 26 + width_of(word, LETTERS) + 14
