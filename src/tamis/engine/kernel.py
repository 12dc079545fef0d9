"""The one decorator of every compiled kernel; importing this module is what imports Numba.

Numba keeps compiled kernels beside the source or, where that folder cannot be written, in the user's cache folder.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numba
from numba.core import caching
from numba.core.registry import CPUDispatcher
from numba.core.types import unliteral  # type: ignore[attr-defined]

from tamis.engine.group import grouped
from tamis.engine.library import InnerCompiler, WholeCompiler
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

    def load(self, key: Any) -> Any:
        try:
            return super().load(key)
        except Exception:  # the same for the compiled form itself
            return None


class _Cache(caching.FunctionCache):
    """Numba's cache of one kernel, with the forgiving list, and a stamp of all that the kernel is made from."""

    _list: _Index | None = None

    @property
    def _cache_file(self) -> _Index:
        """Made when first asked for: until then, kernels below may not be defined."""
        if self._list is None:
            self._list = _Index(self._cache_path, self._impl.filename_base, stamp(self._py_func))
        return self._list

    @_cache_file.setter
    def _cache_file(self, given: Any) -> None:
        """Numba's own, with the stamp of one file, is not used."""


class _Inner(CPUDispatcher):
    """A kernel called from kernels: one form for whatever numbers are written out in the call.

    Numba compiles `f(x, 0)`, `f(x, 1)` and `f(x, n)` as three functions: a quarter of all that a tree needs.
    """

    def __init__(self, *given: Any, pipeline_class: Any = InnerCompiler, **named: Any) -> None:
        super().__init__(*given, pipeline_class=pipeline_class, **named)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        plain = {name: grouped(unliteral(kind)) for name, kind in kws.items()}
        return super().get_call_template(tuple(grouped(unliteral(kind)) for kind in args), plain)


class _Kernel(CPUDispatcher):
    """A compiled kernel, called from Python: Ctrl-C during a call is a KeyboardInterrupt.

    A signal that arrives while a kernel runs is raised within the Python code that Numba calls to hand out the result;
    Numba does not look, and the interpreter then finds a result beside an exception: a SystemError, in 40% of the
    interrupts of a tree that is grown.

    Where a kernel calls it, it becomes part of that kernel, as an inner one does.
    """

    _part: _Inner | None = None

    def __init__(self, *given: Any, pipeline_class: Any = WholeCompiler, **named: Any) -> None:
        super().__init__(*given, pipeline_class=pipeline_class, **named)  # as when it was pickled

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except SystemError as error:
            if _interrupted(error):
                raise KeyboardInterrupt from None
            raise

    def get_call_template(self, args: Any, kws: Any) -> Any:
        if self._part is None:
            options = {**self.targetoptions, "no_cpython_wrapper": True}
            self._part = _Inner(self.py_func, targetoptions=options)
        return self._part.get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        return self._part.get_overload(sig) if self._part else super().get_overload(sig)


def _interrupted(error: BaseException) -> bool:
    """Whether an error came from Ctrl-C."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, KeyboardInterrupt):
        cause = cause.__cause__
    return cause is not None


def njit(function: Any = None, **options: Any) -> Any:
    """``numba.njit`` without the interpreter's lock and kept on the disk: as ``@njit`` or ``@njit(option=…)``."""
    if function is None:
        return partial(njit, **options)
    options.setdefault("pipeline_class", WholeCompiler)
    kernel: Any = numba.njit(function, nogil=True, no_cfunc_wrapper=True, **options)
    if kernel is not function:  # NUMBA_DISABLE_JIT gives the function itself
        is_inner = options.get("pipeline_class") is InnerCompiler
        kernel.__class__ = _Inner if is_inner else _Kernel
        if not is_inner:
            kernel._cache = _Cache(function)
    return kernel


def is_kept(kernel: Any) -> bool:
    """Whether a form of the kernel is on the disk, or none will ever be."""
    cache = getattr(kernel, "_cache", None)
    return cache is None or bool(cache._cache_file._load_index())


#: For kernels that only kernels call and that allocate nothing: quicker to compile, and the arrays they hand on are not
#: counted as in use and out of use again (locked instructions: half of the time in the small nodes of a tree).
inner: Any = partial(njit, _nrt=False, error_model="numpy", no_cpython_wrapper=True, pipeline_class=InnerCompiler)
