"""Forward, but after each step take out what has become superfluous."""

from dataclasses import dataclass

import numpy as np

from tamis.search.space import Units, add, drop
from tamis.search.trials import Trials


@dataclass
class Floating:
    """Sequential floating forward selection: a column added early can leave again.

    A column is taken out only when that beats the best set of the smaller size seen so far, so the search ends.

    Parameters
    ----------
    patience : for k="best", how many sizes beyond the best one to go on.

    References
    ----------
    Pudil, Novovičová, Kittler (1994), Floating search methods in feature selection, Pattern Recognition Letters 15.
    """

    patience: int = 3

    def run(self, trials: Trials) -> None:
        space = trials.space
        current = space.fixed
        best: dict[int, float] = {}
        if current:
            best[len(current)] = float(trials.sets([current])[0])
        best_score, since = -np.inf, 0
        while len(current) < space.high:
            units = space.outside(current)
            scores = trials.additions(current, units)
            chosen = trials.pick(units, scores)
            if not chosen:
                break
            current = add(current, chosen)
            score = float(scores.max())
            if not trials.rises(score, best.get(len(current), -np.inf)):
                score = best[len(current)]
            best[len(current)] = score
            current = self._shrink(trials, current, best)
            top = max(best.values())
            since = 0 if trials.rises(top, best_score) else since + 1
            best_score = max(best_score, top)
            if space.free and since > self.patience:
                break

    def _shrink(self, trials: Trials, current: Units, best: dict[int, float]) -> Units:
        while len(current) > 2 and len(current) > len(trials.space.fixed):
            units = trials.space.inside(current)
            scores = trials.removals(current, units)
            chosen = trials.pick(units, scores, cheap=False)
            smaller = len(current) - 1
            if not chosen or not float(scores.max()) > best.get(smaller, -np.inf) + 1e-12 * abs(best.get(smaller, 0.0)):
                break
            current = drop(current, chosen)
            best[smaller] = float(scores.max())
        return current
