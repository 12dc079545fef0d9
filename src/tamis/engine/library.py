"""Compiling a kernel with the kernels it calls: optimised and turned into machine code once, not at every level.

Numba optimises every function with all that it calls, and makes machine code of it, before it compiles the caller: what
lies six calls deep goes six times through LLVM. Here a kernel that only kernels call is left as it was lowered; the
kernel that Python calls is linked with everything below it, and goes through LLVM once.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.environment import lookup_environment

from tamis.engine.announce import announce

#: Libraries are no public part of Numba: with other versions than these, kernels compile as Numba always does, slower.
TRIED = numba.version_info.short in ((0, 68),)


class _Flags(Flags):
    """Numba's options of one compilation, read in one go: comparing them took an eighth of the time."""

    __slots__ = ()
    _defaults: ClassVar[dict[str, Any]] = {name: option.default for name, option in Flags.options.items()}

    def values(self) -> dict[str, Any]:
        return self._defaults | self._values

    def __hash__(self) -> int:
        return _HASH


_HASH = hash(Flags())  # the hash of the options' names: the same for all


class _Lowered(JITCodeLibrary):
    """A kernel that only kernels call: nothing but its own code, to be linked into theirs."""

    def finalize(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0  # no machine code: as for any kernel without a wrapper for Python

    @property
    def codegen(self) -> Any:
        return self  # asked for `set_env` alone

    def set_env(self, name: str, env: Any) -> None:
        """Nothing: the kernel that Python calls sets it where its machine code is."""

    def _get_module_for_linking(self) -> Any:
        """Its code and all below it: asked for by a function that is not one of ours."""
        module = _Own(self)._get_module_for_linking().clone()
        for part in _parts(self._linking_libraries):
            module.link_in(part._get_module_for_linking(), preserve=True)
        return module


class _Own:
    """The code of one library alone."""

    def __init__(self, library: _Lowered) -> None:
        self._library, self._reload_init = library, library._reload_init

    def _get_module_for_linking(self) -> Any:
        return JITCodeLibrary._get_module_for_linking(self._library)


def _parts(libraries: Iterable[Any]) -> list[Any]:
    """What to link for some libraries: each one below them once."""
    return [_Own(one) if isinstance(one, _Lowered) else one for one in dict.fromkeys(_below(libraries))]


class _Whole(JITCodeLibrary):
    """A kernel that Python calls, with all kernels below it."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        self._linking_libraries = _parts(self._linking_libraries)
        super().finalize()
        for variable in self._final_module.global_variables:
            if variable.name.startswith("_ZN08NumbaEnv"):
                env = lookup_environment(variable.name)
                if env is not None:
                    self._codegen.set_env(variable.name, env)


def _below(libraries: Iterable[Any]) -> Iterator[Any]:
    """The libraries and, where they hold no more than their own code, those that they need."""
    for library in libraries:
        yield library
        if isinstance(library, _Lowered):
            yield from _below(library._linking_libraries)


class WholeCompiler(Compiler):
    """Numba's compiler for a kernel that Python calls; the plain one where Numba is of a version not tried here."""

    _library: Any = _Whole

    def __init__(self, *given: Any) -> None:
        if not TRIED:
            super().__init__(*given)
            return
        *others, flags, names = given  # contexts, library, argument and return types; options; types of locals
        super().__init__(*others, _Flags(flags), names)

    def compile_extra(self, func: Any) -> Any:
        announce()
        with _no_collections():
            return super().compile_extra(func)

    def _compile_bytecode(self) -> Any:
        if not TRIED:
            return super()._compile_bytecode()
        state = self.state
        state.library = self._library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super()._compile_bytecode()


class InnerCompiler(WholeCompiler):
    """Numba's compiler for a kernel that only kernels call."""

    _library = _Lowered


@contextmanager
def _no_collections() -> Iterator[None]:
    """Without looking for garbage in cycles: the compiler makes many objects and few cycles; a seventh of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
