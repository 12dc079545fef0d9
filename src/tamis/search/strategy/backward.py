"""Start with everything; take out the column that is missed least."""

from dataclasses import dataclass

from tamis.check import count
from tamis.search.space import drop
from tamis.search.trials import Trials


@dataclass
class Backward:
    """Greedy shrinking, until k columns are left or, for k="best", until every removal costs more than `tol`.

    Columns that help only together are still together when they are judged, which is why backward keeps what forward
    never finds.

    Parameters
    ----------
    step : how many columns to take out at a time: those missed least in the round.

    References
    ----------
    Kohavi, John (1997), Wrappers for feature subset selection, Artificial Intelligence 97.
    """

    step: int = 1

    def run(self, trials: Trials) -> None:
        space, step = trials.space, count("step", self.step)
        current = tuple(range(space.n_units))
        score = float(trials.sets([current])[0])
        while len(current) > space.low:
            units = space.inside(current)
            if not len(units):
                break
            scores = trials.removals(current, units)
            chosen = trials.pick(units, scores, min(step, len(current) - space.low), cheap=False)
            if not chosen:
                break
            reached = float(scores.max()) if len(chosen) == 1 else float(trials.sets([drop(current, chosen)])[0])
            if space.free and space.affords(current) and trials.rises(score, reached):
                break
            current, score = drop(current, chosen), reached
