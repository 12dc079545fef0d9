"""Arrays made inside kernels.

Written by hand where Numba has the parts for it (`internals/arrays.py`), else (and with NUMBA_DISABLE_JIT) in NumPy.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.extending import register_jitable

from tamis.engine import internals

_arrays = None if numba.config.DISABLE_JIT else internals.part("arrays")


@register_jitable
def _vector(n: Any, dtype: Any) -> Any:
    return np.empty(n, dtype)


@register_jitable
def _matrix(n: Any, m: Any, dtype: Any) -> Any:
    return np.empty((n, m), dtype)


vector = _arrays.vector if _arrays else _vector
matrix = _arrays.matrix if _arrays else _matrix
