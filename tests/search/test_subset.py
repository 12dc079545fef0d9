"""The subset selector: sizes, stopping, prices, budgets, names, and what it says about bad input."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from tamis import SubsetSelector, nested_score
from tamis.errors import KindError, ParameterError, TableError, TamisWarning
from tamis.search.strategy import strategy_names

NAMES = list("gbdafce")


def test_k_is_a_number_a_range_or_best(linear_data):
    """A size asked for would not be the size given."""
    X, y = linear_data
    assert len(SubsetSelector(LinearRegression(), k=4).fit(X, y).selected_) == 4
    ranged = SubsetSelector(LinearRegression(), k=(2, 5)).fit(X, y)
    curve = ranged.history_.curve()
    inside = (curve["size"] >= 2) & (curve["size"] <= 5)
    assert ranged.score_ == pytest.approx(curve["score"][inside].max())
    assert SubsetSelector(LinearRegression(), k=range(2, 6)).fit(X, y).selected_ == ranged.selected_
    best = SubsetSelector(LinearRegression(), k="best").fit(X, y)
    assert {1, 3, 6} <= set(best.selected_)


def test_one_standard_error_and_tolerance_choose_smaller_sets(linear_data):
    """The rules that guard against too many columns would do nothing."""
    X, y = linear_data
    best = SubsetSelector(LinearRegression(), k=(1, 7)).fit(X, y)
    within = SubsetSelector(LinearRegression(), k=(1, 7), rule="1se").fit(X, y)
    curve = best.history_.curve()
    leader = int(np.argmax(curve["score"]))
    floor = curve["score"][leader] - curve["error"][leader]
    assert len(within.selected_) == curve["size"][curve["score"] >= floor].min()
    assert len(SubsetSelector(LinearRegression(), tol=10.0).fit(X, y).selected_) == 1


def test_fixed_and_grouped_columns_stay_together(linear_data):
    """A column always in would be out, or a group be torn."""
    X, y = linear_data
    for search in ("forward", "backward", "genetic", "annealing", "random", "best-first", "floating"):
        found = SubsetSelector(
            LinearRegression(), search=search, k=3, fixed=[0], groups=[[1, 2], [3, 4]], max_evaluations=60
        )
        found.fit(X, y)
        for trial in found.history_:
            chosen = set(trial.columns)
            assert 0 in chosen
            assert len(chosen & {1, 2}) != 1
            assert len(chosen & {3, 4}) != 1
        assert sum(u <= set(found.selected_) for u in ({0}, {1, 2}, {3, 4}, {5}, {6})) == 3


def test_a_budget_is_kept_and_ties_go_to_the_cheaper():
    """Money would be overspent, or spent for nothing."""
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 4))
    X[:, 1] = X[:, 0]
    y = X[:, 0] + 0.5 * X[:, 2] + 0.1 * random.normal(size=60)
    cheap = SubsetSelector(LinearRegression(), k=1, costs=[5, 2, 1, 1]).fit(X, y)
    assert cheap.selected_ == [1]
    for search in ("forward", "backward", "exhaustive", "genetic", "annealing", "random", "floating", "best-first"):
        found = SubsetSelector(LinearRegression(), search=search, costs=[5, 2, 4, 1], budget=5, random_state=1).fit(
            X, y
        )
        assert sum([5, 2, 4, 1][j] for j in found.selected_) <= 5
        assert 1 in found.selected_
    by_name = SubsetSelector(LinearRegression(), k=1, costs={"b": 9.0}).fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert by_name.selected_ == ["a"]


def test_budget_in_evaluations_is_exact_and_warns_when_too_small(linear_data):
    """A run with a budget would not be reproducible, or end without a set."""
    with pytest.warns(TamisWarning, match="no set of 3 columns"):
        found = SubsetSelector(LinearRegression(), k=3, max_evaluations=9).fit(*linear_data)
    assert (len(found.history_), found.n_evaluations_, found.stopped_, found.reproducible_) == (
        9,
        9,
        "max_evaluations",
        True,
    )


def test_a_time_limit_is_labelled_not_reproducible(linear_data):
    """A result that depends on the clock would look like any other."""
    found = SubsetSelector(DecisionTreeRegressorSlow(), k=(1, 7), time_limit=0.05).fit(*linear_data)
    assert (found.stopped_, found.reproducible_) == ("time_limit", False)


def test_an_interrupt_returns_the_best_so_far(linear_data):
    """Ctrl-C would throw an hour's search away."""
    calls = []

    def watch(event):
        calls.append(event)
        if len(calls) == 2:
            raise KeyboardInterrupt

    found = SubsetSelector(LinearRegression(), k=(1, 7), progress=watch).fit(*linear_data)
    assert (found.stopped_, found.reproducible_, len(found.history_.best)) == ("interrupted", False, 2)
    assert calls[-1]["score"] == pytest.approx(found.score_)


def test_sets_are_valued_once(linear_data):
    """The cache would not work: floating and best-first meet sets again and again."""
    X, y = linear_data
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    found = SubsetSelector(tree, search="best-first", max_evaluations=40).fit(X, y > y.mean())
    sets = [trial.columns for trial in found.history_]
    assert len(sets) == len(set(sets)) == found.n_evaluations_


@pytest.mark.parametrize("search", strategy_names())
def test_column_order_and_threads_do_not_matter(search, linear_data):
    """Two people with the same table in another order would publish different columns."""
    X, y = linear_data
    frame = pd.DataFrame(X, columns=NAMES)
    other = frame[sorted(NAMES, reverse=True)]
    options = {"cv": "train"} if search == "branch-and-bound" else {"max_evaluations": 60}
    one = SubsetSelector(LinearRegression(), search=search, k=3, **options).fit(frame, y)
    two = SubsetSelector(LinearRegression(), search=search, k=3, n_jobs=2, **options).fit(other, y)
    assert one.selected_ == two.selected_
    assert repr(list(one.history_)) == repr(list(two.history_))  # an error that cannot be known is NaN in both


def test_refits_do_not_depend_on_threads(linear_data):
    """Processes would score differently from one another."""
    X, y = linear_data
    tree = DecisionTreeClassifier(max_features=1)
    one, two = (SubsetSelector(tree, k=2, n_jobs=jobs).fit(X, y > y.mean()) for jobs in (1, 2))
    assert list(one.history_) == list(two.history_)


def test_names_and_frames_go_through(linear_data):
    """Names would be lost between a frame and the columns chosen from it."""
    X, y = linear_data
    frame = pd.DataFrame(X, columns=NAMES)
    plain = [NAMES[j] for j in SubsetSelector(LinearRegression(), k=3).fit(X, y).selected_]
    found = SubsetSelector(LinearRegression(), k=3).fit(frame, y)
    assert found.selected_ == sorted(plain)
    assert list(found.get_feature_names_out()) == plain
    assert list(found.set_output(transform="pandas").transform(frame).columns) == plain
    assert (
        SubsetSelector(LinearRegression(), k=3).fit(pl.DataFrame(frame.to_dict("list")), y).selected_ == found.selected_
    )
    assert clone(found).get_params()["k"] == 3


def test_categories_reach_a_model_that_takes_them(linear_data):
    """A frame with words could not be searched."""
    X, y = linear_data
    frame = pd.DataFrame({"number": X[:, 0], "noise": X[:, 2], "word": np.where(y > y.mean(), "high", "low")})
    encode = make_column_transformer(
        (OneHotEncoder(), lambda X: [c for c in X if c == "word"]), remainder="passthrough"
    )
    found = SubsetSelector(make_pipeline(encode, LogisticRegression()), k=1).fit(frame, y > y.mean())
    assert found.selected_ == ["word"]


class DecisionTreeRegressorSlow(RegressorMixin, BaseEstimator):
    """Takes its time."""

    def fit(self, X, y):
        import time

        time.sleep(0.002)
        self.mean_ = y.mean()
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


class FailsSometimes(ClassifierMixin, BaseEstimator):
    """Raises when the first row of the training rows has a large value in the last column given."""

    def __init__(self, limit=0.0):
        self.limit = limit

    def fit(self, X, y):
        if X[0, -1] > self.limit:
            raise RuntimeError("too large")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_an_estimator_that_fails_on_a_fold_is_named_and_counted():
    """One bad fold would stop the whole search, or pass unseen."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 3)), random.integers(0, 2, 40)
    with pytest.warns(TamisWarning, match=r"FailsSometimes failed in \d+ of \d+ fits, first on fold \d of the columns"):
        SubsetSelector(FailsSometimes(0.5), search="exhaustive", k=1, cv=4).fit(X, y)
    with pytest.raises(ParameterError, match=r"failed on every fold of every set.*too large"):
        SubsetSelector(FailsSometimes(-99.0), k=1).fit(X, y)


def test_bad_input_gets_a_sentence(linear_data):
    """A user would see a stack of internals instead of the way out."""
    X, y = linear_data
    model = LinearRegression()
    for options, error, words in [
        ({"k": 50}, ParameterError, "k=50, but there are only 7 columns; give k between 1 and 7"),
        ({"k": -1}, ParameterError, "k=-1 is too small"),
        ({"k": 2.5}, KindError, "whole number"),
        ({"k": "most"}, ParameterError, "k='most' is not known"),
        ({"k": (5, 2)}, ParameterError, "runs backwards"),
        ({"search": "forwards"}, ParameterError, "did you mean 'forward'"),
        ({"fixed": list(range(7))}, ParameterError, "none is left to choose"),
        ({"fixed": ["zz"]}, TableError, "there is no column 'zz'"),
        ({"fixed": [9]}, ParameterError, "fixed names column 9"),
        ({"groups": [[0, 1], [1, 2]]}, ParameterError, "'x1' is in two groups"),
        ({"costs": [1, 2]}, ParameterError, "costs has 2 prices"),
        ({"budget": 3}, ParameterError, "without costs"),
        ({"costs": [4] * 7, "budget": 3}, ParameterError, "buys no column"),
        ({"scoring": "acuracy"}, ParameterError, "did you mean 'accuracy'"),
        ({"rule": "2se"}, ParameterError, "1se"),
        ({"cv": 0.3, "rule": "1se"}, ParameterError, "needs a standard error"),
        ({"tol": -1}, ParameterError, "tol=-1"),
    ]:
        with pytest.raises(error, match=words.replace("(", r"\(")):
            SubsetSelector(model, **options).fit(X, y)
    with pytest.raises(KindError, match="is no model"):
        SubsetSelector(3.0).fit(X, y)
    with pytest.raises(ParameterError, match="the columns 'x0' is NaN"):
        SubsetSelector(model, scoring=lambda estimator, X, y: np.nan).fit(X, y)
    with pytest.raises(ParameterError, match=r"would value [\d,]+ sets"):
        SubsetSelector(model, search="exhaustive").fit(np.random.default_rng(0).normal(size=(50, 40)), np.arange(50.0))


def test_the_history_is_ready_to_plot(linear_data):
    """Score against size could not be drawn."""
    found = SubsetSelector(LinearRegression(), k=(1, 7)).fit(*linear_data)
    curve = found.history_.curve()
    assert curve["size"].tolist() == list(range(1, 8))
    assert np.all(curve["error"] > 0)
    rows = found.history_.to_dict()
    assert rows["order"] == list(range(len(found.history_)))
    assert found.history_[-1].columns == tuple(range(7))


TWO, THREE = np.array(["q", "p"]), np.array(["k0", "k1", "k2"])
SAME_WORD = [
    *(
        (name, TWO)
        for name in ("f1", "precision", "recall", "average_precision", "roc_auc", "brier", "neg_brier_score")
    ),
    *((name, THREE) for name in ("roc_auc", "f1", "precision", "recall", "average_precision", "roc_auc_ovr")),
]


@pytest.mark.parametrize(("name", "labels"), SAME_WORD)
def test_a_name_means_what_it_means_in_nested_score(name, labels):
    """F1 of classes that are texts, or of three, would be refused here and given there."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = labels[np.digitize(X[:, 0] + rng.normal(size=90) / 2, [-0.5, 0.5] if len(labels) > 2 else [0.0])]
    cv = StratifiedKFold(3)
    found = SubsetSelector(LogisticRegression(), k=3, scoring=name, cv=cv).fit(X, y)
    judged = nested_score(LogisticRegression(), X, y, scoring=name, outer=cv)
    sign = 1 if judged.metric.larger else -1
    assert found.score_ == pytest.approx(sign * judged.mean, rel=1e-4)  # two solvers of the same model
