"""Start with nothing; add the column that helps most."""

from dataclasses import dataclass

import numpy as np

from tamis.check import count
from tamis.search.space import add
from tamis.search.trials import Trials


@dataclass
class Forward:
    """Greedy growth, until k columns are in or, for k="best", until no column raises the score by more than `tol`.

    Parameters
    ----------
    step : how many columns to add at a time: the best ones of the round, not the best group.

    References
    ----------
    Kohavi, John (1997), Wrappers for feature subset selection, Artificial Intelligence 97.
    """

    step: int = 1

    def run(self, trials: Trials) -> None:
        space, step = trials.space, count("step", self.step)
        current = space.fixed
        score = float(trials.sets([current])[0]) if current else -np.inf
        while len(current) < space.high:
            units = space.outside(current)
            if not len(units):
                break
            scores = trials.additions(current, units)
            chosen = trials.pick(units, scores, min(step, space.high - len(current)))
            if not chosen:
                break
            grown = add(current, chosen)
            if len(chosen) > 1 and not space.affords(grown):
                chosen, grown = chosen[:1], add(current, chosen[:1])
            reached = float(scores.max()) if len(chosen) == 1 else float(trials.sets([grown])[0])
            if space.free and not trials.rises(reached, score):
                break
            current, score = grown, reached
