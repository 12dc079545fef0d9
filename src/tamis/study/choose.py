"""Which procedure to take: by paired differences of a proper score, the simplest that gives hardly anything away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.metrics.intervals.paired import difference
from tamis.metrics.one_standard_error import one_standard_error

#: What the simplest procedure must keep of the best one's gain over the baseline, by preference; None: the best itself.
#: What each share gives up over many tables, and how many columns it saves: docs/reference/study.md, "Choosing".
KEPT = {"simplest": 0.0, "balanced": 0.99, "best": None}


def choose(losses: Sequence[np.ndarray], rows: np.ndarray, prefer: str = "balanced") -> int:
    """The place of the procedure to take among several, simplest first; the first is the baseline.

    The best has the smallest mean loss. Taken is the simplest that loses no more than one standard error of the
    *paired* difference to it, and keeps the share of the best's gain over the baseline that `prefer` asks for.

    Parameters
    ----------
    losses : for each procedure, sums of a proper loss by unit.
    rows : how many rows each sum is of.
    prefer : "simplest" (one standard error alone), "balanced" (and 99% of the gain) or "best".

    >>> worse, good, best = np.array([40.0, 50, 60, 50]), np.array([10.0, 20, 20, 20]), np.array([11.0, 20, 20, 18])
    >>> choose([worse, good, best], np.ones(4)), choose([worse, good, best], np.ones(4), "best")
    (1, 2)
    """
    means = [float(sums.sum()) for sums in losses]
    best = min(range(len(means)), key=lambda place: (means[place], place))
    kept = KEPT[prefer]
    if kept is None:
        return best
    wanted = means[0] - kept * (means[0] - means[best])
    gaps = [difference(sums, losses[best], rows) for sums in losses[:best]]
    worse = [gap.mean if means[place] <= wanted else np.inf for place, gap in enumerate(gaps)]
    return one_standard_error([*worse, 0.0], [*(gap.error for gap in gaps), 0.0], best=best)
