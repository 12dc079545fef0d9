"""The formats that a model can be exported to, one file each: its name is what `--to` takes, `FORMAT` what it does.

A file that is added here is found by its name; nothing else changes.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from tamis.study.export.format import Format


@cache
def formats() -> dict[str, Format]:
    """Every format by its name."""
    return {each.name: import_module(f"{__name__}.{each.name}").FORMAT for each in iter_modules(__path__)}
