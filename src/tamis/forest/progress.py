"""A bar on the terminal while trees grow, when it takes long; silent where nobody watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import TaskID

PATIENCE = 2.0  # seconds before the bar appears on its own


@contextmanager
def shown_progress(total: int, progress: bool | None) -> Iterator[Callable[[int], None] | None]:
    """A function that is told how many trees are done, now and then; None where nobody watches.

    At the end, whatever it is, the bar is taken down.

    progress : None shows the bar after PATIENCE seconds, True at once, False never.
    """
    if progress is False or (progress is None and not sys.stderr.isatty()):
        yield None
        return
    bar = _Bar(total, 0.0 if progress else PATIENCE)
    try:
        yield bar.show
    finally:
        bar.end()


class _Bar:
    """The bar, drawn from the first call on after so many seconds."""

    def __init__(self, total: int, patience: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("trees"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._begin, self._patience, self._total = time.monotonic(), patience, total
        self._task: TaskID | None = None

    def show(self, done: int) -> None:
        if self._task is None and time.monotonic() - self._begin >= self._patience:
            self._bar.start()
            self._task = self._bar.add_task("trees", total=self._total)
        if self._task is not None:
            self._bar.update(self._task, completed=done)

    def end(self) -> None:
        if self._task is not None:
            self._bar.refresh()
            self._bar.stop()
