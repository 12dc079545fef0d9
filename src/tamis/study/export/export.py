"""The one door to every export: by name, to text or bytes."""

from __future__ import annotations

import os
from pathlib import Path

from tamis.check import one_of
from tamis.errors import ParameterError, StudyError
from tamis.saved import naming
from tamis.study.export.program import MOST_NODES, Program
from tamis.study.model import Model

#: What can be asked for, and how its file ends.
KINDS = {"python": ".py", "sql": ".sql", "html": ".html", "onnx": ".onnx"}


def export(model: Model, to: str) -> str | bytes:
    """A study's model as Python, SQL, an HTML page (text) or ONNX (bytes).

    Parameters
    ----------
    model : of a study, as in `study.model_`.
    to : "python", "sql", "html" or "onnx".
    """
    one_of("to", to, KINDS)
    program = Program.of(model)
    if to == "onnx":
        from tamis.study.export.onnx import onnx_of

        return onnx_of(program)
    if program.n_nodes > MOST_NODES:
        raise StudyError(
            f"the model has {program.n_nodes:,} nodes, and text of more than {MOST_NODES:,} is of no use; give "
            "--to onnx, or take a smaller model with `tamis choose`"
        )
    if to == "python":
        from tamis.study.export.python import python_of

        return python_of(program, model.to_text())
    if to == "sql":
        from tamis.study.export.sql import sql_of

        return sql_of(program)
    from tamis.study.export.page import page_of

    return page_of(program, model.to_text(), model.training)


def export_to(model: Model, to: str, path: str | os.PathLike[str] | None) -> str | Path:
    """The export as text, or written to a file; ONNX goes to a file alone."""
    one_of("to", to, KINDS)
    if to == "onnx" and path is None:
        raise ParameterError("an ONNX model is no text; name the file it is to be written to, as in -o model.onnx")
    exported = export(model, to)
    if path is None:
        assert isinstance(exported, str)
        return exported
    file_path = Path(path)
    with naming(file_path):
        file_path.write_bytes(exported if isinstance(exported, bytes) else exported.encode("utf-8"))
    return file_path
