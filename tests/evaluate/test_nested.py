"""Nested scores: what is said of unseen rows holds, whatever the procedure does inside."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import make_pipeline as imbalanced_pipeline
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import Lasso, LassoCV, LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import tamis
from tamis.errors import KindError, ParameterError, TableError
from tamis.evaluate import nested_score
from tamis.split import folds
from tamis.table import Table

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def noise(seed, n=40, d=5000):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.permutation(np.repeat([0, 1], n // 2))


def test_scores_are_those_of_scikit_learn_on_the_same_folds():
    """The loop must fit on the training rows and judge on the test rows of the folds it reports."""
    result = nested_score(DecisionTreeClassifier(random_state=0), *IRIS, repeats=2)
    theirs = cross_val_score(DecisionTreeClassifier(random_state=0), *IRIS, cv=result.folds)
    assert np.array_equal(result.scores, theirs)
    assert result.mean == theirs.mean()
    again = folds(5, IRIS[1], repeats=2)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(result.folds, again))


@pytest.mark.parametrize("scoring", ["r2", "mse", "rmse", "mae", "neg_mean_squared_error"])
def test_numbers_are_judged_by_any_metric(scoring):
    """Each metric must be computed on the predictions of the fold."""
    names = {"mse": "neg_mean_squared_error", "rmse": "neg_root_mean_squared_error", "mae": "neg_mean_absolute_error"}
    sign = -1 if scoring in names else 1
    result = nested_score(LinearRegression(), *DIABETES, scoring=scoring)
    theirs = cross_val_score(LinearRegression(), *DIABETES, cv=result.folds, scoring=names.get(scoring, scoring))
    assert result.scores == pytest.approx(sign * theirs, rel=1e-9)
    assert result.mean in result.interval
    assert result.mean == pytest.approx(np.mean(list(result.bootstrap_interval)), rel=0.2)


def make(X, kind):
    names = [f"c{j}" for j in range(X.shape[1])]
    return {
        "numpy": lambda: X,
        "list": lambda: X.tolist(),
        "pandas": lambda: pd.DataFrame(X, columns=names, index=np.arange(len(X))[::-1] + 7),
        "polars": lambda: pl.DataFrame(X, schema=names),
        "sparse": lambda: sparse.csr_array(X),
        "coo": lambda: sparse.coo_matrix(X),
        "table": lambda: Table.of(X),
    }[kind]()


@pytest.mark.parametrize("kind", ["list", "pandas", "polars", "sparse", "coo", "table"])
def test_every_form_of_table_gives_the_same_scores(kind):
    """Rows must be taken by position from whatever holds them."""
    X, y = IRIS
    model = make_pipeline(SelectKBest(f_classif, k=2), KNeighborsClassifier())
    expected = nested_score(model, X, y)
    result = nested_score(model, make(X, kind), y)
    assert np.array_equal(result.scores, expected.scores)
    assert [len(columns) for columns in result.selected] == [2] * 5
    names = {"pandas": "c", "polars": "c"}.get(kind, "x")
    assert result.selected[0] == tuple(f"{names}{j[1:]}" for j in expected.selected[0])


def test_the_result_does_not_depend_on_threads_and_can_be_repeated():
    """A forest without a seed must still give the same score twice, on any number of threads."""
    forest = RandomForestClassifier(10)
    one = nested_score(forest, *IRIS)
    two = nested_score(forest, *IRIS, n_jobs=2)
    assert np.array_equal(one.scores, two.scores)
    assert all(np.array_equal(a.answer, b.answer) for a, b in zip(one.judged, two.judged))
    assert forest.random_state is None
    assert not np.array_equal(one.folds[0][1], nested_score(forest, *IRIS, random_state=1).folds[0][1])
    for state in (None, np.random.RandomState(0), np.random.default_rng(0)):
        assert len(nested_score(forest, *IRIS, outer=2, random_state=state).scores) == 2


def test_optimism_is_the_promise_of_the_search_minus_the_outer_score():
    """A search on noise promises more than chance; optimism must say how much more."""
    X, y = noise(0, 60, 200)
    pipe = make_pipeline(SelectKBest(f_classif), KNeighborsClassifier())
    grid = {"selectkbest__k": [1, 3, 10, 30], "kneighborsclassifier__n_neighbors": [1, 9]}
    result = nested_score(GridSearchCV(pipe, grid, cv=3), X, y, keep_models=True, repeats=2)
    assert np.array_equal(result.promised, [model.best_score_ for model in result.models])
    assert result.optimism == pytest.approx(np.mean(result.promised - result.scores))
    assert result.optimism > 0.05
    assert 0.5 in result.interval


def test_promises_in_another_metric_are_not_compared():
    """Accuracy promised minus AUC found is no number."""
    search = GridSearchCV(LogisticRegression(max_iter=1000), {"C": [0.1, 1]}, scoring="neg_log_loss")
    X, y = IRIS[0][:100, :2], IRIS[1][:100]
    assert nested_score(search, X, y, outer=2).optimism is None
    result = nested_score(search, X, y, outer=2, scoring="log_loss", keep_models=True)
    assert result.promised == pytest.approx([-model.best_score_ for model in result.models])
    assert result.optimism == pytest.approx(np.mean(result.scores - result.promised))
    assert nested_score(LogisticRegression(max_iter=1000), X, y, outer=2).optimism is None


def test_promises_of_lasso_and_of_out_of_bag_rows_are_found():
    """Procedures that tune themselves also promise."""
    lasso = nested_score(LassoCV(cv=5), *DIABETES, scoring="mse", keep_models=True)
    assert lasso.promised == pytest.approx([model.mse_path_.mean(axis=1).min() for model in lasso.models])
    forest = RandomForestClassifier(50, oob_score=True, random_state=0)
    found = nested_score(make_pipeline(StandardScaler(), forest), *IRIS, keep_models=True)
    assert np.array_equal(found.promised, [model[-1].oob_score_ for model in found.models])


def test_selected_columns_are_named_through_pipelines():
    """A column must keep its name through scaling, selection and the model's own zeros."""
    X = pd.DataFrame(DIABETES[0], columns=list("abcdefghij"))
    result = nested_score(make_pipeline(StandardScaler(), Lasso(5.0)), X, DIABETES[1], keep_models=True)
    for columns, model in zip(result.selected, result.models):
        assert columns == tuple(X.columns[model[-1].coef_ != 0])
    assert result.frequency["c"] == 1.0
    assert list(result.frequency.values()) == sorted(result.frequency.values(), reverse=True)
    twice = make_pipeline(
        SelectKBest(f_classif, k=3), StandardScaler(), SelectKBest(f_classif, k=1), DecisionTreeClassifier()
    )
    chosen = nested_score(twice, *IRIS, keep_models=True)
    assert all(
        columns == (f"x{np.flatnonzero(model[0].get_support())[model[2].get_support()][0]}",)
        for columns, model in zip(chosen.selected, chosen.models)
    )
    assert chosen.stability == pytest.approx(1.0) or chosen.stability < 1
    assert nested_score(KNeighborsClassifier(), *IRIS).selected is None
    tree = nested_score(DecisionTreeClassifier(max_depth=1), *IRIS)
    assert all(len(columns) == 1 for columns in tree.selected)
    projected = nested_score(make_pipeline(PCA(2), LinearSVC(C=1e-6)), *IRIS, outer=2)
    assert projected.selected is None


def test_resampling_happens_inside_the_folds_only():
    """Copies of judged rows among the training rows would make any score near perfect."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 20)), rng.permutation(np.repeat([0, 1], [100, 20]))
    model = imbalanced_pipeline(RandomOverSampler(random_state=0), KNeighborsClassifier(1))
    inside = nested_score(model, X, y, scoring="balanced_accuracy", repeats=4)
    assert 0.5 in inside.interval
    X_more, y_more = RandomOverSampler(random_state=0).fit_resample(X, y)
    outside = nested_score(KNeighborsClassifier(1), X_more, y_more, scoring="balanced_accuracy")
    assert abs(outside.mean - 0.5) < 0.1
    assert any("kept in the same fold" in note for note in outside.notes)
    splitter = StratifiedKFold(5, shuffle=True, random_state=0)  # which knows nothing of copies
    split = nested_score(KNeighborsClassifier(1), X_more, y_more, scoring="balanced_accuracy", outer=splitter)
    assert split.mean > 0.85
    assert any("the score is too good" in note for note in split.notes)
    assert all(len(j.rows) == 24 for j in inside.judged)


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers nothing but what a model may: answers the majority; fails when it sees a judged group."""

    def fit(self, X, y, groups=None):
        self.classes_ = np.unique(y)
        self.groups_ = groups
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_repeats_among_given_pairs_are_pooled_each_by_itself():
    """R² of pairs of several repeats would be pooled as if of one, another number than of the same folds drawn here."""
    pairs = folds(5, DIABETES[1], repeats=3)
    drawn = nested_score(Lasso(), *DIABETES, repeats=3)
    given = nested_score(Lasso(), *DIABETES, outer=pairs)
    assert given.mean == pytest.approx(drawn.mean, rel=1e-12)
    assert given.interval.low == pytest.approx(drawn.interval.low, rel=1e-12)
    assert [one.repeat for one in given.judged] == [0] * 5 + [1] * 5 + [2] * 5


def test_splits_that_overlap_are_repeats():
    """A row that is judged in every split would count as so many rows of one repeat, and the interval be too narrow."""
    splitter = ShuffleSplit(6, test_size=0.4, random_state=0)
    given = nested_score(Lasso(), *DIABETES, outer=splitter)
    assert [one.repeat for one in given.judged] == [0, 1, 2, 3, 4, 5]


def test_groups_reach_the_folds_and_the_procedure():
    """The same entity in train and test, outside or inside, would make the score too good."""
    X, y = IRIS
    groups = np.arange(150) % 15
    result = nested_score(Recorder(), X, y, groups=groups, keep_models=True)
    for (train, test), model in zip(result.folds, result.models):
        assert not set(groups[train]) & set(groups[test])
        assert np.array_equal(model.groups_, groups[train])
    search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=GroupKFold(3))
    found = nested_score(search, X, y, groups=groups)
    assert found.mean > 0.9
    assert found.notes == []
    blind = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=3)
    assert "know nothing of groups" in nested_score(blind, X, y, groups=groups).notes[0]
    assert "know nothing of time" in nested_score(blind, X, np.arange(150) % 3, time=np.arange(150)).notes[0]


def test_time_holdout_and_leave_one_out():
    """Every way of splitting must be judged, each with an interval."""
    X, y = DIABETES
    ordered = nested_score(LinearRegression(), X, y, time=np.arange(len(y)), outer=4)
    assert all(train.max() < test.min() for train, test in ordered.folds)
    once = nested_score(LinearRegression(), X, y, outer=0.3)
    assert len(once.scores) == 1
    assert once.interval.low < once.bootstrap_interval.low  # the refitted model is another than the one judged
    assert once.mean in once.interval
    each = nested_score(LinearRegression(), X[:80], y[:80], outer="loo", scoring="mse")
    hat = np.c_[np.ones(80), X[:80]]
    leverage = np.einsum("ij,ji->i", hat, np.linalg.pinv(hat))
    residual = y[:80] - hat @ np.linalg.pinv(hat) @ y[:80]
    assert each.mean == pytest.approx(np.mean((residual / (1 - leverage)) ** 2), rel=1e-8)
    pooled = nested_score(LinearRegression(), X[:80], y[:80], outer="loo")
    assert pooled.mean == pytest.approx(1 - each.mean / (y[:80].var() * (80 / 79) ** 2))  # about the others' mean
    assert "computed once over all held-out rows" in pooled.notes[0]
    assert pooled.mean in pooled.interval


def test_a_list_is_compared_on_the_same_folds_with_corrected_tests():
    """Procedures must be told apart when they differ, and not when they do not."""
    models = {"tree": DecisionTreeRegressor(), "line": LinearRegression(), "lasso": Lasso(0.01)}
    result = nested_score(models, *DIABETES, repeats=2)
    assert set(result) == set(models)
    assert result.best in ("line", "lasso")
    assert len(result) == 3
    pairs = {(pair.first, pair.second): pair for pair in result.pairs}
    assert pairs["tree", "line"].p_adjusted < 0.05
    assert pairs["tree", "line"].difference < 0
    assert pairs["line", "lasso"].p_value > 0.05
    assert sorted(p.p_adjusted for p in result.pairs)[0] == pytest.approx(3 * min(p.p_value for p in result.pairs))
    assert result[result.best].mean - result.score == pytest.approx(result.optimism)
    assert "best: " in repr(result)
    univariate = nested_score([LinearRegression(), LinearRegression()], *DIABETES, outer=2)
    assert list(univariate.results) == ["LinearRegression", "LinearRegression 2"]
    assert univariate.pairs[0].p_value == 1.0


def test_the_best_of_perfect_procedures_is_not_certain():
    """Resampled answers without a mistake have none in any resample: 20 rows once gave 1.00 to 1.00."""
    y = np.arange(20) % 2
    X = y[:, None] + 0.01 * np.random.default_rng(0).normal(size=(20, 2))
    result = nested_score({"line": LogisticRegression(C=100.0), "tree": DecisionTreeClassifier()}, X, y)
    assert result.score == 1
    assert result.interval.low < 0.85
    assert result.interval.high == 1
    for one in result.results.values():
        assert one.interval.low < 0.85
    few = nested_score({"line": LogisticRegression(), "tree": DecisionTreeClassifier()}, X[:18], y[:18], scoring="f1")
    assert few.interval.note == "cannot be bounded with 9 rows of class 0; do not quote"


def test_errors_and_costs_are_compared_the_right_way_round():
    """With an error for a score, the best is the smallest."""
    models = [("good", LinearRegression()), ("bad", DecisionTreeRegressor())]
    result = nested_score(models, *DIABETES, scoring="mse")
    assert result.best == "good"
    assert result.pairs[0].difference > 0
    assert result.score in result.interval


def test_classes_missing_from_a_models_training_keep_their_probability_column():
    """A model that never saw a class must be judged with probability 0 for it, in the right column."""
    y = np.repeat(["a", "b", "c"], 20)
    X = np.random.default_rng(0).normal(size=(60, 2))

    class Narrow(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.array(["a", "c"])
            return self

        def predict(self, X):
            return np.full(len(X), "a")

        def predict_proba(self, X):
            return np.tile([0.75, 0.25], (len(X), 1))

    result = nested_score(Narrow(), X, y, scoring="brier")
    assert result.mean == pytest.approx(np.mean([0.25**2 * 2, 0.75**2 + 0.25**2 + 1, 0.75**2 * 2]))


def test_percentage_errors_say_which_rows_they_leave_out():
    """A reader must know that zeros are not in the number."""
    y = np.r_[np.zeros(5), np.linspace(1, 5, 45)]
    X = np.arange(50.0)[:, None]
    assert "5 of 50 rows have a target of 0" in nested_score(LinearRegression(), X, y, scoring="mape").notes[0]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda X, y: nested_score(StandardScaler(), X, y), KindError, "StandardScaler has no predict"),
        (lambda X, y: nested_score(LogisticRegression, X, y), KindError, "is a class; give an object"),
        (lambda X, y: nested_score([], X, y), ParameterError, "list of procedures is empty"),
        (lambda X, y: nested_score([("a", Recorder()), ("a", Recorder())], X, y), ParameterError, "called 'a'"),
        (lambda X, y: nested_score(LinearSVC(), X, y, scoring="log_loss"), ParameterError, "has no predict_proba"),
        (
            lambda X, y: nested_score(make_pipeline(StandardScaler(), LinearSVC()), X, y, scoring="brier"),
            ParameterError,
            "brier needs probabilities, but LinearSVC has no predict_proba",
        ),
        (lambda X, y: nested_score(Recorder(), X, y[:-1]), TableError, "150 rows and the target 149"),
        (lambda X, y: nested_score(Recorder(), X, np.zeros(150)), TableError, "one class only, 0"),
        (lambda X, y: nested_score(Recorder(), X, y, groups=[1, 2]), ParameterError, "groups has 2 values"),
        (lambda X, y: nested_score(Recorder(), X, np.r_[y[:-1], 9]), ParameterError, "class 9 (1 row) is missing"),
        (lambda X, y: nested_score(Recorder(), X, y, scoring="r2"), ParameterError, "the target holds classes"),
        (
            lambda X, y: nested_score(Recorder(), X, y, scoring="accuracy", loss=np.ones((3, 3))),
            ParameterError,
            "both given",
        ),
        (lambda X, y: nested_score(Lasso(), X, y, loss=np.ones((3, 3))), ParameterError, "target holds numbers"),
        (
            lambda X, y: nested_score(
                LogisticRegression(), X[:100], y[:100], scoring="roc_auc", outer=[(range(20, 100), range(20))]
            ),
            ParameterError,
            "class 1 is in none of these 20 rows",
        ),
    ],
)
def test_what_cannot_be_judged_is_refused_in_one_sentence(call, error, says):
    """A user must be told what is wrong with the procedure, the metric or the folds, and what to do."""
    with pytest.raises(error) as caught:
        call(*IRIS)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


PROCEDURES = {
    "select then neighbours": make_pipeline(StandardScaler(), SelectKBest(f_classif, k=2), KNeighborsClassifier(3)),
    "tuned logistic": GridSearchCV(LogisticRegression(max_iter=200), {"C": [0.01, 1.0]}, cv=3),
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(5, random_state=0),
    "oversampled": imbalanced_pipeline(RandomOverSampler(random_state=0), LogisticRegression(max_iter=200)),
    "projected": make_pipeline(PCA(2), LogisticRegression(max_iter=200)),
    "ranked lasso": make_pipeline(tamis.RankSelector("anova", k=2), tamis.LinearClassifier(cv=2)),
    "pruned tree": tamis.TreeClassifier(prune="cv", cv=2),
}


@pytest.mark.parametrize("name", list(PROCEDURES))
def test_garbage_in_the_held_out_rows_leaves_what_was_fitted_bit_identical(name):
    """If anything fitted depended on the rows it is judged on, the score would be a lie."""
    X, y = IRIS[0][:100], IRIS[1][:100]
    probe = np.random.default_rng(0).normal(5, 3, size=(50, 4))
    pairs = folds(5, y)
    clean = nested_score(PROCEDURES[name], X, y, outer=pairs, keep_models=True, scoring="accuracy")
    for fold, (_, test) in enumerate(pairs):
        spoiled, turned = X.copy(), y.copy()
        spoiled[test] = np.random.default_rng(fold).normal(0, 1e6, size=(len(test), 4))
        turned[test] = 1 - y[test]
        dirty = nested_score(PROCEDURES[name], spoiled, turned, outer=[pairs[fold]], keep_models=True)
        assert np.array_equal(clean.models[fold].predict_proba(probe), dirty.models[0].predict_proba(probe))
        assert clean.selected is None or clean.selected[fold] == dirty.selected[0]


def test_pure_noise_is_at_chance_where_selection_outside_claims_90_percent():
    """Choosing columns before cross-validation must be exposed: 90% on noise there, 50% here."""
    X, y = noise(3)
    chosen = SelectKBest(f_classif, k=10).fit(X, y).get_support()
    outside = cross_val_score(LogisticRegression(), X[:, chosen], y, cv=5).mean()
    inside = nested_score(make_pipeline(SelectKBest(f_classif, k=10), LogisticRegression()), X, y, repeats=3)
    assert outside >= 0.9
    assert 0.5 in inside.interval


@pytest.mark.nightly
def test_pure_noise_is_at_chance_over_twenty_seeds():
    """Over 20 seeds the honest score of noise must be 50% within its interval, the dishonest one 90%."""
    outside, inside, hits = [], [], 0
    for seed in range(20):
        X, y = noise(seed)
        chosen = SelectKBest(f_classif, k=10).fit(X, y).get_support()
        outside.append(cross_val_score(LogisticRegression(), X[:, chosen], y, cv=5).mean())
        result = nested_score(make_pipeline(SelectKBest(f_classif, k=10), LogisticRegression()), X, y, repeats=5)
        inside.append(result.mean)
        hits += 0.5 in result.interval
    print(f"outside {np.mean(outside):.3f} (least {min(outside):.3f}), inside {np.mean(inside):.3f}, hits {hits}/20")
    assert np.mean(outside) >= 0.9
    assert abs(np.mean(inside) - 0.5) < 0.04
    assert hits >= 18


@pytest.mark.nightly
def test_oversampling_outside_the_folds_is_exposed_over_twenty_seeds():
    """Copies of judged rows in training: near perfect outside, chance inside."""
    outside, inside, hits = [], [], 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 20)), rng.permutation(np.repeat([0, 1], [100, 20]))
        more = RandomOverSampler(random_state=0).fit_resample(X, y)
        outside.append(cross_val_score(KNeighborsClassifier(1), *more, cv=5).mean())
        model = imbalanced_pipeline(RandomOverSampler(random_state=0), KNeighborsClassifier(1))
        result = nested_score(model, X, y, scoring="balanced_accuracy", repeats=5)
        inside.append(result.mean)
        hits += 0.5 in result.interval
    print(f"outside {np.mean(outside):.3f} (least {min(outside):.3f}), inside {np.mean(inside):.3f}, hits {hits}/20")
    assert np.mean(outside) >= 0.85
    assert abs(np.mean(inside) - 0.5) < 0.04
    assert hits >= 18


def test_weights_of_rows_go_to_every_fit_and_to_no_score():
    """Rows that a survey says to count twice would count once in the fits, or twice in the score."""
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(60, 3)), rng.integers(0, 4, 60).astype(float)
    y = X[:, 0] + np.where(weights > 1, 1.0, -1.0) + rng.normal(size=60)
    found = nested_score(LinearRegression(), X, y, scoring="mse", sample_weight=weights)
    for (train, test), score in zip(found.folds, found.scores):
        copies = np.repeat(train, weights[train].astype(int))
        by_hand = LinearRegression().fit(X[copies], y[copies]).predict(X[test])
        assert score == pytest.approx(np.mean((y[test] - by_hand) ** 2), rel=1e-9)
    piped = nested_score(
        make_pipeline(StandardScaler(), LinearRegression()), X, y, scoring="mse", sample_weight=weights
    )
    assert piped.scores == pytest.approx(found.scores, rel=1e-9)
    plain = nested_score(LinearRegression(), X, y, scoring="mse")
    assert not np.allclose(plain.scores, found.scores)


def test_a_model_without_weights_is_named():
    """Weights that are dropped without a word would be a wrong answer."""
    X, y = noise(0, n=30, d=3)
    with pytest.raises(ParameterError, match="KNeighborsClassifier takes no weights of rows; leave sample_weight out"):
        nested_score(KNeighborsClassifier(), X, y, sample_weight=np.ones(30))


def corr(y_true, y_pred):
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.corrcoef(y_true, y_pred)[0, 1])


def test_folds_without_a_value_are_left_out_and_counted():
    """A lasso that keeps nothing answers a constant, which has no correlation: rows were not single, and some folds
    do have a value.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    some = nested_score(
        {"some": Lasso(alpha=0.13), "all": LinearRegression()}, X, rng.normal(size=120), outer=5, scoring=corr
    )
    scores = some["some"].scores
    gone = int(np.isnan(scores).sum())
    assert 0 < gone < 5
    assert len(scores) == 5
    assert some["some"].mean == pytest.approx(np.nanmean(scores))
    assert f"corr() has no value in {gone} of 5 folds; the mean is that of the others" in some["some"].notes
    assert np.isfinite(some.pairs[0].difference)
    assert not some["all"].notes


def test_a_metric_without_any_value_is_refused():
    """nan [nan, nan] would be an answer that says nothing."""
    X, y = noise(0, n=40, d=3)

    def never(y_true, y_pred):
        return float("nan")

    with pytest.raises(ParameterError, match=r"scoring=never\(\) has no value in any of the 5 folds of GaussianNB"):
        nested_score(GaussianNB(), X, y, scoring=never)


def test_p_values_do_not_know_the_unit_of_the_target():
    """An absolute tolerance makes differences of small numbers none, and of large ones sure."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + 0.3 * X[:, 1] + rng.normal(size=60)
    procedures = {"line": LinearRegression(), "step": tamis.TreeRegressor(max_depth=1)}

    def pair(factor):
        return nested_score(procedures, X, y * factor, scoring="mse").pairs[0]

    for factor in (1e-8, 1e8):
        assert pair(factor).p_value == pytest.approx(pair(1.0).p_value, rel=1e-6)
