"""Move to the best neighbouring set as long as the score rises; start again from random sets."""

from dataclasses import dataclass

import numpy as np

from tamis.check import count
from tamis.search.space import Units, add, drop
from tamis.search.strategy.random import draw
from tamis.search.trials import Trials


@dataclass
class HillClimbing:
    """Steepest ascent from random sets.

    Neighbours of a set have one column more or one fewer; where only one size is asked for, one column is exchanged.

    Parameters
    ----------
    n_starts : how many random sets to start from.

    References
    ----------
    S. Russell and P. Norvig, "Artificial Intelligence: A Modern Approach", chapter 4 (random-restart hill climbing).
    """

    n_starts: int = 10

    def run(self, trials: Trials) -> None:
        for _ in range(count("n_starts", self.n_starts)):
            current = draw(trials.space, trials.random)
            score = float(trials.sets([current])[0])
            while True:
                units, reached = _best_neighbour(trials, current)
                if units is None or not trials.rises(reached, score):
                    break
                current, score = units, reached


def _best_neighbour(trials: Trials, current: Units) -> tuple[Units | None, float]:
    space = trials.space
    if space.low == space.high:
        smaller = [drop(current, [u]) for u in space.inside(current)]
        sets = [add(base, [u]) for base in smaller for u in space.outside(base) if u not in current]
        return _best(sets, trials.sets(sets))
    grown: list[Units] = []
    shrunk: list[Units] = []
    scores = []
    if len(current) < space.high and len(outside := space.outside(current)):
        grown = [add(current, [u]) for u in outside]
        scores.append(trials.additions(current, outside))
    if len(current) > space.low and len(inside := space.inside(current)):
        shrunk = [drop(current, [u]) for u in inside]
        scores.append(trials.removals(current, inside))
    return _best([*grown, *shrunk], np.concatenate([np.zeros(0), *scores]))


def _best(sets: list[Units], scores: np.ndarray) -> tuple[Units | None, float]:
    if not sets:
        return None, -np.inf
    index = int(np.argmax(scores))
    return sets[index], float(scores[index])
