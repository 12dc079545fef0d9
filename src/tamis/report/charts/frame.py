"""The look that all charts share: fonts, colours, plain text for names, hover, legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.figure import figure_class
from tamis.report import show

Figure = Any  # bokeh.plotting.figure, which is imported only when a chart is drawn

BLUE, ORANGE, GREY, INK, GRID = "#2f6fbb", "#c2620a", "#8a8f98", "#3c434d", "#e3e6ea"
FONT = "system-ui, sans-serif"


def framed(*, x_axis_label: str, y_axis_label: str | None = None, **more: Any) -> Figure:
    from bokeh.models import NumeralTickFormatter, PlainText

    usual = {"sizing_mode": "stretch_width", "toolbar_location": None, "tools": "", "min_border_right": 14}
    chart = figure_class()(**{**usual, **more})
    chart.xaxis.axis_label = PlainText(text=x_axis_label)
    if y_axis_label:
        chart.yaxis.axis_label = PlainText(text=y_axis_label)
    chart.background_fill_alpha = chart.border_fill_alpha = 0
    chart.outline_line_color = None
    chart.grid.grid_line_color = GRID
    for axis in chart.axis:
        axis.axis_label_text_font = axis.major_label_text_font = FONT
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font_size = axis.major_label_text_font_size = "13px"
        axis.axis_label_text_color = axis.major_label_text_color = INK
        axis.axis_line_color = axis.major_tick_line_color = GRID
        axis.minor_tick_line_color = None
        axis.ticker.desired_num_ticks = 5  # more would overlap on a telephone
        axis.formatter = NumeralTickFormatter(format="0,0.[000000]")
    return chart


def mark(figure: Figure, kind: str, source: Any, **how: Any) -> Any:
    """Draw a kind of Bokeh's glyphs, by its name, and give its renderer.

    A glyph method of the figure would also make a pale and a muted copy of each, which no tool of these charts shows:
    with them, and a copy of the source for every glyph, a page takes 1.5 times as long.

    Parameters
    ----------
    source : what the charts draw from, or its columns by name.
    how : properties of the glyph; `color` and `alpha` are those of its lines and areas.
    """
    from bokeh import models

    glyph = getattr(models, kind)
    for trait in ("color", "alpha"):
        if trait in how:
            value = how.pop(trait)
            traits = [name for name in (f"line_{trait}", f"fill_{trait}") if name in glyph.properties()]
            how = dict.fromkeys(traits, value) | how
    return figure.add_glyph(sourced(source), glyph(**how))


def sourced(columns: Any) -> Any:
    """Columns by name as several glyphs can draw from them."""
    from bokeh.models import ColumnDataSource

    return columns if isinstance(columns, ColumnDataSource) else ColumnDataSource(columns)


def diagonal(figure: Figure, low: float, high: float) -> None:
    """A dashed line where both axes have the same value."""
    mark(figure, "Line", {"x": [low, high], "y": [low, high]}, x="x", y="y", line_dash="dashed", color=GREY)


def named(axis: Any, names: Sequence[object], max_letters: int = 24) -> None:
    """Name the places 0, 1, … of an axis, as plain text; long names are cut."""
    from bokeh.models import FixedTicker, PlainText

    axis.ticker = FixedTicker(ticks=list(range(len(names))))
    axis.major_label_overrides = {i: PlainText(text=show.short(name, max_letters)) for i, name in enumerate(names)}
    axis.major_tick_line_color = None


def hover(figure: Figure, renderers: list[Any], lines: list[tuple[str, str]]) -> None:
    from bokeh.models import HoverTool

    figure.add_tools(HoverTool(renderers=renderers, tooltips=lines))


def legend(figure: Figure, items: list[tuple[str, Any]]) -> None:
    from bokeh.models import Legend, LegendItem

    drawn_legend = Legend(
        items=[LegendItem(label=words, renderers=[glyph]) for words, glyph in items],
        orientation="horizontal",
        border_line_color=None,
        background_fill_alpha=0,
        padding=0,
        label_text_font=FONT,
        label_text_font_size="13px",
        label_text_color=INK,
    )
    figure.add_layout(drawn_legend, "above")


def dashed(figure: Figure, value: float | None) -> None:
    from bokeh.models import Span

    figure.add_layout(Span(location=value, dimension="height", line_dash="dashed", line_color=GREY, line_width=1.5))


def pad(y_range: Any, n: int) -> None:
    y_range.start, y_range.end = -0.6, n - 0.4
