"""The one decorator of every compiled kernel; importing this module is what imports Numba.

Numba keeps compiled kernels beside the source or, where that folder cannot be written, in the user's cache folder.
Where neither can be written (a read-only container), kernels that are kept beside the source are read, and others
compiled by every process anew.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import FunctionType
from typing import Any

import numba

from tamis.engine import internals
from tamis.engine.announce import announce
from tamis.engine.interrupt import Interruptible

_dispatch = internals.part("dispatch")
_Plain: Any = type(numba.njit(lambda: None))


class _Kernel(Interruptible, *(() if _Plain is FunctionType else (_Plain,))):  # type: ignore[misc]
    """Numba's own dispatcher; Numba asks only whether the kernel's own file has changed since it was compiled."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.signatures and not is_kept(self):
            announce()
        return super().__call__(*args, **kwargs)


def _plain(function: Any, kind: str, **options: Any) -> Any:
    """A kernel by public parts of Numba alone."""
    try:
        kernel: Any = numba.njit(function, nogil=True, cache=not kind, **options)
    except RuntimeError:  # no place to keep it: neither beside the source nor in the user's folder
        kernel = numba.njit(function, nogil=True, **options)
    if kernel is not function:  # NUMBA_DISABLE_JIT gives the function itself
        kernel.__class__ = _Kernel
    return kernel


def njit(function: Any = None, *, kind: str = "", **options: Any) -> Any:
    """``numba.njit`` without the interpreter's lock and kept on the disk: as ``@njit`` or ``@njit(option=…)``."""
    if function is None:
        return partial(njit, kind=kind, **options)
    return (_dispatch.kernel_of if _dispatch else _plain)(function, kind, **options)


def is_kept(kernel: Any) -> bool:
    """Whether a form of the kernel is on the disk, or none will ever be."""
    if isinstance(kernel, FunctionType):
        return True
    if _dispatch:
        return bool(_dispatch.is_kept(kernel))
    folder = kernel.stats.cache_path
    return folder is not None and any(Path(folder).glob(f"*{kernel.__name__}-*.nbi"))


#: For kernels that only kernels call and that allocate nothing: quicker to compile, and the arrays they hand on are not
#: counted as in use and out of use again (locked instructions: half of the time in the small nodes of a tree).
inner: Any = partial(njit, kind="inner", error_model="numpy")
