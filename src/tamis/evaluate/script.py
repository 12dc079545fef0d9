"""A procedure from a user's script: "my_script.py:function"."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

from tamis.check import nearest
from tamis.errors import ParameterError

__all__ = ["from_script"]


def from_script(place: str) -> Any:
    """The function (or model) that a script holds under a name; the script is run to find it.

    Parameters
    ----------
    place : a path and a name, as in "my_script.py:procedure".
    """
    path_text, colon, name = place.rpartition(":")
    path = Path(path_text)
    if not colon or not name.isidentifier():
        raise ParameterError(f"{place!r} names no procedure; give a script and a name, as in my_script.py:procedure")
    if not path.is_file():
        raise ParameterError(f"there is no script {path_text!r}; give the path of a Python file")
    spec = importlib.util.spec_from_file_location(f"tamis_audited_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ParameterError(f"{path_text!r} is no Python file; give one that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickles in the script look themselves up here
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ParameterError(f"{path_text!r} cannot be run: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent.resolve()))
    if not hasattr(module, name):
        known = [word for word in vars(module) if not word.startswith("_")]
        raise ParameterError(f"{path_text!r} has no {name!r}{nearest(name, known)}; give the name of a function in it")
    found = getattr(module, name)
    return found() if isinstance(found, type) else found
