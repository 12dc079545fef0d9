"""Within which distance of the truth shares of the answers lie."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Shares of rows whose reach is told.
SHARES = (0.5, 0.8, 0.9, 0.95)


def reaches(sizes: np.ndarray, rows: int) -> list[dict[str, Any]]:
    r"""`share` and `within`: of n rows the quantile :math:`\lceil (n + 1) c \rceil / n` of the sizes of errors.

    It is the smallest reach that holds a new row with the chance c, were it drawn like these (split conformal).

    Parameters
    ----------
    sizes : of errors, several of a row where it was judged several times.
    rows : how many rows they are of; a share that so few cannot speak for is left out.

    >>> reaches(np.arange(1.0, 11.0), 10)
    [{'share': 0.5, 'within': 6.0}, {'share': 0.8, 'within': 9.0}, {'share': 0.9, 'within': 10.0}]
    """
    ranked = np.sort(sizes)
    radii = []
    for share in SHARES:
        rank = int(np.ceil((rows + 1) * share))
        if rank <= rows:
            radii.append({"share": share, "within": float(ranked[-(-len(ranked) * rank // rows) - 1])})
    return radii
