"""A Python file that needs no other package."""

from __future__ import annotations

from tamis.study.export.format import Format
from tamis.study.export.python import python_of

FORMAT = Format(".py", lambda model, program: python_of(program, model.to_text()))
