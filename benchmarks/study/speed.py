"""The main job beside the same plan written with scikit-learn: seconds, processor seconds, the nested score of both.

    python benchmarks/study/speed.py demo wine                 these tables, Tamis and the rival
    python benchmarks/study/speed.py --alone --all             Tamis alone, on all tables
    python benchmarks/study/speed.py --data ../shared/data     where tables from files lie
    python benchmarks/study/speed.py droppings --held FOLDER   made by held_back.py; seven tenths of their rows

The rival has the same outer folds and compares by the same out-of-fold Brier score (or squared error) inside them:
LogisticRegressionCV or LassoCV, a decision tree tuned over its cost-complexity path, a forest of 200 trees grown on all
columns and again on those above the mean importance. It writes no report, no journal and no interval. Both run on
`--jobs` threads, kernels warm (a first run is not counted). A study is also given in units of scikit-learn forests of
500 trees on the rows it learns from.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

import numpy as np
import pandas as pd
from joblib import parallel_config
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import SelectFromModel
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LassoCV, LogisticRegressionCV
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import tamis

STRENGTHS = 20  # of the rival's logistic path; ours has 100


def mixed(n: int, classes: bool) -> pd.DataFrame:
    """Twelve numbers and eight categories; four of them decide."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"n{j}": rng.normal(size=n).astype(np.float32) for j in range(12)})
    for j in range(8):
        frame[f"w{j}"] = pd.Categorical(rng.choice(list("abcdefgh"), n))
    signal = frame["n0"] + frame["n1"] * frame["n2"] + (frame["w0"] == "a") + rng.normal(size=n)
    return frame.assign(target=np.where(signal > 0.2, "yes", "no") if classes else signal)


def expression(n: int, d: int, k: int) -> pd.DataFrame:
    """As wide as gene expression: 20 columns tell k classes."""
    rng = np.random.default_rng(0)
    y, x = rng.integers(0, k, n), rng.normal(size=(n, d))
    x[:, :20] += 0.8 * rng.normal(size=(k, 20))[y]
    return pd.DataFrame(x, columns=[f"g{j}" for j in range(d)]).assign(target=[f"c{code}" for code in y])


def _file(name: str, target: str) -> Callable[[Path], pd.DataFrame]:
    def read(place: Path) -> pd.DataFrame:
        path = place / name
        frame = pd.read_csv(path) if name.endswith("csv") else pd.read_parquet(path)
        return frame.rename(columns={target: "target"})

    return read


def _held(name: str) -> Callable[[Path], pd.DataFrame]:
    def read(place: Path) -> pd.DataFrame:
        return pd.read_parquet(place / "named" / f"{name}.parquet").sample(frac=0.7, random_state=0, ignore_index=True)

    return read


def _sklearn(load: Callable[..., Any]) -> Callable[[Path], pd.DataFrame]:
    def read(place: Path) -> pd.DataFrame:
        data = load(as_frame=True)
        return data.data.assign(target=np.array([str(name) for name in data.target_names])[data.target])

    return read


#: Tables that held_back.py makes.
HELD: dict[str, Callable[[Path], pd.DataFrame]] = {
    "droppings": _held("scat"),
    "credit scoring": _held("credit_scoring"),
    "census income": _held("adult"),
    "speech": _held("speech"),
    "churn": _held("churn"),
    "diamonds": _held("diamonds"),
}

TABLES: dict[str, Callable[[Path], pd.DataFrame]] = {
    "demo": _sklearn(load_breast_cancer),
    "wine": _sklearn(load_wine),
    "expression 50 × 7,000, 2": lambda _: expression(50, 7000, 2),
    "expression 119 × 5,748, 4": lambda _: expression(119, 5748, 4),
    "expression 60 × 3,000, 3": lambda _: expression(60, 3000, 3),
    "prostate": _file("prostate.parquet", "class"),
    "credit": _file("credit-approval.csv", "class"),
    "ames": _file("ames.csv", "Sale_Price"),
    "bank": _file("bank-marketing.csv", "Class"),
    "wine_quality": _file("suite/wine_quality_red.parquet", "target"),
    "german": _file("suite/german.parquet", "target"),
    **HELD,
    "million classes": lambda _: mixed(1_000_000, classes=True),
    "million numbers": lambda _: mixed(1_000_000, classes=False),
}


def ours(frame: pd.DataFrame, jobs: int) -> tuple[dict[str, Any], list[tuple[np.ndarray, np.ndarray]]]:
    """What the study found, and the rows of its outer folds in the frame."""
    with tempfile.TemporaryDirectory() as place:
        study = tamis.Study(frame, target="target", folder=Path(place) / "s", n_jobs=jobs).run()
        problem = study.problem
        from tamis.study.fold import outer_folds

        folds = outer_folds(problem, problem.plan.folds, problem.plan.repeats, 0)
        pairs = [(problem.rows[fold.train], problem.rows[fold.test]) for fold in folds]
        return {**study.results_["answer"], "inner": problem.plan.inner, "picked": study.results_["comparison"]}, pairs


def rival(frame: pd.DataFrame, pairs: Any, classes: int, metric: str, inner: int, jobs: int) -> tuple[float, list[str]]:
    """The nested score of the best of three by inner folds, and which was taken in each fold."""
    X, y = frame.drop(columns="target"), frame["target"].to_numpy()
    models = procedures(classes, inner, jobs)
    scores, taken = [], []
    for train, test in pairs:
        loss: dict[str, float] = {}
        for name, model in models.items():
            cut = (StratifiedKFold if classes else KFold)(inner, shuffle=True, random_state=0)
            losses = [_loss(model, X, y, train[a], train[b], classes) for a, b in cut.split(train, y[train])]
            loss[name] = np.mean(losses)
        best = min(loss, key=lambda name: loss[name])
        fitted = clone(models[best]).fit(X.iloc[train], y[train])
        taken.append(best)
        scores.append(_score(fitted, X.iloc[test], y[test], metric))
    return float(np.mean(scores)), taken


def procedures(classes: int, inner: int, jobs: int) -> dict[str, Any]:
    """A lasso, a pruned tree and a forest on sifted columns, each with what it needs before it."""
    words = make_column_selector(dtype_include=["object", "category", "bool", "string"])
    plain = make_column_selector(dtype_exclude=["object", "category", "bool", "string"])
    coded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words),
        (make_pipeline(SimpleImputer(), StandardScaler()), plain),
    )
    if classes:
        line: Any = LogisticRegressionCV(
            Cs=STRENGTHS,
            cv=inner,
            penalty="l1",
            solver="liblinear" if classes == 2 else "saga",  # each the fastest of its kind
            max_iter=200,
            n_jobs=jobs,
            scoring="neg_log_loss",
        )
        tree: Any = DecisionTreeClassifier(random_state=0)
        forest: Any = RandomForestClassifier(200, random_state=0, n_jobs=jobs)
    else:
        line = LassoCV(cv=inner, n_jobs=jobs)
        tree = DecisionTreeRegressor(random_state=0)
        forest = RandomForestRegressor(200, random_state=0, n_jobs=jobs, max_features=1 / 3)
    pruned = GridSearchCV(tree, {"ccp_alpha": np.append(0, np.logspace(-4, -1, 12))}, cv=inner, n_jobs=jobs)
    sifted = make_pipeline(SelectFromModel(clone(forest)), forest)
    return {
        name: make_pipeline(coded, model) for name, model in (("lasso", line), ("tree", pruned), ("forest", sifted))
    }


def _loss(model: Any, X: Any, y: np.ndarray, train: np.ndarray, test: np.ndarray, classes: int) -> float:
    fitted = clone(model).fit(X.iloc[train], y[train])
    if not classes:
        return float(np.mean((fitted.predict(X.iloc[test]) - y[test]) ** 2))
    shares = fitted.predict_proba(X.iloc[test])
    return float(((shares - (y[test][:, None] == fitted.classes_)) ** 2).sum(axis=1).mean())


def _score(fitted: Any, X: Any, y: np.ndarray, metric: str) -> float:
    if metric == "r2":
        return float(r2_score(y, fitted.predict(X)))
    if metric == "roc_auc" and len(fitted.classes_) == 2:
        return float(roc_auc_score(y == fitted.classes_[1], fitted.predict_proba(X)[:, 1]))
    return float(accuracy_score(y, fitted.predict(X)))


def timed(function: Callable[[], Any]) -> tuple[Any, float, float]:
    """What a function returns, its seconds, and those of the processor."""
    wall, cpu = time.perf_counter(), time.process_time()
    found = function()
    return found, time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", help=", ".join(TABLES))
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--alone", action="store_true", help="without the rival")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--held", type=Path, default=Path("held"), help="where held_back.py put its tables")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(
        "| table | rows × columns | Tamis s (processor s) | forests | score | rival s (processor s) | score | ratio | |"
    )
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in TABLES if options.all else options.tables or ["demo", "wine"]:
        frame = TABLES[name](options.held if name in HELD else Path(options.data))
        numbers = pd.api.types.is_float_dtype(frame["target"]) or name == "ames"
        classes = 0 if numbers else frame["target"].nunique()
        if len(frame) < 50_000:
            ours(frame.iloc[: max(200, len(frame) // 4)] if len(frame) > 1_000 else frame, options.jobs)  # kernels
        (found, pairs), wall, cpu = timed(lambda frame=frame: ours(frame, options.jobs))
        line = f"| {name} | {len(frame):,} × {frame.shape[1] - 1:,} | {wall:.1f} ({cpu:.1f}) | "
        told = f"{found['metric']} {found['score']:.3f} ({found['procedure']})"
        line += f"{_in_forests(frame, pairs, classes, cpu, options.jobs)} | {told} |"
        if options.alone:
            peak = getrusage(RUSAGE_SELF).ru_maxrss / 1e6  # kilobytes; of all tables so far
            print(f"{line} {peak:.1f} GB at most so far |", flush=True)
            continue
        with parallel_config(backend="threading"):
            (score, taken), slow, used = timed(
                lambda frame=frame, pairs=pairs, found=found, classes=classes: rival(
                    frame, pairs, classes, found["metric"], found["inner"], options.jobs
                )
            )
        common = max(set(taken), key=taken.count)
        print(
            f"{line} {slow:.1f} ({used:.1f}) | {score:.3f} ({common}) | {slow / wall:.1f}× | {used / cpu:.1f}× |",
            flush=True,
        )


def _in_forests(frame: pd.DataFrame, pairs: Any, classes: int, cpu: float, jobs: int) -> str:
    """Processor seconds in scikit-learn forests of 500 trees on the rows that the study learns from.

    Both on as many threads: two at once may slow each other down (here, by 40%).
    """
    rows = np.unique(np.concatenate([test for _, test in pairs]))
    if len(rows) > 50_000:
        return ""
    coded = procedures(classes, 2, 1)["lasso"][0]
    X, y = coded.fit_transform(frame.drop(columns="target").iloc[rows]), frame["target"].to_numpy()[rows]
    forest = RandomForestClassifier(500, n_jobs=jobs) if classes else RandomForestRegressor(500, n_jobs=jobs)
    _, _, one = timed(lambda: forest.fit(X, y))
    return f"{cpu / one:.1f}"


if __name__ == "__main__":
    main()
