"""The picture of a classifier over two columns: its answers where they are, in any kind of table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from tamis import LinearClassifier, Table, TreeClassifier, TreeRegressor
from tamis.errors import KindError, ParameterError
from tamis.report import boundary

ROWS = np.array([[0.0, 5.0], [1.0, 1.0], [2.0, 4.0], [3.0, 0.0]])
CLASSES = np.array(["low", "low", "high", "high"])


def image(figure):
    """Red, green and blue of every cell, bottom row first."""
    painted = next(r for r in figure.renderers if type(r.glyph).__name__ == "ImageRGBA")
    cells = np.asarray(painted.data_source.data["image"][0])
    return cells.view(np.uint8).reshape(*cells.shape, 4)[..., :3].astype(int)


def lines(figure):
    """All segments between cells that differ."""
    found = [r for r in figure.renderers if type(r.glyph).__name__ == "Segment"]
    return [{key: np.asarray(r.data_source.data[key]) for key in ("x0", "y0", "x1", "y1")} for r in found]


def test_the_line_stands_where_the_answer_changes():
    """A split of a stump at 1.5 must be drawn at 1.5, from bottom to top, and nowhere else."""
    drawn = boundary(TreeClassifier(max_depth=1), ROWS, CLASSES, resolution=100)
    upright, flat = lines(drawn)
    assert len(flat["x0"]) == 0
    assert len(upright["x0"]) == 100
    width = (drawn.x_range.end - drawn.x_range.start) / 100
    assert np.abs(upright["x0"] - 1.5).max() <= width
    assert len({tuple(colour) for colour in image(drawn).reshape(-1, 3)}) == 2


def test_colours_are_stronger_where_the_model_is_sure():
    """A picture that shows sure and unsure answers alike hides what probabilities tell."""
    drawn = image(boundary(LogisticRegression(), ROWS, CLASSES, resolution=60))
    middle = drawn[30]
    away = 765 - middle.sum(axis=1)
    assert away[0] > away[25:35].min() < away[-1]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda x: Table.of(pd.DataFrame(x)), lambda x: x])
def test_every_kind_of_table_gives_the_same_picture(make):
    """Names, and the library of a frame, must reach the model as it knows them."""
    columns = {"a": ROWS[:, 0], "b": ROWS[:, 1], "c": np.array([1.0, 2.0, 2.0, 9.0])}
    given = make(columns) if make(columns) is not columns else np.column_stack(list(columns.values()))
    drawn = boundary(TreeClassifier().fit(given, CLASSES), given, CLASSES, columns=(0, 1), resolution=20)
    plain = np.column_stack(list(columns.values()))
    assert np.array_equal(image(drawn), image(boundary(TreeClassifier(), plain, CLASSES, resolution=20)))


def test_other_columns_stand_at_the_most_typical_row():
    """Columns that are not drawn must have one known value: here the row whose third column is the median."""
    X = np.column_stack([np.zeros(5), np.zeros(5), [0.0, 1.0, 2.0, 3.0, 4.0]])
    X[:, 0] = [1, 1, 0, -1, -1]
    y = np.array([0, 0, 0, 1, 1])
    tree = TreeClassifier(max_depth=1).fit(X[:, [2]], y)
    assert tree.predict([[2.0]]) == 0

    class Third:
        classes_ = np.array([0, 1])
        fitted_ = True

        def predict(self, rows):
            return tree.predict(rows[:, [2]])

    assert lines(boundary(Third(), X, y, resolution=10))[0]["x0"].size == 0


def test_categories_have_a_band_each_under_their_names():
    """Levels have no values between them: an axis of numbers would invent some."""
    frame = pd.DataFrame({"place": ["x", "y", "z", "x", "y", "z"] * 5, "size": np.tile([1.0, 2, 3, 4, 5, 6], 5)})
    y = (frame["place"] == "y").to_numpy()
    drawn = boundary(TreeClassifier(), frame, y, columns=["place", "size"], resolution=10)
    assert image(drawn).shape[1] == 3
    assert [label.text for label in drawn.xaxis[0].major_label_overrides.values()] == ["x", "y", "z"]


def test_any_classifier_can_be_drawn():
    """A model without probabilities, a pipeline, one that refuses arrays without the names it learned."""
    frame = pd.DataFrame(ROWS, columns=["a", "b"])
    for model in (LinearSVC(), make_pipeline(StandardScaler(), KNeighborsClassifier(1)), LinearClassifier(alpha=0.1)):
        assert boundary(model, frame, CLASSES, resolution=5).renderers
    assert "LinearSVC" in boundary(LinearSVC(), frame, CLASSES, resolution=5).title.text
    assert boundary(LinearSVC(), frame, CLASSES, title="mine").title.text == "mine"


def test_a_fitted_model_is_drawn_as_it_is():
    """Fitting it anew would draw another model than the one given."""
    model = KNeighborsClassifier(1).fit(ROWS, CLASSES[::-1])
    assert "accuracy 0.00" in boundary(model, ROWS, CLASSES, resolution=5).title.text


@pytest.mark.parametrize(
    ("columns", "kind", "words"),
    [
        ((0,), ParameterError, "a picture has two"),
        ((1, 1), ParameterError, "the same column"),
        (("a", "nothing"), ValueError, "nothing"),
        ((0, 7), ParameterError, "columns run from 0 to 2"),
        (("a", "day"), KindError, "holds dates"),
    ],
)
def test_what_cannot_be_drawn_is_said(columns, kind, words):
    """A wrong pair of columns must be named, with the way out."""
    frame = pd.DataFrame(ROWS, columns=["a", "b"])
    frame["day"] = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03", "2020-01-04"])
    with pytest.raises(kind, match=words):
        boundary(TreeClassifier(), frame, CLASSES, columns=columns)


def test_a_regressor_gets_a_sentence():
    """A model of numbers would end in scikit-learn's words about label types."""
    X = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(KindError, match="TreeRegressor predicts numbers, and a boundary lies between classes"):
        boundary(TreeRegressor(), X, X[:, 0])
