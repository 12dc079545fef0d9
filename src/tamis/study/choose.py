"""Which procedure to take: by paired differences of a proper score, the simplest that gives hardly anything away.

The quoted metric decides where the proper score cannot: choosing by the Brier score alone took a model of AUC 0.79,
where one that lost no more had 0.84.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tamis.metrics.intervals.paired import difference
from tamis.metrics.one_standard_error import one_standard_error

#: What the simplest procedure must keep of the best one's gain over the baseline, by preference; None: the best itself.
#: What each share gives up over many tables, and how many columns it saves: docs/reference/study.md, "Choosing".
KEPT = {"simplest": 0.0, "balanced": 0.9, "best": None}


#: Level of the tests that say whether two procedures can be told apart, by the loss and by the quoted metric.
LEVEL = 0.05


def choose(
    losses: Sequence[np.ndarray],
    rows: np.ndarray,
    prefer: str = "balanced",
    quoted: Sequence[np.ndarray] | None = None,
) -> int:
    """The place of the procedure to take among several, simplest first; the first is the baseline.

    The best has the smallest mean loss. Taken is the simplest that loses no more than one standard error of the
    *paired* difference to it, and keeps the share of the best's gain over the baseline that `prefer` asks for. Where
    the quoted metric disagrees beyond chance, it decides among the procedures that the loss cannot tell from the best.

    Parameters
    ----------
    losses : for each procedure, sums of a proper loss by unit.
    rows : how many rows each sum is of.
    prefer : "simplest" (one standard error alone), "balanced" (and 90% of the gain) or "best".
    quoted : the same sums of losses whose mean the quoted metric is (see `metric_losses`); None where it has none.

    >>> worse, good, best = np.array([40.0, 50, 60, 50]), np.array([10.0, 20, 20, 20]), np.array([11.0, 20, 20, 18])
    >>> choose([worse, good, best], np.ones(4)), choose([worse, good, best], np.ones(4), "best")
    (1, 2)
    """
    means = [float(sums.sum()) for sums in losses]
    best = min(range(len(means)), key=lambda index: (means[index], index))
    index = _by_loss(losses, means, best, rows, prefer)
    return index if quoted is None else _by_metric(losses, quoted, best, rows, index)


def _by_loss(losses: Sequence[np.ndarray], means: Sequence[float], best: int, rows: np.ndarray, prefer: str) -> int:
    fraction = KEPT[prefer]
    if fraction is None:
        return best
    target_loss = means[0] - fraction * (means[0] - means[best])
    gaps = [difference(sums, losses[best], rows) for sums in losses[:best]]
    worse = [gap.mean if means[index] <= target_loss else np.inf for index, gap in enumerate(gaps)]
    return one_standard_error([*worse, 0.0], [*(gap.error for gap in gaps), 0.0], best=best)


def _by_metric(
    losses: Sequence[np.ndarray], quoted: Sequence[np.ndarray], best: int, rows: np.ndarray, index: int
) -> int:
    """The simplest within one standard error of the best by the metric, among those that the loss cannot tell apart.

    Only where that best is better than the choice by the loss beyond chance (Bonferroni); else that choice.
    """
    equivalent = [
        i
        for i, sums in enumerate(losses)
        if i in (best, index) or (i and difference(sums, losses[best], rows).p_value > LEVEL)
    ]
    leader = min(equivalent, key=lambda i: (float(quoted[i].sum()), i))
    n_tests = max(1, len(equivalent) - 1)
    if leader == index or difference(quoted[index], quoted[leader], rows).p_value * n_tests > LEVEL:
        return index
    gaps = [difference(quoted[i], quoted[leader], rows) for i in equivalent]
    chosen = one_standard_error([gap.mean for gap in gaps], [gap.error for gap in gaps], best=equivalent.index(leader))
    return equivalent[chosen]
