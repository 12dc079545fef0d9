"""Numbers whose squares overflow or vanish: a sentence, and never a silent wrong answer."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression

import tamis
from tamis import (
    ForestClassifier,
    ForestRegressor,
    LinearClassifier,
    LinearRegressor,
    RankSelector,
    StabilitySelector,
    SubsetSelector,
    TreeClassifier,
    TreeRegressor,
    transform,
)
from tamis.errors import TableError
from tamis.project import MDS, PCA, SVD, FactorAnalysis, KernelPCA, ProjectionPursuit
from tamis.search import KnockoffSelector

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
NUMBER, CLASS = X[:, 1] + 0.1 * RANDOM.normal(size=60), X[:, 1] > 0
SCALES = [1e-310, 1e-200, 1e200, 4e307]


def scaled(scale):
    out = X.copy()
    out[:, 1] *= scale
    return out


SQUARING = {
    **{f"regressor {p}": (LinearRegressor(p, cv=3, k=1), NUMBER) for p in (None, "ridge", "lasso", "subset")},
    **{f"classifier {p}": (LinearClassifier(p, cv=3, k=1), CLASS) for p in (None, "ridge", "lasso", "subset")},
    "one strength": (LinearRegressor(alpha=0.01), NUMBER),
    "huber": (LinearRegressor(cv=3, loss="huber"), NUMBER),
    "bayes": (LinearRegressor("ridge", alpha="bayes", n_draws=10), NUMBER),
    "pearson": (RankSelector("pearson", k=1), NUMBER),
    "anova": (RankSelector("anova", k=1), CLASS),
    "variance": (RankSelector("variance", k=1), CLASS),
    "search": (SubsetSelector(LinearRegression(), k=1), NUMBER),
    "search, leaving one out": (SubsetSelector(LinearRegression(), k=1, cv="loo"), NUMBER),
    "branch and bound": (SubsetSelector(LinearRegression(), k=1, search="branch-and-bound", cv="train"), NUMBER),
    "search, logistic": (SubsetSelector(LogisticRegression(), k=1), CLASS),
    "stability": (StabilitySelector(Lasso(alpha=0.05), n_resamples=4), NUMBER),
}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", SQUARING)
def test_what_cannot_be_squared_is_named(name, scale):
    """The column that decides everything would count for nothing, or end in an IndexError or an infinite answer."""
    model, y = SQUARING[name]
    Z = scaled(scale)
    for given, column in ((Z, "x1"), (pd.DataFrame(Z, columns=list("abc")), "b")):
        with pytest.raises(TableError, match=f"column '{column}' holds .* to be squared") as caught:
            model.fit(given, y)
        assert len(str(caught.value)) <= 300


@pytest.mark.parametrize("scale", SCALES)
def test_methods_of_order_do_not_mind(scale):
    """Trees and counts would refuse numbers that they only have to put in order, or warn of an overflow."""
    Z = scaled(scale)
    for model, y in (
        (TreeClassifier(max_depth=2), CLASS),
        (TreeRegressor(max_depth=6), NUMBER),
        (ForestClassifier(10, progress=False, random_state=0), CLASS),
        (ForestRegressor(10, progress=False, random_state=0), NUMBER),
    ):
        assert model.fit(Z, y).score(Z, y) > 0.9
    for by in ("stump", "mutual_information", "gain_ratio", "chi2", "relief"):
        assert RankSelector(by, k=1).fit(Z, CLASS).get_support().tolist() == [False, True, False]
    assert SubsetSelector(TreeClassifier(max_depth=2), k=1, cv=3).fit(Z, CLASS).selected_ == [1]
    assert SubsetSelector("mrmr", k=1).fit(Z, CLASS).selected_ == [1]


@pytest.mark.parametrize("scale", SCALES)
def test_a_target_that_cannot_be_squared_is_named(scale):
    """A regression of such a target would be a constant, or infinite."""
    for model in (LinearRegressor(None), TreeRegressor(), ForestRegressor(5, progress=False)):
        with pytest.raises(TableError, match=r"the target y holds .* to be squared"):
            model.fit(X, NUMBER * scale)


def test_no_answer_is_infinite():
    """A model of ordinary numbers would answer with infinity when asked about a huge one."""
    model = LinearRegressor(None).fit(X, 3 * X[:, 1])
    assert np.isfinite(model.predict(np.full((2, 3), 1e60))).all()
    with pytest.raises(TableError, match=r"column 'x1' holds 1\.7e\+308"):
        model.predict([[0.0, 1.7e308, 0.0]])


def test_zeros_holes_and_sparse_columns_are_not_extreme():
    """A column of zeros, of missing values, or with many zeros before its first number would be refused."""
    Z = np.zeros((3000, 4))
    Z[:, 0] = RANDOM.normal(size=3000)
    Z[2500:, 1] = 1.0  # nothing in the rows that are looked at first
    Z[:, 3] = np.nan
    y = Z[:, 0] + Z[:, 1]
    found = LinearRegressor("ridge", alpha=1e-6, missing="mean").fit(Z, y)
    np.testing.assert_allclose(found.coef_[:2], 1, rtol=1e-4)
    assert tamis.score.pearson(Z, y)[0] > 0.5
    held = sparse.csc_matrix(np.where(np.arange(4) == 1, Z * 1e200, np.nan_to_num(Z)))
    with pytest.raises(TableError, match="column 'x1' holds 1e\\+200"):
        LinearRegressor("ridge", alpha=1e-6).fit(held, y)


@pytest.mark.parametrize(
    "step",
    [
        *(PCA(1), SVD(1), KernelPCA(1), MDS(1), FactorAnalysis(1), ProjectionPursuit(1)),
        *(transform.Derivative(), transform.Center(), KnockoffSelector()),
        *(TreeRegressor(leaf="linear"), TreeRegressor(splits="oblique")),
    ],
    ids=repr,
)
def test_a_number_beyond_the_largest_ends_in_one_sentence(step):
    """An overflow ended in a warning of NumPy and an infinite answer, or none."""
    Z = 1.7e308 * (X / np.abs(X).max(axis=0))
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(TableError, match=r"column 'x\d' holds .* to be squared; divide it by a constant"):
            step.fit(Z, NUMBER).transform(Z)


def test_components_of_large_numbers_with_holes():
    """Squares of the values that are there overflowed before anything was said."""
    Z = X * 1e200
    Z[3, 1] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(TableError, match=r"column 'x0' holds .* to be squared"):
            PCA(1).fit(Z)


def test_a_computation_beyond_the_largest_number_of_ordinary_columns():
    """A power that is too high for ordinary numbers was an infinite answer."""
    with pytest.raises(TableError, match=r"KernelPCA of these columns gives a number beyond the largest \(1\.8e"):
        KernelPCA(1, kernel="poly", degree=200).fit(1e3 * X)


def test_a_ratio_beyond_the_largest_number():
    """A large number over a small one was infinite."""
    with pytest.raises(TableError, match=r"column 'x0' holds 1e\+200, which is too large to be squared"):
        transform.Ratios().fit_transform([[1e200, 1e-200], [2.0, 1.0]])
