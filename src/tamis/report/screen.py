"""Words on the terminal: progress with time left, decisions about columns, the answer."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tamis.report import show
from tamis.report.parts import ladder_note, sentence
from tamis.report.short_names import with_short_names
from tamis.results.results import PartialResults, Results, results_of
from tamis.wording import first_few

if TYPE_CHECKING:
    from rich.console import Console

    from tamis.table import Decision

#: A table of columns longer than this is summarised; the report holds all of them.
MOST_LISTED = 60

#: Of a summarised table, the columns left out, and of any table the notes, that are listed one by one.
MOST_SPECIAL = 25

#: Columns that are named before a note, and letters of a name.
MOST_NAMED = 4
MOST_LETTERS = 28

#: Behind the sentence on the rows that were set aside.
_OPEN = " Run `tamis open` once, at the very end, to score the model on them."

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
        label = show.short(name, 32) or "working"
        self.bar.update(self.task, completed=finished, total=total, description=label, left=self.left(finished, total))

    def left(self, finished: int, total: int) -> str:
        """The time left in words, once a task of this run has finished."""
        done = finished - self.kept
        if done <= 0 or finished >= total:
            return ""
        return f"about {show.duration((self.clock() - self.began) / done * (total - finished))} left"


def say_columns(
    decisions: Iterable[Decision],
    console: Console | None = None,
    roles: Mapping[str, str] | None = None,
    spoken: Callable[[str], str] = str,
    remarks: Iterable[str] = (),
) -> None:
    """Print how every column was read, and why; of a wide table, only the columns with something to say.

    Every reason stands in full; notes stand below, each once. Columns that are read but not learned from (the target,
    groups, …) are given with their role; `spoken` puts notes into the words of the command line, `remarks` are about
    the reading of the table as a whole.
    """
    roles = roles or {}
    listed, out = _spoken(decisions, spoken), console or _console()
    for remark in remarks:
        out.print(_plain(spoken(remark)))
    if len(listed) <= MOST_LISTED:
        out.print(_columns("Columns", listed, roles))
        _say_notes(listed, out)
        return
    kinds = Counter(d.kind for d in listed)
    used = Counter(d.kind for d in listed if d.used and d.name not in roles)
    rows = [(kind, f"{n:,}", f"{used[kind]:,}", f"{n - used[kind]:,}") for kind, n in kinds.most_common()]
    out.print(_grid(f"{len(listed):,} columns, by kind", ("kind", "columns", "used", "left out"), rows))
    left_out = [d for d in listed if not d.used]
    if left_out:
        out.print(_columns("Columns left out", left_out[:MOST_SPECIAL], roles))
    if len(left_out) > MOST_SPECIAL:
        out.print(_plain(f"… and {len(left_out) - MOST_SPECIAL:,} more; the report lists every column."))
    _say_notes(listed, out)


def say_reading(
    decisions: Iterable[Decision],
    console: Console | None = None,
    roles: Mapping[str, str] | None = None,
    spoken: Callable[[str], str] = str,
    remarks: Iterable[str] = (),
    classes: Sequence[object] = (),
    n_learned: int | None = None,
) -> None:
    """Print how many columns of each kind are used, which are left out and why, and the notes; `say_columns` lists all.

    The other parameters are those of `say_columns`.

    Parameters
    ----------
    classes : of a target of classes, which may be read from numbers.
    n_learned : columns that models see: a date counts by its parts, a text by its words.
    """
    roles = roles or {}
    listed, out = _spoken(decisions, spoken), console or _console()
    for remark in remarks:
        out.print(_plain(spoken(remark)))
    features = [d for d in listed if d.used and d.name not in roles]
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in Counter(d.kind for d in features).most_common())
    verb = "is" if len(features) == 1 else "are"
    out.print(_plain(f"{show.count(len(features), 'column')} {verb} used" + (f": {kinds}." if kinds else ".")))
    if parts := show.parts([d.kind for d in features], n_learned):
        out.print(_plain(parts))
    for index, d in enumerate(listed):
        if d.used and d.name in roles:
            kind = d.kind
            if classes and roles[d.name] == "target":
                kind, listed[index] = f"{len(classes):,} classes", replace(d, note="")
            out.print(_plain(f"{roles[d.name].capitalize()}: {show.short(d.name, MOST_LETTERS)} ({kind})."))
    left_out = [d for d in listed if not d.used]
    if left_out:
        out.print(_columns("Columns left out", left_out[:MOST_SPECIAL], roles))
    if len(left_out) > MOST_SPECIAL:
        out.print(_plain(f"… and {len(left_out) - MOST_SPECIAL:,} more; the report lists every column."))
    _say_notes(listed, out)


def _spoken(decisions: Iterable[Decision], spoken: Callable[[str], str]) -> list[Decision]:
    return [replace(d, note=spoken(d.note)) if d.note else d for d in decisions]


def _columns(title: str, listed: list[Decision], roles: Mapping[str, str]) -> Any:
    """A line for each column, with the reason in full."""
    grid = _empty_grid(title)
    grid.add_column("column", no_wrap=True)
    grid.add_column("kind", no_wrap=True)
    grid.add_column("used", no_wrap=True)
    grid.add_column("reason", overflow="fold")
    for d in listed:
        reason = _plain(d.reason)
        grid.add_row(
            _plain(show.short(d.name, MOST_LETTERS)), d.kind, roles.get(d.name, "yes") if d.used else "no", reason
        )
    return grid


def _say_notes(listed: list[Decision], out: Console) -> None:
    """Each note once, after the columns that it is about; the way to give a kind belongs to one column alone."""
    about: dict[str, list[str]] = {}
    for d in listed:
        if d.note:
            about.setdefault(d.note, []).append(show.short(d.name, MOST_LETTERS))
    for note, names in list(about.items())[:MOST_SPECIAL]:
        out.print(_plain(f"{first_few(names, MOST_NAMED)}: {note}"))
    if len(about) > MOST_SPECIAL:
        out.print(_plain(f"… and {len(about) - MOST_SPECIAL:,} more notes; the report lists every column."))


def say_answer(facts: dict[str, Any], folder: str | Path, console: Console | None = None) -> None:
    """Print the answer in words, the ladder, how many rows were set aside, and where the report is."""
    from rich.panel import Panel

    out, results = console or _console(), results_of(with_short_names(facts))
    if isinstance(results, PartialResults):
        done = results.finished
        out.print(_plain(f"PARTIAL: {done['tasks']:,} of {done['of']:,} tasks finished; the same command resumes."))
    else:
        title = "Answer" if results.answer.quotable else "Answer, not to be quoted"
        out.print(Panel(_plain(results.answer.words), title=title, title_align="left", padding=(1, 2)))
        out.print(_plain(_choice(results)))
        _say_ladder(results, out)
    missing = results.data.without_target
    if missing:
        has, were = ("has", "was") if missing == 1 else ("have", "were")
        where = f"of {results.data.target!r} and {were} left out"
        out.print(_plain(f"{show.count(missing, 'unlocked row')} {has} no value {where}."))
    out.print(_plain(f"{sentence(results.lock.reason)}{_OPEN if results.lock.rows else ''}"))
    # The path stands alone on its line and is never wrapped, so that it can be copied.
    out.print(_plain(f"Report: {Path(folder) / 'report.html'}"), soft_wrap=True)


def _say_ladder(results: Results, out: Console) -> None:
    """The best readable model of each number of columns and the best black box, the chosen rung marked."""
    rungs = results.ladder
    if len(rungs) < 2:
        return
    grid = _empty_grid("")
    for head in ("columns", show.short_metric(results.answer.metric), "95% interval"):
        grid.add_column(_plain(head), justify="right", no_wrap=True)
    grid.add_column("model", overflow="fold")
    grid.add_column("", no_wrap=True)
    for rung in rungs:
        score = "–" if rung.score is None else show.number(rung.score)
        bounds = "" if rung.interval is None else show.interval(rung.interval)
        grid.add_row(f"{rung.columns:,}", score, bounds, _plain(rung.words or ""), "chosen" if rung.chosen else "")
    out.print(grid)
    if note := ladder_note(results):
        out.print(_plain(note))


def _choice(results: Results) -> str:
    compared = results.comparison
    if compared.chosen_by == "person":
        return f"Model: {compared.chosen}, chosen by a person. The rule would take {compared.by_rule}."
    model = results.answer.kind or compared.chosen
    if (results.answer.interval_note or "").endswith("do not quote"):
        return f"Model: {model}."
    inner, nested = show.number(compared.inner_score), show.number(compared.score)
    metric = show.metric(results.answer.metric)
    of_choice = "Choosing a model in every fold: " if compared.chosen == "baseline" else ""
    what = f"{of_choice}{metric}" if of_choice else f"{metric[0].upper()}{metric[1:]}"
    is_optimistic = inner != nested and (compared.optimism or 0.0) > 0
    remark = ", which is too optimistic" if is_optimistic else ""
    return f"Model: {model}. {what} {nested} by nested cross-validation ({inner} by plain cross-validation{remark})."


def _console() -> Console:
    from rich.console import Console

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            """The reader went away: that is for the command to say, which Rich would end with an error."""
            raise BrokenPipeError

    return Screen(highlight=False)


def _plain(words: str) -> Any:
    """Text in which nothing is read as markup or as a command to the terminal."""
    from rich.text import Text

    return Text(show.text(words))


def _grid(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> Any:
    grid = _empty_grid(title)
    for head in heads:
        grid.add_column(head, justify="left" if head == "kind" else "right", overflow="fold")
    for row in rows:
        grid.add_row(*(_plain(text) for text in row))
    return grid


def _empty_grid(title: str) -> Any:
    from rich import box
    from rich.table import Table as Grid

    return Grid(title=_plain(title), title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
