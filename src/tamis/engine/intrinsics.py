# mypy: ignore-errors
"""Code that Numba cannot write by itself: arrays without counted references, and memory asked for early."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def borrowed(typing, array):
    """The same array without an owner: counting references at every call showed up in a profile.

    Whoever borrows must see to it that the owner stays alive.
    """

    def code(context, builder, signature, args):
        out = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        out.meminfo = out.meminfo.type(None)
        out.parent = out.parent.type(None)
        return out._getvalue()

    return array(array), code


@intrinsic
def fetch(typing, array, i, j):
    """Tell the processor that array[i, j] (C order) will soon be read; it goes on meanwhile."""

    def code(context, builder, signature, args):
        kind = signature.args[0]
        view = context.make_array(kind)(context, builder, args[0])
        at = cgutils.get_item_pointer(context, builder, kind, view, [args[1], args[2]], wraparound=False)
        byte = ir.IntType(8).as_pointer()
        i32 = ir.IntType(32)
        call = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, i32, i32, i32])
        )
        builder.call(call, [builder.bitcast(at, byte), i32(0), i32(3), i32(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), code
