"""Saying once that kernels are being compiled: the silence would look like a hang."""

from __future__ import annotations

import os
import sys

_said = _leaves = False


def announce(sentence: str | None = None) -> None:
    """Say it on the standard error, terminal or not, once a process; after an empty sentence it is never said."""
    global _said
    if _leaves:
        os._exit(0)
    if not _said:
        _said = True
        words = COMPILING if sentence is None else sentence
        if words and sys.stderr is not None:
            print(words, file=sys.stderr, flush=True)


def has_announced() -> bool:
    """Whether this process has compiled kernels, or is about to."""
    return _said


def leave_instead() -> None:
    """From now on this process ends where it would compile a kernel: the one that it is a copy of does it."""
    global _leaves
    _leaves = True


COMPILING = (
    "tamis: compiling kernels for this machine, once: usually five to ten seconds for a linear model, ten to twenty "
    "for a tree; later runs start at once, and `tamis warm` does it beforehand"
)
