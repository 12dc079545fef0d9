"""Curves: the right rows on both sides, the one-standard-error size, and convergence of the wrapper."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import validation_curve
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tamis.errors import KindError, ParameterError
from tamis.evaluate.curves import Curve, complexity_curve, grow
from tamis.metrics import METRICS
from tamis.split import folds

IRIS, DIABETES = load_iris(return_X_y=True), load_diabetes(return_X_y=True)
NOISY = make_classification(300, 10, n_informative=4, flip_y=0.2, random_state=0)


def test_curves_are_scikit_learns_on_the_same_folds():
    """Training and validation scores must not be swapped, nor mixed between sizes."""
    tree = DecisionTreeClassifier(random_state=0)
    depths = [1, 2, 4, 8]
    curve = complexity_curve(tree, *NOISY, "max_depth", depths)
    train, test = validation_curve(tree, *NOISY, param_name="max_depth", param_range=depths, cv=folds(5, NOISY[1]))
    assert np.array_equal(curve.train, train)
    assert np.array_equal(curve.validation, test)
    assert np.all(np.diff(curve.train.mean(axis=1)) > 0)
    assert np.array_equal(complexity_curve(tree, *NOISY, "max_depth", depths, n_jobs=2).validation, test)


def test_any_complexity_can_be_varied():
    """Neighbours, strengths, columns inside a pipeline, functions of a size."""
    pipe = Pipeline([("select", SelectKBest()), ("model", KNeighborsClassifier())])
    assert complexity_curve(pipe, *NOISY, "select__k", [1, 5, 10]).validation.shape == (3, 5)
    assert complexity_curve(Ridge(), *DIABETES, "alpha", [100.0, 1.0], scoring="mse").best == 1.0
    made = complexity_curve(lambda k: KNeighborsRegressor(k), *DIABETES, "neighbours", [50, 10, 1], repeats=2)
    assert made.validation.shape == (3, 10)
    assert made.best in (50, 10)


def test_training_rows_can_be_varied_and_every_beginning_holds_the_classes():
    """A learning curve on rows sorted by class must not start with one class."""
    curve = complexity_curve(KNeighborsClassifier(1), *IRIS, "rows", [6, 30, 120])
    assert curve.validation.mean(axis=1)[0] > 0.75
    assert curve.best in (30, 120)
    shares = complexity_curve(KNeighborsClassifier(1), *IRIS, "rows", [0.05, 0.25, 1.0])
    assert np.array_equal(shares.validation, curve.validation)
    assert np.all(curve.train == 1)
    numbers = complexity_curve(LinearRegression(), *DIABETES, "rows", [20, 200])
    assert numbers.validation.mean(axis=1)[1] > numbers.validation.mean(axis=1)[0]


@pytest.mark.parametrize("name", ["accuracy", "error"])
def test_the_one_standard_error_rule_takes_the_simplest_size_within_reach(name):
    """The rule must go down from the best by one standard error of the best, whichever way the metric points."""
    turn = (lambda a: a) if name == "accuracy" else (lambda a: 1 - a)
    spread = np.array([-0.02, 0.0, 0.02])  # standard error 0.02 / sqrt(3) = 0.0115
    means = np.array([0.80, 0.889, 0.8885, 0.90, 0.895])
    curve = Curve("size", [1, 2, 3, 4, 5], METRICS[name], turn(means)[:, None] + spread, turn(means)[:, None] + spread)
    assert curve.best == 4
    assert curve.one_se == 2
    assert Curve("size", [1, 2], METRICS[name], np.ones((2, 1)), turn(np.array([[0.8], [0.9]]))).one_se == 2


def test_the_wrapper_stops_when_training_has_converged_and_takes_the_least_validation_error():
    """Beyond convergence larger sizes cannot help; before it the best may not have been seen."""
    X, y = NOISY
    grown = grow(lambda size: DecisionTreeClassifier(max_depth=size, random_state=0), X, y, most=50)
    assert grown.converged
    assert len(grown.curve.values) < 25
    assert np.ptp(grown.curve.train.mean(axis=1)[-4:]) <= 1e-3
    assert np.ptp(grown.curve.train.mean(axis=1)[-5:-1]) > 1e-3
    assert grown.size == grown.curve.values[np.argmax(grown.curve.validation.mean(axis=1))]
    assert grown.model.get_depth() <= grown.size
    short = grow(lambda size: DecisionTreeRegressor(max_depth=size, random_state=0), *DIABETES, most=3, scoring="mse")
    assert not short.converged
    assert short.size == [1, 2, 3][np.argmin(short.curve.validation.mean(axis=1))]


def test_the_figure_shows_both_curves_and_the_chosen_sizes():
    """A curve that cannot be seen teaches nobody."""
    curve = complexity_curve(DecisionTreeClassifier(random_state=0), *NOISY, "max_depth", [1, 2, 40])
    plot = curve.figure(height=200)
    assert len(plot.legend.items) == 2
    assert plot.height == 200
    words = complexity_curve(DecisionTreeClassifier(), *IRIS, "criterion", ["gini", "entropy"]).figure()
    assert words.legend.items


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: complexity_curve(Ridge(), *DIABETES, "alfa", [1]), ParameterError, "did you mean 'alpha'"),
        (lambda: complexity_curve(Ridge(), *DIABETES, "alpha", []), ParameterError, "are empty"),
        (
            lambda: complexity_curve(Ridge(), *DIABETES, "rows", [1000]),
            ParameterError,
            "only 353 training rows in a fold",
        ),
        (lambda: complexity_curve(3, *DIABETES, "rows", [10]), ParameterError, "neither a model nor a function"),
        (lambda: complexity_curve(SelectKBest(), *DIABETES, "k", [1]), KindError, "has no predict"),
        (lambda: grow(lambda s: Ridge(s), *DIABETES, most=0), ParameterError, "most=0 is too small"),
        (lambda: grow(lambda s: Ridge(s), *DIABETES, tolerance=-1), ParameterError, "tolerance=-1"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(call, error, says):
    """A misspelt parameter must be named."""
    with pytest.raises(error) as caught:
        call()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_in_place_of_a_function_of_a_size_gets_a_sentence():
    """A model given to grow would end in "object is not callable"."""
    from tamis import TreeClassifier

    with pytest.raises(ParameterError, match=r"is no function of a size; give one, .*TreeClassifier\(max_depth=size\)"):
        grow(TreeClassifier(), [[0.0], [1.0]], [0, 1])
