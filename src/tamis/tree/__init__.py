"""Trees people can read: growing, categorical splits, surrogates, pruning, printing.

Read `estimator` (what users see) and `tree` (a grown tree), then `grow/`, `prune/`, `export/`;
`oblique`, `linear_leaves` and `mimic_tree` are other kinds of trees, `lazy` those of tables larger than memory.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "TreeClassifier": "estimator",
    "TreeRegressor": "estimator",
    "Tree": "tree",
    "from_pipeline": "pipeline",
    "mimic": "mimic_tree",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"tamis.tree.{_HOME[name]}"), name)
    raise AttributeError(f"module 'tamis.tree' has no attribute {name!r}")
