"""What holds for all projections: only rows of `fit` are learned from, each row is projected alone, names are kept."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

import tamis
from tamis import PCA, LinearClassifier, LinearRegressor, Table
from tamis.project import MDS, SVD, FactorAnalysis, KernelPCA, ProjectionPursuit
from tamis.study.procedures.models.fitted import FittedProcedure

IRIS = load_iris(as_frame=True)
ALL = [
    PCA(2),
    PCA("gap"),
    PCA(2, trim=0.1),
    PCA("cv", cv=3),
    SVD(2),
    KernelPCA(2, gamma=0.02),
    MDS(2),
    MDS(2, kind="metric"),
    FactorAnalysis(2),
    ProjectionPursuit(2),
    ProjectionPursuit(2, kind="untargeted"),
    ProjectionPursuit(1, select=3),
]


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) @ rng.normal(size=(3, 6)) + 0.3 * rng.normal(size=(n, 6))
    return pd.DataFrame(X, columns=list("fbdace")), X[:, 0] + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_only_rows_of_fit_are_learned_from(model):
    """A score would depend on the rows it is judged on."""
    frame, y = table()
    other = frame.copy()
    other.iloc[40:] = 1e3 * np.random.default_rng(5).normal(size=(20, 6))
    a = clone(model).fit(Table.of(frame).take(np.arange(40)), y[:40])
    b = clone(model).fit(Table.of(other).take(np.arange(40)), y[:40])
    assert json.dumps(a.to_dict()) == json.dumps(b.to_dict())
    before = json.dumps(a.to_dict())
    a.transform(other)
    assert json.dumps(a.to_dict()) == before


def test_levels_of_other_rows_are_unknown():
    """A level that only held-out rows have would be a column of zeros in fit."""
    frame = pd.DataFrame({"a": np.arange(8.0), "b": list("xyxyxyzz")})
    found = PCA(1, categories="indicators").fit(Table.of(frame).take(np.arange(6)))
    assert found.encoding_.columns == ("a", "b=x", "b=y")


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_rows_are_projected_one_by_one(model):
    """The scores of a row would depend on the rows beside it."""
    frame, y = table()
    fitted = clone(model).fit(frame, y)
    new, _ = table(9, seed=3)
    together = fitted.transform(new)
    alone = np.vstack([fitted.transform(new.iloc[[i]]) for i in range(9)])
    np.testing.assert_allclose(together, alone, atol=1e-6)


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_any_kind_of_table(model):
    """The same numbers in another kind of table would give other scores."""
    frame, y = table()
    expected = clone(model).fit(frame, y).transform(frame)
    np.testing.assert_allclose(clone(model).fit(frame.to_numpy(), y).transform(frame.to_numpy()), expected, atol=1e-7)
    polars = pl.from_pandas(frame)
    np.testing.assert_allclose(clone(model).fit(polars, y).transform(polars), expected, atol=1e-7)
    out = clone(model).set_output(transform="pandas").fit(frame, y).transform(frame)
    np.testing.assert_allclose(out.to_numpy(), expected, atol=1e-7)
    assert list(out.columns) == list(clone(model).fit(frame, y).get_feature_names_out())


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_in_a_pipeline_under_nested_evaluation(model):
    """A projection could not stand in a procedure."""
    frame, y = table(90)
    pipeline = make_pipeline(clone(model), LinearRegressor("ridge", alpha=0.01))
    assert tamis.nested_score(pipeline, frame, y, outer=3).mean > 0.2


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_parameters_are_not_rewritten(model):
    """`fit` would change what the user set."""
    frame, y = table()
    fitted = clone(model).fit(frame, y)
    assert fitted.get_params() == model.get_params()
    saved = json.loads(json.dumps(fitted.to_dict()))
    back = type(model).from_dict(saved)
    assert back.get_params() == model.get_params()
    np.testing.assert_array_equal(back.transform(frame), fitted.transform(frame))


@pytest.mark.parametrize(
    "model", [PCA(2), SVD(2), KernelPCA(2), MDS(2), FactorAnalysis(1), ProjectionPursuit(1, select=2)], ids=repr
)
def test_a_procedure_with_a_projection_is_saved_as_plain_values(model):
    """A study would keep only the recipe of such a procedure, and could not predict from its folder."""
    fitted = make_pipeline(model, LinearClassifier("ridge", alpha=0.01)).fit(IRIS.data, IRIS.target)
    kept = FittedProcedure("projected", fitted, tuple(IRIS.data.columns))
    assert kept.is_kept
    back = FittedProcedure.from_dict(kept.to_dict(), tuple(IRIS.data.columns))
    np.testing.assert_array_equal(back.model.predict(IRIS.data), fitted.predict(IRIS.data))


def test_a_study_with_components(tmp_path):
    """The main job could not run on components, or its saved model would predict otherwise."""
    frame = IRIS.data.assign(kind=IRIS.target_names[IRIS.target])
    procedures = {"components": make_pipeline(PCA(2), LinearClassifier("ridge", alpha=0.01))}
    study = tamis.Study(frame, target="kind", folder=tmp_path / "study", procedures=procedures).run()
    again = tamis.load(tmp_path / "study")
    assert again.model_.predict(frame).tolist() == study.model_.predict(frame).tolist()
    assert (np.asarray(study.model_.predict(frame)) == frame["kind"]).mean() > 0.9
