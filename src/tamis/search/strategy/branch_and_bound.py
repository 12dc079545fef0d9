"""Leave out whole families of sets that cannot hold the best one."""

from dataclasses import dataclass

import numpy as np

from tamis.errors import ParameterError
from tamis.search.space import Units, drop
from tamis.search.trials import Stop, Trials


@dataclass
class BranchAndBound:
    """The provably best set of each size asked for, when a score never falls as columns are added.

    Starts from all columns and drops them one by one; a branch is cut when its score is no better than that of the best
    known set of the sizes it leads to. For least squares the whole tree is walked in compiled code.

    References
    ----------
    Narendra, Fukunaga (1977), A branch and bound algorithm for feature subset selection, IEEE Trans. Computers 26.
    Gatu, Kontoghiorghes (2006), Branch-and-bound algorithms for computing the best-subset regression models, JCGS 15.
    """

    def run(self, trials: Trials) -> None:
        space, evaluator = trials.space, trials.evaluator
        if not evaluator.monotone:
            raise ParameterError(
                f"search='branch-and-bound' needs a score that never falls when a column is added, and that of "
                f"{evaluator.name} may; give cv='train' with least squares, 'consistency', or search='exhaustive'"
            )
        if space.single and space.budget is None and not space.priced and not space.fixed:
            result = evaluator.best_subsets(space.low, space.high, trials.deadline)
            if result is not None:
                sets, proved = result
                unit_of = {int(columns[0]): u for u, columns in enumerate(space.units)}
                trials.sets([tuple(sorted(unit_of[int(j)] for j in columns)) for columns in sets])
                if not proved:
                    raise Stop("time_limit")
                trials.optimal = True
                return
        start = tuple(range(space.n_units))
        score = float(trials.sets([start])[0])
        _visit(trials, start, score, frozenset(space.fixed))
        trials.optimal = True


def _visit(trials: Trials, units: Units, score: float, passive: frozenset[int]) -> None:
    space = trials.space
    if len(units) <= space.low:
        return
    free = np.array([u for u in units if u not in passive], dtype=np.int64)
    if not len(free):
        return
    scores = trials.removals(units, free)
    order = np.argsort(scores, kind="stable")  # the most missed first: they stay in the branches of the others
    for rank in range(len(order) - 1, -1, -1):
        passive_now = passive | {int(u) for u in free[order[:rank]]}
        child, bound = drop(units, [int(free[order[rank]])]), float(scores[order[rank]])
        sizes = range(max(space.low, len(passive_now)), min(space.high, len(child)) + 1)
        best_scores = [trials.history.best[s].score if s in trials.history.best else -np.inf for s in sizes]
        if any(bound > best + trials.evaluator.resolution for best in best_scores) or not space.affords(child):
            _visit(trials, child, bound, passive_now)
