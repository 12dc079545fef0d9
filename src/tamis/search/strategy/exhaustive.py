"""Value every set."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from math import comb

from tamis.errors import ParameterError
from tamis.search.space import Space, Units
from tamis.search.trials import Trials

_MOST = 1 << 26


@dataclass
class Exhaustive:
    """All sets of the sizes asked for; what it finds is the best there is.

    Parameters
    ----------
    batch : how many sets to ask for at a time.
    """

    batch: int = 4096

    def run(self, trials: Trials) -> None:
        space = trials.space
        free = space.n_units - len(space.fixed)
        total = sum(comb(free, size - len(space.fixed)) for size in range(space.low, space.high + 1))
        if total > _MOST and trials.max_evaluations is None and trials.deadline is None:
            raise ParameterError(
                f"search='exhaustive' would value {total:,} sets; give a smaller k, max_evaluations or time_limit, or "
                "search='branch-and-bound'"
            )
        proposals = _sets(space)
        while batch := list(islice(proposals, self.batch)):
            trials.sets(batch)
        trials.optimal = True


def _sets(space: Space) -> Iterator[Units]:
    free = [u for u in range(space.n_units) if u not in space.fixed]
    for size in range(space.low, space.high + 1):
        for chosen in combinations(free, size - len(space.fixed)):
            units = tuple(sorted((*space.fixed, *chosen)))
            if space.affords(units):
                yield units
