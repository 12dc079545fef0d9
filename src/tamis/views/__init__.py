"""Three views of a table, each computed once and read by everything after it.

Read `moments` (with `indicators`, the matrix it sums), `bins` (with `coding`, and `binned`, the codes as the core
reads them), `neighbours`.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "Bins": "bins",
    "FoldMoments": "moments",
    "Indicators": "indicators",
    "Moments": "moments",
    "Neighbours": "neighbours",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:  # lazily: a view is imported when it is asked for
        return getattr(import_module(f"tamis.views.{_HOME[name]}"), name)
    raise AttributeError(f"module 'tamis.views' has no attribute {name!r}")
