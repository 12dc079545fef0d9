# mypy: ignore-errors
"""Turning typed kernels into LLVM's language, with fewer words for what they do most: reading and writing elements.

Numba copies an array's seven numbers to the stack to read one element of it, some forty instructions, of which LLVM
leaves three. Written down in ten, the same is read, checked and optimised in less time; what comes out is the same.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module

from numba.core import types
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering

_DATA, _SHAPE, _STRIDES = 4, 5, 6  # places in the structure of an array


class _Lower(Lower):
    """Numba's, with elements of arrays read and written where they are."""

    @cached_property
    def _arrayobj(self):
        """Numba's part for arrays; it takes 60 ms to import, which a kept kernel need not wait for."""
        return import_module("numba.np.arrayobj")

    def lower_getitem(self, resty, expr, value, index, signature):
        place = self._place(value.name, index.name)
        if place is None:
            return super().lower_getitem(resty, expr, value, index, signature)
        kind = self.typeof(value.name)
        found = self._arrayobj.load_item(self.context, self.builder, kind, place)
        return self.context.cast(self.builder, found, kind.dtype, resty)

    def lower_setitem(self, target_var, index_var, value_var, signature):
        place = self._place(target_var.name, index_var.name)
        if place is None:
            return super().lower_setitem(target_var, index_var, value_var, signature)
        kind = self.typeof(target_var.name)
        value = self.loadvar(value_var.name)
        value = self.context.cast(self.builder, value, self.typeof(value_var.name), signature.args[2])
        value = self.context.cast(self.builder, value, signature.args[2], kind.dtype)
        return self._arrayobj.store_item(self.context, self.builder, kind, value, place)

    def _place(self, array, index):
        """Address of the element of an array that an index names; None where it names anything else."""
        kind, asked = self.typeof(array), self.typeof(index)
        several = isinstance(asked, types.BaseTuple)
        asked = asked.types if several else (asked,)
        if (
            not isinstance(kind, types.Array)
            or kind.layout not in "CA"
            or len(asked) != kind.ndim
            or not all(isinstance(one, types.Integer) for one in asked)
            or self.context.enable_boundscheck
        ):
            return None
        builder, found, given = self.builder, self.loadvar(array), self.loadvar(index)
        places = [
            self._number(one, builder.extract_value(given, k) if several else given, found, k)
            for k, one in enumerate(asked)
        ]
        data = builder.extract_value(found, _DATA)
        if kind.layout == "C":
            at = places[0]
            for k in range(1, kind.ndim):
                at = builder.add(builder.mul(at, builder.extract_value(found, (_SHAPE, k))), places[k])
            return builder.gep(data, [at])
        at = None
        for k, one in enumerate(places):
            step = builder.mul(one, builder.extract_value(found, (_STRIDES, k)))
            at = step if at is None else builder.add(at, step)
        byte = self.context.get_value_type(types.voidptr)
        return builder.bitcast(builder.gep(builder.bitcast(data, byte), [at]), data.type)

    def _number(self, kind, value, array, axis):
        """One number of an index; below zero it counts from the end."""
        if not kind.signed:
            return self.context.cast(self.builder, value, kind, types.uintp)
        if isinstance(kind, types.IntegerLiteral) and kind.literal_value >= 0:
            return self.context.get_constant(types.intp, kind.literal_value)
        at = self.context.cast(self.builder, value, kind, types.intp)
        negative = self.builder.icmp_signed("<", at, at.type(0))
        from_end = self.builder.add(at, self.builder.extract_value(array, (_SHAPE, axis)))
        return self.builder.select(negative, from_end, at)

    def delvar(self, name):
        if self.context.enable_nrt or name in self._blk_local_varmap or name in self._singly_assigned_vars:
            super().delvar(name)  # else there is nothing to give back


@register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(BaseNativeLowering):
    """The pass that does it."""

    _name = "tamis_lowering"

    @property
    def lowering_class(self):
        return _Lower
