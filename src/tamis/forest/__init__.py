"""Forests: many trees that are honest by themselves, out-of-bag error, importances.

Read `estimator` and `base` (what users see), `layout` (the arrays of the core), then `data/`, `growing`, `predict/`,
`importance/`; `save`, `packed` and `damaged` are forests in files, `lazy/` those of tables larger than memory.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {"ForestClassifier": "estimator", "ForestRegressor": "estimator"}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"tamis.forest.{_HOME[name]}"), name)
    raise AttributeError(f"module 'tamis.forest' has no attribute {name!r}")
