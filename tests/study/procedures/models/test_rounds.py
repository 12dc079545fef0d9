"""How many rounds of boosting folds choose, and whose answers judge it."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.evaluate.inner_folds import InnerFolds
from tamis.study.procedures.models.boosting import Boosting
from tamis.study.procedures.models.rounds import EVERY, tuned_rounds
from tamis.table import Table


class _Steps:
    """A model whose answer to every row is the number of its stage."""

    def __init__(self, n_stages: int) -> None:
        self.n_stages = n_stages

    def staged_predict(self, table: Table, every: int):
        assert every == EVERY
        return (np.full(table.n_rows, float(stage)) for stage in range(self.n_stages))


def test_each_fold_is_answered_by_what_the_others_choose():
    """A row that had a say in the strength of its own answer would flatter it."""
    y = np.array([0.0, 0.0, 1.0, 1.0, 2.0, 2.0])
    pairs = [(np.setdiff1d(np.arange(6), [i, i + 1]), np.array([i, i + 1])) for i in (0, 2, 4)]
    found = tuned_rounds(lambda table, target: (_Steps(3), table.names), Table.of(np.zeros((6, 1))), y, pairs, 12)
    # losses of stages 0, 1, 2 in the folds: (0, 1, 4), (1, 0, 1), (4, 1, 0) a row; in all 5, 2, 5
    assert found.rounds == 2 * EVERY
    np.testing.assert_array_equal(found.cv_predictions, np.ones(6))
    # without the first fold 5, 1, 1; without the second 4, 2, 4; without the third 1, 1, 5: ties go to fewer rounds
    np.testing.assert_array_equal(found.nested_predictions, [1.0, 1.0, 1.0, 1.0, 0.0, 0.0])


@pytest.mark.parametrize("task", ["regression", "classification"])
def test_noise_takes_few_rounds_and_signal_many(task):
    """Rounds that only learn the noise by heart would be kept, or rounds that are needed left out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    signal = 4 * np.sin(2 * X[:, 0]) * np.sign(X[:, 1])
    rounds = {}
    for name, size in (("noise", 0.0), ("signal", 1.0)):
        y = size * signal + rng.normal(size=600)
        y = y if task == "regression" else np.where(y > 0, "yes", "no")
        model = Boosting(task, rounds=100, max_leaf_nodes=8, min_samples_leaf=5, cv=InnerFolds(), random_state=0)
        rounds[name] = model.fit(Table.of(X), y).rounds_
        assert not np.isnan(model.nested_predictions_).any()
    assert rounds["noise"] <= 2 * EVERY < 40 < rounds["signal"]


def test_the_model_is_that_of_the_rounds_chosen():
    """What is kept would be another model than the one that folds judged."""
    rng = np.random.default_rng(1)
    X = Table.of(rng.normal(size=(300, 25)))
    y = np.array(["a", "b", "c"])[np.digitize(X.columns[0].values + 0.5 * rng.normal(size=300), [-0.5, 0.5])]
    own = {"max_leaf_nodes": 8, "min_samples_leaf": 5, "max_features": 0.5, "random_state": 3}
    tuned = Boosting("classification", rounds=60, cv=InnerFolds(3), **own).fit(X, y)
    plain = Boosting("classification", rounds=tuned.rounds_, **own).fit(X, y)
    np.testing.assert_array_equal(tuned.predict_proba(X), plain.predict_proba(X))
    tuned.set_params(cv=None).fit(X, y)
    assert tuned.rounds_ == 60
    assert not hasattr(tuned, "nested_predictions_")


def test_a_class_that_a_fold_lacks_has_no_probability_there():
    """Answers of fewer classes would stand under the wrong ones."""
    y = np.repeat(["a", "b", "c"], [40, 40, 4])
    X = Table.of(np.arange(84.0)[:, None])
    learn, judged = np.flatnonzero(y != "c"), np.flatnonzero(y == "c")
    model = Boosting("classification", rounds=20, min_samples_leaf=5, cv=[(learn, judged)]).fit(X, y)
    assert (model.cv_predictions_[judged, 2] == 0).all()
    assert np.isnan(model.cv_predictions_[learn]).all()
