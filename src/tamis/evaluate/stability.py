r"""How alike the sets of columns are that were chosen on different rows.

.. math:: \Phi = 1 - \frac{\frac1p \sum_f s_f^2}{\frac{\bar k}{p}\left(1 - \frac{\bar k}{p}\right)}, \qquad
          s_f^2 = \frac{M}{M-1}\,\hat p_f (1 - \hat p_f),

with p columns, M sets of mean size k̄ and p̂ the share of sets that hold column f: 1 when all sets are equal, about 0
when columns are drawn blindly.

References
----------
Nogueira, Sechidis, Brown: On the stability of feature selection algorithms. JMLR 18 (2018).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from scipy import stats

from tamis.evaluate.interval import Interval

__all__ = ["stability"]


def stability(sets: Sequence[Iterable[Hashable]], n_columns: int, *, level: float = 0.95) -> tuple[float, Interval]:
    """Nogueira's stability of the chosen sets, and its interval; NaN where it is not defined (one set, or all columns).

    >>> stability([["a", "b"], ["a", "b"], ["a", "b"]], 10)[0]
    1.0
    """
    chosen = _matrix(sets, n_columns)
    n_sets = len(chosen)
    sizes = chosen.sum(axis=1)
    share = sizes.mean() / n_columns if n_sets else 0.0
    spread = share * (1 - share)
    if n_sets < 2 or spread == 0:
        return float("nan"), Interval(np.nan, np.nan, level)
    often = chosen.mean(axis=0)
    value = 1 - (n_sets / (n_sets - 1)) * (often * (1 - often)).sum() / n_columns / spread
    relative = sizes / n_columns
    each = (
        chosen @ often / n_columns - relative * share + value / 2 * (2 * relative * share - relative - share + 1)
    ) / spread
    error = np.sqrt(4 / n_sets**2 * ((each - each.mean()) ** 2).sum())
    reach = float(stats.norm.ppf(0.5 + level / 2) * error)
    return float(value), Interval(float(value) - reach, float(value) + reach, level)


def _matrix(sets: Sequence[Iterable[Hashable]], n_columns: int) -> np.ndarray:
    """Sets × columns that any set holds; columns never chosen add nothing but their number."""
    listed = [set(one) for one in sets]
    place: dict[Hashable, int] = {}
    for one in listed:
        for column in one:
            place.setdefault(column, len(place))
    matrix = np.zeros((len(listed), max(1, len(place))))
    for row, one in enumerate(listed):
        matrix[row, [place[column] for column in one]] = 1
    return matrix
