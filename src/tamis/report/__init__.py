"""Results as people read them: facts, one offline page, charts, and words on the screen.

Read `facts` (results to a dict), `page` (the dict to one HTML file, by `template/`), `charts`, `predictions` and
`table` (its parts), `sentence` and `show` (words and numbers), `reproduce`; `screen` is the terminal, `boundary`
a picture of any classifier.
"""

from tamis.report.boundary import boundary
from tamis.report.facts import facts
from tamis.report.page import page
from tamis.report.screen import progress_bar, say_answer, say_columns

__all__ = ["boundary", "facts", "page", "progress_bar", "say_answer", "say_columns"]
