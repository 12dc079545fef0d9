"""A path without folds: the models that cross-validation follows, soon ended where they have columns enough."""

import numpy as np
import pytest

from tamis.errors import ParameterError
from tamis.linear import LinearClassifier, LinearRegressor


def _table(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 30))
    score = X[:, 3] - X[:, 7] + 0.5 * X[:, 11] + 0.5 * rng.normal(size=120)
    return X, np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score), score


@pytest.mark.parametrize("n_classes", [2, 4])
def test_folds_change_nothing_of_a_path(n_classes):
    """Else columns along a path would depend on how rows are held out; a Hessian shared with folds is less exact."""
    X, y, _ = _table(n_classes)
    model = LinearClassifier(n_alphas=20, cv=2)
    path = model.fit_path(X, y)
    np.testing.assert_allclose(path.coef, model.fit(X, y).path_.coef, atol=1e-5)
    assert path.cv_mean is None


@pytest.mark.parametrize(("n_classes", "penalty"), [(2, "ridge"), (3, "ridge"), (2, "lasso")])
def test_errors_of_folds_are_those_of_a_fit(n_classes, penalty):
    """A study takes strengths from them; those that `fit` chooses must be the same."""
    X, y, _ = _table(n_classes)
    model = LinearClassifier(penalty, n_alphas=10, cv=4, rule="min")
    path = model.fit_path(X, y, folds=True)
    fitted = model.fit(X, y)
    np.testing.assert_array_equal(path.cv_mean, fitted.path_.cv_mean)
    assert path.alphas[path.choose("min")] == fitted.alpha_


def test_path_of_numbers_is_that_of_a_fit_to_rounding():
    """Moments of folds are summed in another order."""
    X, _, y = _table(2)
    model = LinearRegressor(n_alphas=20, cv=2)
    np.testing.assert_allclose(model.fit_path(X, y).coef, model.fit(X, y).path_.coef, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_path_of_few_columns_is_the_beginning_of_the_whole(n_classes):
    """It ends within five strengths of the first model with more columns."""
    X, y, _ = _table(n_classes)
    model = LinearClassifier(n_alphas=40)
    whole, few = model.fit_path(X, y), model.fit_path(X, y, max_columns=4)
    first = int(np.argmax(whole.n_columns > 4))
    assert first < len(few.alphas) <= first + 5
    assert len(few.alphas) < len(whole.alphas)
    np.testing.assert_array_equal(few.coef, whole.coef[: len(few.alphas)])


def test_what_has_no_path_is_refused():
    """A best subset has no strengths; a hinge of several classes has a path for each."""
    X, y, _ = _table(3)
    with pytest.raises(ParameterError, match="fit_path needs penalty='ridge'"):
        LinearClassifier("subset").fit_path(X, y)
    with pytest.raises(ParameterError, match="loss='hinge' of 3 classes needs one for each"):
        LinearClassifier(loss="hinge").fit_path(X, y)
