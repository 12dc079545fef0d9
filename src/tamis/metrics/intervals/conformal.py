"""Split-conformal quantiles of absolute residuals."""

from typing import Any

import numpy as np

#: Shares of rows whose reach is told.
SHARES = (0.5, 0.8, 0.9, 0.95)


def conformal_radii(sizes: np.ndarray, rows: int) -> list[dict[str, Any]]:
    r"""`fraction` and `radius`: of n rows the quantile :math:`\lceil (n + 1) c \rceil / n` of the sizes of errors.

    It is the smallest reach that holds a new row with the chance c, were it drawn like these (split conformal).

    Parameters
    ----------
    sizes : of errors, several of a row where it was judged several times.
    rows : how many rows they are of; a share that so few cannot speak for is left out.

    >>> conformal_radii(np.arange(1.0, 11.0), 10)
    [{'fraction': 0.5, 'radius': 6.0}, {'fraction': 0.8, 'radius': 9.0}, {'fraction': 0.9, 'radius': 10.0}]
    """
    ranked = np.sort(sizes)
    radii = []
    for share in SHARES:
        rank = int(np.ceil((rows + 1) * share))
        if rank <= rows:
            radii.append({"fraction": share, "radius": float(ranked[-(-len(ranked) * rank // rows) - 1])})
    return radii
