"""What a model is made of, as plain values: its type and parameters, those of its parts included."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from tamis.errors import StudyError
from tamis.fingerprint import CODE, digest_of, is_installed


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


def recipe(value: Any) -> Any:
    """Plain values that tell one model, or one parameter of it, from another; code of the user's by a digest of it.

    >>> from sklearn.linear_model import Ridge
    >>> recipe(Ridge(alpha=2.0))["parameters"]["alpha"]
    2.0
    """
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and isfinite(value)):
        return value
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return recipe(value.item())
    if isinstance(value, Written):
        return value.recipe
    if isinstance(value, type):
        return _class(value)
    if hasattr(value, "get_params"):
        params = value.get_params(deep=False)
        return {"type": recipe(type(value)), "parameters": {name: recipe(params[name]) for name in sorted(params)}}
    if isinstance(value, (list, tuple)):
        return [recipe(item) for item in value]
    if isinstance(value, dict):
        return {str(key): recipe(item) for key, item in value.items()}
    if callable(value):
        from tamis.metrics import fingerprint

        return fingerprint(value)
    return f"{_name(type(value))} {CODE}{digest_of(value)}"


def _class(kind: type) -> str:
    """A class by its name, and one that a user wrote by its code, too."""
    return _name(kind) if is_installed(kind.__module__) else f"{_name(kind)} {CODE}{digest_of(kind)}"


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
