# mypy: ignore-errors
"""Asking for memory before it is read."""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


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
