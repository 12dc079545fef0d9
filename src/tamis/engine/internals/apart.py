# mypy: ignore-errors
"""Kernels that kernels call and that are compiled apart from them: by another process, at the same time.

The caller reads where the other one is from a cell of memory. A cell has a name, by which LLVM finds it; what is kept
of the caller on the disk says which kernel belongs there, and for which types, and brings it along when it is loaded.
"""

from __future__ import annotations

from contextlib import contextmanager
from ctypes import addressof, c_void_p
from importlib import import_module
from typing import Any, NamedTuple
from uuid import uuid4

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils

_cells = {}
_empty = []  # calls that have been written, and whose cells are not filled yet
_compiling = []


class Call(NamedTuple):
    """A kernel that is called, the types of what it is given, and the name of its cell."""

    module: str
    kernel: str
    args: tuple
    cell: str

    def __hash__(self):
        return hash(self.cell)

    def __call__(self):
        """What Numba does with it before it loads the caller."""
        self.name_cell()
        self.fill()

    def name_cell(self):
        """Let LLVM know the cell."""
        if self.cell not in _cells:
            _cells[self.cell] = c_void_p()
            binding.add_symbol(self.cell, addressof(_cells[self.cell]))

    def fill(self):
        """Load the kernel, or compile it."""
        _cells[self.cell].value = getattr(import_module(self.module), self.kernel).address(self.args)


def caller_of(function: Any, args: Any) -> Any:
    """How a call is written down for LLVM: nothing is returned but whether there was an error."""

    def code(context, builder, signature, given):
        call = Call(function.__module__, function.__name__, args, f"tamis_{uuid4().hex}")
        context.active_code_library._reload_init.add(call)
        call.name_cell()
        _empty.append(call)
        kind = context.call_conv.get_function_type(types.none, args).as_pointer()
        callee = builder.load(ir.GlobalVariable(builder.module, kind, call.cell))
        status, _ = context.call_conv.call_function(builder, callee, types.none, args, given)
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
        return context.get_dummy_value()

    code.signature, code.libs = args, ()
    return code


@contextmanager
def cells_filled():
    """While a kernel is compiled; when it is done, the cells of its calls are filled.

    After an error or Ctrl-C what was compiled stays in use, so that its cells are filled with those of the next one.
    """
    _compiling.append(True)
    try:
        yield
        while len(_compiling) == 1 and _empty:
            _empty[0].fill()
            _empty.pop(0)
    finally:
        _compiling.pop()
