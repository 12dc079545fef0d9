"""Every projection keeps scikit-learn's contract, with no expected failure."""

import pytest
from tests.contract.checks import assert_every_check_passes

from tamis import PCA
from tamis.project import MDS, SVD, FactorAnalysis, KernelPCA, ProjectionPursuit

ESTIMATORS = [
    PCA(),
    PCA(1),
    PCA(0.5, floor=1e-9),
    PCA("gap", missing="refuse"),
    PCA("cv", cv=2),
    PCA(solver="gram"),
    PCA(solver="moments", categories="indicators"),
    PCA(1, solver="randomised"),
    PCA(trim=0.1, categories="keep"),
    SVD(),
    SVD(1),
    SVD(0.5),
    KernelPCA(),
    KernelPCA(1, kernel="poly"),
    MDS(),
    MDS(kind="metric"),
    MDS(1, metric="cityblock"),
    MDS(metric="precomputed"),
    FactorAnalysis(),
    FactorAnalysis(1, rotation="varimax"),
    ProjectionPursuit(),
    ProjectionPursuit(1, kind="untargeted"),
    ProjectionPursuit(1, kind="targeted"),
    ProjectionPursuit(1, select=1),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_scikit_learn_accepts_it(estimator):
    """Pipelines, grid searches and clones would break."""
    assert_every_check_passes(estimator)
