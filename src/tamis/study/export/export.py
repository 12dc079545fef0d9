"""The one door to every export: by name, to text or bytes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from tamis.check import one_of
from tamis.errors import ParameterError, StudyError
from tamis.saved import naming
from tamis.study.export.format import Format
from tamis.study.export.formats import formats
from tamis.study.export.program import MOST_NODES, Program
from tamis.study.model import Model


def export(model: Model, to: str, expected: str = "") -> str | bytes:
    """A study's model as Python, SQL, an HTML page (text) or ONNX (bytes).

    Parameters
    ----------
    model : of a study, as in `study.model_`.
    to : the name of a file of `tamis.study.export.formats`: "python", "sql", "html", "onnx".
    expected : what the model is expected to score on new rows, in a sentence that the page shows.
    """
    kind = _format(to)
    program = replace(Program.of(model), expected=expected)
    if kind.is_text and program.n_nodes > MOST_NODES:
        raise StudyError(
            f"the model has {program.n_nodes:,} nodes, and text of more than {MOST_NODES:,} is of no use; give "
            "--to onnx, or take a smaller model with `tamis choose`"
        )
    return kind.write(model, program)


def _format(to: str) -> Format:
    return formats()[one_of("to", to, formats())]


def export_to(model: Model, to: str, path: str | os.PathLike[str] | None, expected: str = "") -> str | Path:
    """The export as text, or written to a file; a format of bytes goes to a file alone."""
    kind = _format(to)
    if not kind.is_text and path is None:
        raise ParameterError(
            f"a model as {to} is no text; name the file it is to be written to, as in -o model{kind.suffix}"
        )
    exported = export(model, to, expected)
    if path is None:
        assert isinstance(exported, str)
        return exported
    file_path = Path(path)
    with naming(file_path):
        file_path.write_bytes(exported if isinstance(exported, bytes) else exported.encode("utf-8"))
    return file_path
