"""Subset search and stability: the right set of columns, found fast, and how sure we are of it.

Read `subset` (what users see), `target`, `space`, `trials` and `history` (sets, and their scores), then `strategy/` ×
`evaluator/`; `stability` with `resampling/`, `shadow` and `mirror` choose by resamples, permuted copies and forests,
`knockoffs/` by copies made without the target; `comparison` compares selectors.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "SubsetSelector": "tamis.search.subset",
    "StabilitySelector": "tamis.search.stability",
    "ShadowSelector": "tamis.search.shadow",
    "MirrorSelector": "tamis.search.mirror",
    "KnockoffSelector": "tamis.search.knockoffs.selector",
    "compare": "tamis.search.comparison",
    "SelectorComparison": "tamis.search.comparison",
    "History": "tamis.search.history",
    "Trial": "tamis.search.history",
    "agreement": "tamis.search.resampling.resamples",
    "Forward": "tamis.search.strategy.forward",
    "Backward": "tamis.search.strategy.backward",
    "Floating": "tamis.search.strategy.floating",
    "Exhaustive": "tamis.search.strategy.exhaustive",
    "BranchAndBound": "tamis.search.strategy.branch_and_bound",
    "BestFirst": "tamis.search.strategy.best_first",
    "Random": "tamis.search.strategy.random",
    "Annealing": "tamis.search.strategy.annealing",
    "Genetic": "tamis.search.strategy.genetic",
    "HillClimbing": "tamis.search.strategy.hill_climbing",
    "Elimination": "tamis.search.strategy.elimination",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'tamis.search' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
