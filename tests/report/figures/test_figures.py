"""Figures as files: the facts of the page, at the places of their axes."""

from __future__ import annotations

import io
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from tamis.errors import ParameterError
from tamis.report.charts import drawn
from tamis.report.charts.plots import Plots
from tamis.report.figures import chart_picture, every_figure, export_figures
from tamis.report.figures.axes import Scale, ends_of
from tamis.report.figures.chart import WIDTH
from tamis.report.figures.picture import Circle, Path, Raster, Words

SVG = "{http://www.w3.org/2000/svg}"


def scales(figure, picture):
    """From pixels back to values, by the ends of the axes that BokehJS computes."""
    left, top, width, height = picture.frame
    marks = [renderer.data_source.data for renderer in figure.renderers]
    assert marks
    x, y = figure.x_range, figure.y_range
    return Scale(left, left + width, x.start, x.end), Scale(top + height, top, y.start, y.end)


def pixels(figure, picture):
    """From values to pixels."""
    left, top, width, height = picture.frame
    x, y = figure.x_range, figure.y_range
    return Scale(x.start, x.end, left, left + width), Scale(y.start, y.end, top + height, top)


def test_a_saved_curve_has_the_facts_of_the_page(made):
    """The file would show other rates than the page."""
    figure = Plots(made.study()).roc()
    picture = chart_picture(figure)
    data = figure.renderers[1].data_source.data
    steps = next(shape for shape in picture.shapes if isinstance(shape, Path) and shape.style.width == 2.5)
    x, y = scales(figure, picture)
    corners = np.array([(x.at(a), y.at(b)) for a, b in steps.points])
    np.testing.assert_allclose(corners[::2, 0], data["false"], atol=1e-9)
    np.testing.assert_allclose(corners[::2, 1], data["true"], atol=1e-9)
    np.testing.assert_allclose(corners[1::2, 0], data["false"][1:], atol=1e-9)  # a step keeps its height, then rises
    np.testing.assert_allclose(corners[1::2, 1], data["true"][:-1], atol=1e-9)


@pytest.mark.parametrize("name", ["procedures", "stability", "frontier", "reliability", "precision_recall", "path"])
def test_every_mark_of_a_chart_is_drawn(made, name):
    """A point, bar or name of the page would be missing from the file."""
    results = made.lasso(made.study())
    figure = drawn(results)[name]
    shapes = chart_picture(figure).shapes
    visible = [r for r in figure.renderers if "fill_alpha" not in r.glyph.properties() or r.glyph.fill_alpha != 0]
    for kind, shape in (("Scatter", Circle), ("HBar", Path)):
        drawn_marks = [r for r in visible if type(r.glyph).__name__ == kind]
        expected = sum(len(next(iter(r.data_source.data.values()))) for r in drawn_marks)
        found = [s for s in shapes if isinstance(s, shape) and s.style.fill and (shape is Circle or len(s.points) == 4)]
        if drawn_marks:
            assert len(found) >= expected > 0
    words = {s.text for s in shapes if isinstance(s, Words)}
    for axis in (figure.xaxis[0], figure.yaxis[0]):
        assert {label.text for label in axis.major_label_overrides.values()} <= words


def test_axes_without_ends_are_those_of_bokeh():
    """Marks would stand elsewhere than on the page: a tenth of the range is left free, half of it on each side."""

    class Free:
        start = end = float("nan")

    assert ends_of(Free, [0.0, 10.0, float("nan")]) == (-0.5, 10.5)
    assert ends_of(Free, [3.0]) == (2.0, 4.0)


def test_every_figure_with_a_button_in_the_page_is_written(made, tmp_path):
    """`tamis figures` would leave out a figure, or write a file that no program reads."""
    from PIL import Image

    tree, curves = made.ladder(made.study()), made.ladder(made.additive(made.study(labels=(), metric="rmse")))
    for results, names in (
        (tree, {"ladder", "model-tree", "roc", "reliability", "column-mean-radius", "stability"}),
        (curves, {"ladder", "model-mean-radius", "model-mean-radius-mean-area", "predicted", "residuals"}),
    ):
        pictures = every_figure(results, made.plan())
        assert names <= set(pictures)
        written = export_figures(pictures, tmp_path / "figures")
        assert {path.stem for path in written} == set(pictures)
        for path in written:
            if path.suffix == ".svg":
                root = ElementTree.parse(path).getroot()
                assert len(root) > 5, path
                assert root.find(f"{SVG}title").text
            else:
                image = Image.open(path)
                picture = pictures[path.stem]
                assert image.size == (round(2 * picture.width), round(2 * picture.height))
                ink = np.asarray(image.convert("L")) < 200
                assert ink.sum() > 300, path


def test_the_tree_keeps_the_colours_of_the_page(made):
    """Classes would have another colour in the file than in the report."""
    picture = every_figure(made.study(), made.plan())["model-tree"]
    fills = [shape.style.fill for shape in picture.shapes if isinstance(shape, Path) and shape.style.fill]
    assert {"#2f6fbb", "#d0700f", "#f6f7f9"} <= set(fills)
    words = [shape.text for shape in picture.shapes if isinstance(shape, Words)]
    assert {"benign", "malignant", "all rows", "mean radius?", "≤ 2.5"} <= set(words)


def test_pixels_are_where_the_svg_says(made):
    """The PNG would show another picture than the SVG: the marker of the threshold is looked for in both."""
    from PIL import Image

    from tamis.report.figures.png import png_of

    picture = chart_picture(Plots(made.study()).roc())
    marker = next(s for s in picture.shapes if isinstance(s, Circle) and s.style.fill == "#c2620a")
    image = np.asarray(Image.open(io.BytesIO(png_of(picture)))).astype(int)
    assert image.shape[1] == 2 * WIDTH
    x, y = (round(2 * value) for value in marker.center)
    assert np.abs(image[y, x] - [0xC2, 0x62, 0x0A]).max() <= 2
    orange = np.abs(image - [0xC2, 0x62, 0x0A]).max(axis=2) <= 2
    inside = marker.radius - marker.style.width / 2  # of its white edge
    assert orange.sum() == pytest.approx(np.pi * (2 * inside) ** 2, rel=0.1)


def test_a_figure_saves_itself(made, tmp_path):
    """`study.plot.roc().save("roc.svg")` would fail, or a notebook would show nothing."""
    figure = Plots(made.study()).roc()
    for name in ("roc.svg", "roc.png"):
        assert figure.save(tmp_path / name).stat().st_size > 3_000
    assert (tmp_path / "roc.svg").read_text(encoding="utf-8") == figure._repr_mimebundle_()["image/svg+xml"]
    assert "760" in figure._repr_svg_()[:120]
    figure.save(tmp_path / "roc.svg", width=400)
    assert 'width="400"' in (tmp_path / "roc.svg").read_text(encoding="utf-8")
    with pytest.raises(ParameterError, match=r"saved as .svg or .png, but the path is '.*roc.pdf'"):
        figure.save(tmp_path / "roc.pdf")


def test_a_figure_is_still_one_of_bokeh(made):
    """BokehJS would not know the figure, or loading a document would give another class."""
    import bokeh.plotting
    from bokeh.document import Document

    figure = Plots(made.study()).roc()
    assert isinstance(figure, bokeh.plotting.figure)
    document = Document()
    document.add_root(figure)
    assert document.to_json(deferred=False)["roots"][0]["name"] == "Figure"
    again = Document.from_json(document.to_json(deferred=False)).roots[0]
    assert type(again) is bokeh.plotting.figure


def test_without_pillow_svg_is_written_and_a_png_says_what_it_needs(made, tmp_path, monkeypatch):
    """An optional package that is not there would end in a traceback."""
    monkeypatch.setitem(sys.modules, "PIL", None)
    picture = chart_picture(Plots(made.study()).roc())
    with pytest.raises(ParameterError, match=r"a PNG needs Pillow, which is not installed; install tamis\[image\]"):
        export_figures({"roc": picture}, tmp_path, "png")
    monkeypatch.setattr("tamis.report.figures.every.find_spec", lambda name: None)
    assert [path.name for path in export_figures({"roc": picture}, tmp_path)] == ["roc.svg"]
    with pytest.raises(ParameterError, match="to='pdf'"):
        export_figures({"roc": picture}, tmp_path, "svg,pdf")


def test_hostile_names_are_text_and_stay_in_the_folder(made, tmp_path):
    """A column's name would end an element, run a script, or leave the folder."""
    for results in (made.ladder(made.study(names=made.HOSTILE)), made.lasso(made.study(names=made.HOSTILE))):
        written = export_figures(every_figure(results, made.plan()), tmp_path / "figures", "svg")
        assert all(path.parent == tmp_path / "figures" for path in written)
        for path in written:
            tags = {element.tag for element in ElementTree.parse(path).iter()}
            assert tags <= {f"{SVG}{tag}" for tag in ("svg", "title", "rect", "path", "circle", "text")}


def test_pictures_of_a_lecture_are_saved(tmp_path):
    """A boundary, a heat map, a tree or a path would be a picture only in a browser."""
    from tests.walks.files import waves

    import tamis
    from tamis.report import boundary, heatmap
    from tamis.report.figures import save_picture

    X, classes, y = waves(120)
    tree = tamis.TreeClassifier(max_depth=2).fit(X, classes)
    drawn_boundary = boundary(tree, X, classes)
    picture = chart_picture(drawn_boundary)
    raster = next(shape for shape in picture.shapes if isinstance(shape, Raster))
    x, y_scale = pixels(drawn_boundary, picture)
    for (a, b), code in zip(X[:40], tree.predict(X[:40])):  # the colour under a point is that of its class
        row = int((y_scale.at(b) - raster.top) / raster.height * len(raster.cells))
        column = int((x.at(a) - raster.left) / raster.width * raster.cells.shape[1])
        red, _, blue, _ = raster.cells[row, column].tolist()
        assert (red > blue) == bool(code)
    figures = {
        "boundary": drawn_boundary,
        "heat": heatmap(X[:20]),
        "tree": tree.plot(),
        "path": tamis.LinearRegressor("lasso").fit(np.column_stack([X, X**2]), y).plot_path(),
    }
    for name, figure in figures.items():
        for kind in ("svg", "png"):
            assert save_picture(chart_picture(figure), tmp_path / f"{name}.{kind}").stat().st_size > 2_000
    words = [shape.text for shape in chart_picture(figures["tree"]).shapes if isinstance(shape, Words)]
    assert any("≤" in word for word in words)
    titled = [shape.text for shape in chart_picture(figures["heat"]).shapes if isinstance(shape, Words)]
    assert "Heat map: standardised values" in titled
