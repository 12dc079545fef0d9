"""Keep every set seen in a queue; go on from the best, and back when it leads nowhere."""

import heapq
from dataclasses import dataclass

import numpy as np

from tamis.check import count
from tamis.search.space import Units, add, drop
from tamis.search.trials import Trials


@dataclass
class BestFirst:
    """Best-first search over single additions and removals, with backtracking.

    Ends after `patience` expansions in a row without a better set.

    Parameters
    ----------
    patience : how many fruitless expansions to bear.

    References
    ----------
    Kohavi, John (1997), Wrappers for feature subset selection, Artificial Intelligence 97.
    """

    patience: int = 5

    def run(self, trials: Trials) -> None:
        space, patience = trials.space, count("patience", self.patience)
        start = space.fixed
        first = float(trials.sets([start])[0]) if start else -np.inf
        queue: list[tuple[float, int, Units]] = [(-first, len(start), start)]
        expanded: set[Units] = {start}
        best, reached, fruitless = first, space.allows(start), 0
        while queue and fruitless < patience:
            _, _, current = heapq.heappop(queue)
            better = False
            for units, score in _neighbours(trials, current):
                if units in expanded or not np.isfinite(score):
                    continue
                expanded.add(units)
                heapq.heappush(queue, (-score, len(units), units))
                is_allowed = space.allows(units)
                if (is_allowed and not reached) or (is_allowed == reached and trials.rises(score, best)):
                    best, better, reached = score, True, reached or is_allowed
            fruitless = 0 if better else fruitless + 1


def _neighbours(trials: Trials, current: Units) -> list[tuple[Units, float]]:
    space = trials.space
    neighbours: list[tuple[Units, float]] = []
    if len(current) < space.high:
        units = space.outside(current)
        neighbours += [(add(current, (u,)), float(s)) for u, s in zip(units, trials.additions(current, units))]
    if len(current) > max(1, len(space.fixed)):
        units = space.inside(current)
        neighbours += [(drop(current, (u,)), float(s)) for u, s in zip(units, trials.removals(current, units))]
    return neighbours
