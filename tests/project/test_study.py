"""Projections in a study, saved in its model.json."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

import tamis
from tamis import PCA, LinearClassifier
from tamis.project import MDS, SVD, FactorAnalysis, KernelPCA, ProjectionPursuit
from tamis.study.procedure.fitted import FittedProcedure

IRIS = load_iris(as_frame=True)


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
