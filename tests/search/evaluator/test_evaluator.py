"""The shortcuts value sets exactly as refitting does."""

import itertools

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tamis import LinearClassifier, LinearRegressor, SubsetSelector
from tamis.errors import ParameterError
from tamis.search.evaluator import evaluator_of, wide
from tamis.search.evaluator.criterion import CriterionEvaluator
from tamis.search.evaluator.leave_one_out import LeaveOneOut
from tamis.search.evaluator.logistic import LogisticEvaluator
from tamis.search.evaluator.moments import MomentsEvaluator
from tamis.search.evaluator.refit import RefitEvaluator
from tamis.search.evaluator.task import SearchTask
from tamis.table import Table

MODELS = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    Ridge(3.0),
    Ridge(3.0, fit_intercept=False),
    make_pipeline(StandardScaler(), Ridge(7.0)),
    make_pipeline(StandardScaler(), LinearRegression()),
    LinearRegressor(penalty=None),
    LinearRegressor(penalty="ridge", alpha=0.3),
    LinearRegressor(penalty="ridge", alpha=0.3, standardize=False),
]


def task_of(model, X, y, **options):
    return SearchTask(
        estimator=model, table=Table.of(X), X=np.asarray(X), order=np.arange(np.shape(X)[1]), y=y, **options
    )


def same_values(fast, task, rounds=2):
    """Additions, removals and sets from two evaluators agree, along a greedy walk."""
    slow = RefitEvaluator(task)
    d = task.table.n_columns
    base = np.zeros(0, dtype=int)
    for _ in range(rounds):
        outside = np.setdiff1d(np.arange(d), base)
        ours, theirs = fast.additions(base, outside), slow.additions(base, outside)
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9, rtol=1e-9)
        np.testing.assert_allclose(ours[1], theirs[1], atol=1e-8, rtol=1e-7)
        base = np.sort(np.append(base, outside[np.argmax(theirs[0])]))
    base = np.arange(d)
    for _ in range(rounds):
        ours, theirs = fast.removals(base, base), slow.removals(base, base)
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-9, rtol=1e-9)
        base = base[base != base[np.argmax(theirs[0])]]
    sets = [np.array(s) for s in itertools.combinations(range(d), 3)][::13]
    np.testing.assert_allclose(fast.sets(sets)[0], slow.sets(sets)[0], atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize(
    ("model", "scoring"),
    [(model, "r2") for model in MODELS]
    + [(MODELS[0], "neg_mean_squared_error"), (MODELS[3], "neg_root_mean_squared_error")],
    ids=str,
)
def test_moments_value_as_refits_do(model, scoring, linear_data):
    """A search on a linear model would not be the search the user asked for."""
    task = task_of(model, *linear_data, scoring=scoring)
    fast = evaluator_of(task)
    assert type(fast) is MomentsEvaluator
    same_values(fast, task)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[3], MODELS[6]], ids=str)
def test_leave_one_out_values_as_refits_do(model):
    """Leave-one-out scores in closed form would be wrong."""
    random = np.random.default_rng(2)
    X = random.normal(size=(16, 5)) @ random.normal(size=(5, 5)) + 3
    task = task_of(model, X, X[:, 1] + random.normal(size=16), cv="loo")
    fast = evaluator_of(task)
    assert type(fast) is LeaveOneOut
    same_values(fast, task)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[3], MODELS[4]], ids=str)
def test_wide_tables_are_valued_as_refits_do(model, linear_data, monkeypatch):
    """Tables too wide for their scatter matrix would get other answers than narrow ones."""
    from tamis.search.evaluator import moments

    monkeypatch.setattr(moments, "_MOST_NUMBERS", 10)
    task = task_of(model, *linear_data)
    fast = evaluator_of(task)
    assert type(fast) is wide.Wide
    same_values(fast, task)


def test_uneven_and_overlapping_folds_are_valued_as_refits_do(linear_data):
    """Only partitions into folds would be right."""
    random = np.random.default_rng(3)
    pairs = []
    for _ in range(4):
        rows = random.permutation(120)
        pairs.append((rows[:70], rows[70 : 80 + int(random.integers(30))]))
    task = task_of(LinearRegression(), *linear_data, cv=pairs)
    same_values(evaluator_of(task), task)


def test_weights_count_in_fit_and_score(linear_data):
    """A weighted search would ignore the weights in one place and not the other."""
    weight = np.random.default_rng(4).random(120)
    task = task_of(LinearRegression(), *linear_data, params={"sample_weight": weight})
    same_values(evaluator_of(task), task)


def test_dependent_columns_are_refitted(linear_data):
    """A duplicate, a constant and a sum of columns would give scores of rounding errors."""
    X, y = linear_data
    X = np.column_stack([X[:, :5], X[:, 1], np.ones(120), X[:, 2] + X[:, 3]])
    task = task_of(LinearRegression(), X, y)
    same_values(evaluator_of(task), task)


def test_columns_of_very_different_size_are_valued_as_the_model_values_them(linear_data):
    """scikit-learn drops a small column beside a huge one; the search would not be about the same model."""
    X, y = linear_data
    X = X[:, :5] * np.array([1e8, 1.0, 1.0, 1.0, 1e-3])
    task = task_of(LinearRegression(), X, y)
    fast, slow = evaluator_of(task), RefitEvaluator(task)
    sets = [np.array(s) for k in (1, 2, 3) for s in itertools.combinations(range(5), k)]
    np.testing.assert_allclose(fast.sets(sets)[0], slow.sets(sets)[0], atol=1e-9)
    ours, theirs = (e.additions(np.array([0]), np.arange(1, 5))[0] for e in (fast, slow))
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_refits_are_scikit_learns_cross_validation(linear_data):
    """The slow way, on which all others lean, would be wrong itself."""
    X, y = linear_data
    found = SubsetSelector(LinearRegression(), search="exhaustive", k=3, cv=KFold(4)).fit(X, y)
    for trial in itertools.islice(found.history_, 0, None, 11):
        expected = cross_val_score(LinearRegression(), X[:, trial.columns], y, cv=KFold(4))
        assert trial.score == pytest.approx(expected.mean(), abs=1e-10)
        assert trial.error == pytest.approx(expected.std(ddof=1) / 2, abs=1e-10)


def test_out_of_bag_is_the_forests_own_score(xor_data):
    """A forest would be judged by something else than its out-of-bag rows."""
    X, y = xor_data
    forest = RandomForestClassifier(25, oob_score=True, random_state=0)
    found = SubsetSelector(forest, search="exhaustive", k=2, cv="oob").fit(X, y)
    assert found.selected_ == [1, 4]
    assert found.score_ == forest.fit(X[:, [1, 4]], y).oob_score_
    with pytest.raises(ParameterError, match="out-of-bag"):
        SubsetSelector(LinearRegression(), cv="oob").fit(X, y)


def entropy(*columns):
    _, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    share = counts / counts.sum()
    return -(share * np.log(share)).sum()


def information(a, b, *given):
    return entropy(a, *given) + entropy(b, *given) - entropy(a, b, *given) - (entropy(*given) if given else 0.0)


@pytest.mark.parametrize("name", ["mrmr", "jmi", "cmim"])
def test_information_criteria_take_the_published_steps(name):
    """Forward search by mRMR, JMI or CMIM would choose other columns than the papers' greedy steps."""
    random = np.random.default_rng(5)
    X = random.integers(0, 3, size=(300, 8)).astype(float)
    X[:, 5] = np.where(random.random(300) < 0.8, X[:, 0], X[:, 5])
    y = ((X[:, 0] + X[:, 1] + X[:, 2] + random.integers(0, 2, 300)) > 3).astype(int)
    chosen: list[int] = []
    while len(chosen) < 5:

        def worth(j, chosen=chosen):
            own = information(X[:, j], y)
            if not chosen:
                return own
            if name == "cmim":
                return min(own, *(information(X[:, j], y, X[:, s]) for s in chosen))
            shared = [information(X[:, j], X[:, s]) for s in chosen]
            if name == "jmi":
                shared = [a - information(X[:, j], X[:, s], y) for a, s in zip(shared, chosen)]
            return own - np.mean(shared)

        chosen.append(max((j for j in range(8) if j not in chosen), key=worth))
    assert SubsetSelector(name, k=5).fit(X, y).selected_ == sorted(chosen)


@pytest.mark.parametrize("name", ["mrmr", "jmi", "cmim", "cfs"])
def test_the_worth_of_a_set_does_not_depend_on_how_it_was_reached(name):
    """Strategies would disagree about the same set."""
    random = np.random.default_rng(6)
    X, y = random.normal(size=(80, 6)), random.integers(0, 2, 80)
    evaluator = evaluator_of(task_of(name, X, y))
    assert isinstance(evaluator, CriterionEvaluator)
    base = np.array([np.argmax(evaluator.relevance)])
    for _ in range(4):
        outside = np.setdiff1d(np.arange(6), base)
        values = evaluator.additions(base, outside)[0]
        best = int(np.argmax(values))
        grown = np.sort(np.append(base, outside[best]))
        assert values[best] == pytest.approx(evaluator.sets([grown])[0][0])
        base = grown


def test_criteria_equal_the_scores_of_the_same_name():
    """`tamis.score.cfs` and the search by cfs would mean different things."""
    from tamis.score import cfs, consistency

    random = np.random.default_rng(7)
    X, y = random.normal(size=(90, 5)), random.integers(0, 3, 90)
    for word, function in (("cfs", cfs), ("consistency", consistency)):
        found = SubsetSelector(word, search="exhaustive", k=2).fit(X, y)
        assert found.score_ == pytest.approx(function(X[:, found.selected_], y))
        assert SubsetSelector(function, search="exhaustive", k=2).fit(X, y).score_ == pytest.approx(found.score_)


TIGHT = {"tol": 1e-11, "max_iter": 2000}
LOGISTIC = [
    LogisticRegression(**TIGHT),
    LogisticRegression(C=0.05, fit_intercept=False, **TIGHT),
    make_pipeline(StandardScaler(), LogisticRegression(C=0.1, solver="newton-cholesky", **TIGHT)),
    LinearClassifier(penalty="ridge", alpha=0.02),
    LinearClassifier(penalty="ridge", alpha=0.02, standardize=False),
]


def two_classes(n=90, d=6, seed=4):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) @ random.normal(size=(d, d)) * random.uniform(0.2, 5, size=d) + 3
    logit = (X - X.mean(axis=0)) @ np.r_[1.0, -0.5, np.zeros(d - 2)]
    return X, (logit + random.logistic(size=n) > 0).astype(int)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "neg_brier_score"])
@pytest.mark.parametrize("model", LOGISTIC, ids=str)
def test_newton_steps_value_logistic_regression_as_refits_do(model, scoring):
    """A search on logistic regression would not be the search the user asked for."""
    task = task_of(model, *two_classes(), scoring=scoring)
    fast, slow = evaluator_of(task), RefitEvaluator(task)
    assert type(fast) is LogisticEvaluator
    base, every = np.array([1, 4]), np.arange(6)
    outside = np.setdiff1d(every, base)
    pairs = [
        (fast.additions(base, outside), slow.additions(base, outside)),
        (fast.removals(every, every), slow.removals(every, every)),
        (fast.sets([base, every, base[:1]]), slow.sets([base, every, base[:1]])),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours[0], theirs[0], atol=1e-6)
        np.testing.assert_allclose(ours[1], theirs[1], atol=1e-6)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_newton_steps_do_not_depend_on_threads(n_jobs):
    """Scores of logistic regression would change with the machine."""
    X, y = two_classes()
    values = [
        evaluator_of(task_of(LOGISTIC[0], X, y, scoring="neg_log_loss", n_jobs=jobs)).additions(
            np.array([0]), np.arange(1, 6)
        )[0]
        for jobs in (None, n_jobs)
    ]
    assert (values[0] == values[1]).all()


def test_logistic_sets_without_a_safe_optimum_are_refitted(monkeypatch):
    """Perfectly separated classes and doubled columns have no single optimum: the model itself must answer."""
    X, y = two_classes()
    X = np.column_stack([X, X[:, 0], np.where(y == 1, 1.0, -1.0)])
    task = task_of(LogisticRegression(C=np.inf), X, y)
    fast = evaluator_of(task)
    asked = []
    refit = RefitEvaluator.fold_scores
    monkeypatch.setattr(RefitEvaluator, "fold_scores", lambda self, sets: asked.extend(sets) or refit(self, sets))
    fast.sets([np.array([0, 6]), np.array([1, 7]), np.array([1, 2])])
    assert [columns.tolist() for columns in asked] == [[0, 6], [1, 7]]


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (LogisticRegression(class_weight="balanced"), {}),
        (LogisticRegression(solver="liblinear"), {}),
        (LogisticRegression(l1_ratio=1.0, solver="saga"), {}),
        (LogisticRegression(), {"scoring": "roc_auc"}),
        (LinearClassifier(penalty="lasso", alpha=0.1), {}),
        (make_pipeline(StandardScaler(with_std=False), LogisticRegression()), {}),
    ],
    ids=str,
)
def test_what_newton_steps_do_not_cover_is_refitted(model, options):
    """Another model's optimum would be taken for this one's."""
    assert type(evaluator_of(task_of(model, *two_classes(), **options))) is RefitEvaluator


def test_forward_search_of_logistic_regression_takes_the_steps_of_refits():
    """The subset must be the one that scikit-learn's own loop finds."""
    X, y = two_classes(n=200, d=10)
    cv = StratifiedKFold(5)
    ours = SubsetSelector(LOGISTIC[0], search="forward", k=4, scoring="neg_log_loss", cv=cv).fit(X, y)
    theirs = SequentialFeatureSelector(
        LOGISTIC[0], n_features_to_select=4, scoring="neg_log_loss", cv=cv, direction="forward"
    ).fit(X, y)
    assert (ours.get_support() == theirs.get_support()).all()
