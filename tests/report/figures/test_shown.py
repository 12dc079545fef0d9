"""Figures show themselves in a notebook and can be saved, whichever module made them."""

from __future__ import annotations

import numpy as np
import pytest

import tamis
from tamis.report import boundary, heatmap

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int)


FIGURES = {
    "tree": lambda: tamis.TreeClassifier(max_depth=2).fit(X, Y).plot(),
    "path": lambda: tamis.LinearClassifier("lasso").fit(X, Y).plot_path(),
    "boundary": lambda: boundary(tamis.TreeClassifier(max_depth=2).fit(X[:, :2], Y), X[:, :2], Y),
    "heatmap": lambda: heatmap(X),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_shows_and_saves_itself(name, tmp_path):
    """In Jupyter a figure would be a line of text, and a file would need a browser."""
    figure = FIGURES[name]()
    shown = figure._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg")
    for kind in ("svg", "png"):
        assert figure.save(tmp_path / f"{name}.{kind}").stat().st_size > 1_000


def test_a_tree_names_its_thresholds():
    """Dots without questions and thresholds are no tree."""
    tree = tamis.TreeClassifier(max_depth=1).fit(X, Y)
    threshold = f"{tree.tree_.threshold[0]:.3g}".replace("-", "\u2212")
    svg = tree.plot()._repr_svg_().replace("-", "\u2212")
    assert threshold[:4] in svg


def test_a_figure_that_only_a_browser_draws_is_no_error():
    """A notebook would print a traceback where a figure has a glyph that cannot be drawn without BokehJS."""
    from tamis.figure import figure_class

    figure = figure_class()(width=300, height=200)
    figure.wedge([0], [0], radius=1, start_angle=0, end_angle=1)
    assert set(figure._repr_mimebundle_()) == {"text/plain"}
