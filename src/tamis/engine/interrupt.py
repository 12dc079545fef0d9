"""Ctrl-C while a kernel runs."""

from __future__ import annotations

from typing import Any


class Interruptible:
    """A compiled kernel for which Ctrl-C during a call is a KeyboardInterrupt.

    A signal that arrives while a kernel runs is raised within the Python code that Numba calls to hand out the result;
    Numba does not look, and the interpreter then finds a result beside an exception: a SystemError, in 40% of the
    interrupts of a tree that is grown.
    """

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)  # type: ignore[misc]
        except SystemError as error:
            if _interrupted(error):
                raise KeyboardInterrupt from None
            raise


def _interrupted(error: BaseException) -> bool:
    """Whether an error came from Ctrl-C."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return cause is not None
