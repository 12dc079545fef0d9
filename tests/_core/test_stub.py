"""What is written of the core for readers and type checkers is what it has."""

import ast
import re
from pathlib import Path

import tamis
from tamis import _core


def test_the_stub_has_the_names_of_the_core():
    """A name that is not there would pass the type checker and fail at run time."""
    text = (Path(tamis.__file__).parent / "_core.pyi").read_text(encoding="utf-8")
    names = {node.name: node for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    values = {node.target.id for node in ast.parse(text).body if isinstance(node, ast.AnnAssign)}
    assert {*names, *values} == {name for name in dir(_core) if not name.startswith("_")}
    for name, node in names.items():
        if isinstance(node, ast.FunctionDef):
            written = re.findall(r"[(,] ?(\w+): ", getattr(_core, name).__nb_signature__[0][0])
            assert written == [argument.arg for argument in node.args.args], name
