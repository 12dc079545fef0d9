"""Value sets drawn at random: the baseline that every other strategy should beat."""

from dataclasses import dataclass

import numpy as np

from tamis.check import count
from tamis.search.space import Space, Units, add
from tamis.search.trials import Trials


@dataclass
class Random:
    """Sets of a random size with random members.

    Parameters
    ----------
    n_sets : how many sets to draw (`max_evaluations`, when given, draws that many).
    """

    n_sets: int = 1000

    def run(self, trials: Trials) -> None:
        n_sets = trials.max_evaluations or count("n_sets", self.n_sets)
        drawn: dict[Units, None] = {}
        for _ in range(20 * n_sets):
            drawn[draw(trials.space, trials.random)] = None
            if len(drawn) == n_sets:
                break
        for start in range(0, len(drawn), 256):
            trials.sets(list(drawn)[start : start + 256])


def draw(space: Space, random: np.random.Generator) -> Units:
    """A random set: a size uniform among those asked for, then members one by one while the budget lasts."""
    size = int(random.integers(space.low, space.high + 1))
    units = space.fixed
    if space.budget is None:
        free = np.setdiff1d(np.arange(space.n_units), space.fixed)
        return add(units, random.choice(free, size - len(units), replace=False))
    while len(units) < size:
        left = space.outside(units)
        if not len(left):
            break
        units = add(units, [random.choice(left)])
    return units
