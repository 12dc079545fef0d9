"""LinearClassifier against scikit-learn, refits, and its own promises."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from tamis import LinearClassifier
from tamis.errors import ParameterError, TamisWarning


def data(n=150, p=8, classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * rng.uniform(0.5, 2, size=p) + rng.normal(size=p)
    eta = X[:, 0] - X[:, 1] + rng.normal(size=n)
    return X, np.digitize(eta, np.quantile(eta, np.linspace(0, 1, classes + 1)[1:-1]))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("penalty", "ratio"), [("lasso", 1.0), ("elastic-net", 0.5), ("ridge", 0.0)])
def test_coefficients_equal_scikit_learn_at_tight_tolerance(penalty, ratio, classes):
    """The objective must be mean log loss plus the stated penalty on standardised columns."""
    X, y = data(classes=classes)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    alpha = 0.05
    model = LinearClassifier(penalty=penalty, alpha=alpha).fit(X, y)
    options = {"C": 1 / (len(y) * alpha), "l1_ratio": ratio, "solver": "saga", "tol": 1e-10, "max_iter": 20000}
    other = LogisticRegression(**options).fit(Z, y)
    np.testing.assert_allclose(model.coef_ * X.std(axis=0), other.coef_, atol=2e-5)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(Z), atol=2e-5)


def test_cv_equals_refitting_every_fold():
    """Errors in lockstep must be those of models refitted on each fold's rows."""
    X, y = data(n=90)
    splits = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, y))
    model = LinearClassifier(cv=splits, n_alphas=8, tol=1e-12).fit(X, y)
    for a in (1, 4, 7):
        errors = []
        for train, test in splits:
            part = LinearClassifier(alpha=model.path_.alphas[a]).fit(X[train], y[train])
            errors.append(log_loss(y[test], part.predict_proba(X[test])))
        expected = np.average(errors, weights=[len(test) for _, test in splits])
        np.testing.assert_allclose(model.path_.cv_mean[a], expected, rtol=1e-7)


def test_squared_hinge_of_several_classes_is_one_against_the_rest():
    """Each row of coef_ must be the two-class model of its class."""
    X, y = data(classes=3)
    model = LinearClassifier(loss="squared_hinge", alpha=0.05).fit(X, y)
    for k in range(3):
        one = LinearClassifier(loss="squared_hinge", alpha=0.05).fit(X, y == k)
        np.testing.assert_allclose(model.coef_[k], one.coef_[0], atol=1e-10)
    assert not hasattr(model, "predict_proba")


def test_separated_classes_without_a_penalty_are_told():
    """Perfectly separated classes have no finite optimum: the user must know."""
    X = np.linspace(-1, 1, 40)[:, None]
    with pytest.warns(TamisWarning, match="separate the two classes"):
        LinearClassifier(penalty=None).fit(X, X[:, 0] > 0)
    LinearClassifier(alpha=0.01).fit(X, X[:, 0] > 0)


def test_one_class_is_refused():
    """A single class must be refused by name."""
    X, _ = data()
    with pytest.raises(ParameterError, match="only one class"):
        LinearClassifier().fit(X, np.full(len(X), "yes"))


@pytest.mark.parametrize("classes", [2, 3])
def test_a_model_survives_json_to_the_last_bit(classes):
    """A saved classifier must give the same classes and probabilities after loading."""
    X, y = data(classes=classes)
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(k=np.where(X[:, 0] > 0, "u", "v"))
    labels = np.array(["low", "mid", "high"])[y]
    model = LinearClassifier(alpha=0.02).fit(frame, labels)
    back = LinearClassifier.from_dict(json.loads(json.dumps(model.to_dict())))
    np.testing.assert_array_equal(back.predict(frame), model.predict(frame))
    np.testing.assert_array_equal(back.predict_proba(frame), model.predict_proba(frame))
    assert back.to_text() == model.to_text()


def test_to_text_names_the_class():
    """The formula of two classes must say whose log-odds it is."""
    X, y = data()
    text = LinearClassifier(alpha=0.02).fit(X, np.where(y == 1, "ill", "well")).to_text()
    assert text.startswith("log-odds of well = ")


def test_a_path_ends_when_all_rows_are_fitted():
    """Separated classes must end the path instead of chasing infinite coefficients."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 100))
    model = LinearClassifier(cv=3).fit(X, X[:, 0] > 0)
    assert np.all(np.isfinite(model.path_.coef))
    assert "x0" in model.selected_columns_


@pytest.mark.parametrize("given", ["balanced", {0: 3.0, 1: 0.5}])
def test_class_weights_are_row_weights(given):
    """A class weight is the same as that weight on each of its rows, and balanced ones even out the classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 1.2).astype(int)
    factors = len(y) / (2 * np.bincount(y)) if given == "balanced" else np.array([3.0, 0.5])
    one = LinearClassifier("ridge", alpha=0.1, class_weight=given).fit(X, y)
    other = LinearClassifier("ridge", alpha=0.1).fit(X, y, sample_weight=factors[y])
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-9)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-9)


def test_ridge_of_a_fold_in_which_no_column_varies():
    """A fold of one row has no principal axis, and a shape could not be told."""
    X, y = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 5.0]]), ["a", "b"]
    assert list(LinearClassifier("ridge", cv=2).fit(X, y).predict(X)) == y
