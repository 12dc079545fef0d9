# mypy: ignore-errors
"""Loops over ranges, in as few words of LLVM's language as they need.

Numba writes a range, its iterator and each of its pairs (value, whether there is one) to the stack field by field, and
divides by the step, mostly 1: some 110 instructions for `for i in range(n)`, 30% of all that was lowered for a growing
forest. The same numbers in the same order take 30.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types

_ITER, _STEP, _COUNT = 0, 2, 3  # places in the structure of a range's iterator
_PLAIN = (types.int32, types.int64, types.uint64)


def is_range(kind):
    """Whether a type is that of a range of numbers that Numba knows to count."""
    return isinstance(kind, types.RangeType) and kind.dtype in _PLAIN


def bounds(args, number):
    """First value, end and step of a range, from what it was called with."""
    zero, one = ir.Constant(number, 0), ir.Constant(number, 1)
    return {1: lambda: (zero, args[0], one), 2: lambda: (*args, one), 3: lambda: tuple(args)}[len(args)]()


def structure(builder, kind, parts):
    """A structure of some parts."""
    made = ir.Constant(kind, ir.Undefined)
    for k, part in enumerate(parts):
        made = builder.insert_value(made, part, k)
    return made


def iterator(builder, kind, first, end, step):
    """An iterator: addresses of the next value and of how many there are still; step is a constant."""
    number, size = first.type, abs(step.constant)
    zero = ir.Constant(number, 0)
    distance = builder.sub(end, first) if step.constant > 0 else builder.sub(first, end)
    count = builder.select(builder.icmp_signed(">", distance, zero), distance, zero)
    if size != 1:
        count = builder.udiv(builder.add(count, ir.Constant(number, size - 1)), ir.Constant(number, size))
    with builder.goto_entry_block():
        at, left = builder.alloca(number), builder.alloca(number)
    builder.store(first, at)
    builder.store(count, left)
    return structure(builder, kind, (at, end, step, left))


def following(builder, kind, found):
    """The next value of an iterator and whether there is one; after the last the value is of no account."""
    at, step, left = (builder.extract_value(found, k) for k in (_ITER, _STEP, _COUNT))
    value, count = builder.load(at), builder.load(left)
    builder.store(builder.add(value, step), at)
    builder.store(builder.sub(count, ir.Constant(count.type, 1)), left)
    return structure(builder, kind, (value, builder.icmp_signed(">", count, ir.Constant(count.type, 0))))
