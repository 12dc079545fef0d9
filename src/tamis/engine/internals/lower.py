# mypy: ignore-errors
"""Turning typed kernels into LLVM's language, with fewer words for what they do most: reading and writing elements.

Numba copies an array's seven numbers to the stack to read one element of it, some forty instructions, of which LLVM
leaves three. Written down in ten, the same is read, checked and optimised in less time; what comes out is the same.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module

from llvmlite import ir as llvm
from numba.core import types
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering

from tamis.engine.internals import ranges, views
from tamis.engine.internals.views import DATA, SHAPE, STRIDES


class _Lower(Lower):
    """Numba's, with elements of arrays read and written where they are."""

    @cached_property
    def _arrayobj(self):
        """Numba's part for arrays; it takes 60 ms to import, which a kept kernel need not wait for."""
        return import_module("numba.np.arrayobj")

    def lower_expr(self, resty, expr):
        found = None
        if expr.op == "call":
            found = self._range(resty, expr)
        elif expr.op == "getiter":
            found = self._iterator(resty, expr)
        elif expr.op == "iternext":
            found = self._following(resty, expr)
        elif expr.op in ("pair_first", "pair_second"):
            found = self._half(resty, expr, int(expr.op == "pair_second"))
        return super().lower_expr(resty, expr) if found is None else found

    def _range(self, resty, expr):
        """A call of range; its bounds are remembered for the loop."""
        signature = self.fndesc.calltypes[expr]
        if getattr(self.typeof(expr.func.name), "typing_key", None) is not range or not ranges.is_range(resty):
            return None
        args = [
            self.context.cast(self.builder, self.loadvar(one.name), self.typeof(one.name), kind)
            for one, kind in zip(expr.args, signature.args)
        ]
        bounds = ranges.bounds(args, self.context.get_value_type(resty.dtype))
        made = ranges.structure(self.builder, self.context.get_value_type(resty), bounds)
        self._bounds[id(made)] = made, bounds
        return made

    def _iterator(self, resty, expr):
        """The beginning of a loop over a range of this block, whose step is a number written out."""
        if not ranges.is_range(self.typeof(expr.value.name)):
            return None
        _, bounds = self._bounds.get(id(self.loadvar(expr.value.name)), (None, None))
        if bounds is None or not isinstance(bounds[2], llvm.Constant) or bounds[2].constant == 0:
            return None
        return ranges.iterator(self.builder, self.context.get_value_type(resty), *bounds)

    def _following(self, resty, expr):
        """The next value of a range."""
        if not isinstance(self.typeof(expr.value.name), types.RangeIteratorType):
            return None
        return ranges.following(self.builder, self.context.get_value_type(resty), self.loadvar(expr.value.name))

    def _half(self, resty, expr, k):
        """A value that an iterator gave, or whether it gave one, taken out of the pair without a copy on the stack."""
        if not isinstance(resty, types.Number | types.Boolean):
            return None
        return self.builder.extract_value(self.loadvar(expr.value.name), k)

    @cached_property
    def _bounds(self):
        """Bounds of ranges, by the values that stand for them."""
        return {}

    def storevar(self, value, name, argidx=None):
        """Without a look at the value before, where that need not be given back."""
        kind = self.typeof(name)
        if argidx is not None or name in self._singly_assigned_vars or self._is_counted(kind):
            super().storevar(value, name, argidx)
        else:
            self.builder.store(value, self.getvar(name))

    def _is_counted(self, kind):
        """Whether values of a type have references that are counted."""
        if not self.context.enable_nrt:
            return False
        found = self._counted.get(id(kind))
        if found is None:
            found = self._counted[id(kind)] = kind, self.context.data_model_manager[kind].contains_nrt_meminfo()
        return found[1]

    @cached_property
    def _counted(self):
        """What `_is_counted` found, by the types' addresses: Numba's types take long to compare."""
        return {}

    def lower_getitem(self, resty, expr, value, index, signature):
        place = self._place(value.name, index.name)
        if place is None:
            view = self._view(value.name, index.name, signature.return_type)
            if view is None:
                return super().lower_getitem(resty, expr, value, index, signature)
            self.incref(signature.return_type, view)
            return self.context.cast(self.builder, view, signature.return_type, resty)
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
        kind, asked = self.typeof(array), self._asked(index)
        numbers = all(isinstance(one, types.Integer) for one in asked)
        if not self._is_plain(kind) or len(asked) != kind.ndim or not numbers:
            return None
        found = self.loadvar(array)
        places = [self._number(one, self._given(index, k), found, k) for k, one in enumerate(asked)]
        return self._address(kind, found, places)

    def _view(self, array, index, wanted):
        """The part of an array that numbers and slices (no step) name on its first axes; None for another index."""
        kind, asked = self.typeof(array), self._asked(index)
        known = all(isinstance(one, types.Integer) or one == types.slice2_type for one in asked)
        if not self._is_plain(kind) or not known or not isinstance(wanted, types.Array):
            return None
        builder, found, places, lengths, strides = self.builder, self.loadvar(array), [], [], []
        for k in range(kind.ndim):
            given = self._given(index, k) if k < len(asked) else None
            if given is not None and isinstance(asked[k], types.Integer):
                places.append(self._number(asked[k], given, found, k))
                continue
            length = builder.extract_value(found, (SHAPE, k))
            if given is not None:
                start, stop = (views.bound(builder, builder.extract_value(given, q), length) for q in range(2))
                places.append(start)
                length = views.distance(builder, start, stop)
            lengths.append(length)
            strides.append(builder.extract_value(found, (STRIDES, k)))
        data = self._address(kind, found, places)
        return views.view(builder, self.context.get_value_type(wanted), found, data, lengths, strides)

    def _given(self, index, k):
        """What an index says of axis k."""
        given = self.loadvar(index)
        return self.builder.extract_value(given, k) if isinstance(self.typeof(index), types.BaseTuple) else given

    def _asked(self, index):
        """The types of an index, one for each axis it names."""
        asked = self.typeof(index)
        return asked.types if isinstance(asked, types.BaseTuple) else (asked,)

    def _is_plain(self, kind):
        """Whether a type is that of an array whose elements we find ourselves."""
        return isinstance(kind, types.Array) and kind.layout in "CA" and not self.context.enable_boundscheck

    def _address(self, kind, array, places):
        """The address of what numbers for the first axes of an array name."""
        builder, data = self.builder, self.builder.extract_value(array, DATA)
        if kind.layout == "C":
            at = places[0]
            for k in range(1, kind.ndim):
                at = builder.mul(at, builder.extract_value(array, (SHAPE, k)))
                if k < len(places):
                    at = builder.add(at, places[k])
            return builder.gep(data, [at])
        at = None
        for k, one in enumerate(places):
            step = builder.mul(one, builder.extract_value(array, (STRIDES, k)))
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
        from_end = self.builder.add(at, self.builder.extract_value(array, (SHAPE, axis)))
        return self.builder.select(negative, from_end, at)

    def delvar(self, name):
        out_of_order = name in self._singly_assigned_vars and name not in self._blk_local_varmap
        if out_of_order or self._is_counted(self.typeof(name)):
            super().delvar(name)  # else there is nothing to give back

    def incref(self, typ, val):
        if self._is_counted(typ):
            super().incref(typ, val)

    def decref(self, typ, val):
        if self._is_counted(typ):
            super().decref(typ, val)


@register_pass(mutates_CFG=True, analysis_only=False)
class Lowering(BaseNativeLowering):
    """The pass that does it."""

    _name = "tamis_lowering"

    @property
    def lowering_class(self):
        return _Lower
