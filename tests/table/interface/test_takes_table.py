"""The mark of models that take a Table."""

import inspect

import pytest
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline

import tamis
from tamis import project, transform
from tamis.evaluate.baseline import Baseline
from tamis.study.procedures.models.transformed import Transformed
from tamis.table.interface.takes_table import TakesTable, takes_table

PUBLIC = [
    *(getattr(tamis, name) for name in tamis.__all__),
    *(getattr(transform, name) for name in transform.__all__),
    *(getattr(project, name) for name in project.__all__),
]
ESTIMATORS = {kind for kind in PUBLIC if inspect.isclass(kind) and issubclass(kind, BaseEstimator)}


@pytest.mark.parametrize("kind", [*sorted(ESTIMATORS, key=lambda kind: kind.__qualname__), Baseline, Transformed])
def test_every_estimator_bears_the_mark(kind):
    """A study would show it a frame, in which it would have to find kinds and levels again."""
    assert issubclass(kind, TakesTable)


def test_there_are_estimators_to_look_at():
    """The test above would hold of nothing."""
    assert {tamis.TreeClassifier, tamis.ForestRegressor, tamis.LinearClassifier, tamis.PCA} <= ESTIMATORS


def test_other_models_do_not_take_a_table():
    """scikit-learn's models, and pipelines, would be given an object they cannot read."""
    assert not takes_table(RandomForestClassifier())
    assert not takes_table(make_pipeline(tamis.TreeClassifier()))


def test_a_user_s_subclass_takes_what_its_parent_takes():
    """A model would be recognised by where it is written, not by what it is."""

    class Mine(tamis.TreeClassifier):
        pass

    assert takes_table(Mine())
