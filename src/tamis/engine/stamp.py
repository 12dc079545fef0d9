"""What a compiled kernel was made from: its own file, those of all kernels below it, and the constants they read.

Numba asks only whether the file of the kernel itself has changed. In a package of many files that would leave kernels
of an older version in use, without a word, after an upgrade that changes a file below and not the one above.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_PLAIN = (bool, int, float, complex, str, bytes, tuple, np.generic, np.dtype)
_HERE = Path(__file__).parent
#: How kernels are compiled; other files of the engine count where a kernel reads a function of theirs.
_COMPILERS = sorted([_HERE / "kernel.py", _HERE / "intrinsics.py", *(_HERE / "internals").glob("*.py")])


def stamp(function: Any) -> str:
    """A digest that differs when anything does that the function is compiled from."""
    files, constants = set(_COMPILERS), set()
    waiting, seen = [function], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        files.add(Path(one.__code__.co_filename))
        for name, value in _read(one):
            if (below := _function(value)) is not None:
                waiting.append(below)
            elif isinstance(value, _PLAIN):
                constants.add(f"{name}={value!r}")
    return sha256("\n".join([*sorted(map(_content, files)), *sorted(constants)]).encode()).hexdigest()


def _read(function: Any) -> Iterator[tuple[str, Any]]:
    """Names that the code reads from outside, and what they stand for."""
    for code in _codes(function.__code__):
        for name in code.co_names:
            if name in function.__globals__:
                yield name, function.__globals__[name]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not filled yet
            continue


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _function(value: Any) -> FunctionType | None:
    """The Python function behind a kernel or an intrinsic."""
    for name in ("py_func", "_defn"):
        value = getattr(value, name, value) if not isinstance(value, ModuleType) else value
    return value if isinstance(value, FunctionType) else None


def _content(file: Path) -> str:
    """A digest of what is in a file, whenever it was written: a fresh clone finds the kernels of another."""
    try:
        told = file.stat()
        return _digest(file, told.st_mtime_ns, told.st_size)
    except OSError:  # a doctest, or typed by hand
        return ""


@cache
def _digest(file: Path, _time: int, _size: int) -> str:
    return sha256(file.read_bytes()).hexdigest()
