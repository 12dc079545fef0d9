"""Compiling a kernel with the kernels it calls: optimised and turned into machine code once, not at every level.

Numba optimises every function with all that it calls, and makes machine code of it, before it compiles the caller: what
lies six calls deep goes six times through LLVM. Here a kernel that only kernels call is left as it was lowered; the
kernel that Python calls is linked with everything below it, and goes through LLVM once.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, ClassVar

from llvmlite import binding  # type: ignore[import-untyped]
from llvmlite.binding import ffi  # type: ignore[import-untyped]
from numba.core import cgutils, config
from numba.core.codegen import JITCodeLibrary, _parse_refprune_flags
from numba.core.compiler import Compiler, Flags
from numba.core.compiler_machinery import PassManager
from numba.core.environment import lookup_environment
from numba.core.typed_passes import IRLegalization, NativeLowering, NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from tamis.engine.announce import announce
from tamis.engine.internals.group import mark_groups
from tamis.engine.internals.lower import Lowering
from tamis.engine.internals.recall import recalled


class _Flags(Flags):
    """Numba's options of one compilation, read in one go: comparing them took an eighth of the time."""

    __slots__ = ()
    _defaults: ClassVar[dict[str, Any]] = {name: option.default for name, option in Flags.options.items()}

    def values(self) -> dict[str, Any]:
        return self._defaults | self._values

    def __hash__(self) -> int:
        return _HASH


_HASH = hash(Flags())  # the hash of the options' names: the same for all


class _Ours(JITCodeLibrary):
    """A library that leaves LLVM's passes to the kernel that Python calls."""

    def add_ir_module(self, ir_module: Any) -> None:
        """Take up what was lowered; it is checked once, with all that it is linked to."""
        mark_groups(ir_module, self._codegen.target_data)
        module = binding.parse_assembly(cgutils.normalize_ir_text(str(ir_module)))
        module.name = ir_module.name
        self.add_llvm_module(module)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Nothing but the layout of data: a tenth of the time went into functions that are optimised again."""
        ll_module.data_layout = self._codegen._data_layout


class _Lowered(_Ours):
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


class _Whole(_Ours):
    """A kernel that Python calls, with all kernels below it."""

    _linking_libraries: list[Any]

    def _optimize_final_module(self) -> None:
        """All passes once, loops left as long as they are.

        Numba runs the passes twice, to find references that need no count after inlining. Unrolled loops were a third
        of a growing forest's code and of its time in LLVM, and brought nothing there.
        """
        options = self._codegen._pass_builder()._pto
        options.loop_unrolling = False
        builder = binding.create_pass_builder(self._codegen._tm, options)
        passes = builder.getModulePassManager()
        if config.LLVM_REFPRUNE_PASS:  # type: ignore[attr-defined]
            passes.add_refprune_pass(_parse_refprune_flags())
        passes.run(self._final_module, builder)

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
    """Numba's compiler for a kernel that Python calls."""

    _library: Any = _Whole

    def __init__(self, *given: Any) -> None:
        *others, flags, names = given  # contexts, library, argument and return types; options; types of locals
        super().__init__(*others, _Flags(flags), names)

    def compile_extra(self, func: Any) -> Any:
        announce()
        with _no_collections(), _lowered_only(self.state.targetctx.codegen()), recalled():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """Numba's, without looking for functions within functions where there are none, and with our lowering."""
        (whole,) = super().define_pipelines()
        dropped = set[Any]()
        if not any(isinstance(one, CodeType) for one in self.state.func_id.code.co_consts):
            dropped.add(InlineClosureLikes)
        if not self.state.flags.nrt:  # array expressions where nothing can be allocated; ends of lives of no account
            dropped |= {NopythonRewrites, IRLegalization}
        passes = PassManager(whole.pipeline_name)
        passes.passes = [
            (Lowering, words) if one is NativeLowering else (one, words)
            for one, words in whole.passes
            if one not in dropped
        ]
        passes.finalize()
        return [passes]

    def _compile_bytecode(self) -> Any:
        state = self.state
        state.library = self._library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super()._compile_bytecode()


class InnerCompiler(WholeCompiler):
    """Numba's compiler for a kernel that only kernels call."""

    _library = _Lowered


@contextmanager
def _lowered_only(codegen: Any) -> Iterator[None]:
    """Functions of Numba's that kernels call become part of them, too; and nobody is told of each call of LLVM.

    Numba keeps a clock for every function that is being compiled, and starts and stops them all at each call.
    """
    lock, before = ffi.lib._lock, codegen._library_class
    told, lock._cblist, codegen._library_class = lock._cblist, [], _Lowered
    try:
        yield
    finally:
        lock._cblist, codegen._library_class = told, before


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
