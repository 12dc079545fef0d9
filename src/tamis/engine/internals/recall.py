# mypy: ignore-errors
"""What Numba works out again and again while it compiles a kernel, worked out once.

To type `a + b` Numba tries some ten families of rules in turn, at every place where the operator stands and in every
round of inference; which variables a statement names is asked by each of its analyses. The answers are the same.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache

from llvmlite import ir as llvm
from numba.core import base, ir, postproc, ssa, transforms, typeinfer, types
from numba.core.errors import NumbaError, WarningsFixer
from numba.core.runtime.context import NRTContext
from numba.core.typing.context import BaseContext as TypingContext

from tamis.engine.internals import extremes

_plain_call_type = types.BaseFunction.get_call_type
_plain_attribute = TypingContext.find_matching_getattr_template
_plain_size = llvm.Type.get_abi_size
_plain_lifetimes = postproc.PostProcessor.run
_signatures = {}


def _call_type(self, context, args, kws):
    """The signature of a call; kept where it follows from the argument types alone, which options cannot change."""
    if kws:
        return _plain_call_type(self, context, args, kws)
    _, known = _signatures.setdefault(id(self), (self, {}))  # not kept with it: types are pickled with all they have
    args = tuple(args)
    found = known.get(args)
    if found is None:
        found = extremes.signature_of(self, context, args) or _plain_call_type(self, context, args, kws)
        if self._impl_keys[found.args] is not self.typing_key:  # a function of Numba's, compiled with our options
            return found
        known[args] = found
    self._impl_keys[found.args] = self.typing_key
    return found


def _attribute(self, kind, name):
    """The rule for an attribute of a type."""
    known = self.__dict__.setdefault("_tamis_known", {})
    found = known.get((kind, name))
    if found is None:
        found = _plain_attribute(self, kind, name)
        if found is not None:
            known[kind, name] = found
    return found


def _named(self, value):
    """The variables in a part of a statement."""
    found = []
    _add_named(value, found)
    return found


def _add_named(value, found):
    kind = type(value)
    if kind is ir.Var:
        found.append(value)
    elif kind is dict:
        for one in value.values():
            _add_named(one, found)
    elif kind is tuple or kind is list:
        for one in value:
            _add_named(one, found)
    elif kind is ir.Expr:
        _add_named(value._kws, found)
    elif isinstance(value, ir.Inst):
        found.extend(value.list_vars())


def _lifetimes(self, emit_dels=False, extend_lifetimes=False):
    """How long variables live: worked out where somebody asks, and not after each of a dozen passes."""
    if emit_dels or self.func_ir.is_generator:
        _plain_lifetimes(self, emit_dels, extend_lifetimes)
        return
    self.func_ir.blocks = transforms.canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = postproc.VariableLifetime(self.func_ir.blocks)
    self.func_ir.generator_info = None


def _counted_parts(self, builder, kind, value):
    """What is counted in a value: looked for where it can be, in one of the seven parts of an array.

    Numba takes every part out of a value to find those: a third of all that was lowered for a growing forest.
    """
    model = self._context.data_model_manager[kind]
    found = [(kind, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
    for part, getter in model.traverse(builder):
        if _is_counted(self._context.data_model_manager[part]):
            found.extend(self.get_meminfos(builder, part, getter(value)))
    return found


@cache
def _is_counted(model):
    return model.contains_nrt_meminfo()


def _refreshed(plain):
    """Numba asks before each function whether anything was registered since: twenty imports, sixty lists each time."""

    def refresh(self):
        if self.__dict__.get("_tamis_registered") != _registered(self):
            plain(self)
            self._tamis_registered = _registered(self)

    return refresh


def _registered(context):
    """How much is registered where the context has looked."""
    return sum(len(getattr(one, item)) for one, loader in context._registries.items() for item in loader.registry_items)


class _Context:
    """What an error is told to have happened in: put together only when there is one."""

    def __init__(self, words, *args, **kwargs):
        self.words, self.args, self.kwargs = words, args, kwargs

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if isinstance(error, NumbaError):
            error.add_context(self.words.format(*self.args, **self.kwargs))
        return False


class _Silent:
    """A context in which warnings are as they are."""

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class _NoLog:
    """Nobody reads the steps of the search for single assignments."""

    def debug(self, *_, **__):
        pass


@cache
def _size(kind, target_data, context=None):
    return _plain_size(kind, target_data, context)


_INSTEAD = (
    (types.BaseFunction, "get_call_type", _call_type),
    (TypingContext, "find_matching_getattr_template", _attribute),
    (ir.Inst, "_rec_list_vars", _named),
    (typeinfer, "new_error_context", _Context),
    (WarningsFixer, "catch_warnings", _Silent),
    (ssa, "_logger", _NoLog()),
    (base, "_has_loc", cache(base._has_loc)),
    (llvm.Type, "get_abi_size", _size),
    (postproc.PostProcessor, "run", _lifetimes),
    (NRTContext, "get_meminfos", _counted_parts),
    (base.BaseContext, "refresh", _refreshed(base.BaseContext.refresh)),
    (TypingContext, "refresh", _refreshed(TypingContext.refresh)),
)


@contextmanager
def recalled():
    """For as long as a kernel is compiled; compilations are one at a time, each within the one that needs it."""
    if llvm.Type.get_abi_size is _size:
        yield
        return
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in _INSTEAD]
    for owner, name, value in _INSTEAD:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
