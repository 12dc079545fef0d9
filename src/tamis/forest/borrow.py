# mypy: ignore-errors
"""Arrays whose references nobody counts, for calls by the million."""

from __future__ import annotations

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
