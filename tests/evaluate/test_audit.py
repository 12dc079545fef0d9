"""Audit: leaking ways of working are flagged, honest ones pass."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from bokeh.models import Span
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import make_pipeline as imbalanced_pipeline
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import tamis
from tamis.errors import KindError, ParameterError
from tamis.evaluate.metrics import METRICS
from tamis.evaluate.null import chance, permuted


def noise(seed, n=40, d=1000, shares=(0.5, 0.5)):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.permutation(np.repeat([0, 1], (np.array(shares) * n).astype(int)))


def select_outside(X, y):
    chosen = SelectKBest(f_classif, k=10).fit(X, y).get_support()
    return cross_val_score(GaussianNB(), X[:, chosen], y, cv=5).mean()


def select_inside(X, y):
    return cross_val_score(make_pipeline(SelectKBest(f_classif, k=10), GaussianNB()), X, y, cv=5).mean()


def oversample_outside(X, y):
    X, y = RandomOverSampler(random_state=0).fit_resample(X, y)
    return cross_val_score(KNeighborsClassifier(1), X, y, cv=5).mean()


def oversample_inside(X, y):
    model = imbalanced_pipeline(RandomOverSampler(random_state=0), KNeighborsClassifier(1))
    return cross_val_score(model, X, y, cv=5).mean()


def oversample_inside_auc(X, y):
    model = imbalanced_pipeline(RandomOverSampler(random_state=0), GaussianNB())
    return cross_val_score(model, X, y, cv=5, scoring="roc_auc").mean()


def select_outside_auc(X, y):
    chosen = SelectKBest(f_classif, k=10).fit(X, y).get_support()
    return cross_val_score(GaussianNB(), X[:, chosen], y, cv=5, scoring="roc_auc").mean()


IMBALANCED = {"n": 120, "d": 20, "shares": (5 / 6, 1 / 6)}


@pytest.mark.parametrize(
    ("procedure", "table", "leaks"),
    [
        (select_outside, {}, True),
        (select_inside, {}, False),
        (oversample_outside, IMBALANCED, True),
        (oversample_inside, IMBALANCED, False),
        (oversample_inside_auc, {"n": 60, "d": 10, "shares": (2 / 3, 1 / 3)}, False),
        (select_outside_auc, {"n": 120, "d": 300, "shares": (5 / 6, 1 / 6)}, True),
    ],
)
def test_leaking_functions_are_flagged_and_honest_ones_pass(procedure, table, leaks):
    """The audit exists to tell these apart."""
    found = tamis.audit(procedure, *noise(1, **table), n_permutations=20)
    assert found.leaks == leaks
    assert (found.p_value <= 0.01) == leaks
    assert ("leaks:" in found.verdict) == leaks
    assert procedure.__name__ in found.verdict
    assert found.n_permutations == len(found.null)


def test_a_clear_verdict_stops_early():
    """A hundred runs of a slow procedure must not be spent on a verdict that ten have settled."""
    flagged = tamis.audit(select_outside, *noise(0))
    assert flagged.n_permutations == 10
    assert flagged.stopped_early
    passed = tamis.audit(DummyClassifier(strategy="stratified"), *noise(0, d=2), n_permutations=100)
    assert passed.n_permutations <= 100
    full = tamis.audit(select_outside, *noise(0), n_permutations=10)
    assert not full.stopped_early
    assert np.array_equal(full.null, flagged.null)


def test_an_estimator_is_judged_in_folds_and_its_promise_too():
    """A search that tunes inside the folds is honest, but what it promises on noise is not to be reported."""
    X, y = noise(0, n=40, d=30)
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 0.03, 0.3, 1, 3, 10]}, cv=2)
    found = tamis.audit(search, X, y, n_permutations=10, outer=3)
    assert not found.leaks
    assert found.promise > found.chance + 0.03
    assert any("never the promise" in sentence for sentence in found.advice)

    def report_the_promise(X, y):
        return search.fit(X, y).best_score_

    assert tamis.audit(report_the_promise, X, y, n_permutations=20).leaks


def test_advice_names_the_line_that_leaks():
    """A user must be told where to look."""
    found = tamis.audit(oversample_outside, *noise(0, **IMBALANCED), n_permutations=20)
    assert any("fit_resample" in sentence and sentence.startswith("line ") for sentence in found.advice)
    assert "fit_resample" in repr(found)
    assert any("nested_score" in sentence for sentence in found.advice)
    honest = tamis.audit(DummyClassifier(), *noise(0, d=3), n_permutations=20)
    assert "nothing to find" in honest.advice[0]


def regress_outside(X, y):
    chosen = SelectKBest(f_regression, k=10).fit(X, y).get_support()
    return cross_val_score(LinearRegression(), X[:, chosen], y, cv=5).mean()


def regress_inside(X, y):
    return cross_val_score(make_pipeline(SelectKBest(f_regression, k=10), Ridge()), X, y, cv=5).mean()


def squares_outside(X, y):
    chosen = SelectKBest(f_regression, k=10).fit(X, y).get_support()
    return mean_squared_error(y, cross_val_predict(LinearRegression(), X[:, chosen], y))


def squares_inside(X, y):
    return -mean_squared_error(y, cross_val_predict(DummyRegressor(), X, y, cv=KFold(5, shuffle=True, random_state=0)))


@pytest.mark.parametrize(
    ("procedure", "scoring", "leaks"),
    [
        (regress_outside, None, True),
        (regress_inside, None, False),
        (squares_outside, "mse", True),
        (squares_inside, None, False),
        (DummyRegressor(), None, False),
        (Ridge(), "mse", False),
    ],
)
def test_numbers_are_audited_too(procedure, scoring, leaks):
    """R², squared errors either way round: chance must be known in each."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 400)), rng.normal(3, 2, size=50)
    found = tamis.audit(procedure, X, y, scoring=scoring, n_permutations=20)
    assert found.leaks == leaks
    if procedure is squares_inside:
        assert found.chance == pytest.approx(-y.var())


def test_random_folds_on_entities_are_flagged_when_groups_are_named():
    """Ten rows a patient with one diagnosis: random folds recognise the patient, not the illness."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(20), 10)
    X = rng.normal(size=(20, 5))[patient] + 0.05 * rng.normal(size=(200, 5))
    y = rng.permutation(np.repeat([0, 1], 10))[patient]

    def random_folds(X, y):
        return cross_val_score(KNeighborsClassifier(1), X, y, cv=KFold(5, shuffle=True, random_state=0)).mean()

    assert tamis.audit(random_folds, X, y, groups=patient, n_permutations=20).leaks
    assert not tamis.audit(KNeighborsClassifier(1), X, y, groups=patient, n_permutations=20).leaks


def test_random_folds_on_a_slow_series_are_flagged_when_time_is_named():
    """Neighbours in time are alike: random folds interpolate, and look good on any smooth target."""
    rng = np.random.default_rng(0)
    n = 200
    time = np.arange(n)
    X = np.cumsum(rng.normal(size=(n, 3)), axis=0)
    y = (np.sin(time / 15) > 0).astype(int)

    def random_folds(X, y):
        return cross_val_score(KNeighborsClassifier(1), X, y, cv=KFold(5, shuffle=True, random_state=0)).mean()

    assert tamis.audit(random_folds, X, y, time=time, n_permutations=20).leaks


@pytest.mark.parametrize("make", [np.asarray, pd.Series, pl.Series])
def test_a_function_is_given_the_target_in_its_own_form(make):
    """A user's function written for a pandas series must not meet an array."""
    X, y = noise(0, d=3)
    seen = []

    def procedure(X, y):
        seen.append((type(X), type(y), len(y)))
        return 0.5

    frame = {np.asarray: np.asarray, pd.Series: pd.DataFrame, pl.Series: pl.DataFrame}[make]
    tamis.audit(procedure, frame(X), make(y), n_permutations=10)
    assert set(seen) == {(type(frame(X)), type(make(y)), 40)}


def test_shuffles_are_fixed_by_the_seed_whatever_the_threads():
    """An audit must be repeatable."""
    X, y = noise(0, d=50)
    one = tamis.audit(select_inside, X, y, n_permutations=10, random_state=3)
    two = tamis.audit(select_inside, X, y, n_permutations=10, random_state=3, n_jobs=2)
    assert np.array_equal(one.null, two.null)
    assert not np.array_equal(one.null, tamis.audit(select_inside, X, y, n_permutations=10, random_state=4).null)


def test_shuffled_targets_keep_groups_and_order():
    """Whole groups swap targets; a series is only shifted."""
    groups = np.repeat(np.arange(5), 4)
    y = np.repeat([1, 2, 3, 4, 5], 4)
    shuffled = permuted(y, 0, 0, groups=groups)
    assert not np.array_equal(shuffled, y)
    assert all(len(set(shuffled[groups == g])) == 1 for g in range(5))
    time = np.array([3, 1, 2, 0])
    moved = permuted(np.array([30, 10, 20, 0]), 0, 1, time=time)
    around = moved[np.argsort(time)]
    assert sorted(around) == [0, 10, 20, 30]
    assert around.tolist() in [[30, 0, 10, 20], [20, 30, 0, 10], [10, 20, 30, 0]]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("accuracy", 0.75),
        ("error", 0.25),
        ("balanced_accuracy", 0.5),
        ("roc_auc", 0.5),
        ("average_precision", 0.25),
        ("matthews", 0.0),
        ("log_loss", -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))),
        ("brier", 0.75 * 0.25),
        ("f1", 0.4),
    ],
)
def test_chance_is_the_best_constant_answer(name, expected):
    """Chance in the wrong units would flag everyone, or no one."""
    y = np.repeat([0, 1], [30, 10])
    assert chance(METRICS[name], y, np.array([0, 1])) == pytest.approx(expected)


def test_chance_of_numbers():
    """The mean for squares, the median for distances."""
    y = np.array([0.0, 1.0, 2.0, 10.0, 3.0])
    assert chance(METRICS["mse"], y, None) == pytest.approx(y.var())
    assert chance(METRICS["r2"], y, None) == pytest.approx(0)
    assert chance(METRICS["mae"], y, None) == pytest.approx(np.abs(y - 2).mean())


def test_the_picture_shows_chance_and_score():
    """A verdict without its picture convinces nobody."""
    found = tamis.audit(select_outside, *noise(0))
    plot = found.figure(width=400)
    places = {span.location for span in plot.center if isinstance(span, Span)}
    assert places == {found.chance, found.score}
    assert plot.width == 400
    constant = tamis.audit(lambda X, y: 0.5, *noise(0), n_permutations=10)
    assert constant.figure().title.text == constant.verdict
    assert not constant.leaks


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda X, y: tamis.audit("select", X, y), KindError, "has no fit and cannot be called"),
        (lambda X, y: tamis.audit(lambda X, y: "good", X, y), KindError, "gave 'good'; it must return one number"),
        (lambda X, y: tamis.audit(lambda X, y: np.nan, X, y), ParameterError, "must return a finite score"),
        (lambda X, y: tamis.audit(select_inside, X, y, n_permutations=5), ParameterError, "n_permutations=5"),
        (lambda X, y: tamis.audit(select_inside, X, y, alpha=0), ParameterError, "alpha=0 is out of range"),
        (lambda X, y: tamis.audit(select_inside, X, y[1:]), ParameterError, "40 rows and the target 39"),
        (lambda X, y: tamis.audit(select_inside, X, y, scoring="mse"), ParameterError, "target holds classes"),
        (lambda X, y: tamis.audit(GaussianNB(), X, y, time=np.zeros(40)), ParameterError, "fewer than 3 different"),
    ],
)
def test_what_cannot_be_audited_is_refused_in_one_sentence(call, error, says):
    """A procedure that returns no score must be told so."""
    with pytest.raises(error) as caught:
        call(*noise(0, d=5))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("procedure", "table", "leaks"),
    [
        (select_outside, {"d": 5000}, True),
        (select_inside, {"d": 5000}, False),
        (oversample_outside, IMBALANCED, True),
        (oversample_inside, IMBALANCED, False),
        (make_pipeline(SelectKBest(f_classif, k=10), LogisticRegression()), {"d": 500}, False),
    ],
)
def test_verdicts_are_right_in_95_of_100_trials(procedure, table, leaks):
    """An audit that cries wolf, or sleeps, is worth nothing."""
    verdicts = [tamis.audit(procedure, *noise(seed, **table), random_state=seed).leaks for seed in range(100)]
    name = getattr(procedure, "__name__", "pipeline")
    print(f"{name}: flagged {sum(verdicts)} of 100")
    assert sum(verdict == leaks for verdict in verdicts) >= 95
