"""An ordered categorical target keeps its order in every classifier, in metrics and in nested scores."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

import tamis
from tamis.additive import AdditiveClassifier
from tamis.boosting import BoostingClassifier
from tamis.forest import ForestClassifier
from tamis.linear import LinearClassifier
from tamis.metrics import score
from tamis.tree import TreeClassifier

LEVELS = ["low", "mid", "high"]
MODELS = [
    TreeClassifier(max_depth=2),
    ForestClassifier(20, random_state=0),
    LinearClassifier(),
    BoostingClassifier(20),
    AdditiveClassifier(random_state=0),
]


def drawn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    codes = np.digitize(X[:, 0] + 0.3 * rng.normal(size=120), [-0.5, 0.5])
    return X, pd.Series(pd.Categorical.from_codes(codes, LEVELS, ordered=True)), codes


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_classes_have_the_order_of_the_categories(model):
    """Sorted by the alphabet they would be high, low, mid: a loss matrix would be permuted without a word."""
    X, y, codes = drawn()
    model.fit(X, y)
    assert model.classes_.tolist() == LEVELS
    assert (model.predict(X) == y.to_numpy()).mean() > 0.8
    assert (model.predict_proba(X).argmax(axis=1) == codes).mean() > 0.8
    enum = pl.Series(y.astype(str).tolist(), dtype=pl.Enum(LEVELS))
    assert model.fit(X, enum).classes_.tolist() == LEVELS
    assert model.fit(X, y.astype(str)).classes_.tolist() == sorted(LEVELS)
    loose = y.cat.as_unordered()
    assert model.fit(X, loose).classes_.tolist() == sorted(LEVELS)


def test_a_loss_matrix_is_in_the_order_of_the_categories():
    """To take high for low would cost what low for mid should."""
    X, y, _ = drawn()
    dear = [[0, 1, 1], [1, 0, 1], [50, 50, 0]]  # the row of "high": never miss it
    model = TreeClassifier(max_depth=2, loss_matrix=dear).fit(X, y)
    assert (model.predict(X[y == "high"]) == "high").all()


@pytest.mark.parametrize("model", [MODELS[0], LogisticRegression()], ids=lambda model: type(model).__name__)
def test_nested_scores_do_not_depend_on_the_order_but_ranked_ones_do(model):
    """Probabilities would be judged against other classes, also those of models that sort."""
    X, y, codes = drawn()
    for scoring in ("log_loss", "accuracy"):
        ordered, plain = (tamis.nested_score(model, X, t, scoring=scoring).mean for t in (y, y.astype(str)))
        assert ordered == pytest.approx(plain)
    by_codes = tamis.nested_score(model, X, codes, scoring="ranked_probability_score").mean
    assert tamis.nested_score(model, X, y, scoring="ranked_probability_score").mean == pytest.approx(by_codes)


def test_metrics_take_labels_in_any_order():
    """Labels that are not sorted were refused as unknown."""
    answer = np.array([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]])
    assert score("log_loss", ["low", "high"], answer, LEVELS) == pytest.approx(-np.log(0.7))
    assert score("mean_rank_error", ["low", "high"], ["high", "high"], LEVELS) == 1.0
