"""Results as people read them: facts, one offline page, charts, and words on the screen.

Read `facts` (results to a dict), `page` (the dict to one HTML file, by `template/`), `charts`, `predictions` and
`table` (its parts), `parts` (of sentences), `show` and `short_names` (words, numbers, names), `reproduce`; `screen` is
the terminal, `boundary` a picture of any classifier, `heat_map` one of a table.
"""

from typing import TYPE_CHECKING, Any

from tamis.report.facts import facts
from tamis.report.page import page
from tamis.report.screen import progress_bar, say_answer, say_columns, say_reading

if TYPE_CHECKING:
    from tamis.report.boundary import boundary
    from tamis.report.heat_map import heatmap

__all__ = ["boundary", "facts", "heatmap", "page", "progress_bar", "say_answer", "say_columns", "say_reading"]


def __getattr__(name: str) -> Any:
    """Pictures when they are asked for: they need scikit-learn, which would make the command line slow to start."""
    home = {"boundary": "boundary", "heatmap": "heat_map"}.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    drawn = getattr(import_module(f"tamis.report.{home}"), name)
    globals()[name] = drawn  # the import put the module of that name here
    return drawn
