"""What a user's code is, in one short text: the same for the same code and state in any process, another for any other.

A study must not go on with numbers of a function or model that was edited in between. Code is its compiled bytes,
constants, defaults, closure and the globals it names; an object is its class and what pickle would keep of it. Neither
addresses, line numbers, paths nor the seed of Python's hashes count. What comes from an installed package is its name
alone: versions are told by `packages_of`.
"""

import dis
import functools
import random
import sys
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, WeakSet, WeakValueDictionary

import numpy as np

__all__ = ["CODE", "PACKAGES", "digest_of", "is_installed", "packages_of"]

#: What stands before a digest where one is written down.
CODE = "code:"

#: Under which versions of installed packages are written down.
PACKAGES = "packages"

#: Objects inside objects that are looked into; what lies deeper counts by its type. A recursion of Python's takes five
#: frames a level, of a thousand that there are.
DEEPEST = 60

#: What Python, scikit-learn and abc write into a class, which is no code of the user's, or changes with its line.
_MADE_BY_PYTHON = frozenset(
    [
        "__dict__",
        "__weakref__",
        "__module__",
        "__doc__",
        "__qualname__",
        "__annotations__",
        "__annotate__",
        "__annotate_func__",
        "__annotations_cache__",
        "__conditional_annotations__",
        "__firstlineno__",
        "__static_attributes__",
        "__abstractmethods__",
        "_abc_impl",
        "_sklearn_auto_wrap_output_keys",
    ]
)
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), type(NotImplemented))
#: What is known for a while only: caches of what has been called.
_PASSING = (ReferenceType, WeakKeyDictionary, WeakValueDictionary, WeakSet)


def digest_of(value: object) -> str:
    """Sixteen hexadecimal digits that tell a function, class or object from another.

    >>> def times(c):
    ...     return lambda y_true, y_pred: c * (y_true == y_pred).mean()
    >>> digest_of(times(1)) == digest_of(times(1)), digest_of(times(1)) == digest_of(times(2))
    (True, False)
    """
    return _Reader().of(value).hex()


def packages_of(values: Iterable[Any]) -> dict[str, str]:
    """Installed packages that the values are made with, name -> version; Python and Tamis are not among them.

    >>> from sklearn.linear_model import Ridge
    >>> list(packages_of([Ridge()]))
    ['sklearn']
    """
    reader = _Reader()
    for value in values:
        reader.of(value)
    versions = {name: getattr(sys.modules.get(name), "__version__", None) for name in sorted(reader.packages)}
    return {name: str(version) for name, version in versions.items() if version is not None}


def is_installed(module: str | None) -> bool:
    """True for a module of Python, of Tamis, or of a package that was installed: none that a user edits.

    >>> is_installed("json"), is_installed("numpy.linalg"), is_installed("__main__")
    (True, True, False)
    """
    top = (module or "__main__").partition(".")[0]
    if top == "__main__":  # in a notebook too, whose file is that of the kernel
        return False
    is_top_known = top in sys.stdlib_module_names or top == "tamis"
    files = [getattr(sys.modules.get(name), "__file__", None) for name in (top, module or top)]
    return is_top_known or any(_lies_among_packages(file) for file in files)


def _lies_among_packages(file: str | None) -> bool:
    return file is not None and not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


class _Reader:
    """Digests of values, each looked into once; `packages` are the installed ones that were met."""

    def __init__(self) -> None:
        self.packages: set[str] = set()
        self._known: dict[int, tuple[Any, bytes]] = {}  # with the value itself, so that its id stays its own
        self._open: dict[int, int] = {}  # values that are being looked into -> their depth

    def of(self, value: Any) -> bytes:
        """The digest of a value; of one that fails when it is looked into, that of its class's name."""
        try:
            return self._of(value)
        except Exception:  # whatever code of the user's raises when it is asked what it is
            return _hash("unknown", _full_name(type(value)))

    def _of(self, value: object) -> bytes:
        if type(value) in _PLAIN:
            return _hash(type(value).__name__, repr(value))
        name = self._installed_name(value)
        if name is not None:
            return _hash("installed", name)
        if type(value) is np.ndarray:
            return self._array(value)
        if isinstance(value, ModuleType):
            return _hash("module", value.__name__)
        key = id(value)
        if key in self._open:
            return _hash("seen at depth", str(self._open[key]))
        if key not in self._known:
            if len(self._open) >= DEEPEST:
                return _hash("too deep", _full_name(type(value)))
            self._open[key] = len(self._open)
            try:
                self._known[key] = value, self._looked_into(value)
            finally:
                del self._open[key]
        return self._known[key][1]

    def _looked_into(self, value: Any) -> bytes:
        kind = type(value)
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, CodeType):
            return self._code(value)
        if isinstance(value, MethodType):
            return self._all("method", value.__func__, value.__self__)
        if kind in (list, tuple):
            return self._sequence(value)
        if kind in (dict, MappingProxyType):
            return self._all("dict", *(element for item in value.items() for element in item))
        if kind in (set, frozenset):
            return _hash(kind.__name__, *sorted(self.of(element) for element in value))
        return self._object(value)

    def _all(self, *values: Any) -> bytes:
        return _hash(*(self.of(value) for value in values))

    def _sequence(self, values: Any) -> bytes:
        if all(type(value) in _PLAIN for value in values):  # a million numbers in a second
            return _hash(type(values).__name__, repr(list(values)))
        return self._all(type(values).__name__, *values)

    def _array(self, values: np.ndarray) -> bytes:
        if values.dtype.hasobject:
            return self._all("array", values.dtype.str, values.tolist())
        contiguous = np.ascontiguousarray(values)
        head = f"array {values.dtype.str} {values.dtype.descr if values.dtype.names else ''} {values.shape}"
        return _hash(head, contiguous.reshape(-1).view(np.uint8).data if contiguous.size else b"")

    def _function(self, function: FunctionType) -> bytes:
        cells = [_content(cell) for cell in function.__closure__ or ()]
        attributes = {name: value for name, value in vars(function).items() if name != "__wrapped__"}
        content = [function.__defaults__, function.__kwdefaults__, cells, attributes]
        if is_installed(function.__globals__.get("__name__")):  # what a package made around something of the user's
            self._note(function.__globals__["__name__"])
            return self._all("made by", function.__globals__["__name__"], function.__code__.co_name, *content)
        return self._all("function", function.__code__, *content, *self._globals(function))

    def _globals(self, function: FunctionType) -> Iterator[Any]:
        """Names of globals that the code uses, functions inside it included, each with what stands there."""
        names, imported, words = _names_in(function.__code__)
        for name in sorted(names):
            if name in function.__globals__:
                yield name
                yield from self._named(function.__globals__[name], words)
        for name in sorted(imported):
            module = _importable(name)
            if module is not None:
                yield from self._named(module, words)

    def _named(self, value: object, words: set[str]) -> Iterator[Any]:
        """A global; of a user's module those of its parts that the code has words for."""
        if not isinstance(value, ModuleType):
            yield value
        elif is_installed(value.__name__):
            self._note(value.__name__)
            yield value.__name__
        else:
            for word in sorted(words & vars(value).keys()):
                value_of_word = vars(value)[word]
                yield word
                yield value_of_word.__name__ if isinstance(value_of_word, ModuleType) else value_of_word

    def _code(self, code: CodeType) -> bytes:
        """Compiled code without its place: Python 3.13 keeps the line of a class among the constants."""
        line = code.co_firstlineno if "__firstlineno__" in code.co_names else None
        constants = [constant for constant in code.co_consts if line is None or constant != line]
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        shape = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        raised = getattr(code, "co_exceptiontable", b"")
        return self._all("code", code.co_code, raised, code.co_names, arguments, shape, constants)

    def _class(self, cls: type) -> bytes:
        content: list[Any] = ["class", cls.__qualname__, *cls.__bases__]
        for name in sorted(vars(cls)):
            if name not in _MADE_BY_PYTHON:
                content += [name, vars(cls)[name]]
        return self._all(*content)

    def _object(self, value: object) -> bytes:
        """An object as pickle would take it apart; one that cannot be pickled is its class alone."""
        kind = type(value)
        if isinstance(value, (staticmethod, classmethod)):
            return self._all(kind.__name__, value.__func__)
        if isinstance(value, property):
            return self._all("property", value.fget, value.fset, value.fdel)
        if isinstance(value, functools.cached_property):
            return self._all("cached", value.func)
        if callable(value) and hasattr(value, "__wrapped__"):  # lru_cache and the like: these keep no code when pickled
            return self._all(kind, value.__wrapped__)
        if isinstance(value, BuiltinFunctionType) and not isinstance(value.__self__, ModuleType):
            return self._all("builtin", value.__name__, value.__self__)
        if isinstance(value, _PASSING):
            return self._all("passing", kind)
        try:
            reduced = value.__reduce_ex__(4)
        except Exception:  # a lock, a file: there is nothing more to know of it
            return self._all("unknown", kind)
        if not isinstance(reduced, tuple):
            return self._all("object", kind, reduced)
        constructor, arguments, *state_and_items = reduced
        state = state_and_items[0] if state_and_items else None
        items = [list(values) for values in state_and_items[1:3] if values is not None]
        return self._all("object", kind, constructor, arguments, state, *items)

    def _installed_name(self, value: object) -> str | None:
        """The name under which an installed package has this very value; None of anything else."""
        if any(value is shared for shared in _shared_random()):  # its state changes with everything that is run
            return "the random numbers of the process"
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
        if not isinstance(module, str) or not isinstance(name, str) or not is_installed(module):
            return None
        resolved: Any = sys.modules.get(module)
        for word in name.split("."):
            resolved = getattr(resolved, word, None)
        if resolved is not value and not isinstance(value, type):
            return None
        self._note(module)
        return f"{module}.{name}"

    def _note(self, module: str) -> None:
        top = module.partition(".")[0]
        if top not in sys.stdlib_module_names and top != "tamis":
            self.packages.add(top)


def _hash(*chunks: Any) -> bytes:
    """A hash of parts whose borders count."""
    digest = blake2b(digest_size=8)
    for chunk in chunks:
        data = chunk.encode("utf-8", "surrogatepass") if isinstance(chunk, str) else chunk
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.digest()


def _shared_random() -> tuple[Any, Any]:
    return getattr(random.random, "__self__", random), getattr(np.random.rand, "__self__", np.random)


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return "empty"


def _names_in(code: CodeType) -> tuple[set[str], set[str], set[str]]:
    """Globals that code loads, modules that it imports, and every word it uses, functions inside it included."""
    names, imported, words = set(), set(), set(code.co_names)
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(step.argval)
        elif step.opname == "IMPORT_NAME":
            imported.add(step.argval)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner = _names_in(constant)
            names, imported, words = names | inner[0], imported | inner[1], words | inner[2]
    return names, imported, words


def _importable(name: str) -> ModuleType | None:
    """A user's module that code imports when it runs, imported now: else the first run would be without it."""
    top = name.partition(".")[0]
    if not top or is_installed(top):
        return None
    try:
        if name not in sys.modules:
            spec = find_spec(top)
            if spec is None or _lies_among_packages(spec.origin):
                return None
            __import__(name)
        return sys.modules[name]
    except Exception:  # a relative name, or a module that fails: the code itself will say so
        return None
