"""Figures hold what they show."""

import numpy as np
import pandas as pd
import pytest
from bokeh.embed import file_html
from bokeh.models import ColorBar, Span
from bokeh.resources import INLINE
from sklearn.datasets import load_iris

from tamis import PCA
from tamis.errors import ParameterError, TableError
from tamis.project import MDS, KernelPCA, loadings_figure, scores_figure, spectrum_figure

IRIS = load_iris(as_frame=True)
PLOTTED = PCA(2).fit(IRIS.data)


def data(plot, k=0):
    return plot.renderers[k].data_source.data


def test_the_spectrum_and_its_cut():
    """The picture would show other variances, or no cut."""
    plot = spectrum_figure(PLOTTED)
    np.testing.assert_allclose(data(plot)["top"], PLOTTED.spectrum_)
    cuts = [item for item in plot.center if isinstance(item, Span)]
    assert [cut.location for cut in cuts] == [2.5]
    np.testing.assert_allclose(data(plot, 1)["y"][-1], 1.0)
    assert "2 of 4 components hold 97.8%" in plot.title.text
    assert not [item for item in spectrum_figure(PCA().fit(IRIS.data)).center if isinstance(item, Span)]
    assert len(data(spectrum_figure(KernelPCA(2).fit(IRIS.data)))["top"]) == 2


def test_scores_by_class_and_by_number():
    """Rows would have the colour of another class."""
    plot = scores_figure(PLOTTED, IRIS.data, IRIS.target_names[IRIS.target])
    assert len(plot.renderers) == 3
    np.testing.assert_allclose(data(plot, 1)["x"], PLOTTED.transform(IRIS.data)[50:100, 0])
    assert [item.label.value for item in plot.legend[0].items] == ["setosa", "versicolor", "virginica"]
    numbers = scores_figure(PLOTTED, IRIS.data, IRIS.data["petal width (cm)"], components=(1, 0))
    assert [item for item in numbers.right if isinstance(item, ColorBar)]
    np.testing.assert_allclose(data(numbers)["a"], PLOTTED.transform(IRIS.data)[:, 1])
    assert len(data(scores_figure(PLOTTED, pd.concat([IRIS.data] * 50)))["x"]) <= 2_000
    assert len(file_html(plot, INLINE)) > 1_000


def test_loadings_by_name():
    """A bar would stand beside another column's name."""
    plot = loadings_figure(PLOTTED, component=1)
    named = {place: text.text for place, text in plot.yaxis[0].major_label_overrides.items()}
    found = {named[place]: value for place, value in zip(data(plot)["y"], data(plot)["right"])}
    assert found == pytest.approx(dict(zip(IRIS.data.columns, PLOTTED.components_[1])))
    assert len(data(loadings_figure(PLOTTED, most=2))["y"]) == 2


def test_bad_input_gets_a_sentence():
    """A user would be told nothing."""
    with pytest.raises(ParameterError, match="there is one component"):
        scores_figure(PCA(1).fit(IRIS.data), IRIS.data)
    with pytest.raises(ParameterError, match="component=2, but there are only 1 components from 0"):
        loadings_figure(PLOTTED, component=2)
    with pytest.raises(ParameterError, match="MDS has no loadings"):
        loadings_figure(MDS().fit(IRIS.data))
    with pytest.raises(TableError, match="11 classes"):
        scores_figure(PLOTTED, IRIS.data, np.arange(150) % 11)
