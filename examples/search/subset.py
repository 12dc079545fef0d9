"""The textbook case: column 3 is best alone, but columns 1 and 2 together are perfect.

Draws score against size for forward and floating search into subset.html beside this file.
"""

from pathlib import Path

import numpy as np
from bokeh.models import Whisker
from bokeh.models.sources import ColumnDataSource
from bokeh.plotting import figure, output_file, save
from sklearn.linear_model import LinearRegression

from tamis import SubsetSelector


def main(folder: Path = Path(__file__).parent) -> Path:
    random = np.random.default_rng(0)
    first, second = random.normal(size=(2, 200))
    third = first + second + 0.6 * random.normal(size=200)
    X = np.column_stack([first, second, third, random.normal(size=(200, 4))])
    y = first + second + 0.05 * random.normal(size=200)
    chart = figure(
        title="Score against size", x_axis_label="columns", y_axis_label="R² (5-fold)", width=640, height=380
    )
    for search, colour in (("forward", "#b3552d"), ("floating", "#2d6fb3")):
        found = SubsetSelector(LinearRegression(), search=search, k=(1, 6)).fit(X, y)
        curve = found.history_.curve()
        source = ColumnDataSource(
            {
                "size": curve["size"],
                "score": curve["score"],
                "low": curve["score"] - curve["error"],
                "high": curve["score"] + curve["error"],
            }
        )
        chart.line("size", "score", source=source, color=colour, legend_label=search, line_width=2)
        chart.scatter("size", "score", source=source, color=colour, size=7)
        chart.add_layout(Whisker(source=source, base="size", lower="low", upper="high", line_color=colour))
        print(f"{search:9} best pair {found.history_.best_columns(2)}, R² {found.history_.best[2].score:.4f}")
    chart.legend.location = "bottom_right"
    path = folder / "subset.html"
    output_file(path, title="Score against size")
    save(chart)
    return path


if __name__ == "__main__":
    print(main())
