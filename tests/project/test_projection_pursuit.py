"""Views that separate a target, or that look least normal."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.pipeline import make_pipeline

from tamis import LinearClassifier, nested_score
from tamis.errors import DamagedError, ParameterError, TableError
from tamis.project import ProjectionPursuit
from tamis.project.pursuit import gram_schmidt, negentropy

IRIS = load_iris(as_frame=True)


def hidden_pair(n=400, p=10, seed=0):
    """Two groups that differ in columns 2 and 7, in noise of larger variance."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = rng.normal(size=(n, p)) * np.linspace(5, 1, p)
    X[:, 2] = rng.normal(size=n) + 3 * y
    X[:, 7] = rng.normal(size=n) - 3 * y
    return X, y


def test_the_first_view_is_fishers():
    """The direction of largest separation would not be found."""
    X, y = hidden_pair(4_000)
    found = ProjectionPursuit(1).fit(X, y)
    fisher = LinearDiscriminantAnalysis().fit(X, y).decision_function(X)
    assert abs(np.corrcoef(found.transform(X)[:, 0], fisher)[0, 1]) > 0.999
    assert set(found.carriers()[0]) == {"x2", "x7"}
    scores = found.transform(X)[:, 0]
    between = sum((y == c).mean() * (scores[y == c].mean() - scores.mean()) ** 2 for c in (0, 1))
    np.testing.assert_allclose(found.separation_[0], between / scores.var(), rtol=1e-9)


def test_views_are_orthogonal_and_fall_in_separation():
    """A second view would repeat the first."""
    found = ProjectionPursuit(3).fit(IRIS.data, IRIS.target)
    np.testing.assert_allclose(found.components_ @ found.components_.T, np.eye(3), atol=1e-9)
    assert found.separation_[0] > 0.9
    assert found.separation_[0] >= found.separation_[1]


def test_more_columns_than_rows():
    """A wide table would be separated by chance alone: the true columns would not carry the view."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    X = rng.normal(size=(100, 2_000))
    X[:, 5] += 6 * y
    found = ProjectionPursuit(1).fit(X, y)
    assert found.carriers(0.01)[0] == ["x5"]
    assert found.order_[0] == 5


def test_a_numeric_target():
    """A number would be taken for classes, or its direction not found."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 6))
    y = np.exp(X[:, 1] + X[:, 4]) + 0.1 * rng.normal(size=2_000)  # slices see through the curve
    found = ProjectionPursuit(1).fit(X, y)
    assert abs(found.components_[0] @ np.array([0, 1, 0, 0, 1, 0]) / np.sqrt(2)) > 0.99
    assert set(found.order_[:2]) == {1, 4}


def test_the_least_normal_views():
    """Clusters, though of small variance, would not be seen."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5)) * [10, 5, 3, 2, 1]
    X[:, 4] = np.sign(rng.normal(size=600)) + 0.1 * rng.normal(size=600)
    X[:, 1] = 5 * rng.uniform(-1, 1, 600)
    found = ProjectionPursuit(2).fit(X)
    assert found.carriers() == [["x4"], ["x1"]]
    assert found.negentropy_[0] > found.negentropy_[1] > 0
    assert found.separation_ is None
    np.testing.assert_array_equal(found.order_[:2], [4, 1])
    same = ProjectionPursuit(2, kind="untargeted").fit(X, rng.integers(0, 2, 600))
    np.testing.assert_array_equal(found.components_, same.components_)


def test_negentropy_is_zero_for_normal_values():
    """The constant of the normal distribution would be wrong."""
    grid = (np.arange(200_000) + 0.5) / 200_000
    from scipy.stats import norm

    assert negentropy(norm.ppf(grid)) < 1e-9
    np.testing.assert_allclose(negentropy(np.array([1.0, -1.0])), (np.log(np.cosh(1.0)) - 0.374567) ** 2, rtol=1e-4)


def test_largest_projections_first_by_hand():
    """y = a + b; c is a copy of a: b or a first, then the other, then the copy, of which nothing is left."""
    a = np.array([1.0, 1, -1, -1])
    b = np.array([1.0, -1, 1, -1])
    X = np.column_stack([a, 0.5 * b, a, [1.0, -1, -1, 1]])
    order = gram_schmidt(X, (2 * a + b)[:, None], np.arange(4))
    assert order.tolist()[:2] == [0, 1]
    assert set(order.tolist()[2:]) == {2, 3}


def test_as_a_selector():
    """The columns of the largest projections would not be those given, under their names."""
    X, y = hidden_pair()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(10)])
    selector = ProjectionPursuit(1, select=2).fit(frame, y)
    assert list(selector.get_feature_names_out()) == ["c2", "c7"]
    np.testing.assert_array_equal(selector.transform(frame), X[:, [2, 7]])
    assert selector.get_support(indices=True).tolist() == [2, 7]
    assert selector.get_support().sum() == 2
    assert selector.ranking_[[2, 7]].tolist() in ([1, 2], [2, 1])
    pipeline = make_pipeline(ProjectionPursuit(1, select=2), LinearClassifier("ridge", alpha=0.01))
    assert nested_score(pipeline, frame, y, outer=3).mean > 0.95


def test_column_order_does_not_matter():
    """Views would depend on where a column stands."""
    frame = IRIS.data
    turned = frame[frame.columns[::-1]]
    a, b = ProjectionPursuit(2).fit(frame, IRIS.target), ProjectionPursuit(2).fit(turned, IRIS.target)
    np.testing.assert_allclose(a.transform(frame), b.transform(turned), atol=1e-7)
    assert [frame.columns[j] for j in a.order_] == [turned.columns[j] for j in b.order_]


def test_saved_and_read_again():
    """A saved study would show other views."""
    for options, y in (({}, IRIS.target), ({"kind": "untargeted"}, None), ({"select": 2}, IRIS.target)):
        found = ProjectionPursuit(1, **options).fit(IRIS.data, y)
        back = ProjectionPursuit.from_dict(json.loads(json.dumps(found.to_dict())))
        np.testing.assert_array_equal(back.transform(IRIS.data), found.transform(IRIS.data))
        damaged = found.to_dict()
        damaged["state"]["order"] = [0, 0, 1, 2]
        with pytest.raises(DamagedError, match="damaged"):
            ProjectionPursuit.from_dict(damaged)


def test_bad_input_gets_a_sentence():
    """A user would be told nothing."""
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.zeros(20)
    with pytest.raises(ParameterError, match="n_components=4, but 20 rows of 3 columns"):
        ProjectionPursuit(4).fit(X)
    with pytest.raises(TableError, match="only one class"):
        ProjectionPursuit(1).fit(X, y)
    with pytest.raises(TableError, match="requires y"):
        ProjectionPursuit(1, kind="targeted").fit(X)
    with pytest.raises(ParameterError, match="select=2 needs a target"):
        ProjectionPursuit(1, kind="untargeted", select=2).fit(X)
    with pytest.raises(ParameterError, match="select=9, but there are only 3 columns"):
        ProjectionPursuit(1, select=9).fit(X, np.arange(20) % 2)
    with pytest.raises(TableError, match="all columns are constant"):
        ProjectionPursuit(1).fit(np.ones((20, 3)), np.arange(20) % 2)
