"""Fewer columns: scores of rows along directions that hold variance, structure or a target.

Read base.py (what all share), then pca/ (components of any table), svd.py and solve.py, kernel_pca.py, mds.py,
factor_analysis.py, projection_pursuit.py; pictures.py draws them, table_map.py any table in the plane.
"""

from importlib import import_module
from typing import Any

from tamis.project.solve import solve  # hides its module: tamis.project.solve is the function

_HOME = {
    "PCA": "pca.estimator",
    "SVD": "svd",
    "KernelPCA": "kernel_pca",
    "MDS": "mds",
    "FactorAnalysis": "factor_analysis",
    "ProjectionPursuit": "projection_pursuit",
    "map": "table_map",
    "TableMap": "table_map",
    "spectrum_figure": "pictures",
    "scores_figure": "pictures",
    "loadings_figure": "pictures",
}

__all__ = ["solve", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"tamis.project.{_HOME[name]}"), name)
    raise AttributeError(f"module 'tamis.project' has no attribute {name!r}")
