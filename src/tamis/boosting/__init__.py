"""Gradient boosting: trees one after another, each of them a step down the loss.

Read `estimator` and `base` (what users see), `data` (the codes of the columns), `layout` (what the core takes), `fit`
(a run), then `_core/boosting.hpp` (rounds) and `_core/gradient_tree.hpp` (a tree); `save` holds models as plain values.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {"BoostingClassifier": "estimator", "BoostingRegressor": "estimator"}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"tamis.boosting.{_HOME[name]}"), name)
    raise AttributeError(f"module 'tamis.boosting' has no attribute {name!r}")
