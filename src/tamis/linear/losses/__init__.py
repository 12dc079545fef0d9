"""Losses of linear models: value, gradient, curvature and convex conjugate of each row's loss.

Read `loss` first (what a loss is), then one file a loss, found by its name ("squared_hinge" is
squared_hinge.SquaredHinge). The core has each of them again, row by row, in `_core/linear/losses`.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from tamis import _core
from tamis.linear.losses.loss import Loss

_NO_LOSSES = ("loss",)


@lru_cache(maxsize=2)
def loss_names(target: str) -> tuple[str, ...]:
    """The words that `loss` takes for a target of "numbers" or "classes".

    >>> loss_names("classes")
    ('cumulative_logit', 'hinge', 'logistic', 'squared_hinge')
    """
    found = sorted(one.name for one in iter_modules(__path__) if one.name not in _NO_LOSSES)
    return tuple(word for word in found if loss_named(word).target == target)


def loss_named(word: str) -> type[Loss]:
    """The class of a loss.

    >>> loss_named("squared_hinge").__name__
    'SquaredHinge'
    """
    found: type[Loss] = getattr(import_module(f"{__name__}.{word}"), word.title().replace("_", ""))
    return found


def known_likelihood(word: str) -> bool:
    """Whether a loss is minus a log likelihood (squared: with a noise of known deviation)."""
    return word in ("squared", "logistic", "cumulative_logit", "poisson")


def core_name(loss: Loss) -> str | None:
    """The name by which the core has a loss, or None where it has not."""
    name = type(loss).__module__.rpartition(".")[2]
    return name if name in _core.LOSSES else None
