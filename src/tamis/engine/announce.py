"""Saying once that kernels are being compiled: the silence would look like a hang."""

from __future__ import annotations

import sys

_said = False


def announce(sentence: str | None = None) -> None:
    """Say it on the standard error, terminal or not, once a process; after an empty sentence it is never said."""
    global _said
    if not _said:
        _said = True
        words = COMPILING if sentence is None else sentence
        if words and sys.stderr is not None:
            print(words, file=sys.stderr, flush=True)


COMPILING = (
    "tamis: compiling kernels for this machine, once: usually five to ten seconds for a linear model, ten to twenty "
    "for a forest or a tree; later runs start at once, and `tamis warm` does it beforehand"
)
