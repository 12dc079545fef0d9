"""scikit-learn without the two libraries that it imports for functions hardly anybody calls.

`sklearn.utils.fixes` stands below every estimator. It imports `scipy.stats` for one function and pandas, where there is
one, for none: 0.9 of the 1.5 processor seconds that `import sklearn` takes (scikit-learn 1.9, SciPy 1.17, pandas 3.1,
two cores). While that one file is run, its own import statements find neither; nobody else's are concerned. Whoever
uses them imports them as ever, and `scipy.stats` within that file is found by SciPy when it is asked for. Only the
command does this: a program that imports Tamis has scikit-learn as it is.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_FIXES = "sklearn.utils.fixes"


class _Finder:
    """Finds that one file, once."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != _FIXES:
            return None
        with suppress(ValueError):  # another thread has removed it
            sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Runs the file with import statements that find neither library; as ever, should it ask for more."""

    def exec_module(self, module: ModuleType) -> None:
        statements = _Statements()
        before = dict(vars(module))
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": statements}
        try:
            super().exec_module(module)
        except Exception:
            vars(module).clear()
            vars(module).update(before)
            super().exec_module(module)
        finally:
            statements.lean = False


class _Statements:
    """What stands behind `import` in one file: lean while the file is run, plain in its functions afterwards."""

    def __init__(self) -> None:
        self.lean = True

    def __call__(self, name: str, *others: Any) -> Any:
        if self.lean and name not in sys.modules:
            if name == "pandas":
                raise ImportError("not needed here", name=name)
            if name == "scipy.stats":
                return import_module("scipy")
        return builtins.__import__(name, *others)


def install() -> None:
    """From now on, where scikit-learn is not imported yet."""
    if _FIXES not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
