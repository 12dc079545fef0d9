"""Units do not matter: scales, shifts, copies and orders change nothing but the units of an answer."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor

import tamis
from tamis import additive, boosting, forest, linear, project, score, search, transform, tree
from tamis.additive import AdditiveClassifier, AdditiveRegressor
from tamis.boosting import BoostingClassifier, BoostingRegressor
from tamis.forest import ForestClassifier, ForestRegressor
from tamis.linear import LinearClassifier, LinearRegressor, ScoreCard, ScoreCardRegressor
from tamis.project import MDS, PCA, SVD, FactorAnalysis, ProjectionPursuit
from tamis.score import RankSelector
from tamis.search import KnockoffSelector, MirrorSelector, ShadowSelector, StabilitySelector, SubsetSelector
from tamis.tree import TreeClassifier, TreeRegressor

FOLDS = [(np.arange(0, 45), np.arange(45, 90)), (np.arange(45, 90), np.arange(0, 45))]

REGRESSORS = [
    LinearRegressor(cv=FOLDS),
    LinearRegressor("ridge", alpha="loo"),
    LinearRegressor("elastic-net", cv=FOLDS),
    LinearRegressor("ridge", loss="huber", cv=FOLDS),
    LinearRegressor(None),
    LinearRegressor("subset", k=2),
    LinearRegressor(relax="cv", cv=FOLDS),
    LinearRegressor("bridge", cv=FOLDS),
    LinearRegressor("bridge", q=1.5, cv=FOLDS),
    LinearRegressor(group=True, cv=FOLDS),
    LinearRegressor("elastic-net", l1_ratio="cv", rule="min", cv=FOLDS),
    ScoreCardRegressor(3, cv=FOLDS),
    TreeRegressor(),
    TreeRegressor(prune="cv", cv=FOLDS),
    TreeRegressor(criterion="absolute_error", max_depth=3),
    TreeRegressor(leaf="linear", max_depth=2),
    TreeRegressor(splits="oblique", max_depth=2),
    TreeRegressor(search="optimal", max_depth=2),
    ForestRegressor(2, bootstrap=False, max_features=None),
    ForestRegressor(2, bootstrap=False, max_features=None, criterion="standard_deviation"),
    BoostingRegressor(20, min_samples_leaf=5),
    AdditiveRegressor(),
    AdditiveRegressor(max_columns=3, max_pairs=2),
]
CLASSIFIERS = [
    LinearClassifier(cv=FOLDS),
    LinearClassifier("ridge", cv=FOLDS),
    LinearClassifier("lasso", loss="squared_hinge", cv=FOLDS),
    LinearClassifier("ridge", loss="hinge", cv=FOLDS),
    LinearClassifier("lasso", loss="hinge", alpha=0.01),
    LinearClassifier(group=True, cv=FOLDS),
    LinearClassifier("subset", k=2),
    ScoreCard(3, cv=FOLDS),
    TreeClassifier(),
    TreeClassifier(leaf="logistic", max_depth=2),
    TreeClassifier(prune="cv", cv=FOLDS),
    TreeClassifier(criterion="gain_ratio", max_depth=3),
    TreeClassifier(splits="oblique", max_depth=2),
    TreeClassifier(search="optimal", max_depth=2),
    ForestClassifier(2, bootstrap=False, max_features=None),
    BoostingClassifier(20, min_samples_leaf=5),
    AdditiveClassifier(),
    AdditiveClassifier(max_columns=3, max_pairs=2),
]


#: Of counts, whose unit is one.
COUNTS = [
    LinearRegressor(loss="poisson", cv=FOLDS),
    LinearRegressor("ridge", loss="poisson", cv=FOLDS),
    TreeRegressor(criterion="poisson", max_depth=3),
]
EVERY_MODEL = [*REGRESSORS, *COUNTS, *CLASSIFIERS]

#: Several numbers at once, or as many models as numbers.
SEVERAL_TARGETS = [
    LinearRegressor(cv=FOLDS),
    LinearRegressor("ridge", cv=FOLDS),
    LinearRegressor(None),
    TreeRegressor(max_depth=3),
    TreeRegressor(search="optimal", max_depth=2),
    TreeRegressor(splits="oblique", max_depth=2),
    ForestRegressor(3, bootstrap=False, max_features=None, max_depth=3),
]


def name_of(estimator):
    """Its parameters without the folds."""
    if not hasattr(estimator, "get_params"):
        return None
    plain = clone(estimator)
    return repr(plain.set_params(cv=2) if isinstance(getattr(plain, "cv", None), list) else plain)


#: Forests draw rows by a digest of their content: the same of copies and of any order, others in other units.
FORESTS = [ForestRegressor(10), ForestClassifier(10)]
IN_ANY_ORDER = [*EVERY_MODEL, *FORESTS]


def table(seed=0, categories=False):
    """Correlated columns of two decimals, in part equal; a number and a class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 5)).round(2)
    X[:, 3] = (X[:, 0] + rng.normal(size=90)).round(1)
    y = (3 * X[:, 0] - 2 * np.abs(X[:, 1]) + X[:, 2] + rng.normal(size=90)).round(2)
    frame = pd.DataFrame(X, columns=list("abcde"))
    if categories:
        frame["level"] = pd.Categorical(np.array(["p", "q", "r", "s"])[rng.integers(0, 4, 90)])
        y = y + 2.0 * (frame["level"] == "q").to_numpy()
    return frame, y, np.where(y > np.median(y), "high", "low")


def numbers_of(frame):
    return [name for name in frame if frame[name].dtype.kind == "f"]


def rescaled(frame, factors, shifts):
    """The columns of numbers, each times its factor and moved by its shift."""
    out = frame.copy()
    for name, factor, shift in zip(numbers_of(frame), factors, shifts):
        out[name] = frame[name] * factor + shift
    return out


def answer(model, frame, y, rows, **options):
    """What a model fitted to a table predicts of some rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = clone(model).fit(frame, y, **options)
        if hasattr(fitted, "decision_function"):
            return fitted.decision_function(rows)
        return fitted.predict_proba(rows) if hasattr(fitted, "predict_proba") else fitted.predict(rows)


def assert_same(found, expected, tolerance=1e-5):
    size = np.std(expected)
    if size <= 1e-12 * np.abs(expected).max():  # a constant answer deviates by rounding
        size = np.abs(expected).max() or 1.0
    difference = float(np.abs(found - expected).max()) / size
    assert difference < tolerance, f"differs by {difference:.1e} of the standard deviation"


@pytest.mark.parametrize("factor", [1e-8, 1e8])
@pytest.mark.parametrize("model", REGRESSORS, ids=name_of)
def test_the_unit_of_the_target(model, factor):
    """Millimetres and kilometres are the same target."""
    frame, y, _ = table(categories=True)
    assert_same(answer(model, frame, y * factor, frame) / factor, answer(model, frame, y, frame))


@pytest.mark.parametrize(("shift", "tolerance"), [(1e4, 1e-5), (1e8, 1e-3)])
@pytest.mark.parametrize("model", REGRESSORS, ids=name_of)
def test_the_zero_of_the_target(model, shift, tolerance):
    """Degrees of Celsius and kelvin are the same target, but for the digits that a large shift costs."""
    frame, y, _ = table()
    moved = y + shift
    assert_same(answer(model, frame, moved, frame) - shift, answer(model, frame, moved - shift, frame), tolerance)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("model", EVERY_MODEL, ids=name_of)
def test_the_units_of_the_columns(model, seed):
    """A column in metres beside one in nanometres counts as much."""
    frame, y, classes = table(seed, categories=True)
    target = target_of(model, y, classes)
    factors, shifts = 10.0 ** np.array([-8, 5, 0, 8, -3]), np.array([0.0, 1e5, 10.0, 0.0, 1e-3])
    moved = rescaled(frame, factors, shifts * (not rounds_cuts(model)))
    assert_same(answer(model, moved, target, moved), answer(model, frame, target, frame), 1e-4)


def rounds_cuts(model):
    """Whether cuts are rounded to few decimal digits: powers of ten keep these, another zero or factor does not."""
    return isinstance(model, (ScoreCard, ScoreCardRegressor))


@pytest.mark.parametrize("factor", [1e-200, 1e-6, 1e6 / 3, 1e200])
@pytest.mark.parametrize("model", EVERY_MODEL, ids=name_of)
def test_the_scale_of_weights(model, factor):
    """Weights say what rows count beside each other."""
    frame, y, classes = table()
    target = target_of(model, y, classes)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, size=len(y))
    expected = answer(model, frame, target, frame, sample_weight=weights)
    assert_same(answer(model, frame, target, frame, sample_weight=weights * factor), expected)


def target_of(model, y, classes):
    if counts(model):
        return np.floor(np.exp(y / 4))
    return y if is_regressor(model) else classes


def counts(model):
    """Whether a model is one of counts, which have no other unit."""
    return "poisson" in (getattr(model, "loss", ""), getattr(model, "criterion", ""))


def with_folds(model, folds):
    """The model, judged on other folds where it is given some."""
    return clone(model).set_params(cv=folds) if isinstance(getattr(model, "cv", None), list) else model


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("model", IN_ANY_ORDER, ids=name_of)
def test_whole_weights_are_copies(model, seed):
    """A row given three times is a row of weight three."""
    if getattr(model, "alpha", None) == "loo":
        pytest.skip("copies are left out singly")
    frame, y, classes = table(seed, categories=True)
    target = target_of(model, y, classes)
    times = np.random.default_rng(seed).integers(1, 4, size=len(y))
    again = np.repeat(np.arange(len(y)), times)
    folds = [(np.flatnonzero(np.isin(again, a)), np.flatnonzero(np.isin(again, b))) for a, b in FOLDS]
    copied = answer(with_folds(model, folds), frame.iloc[again].reset_index(drop=True), target[again], frame)
    assert_same(copied, answer(model, frame, target, frame, sample_weight=times))


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("model", IN_ANY_ORDER, ids=name_of)
def test_the_order_of_rows(model, seed):
    """A sorted table and a shuffled one hold the same rows."""
    frame, y, classes = table(seed, categories=True)
    target = target_of(model, y, classes)
    order = np.random.default_rng(seed).permutation(len(y))
    back = np.argsort(order)
    folds = [(np.sort(back[a]), np.sort(back[b])) for a, b in FOLDS]
    shuffled = answer(with_folds(model, folds), frame.iloc[order].reset_index(drop=True), target[order], frame)
    assert_same(shuffled, answer(model, frame, target, frame))


@pytest.mark.parametrize("model", SEVERAL_TARGETS, ids=name_of)
def test_the_units_and_the_order_of_several_targets(model):
    """Each of several targets has its own unit, and none comes first."""
    frame, y, _ = table(categories=True)
    targets = np.column_stack([y, frame["b"] ** 2 + y / 2, frame["a"] - frame["c"]])
    expected = answer(model, frame, targets, frame)
    factors = np.array([1e-8, 1.0, 1e8])
    unit = answer(model, frame, targets * factors, frame) / factors
    turned = answer(model, frame, targets[:, ::-1], frame)[:, ::-1]
    times = np.random.default_rng(0).integers(1, 4, size=len(y))
    again = np.repeat(np.arange(len(y)), times)
    folds = [(np.flatnonzero(np.isin(again, a)), np.flatnonzero(np.isin(again, b))) for a, b in FOLDS]
    copied = answer(with_folds(model, folds), frame.iloc[again].reset_index(drop=True), targets[again], frame)
    weighted = answer(model, frame, targets, frame, sample_weight=times)
    for j in range(3):
        assert_same(unit[:, j], expected[:, j])
        assert_same(turned[:, j], expected[:, j])
        assert_same(copied[:, j], weighted[:, j])


@pytest.mark.parametrize("seed", [107, 115])
def test_targets_that_differ_by_rounding(seed):
    """Two numbers that differ in the last digit are one in another unit, and bags were drawn by their ranks."""
    frame, y, _ = table(seed, categories=True)
    model = AdditiveRegressor()
    assert_same(answer(model, frame, y * 7.1e5, frame) / 7.1e5, answer(model, frame, y, frame))


def test_surrogates_count_whole_weights_as_copies():
    """A surrogate needs two rows on each side; a row of weight two was one."""
    test_whole_weights_are_copies(TreeRegressor(prune="cv", cv=FOLDS), 598103)


@pytest.mark.parametrize("model", EVERY_MODEL, ids=name_of)
def test_the_order_of_columns(model):
    """Columns have names, not places."""
    frame, y, classes = table(categories=True)
    target = target_of(model, y, classes)
    turned = frame[frame.columns[::-1]]
    assert_same(answer(model, turned, target, turned), answer(model, frame, target, frame))


SCORES = [
    *(score.pearson, score.stump, score.mutual_information, score.gain_ratio, score.gini, score.chi2, score.anova),
    *(score.relief, score.symmetric_uncertainty, score.interaction),
]

OF_CLASSES = (score.gini, score.chi2, score.stump)


@pytest.mark.parametrize("criterion", SCORES, ids=lambda criterion: criterion.__name__)
def test_scores_of_columns(criterion):
    """A score that knows units ranks columns by them."""
    frame, y, classes = table()
    moved = rescaled(frame, 10.0 ** np.array([-8, 5, 0, 8, -3]), [0.0, 1e5, 10.0, 0.0, 1e-3])
    for target in (y, classes):
        if (target is y and criterion in OF_CLASSES) or (target is classes and criterion is score.pearson):
            continue
        expected = np.asarray(criterion(frame, target))
        assert np.asarray(criterion(moved, target)) == pytest.approx(expected, rel=1e-6, abs=1e-9)
        order = np.random.default_rng(0).permutation(len(y))
        shuffled = np.asarray(criterion(frame.iloc[order].reset_index(drop=True), target[order]))
        assert shuffled == pytest.approx(expected, rel=1e-6, abs=1e-9)
    if criterion in OF_CLASSES:
        return
    expected = np.asarray(criterion(frame, y))
    for factor in (1e-8, 1e8):
        assert np.asarray(criterion(frame, y * factor)) == pytest.approx(expected, rel=1e-6, abs=1e-9)


SELECTORS = [
    RankSelector("pearson", k=2),
    RankSelector("relief", k=2),
    SubsetSelector(LinearRegressor(None), k=2, cv=FOLDS),
    SubsetSelector(LinearRegressor(None), search="backward", cv=FOLDS),
    StabilitySelector(LinearRegressor(), n_resamples=6),
    ShadowSelector(max_rounds=4, random_state=0),
    MirrorSelector(random_state=0),
    KnockoffSelector(fdr=0.4),
]


@pytest.mark.parametrize("selector", SELECTORS, ids=name_of)
def test_selected_columns(selector):
    """The columns that matter do not change with the unit they are told in."""
    frame, y, _ = table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = clone(selector).fit(frame, y).get_support().tolist()
        for factor in (1e-8, 1e8):
            assert clone(selector).fit(frame, y * factor).get_support().tolist() == expected
        moved = rescaled(frame, 10.0 ** np.array([-8, 5, 0, 8, -3]), [0.0] * 5)
        assert clone(selector).fit(moved, y).get_support().tolist() == expected


#: Not KernelPCA, whose `gamma` is given in units of the columns, as scikit-learn's.
PROJECTIONS = [
    *(PCA(2), PCA("gap"), PCA(2, trim=0.1), SVD(2), MDS(), MDS(kind="metric")),
    *(FactorAnalysis(1), ProjectionPursuit(1, kind="targeted")),
]


@pytest.mark.parametrize("factor", [1e-8, 1e8])
@pytest.mark.parametrize("projection", PROJECTIONS, ids=name_of)
def test_projections(projection, factor):
    """Distances, variances and directions of a table in another unit are the same distances."""
    frame, _, classes = table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.asarray(clone(projection).fit_transform(frame, classes))
        found = np.asarray(clone(projection).fit_transform(frame * factor, classes))
    assert found.shape == expected.shape
    assert_same(np.abs(found) / found.std(), np.abs(expected) / expected.std(), 1e-4)


#: Transforms whose answers have no unit.
UNIT_FREE = [
    *(transform.Standardize(), transform.UnitRange(), transform.Rank(), transform.Rank("normal", n_values=7)),
    *(transform.Discretize(encode="intervals"), transform.Discretize("count"), transform.Discretize("kmeans", 3)),
    *(transform.Discretize("entropy"), transform.Discretize("entropy", target="numbers"), transform.Shares()),
    *(transform.Normalize(), transform.KernelFeatures()),
]

#: Transforms whose answers have the unit of the columns, and the power of it in some: a spectrum of power has squares.
#: Clip, Log, Sigmoid and Monomials have parameters, or answers, in units that are given.
OF_UNITS = [
    *((transform.Center(), 1), (transform.Impute(), 1), (transform.Smooth(), 1), (transform.Derivative(), 1)),
    *((transform.Sharpen(), 1), (transform.Baseline(), 1), (transform.Denoise(), 1), (transform.Fourier(), 1)),
    *((transform.Wavelet(), 2), (transform.Trim(), 1), (transform.ScatterCorrection(), 1), (transform.Symmetrize(), 1)),
    *((transform.Convolve([1.0, 2.0, 1.0]), 1),),
]


@pytest.mark.parametrize("factor", [1e-8, 1e8])
@pytest.mark.parametrize(("step", "power"), OF_UNITS, ids=name_of)
def test_transforms_with_a_unit(step, power, factor):
    """A tolerance or a default in some unit shows where the columns come in another."""
    frame = 1 + table()[0].abs()
    expected = np.asarray(clone(step).fit(frame).transform(frame)) * factor**power
    found = np.asarray(clone(step).fit(frame * factor).transform(frame * factor))
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9 * np.abs(expected).max())


def test_ratios():
    """Ratios have no unit; the columns beside them keep theirs."""
    frame = 1 + table()[0].abs()
    expected, found = (np.asarray(transform.Ratios().fit_transform(rows)) for rows in (frame, frame * 1e8))
    assert found[:, :5] == pytest.approx(expected[:, :5] * 1e8)
    assert found[:, 5:] == pytest.approx(expected[:, 5:])


def test_every_estimator_is_here():
    """An estimator that is not in a list above may know units without anyone seeing it."""
    listed = [*IN_ANY_ORDER, *SELECTORS, *PROJECTIONS, *UNIT_FREE, *(step for step, _ in OF_UNITS)]
    elsewhere = {"KernelPCA", "Clip", "Log", "Sigmoid", "Monomials", "Ratios", "Encode", "Text", "Transforms"}
    modules = (additive, boosting, forest, linear, project, score, search, transform, tree)
    public = {name for module in modules for name in module.__all__ if hasattr(getattr(module, name), "get_params")}
    assert public - {type(one).__name__ for one in listed} - elsewhere == set()


@pytest.mark.parametrize("factor", [1e-8, 1e8])
@pytest.mark.parametrize("step", UNIT_FREE, ids=name_of)
def test_transforms(step, factor):
    """A transform that has an answer without a unit has the same one in every unit."""
    frame, y, classes = table()
    frame = 1 + frame.abs()
    target = y if getattr(step, "target", None) == "numbers" else classes
    expected = np.asarray(clone(step).fit(frame, target).transform(frame))
    found = np.asarray(clone(step).fit(frame * factor, target).transform(frame * factor))
    if expected.dtype.kind == "f":
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    else:
        assert found.shape == expected.shape


def study_of(frame, y, folder, **settings):
    """A small study of a table, run."""
    given = {"folds": 3, "inner": 2, "repeats": 1, "black_box": False, "n_jobs": 1, "lock": 0, **settings}
    data = frame.assign(y=y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tamis.Study(data, target="y", folder=folder, **given).run(), data


def scaled_study(folder, procedures, factor, shift=0.0):
    """The answers of a study of a table, and of the same one whose target has another unit."""
    frame, y, _ = table(categories=True)
    one, rows = study_of(frame, y, folder / "one", procedures=procedures)
    other, _ = study_of(frame, y * factor + shift, folder / "other", procedures=procedures)
    return one, other, rows.drop(columns="y")


@pytest.mark.parametrize("factor", [1e-8, 1e8])
def test_a_whole_study(tmp_path, factor):
    """A study in other units chooses the same procedure and columns, with the same score."""
    one, other, rows = scaled_study(tmp_path, ["tree", "lasso", "ridge"], factor)
    first, second = one.results_["answer"], other.results_["answer"]
    assert second["procedure"] == first["procedure"]
    assert second["selected"] == first["selected"]
    assert second["score"] == pytest.approx(first["score"], rel=1e-6)
    assert_same(other.predict(rows) / factor, one.predict(rows))


#: Procedures of a study of numbers; its forest draws rows by their content.
OF_NUMBERS = [
    *("stump", "score-card", "optimal-tree", "small-tree", "tree", "subset", "forward", "formula", "panel", "lasso"),
    *("elastic-net", "additive", "ridge", "model-tree", "booster", "boosting", "knn"),
]


@pytest.mark.nightly
@pytest.mark.parametrize("procedure", OF_NUMBERS)
@pytest.mark.parametrize("factor", [1e-8, 1e-4, 1e4, 1e8])
def test_studies_of_every_procedure(tmp_path, procedure, factor):
    """Each procedure tunes itself, and tuning has tolerances."""
    one, other, rows = scaled_study(tmp_path, [procedure], factor)
    assert other.results_["answer"]["score"] == pytest.approx(one.results_["answer"]["score"], rel=1e-6)
    assert_same(other.predict(rows) / factor, one.predict(rows))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10, 20))
@pytest.mark.parametrize("model", IN_ANY_ORDER, ids=name_of)
def test_more_tables(model, seed):
    """Orders, copies and units on tables that were not looked at."""
    test_the_order_of_rows(model, seed)
    if getattr(model, "alpha", None) != "loo":
        test_whole_weights_are_copies(model, seed)
    if not any(model is forest for forest in FORESTS):
        test_the_units_of_the_columns(model, seed)
        for factor in (1e-100, 1e-3, 1e3):
            test_the_scale_of_weights(model, factor)
    if is_regressor(model) and not counts(model) and not any(model is forest for forest in FORESTS):
        for factor in (1e-6, 1e-3, 1e3, 1e6):
            test_the_unit_of_the_target(model, factor)
