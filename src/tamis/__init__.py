"""Tamis sifts a table to the columns that matter, fits models people can read, and says honestly how good they are.

Nothing heavy is imported until a name is used.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "Table": "tamis.table",
    "read": "tamis.table",
    "Lock": "tamis.lock",
    "RankSelector": "tamis.score",
    "SubsetSelector": "tamis.search",
    "StabilitySelector": "tamis.search",
    "KnockoffSelector": "tamis.search",
    "ShadowSelector": "tamis.search",
    "MirrorSelector": "tamis.search",
    "LinearRegressor": "tamis.linear",
    "LinearClassifier": "tamis.linear",
    "TreeClassifier": "tamis.tree",
    "TreeRegressor": "tamis.tree",
    "ForestClassifier": "tamis.forest",
    "ForestRegressor": "tamis.forest",
    "BoostingClassifier": "tamis.boosting",
    "BoostingRegressor": "tamis.boosting",
    "AdditiveClassifier": "tamis.additive",
    "AdditiveRegressor": "tamis.additive",
    "PCA": "tamis.project",
    "nested_score": "tamis.evaluate",
    "audit": "tamis.evaluate",
    "Study": "tamis.study",
    "compare": "tamis.study",
    "load": "tamis.study",
}
_STAGES = (
    "table",
    "views",
    "transform",
    "project",
    "score",
    "search",
    "linear",
    "tree",
    "forest",
    "boosting",
    "additive",
    "evaluate",
    "study",
    "report",
    "engine",
    "split",
    "errors",
)

__all__ = sorted([*_HOME, *_STAGES, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _STAGES:
        return import_module(f"tamis.{name}")
    if name == "_core":  # asked for by `from tamis import _core`, before Python looks for a file of that name
        return import_module("tamis.compiled").core()
    raise AttributeError(f"module 'tamis' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
