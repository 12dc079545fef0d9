"""A bar on the terminal while trees grow, when it takes long; silent where nobody watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterator, Sized
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T", bound=Sized)

PATIENCE = 2.0  # seconds before the bar appears on its own


@contextmanager
def watched(items: Generator[T], total: int, shown: bool | None) -> Iterator[Iterator[T]]:
    """The items as they come, each of several trees; at the end, whatever it is, the bar and the source are closed.

    shown : None shows the bar after PATIENCE seconds, True at once, False never.
    """
    silent = shown is False or (shown is None and not sys.stderr.isatty())
    shown_items = items if silent else _barred(items, total, 0.0 if shown else PATIENCE)
    try:
        yield shown_items
    finally:
        shown_items.close()
        items.close()


def _barred(items: Generator[T], total: int, patience: float) -> Generator[T]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("trees"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    began, task, done = time.monotonic(), None, 0
    try:
        for item in items:
            done += len(item)
            if task is None and time.monotonic() - began >= patience:
                bar.start()
                task = bar.add_task("trees", total=total)
            if task is not None:
                bar.update(task, completed=done)
            yield item
    finally:
        if task is not None:
            bar.stop()
