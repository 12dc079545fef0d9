"""Every public name of the design, its parameters and fitted attributes: programs are written against them."""

import inspect
from importlib import import_module

import numpy as np
import pytest

import tamis

#: Name -> parameters it must take.
NAMES = {
    **dict.fromkeys(
        [
            f"score.{name}"
            for name in (
                "pearson", "stump", "mutual_information", "gain_ratio", "gini", "chi2", "anova", "relief",
                "symmetric_uncertainty", "interaction", "consistency", "cfs",
            )
        ],
        "X y",
    ),
    "score.dispersion": "X",
    "score.variance": "X",
    "score.combine": "list_of_scores how weights",
    "score.relief#": "difference k",
    "score.mutual_information#": "corrected",
    "RankSelector": "by k threshold alpha n_permutations combine",
    "SubsetSelector": "estimator search k scoring cv fixed groups costs max_evaluations time_limit",
    "StabilitySelector": "selector n_resamples threshold resample",
    "ShadowSelector": "estimator max_rounds alpha",
    "KnockoffSelector": "fdr",
    "LinearRegressor": "penalty alpha l1_ratio k loss rule cv standardize fit_intercept norm_bound relax",
    "LinearClassifier": "penalty alpha l1_ratio k loss rule cv standardize fit_intercept",
    "TreeClassifier": (
        "criterion max_depth min_samples_split min_samples_leaf min_impurity_decrease max_leaf_nodes missing prune "
        "rule cv splits leaf loss_matrix class_weight n_bins min_gain max_purity monotone"
    ),
    "TreeRegressor": (
        "criterion max_depth min_samples_split min_samples_leaf min_impurity_decrease max_leaf_nodes missing prune "
        "rule cv splits leaf n_bins min_gain monotone"
    ),
    "ForestClassifier": "n_estimators criterion max_features oob_score stop_when_stable monotone",
    "ForestRegressor": "n_estimators criterion max_features oob_score stop_when_stable monotone",
    "AdditiveClassifier": "max_columns max_pairs monotone",
    "AdditiveRegressor": "max_columns max_pairs monotone",
    "linear.ScoreCard": "max_terms",
    "PCA": "n_components floor ddof",
    **{f"project.{name}": "" for name in ("SVD", "KernelPCA", "MDS", "FactorAnalysis", "ProjectionPursuit")},
    "project.solve": "A b",
    **dict.fromkeys(
        [
            f"transform.{name}"
            for name in (
                "Center", "Standardize", "UnitRange", "Rank", "Impute", "Encode", "Normalize", "Shares", "Trim",
                "Ratios", "Smooth", "Derivative", "Sharpen", "Baseline", "Denoise", "Fourier", "Wavelet", "Text",
                "KernelFeatures",
            )
        ],
        "",
    ),
    "transform.Clip": "bound",
    "transform.Log": "offset",
    "transform.Sigmoid": "b",
    "transform.Discretize": "how n_bins",
    "transform.Monomials": "degree",
    "transform.Convolve": "kernel",
    "nested_score": "procedure X y outer repeats scoring groups random_state",
    "audit": "procedure X y n_permutations random_state",
    "Lock": "",
    "evaluate.bias_variance": "procedure X y n_resamples random_state",
    "Study": "source target folder seed",
    "load": "",
    "read": "source",
    "score.rank": "source target by",
}  # fmt: skip


def thing(name):
    module, _, last = name.rstrip("#").rpartition(".")
    return getattr(import_module(f"tamis.{module}") if module else tamis, last)


@pytest.mark.parametrize("name", NAMES)
def test_the_name_takes_its_parameters(name):
    """A program written against the design would not run."""
    known = inspect.signature(thing(name).__init__ if name == "Study" else thing(name)).parameters
    missing = [word for word in NAMES[name].split() if word not in known]
    assert not missing, f"{name} takes {', '.join(known)}"


@pytest.mark.parametrize(
    ("name", "defaults"),
    [
        ("RankSelector", {"by": "mutual_information", "k": None, "alpha": None, "n_permutations": 0}),
        ("SubsetSelector", {"search": "forward", "k": "best", "scoring": None, "cv": 5, "fixed": None, "groups": None}),
        ("StabilitySelector", {"n_resamples": 100, "threshold": 0.6, "resample": "complementary"}),
        ("ShadowSelector", {"estimator": None, "max_rounds": 100, "alpha": 0.05}),
        ("KnockoffSelector", {"fdr": 0.1}),
        ("LinearRegressor", {"penalty": "lasso", "alpha": "cv", "l1_ratio": 0.5, "k": "cv", "loss": "squared",
                             "rule": "1se", "cv": 10, "standardize": True, "fit_intercept": True}),
        ("LinearClassifier", {"penalty": "lasso", "alpha": "cv", "l1_ratio": 0.5, "k": "cv", "loss": "logistic",
                              "rule": "1se", "cv": 10, "standardize": True, "fit_intercept": True}),
        ("TreeClassifier", {"missing": "surrogate", "prune": None, "rule": "1se", "cv": 10, "splits": "axis",
                            "leaf": "constant", "loss_matrix": None, "class_weight": None}),
        ("ForestClassifier", {"n_estimators": 500, "oob_score": True, "stop_when_stable": False}),
        ("AdditiveRegressor", {"max_columns": None, "max_pairs": 0, "monotone": None}),
        ("PCA", {"n_components": None, "floor": None}),
        ("linear.ScoreCard", {"max_terms": 8}),
        ("nested_score", {"outer": 5, "repeats": 1, "scoring": None, "groups": None, "random_state": 0}),
        ("audit", {"n_permutations": 100, "random_state": 0}),
        ("evaluate.bias_variance", {"n_resamples": 100, "random_state": 0}),
    ],
)  # fmt: skip
def test_the_defaults_are_those_of_the_design(name, defaults):
    """A program that leaves a parameter out would get another answer."""
    known = inspect.signature(thing(name)).parameters
    assert {word: known[word].default for word in defaults} == defaults


def table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=60)
    return X, y, (y > 0).astype(int)


X, Y, C = table()
SUM = tamis.LinearRegressor("ridge", alpha=0.1)

#: What is fitted, and the attributes and methods it then has.
FITTED = {
    "rank": (lambda: tamis.RankSelector("pearson", n_permutations=9).fit(X, Y), "scores_ pvalues_ ranking_"),
    "subset": (lambda: tamis.SubsetSelector(SUM, k=2).fit(X, Y), "history_ score_ optimal_"),
    "stability": (
        lambda: tamis.StabilitySelector(tamis.RankSelector("pearson", k=2), n_resamples=10).fit(X, Y),
        "frequency_ stability_ stability_interval_ expected_false_",
    ),
    "lasso": (
        lambda: tamis.LinearRegressor(cv=3).fit(X, Y),
        "coef_ intercept_ alpha_ path_ selected_columns_ degrees_of_freedom_",
    ),
    "ridge": (lambda: SUM.fit(X, Y), "degrees_of_freedom_ leverage_"),
    "least squares": (lambda: tamis.LinearRegressor(None).fit(X, Y), "degrees_of_freedom_ leverage_"),
    "tree": (lambda: tamis.TreeClassifier().fit(X, C), "to_text rules to_svg cost_complexity_"),
    "forest": (
        lambda: tamis.ForestClassifier(20).fit(X, C),
        "oob_score_ oob_curve_ oob_fraction_ feature_importances_ permutation_importance",
    ),
    "additive": (lambda: tamis.AdditiveRegressor(max_pairs=1).fit(X, Y), "curves_ pairs_ contributions to_table plot"),
    "card": (lambda: import_module("tamis.linear").ScoreCard(3).fit(X, C), "table_ risk_"),
    "PCA": (lambda: tamis.PCA(2).fit(X), "partial_fit spectrum_ carriers anomaly_score"),
    "nested": (lambda: tamis.nested_score(SUM, X, Y), "scores mean interval optimism selected stability"),
    "audit": (lambda: tamis.audit(SUM, X, Y, n_permutations=10), "leaks"),
    "bias and variance": (
        lambda: import_module("tamis.evaluate").bias_variance(SUM, X, Y, n_resamples=5),
        "bias variance noise loss",
    ),
}


@pytest.mark.parametrize("name", FITTED)
def test_what_is_fitted_has_its_attributes(name):
    """A program would read an attribute that is not there."""
    made, names = FITTED[name]
    result = made()
    assert not [word for word in names.split() if not hasattr(result, word)]


WORDS = {
    "TreeClassifier.criterion": ["gini", "entropy", "gain_ratio", "chi2"],
    "TreeRegressor.criterion": ["squared_error", "absolute_error", "poisson"],
    "TreeClassifier.prune": [None, "cv", "chi2", 0.01],
    "ForestClassifier.criterion": ["gini", "entropy"],
    "LinearRegressor.penalty": [None, "ridge", "lasso", "elastic-net", "subset"],
    "LinearClassifier.penalty": [None, "ridge", "lasso", "elastic-net", "subset"],
    "LinearRegressor.alpha": [0.1, "cv"],
    "LinearRegressor.rule": ["1se", "min"],
    "LinearRegressor.loss": ["squared", "poisson", "huber"],
    "LinearClassifier.loss": ["logistic", "squared_hinge", "hinge"],
    "LinearRegressor.norm_bound": [1.0],
    "LinearRegressor.relax": ["cv"],
    "LinearRegressor.l1_ratio": ["cv"],
    "LinearRegressor.cv": [0.2],
    "PCA.n_components": [2, 0.9, "gap", "cv"],
    "SubsetSelector.search": [
        "forward", "backward", "floating", "exhaustive", "branch-and-bound", "best-first", "random", "annealing",
        "genetic",
    ],
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "word"), [(name, word) for name, words in WORDS.items() for word in words])
def test_every_word_of_the_design_is_taken(name, word):
    """A variant that the design names would be refused."""
    kind, _, parameter = name.partition(".")
    settings = {parameter: word}
    if parameter == "l1_ratio":
        settings["penalty"] = "elastic-net"
    if kind == "ForestClassifier":
        settings["n_estimators"] = 10
    if kind == "SubsetSelector":
        bounded = word == "branch-and-bound"
        settings |= {"estimator": tamis.LinearRegressor(None) if bounded else SUM, "k": 2}
        settings["cv"] = "train" if bounded else 3
    target = C if "Classifier" in kind else np.abs(Y).round() if word == "poisson" else Y
    model = getattr(tamis, kind)(**settings).fit(X, target)
    assert model is not None


def test_relief_by_squared_differences_and_alpha_by_loo_and_bayes():
    """Words that go with one penalty alone."""
    assert len(tamis.score.relief(X, C, difference="squared")) == 4
    assert tamis.LinearRegressor("ridge", alpha="loo").fit(X, Y).alpha_ > 0
    assert tamis.LinearRegressor("ridge", alpha="bayes").fit(X, Y).alpha_ > 0
