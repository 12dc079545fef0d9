"""Every selector takes mixed frames with holes, in whatever library they came, and names what a model cannot take."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_classif, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import tamis
from tamis import (
    ForestClassifier,
    LinearClassifier,
    LinearRegressor,
    RankSelector,
    ShadowSelector,
    StabilitySelector,
    SubsetSelector,
    TreeClassifier,
)
from tamis.errors import KindError, ParameterError, TableError, TamisWarning

RANDOM = np.random.default_rng(0)
N = 90
GROUP = RANDOM.integers(0, 3, N)  # decides everything; the two numbers beside it say nothing
A, B = RANDOM.normal(size=(2, N))
Y = np.where(GROUP == 2, "yes", "no")
WORDS = np.array(["blue", "green", "red"])[GROUP]
DAYS = np.where(GROUP == 2, 200, 0) + RANDOM.integers(0, 30, N)
START = np.datetime64("2020-01-01", "us")


def beside(values):
    return pd.DataFrame({"a": A, "b": B, "c": values})


def with_holes(frame):
    out = frame.copy()
    out.loc[::7, "a"] = None
    out.loc[::9, "c"] = None
    return out


FRAMES = {
    "category": beside(pd.Categorical(WORDS)),
    "text": beside(WORDS.astype(object)),
    "boolean": beside(GROUP == 2),
    "date": beside(START + DAYS.astype("timedelta64[D]")),
    "date of a zone": beside(pd.Series(START + DAYS.astype("timedelta64[D]")).dt.tz_localize("America/New_York")),
    "dates as objects": beside(np.array((START + DAYS.astype("timedelta64[D]")).astype(object))),
    "time span": beside(DAYS.astype("timedelta64[D]").astype("timedelta64[s]")),
    "missing numbers": with_holes(beside((GROUP == 2) + 0.1 * B)),
    "missing categories": with_holes(beside(pd.Categorical(WORDS))),
    "missing dates": with_holes(beside(START + DAYS.astype("timedelta64[D]"))),
    "nullable": with_holes(
        pd.DataFrame(
            {"a": pd.array(A, "Float64"), "b": pd.array(N * B, "Float64"), "c": pd.array(GROUP == 2, "boolean")}
        )
    ),
    "nullable text": with_holes(
        pd.DataFrame({"a": pd.array(A, "Float64"), "b": np.arange(N)[::-1], "c": pd.array(WORDS, "string")})
    ),
    "polars": pl.DataFrame({"a": A, "b": B, "c": WORDS}),
    "polars categories with holes": pl.from_pandas(with_holes(beside(pd.Categorical(WORDS)))),
    "polars time span": pl.DataFrame({"a": A, "b": B, "c": DAYS.astype("timedelta64[ms]")}),
    "polars lazy": pl.LazyFrame({"a": A, "b": B, "c": WORDS}),
    "arrow": pa.table({"a": A, "b": B, "c": WORDS}),
}

QUICK = {"progress": False, "random_state": 0}
SELECTORS = {
    "rank": RankSelector(k=1),
    "rank by relief": RankSelector("relief", k=1),
    "search, linear": SubsetSelector(LinearClassifier("ridge", alpha=0.1, missing="mean"), k=1, cv=3),
    "search, elimination": SubsetSelector(
        LinearClassifier("ridge", alpha=0.1, missing="mean"), search="elimination", k=1, cv=3
    ),
    "search, tree": SubsetSelector(TreeClassifier(max_depth=3), k=1, cv=3),
    "search, forest": SubsetSelector(ForestClassifier(8, **QUICK), k=1, cv="oob"),
    "search, mrmr": SubsetSelector("mrmr", k=1),
    "search, cfs": SubsetSelector("cfs", k=1),
    "search, consistency": SubsetSelector("consistency", k=1),
    "stability, linear": StabilitySelector(LinearClassifier(alpha=0.12, missing="mean"), n_resamples=6),
    "stability, rank": StabilitySelector(RankSelector(k=1), n_resamples=6),
    "stability, tree": StabilitySelector(TreeClassifier(max_leaf_nodes=2), n_resamples=6),
    "shadow": ShadowSelector(ForestClassifier(15, max_depth=4, **QUICK), max_rounds=40),
    "shadow, linear": ShadowSelector(LinearClassifier("ridge", alpha=0.1, missing="mean"), max_rounds=40),
}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("selector", SELECTORS)
def test_every_selector_finds_the_column_that_decides(selector, frame):
    """A selector would refuse a frame that the README says it takes, or choose among indicators."""
    X = FRAMES[frame]
    found = clone(SELECTORS[selector]).fit(X, Y)
    assert found.get_support().tolist() == [False, False, True]
    chosen = found.transform(X)
    assert chosen.shape == (N, 1)
    model = TreeClassifier(max_depth=3).fit(chosen, Y)
    assert model.score(chosen, Y) > 0.8


@pytest.mark.parametrize("frame", FRAMES)
def test_selectors_are_compared_on_every_frame(frame):
    """`compare` would stop at the first column that is no number, or its model at the first hole."""
    found = tamis.search.compare({"rank": RankSelector(k=1)}, FRAMES[frame], Y, cv=3)
    assert found["rank"].columns == ("c",)
    assert found["rank"].mean > 0.8


@pytest.mark.parametrize(
    "selector",
    [
        RankSelector(k=1),
        SubsetSelector(LinearClassifier("ridge", alpha=0.1), k=1, cv=3),
        SubsetSelector(LinearRegression(), k=1, cv=3),
        StabilitySelector(LinearRegressor(alpha=0.2), n_resamples=4),
        StabilitySelector(make_pipeline(SelectKBest(f_regression, k=2), Lasso(0.05)), n_resamples=4),
    ],
    ids=["rank", "subset, linear", "subset, scikit-learn", "stability", "stability of a pipeline"],
)
def test_sparse_matrices_where_the_model_takes_them(selector):
    """A sparse matrix would be refused, or another column chosen than of the same numbers in full."""
    dense = np.where(RANDOM.random((N, 4)) < 0.5, 0.0, RANDOM.normal(size=(N, 4)))
    dense[:, 2] = np.where(Y == "yes", 3.0, 0.0)
    y = Y if "Classifier" in repr(selector) or isinstance(selector, RankSelector) else (Y == "yes").astype(float)
    for X in (sparse.csr_matrix(dense), sparse.csc_array(dense), dense):
        assert selector.fit(X, y).get_support().tolist() == [False, False, True, False]


def test_the_pipeline_inside_fills_its_own_holes():
    """Missing values would be refused before the imputer of the pipeline sees them."""
    X = FRAMES["missing numbers"]
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression())
    assert SubsetSelector(pipeline, k=1).fit(X, Y).selected_ == ["c"]
    assert SubsetSelector(pipeline, k=1, search="elimination").fit(X, Y).selected_ == ["c"]
    path = make_pipeline(SimpleImputer(), Lasso(0.1))
    assert StabilitySelector(path, n_resamples=6).fit(X, (Y == "yes") * 1.0).selected_ == ["c"]
    assert ShadowSelector(pipeline, max_rounds=40).fit(X, Y).selected_ == ["c"]
    mixed = FRAMES["missing categories"]
    words = make_column_selector(dtype_exclude="number")
    encode = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), words), remainder=SimpleImputer())
    both = make_pipeline(encode, LogisticRegression())
    assert SubsetSelector(both, k=1).fit(mixed, Y).selected_ == ["c"]
    assert StabilitySelector(make_pipeline(encode, Lasso(0.1)), n_resamples=6).fit(
        mixed, (Y == "yes") * 1.0
    ).selected_ == ["c"]
    assert ShadowSelector(both, max_rounds=40).fit(mixed, Y).selected_ == ["c"]


def test_stability_counts_columns_and_not_indicators():
    """Frequencies of indicators would be taken for those of columns: [0, 0, 0] where the third decides everything."""
    X = FRAMES["category"]
    for model in (LinearClassifier(alpha=0.12), LinearRegressor(alpha=0.05)):
        y = Y if isinstance(model, LinearClassifier) else (Y == "yes").astype(float)
        found = StabilitySelector(model, n_resamples=10).fit(X, y)
        assert found.frequency_.shape == (3,)
        assert found.frequency_[2] == 1
        assert found.selected_ == ["c"]


def test_neither_threads_nor_the_order_of_columns_change_what_is_chosen():
    """Chosen columns would depend on how a frame was put together, or on the machine."""
    X = FRAMES["missing categories"]
    for selector in (
        StabilitySelector(LinearClassifier(alpha=0.05, missing="mean"), n_resamples=8, threshold=0.1),
        ShadowSelector(max_rounds=10, keep="undecided"),
        SubsetSelector(TreeClassifier(max_depth=3), cv=3),
    ):
        first = selector.fit(X, Y)
        names, mask = first.selected_, first.get_support()
        told = getattr(first, "frequency_", getattr(first, "importance_", np.zeros(3)))
        other = selector.set_params(n_jobs=2).fit(X[["c", "b", "a"]], Y)
        assert other.selected_ == names
        assert other.get_support().tolist() == mask[::-1].tolist()
        again = getattr(other, "frequency_", getattr(other, "importance_", np.zeros(3)))
        np.testing.assert_array_equal(again[::-1], told)


def test_a_pipeline_inside_stability_is_traced_to_the_table():
    """What the last step chose would be counted for the wrong columns, or break."""
    X = RANDOM.normal(size=(N, 6))
    y = X[:, 4] - X[:, 1] + 0.1 * RANDOM.normal(size=N)
    pipeline = make_pipeline(StandardScaler(), SelectKBest(f_regression, k=3), Lasso(alpha=0.1))
    found = StabilitySelector(pipeline, n_resamples=10).fit(X, y)
    assert found.frequency_.shape == (6,)
    assert found.selected_ == [1, 4]
    plain = StabilitySelector(make_pipeline(StandardScaler(), SelectKBest(f_regression, k=2)), n_resamples=10).fit(X, y)
    assert plain.selected_ == [1, 4]


@pytest.mark.parametrize("frame", ["category", "missing categories", "polars", "nullable text"])
def test_select_from_model_counts_columns(frame):
    """scikit-learn's SelectFromModel would choose among indicators, and fail to transform."""
    X = FRAMES[frame]
    model = LinearClassifier("ridge", alpha=0.1, missing="mean")
    found = SelectFromModel(model, importance_getter="feature_importances_").fit(X, Y)
    assert found.get_support().tolist() == [False, False, True]


TOO_MUCH = [
    (
        SubsetSelector(LinearRegression()),
        "text",
        KindError,
        r"'c' holds categories .* LinearRegression .* OneHotEncoder",
    ),
    (SubsetSelector(LogisticRegression()), "missing numbers", TableError, r"'a' \(13 rows\).*Impute in a pipeline"),
    (SubsetSelector(LinearClassifier(None)), "missing numbers", TableError, "missing='mean'"),
    (SubsetSelector(LinearRegression(), search="backward"), "polars", KindError, "'c' holds categories"),
    (
        SubsetSelector(make_pipeline(SimpleImputer(), Lasso())),
        "date",
        KindError,
        "'c' holds dates.* SimpleImputer, Lasso",
    ),
    (StabilitySelector(Lasso()), "category", KindError, "'c' holds categories .* Lasso"),
    (
        StabilitySelector(make_pipeline(SelectKBest(), Lasso())),
        "missing numbers",
        TableError,
        "'a' has . missing values",
    ),
    (StabilitySelector(SelectKBest()), "text", KindError, "'c' holds categories .* SelectKBest"),
    (ShadowSelector(LogisticRegression()), "text", KindError, "'c' holds categories .* LogisticRegression"),
    (RankSelector(f_classif), "polars", KindError, "'c' holds categories .* f_classif"),
    (RankSelector(f_classif), "missing numbers", TableError, "'a' has 13 missing values .* f_classif"),
]


@pytest.mark.parametrize(("selector", "frame", "error", "words"), TOO_MUCH, ids=lambda value: str(value)[:40])
def test_what_a_model_cannot_take_is_named(selector, frame, error, words):
    """A column would quietly never be chosen, or the message would name neither the column nor the way out."""
    y = (Y == "yes").astype(float) if "Regression()" in repr(selector) or "Lasso" in repr(selector) else Y
    y = Y if "Logistic" in repr(selector) else y
    with warnings.catch_warnings():
        warnings.simplefilter("error", TamisWarning)
        with pytest.raises(error, match=words) as caught:
            selector.fit(FRAMES[frame], y)
    assert len(str(caught.value)) <= 300


@pytest.mark.parametrize(
    "selector",
    [RankSelector(k=1), SubsetSelector(TreeClassifier(), k=1), StabilitySelector(RankSelector(k=1)), ShadowSelector()],
    ids=lambda selector: type(selector).__name__,
)
@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.column_stack([A, B]) + 1j, "Complex data"),
        (beside(A + 1j * B), "'c' holds complex numbers"),
        ((np.column_stack([A, B]) + 1j).tolist(), "Complex data"),
        (A, "Expected 2D array, got 1D array"),
        (A.astype("datetime64[D]"), "Expected 2D array, got 1D array"),
    ],
    ids=["complex", "complex frame", "complex list", "one dimension", "dates of one dimension"],
)
def test_arrays_of_no_use_get_one_sentence(selector, X, words):
    """A message would print the whole array, or NumPy's riddle about types."""
    with pytest.raises((KindError, TableError), match=words) as caught:
        selector.fit(X, Y)
    assert len(str(caught.value)) <= 300


def test_arrays_of_dates_and_time_spans_are_read_in_days():
    """Dates in an array would be refused, counted in the unit they came in, or a missing one be the year 1677."""
    X = np.column_stack(
        [START + RANDOM.permutation(DAYS).astype("timedelta64[D]"), START + DAYS.astype("timedelta64[D]")]
    )
    X[::10, 1] = np.datetime64("NaT")
    for given in (X, X - START):
        found = RankSelector(k=1).fit(given, Y)
        assert found.get_support().tolist() == [False, True]
        assert SubsetSelector(TreeClassifier(max_depth=2), k=1, cv=3).fit(given, Y).selected_ == [1]
        assert StabilitySelector(TreeClassifier(max_leaf_nodes=2), n_resamples=4).fit(given, Y).selected_ == [1]


def test_what_a_transformer_makes_of_several_columns_is_not_counted_for_one():
    """A choice among principal components would be told as a choice among columns."""
    from sklearn.decomposition import PCA

    X = RANDOM.normal(size=(N, 3))
    with pytest.raises(ParameterError, match="PCA makes new columns"):
        StabilitySelector(make_pipeline(PCA(), Lasso(0.1)), n_resamples=4).fit(X, X[:, 0])
