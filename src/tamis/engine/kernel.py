"""The one decorator of every compiled kernel; importing this module is what imports Numba.

Numba keeps compiled kernels beside the source or, where that folder cannot be written, in the user's cache folder.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numba
from numba.core import event

njit = partial(numba.njit, nogil=True, cache=True)

#: For kernels that only kernels call and that allocate nothing: quicker to compile, and the arrays they hand on are not
#: counted as in use and out of use again (locked instructions: half of the time in the small nodes of a tree).
inner = partial(njit, _nrt=False, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)


class _Announce(event.Listener):
    """Says once, on a terminal, that the machine is compiling: the silence would look like a hang."""

    said = False

    def on_start(self, event: Any) -> None:
        if not _Announce.said and sys.stderr.isatty():
            _Announce.said = True
            print("tamis: compiling its kernels for this machine, once; later runs start at once", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announce())
