"""scikit-learn without the two libraries that it imports for functions hardly anybody calls.

`sklearn.utils.fixes` stands below every estimator. It imports `scipy.stats` for one function and pandas, where there is
one, for a version number: 0.9 of the 1.5 processor seconds that `import sklearn` takes (scikit-learn 1.9, SciPy 1.17,
pandas 3.1, two cores). While that one file is run both are told to be elsewhere; whoever uses them afterwards imports
them as ever, and `scipy.stats` within `sklearn.utils.fixes` is found by SciPy itself when it is asked for.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
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
        if spec is not None and type(spec.loader) is SourceFileLoader and threading.active_count() == 1:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Runs the file as ever, with both libraries put aside; with them, should it ask for more."""

    def exec_module(self, module: ModuleType) -> None:
        import_module("scipy.sparse.linalg")  # which the file imports, too
        before = dict(vars(module))
        try:
            with _aside():
                super().exec_module(module)
        except Exception:
            vars(module).clear()
            vars(module).update(before)
            super().exec_module(module)


@contextmanager
def _aside() -> Iterator[None]:
    """No pandas to be found, and nothing in `scipy.stats`, where they are not imported yet."""
    put: dict[str, Any] = {"pandas": None, "scipy.stats": ModuleType("scipy.stats")}
    put = {name: instead for name, instead in put.items() if name not in sys.modules}
    sys.modules.update(put)
    try:
        yield
    finally:
        for name in put:
            sys.modules.pop(name, None)


def install() -> None:
    """From now on, where scikit-learn is not imported yet."""
    if _FIXES not in sys.modules and not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
