"""Metrics that users bring are told apart, computed and turned the right way."""

import numpy as np
import pytest
from sklearn import metrics as sk
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

import tamis
from tamis.errors import KindError, ParameterError
from tamis.evaluate import complexity_curve
from tamis.metrics import find, fingerprint, score

DEEP = 3


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:200, :4], np.array(["bad", "good"])[y[:200]]


def profit(y_true, y_pred):
    return np.mean(np.where(y_pred == "good", np.where(y_true == "good", 1.0, -2.0), 0.0))


def my_loss(y_true, y_pred):
    return np.mean(y_true != y_pred)


def area(y_true, y_score):
    return sk.roc_auc_score(y_true == "good", y_score)


def spread(y_true, y_proba):
    return np.mean((y_proba - (y_true == "good")) ** 2)


def leaves(estimator, X, y):
    return -float(estimator.get_n_leaves())


SAME = [
    ("log_loss", "neg_log_loss", -1),
    ("neg_log_loss", "neg_log_loss", 1),
    ("matthews", "matthews_corrcoef", 1),
    ("matthews_corrcoef", "matthews_corrcoef", 1),
    ("kappa", sk.make_scorer(sk.cohen_kappa_score), 1),
    (sk.get_scorer("accuracy"), "accuracy", 1),
    (sk.make_scorer(sk.fbeta_score, beta=2, pos_label="good"), None, 1),
    ("jaccard_macro", "jaccard_macro", 1),
    (sk.log_loss, "neg_log_loss", -1),
    (profit, sk.make_scorer(profit), 1),
    (my_loss, sk.make_scorer(my_loss), 1),
    (area, "roc_auc", 1),
    (spread, sk.make_scorer(spread, response_method="predict_proba"), 1),
    (leaves, None, 1),
]


@pytest.mark.parametrize(("scoring", "theirs", "sign"), SAME)
def test_every_kind_of_scoring_gives_what_scikit_learn_gives(tumours, scoring, theirs, sign):
    """A name of either vocabulary, a scorer or a function scores each fold as cross_val_score does."""
    X, y = tumours
    tree, cv = DecisionTreeClassifier(max_depth=DEEP, random_state=0), StratifiedKFold(4)
    wanted = cross_val_score(tree, X, y, scoring=scoring if theirs is None else theirs, cv=cv)
    found = tamis.nested_score(tree, X, y, scoring=scoring, outer=cv)
    np.testing.assert_allclose(found.scores, sign * wanted, rtol=1e-9)
    assert found.interval.low <= found.mean <= found.interval.high


@pytest.mark.parametrize("scoring", ["kappa", "log_loss", profit, my_loss, leaves, sk.make_scorer(profit)])
def test_every_caller_takes_every_kind(tumours, scoring):
    """Curves, audits and searches take what nested_score takes."""
    X, y = tumours
    tree = DecisionTreeClassifier(max_depth=DEEP, random_state=0)
    curve = complexity_curve(tree, X, y, "max_depth", [1, 2], scoring=scoring, cv=3)
    assert np.isfinite(curve.validation).all()
    assert not tamis.audit(tree, X, y, scoring=scoring, n_permutations=10, outer=3).leaks
    chosen = tamis.SubsetSelector(tree, k=2, scoring=scoring, cv=3).fit(X, y)
    assert np.isfinite(chosen.score_)


def test_a_search_turns_losses_so_that_larger_is_better():
    """Given the error itself a search must make it small, and its score is the negative error."""
    X, y = load_diabetes(return_X_y=True)
    found = [
        tamis.SubsetSelector(LinearRegression(), k=3, scoring=scoring, cv=3).fit(X, y)
        for scoring in ("mse", "neg_mean_squared_error", sk.mean_squared_error, "neg_mse")
    ]
    for other in found[1:]:
        np.testing.assert_array_equal(other.get_support(), found[0].get_support())
        np.testing.assert_allclose(other.score_, found[0].score_, rtol=1e-9)
    assert found[0].score_ < 0


def test_functions_see_the_classes_and_tell_their_direction():
    """A function is given labels, not codes; an error or loss by name is smaller the better."""
    assert find(profit, classes=True).larger
    assert not find(my_loss, classes=True).larger
    assert score(find(profit, classes=True), ["bad", "good", "bad"], ["good", "good", "bad"]) == pytest.approx(-1 / 3)
    assert find("max_error", classes=False).larger is False
    assert score(find("max_error", classes=False), [1.0, 2.0], [1.0, 5.0]) == 3.0


@pytest.mark.parametrize(
    ("scoring", "error", "says"),
    [
        (7, KindError, "scoring=7 is no name"),
        (lambda y: 0.0, KindError, "requires 1 arguments; give f(y_true, y_pred)"),
        (sk.make_scorer(sk.f1_score), ParameterError, "does not fit a target of classes: pos_label=1"),
        (sk.make_scorer(sk.median_absolute_error), ParameterError, "does not fit a target of classes"),
        (lambda y_true, y_pred: y_true[1000], ParameterError, "failed on 40 rows"),
        (lambda y_true, y_pred: y_pred, KindError, "it must return one number"),
    ],
)
def test_what_cannot_score_is_refused_in_a_sentence(tumours, scoring, error, says):
    """A function of the wrong shape, or one that fails, is named."""
    X, y = tumours
    with pytest.raises(error) as caught:
        tamis.nested_score(DecisionTreeClassifier(), X, y, scoring=scoring)
    assert says in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_fingerprint_tells_two_functions_of_one_name_apart():
    """A study must not resume with another function of the same name."""

    def one(y_true, y_pred):
        return 1.0

    first = fingerprint(one)

    def one(y_true, y_pred):
        return 2.0

    assert fingerprint(one) != first
