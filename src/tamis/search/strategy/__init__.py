"""How sets are proposed: one file a strategy, found by its name ("best-first" is best_first.BestFirst).

A strategy has a method `run(trials)`, which asks `trials` for the scores of sets until it has enough, and returns
nothing: what is chosen comes from the history that `trials` keeps. It may be stopped at any question.
"""

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Protocol

from tamis.check import one_of
from tamis.errors import KindError
from tamis.search.trials import Trials


class Strategy(Protocol):
    """What proposes sets."""

    def run(self, trials: Trials) -> None:
        """Value sets until done."""


@lru_cache(maxsize=1)
def strategy_names() -> list[str]:
    """The words that `search` takes."""
    return sorted(module.name.replace("_", "-") for module in iter_modules(__path__))


def strategy_of(search: Any) -> Strategy:
    """The strategy that a word stands for, or the object itself.

    >>> strategy_of("best-first")
    BestFirst(patience=5)
    """
    if hasattr(search, "run"):
        return search
    if not isinstance(search, str):
        raise KindError(
            f"search={search!r} is neither a word nor an object with a method run(trials); give {strategy_names()}"
        )
    word = one_of("search", search, strategy_names()).replace("-", "_")
    module = import_module(f"{__name__}.{word}")
    return getattr(module, word.title().replace("_", ""))()
