"""Audit: leaking ways of working are flagged, honest ones pass."""

import importlib.util
import json
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from bokeh.models import Span
from imblearn.over_sampling import RandomOverSampler
from imblearn.pipeline import make_pipeline as imbalanced_pipeline
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.feature_selection import SelectKBest, f_classif, f_regression
from sklearn.linear_model import LassoCV, LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import cohen_kappa_score, make_scorer, mean_squared_error
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import tamis
from tamis.errors import KindError, ParameterError, TableError
from tamis.evaluate.chance.permuted_target import chance, permuted
from tamis.metrics import METRICS


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
        (lambda X, y: tamis.audit(select_inside, X, y[1:]), TableError, "40 rows and the target 39"),
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


HONEST = ["accuracy", "average_precision", "f1_macro", "f1", "kappa", "log_loss", "brier"]


@pytest.mark.parametrize("scoring", HONEST)
@pytest.mark.parametrize("share", [0.5, 0.2])
def test_an_honest_estimator_passes_under_any_metric(scoring, share):
    """Average precision on few rows, and F1 over both classes, are above the best constant answer by chance."""
    X, y = noise(0, n=60, d=5, shares=(1 - share, share))
    found = tamis.audit(GaussianNB(), X, y, scoring=scoring, n_permutations=40)
    assert not found.leaks
    assert found.decided
    assert found.chances.shape == found.null.shape
    assert found.chance == pytest.approx(found.chances.mean())


def outside(scoring):
    """Columns chosen before the folds; returns only the score."""

    def chosen_outside(X, y):
        best = SelectKBest(f_classif, k=10).fit(X, y).get_support()
        return cross_val_score(LogisticRegression(), X[:, best], y, cv=5, scoring=scoring).mean()

    return chosen_outside


def inside(scoring):
    def chosen_inside(X, y):
        model = make_pipeline(SelectKBest(f_classif, k=10), LogisticRegression())
        return cross_val_score(model, X, y, cv=5, scoring=scoring).mean()

    return chosen_inside


SCORES = ["matthews_corrcoef", make_scorer(cohen_kappa_score), "neg_log_loss", "neg_brier_score", "f1_macro", "f1"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("scoring", "share"),
    [*((scoring, 0.15) for scoring in SCORES), *((scoring, 0.5) for scoring in ("neg_log_loss", "average_precision"))],
)
def test_bare_scores_of_any_metric_are_told(scoring, share):
    """A leak that shows as Matthews, kappa, log loss or Brier is a leak; an honest F1 is none."""
    X, y = noise(0, n=60, d=200, shares=(1 - share, share))
    assert tamis.audit(outside(scoring), X, y, n_permutations=20).leaks
    assert not tamis.audit(inside(scoring), X, y, n_permutations=20).leaks


def folds_of(X, y, leak, give):
    if leak:
        X = X[:, SelectKBest(f_classif, k=10).fit(X, y).get_support()]
    made = []
    for train, test in StratifiedKFold(5).split(X, y):
        model = GaussianNB().fit(X[train], y[train])
        made.append((y[test], model.predict(X[test]) if give == "labels" else model.predict_proba(X[test])))
    return made


@pytest.mark.parametrize(
    ("scoring", "give"),
    [("accuracy", "labels"), ("f1_weighted", "labels"), ("log_loss", "probabilities"), ("roc_auc", "probabilities")],
)
@pytest.mark.parametrize("whole", [True, False])
def test_functions_that_return_predictions_are_told(scoring, give, whole):
    """With predictions chance is known for these answers, in one piece or by fold."""

    def procedure(X, y, leak):
        made = folds_of(X, y, leak, give)
        return tuple(np.concatenate(parts) for parts in zip(*made)) if whole else made

    X, y = noise(2, n=60, d=200, shares=(0.85, 0.15))
    caught = tamis.audit(lambda X, y: procedure(X, y, True), X, y, scoring=scoring, n_permutations=20)
    passed = tamis.audit(lambda X, y: procedure(X, y, False), X, y, scoring=scoring, n_permutations=20)
    assert caught.leaks
    assert not passed.leaks
    assert "reshuffled" in passed.chance_from


def test_predictions_without_a_metric_are_judged_by_the_usual_one():
    """Labels by accuracy, in whatever words; probabilities by their ranking; numbers by R²."""
    X, y = noise(0, n=60, d=200)
    words = np.where(y == 1, "ill", "well")
    encoded = tamis.audit(lambda X, y: folds_of(X, (y == "ill") * 1, True, "labels"), X, words, n_permutations=10)
    assert encoded.leaks
    assert encoded.score == pytest.approx(np.mean([np.mean(t == p) for t, p in folds_of(X, y, True, "labels")]))
    ranked = tamis.audit(lambda X, y: folds_of(X, y, True, "probabilities"), X, y, n_permutations=10)
    assert ranked.leaks
    assert ranked.chance == pytest.approx(0.5, abs=0.05)
    target = np.random.default_rng(0).normal(size=60)

    def numbers(X, y):
        best = SelectKBest(f_regression, k=10).fit(X, y).get_support()
        return y, cross_val_predict(LinearRegression(), X[:, best], y)

    assert tamis.audit(numbers, X, target, n_permutations=10).leaks


class Hoarder(GaussianNB):
    """An estimator that answers rows it has met before from memory, whichever fold they were in."""

    seen: ClassVar[dict] = {}

    def fit(self, X, y):
        self.seen.update({row.tobytes(): target for row, target in zip(X, y)})
        return super().fit(X, y)

    def predict(self, X):
        return np.array([self.seen.get(row.tobytes(), 0) for row in X])


def test_an_estimator_that_remembers_other_folds_is_flagged():
    """What is shared between folds leaks, though every fit is given training rows only."""
    X, y = noise(0, n=60, d=5)
    for scoring in ("accuracy", "kappa", "f1_macro"):
        assert tamis.audit(Hoarder(), X, y, scoring=scoring, n_permutations=20).leaks


def test_single_rows_are_judged_against_all_others():
    """Within a fold of one row nothing can be reshuffled: leave-one-out must not pass unseen."""
    X, y = noise(0, n=20, d=5)
    assert tamis.audit(Hoarder(), X, y, outer="loo", n_permutations=10).leaks
    assert not tamis.audit(GaussianNB(), X, y, outer="loo", n_permutations=10).leaks


def test_what_cannot_be_told_is_said_with_the_way_out():
    """Scores that are higher wherever columns are fine, as those of a metric nobody knows, say nothing of leaks."""

    def fineness(X, y):
        return 0.6 if len(np.unique(X[:, 0])) > 2 else 0.3

    found = tamis.audit(fineness, *noise(0, d=3), n_permutations=20)
    assert not found.leaks
    assert not found.decided
    assert found.verdict.startswith("cannot tell whether fineness leaks")
    assert any("return its predictions" in sentence for sentence in found.advice)
    assert json.loads(json.dumps(found.to_dict()))["decided"] is False
    given = tamis.audit(fineness, *noise(0, d=3), n_permutations=20, chance_level=0.6)
    assert given.decided
    assert not given.leaks


def test_an_error_without_its_name_is_not_judged_upside_down():
    """An honest function that returns its squared error must not be flagged because the error is large."""

    def error(X, y):
        return mean_squared_error(y, cross_val_predict(LinearRegression(), X, y))

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 20)), rng.normal(size=60)
    found = tamis.audit(error, X, y, n_permutations=10)
    assert (found.leaks, found.decided) == (False, False)
    assert "name the error" in found.verdict
    assert tamis.audit(error, X, y, n_permutations=20, scoring="mse").decided


def test_a_pass_says_what_no_shuffle_can_show():
    """Columns chosen on the real target before the audit are out of its sight; the user must know."""
    found = tamis.audit(DummyClassifier(), *noise(0, d=3), n_permutations=10)
    assert any("before the audit" in sentence for sentence in found.advice)
    assert "before X was handed over" in tamis.audit.__doc__


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (([1, 0, 1], [1, 0]), ParameterError, "gave 2 predictions for 3 rows"),
        (([1, 0], [np.nan, 0.5]), ParameterError, "a prediction that is not finite"),
        ((1, 0), KindError, "or its predictions as (truth, prediction)"),
    ],
)
def test_predictions_that_are_none_are_refused_in_one_sentence(value, error, says):
    """A pair of numbers is no pair of predictions."""
    with pytest.raises(error) as caught:
        tamis.audit(lambda X, y: value, *noise(0, d=3))
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


def benchmark():
    place = Path(__file__).parents[2] / "benchmarks" / "evaluate" / "audit.py"
    spec = importlib.util.spec_from_file_location("benchmark_of_audit", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MEASURED = benchmark()
SETTINGS = [(metric, target) for target in ("balanced", "85/15") for metric in MEASURED.CLASSES]


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["estimator", "predictions", "number"])
@pytest.mark.parametrize(("metric", "target"), [*SETTINGS, *((metric, "numbers") for metric in MEASURED.NUMBERS)])
def test_leaks_are_flagged_and_honest_procedures_are_not_under_any_metric(metric, target, kind):
    """At least 95 of 100 that leak and at most 2 of 100 that do not: the table of the docs."""
    assert MEASURED.verdicts((metric, kind, target, True, 0, 100))[0] >= 95
    assert MEASURED.verdicts((metric, kind, target, False, 0, 100))[0] <= 2


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("metric", ["matthews", "kappa"])
def test_a_leak_is_not_excused_by_a_metric_that_is_never_negative(metric):
    """Constant answers score 0 under f1, too, whose chance is 2/3: this leak would be left open."""
    assert MEASURED.verdicts((metric, "number", "balanced", True, 20011, 1))[:2] == (1, 0)
    assert MEASURED.verdicts((metric, "number", "balanced", False, 20011, 1))[:2] == (0, 0)


def corr(y_true, y_pred):
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(np.corrcoef(y_true, y_pred)[0, 1])


def test_scores_without_a_value_accuse_nobody():
    """An honest lasso answers shuffled targets with a constant, whose correlation has no value: that is no leak."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = 2 * X[:, 0] + rng.normal(size=120)
    found = tamis.audit(LassoCV(cv=3), X, y, n_permutations=20, scoring=corr)
    assert (found.leaks, found.decided) == (False, False)
    assert "scoring=corr() has no value on" in found.verdict
    assert "nan" not in repr(found)
    assert any("constant answers" in sentence for sentence in found.advice)
    assert found.figure() is not None
    for scoring in (corr, None):
        fine = tamis.audit(LinearRegression(), X, y, n_permutations=20, scoring=scoring)
        assert (fine.leaks, fine.decided) == (False, True)


def test_few_shuffles_do_not_say_that_there_is_nothing_to_find():
    """Ten shuffles that were all beaten give p = 1/11, the least there is: a clear signal would be denied."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = np.where(X[:, 0] + rng.normal(size=120) / 2 > 0, "p", "q")
    few = " ".join(tamis.audit(LogisticRegression(), X, y, n_permutations=10).advice)
    assert "nothing to find" not in few
    assert "it beat 10 of them" in few
    assert "give n_permutations=19 or more" in few
    enough = " ".join(tamis.audit(LogisticRegression(), X, y, n_permutations=19).advice)
    assert "n_permutations" not in enough
    assert "nothing to find" not in enough
    noise_only = " ".join(tamis.audit(LogisticRegression(), X, rng.permutation(y), n_permutations=30).advice)
    assert "there may be nothing to find" in noise_only
