"""Which procedure to take: by paired differences of a proper score, the simplest that gives hardly anything away.

Kinds of model with the same number of columns form a rung of the ladder. First the rung is chosen, then the kind: the
least loss of many candidates is below what the best of them loses on new rows, so a rung is judged by rows that did not
choose its kind. The quoted metric decides where the proper score cannot: choosing by the Brier score alone took a model
of AUC 0.79, where one that lost no more had 0.84.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tamis.metrics.intervals.paired import difference
from tamis.metrics.one_standard_error import one_standard_error

#: Parts of the units, in each of which a rung counts with the kind that loses least in the others.
PARTS = 10

#: What the simplest procedure must keep of the best one's gain over the baseline, by preference; None: the best itself.
#: What each share gives up over many tables, and how many columns it saves: docs/reference/study-choosing.md.
KEPT = {"simplest": 0.0, "balanced": 0.9, "best": None}

#: The same of the simplest kind of a rung: it saves no columns. Over 33 tables, 87 splits, 90% is 0.2 points worse.
KIND_KEPT = {"simplest": 0.0, "balanced": 0.99}


#: Level of the tests that say whether two procedures can be told apart, by the loss and by the quoted metric.
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class RungLosses:
    """Sums by unit of each rung, judged by rows that did not choose its kind; `quoted` of the quoted metric."""

    losses: list[np.ndarray]
    quoted: list[np.ndarray] | None


def rungs_of(names: Sequence[str]) -> list[list[int]]:
    """Places of the candidates of each rung; one of no size is a rung by itself.

    >>> rungs_of(["baseline", "formula[1]", "additive[1]", "formula[2]", "additive[2]", "lasso"])
    [[0], [1, 2], [3, 4], [5]]
    """
    rungs: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        rung = name.partition("[")[2] if name.endswith("]") else name
        rungs.setdefault(rung, []).append(place)
    return list(rungs.values())


def choose_by_rung(
    names: Sequence[str],
    losses: Sequence[np.ndarray],
    rows: np.ndarray,
    prefer: str = "balanced",
    quoted: Sequence[np.ndarray] | None = None,
    rungs: RungLosses | None = None,
) -> int:
    """The place of the candidate to take: first the rung, by the rule of `choose`, then the kind by a stricter one.

    Parameters
    ----------
    names : of the candidates, simplest first, the baseline first; `kind[size]` those of a rung.
    losses, rows, prefer, quoted : as in `choose`, a candidate each.
    rungs : what the rungs lost where training rows chose the kind; None cross-fits the choice over units.

    >>> base, tree, line = np.full(20, 9.0), np.tile([1.0, 3.0], 10), np.tile([3.0, 1.2], 10)
    >>> choose_by_rung(["baseline", "tree[1]", "line[1]"], [base, tree, line], np.ones(20))
    1
    """
    places = rungs_of(names)
    if KEPT[prefer] is None or len(places) == len(names):
        return choose(losses, rows, prefer, quoted)
    judged = rungs or _cross_fitted(places, losses, quoted)
    rung = places[choose(judged.losses, rows, prefer, judged.quoted)]
    if len(rung) == 1:
        return rung[0]
    kind = simplest([losses[0], *(losses[place] for place in rung)], rows, KIND_KEPT[prefer])
    return rung[kind - 1] if kind else min(rung, key=lambda place: float(losses[place].sum()))


def _cross_fitted(
    places: Sequence[Sequence[int]], losses: Sequence[np.ndarray], quoted: Sequence[np.ndarray] | None
) -> RungLosses:
    """Losses of rungs: in each part of the units those of the kind that loses least in the other parts."""
    part = np.arange(len(losses[0])) % PARTS
    taken = []
    for rung in places:
        own = np.array([losses[place] for place in rung])
        others = own.sum(axis=1)[:, None] - np.array([np.bincount(part, kind, PARTS) for kind in own])
        taken.append(np.argmin(others, axis=0)[part])

    def of_rungs(sums: Sequence[np.ndarray]) -> list[np.ndarray]:
        units = np.arange(len(part))
        return [np.array([sums[place] for place in rung])[kind, units] for kind, rung in zip(taken, places)]

    return RungLosses(of_rungs(losses), None if quoted is None else of_rungs(quoted))


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
    index = simplest(losses, rows, KEPT[prefer])
    return index if quoted is None else _by_metric(losses, quoted, _best(losses), rows, index)


def _best(losses: Sequence[np.ndarray]) -> int:
    return min(range(len(losses)), key=lambda index: (float(losses[index].sum()), index))


def simplest(losses: Sequence[np.ndarray], rows: np.ndarray, fraction: float | None) -> int:
    """The simplest within one standard error of the best that keeps a fraction of its gain; None: the best itself."""
    best, means = _best(losses), [float(sums.sum()) for sums in losses]
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
