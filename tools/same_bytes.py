"""Digests of what every public estimator and three studies compute: a change of names and places changes none.

    python tools/same_bytes.py save FILE [PATTERN]      # before the change
    python tools/same_bytes.py compare FILE [PATTERN]   # after it: one line a difference; exit code 1 if there is any

A digest is the SHA-256 of a canonical form of a value. Arrays count with dtype, shape and bytes; the keys of dicts and
the names of fitted attributes count; names of classes, modules, functions and of the fields of objects within do not.
Of a study's files all bytes count except version, seconds and paths. An error is a result: its sentence is compared.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn import datasets
from sklearn.base import BaseEstimator
from sklearn.ensemble import AdaBoostClassifier, BaggingRegressor
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import tamis
from tamis import evaluate, project, score, search, split, transform, tree, views

#: What may differ between two runs of the same code, wherever it is a key of a dict or the name of a field.
VOLATILE = {"seconds", "version"}
#: Methods of a fitted estimator whose answers are compared, on the rows it was fitted on.
ANSWERS = ("predict", "predict_proba", "decision_function", "predict_interval", "apply", "transform", "anomaly_score")
#: The same, without an argument.
TEXTS = ("to_dict", "to_text", "to_svg", "rules", "to_sql", "carriers", "get_feature_names_out")

Case = Callable[[], Mapping[str, Any]]


# Canonical form


def digest(value: Any) -> str:
    """SHA-256 of the canonical form of any value."""
    return hashlib.sha256(b"".join(_form(value, ()))).hexdigest()


def _form(value: Any, above: tuple[int, ...]) -> Iterator[bytes]:
    """The canonical form in pieces; `above` holds the objects that the value is a part of."""
    if id(value) in above:
        yield b"(itself)"
        return
    within = (*above, id(value))
    if value is None or isinstance(value, bool | int | str | bytes | complex):
        yield f"{type(value).__name__}:{value!r};".encode("utf-8", "surrogatepass")
    elif isinstance(value, float):
        yield b"float:" + (b"nan" if value != value else value.hex().encode()) + b";"
    elif isinstance(value, np.generic | np.ndarray):
        yield from _array(np.asarray(value), within)
    elif sparse.issparse(value):
        coordinates = value.tocoo()
        yield from _several("sparse", (value.shape, coordinates.row, coordinates.col, coordinates.data), within)
    elif isinstance(value, Mapping):
        pairs = ((digest(key), item) for key, item in value.items() if key not in VOLATILE)
        yield b"{"
        for key, item in sorted(pairs, key=lambda pair: pair[0]):
            yield key.encode()
            yield from _form(item, within)
        yield b"}"
    elif isinstance(value, list | tuple):
        yield from _several("sequence", value, within)
    elif isinstance(value, set | frozenset):
        yield from _several("set", sorted(digest(item) for item in value), within)
    elif hasattr(value, "to_pandas") and hasattr(value, "schema"):  # polars and pyarrow
        yield from _form(value.to_pandas(), above)
    elif isinstance(value, pd.DataFrame):
        parts = [(str(name), str(value[name].dtype), value[name].to_numpy()) for name in value.columns]
        yield from _several("frame", parts, within)
    elif isinstance(value, pd.Series | pd.Index):
        yield from _form(value.to_numpy(), within)
    else:
        yield from _object(value, within)


def _several(kind: str, items: Any, within: tuple[int, ...]) -> Iterator[bytes]:
    yield kind.encode() + b"["
    for item in items:
        yield from _form(item, within)
    yield b"]"


def _array(value: np.ndarray, within: tuple[int, ...]) -> Iterator[bytes]:
    """An array; the fields of a structured one count in their order, not by their names."""
    if value.dtype.names:
        yield from _several("records", [value[name] for name in value.dtype.names], within)
    elif value.dtype.hasobject:
        yield f"objects{value.shape}".encode()
        yield from _several("", value.ravel().tolist(), within)
    else:
        yield f"array:{value.dtype.str}{value.shape}:".encode()
        yield np.ascontiguousarray(value).tobytes()


def _object(value: Any, within: tuple[int, ...]) -> Iterator[bytes]:
    """Any other object: its values in an order that does not depend on their names."""
    plain = (type, types.FunctionType, types.MethodType, types.ModuleType, types.BuiltinFunctionType)
    if isinstance(value, plain) or hasattr(value, "py_func"):
        yield b"(code)"
    elif isinstance(value, Enum):
        yield from _form(value.value, within)
    elif isinstance(value, np.random.Generator):
        yield from _form(value.bit_generator.state, within)
    elif isinstance(value, np.random.RandomState):
        yield from _form(value.get_state(legacy=False), within)
    elif isinstance(value, BaseEstimator):
        yield from _form(fitted(value), within)
    elif hasattr(value, "__dict__") or hasattr(value, "__slots__"):
        yield from _several("object", sorted(_fields(value, within)), ())
    else:
        yield f"{value!r}".encode() if " at 0x" not in repr(value) else b"(object)"


def _fields(value: Any, within: tuple[int, ...]) -> Iterator[str]:
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    for name in {*getattr(value, "__dict__", {}), *slots} - VOLATILE - {"__weakref__", "__dict__"}:
        if hasattr(value, name):
            yield hashlib.sha256(b"".join(_form(getattr(value, name), within))).hexdigest()


def fitted(model: Any) -> dict[str, Any]:
    """The public attributes of a model that end in an underscore, properties among them."""
    found = {}
    for name in dir(model):
        if name.endswith("_") and not name.startswith("_"):
            try:
                found[name] = getattr(model, name)
            except Exception as error:
                found[name] = str(error)
    return found


# Tables


def numbers(n: int = 120, d: int = 12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Independent columns, the first three of which make the target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] - 2 * X[:, 1] + 0.5 * X[:, 2] + rng.normal(size=n)


def correlated(n: int = 90, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Neighbouring columns correlate by 0.9; one column is constant and two are equal."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, d))
    for j in range(1, d):
        X[:, j] = 0.9 * X[:, j - 1] + np.sqrt(1 - 0.81) * X[:, j]
    X[:, 5], X[:, 9] = 1.0, X[:, 8]
    return X, X[:, 2] + X[:, 12] + rng.normal(size=n)


def counts() -> tuple[np.ndarray, np.ndarray]:
    """Counts with a log-linear mean."""
    X, _ = numbers(seed=2)
    return X, np.random.default_rng(3).poisson(np.exp(0.4 * X[:, 0] - 0.3 * X[:, 1])).astype(float)


def mixed(n: int = 150, seed: int = 4) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers, a category, a boolean and a date, with holes; a target of two classes and one of numbers."""
    rng = np.random.default_rng(seed)
    data: dict[str, Any] = {f"x{j}": rng.gamma(2.0, size=n) + 0.1 for j in range(5)}
    data["city"] = rng.choice(["Bern", "Oslo", "Rome", "Ulm"], p=[0.4, 0.3, 0.2, 0.1], size=n)
    data["member"] = rng.random(n) < 0.5
    data["since"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    X = pd.DataFrame(data)
    y = X["x0"] + 2 * (X["city"] == "Oslo") - X["x1"] + 0.4 * rng.normal(size=n)
    X.loc[rng.choice(n, 12, replace=False), "x0"] = np.nan
    X.loc[rng.choice(n, 9, replace=False), "city"] = None
    return X, (y > y.median()).to_numpy().astype(int), y.to_numpy()


def holed() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers with holes."""
    X, y = numbers(seed=5)
    X[np.random.default_rng(6).random(X.shape) < 0.06] = np.nan
    return X, (y > 0).astype(int), y


def thin() -> tuple[sparse.csr_matrix, np.ndarray]:
    """A sparse table."""
    rng = np.random.default_rng(7)
    X = sparse.random(100, 40, density=0.1, random_state=8, format="csr")
    return X, np.asarray(X[:, 0].todense()).ravel() * 3 + X.sum(axis=1).A1 + 0.1 * rng.normal(size=100)


def signals() -> tuple[np.ndarray, np.ndarray]:
    """Rows of 24 ordered positions."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(40, 24)).cumsum(axis=1) + 10
    return X, (X[:, 3] > np.median(X[:, 3])).astype(int)


def two() -> tuple[np.ndarray, np.ndarray]:
    """Two classes of real rows."""
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return X[:200, :12], y[:200]


def three() -> tuple[np.ndarray, np.ndarray]:
    """Three classes of real rows, by names."""
    X, y = datasets.load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


def real() -> tuple[np.ndarray, np.ndarray]:
    """A real target of numbers."""
    X, y = datasets.load_diabetes(return_X_y=True)
    return X[:200], y[:200]


# Cases


def of(model: Any, X: Any, y: Any = None, *, weights: bool = False) -> Case:
    """What a fitted model holds and answers."""

    def case() -> dict[str, Any]:
        given = {} if y is None else {"y": y}
        if weights:
            given["sample_weight"] = np.random.default_rng(11).integers(1, 4, len(y)).astype(float)
        model.fit(X, **given)
        found = {f".{name}": value for name, value in fitted(model).items()}
        for name in ANSWERS:
            if hasattr(model, name):
                found[name] = _tried(lambda name=name: getattr(model, name)(X))
        for name in TEXTS:
            if hasattr(model, name):
                found[name] = _tried(getattr(model, name))
        return found

    return case


def _tried(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return str(error)


def facts(call: Callable[[], Any]) -> Case:
    """A result: the public fields of an object, or the value itself."""

    def case() -> dict[str, Any]:
        found = call()
        if not hasattr(found, "__dataclass_fields__"):
            return {"value": found}
        return {f".{name}": getattr(found, name) for name in found.__dataclass_fields__ if name not in VOLATILE}

    return case


def linear_cases() -> Iterator[tuple[str, Case]]:
    X, y = numbers()
    R, C = tamis.LinearRegressor, tamis.LinearClassifier
    few = {"cv": 4, "n_alphas": 20}
    for penalty in ("lasso", "ridge", "elastic-net", "subset"):
        for loss in ("squared", "huber", "poisson"):
            yield (
                f"regressor {penalty} {loss}",
                of(R(penalty, loss=loss, **few), *(counts() if loss == "poisson" else (X, y))),
            )
        for loss in ("logistic", "squared_hinge"):
            yield f"classifier {penalty} {loss}", of(C(penalty, loss=loss, **few), *two())
        yield f"classifier {penalty} three", of(C(penalty, **few), *three())
    yield "regressor none", of(R(None), *real())
    yield "regressor none correlated", of(R(None), *correlated())
    yield "classifier none", of(C(None), X, (y > 0).astype(int))
    yield "regressor lasso min, weights", of(R(rule="min", **few), *real(), weights=True)
    yield "regressor lasso wide", of(R(cv=3, n_alphas=30), *numbers(40, 150))
    yield "regressor lasso correlated", of(R(alpha=0.05, standardize=False), *correlated())
    yield "regressor lasso sparse", of(R(**few), *thin())
    yield "regressor ridge loo", of(R("ridge", alpha="loo"), *real())
    yield "regressor ridge wide", of(R("ridge", cv=3), *numbers(40, 150))
    yield "regressor lasso bayes", of(R(alpha="bayes", n_draws=100), *real())
    yield "regressor ridge bayes", of(R("ridge", alpha="bayes", n_draws=100), *real())
    yield "regressor subset k", of(R("subset", k=3), *real())
    yield (
        "regressor factors, no intercept",
        of(R(alpha=0.1, penalty_factors=np.arange(12.0), fit_intercept=False), X, y),
    )
    yield "regressor norm bound", of(R("ridge", alpha=None, norm_bound=1.0), X, y)
    frame, label, value = mixed()
    yield "regressor mixed group", of(R(missing="mean", group=True, **few), frame, value)
    yield "regressor mixed", of(R("elastic-net", missing="mean", **few), frame, value)
    yield "classifier mixed", of(C(missing="mean", **few), frame, label)
    yield (
        "classifier mixed group three",
        of(C(missing="mean", group=True, **few), frame, np.digitize(value, [1.0, 2.5])),
    )
    yield "classifier weights", of(C(class_weight="balanced", **few), *two(), weights=True)
    yield "classifier sparse", of(C(**few), thin()[0], (thin()[1] > 1).astype(int))
    yield "classifier wide", of(C(cv=3, n_alphas=20), numbers(40, 150)[0], (numbers(40, 150)[1] > 0).astype(int))
    yield "classifier three ridge number", of(C("ridge", alpha=0.01), *three())
    yield "classifier three group", of(C(alpha=0.02, group=True), *three())
    yield "regressor holes refused", facts(lambda: R().fit(holed()[0], holed()[2]))


def tree_cases() -> Iterator[tuple[str, Case]]:
    C, R = tamis.TreeClassifier, tamis.TreeRegressor
    frame, label, value = mixed()
    for criterion in ("gini", "entropy", "gain_ratio", "chi2"):
        yield f"classifier {criterion}", of(C(criterion=criterion, max_depth=5), *two())
        yield f"classifier {criterion} mixed", of(C(criterion=criterion), frame, label)
    for criterion in ("squared_error", "absolute_error", "poisson"):
        y = np.round(np.abs(value)) if criterion == "poisson" else value
        yield f"regressor {criterion}", of(R(criterion=criterion, max_leaf_nodes=12), frame, y)
    for missing in ("surrogate", "category", "majority"):
        yield f"classifier holes {missing}", of(C(missing=missing, min_samples_leaf=4), *holed()[:2])
        yield f"regressor holes {missing}", of(R(missing=missing, min_samples_leaf=4), holed()[0], holed()[2])
    for by in ("error", "brier", "log_loss", None):
        yield f"classifier prune by {by}", of(C(prune="cv", prune_by=by, cv=4), *three())
    yield "classifier prune chi2", of(C(criterion="chi2", prune="chi2"), *two())
    yield "classifier prune number", of(C(prune=0.01), *three())
    yield "classifier losses", of(C(loss_matrix=[[0, 5], [1, 0]], prune="cv", cv=4), *two())
    yield "classifier priors, weights", of(C(priors=[0.3, 0.3, 0.4], max_depth=3), *three(), weights=True)
    yield "regressor prune cv", of(R(prune="cv", cv=4, rule="min"), *real())
    yield "regressor prune cv mixed", of(R(prune="cv", cv=4), frame, value)
    yield "classifier oblique", of(C(splits="oblique", max_depth=3), *three())
    yield "regressor oblique", of(R(splits="oblique", max_depth=3), *numbers())
    yield "regressor linear leaves", of(R(leaf="linear", max_depth=2), *numbers())
    yield "classifier stump of many rows", of(C(max_depth=1), *numbers_in_classes(3000))
    yield "mimic", facts(lambda: tree.mimic(SVC().fit(*three()), three()[0], max_leaf_nodes=5))
    yield "from_pipeline", of_pipeline
    yield "boosted stumps", of(AdaBoostClassifier(C(max_depth=1), n_estimators=10, random_state=0), *two())
    yield "bagged trees", of(BaggingRegressor(R(max_depth=3), n_estimators=5, random_state=0), *real())


def of_pipeline() -> dict[str, Any]:
    found = tree.from_pipeline(make_pipeline(tamis.RankSelector(k=3), tamis.TreeClassifier(max_depth=3)).fit(*two()))
    return {"text": found.to_text(), "rules": found.rules()}


def numbers_in_classes(n: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = numbers(n, 6, seed=12)
    return X, (y > 0).astype(int)


def forest_cases() -> Iterator[tuple[str, Case]]:
    C, R = tamis.ForestClassifier, tamis.ForestRegressor
    frame, label, value = mixed()
    yield "classifier", with_importance(C(40), *two())
    yield "classifier three, two threads", with_importance(C(40, n_jobs=2), *three())
    yield "classifier mixed", with_importance(C(30), frame, label)
    yield "classifier holes", of(C(30), *holed()[:2])
    yield (
        "classifier majority, balanced",
        of(C(30, voting="majority", bootstrap="balanced", class_weight="balanced"), *three()),
    )
    yield "classifier random thresholds", of(C(30, thresholds="random", bootstrap=False, max_features=None), *two())
    yield "classifier losses", of(C(30, loss_matrix=[[0, 5], [1, 0]]), *two())
    yield "classifier stops", of(C(80, stop_when_stable=True), *three())
    yield "classifier oblique", of(C(20, splits="oblique"), *three())
    yield "classifier weights", of(C(30, max_depth=5), *two(), weights=True)
    yield "classifier many rows", of(C(10, max_samples=0.5, min_samples_leaf=2), *numbers_in_classes(6000))
    yield "regressor", with_importance(R(40), *real())
    yield "regressor mixed", with_importance(R(30, min_samples_leaf=3), frame, value)
    yield "regressor holes", of(R(30, max_features="log2"), holed()[0], holed()[2])
    yield "regressor random thresholds", of(R(30, thresholds="random", max_samples=0.7, oob_score=False), *real())
    yield "regressor oblique", of(R(20, splits="oblique"), *numbers())
    yield "saved and loaded", saved_forest


def with_importance(model: Any, X: Any, y: Any) -> Case:
    def case() -> dict[str, Any]:
        found = dict(of(model, X, y)())
        found["permutation_importance"] = model.permutation_importance(X, y)
        found["answers_out_of_bag"] = model.answers_out_of_bag(X)
        return found

    return case


def saved_forest() -> dict[str, Any]:
    X, y = real()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "forest"
        tamis.ForestRegressor(10).fit(X, y).save(place)
        written = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
        loaded = tamis.ForestRegressor.load(place)
        return {"files": [_file(path) for path in written], "predict": loaded.predict(X)}


def _file(path: Path) -> Any:
    """A file's bytes; the arrays of an archive, whose own bytes hold times."""
    try:
        archive = np.load(path, allow_pickle=False)
    except ValueError:
        return path.read_bytes()
    return dict(archive.items()) if hasattr(archive, "items") else archive


def score_cases() -> Iterator[tuple[str, Case]]:
    frame, label, value = mixed()
    names = (
        "pearson stump mutual_information gain_ratio gini chi2 anova relief dispersion variance symmetric_uncertainty"
    )
    for name in names.split():
        for kind, X, y in (("mixed", frame, label), ("three", *three()), ("numbers", frame, value), ("real", *real())):
            yield f"{name} {kind}", facts(lambda name=name, X=X, y=y: getattr(score, name)(X, y))
    yield "corrected information", facts(lambda: score.mutual_information(frame, label, corrected=True))
    yield "interaction", facts(lambda: score.interaction(frame, label))
    yield "top pairs", facts(lambda: score.top_pairs(*three()))
    yield "consistency", facts(lambda: score.consistency(frame, label))
    yield "cfs", facts(lambda: score.cfs(frame, label))
    both = [score.gini(*two()), score.anova(*two())]
    for how in ("borda", "standardised", "reciprocal"):
        yield f"combine {how}", facts(lambda how=how: score.combine(both, how=how))
    yield "rank score", facts(lambda: (score.rank_score(both[0]), score.diversity(*both)))
    yield "rank", facts(lambda: score.rank(frame.assign(y=label), "y", by="gini,relief", n_permutations=19).to_json())
    S = tamis.RankSelector
    yield "selector", of(S(k=3, n_permutations=19), *two())
    yield "selector alpha", of(S("symmetric_uncertainty", alpha=0.2, n_permutations=39), frame, label)
    yield "selector of several", of(S(["gini", "chi2", "stump"], combine="reciprocal", share=0.5), *three())
    yield "selector of numbers", of(S(["pearson", "relief"], threshold=0.0), *real())
    yield "benjamini_hochberg", facts(lambda: score.benjamini_hochberg(np.array([0.01, 0.2, 0.03, 0.5])))


def search_cases() -> Iterator[tuple[str, Case]]:
    S, X, y = tamis.SubsetSelector, *numbers()
    classes = (y > 0).astype(int)
    strategies = "forward backward floating exhaustive branch-and-bound best-first random annealing genetic elimination"
    for name in strategies.split():
        cv = "train" if name == "branch-and-bound" else 4
        limit = {} if name == "branch-and-bound" else {"max_evaluations": 150}
        yield f"{name} least squares", of(S(LinearRegression(), search=name, k=3, cv=cv, **limit), X, y)
    for name in ("forward", "backward"):
        yield f"{name} ridge 1se", of(S(Ridge(), search=name, rule="1se", cv=4), *real())
        yield f"{name} logistic", of(S(LogisticRegression(), search=name, k=3, cv=3), X, classes)
        yield f"{name} tamis linear", of(S(tamis.LinearClassifier(None), search=name, k=3, cv=3), X, classes)
    yield "leave one out", of(S(LinearRegression(), k=3, cv="loo"), X, y)
    yield "wide", of(S(LinearRegression(), k=3, cv=4), *numbers(40, 150))
    yield "refitted", of(S(KNeighborsClassifier(), k=3, cv=3), *three())
    yield "trees", of(S(tamis.TreeClassifier(max_depth=2), k=2, cv=3), *three())
    yield "out of bag", of(S(tamis.ForestClassifier(10), k=2, cv="oob"), *three())
    yield "fixed, groups, costs", of(S(LinearRegression(), k=3, cv=4, fixed=[4], costs=np.arange(12) + 1.0), X, y)
    for name in ("mrmr", "cfs", "consistency"):
        yield name, of(S(name, k=3), mixed()[0], mixed()[1])
    for kind in ("complementary", "bootstrap", "subsample"):
        yield f"stability {kind}", of(tamis.StabilitySelector(Lasso(alpha=0.1), n_resamples=10, resample=kind), X, y)
    yield "stability tamis", of(tamis.StabilitySelector(tamis.LinearRegressor(alpha=0.1), n_resamples=10), X, y)
    yield "stability of ranks", of(tamis.StabilitySelector(tamis.RankSelector(k=2), n_resamples=10), *three())
    yield "shadow", of(tamis.ShadowSelector(tamis.ForestClassifier(20), max_rounds=5), *two())
    yield "mirror classes", of(tamis.MirrorSelector(tamis.ForestClassifier(20), leaves=(1, 5)), *two())
    yield "mirror numbers", of(tamis.MirrorSelector(tamis.ForestRegressor(20)), *real())
    pair = {"ranks": tamis.RankSelector(k=3), "search": S(LogisticRegression(), k=2, cv=3)}
    yield "compare", facts(lambda: search.compare(pair, *two(), cv=3))
    yield "agreement", facts(lambda: search.agreement(np.eye(4, dtype=bool)[[0, 0, 1, 2]]))


def transform_cases() -> Iterator[tuple[str, Case]]:
    T, (frame, label, _) = transform, mixed()
    for model in [
        *(T.Center(), T.Standardize(), T.UnitRange(), T.Clip(), T.Clip(2.0, floor=0.5), T.Clip(quantiles=(0.1, 0.9))),
        *(T.Log(), T.Log(1.0, below="lowest"), T.Sigmoid(0.5), T.Rank(), T.Rank("normal", n_values=7)),
        *(T.Discretize(), T.Discretize("count", 3), T.Discretize("kmeans", 3), T.Discretize("entropy")),
        *(T.Discretize("width", encode="intervals"), T.Impute(), T.Impute("median", by="city", indicator=True)),
        *(T.Impute("most_frequent", categories="own"), T.Encode(), T.Encode("ordinal", rare=0.2), T.Encode("counts")),
        *(T.Encode("target"), T.Encode("levels", similar=2), T.Normalize(), T.Normalize("l1"), T.Shares(), T.Trim()),
        *(T.Monomials(), T.Monomials(3, most=4), T.Ratios(), T.Ratios(both=True, most=2)),
        T.Transforms("city: encode(target); x*: log, standardize; impute"),
    ]:
        yield re.sub(r"\s+", " ", repr(model)), of(model, frame, label)
    for model in [
        *(T.Smooth(), T.Smooth("moving-average"), T.Derivative(), T.Derivative(2), T.Sharpen(), T.Baseline(lam=100.0)),
        *(
            T.Baseline("polynomial"),
            T.Baseline("modpoly"),
            T.Convolve([1.0, 3.0, 2.0]),
            T.Convolve("edges", shape=(4, 6)),
        ),
        *(T.Fourier(), T.Fourier("parts"), T.Fourier(bands=[(0.0, 0.1), (0.1, 0.5)]), T.ScatterCorrection()),
        *(T.ScatterCorrection("snv"), T.Denoise(), T.Denoise(threshold="bayes", wavelet="haar")),
        *(T.Wavelet(), T.Wavelet("coefficients", wavelet="db2")),
    ]:
        yield re.sub(r"\s+", " ", repr(model)), of(model, *signals())


def project_cases() -> Iterator[tuple[str, Case]]:
    P = project
    tables = (("real", *two()), ("mixed", *mixed()[:2]), ("wide", *numbers(30, 80)), ("holes", *holed()[:2]))
    for kind, X, y in tables:
        for model in (P.PCA(3), P.PCA(0.8), P.PCA("gap"), P.PCA("cv", cv=3), P.PCA(2, categories="indicators")):
            yield f"{model!r} {kind}", of(model, X, y)
    for model in [
        *(P.PCA(solver="gram"), P.PCA(2, solver="moments"), P.PCA(2, solver="randomised"), P.PCA(2, trim=0.1)),
        *(P.SVD(), P.SVD(0.5), P.KernelPCA(2), P.KernelPCA(2, kernel="poly"), P.MDS(), P.MDS(kind="metric")),
        *(P.MDS(1, metric="cityblock"), P.FactorAnalysis(2), P.FactorAnalysis(2, rotation="varimax")),
        *(P.ProjectionPursuit(2), P.ProjectionPursuit(1, kind="untargeted"), P.ProjectionPursuit(1, kind="targeted")),
    ]:
        yield repr(model), of(model, *three())
    yield "solve", facts(lambda: P.solve(*correlated()))


def evaluate_cases() -> Iterator[tuple[str, Case]]:
    E, frame, label, value = evaluate, *mixed()
    model = tamis.TreeClassifier(max_depth=3)
    lasso = tamis.LinearClassifier(cv=3, n_alphas=10, missing="mean")
    selected = make_pipeline(tamis.RankSelector(k=3), tamis.LinearClassifier(alpha=0.05))
    yield "nested tree", facts(lambda: E.nested_score(model, *two(), outer=4, repeats=2))
    yield "nested selected", facts(lambda: E.nested_score(selected, *two(), outer=4, scoring="roc_auc"))
    yield "nested lasso mixed", facts(lambda: E.nested_score(lasso, frame, label, outer=3, scoring="brier"))
    yield "nested numbers", facts(lambda: E.nested_score(tamis.TreeRegressor(prune="cv", cv=3), frame, value, outer=3))
    several = {"tree": model, "lasso": tamis.LinearClassifier(alpha=0.02)}
    yield "nested comparison", facts(lambda: E.nested_score(several, *two(), outer=4))
    yield "nested groups", facts(lambda: E.nested_score(model, *two(), outer=4, groups=np.arange(200) // 5))
    yield "nested time", facts(lambda: E.nested_score(model, *two(), outer=3, time=np.arange(200)))
    yield "nested losses", facts(lambda: E.nested_score(model, *two(), outer=4, loss=[[0, 3], [1, 0]]))
    yield "audit", facts(lambda: E.audit(tamis.TreeClassifier(max_depth=2), *three(), n_permutations=20, outer=3))
    yield "audit function", facts(lambda: E.audit(_peeking, *numbers(40, 60), n_permutations=30))
    yield "permutation test", facts(lambda: E.permutation_test(model, *three(), n_permutations=10, outer=3))
    yield "leaks", facts(lambda: E.leaks(_leaking(), label, groups=np.arange(150) // 3))
    yield "leaks of numbers", facts(lambda: E.leaks(frame, value))
    depths = [1, 2, 3, 4]
    yield "curve", facts(lambda: E.complexity_curve(tamis.TreeClassifier(), *two(), "max_depth", depths, cv=4))
    yield "grow", facts(lambda: E.grow(lambda n: tamis.TreeClassifier(max_depth=n), *two(), cv=3, most=6))
    yield "holdout", held_out
    yield "loss matrix", facts(lambda: E.LossMatrix.of([[0, 2], [1, 0]], ["a", "b"]).to_dict())
    for name, metric in E.METRICS.items():
        yield f"metric {name}", facts(lambda name=name, of_classes=metric.task == "classes": _metric(name, of_classes))
    for cv in (4, "loo", 0.3):
        yield f"folds {cv}", facts(lambda cv=cv: split.folds(cv, label, classifier=True, seed=1, groups=None))
    yield "lock", facts(lambda: tamis.Lock.of(tamis.Table.of(frame), share=0.2).rows)
    yield "moments", facts(lambda: views.Moments.of(frame[["x1", "x2"]], value).scatter)
    yield "bins", facts(lambda: vars(views.Bins.of(frame)))
    yield "table", facts(lambda: [(c.name, c.kind, c.values, c.levels) for c in tamis.Table.of(frame).columns])


def _metric(name: str, of_classes: bool) -> Any:
    X, y = two() if of_classes else real()
    model = tamis.LinearClassifier(alpha=0.1) if of_classes else tamis.LinearRegressor(alpha=0.1)
    return evaluate.nested_score(model, X, y, outer=3, scoring=name).scores


def _peeking(X: np.ndarray, y: np.ndarray) -> float:
    """A procedure that chooses columns on all rows."""
    best = np.argsort(-np.abs((X - X.mean(axis=0)).T @ (y - y.mean())))[:5]
    halves = np.arange(len(y)) % 2 == 0
    coefficients = np.linalg.lstsq(X[halves][:, best], y[halves], rcond=None)[0]
    return float(np.corrcoef(X[~halves][:, best] @ coefficients, y[~halves])[0, 1])


def _leaking() -> pd.DataFrame:
    """A column that tells the target, an identifier, a missing value that tells it, and equal rows."""
    frame, label, _ = mixed()
    frame = frame.assign(told=np.where(label == 1, 3.0, 1.0), code=[f"c{i}" for i in range(len(label))])
    frame.loc[label == 1, "x4"] = np.nan
    frame.iloc[60:75] = frame.iloc[0:15].to_numpy()
    return frame


def held_out() -> dict[str, Any]:
    X, y = two()
    holdout = evaluate.ReusableHoldout(X, y, train=np.arange(100), holdout=np.arange(100, 200))
    asked = [holdout.query(lambda X, y, j=j: (X[:, j] > X[:, j].mean()) == (y == 1)) for j in range(8)]
    return {"answers": asked, "remaining": holdout.remaining, "guarantee": holdout.guarantee(8)}


def study_cases() -> Iterator[tuple[str, Case]]:
    frame, label, _ = mixed(120)
    yield "classes", study(frame.assign(outcome=np.where(label, "sick", "well")), "outcome", folds=3)
    X, y = numbers(100, 5)
    yield "numbers", study(pd.DataFrame(X.round(4), columns=list("abcde")).assign(y=y.round(4)), "y", folds=3)
    X, y = three()
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    yield "three", study(pd.DataFrame(X, columns=names).assign(kind=y), "kind", folds=3)


def study(frame: pd.DataFrame, target: str, **settings: Any) -> Case:
    """The files of a study, line by line where they are JSON, and its predictions."""

    def case() -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as folder:
            table, place = Path(folder) / "table.csv", Path(folder) / "study"
            frame.to_csv(table, index=False)
            made = tamis.Study(str(table), target=target, folder=place, seed=1, n_jobs=1, **settings).run()
            found: dict[str, Any] = {}
            for name in ("results.json", "model.json"):
                text = (place / name).read_text(encoding="utf-8").replace(folder, "FOLDER")
                found |= {f"{name} {key}": value for key, value in json.loads(text).items() if key not in VOLATILE}
            found["selected.csv"] = (place / "selected.csv").read_bytes()
            found["words"] = re.findall(r'"(?:class|model|kind|module)": ?"[^"]*"', (place / "model.json").read_text())
            found["predict"] = made.predict(frame)
            found["loaded"] = tamis.load(place).predict(frame)
            found["open"] = made.open()
            return found

    return case


STAGES: dict[str, Callable[[], Iterator[tuple[str, Case]]]] = {
    "linear": linear_cases,
    "tree": tree_cases,
    "forest": forest_cases,
    "score": score_cases,
    "search": search_cases,
    "transform": transform_cases,
    "project": project_cases,
    "evaluate": evaluate_cases,
    "study": study_cases,
}


# Saving and comparing


def digests(pattern: str) -> dict[str, str]:
    """Digest of every part of every case whose name fits; the seconds of each stage go to the screen."""
    found: dict[str, str] = {}
    for stage, cases in STAGES.items():
        begun, before = time.process_time(), len(found)
        for name, case in cases():
            if not fnmatch(f"{stage}/{name}", pattern):
                continue
            try:
                parts = case()
            except Exception as error:
                parts = {"error": f"{type(error).__name__}: {error}"}
            if "error" in parts and "--errors" in sys.argv:
                print(f"{stage}/{name}: {parts['error']}", file=sys.stderr)
            found |= {f"{stage}/{name}/{part}": digest(value) for part, value in parts.items()}
        print(f"{stage}: {len(found) - before} digests, {time.process_time() - begun:.0f} s", file=sys.stderr)
    return found


def main(arguments: list[str]) -> int:
    given = [word for word in arguments if not word.startswith("--")]
    if len(given) not in (2, 3) or given[0] not in ("save", "compare"):
        print(__doc__)
        return 2
    path, pattern = Path(given[1]), given[2] if len(given) > 2 else "*"
    warnings.simplefilter("ignore")
    found = digests(pattern)
    if given[0] == "save":
        path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        print(f"{len(found)} digests")
        return 0
    saved = {
        name: value for name, value in json.loads(path.read_text(encoding="utf-8")).items() if fnmatch(name, pattern)
    }
    different = sorted(name for name in {*saved, *found} if saved.get(name) != found.get(name))
    for name in different:
        kind = "new" if name not in saved else "gone" if name not in found else "other bytes"
        print(f"{kind}: {name}")
    print(f"{len(different)} of {len({*saved, *found})} digests differ")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
