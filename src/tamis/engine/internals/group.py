# mypy: ignore-errors
"""Named tuples of arrays, handed from kernel to kernel by one pointer.

Numba hands a tuple on by value: an array is seven numbers, so that a workspace of 23 arrays is 160 arguments, packed
and unpacked at every call: a fifth of all that was lowered for a growing forest. A kernel that only kernels call gets
the address of its caller's tuple instead, and loads the fields it asks for.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import lower_cast, lower_getattr_generic, models, register_model


class Group(types.Type):
    """The address of a named tuple, which its owner keeps alive and nobody writes to."""

    def __init__(self, fields):
        self.fields = fields
        super().__init__(f"Group({fields})")

    @property
    def key(self):
        """The tuple itself: tuples of different classes can have the same name."""
        return self.fields


def grouped(kind: Any) -> Any:
    """The type by which an argument is handed on: a named tuple that holds arrays by its address."""
    if isinstance(kind, types.BaseNamedTuple) and any(isinstance(field, types.Array) for field in kind.types):
        return Group(kind)
    return kind


@register_model(Group)
class _Address(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, manager.lookup(kind.fields).get_value_type().as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Group

    def generic_resolve(self, kind, name):
        if name in kind.fields.fields:
            return kind.fields.types[kind.fields.fields.index(name)]
        return None


@lower_getattr_generic(Group)
def _field(context, builder, kind, value, name):
    place = kind.fields.fields.index(name)
    loaded = builder.load(cgutils.gep_inbounds(builder, value, 0, place))
    return impl_ret_borrowed(context, builder, kind.fields.types[place], loaded)


@lower_cast(types.BaseNamedTuple, Group)
def _address(context, builder, given, wanted, value):
    place = cgutils.alloca_once(builder, value.type)
    builder.store(value, place)
    return place


def mark_groups(module: Any, target_data: Any) -> None:
    """Tell LLVM of every address of a group that it can be read, and that nobody writes there while a kernel runs."""
    for function in module.functions:
        for argument in function.args if function.blocks else ():
            pointee = getattr(argument.type, "pointee", None)
            if isinstance(pointee, ir.LiteralStructType) and argument.name.startswith("arg."):
                argument.add_attribute("noalias")
                argument.attributes.dereferenceable = _size(pointee, target_data)


def _size(kind, target_data):
    """Bytes of a structure."""
    if kind not in _sizes:
        _sizes[kind] = kind.get_abi_size(target_data)
    return _sizes[kind]


_sizes: dict = {}
