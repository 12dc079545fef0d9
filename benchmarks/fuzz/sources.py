"""Hostile tables through every door: frames, arrays, files of all formats; read, ranked, fitted, studied."""

from __future__ import annotations

import io
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from fuzz import tables
from fuzz.endings import Finding, good_ending
from sklearn.pipeline import make_pipeline

import tamis
from tamis import additive, boosting, forest, linear, project, score, search, transform, tree

#: Processor seconds of a case.
LIMIT = 120

CLASSIFIERS = [
    lambda: tree.TreeClassifier(),
    lambda: tree.TreeClassifier(search="optimal", max_depth=2),
    lambda: tree.TreeClassifier(splits="oblique", max_depth=2),
    lambda: tree.TreeClassifier(prune="cv", cv=2),
    lambda: forest.ForestClassifier(5),
    lambda: forest.ForestClassifier(10, tune=True, calibration="temperature"),
    lambda: boosting.BoostingClassifier(5),
    lambda: linear.LinearClassifier(cv=2),
    lambda: linear.LinearClassifier("ridge", cv=2),
    lambda: linear.LinearClassifier("ridge", loss="hinge", cv=2),
    lambda: linear.LinearClassifier(loss="hinge", alpha=0.1),
    lambda: linear.LinearClassifier("elastic-net", loss="squared_hinge", cv=2),
    lambda: linear.LinearClassifier("subset", k=2, cv=2),
    lambda: linear.ScoreCard(),
    lambda: additive.AdditiveClassifier(),
    lambda: additive.AdditiveClassifier(max_columns=2, max_pairs=1),
    lambda: search.MirrorSelector(forest.ForestClassifier(10)),
    lambda: score.RankSelector("mutual_information", k=1),
    lambda: make_pipeline(transform.Text(), linear.LinearClassifier("ridge", cv=2)),
    lambda: make_pipeline(transform.KernelFeatures(5), linear.LinearClassifier("ridge", cv=2)),
]
REGRESSORS = [
    lambda: tree.TreeRegressor(),
    lambda: tree.TreeRegressor(leaf="linear", max_depth=3),
    lambda: tree.TreeRegressor(criterion="poisson"),
    lambda: forest.ForestRegressor(5),
    lambda: boosting.BoostingRegressor(5),
    lambda: linear.LinearRegressor(cv=2),
    lambda: linear.LinearRegressor("bridge", cv=2),
    lambda: linear.LinearRegressor("elastic-net", l1_ratio="cv", cv=2),
    lambda: linear.LinearRegressor("ridge", alpha="bayes", n_draws=50),
    lambda: linear.LinearRegressor(loss="poisson", cv=2),
    lambda: linear.LinearRegressor(relax="cv", cv=2),
    lambda: linear.LinearRegressor("ridge", alpha="loo"),
    lambda: linear.LinearRegressor("ridge", cv=2),
    lambda: linear.LinearRegressor("subset", k=2, cv=2),
    lambda: linear.LinearRegressor(loss="huber", cv=2),
    lambda: linear.ScoreCardRegressor(),
    lambda: additive.AdditiveRegressor(),
    lambda: additive.AdditiveRegressor(max_columns=2, max_pairs=1),
    lambda: tree.TreeRegressor(search="optimal", max_depth=2),
    lambda: tree.TreeRegressor(splits="oblique", max_depth=2),
    lambda: search.KnockoffSelector(),
    lambda: search.MirrorSelector(forest.ForestRegressor(10)),
    lambda: search.ShadowSelector(max_rounds=2),
    lambda: search.StabilitySelector(linear.LinearRegressor(), n_resamples=4),
    lambda: search.SubsetSelector(linear.LinearRegressor(None), cv=2),
    lambda: score.RankSelector("pearson", k=1),
]
OF_SEVERAL = [
    lambda: tree.TreeRegressor(max_depth=3),
    lambda: forest.ForestRegressor(5),
    lambda: linear.LinearRegressor(cv=2),
    lambda: linear.LinearRegressor("ridge", cv=2),
    lambda: linear.LinearRegressor(None),
]
TRANSFORMS = [
    *(
        transform.Text,
        lambda: transform.Text(unit="characters", max_terms=5),
        transform.KernelFeatures,
        transform.Center,
    ),
    *(
        lambda: transform.KernelFeatures(3, landmarks="kmeans"),
        transform.Wavelet,
        transform.Fourier,
        transform.Baseline,
    ),
    *(transform.Denoise, transform.Sharpen, transform.Trim, transform.Sigmoid, lambda: transform.Clip(1.0)),
    *(transform.ScatterCorrection, transform.Symmetrize, lambda: transform.Convolve([1.0, 2.0, 1.0])),
    *(transform.Standardize, transform.UnitRange, transform.Rank, transform.Discretize, transform.Shares),
    *(transform.Normalize, transform.Monomials, transform.Ratios, transform.Derivative, lambda: project.PCA(1)),
    *(lambda: project.SVD(1), lambda: project.KernelPCA(1), lambda: project.MDS(1), lambda: project.FactorAnalysis(1)),
    *(lambda: project.ProjectionPursuit(1), transform.Impute, transform.Encode, transform.Log, transform.Smooth),
]
PROCEDURES = [
    *("stump", "tree", "lasso", "ridge", "score-card", "optimal-tree", "small-tree", "formula", "panel", "additive"),
    *("subset", "rank", "forward", "log-lasso", "elastic-net", "svm", "model-tree", "forest", "booster", "knn"),
]
CRITERIA = ["mutual_information", "pearson", "gini", "relief", "stump", "anova", "gain_ratio", "symmetric_uncertainty"]


class Fuzzer:
    """One table a case."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def case(self, rng: np.random.Generator) -> str:
        """Make a table, give it in some way, ask for something."""
        asked = [self._read, self._rank, self._fit, self._several, self._transform, self._study]
        wanted = asked[int(rng.choice(6, p=[0.3, 0.15, 0.3, 0.05, 0.1, 0.1]))]
        made = tables.frame(rng, int(rng.choice([40, 110, 130])) if wanted == self._study else None)
        goal = _goal(rng, made)
        if goal is not None:
            made = made.assign(**{goal: pd.Series(tables.target(rng, len(made)), index=made.index)})
        source, way = self._source(rng, made)
        if source is None:
            return f"{way}: not made"
        with good_ending() as said:
            wanted(rng, source, made, goal)
        return f"{way} {wanted.__name__}: {'refused' if said else 'answered'}"

    def _source(self, rng: np.random.Generator, made: pd.DataFrame) -> tuple[Any, str]:
        """The table as a frame, a mapping, an Arrow table or a file; None where its writer refuses it."""
        ways = [
            "frame",
            "frame",
            "arrow",
            "dict",
            "array",
            "csv",
            "csv",
            "parquet",
            "feather",
            "xlsx",
            "jsonl",
            "sqlite",
        ]
        way = str(rng.choice(ways))
        if way == "frame":
            return made, way
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        file = self.folder / f"table.{way}"
        try:
            if way == "dict":
                return {name: list(made.iloc[:, j]) for j, name in enumerate(made.columns)}, way
            if way == "array":
                return made.to_numpy(), way
            if way == "csv":
                return _csv(rng, made, file), way
            table = pa.Table.from_pandas(made) if way in ("arrow", "parquet", "feather") else None
            if way == "arrow":
                return table, way
            if way == "parquet":
                import pyarrow.parquet as pq

                pq.write_table(table, file)
            elif way == "feather":
                import pyarrow.feather as pf

                pf.write_feather(table, str(file))
            elif way == "xlsx":
                made.to_excel(file, index=False)
            elif way == "jsonl":
                made.to_json(file, orient="records", lines=True)
            else:
                with sqlite3.connect(file) as base:
                    made.to_sql("t", base, index=False)
                return f"sqlite:///{file}", way
        except Exception:  # the writer refuses the table: not ours
            return None, way
        return file, way

    def _read(self, rng: np.random.Generator, source: Any, made: pd.DataFrame, goal: str | None) -> None:
        table = tamis.read(source, target=goal, query="t" if isinstance(source, str) else None)
        if table.n_rows != len(made) and not isinstance(source, Path):
            raise Finding(f"{table.n_rows} rows of {len(made)}")
        table.decisions, table.digest() if hasattr(table, "digest") else None

    def _rank(self, rng: np.random.Generator, source: Any, made: pd.DataFrame, goal: str | None) -> None:
        by = str(rng.choice(CRITERIA))
        query = "t" if isinstance(source, str) else None
        found = score.rank(source, goal or "target", by=by, n_permutations=int(rng.choice([0, 9])), query=query)
        found.to_text(), found.to_json()

    def _fit(self, rng: np.random.Generator, source: Any, made: pd.DataFrame, goal: str | None) -> None:
        X = made if goal is None else made.drop(columns=goal)
        y = tables.target(rng, len(made)) if goal is None else made[goal]
        weights = None if rng.random() < 0.8 else rng.choice([0, 1, 1e-200, 1e200, -1, np.nan], len(made))
        matched = REGRESSORS if pd.Series(y).dtype.kind in "fiu" else CLASSIFIERS
        listed = matched if rng.random() < 0.8 else [*REGRESSORS, *CLASSIFIERS]
        model = listed[int(rng.integers(len(listed)))]()
        given = {} if weights is None or not _takes_weights(model) else {"sample_weight": weights}
        model.fit(X, y, **given)
        if hasattr(model, "predict"):
            answers = np.asarray(model.predict(X))
            if len(answers) != len(made):
                raise Finding(f"{len(answers)} answers of {len(made)} rows")
            if answers.dtype.kind == "f" and np.isnan(answers).any():
                raise Finding(f"{model!r} predicts NaN")

    def _several(self, rng: np.random.Generator, source: Any, made: pd.DataFrame, goal: str | None) -> None:
        """Several targets: mostly numbers of any size, seldom a column of any kind among them."""
        n, scales = len(made), 10.0 ** rng.choice([-300, -8, 0, 0, 8, 150], 3)
        y = pd.DataFrame(rng.normal(size=(n, 3)) * scales)
        if rng.random() < 0.3:
            y[1] = pd.Series(tables.column(rng, n))
        model = OF_SEVERAL[int(rng.integers(len(OF_SEVERAL)))]()
        answers = np.asarray(model.fit(made, y if rng.random() < 0.5 else y.to_numpy()).predict(made))
        if answers.shape != (n, 3) or not np.isfinite(answers).all():
            raise Finding(f"{model!r} answers {answers.shape} of {n} rows, or NaN")

    def _transform(self, rng: np.random.Generator, source: Any, made: pd.DataFrame, goal: str | None) -> None:
        step = TRANSFORMS[int(rng.integers(len(TRANSFORMS)))]()
        found = step.fit(made, None if goal is None else made[goal]).transform(made)
        if found.shape[0] != len(made):  # sparse counts of texts have no length
            raise Finding(f"{type(step).__name__}: {found.shape[0]} rows of {len(made)}")

    def _study(self, rng: np.random.Generator, source: Any, made: pd.DataFrame, goal: str | None) -> None:
        place = self.folder / "study"
        shutil.rmtree(place, ignore_errors=True)
        quick: dict[str, Any] = {"folds": 2, "inner": 2, "repeats": 1, "black_box": False, "n_jobs": 1}
        procedures = [str(rng.choice(PROCEDURES))]
        task = None if rng.random() < 0.8 else str(rng.choice(["classification", "regression", "count", "ordinal"]))
        query = "t" if isinstance(source, str) else None
        asked = quick | {"target": goal or "target", "procedures": procedures, "task": task, "query": query}
        study = tamis.Study(source, folder=place, **asked)
        study.run()
        study.predictions_csv(source, query=query)
        study.cite()
        tamis.load(place).open(None if isinstance(source, (str, Path)) else source)


def _takes_weights(model: Any) -> bool:
    import inspect

    return "sample_weight" in inspect.signature(model.fit).parameters


def _goal(rng: np.random.Generator, made: pd.DataFrame) -> str | None:
    """The name of a target to add, seldom that of a column that is there; None for none."""
    if rng.random() < 0.1:
        return None
    name = str(rng.choice(["y", "target", "class", "two\nlines", "é", "0"]))
    return None if name in made.columns else name


def _csv(rng: np.random.Generator, made: pd.DataFrame, file: Path) -> Path:
    """A text file of some delimiter, encoding and line ends, some of its bytes strange."""
    text = io.StringIO(newline="")
    sep = str(rng.choice([",", ";", "\t", "|"]))
    made.to_csv(text, index=rng.random() < 0.2, sep=sep, decimal=str(rng.choice([".", ","])) if sep != "," else ".")
    content = text.getvalue()
    if rng.random() < 0.3:
        content = content.replace("\n", str(rng.choice(["\r\n", "\r", "\n\n", "\r\r\n"])))
    if rng.random() < 0.1:
        lines = content.split("\n")
        content = "\n".join(line + (sep if k % 3 == 0 else "\r") for k, line in enumerate(lines))
    encoding = str(
        rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "shift-jis"])
    )
    data = content.encode(encoding, "replace")
    if rng.random() < 0.1:
        data = data[: len(data) // 2]
    if rng.random() < 0.1:
        data = data + bytes(rng.integers(0, 256, 5).tolist())
    file.write_bytes(data)
    return file
