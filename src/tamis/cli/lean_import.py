"""scikit-learn and pyarrow without the two libraries that they import for functions hardly anybody calls.

Some files of scikit-learn import `scipy.stats` for one function each, and pandas, where there is one, for none: 1.3
processor seconds of a start (scikit-learn 1.9, SciPy 1.17, pandas 3.1, two cores). While such a file is run, its own
import statements find no pandas and, for what it takes from `scipy.stats`, a stand-in that imports the library when it
is asked for anything; nobody else's statements are concerned. pyarrow looks for pandas when it first makes an array,
in case it meets one of its frames: where none can come, `without_pandas` says that there is none. Only the command does
this: a program that imports Tamis has other libraries as they are.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType, SimpleNamespace
from typing import Any

_STATS = "scipy.stats"
#: Files that bind `scipy.stats`, or functions of it, and use them nowhere but in functions of their own.
_FILES = frozenset(
    f"sklearn.{name}"
    for name in (
        "utils.fixes",
        "_loss.link",
        "covariance._robust_covariance",
        "feature_selection._univariate_selection",
        "isotonic",
        "metrics._ranking",
        "model_selection._search",
        "preprocessing._data",
    )
)


class _Finder:
    """Finds those files."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in _FILES:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(SourceFileLoader):
    """Runs a file with import statements that find neither library; as ever, should it ask for more."""

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

    def __call__(
        self, name: str, scope: Any = None, others: Any = None, wanted: Sequence[str] | None = (), level: int = 0
    ) -> Any:
        if self.lean and level == 0:
            if name == "pandas" and name not in sys.modules:
                raise ImportError("not needed here", name=name)
            if name == _STATS and _STATS not in sys.modules:
                return SimpleNamespace(**{one: _Later(one) for one in wanted}) if wanted else import_module("scipy")
            if name == "scipy" and _STATS not in sys.modules and wanted and "stats" in wanted:
                rest = [one for one in wanted if one != "stats"]
                found = builtins.__import__(name, scope, others, rest)
                return SimpleNamespace(stats=_Later(), **{one: getattr(found, one) for one in rest})
        return builtins.__import__(name, scope, others, wanted, level)


class _Later:
    """`scipy.stats`, or what it has under a name: imported when anything is asked of it."""

    def __init__(self, name: str = "") -> None:
        self._name = name

    @property
    def _found(self) -> Any:
        return getattr(import_module(_STATS), self._name) if self._name else import_module(_STATS)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._found(*args, **kwargs)


class _NoPandas(Loader):
    """Finds pandas, as some libraries only ask whether it is there, and refuses to load it."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name == "pandas" else None

    def create_module(self, spec: ModuleSpec) -> None:
        raise ImportError("a study of a file by procedures of Tamis needs no pandas", name=spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Never reached: there is no module."""


def install() -> None:
    """From now on, where scikit-learn is not imported yet."""
    if not _has(_Finder):
        sys.meta_path.insert(0, _Finder())


def without_pandas() -> None:
    """From now on to the end of the process, where pandas is not imported yet: for what is Tamis' own alone."""
    if "pandas" not in sys.modules and not _has(_NoPandas):
        sys.meta_path.insert(0, _NoPandas())


def _has(kind: type) -> bool:
    return any(isinstance(finder, kind) for finder in sys.meta_path)
