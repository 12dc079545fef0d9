"""What a format of an exported model is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tamis.study.export.program import Program
from tamis.study.model import Model


@dataclass(frozen=True)
class Format:
    """A format of an exported model.

    Attributes
    ----------
    suffix : str
        How its files end.
    write : callable
        f(model, program) -> text or bytes; the program is the model as plain values.
    is_text : bool, default=True
        Whether `write` gives text; bytes go to a file alone, and may hold models of any size.
    """

    suffix: str
    write: Callable[[Model, Program], str | bytes]
    is_text: bool = True
