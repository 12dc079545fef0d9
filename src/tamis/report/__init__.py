"""Results as people read them: facts, one offline page, charts, and words on the screen.

Read `facts` (results to a dict), `page` (the dict to one HTML file, by `template/`), `charts`, `predictions` and
`table` (its parts), `sentence`, `show` and `short_names` (words, numbers, names), `reproduce`; `screen` is the
terminal, `boundary` a picture of any classifier.
"""

from typing import TYPE_CHECKING, Any

from tamis.report.facts import facts
from tamis.report.page import page
from tamis.report.screen import progress_bar, say_answer, say_columns

if TYPE_CHECKING:
    from tamis.report.boundary import boundary

__all__ = ["boundary", "facts", "page", "progress_bar", "say_answer", "say_columns"]


def __getattr__(name: str) -> Any:
    """`boundary` when it is asked for: it needs scikit-learn, which would make the command line slow to start."""
    if name != "boundary":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tamis.report.boundary import boundary

    globals()[name] = boundary  # the import put the module of that name here
    return boundary
