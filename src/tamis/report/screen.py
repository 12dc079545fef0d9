"""Words on the terminal: progress with time left, decisions about columns, the answer."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis.report import show

if TYPE_CHECKING:
    from rich.console import Console

    from tamis.table import Decision

#: A table of columns longer than this is summarised; the report holds all of them.
MOST_LISTED = 60

#: Of a summarised table, the columns with something to say that are listed one by one.
MOST_SPECIAL = 25

Progress = Callable[[int, int, str], None]


@contextmanager
def progress_bar(*, enabled: bool = True, console: Console | None = None) -> Iterator[Progress]:
    """A bar on the standard error while tasks finish, with the time left; silent where nobody watches.

    Gives a callable progress(finished, total, name of the task).
    """
    if not enabled:
        yield _silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn
    from rich.progress import Progress as Bar

    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield _silent
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}", markup=False),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        yield _Watch(bar).see


def _silent(finished: int, total: int, name: str) -> None:
    return None


class _Watch:
    """Knows when the first task of this run was seen, and so how long the rest will take."""

    def __init__(self, bar: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self.bar, self.clock = bar, clock
        self.task = bar.add_task("starting", total=None, left="")
        self.began, self.kept = clock(), -1

    def see(self, finished: int, total: int, name: str) -> None:
        """Show that so many of so many tasks are finished; what an earlier run finished took this one no time."""
        if self.kept < 0:
            self.began, self.kept = self.clock(), finished
        shown = show.short(name, 32) or "working"
        self.bar.update(self.task, completed=finished, total=total, description=shown, left=self.left(finished, total))

    def left(self, finished: int, total: int) -> str:
        """The time left in words, once a task of this run has finished."""
        done = finished - self.kept
        if done <= 0 or finished >= total:
            return ""
        return f"about {show.duration((self.clock() - self.began) / done * (total - finished))} left"


def say_columns(decisions: Iterable[Decision], console: Console | None = None) -> None:
    """Print how every column was read, and why; of a wide table, only the columns with something to say."""
    listed = list(decisions)
    out = console or _console()
    if len(listed) <= MOST_LISTED:
        out.print(_grid("Columns", ("column", "kind", "used", "reason", "note"), [_row(d) for d in listed]))
        return
    kinds = Counter(d.kind for d in listed)
    used = Counter(d.kind for d in listed if d.used)
    rows = [(kind, f"{n:,}", f"{used[kind]:,}", f"{n - used[kind]:,}") for kind, n in kinds.most_common()]
    out.print(_grid(f"{len(listed):,} columns, by kind", ("kind", "columns", "used", "left out"), rows))
    special = sorted((d for d in listed if not d.used or d.note), key=lambda d: d.used)
    if special:
        rows_special = [_row(d) for d in special[:MOST_SPECIAL]]
        out.print(_grid("Columns with something to say", ("column", "kind", "used", "reason", "note"), rows_special))
    if len(special) > MOST_SPECIAL:
        out.print(_plain(f"… and {len(special) - MOST_SPECIAL:,} more; the report lists every column."))


def say_answer(results: dict[str, Any], folder: str | Path, console: Console | None = None) -> None:
    """Print the answer in words, what is locked, and where the report is."""
    from rich.panel import Panel

    out = console or _console()
    if results["partial"]:
        done = results["finished"]
        out.print(_plain(f"PARTIAL: {done['tasks']:,} of {done['of']:,} tasks finished; the same command resumes."))
    else:
        out.print(Panel(_plain(results["answer"]["words"]), title="Answer", title_align="left", padding=(1, 2)))
        out.print(_plain(_choice(results)))
    out.print(_plain(f"Lock: {results['lock']['reason']}."))
    # The path stands alone on its line and is never wrapped, so that it can be copied.
    out.print(_plain(f"Report: {Path(folder) / 'report.html'}"), soft_wrap=True)


def _choice(results: dict[str, Any]) -> str:
    compared = results["comparison"]
    promised, found = show.number(compared["promised"]), show.number(compared["score"])
    return f"Chosen procedure: {compared['chosen']} (promised {promised} inside the folds, found {found})."


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False)


def _plain(words: str) -> Any:
    """Text in which nothing is read as markup or as a command to the terminal."""
    from rich.text import Text

    return Text(show.text(words))


def _row(decision: Decision) -> tuple[str, ...]:
    return (show.short(decision.name), decision.kind, "yes" if decision.used else "no", decision.reason, decision.note)


def _grid(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Any:
    from rich import box
    from rich.table import Table as Grid

    listed = [list(row) for row in rows]
    made = Grid(title=_plain(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for place, head in enumerate(heads):
        if place and head in ("note",) and not any(row[place] for row in listed):
            listed = [row[:place] for row in listed]
            continue
        made.add_column(head, justify="right" if head in ("columns", "left out") else "left", overflow="fold")
    for row in listed:
        made.add_row(*(_plain(text) for text in row))
    return made
