"""What a model is made of, as plain values: its type and parameters, those of its parts included."""

from __future__ import annotations

import re
from math import isfinite
from typing import Any

from tamis.errors import StudyError


class Written:
    """A procedure of which only the recipe is known: a study that was loaded can say what it was, but not fit it."""

    def __init__(self, recipe: Any) -> None:
        self.recipe = recipe

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The recipe."""
        return {"recipe": self.recipe}

    def fit(self, X: Any, y: Any) -> Written:
        """There is nothing to fit."""
        raise StudyError("only the recipe of this procedure is known; give it again: tamis.load(folder, procedures=…)")

    predict = fit


_PLACE = re.compile(r" at 0x[0-9a-f]+")  # where an object lies in memory says nothing about it


def recipe(value: Any) -> Any:
    """Plain values that tell one model, or one parameter of it, from another.

    >>> from sklearn.linear_model import Ridge
    >>> recipe(Ridge(alpha=2.0))["parameters"]["alpha"]
    2.0
    """
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and isfinite(value)):
        return value
    if isinstance(value, Written):
        return value.recipe
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if hasattr(value, "get_params"):
        own = value.get_params(deep=False)
        return {"type": recipe(type(value)), "parameters": {name: recipe(own[name]) for name in sorted(own)}}
    if isinstance(value, (list, tuple)):
        return [recipe(part) for part in value]
    if isinstance(value, dict):
        return {str(key): recipe(part) for key, part in value.items()}
    if callable(value):
        from tamis.metrics import fingerprint

        return fingerprint(value)
    return _PLACE.sub("", repr(value))
