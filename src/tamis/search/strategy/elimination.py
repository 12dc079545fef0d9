"""Start with everything; take out the columns that the model itself leans on least."""

from dataclasses import dataclass

import numpy as np

from tamis.check import number
from tamis.search.space import drop
from tamis.search.trials import Trials


@dataclass
class Elimination:
    """Recursive elimination: one fit a round tells the weights, one valuing tells the score.

    The weight of a column is its absolute coefficient times its standard deviation, or its importance; a group weighs
    as much as its heaviest column.

    Parameters
    ----------
    step : how many columns to take out a round; below 1, that share of those left.

    References
    ----------
    Guyon, Weston, Barnhill, Vapnik (2002), Gene selection for cancer classification, Machine Learning 46.
    """

    step: float = 1

    def run(self, trials: Trials) -> None:
        space = trials.space
        step = number("step", self.step, low=0, open_low=True)
        current = tuple(range(space.n_units))
        trials.sets([current])
        low = max(1, len(space.fixed)) if space.free else space.low
        while len(current) > low:
            columns = space.columns(current)
            weight = dict(zip(columns.tolist(), trials.evaluator.weights(columns)))
            units = space.inside(current)
            heavy = np.array([max(weight[int(j)] for j in space.units[u]) for u in units])
            n_drop = int(step) if step >= 1 else max(1, int(step * len(current)))
            n_drop = min(n_drop, len(current) - low, len(units))
            if n_drop < 1:
                break
            # the lightest go; among equals the last by name
            order = np.lexsort((-units, heavy))
            current = drop(current, units[order[:n_drop]])
            trials.sets([current])
