"""Facts of the report take records; the made-up results of these tests are plain values, which are read first."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from tamis.results.results import results_of


def of_plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, given plain results where it takes their record."""

    @wraps(function)
    def given(*arguments: Any, **more: Any) -> Any:
        return function(*(_record(argument) for argument in arguments), **more)

    return given


def _record(argument: Any) -> Any:
    return results_of(argument) if isinstance(argument, dict) and "settings" in argument else argument
