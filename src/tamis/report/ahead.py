"""The report drawn by a copy of this process, which imports what charts need while this one computes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tamis.engine.cluster.copy import Copy, may_fork
from tamis.report.page import page, prepare

_copy: Copy | None = None


@contextmanager
def drawing_ahead() -> Iterator[None]:
    """A context within which a copy draws the first report, where one may be made."""
    global _copy
    with suppress(OSError):  # no room for another process
        _copy = Copy(lambda given: page(*given), prepare=prepare) if may_fork() else None
    try:
        yield
    finally:
        copy, _copy = _copy, None
        if copy is not None:
            copy.bury()


def drawn_page(results: dict[str, Any], plan: dict[str, Any], openings: Sequence[dict[str, Any]] = ()) -> str:
    """What `page` gives, from the copy, or from here where there is none or it could not draw it."""
    global _copy
    copy, _copy = _copy, None  # asked once: after Ctrl-C its answer would be that of the question before
    if copy is not None:
        try:
            with suppress(Exception):
                return str(copy.ask((results, plan, openings)))
        finally:
            copy.bury()
    return page(results, plan, openings)
