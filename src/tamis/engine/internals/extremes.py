# mypy: ignore-errors
"""The smaller or the larger of two numbers, written where it is asked for.

Numba compiles a function for each pair of types and each kernel that asks: 17 of the 82 of a growing forest.
"""

from __future__ import annotations

import operator

from numba import types
from numba.core.typing import signature
from numba.cpython.builtins import do_minmax
from numba.extending import lower_builtin


def signature_of(function, context, args):
    """The signature of `min` or `max` of two numbers; None for anything else."""
    key, plain = function.typing_key, tuple(map(types.unliteral, args))
    if (key is not min and key is not max) or len(plain) != 2:
        return None
    if not all(isinstance(kind, types.Integer | types.Float) for kind in plain):
        return None
    kind = context.unify_types(*plain)
    if kind is None:
        return None
    function._impl_keys[plain] = key
    return signature(kind, *plain)


@lower_builtin(min, types.Number, types.Number)
def _smaller(context, builder, signature, args):
    return do_minmax(context, builder, signature.args, args, operator.lt)


@lower_builtin(max, types.Number, types.Number)
def _larger(context, builder, signature, args):
    return do_minmax(context, builder, signature.args, args, operator.gt)
