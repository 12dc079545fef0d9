"""Figures as files, without a browser: what the report draws, as SVG and PNG.

Read `picture` (shapes and their SVG), `png` (shapes as pixels), `axes` and `chart` (a Bokeh figure as shapes), `styles`
and `drawing` (a drawing of the report as shapes), `every` (all figures of a study by name, and the files).
"""

from tamis.report.figures.chart import chart_picture
from tamis.report.figures.every import FORMATS, every_figure, export_figures, save_picture
from tamis.report.figures.picture import Picture

__all__ = ["FORMATS", "Picture", "chart_picture", "every_figure", "export_figures", "save_picture"]
