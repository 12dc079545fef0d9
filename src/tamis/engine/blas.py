"""One BLAS thread for a while: the same bits on every machine, and no waiting for busy cores on small products."""

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401 - brings a BLAS of its own, which must be there to be found

    return ThreadpoolController()  # looking for the libraries takes 3 ms, limiting them 0.05 ms


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS computes on one thread.

    >>> with one_blas_thread():
    ...     pass
    """
    return _controller().limit(limits=1)
