"""Bokeh figures of evaluations: the same in a notebook and in a report."""

from typing import Any

import numpy as np

from tamis.figure import figure_class

BLUE, ORANGE, GREY = "#30638e", "#d1495b", "#7d8597"


def null_figure(null: np.ndarray, score: float, chance: float, *, title: str = "", **options: Any) -> Any:
    """A histogram of scores on shuffled targets, with chance and the score found as lines."""
    from bokeh.models import Span

    plot = figure_class()(
        title=title,
        x_axis_label="score",
        y_axis_label="shuffled targets",
        **{"width": 600, "height": 300, "toolbar_location": None, **options},
    )
    null = null[np.isfinite(null)]
    ends = [float(end) for end in (*null, chance, score) if np.isfinite(end)] or [0.0]
    low, high = (float(null.min()), float(null.max())) if len(null) else (min(ends), max(ends))
    edges = np.linspace(low, high, 21) if high > low else np.linspace(low - 0.01, high + 0.01, 3)
    counts, edges = np.histogram(null, edges)
    plot.quad(
        top=counts, bottom=0, left=edges[:-1], right=edges[1:], color=GREY, line_color="white", legend_label="shuffled"
    )
    for position, colour, label, dash in ((chance, BLUE, "chance", "dashed"), (score, ORANGE, "score", "solid")):
        if not np.isfinite(position):
            continue
        plot.add_layout(Span(location=position, dimension="height", line_color=colour, line_width=2, line_dash=dash))
        plot.line([position, position], [0, 0], color=colour, line_width=2, line_dash=dash, legend_label=label)
    margin = 0.05 * max(max(ends) - min(ends), 1e-6)
    plot.x_range.start, plot.x_range.end = min(ends) - margin, max(ends) + margin
    plot.legend.location = "top_center"
    return plot


def curve_figure(curve: Any, **options: Any) -> Any:
    """Training and validation scores against complexity, with bands of one standard error and the chosen sizes."""
    from bokeh.models import Span

    numeric = all(isinstance(value, (int, float, np.integer, np.floating)) for value in curve.values)
    positions = np.asarray(curve.values, dtype=float) if numeric else np.arange(len(curve.values), dtype=float)
    wide = numeric and positions.min() > 0 and positions.max() / positions.min() > 30
    plot = figure_class()(
        title=f"{curve.metric.name} against {curve.parameter}",
        x_axis_label=curve.parameter,
        y_axis_label=curve.metric.name,
        x_axis_type="log" if wide else "linear",
        **{"width": 600, "height": 350, "toolbar_location": None, **options},
    )
    for scores, colour, label in ((curve.train, GREY, "training"), (curve.validation, BLUE, "validation")):
        mean, error = scores.mean(axis=1), curve.standard_error(scores)
        plot.varea(positions, mean - error, mean + error, color=colour, alpha=0.2, legend_label=label)
        plot.line(positions, mean, color=colour, line_width=2, legend_label=label)
        plot.scatter(positions, mean, color=colour, size=5, legend_label=label)
    for index, dash in ((curve.best_index, "solid"), (curve.one_se_index, "dashed")):
        plot.add_layout(Span(location=positions[index], dimension="height", line_color=ORANGE, line_dash=dash))
    plot.legend.click_policy = "hide"
    return plot


def parts_lines(results: Any, label: str, **options: Any) -> Any:
    """Loss, bias and net variance against a size."""

    sizes = np.array(sorted(results), dtype=np.float64)
    decompositions = [results[key] for key in sorted(results)]
    wide = sizes.min() > 0 and sizes.max() / sizes.min() > 30
    plot = figure_class()(
        title="Bias and variance",
        x_axis_label=label,
        y_axis_label="0/1 loss" if decompositions[0].of_classes else "squared error",
        x_axis_type="log" if wide else "linear",
        **{"width": 600, "height": 350, "toolbar_location": None, **options},
    )
    for name, field, colour in (("loss", "loss", ORANGE), ("bias", "bias", BLUE), ("variance", "net_variance", GREY)):
        heights = [getattr(decomposition, field) for decomposition in decompositions]
        plot.line(sizes, heights, color=colour, line_width=2, legend_label=name)
        plot.scatter(sizes, heights, color=colour, size=5, legend_label=name)
    plot.legend.click_policy = "hide"
    return plot


def parts_bars(results: Any, label: str, **options: Any) -> Any:
    """Bias, net variance and noise of each procedure, on top of one another."""

    names, decompositions = [str(name) for name in results], list(results.values())
    plot = figure_class()(
        title="Bias and variance",
        x_range=names,
        x_axis_label=label,
        y_axis_label="0/1 loss" if decompositions[0].of_classes else "squared error",
        **{"width": 600, "height": 350, "toolbar_location": None, **options},
    )
    stacks = {"bias": [p.bias for p in decompositions], "variance": [p.net_variance for p in decompositions]}
    stacks["noise"] = [p.noise for p in decompositions]
    plot.vbar_stack(
        list(stacks), x="name", width=0.6, color=[BLUE, GREY, "#c9ccd3"], source={"name": names, **stacks},
        legend_label=list(stacks),
    )  # fmt: skip
    plot.legend.orientation = "horizontal"
    return plot
