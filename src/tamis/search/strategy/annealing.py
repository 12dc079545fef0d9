"""A random walk over sets that accepts a worse set less and less often."""

from dataclasses import dataclass

import numpy as np

from tamis.check import count
from tamis.search.space import Units, add, drop
from tamis.search.strategy.random import draw
from tamis.search.trials import Trials


@dataclass
class Annealing:
    """Simulated annealing: a column in, out or exchanged; a loss s is accepted with probability exp(-s / temperature).

    The first temperature is the spread of the scores of random sets; it falls geometrically to a thousandth of that.

    Parameters
    ----------
    n_steps : length of the walk (`max_evaluations`, when given, fits it to that budget).
    starts : how many random sets to value first; the walk begins at the best.

    References
    ----------
    Kirkpatrick, Gelatt, Vecchi (1983), Optimization by simulated annealing, Science 220.
    """

    n_steps: int = 2000
    starts: int = 20

    def run(self, trials: Trials) -> None:
        random = trials.random
        first = list(dict.fromkeys(draw(trials.space, random) for _ in range(count("starts", self.starts))))
        scores = trials.sets(first)
        current, score = first[int(np.argmax(scores))], float(scores.max())
        real = scores[np.isfinite(scores)]
        heat = float(real.std()) if len(real) > 1 and real.std() > 0 else 1e-3 * max(abs(score), 1.0)
        steps = count("n_steps", self.n_steps)
        if trials.max_evaluations is not None:
            steps = max(1, trials.max_evaluations - len(first))
        for i in range(steps):
            proposed = neighbour(trials, current)
            reached = float(trials.sets([proposed])[0])
            temperature = heat * 1e-3 ** (i / steps)
            if reached >= score or random.random() < np.exp((reached - score) / temperature):
                current, score = proposed, reached


def neighbour(trials: Trials, current: Units) -> Units:
    """A set one move away: a unit added, taken out, or exchanged for another, within the sizes asked for."""
    space, random = trials.space, trials.random
    inside, outside = space.inside(current), space.outside(current)
    moves = []
    if len(current) < space.high and len(outside):
        moves.append("add")
    if len(current) > space.low and len(inside):
        moves.append("drop")
    if len(inside) and len(current) < space.n_units:
        moves.append("swap")
    if not moves:
        return current
    move = moves[int(random.integers(len(moves)))]
    if move == "add":
        return add(current, [random.choice(outside)])
    smaller = drop(current, [random.choice(inside)])
    if move == "drop":
        return smaller
    left = np.setdiff1d(space.outside(smaller), current)
    return add(smaller, [random.choice(left)]) if len(left) else current
