"""The charts of a study as Bokeh figures: the same in a notebook and in the report.

Every function takes the results of a study (`study.results_`, or results.json) and gives a figure. Names of columns and
classes are plain text wherever they stand: never read as HTML, nor as formulas. Read `frame` (their look) and `chart`
(what one is: function, caption, condition, section), then `procedures`, `selection`, `path`, `performance`,
`decision_curve`; `drawn` finds them by their files, `plots` has them as methods.
"""

from tamis.report.charts.decision_curve import decision_curve
from tamis.report.charts.drawn import drawn
from tamis.report.charts.path import path
from tamis.report.charts.performance import (
    MOST_POINTS,
    classes,
    precision_recall,
    predicted,
    reliability,
    residuals,
    roc,
)
from tamis.report.charts.procedures import folds, procedures
from tamis.report.charts.selection import frontier, stability

__all__ = [
    "MOST_POINTS",
    "classes",
    "decision_curve",
    "drawn",
    "folds",
    "frontier",
    "path",
    "precision_recall",
    "predicted",
    "procedures",
    "reliability",
    "residuals",
    "roc",
    "stability",
]
