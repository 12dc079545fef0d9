"""The metrics, one file a kind of answer; each file holds `METRICS`, a tuple of `Metric`.

A file that is added here is found by its name; nothing else changes.
"""

from importlib import import_module
from pkgutil import iter_modules

from tamis.metrics.metric import Metric


def listed() -> dict[str, Metric]:
    """Every metric by its name."""
    modules = [import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__)]
    return {metric.name: metric for module in modules for metric in module.METRICS}
