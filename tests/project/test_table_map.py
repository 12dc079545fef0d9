"""Maps of a table: clusters that are there are found, and equal rows lie together."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

import tamis
from tamis.errors import ParameterError, TableError


@pytest.fixture
def groups():
    rng = np.random.default_rng(0)
    label = np.repeat([0, 1, 2], 25)
    centres = np.array([[0, 0, 0], [8, 0, 0], [0, 8, 8]])
    return rng.normal(size=(75, 3)) + centres[label], label


@pytest.mark.parametrize("how", ["k-means", "hierarchical"])
def test_three_clouds_are_three_clusters(groups, how):
    """The number of clusters, or their rows, would be others than those drawn."""
    X, label = groups
    found = tamis.project.map(X, how)
    assert adjusted_rand_score(label, found.clusters) == 1
    assert found.points.shape == (75, 2)
    if how == "hierarchical":
        assert np.count_nonzero(np.diff(label[found.order])) == 2


def test_tsne_keeps_clouds_apart_and_bits_the_same(groups):
    """Neighbours would be torn apart, or a map differ from run to run."""
    X, label = groups
    found = tamis.project.map(X, "t-sne")
    distance = np.linalg.norm(found.points[:, None] - found.points[None], axis=2) + np.eye(75) * 1e9
    assert (label[distance.argmin(axis=1)] == label).mean() > 0.95
    assert np.array_equal(tamis.project.map(X, "t-sne").points, found.points)


def test_mixed_frames_and_pictures(groups):
    """A frame with categories and holes would be refused, or the picture not be coloured."""
    X, label = groups
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=np.array(["u", "v", "w"])[label])
    frame.loc[::9, "a"] = np.nan
    found = tamis.project.map(frame, "k-means", n_clusters=3)
    assert adjusted_rand_score(label, found.clusters) > 0.9
    assert len(found.figure().legend[0].items) == 3
    assert len(found.figure(label.astype(str)).legend[0].items) == 3


def test_a_heat_map_puts_alike_rows_and_columns_together(groups):
    """Rows of a cloud, or columns that repeat each other, would be scattered over the picture."""
    X, label = groups
    shuffled = np.random.default_rng(1).permutation(75)
    wide = np.column_stack([X, X[:, 0]])[shuffled]
    drawn = tamis.report.heatmap(wide)
    assert np.count_nonzero(np.diff(label[shuffled][drawn.tags[0]["rows"]])) == 2
    columns = drawn.tags[0]["columns"]
    assert abs(columns.index("x0") - columns.index("x3")) == 1
    image = drawn.renderers[0].data_source.data["image"][0]
    assert image.shape == (75, 4)
    by_class = tamis.report.heatmap(wide, label[shuffled], cluster=False)
    assert np.count_nonzero(np.diff(label[shuffled][by_class.tags[0]["rows"]])) == 2


def test_bad_input_gets_a_sentence():
    """The user would not be told what to change."""
    with pytest.raises(ParameterError, match="how='umap'"):
        tamis.project.map(np.eye(5), "umap")
    with pytest.raises(TableError, match="a map of 2 row"):
        tamis.project.map(np.eye(2))
    with pytest.raises(ParameterError, match="all rows are equal"):
        tamis.project.map(np.ones((10, 2)), "k-means")
    with pytest.raises(TableError, match="is too large"):
        tamis.report.heatmap(np.zeros((1000, 500)))
