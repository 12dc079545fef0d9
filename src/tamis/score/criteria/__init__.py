"""One file a criterion: how good each column is (`interaction`: each pair), without a model.

Each holds the public function and the class behind it (see `tamis.score.criterion`), found by their name
("gain_ratio" is gain_ratio.GainRatio); read `pearson` or `gini` first. The compiled parts are in `_core/scores`.
"""

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from tamis import check
from tamis.score.criterion import Criterion


@lru_cache(maxsize=1)
def criterion_names() -> tuple[str, ...]:
    """The criteria that score single columns."""
    return tuple(sorted(module.name for module in iter_modules(__path__)))


def criterion_named(name: str) -> Criterion:
    """A criterion by its name, as it is by default.

    >>> type(criterion_named("gain_ratio")).__name__
    'GainRatio'
    """
    module = import_module(f"{__name__}.{check.one_of('by', name, criterion_names())}")
    criterion: Criterion = getattr(module, name.title().replace("_", ""))()
    return criterion
