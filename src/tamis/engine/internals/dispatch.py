"""Kernels as Numba's dispatchers: those that Python calls, kept on the disk, and those that only kernels call."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from typing import Any

import numba
from numba.core import caching
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.types import unliteral  # type: ignore[attr-defined]

from tamis.engine.internals.group import grouped
from tamis.engine.internals.library import InnerCompiler, WholeCompiler
from tamis.engine.interrupt import Interruptible
from tamis.engine.stamp import stamp


class _Index(caching.IndexDataCacheFile):
    """The list of a kernel's compiled forms on the disk; one that cannot be read is an empty one.

    Numba reads the argument types before it asks whether the list is older than the source: a class that has moved or
    gone since (an upgrade leaves the lists of the old version behind) would be an error instead of a compilation.
    """

    def _load_index(self) -> dict[Any, str]:
        try:
            return dict(super()._load_index())
        except Exception:  # a pickle of unknown age can raise anything
            return {}

    def save(self, key: Any, data: Any) -> None:
        """Write a form, then enter it: the other way round, a process that looks in between reads an older one."""
        entered = self._load_index()
        taken = set(entered.values())
        entered.setdefault(key, next(name for name in map(self._data_name, count(1)) if name not in taken))
        self._save_data(entered[key], data)
        self._save_index(entered)

    def load(self, key: Any) -> Any:
        try:
            return super().load(key)
        except Exception:  # the same for the compiled form itself
            return None


class _Beside(caching.InTreeCacheLocator):
    """The folder beside the source, where nothing can be written: what is kept there (an image) can be read."""

    def ensure_cache_path(self) -> None:
        """Nothing: it need not even be there."""


class _Forms(caching.CompileResultCacheImpl):
    """Where forms are kept; the last place is one for reading alone."""

    _locator_classes = (*caching.CompileResultCacheImpl._locator_classes, _Beside)


class _Cache(caching.FunctionCache):
    """Numba's cache of one kernel, with the forgiving list, and a stamp of all that the kernel is made from.

    Numba prepares to compile before it reads a kept kernel: all that it knows of functions is imported and entered, a
    quarter of a second. Of this a kept kernel needs the counting of references.
    """

    _impl_class = _Forms
    _list: _Index | None = None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a form; where nothing can be written, it is compiled again by the next process."""
        with suppress(OSError):
            super().save_overload(sig, data)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._form(sig, target_context)

    def _form(self, sig: Any, target_context: Any) -> Any:
        """What is kept for some types; two processes that write forms for different types at once can mix them up."""
        found = self._load_overload(sig, target_context)
        return found if found is not None and found.signature.args == tuple(sig) else None

    @property
    def _cache_file(self) -> _Index:
        """Made when first asked for: until then, kernels below may not be defined."""
        if self._list is None:
            self._list = _Index(self._cache_path, self._impl.filename_base, stamp(self._py_func))
        return self._list

    @_cache_file.setter
    def _cache_file(self, given: Any) -> None:
        """Numba's own, with the stamp of one file, is not used."""


class Inner(CPUDispatcher):
    """A kernel called from kernels: one form for whatever numbers are written out in the call.

    Numba compiles `f(x, 0)`, `f(x, 1)` and `f(x, n)` as three functions: a quarter of all that a tree needs.
    """

    def __init__(self, *given: Any, pipeline_class: Any = InnerCompiler, **named: Any) -> None:
        super().__init__(*given, pipeline_class=pipeline_class, **named)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(handed_on(args), dict(zip(kws, handed_on(kws.values()))))


class Kernel(Interruptible, CPUDispatcher):
    """A compiled kernel, called from Python; where a kernel calls it, it becomes part of that, as an inner one does."""

    _part: Inner | None = None

    def __init__(self, *given: Any, pipeline_class: Any = WholeCompiler, **named: Any) -> None:
        super().__init__(*given, pipeline_class=pipeline_class, **named)  # as when it was pickled

    def get_call_template(self, args: Any, kws: Any) -> Any:
        if self._part is None:
            options = {**self.targetoptions, "no_cpython_wrapper": True}
            self._part = Inner(self.py_func, targetoptions=options)
        return self._part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self._part.get_overload(sig) if self._part else super().get_overload(sig)


def handed_on(args: Any) -> tuple[Any, ...]:
    """The types by which kernels hand arguments on to kernels."""
    return tuple(grouped(unliteral(kind)) for kind in args)


def kernel_of(function: Any, kind: str, **options: Any) -> Any:
    """A kernel of a function, that Python calls; or an `inner` one, which hands arrays on uncounted."""
    if kind:
        options = {"_nrt": False, "no_cpython_wrapper": True, **options}
    compiler = InnerCompiler if kind else WholeCompiler
    kernel: Any = numba.njit(function, nogil=True, no_cfunc_wrapper=True, pipeline_class=compiler, **options)
    if kernel is not function:  # NUMBA_DISABLE_JIT gives the function itself
        kernel.__class__ = Inner if kind else Kernel
        if not kind:
            kernel._cache = _Cache(function)
    return kernel


def is_kept(kernel: Any) -> bool:
    """Whether a form of the kernel is on the disk."""
    return bool(kernel._cache._cache_file._load_index())
