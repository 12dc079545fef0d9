"""Additive models: a sum of curves, one per column, and of few maps of two columns, fitted by cyclic boosting on bins.

Read `estimator` and `base` (what users see), `data` (bins, rows, bags), `layout` (arrays of the core), `fit` (from the
core's heights to terms), `term` (curves and maps), `steps` (fewest steps), then `figure`, `to_table` and `save`.
"""

from importlib import import_module
from typing import Any

_HOME = {"AdditiveClassifier": "estimator", "AdditiveRegressor": "estimator", "Curve": "term", "PairMap": "term"}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"tamis.additive.{_HOME[name]}"), name)
    raise AttributeError(f"module 'tamis.additive' has no attribute {name!r}")
