"""Evaluators, which score a set of columns: one file each, chosen by the estimator.

Every module here may have a function `of(task)` that returns an evaluator, or None when the task is not its kind, and a
number `RANK`: the lowest rank that answers is taken.
"""

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from tamis.search.evaluator.evaluator import Evaluator
from tamis.search.evaluator.task import SearchTask


def evaluator_of(task: SearchTask) -> Evaluator:
    """The fastest evaluator that gives the scores of refitting."""
    return next(evaluator for evaluator in (module.of(task) for module in _offers()) if evaluator is not None)


@lru_cache(maxsize=1)
def _offers() -> list[ModuleType]:
    """The modules that make offers, lowest rank first."""
    modules = [import_module(f"{__name__}.{module_info.name}") for module_info in iter_modules(__path__)]
    return sorted((m for m in modules if hasattr(m, "RANK")), key=lambda m: m.RANK)
