"""The look that all charts share: fonts, colours, plain text for names, hover, legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.report import show

Figure = Any  # bokeh.plotting.figure, which is imported only when a chart is drawn

BLUE, ORANGE, GREY, INK, GRID = "#2f6fbb", "#c2620a", "#8a8f98", "#3c434d", "#e3e6ea"
FONT = "system-ui, sans-serif"


def framed(*, x_axis_label: str, y_axis_label: str | None = None, **more: Any) -> Figure:
    from bokeh.models import NumeralTickFormatter, PlainText
    from bokeh.plotting import figure

    usual = {"sizing_mode": "stretch_width", "toolbar_location": None, "tools": "", "min_border_right": 14}
    made = figure(**{**usual, **more})
    made.xaxis.axis_label = PlainText(text=x_axis_label)
    if y_axis_label:
        made.yaxis.axis_label = PlainText(text=y_axis_label)
    made.background_fill_alpha = made.border_fill_alpha = 0
    made.outline_line_color = None
    made.grid.grid_line_color = GRID
    for axis in made.axis:
        axis.axis_label_text_font = axis.major_label_text_font = FONT
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font_size = axis.major_label_text_font_size = "13px"
        axis.axis_label_text_color = axis.major_label_text_color = INK
        axis.axis_line_color = axis.major_tick_line_color = GRID
        axis.minor_tick_line_color = None
        axis.ticker.desired_num_ticks = 5  # more would overlap on a telephone
        axis.formatter = NumeralTickFormatter(format="0,0.[000000]")
    return made


def named(axis: Any, names: Sequence[object], most: int = 22) -> None:
    """Name the places 0, 1, … of an axis, as plain text; long names are cut."""
    from bokeh.models import FixedTicker, PlainText

    axis.ticker = FixedTicker(ticks=list(range(len(names))))
    axis.major_label_overrides = {i: PlainText(text=show.short(name, most)) for i, name in enumerate(names)}
    axis.major_tick_line_color = None


def hover(figure: Figure, renderers: list[Any], lines: list[tuple[str, str]]) -> None:
    from bokeh.models import HoverTool

    figure.add_tools(HoverTool(renderers=renderers, tooltips=lines))


def legend(figure: Figure, items: list[tuple[str, Any]]) -> None:
    from bokeh.models import Legend, LegendItem

    made = Legend(
        items=[LegendItem(label=words, renderers=[glyph]) for words, glyph in items],
        orientation="horizontal",
        border_line_color=None,
        background_fill_alpha=0,
        padding=0,
        label_text_font=FONT,
        label_text_font_size="13px",
        label_text_color=INK,
    )
    figure.add_layout(made, "above")


def dashed(figure: Figure, value: float) -> None:
    from bokeh.models import Span

    figure.add_layout(Span(location=value, dimension="height", line_dash="dashed", line_color=GREY, line_width=1.5))


def pad(y_range: Any, n: int) -> None:
    y_range.start, y_range.end = -0.6, n - 0.4
