"""Bokeh's figure, with a way to a file and a picture of itself for a notebook."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tamis.errors import ParameterError


@cache
def figure_class() -> Any:
    """The class that every figure of Tamis is made of; Bokeh is imported only when one is drawn."""
    from bokeh.plotting import figure

    class _Chart(figure):  # type: ignore[misc]
        """A Bokeh figure that can be saved without a browser; BokehJS draws it as any other."""

        __view_model__, __view_module__ = "Figure", "bokeh.plotting.figure"

        def save(self, path: str | os.PathLike[str], *, width: int | None = None) -> Path:
            """Write the figure to a file whose name ends in .svg or .png, `width` pixels across."""
            figures = _figures()
            return Path(figures.save_picture(figures.chart_picture(self, width=width), path))

        def _repr_svg_(self) -> str:
            return str(_figures().chart_picture(self).svg())

        def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
            bundle = {"text/plain": repr(self)}
            with suppress(ParameterError):  # a figure that only a browser can draw is for bokeh.plotting.show
                bundle["image/svg+xml"] = self._repr_svg_()
            return bundle

    return _Chart


def _figures() -> Any:
    """What draws a figure without a browser; it stands above every module that makes one."""
    return import_module("tamis.report.figures")
