"""A population of sets that mate, mutate and compete."""

from dataclasses import dataclass

import numpy as np

from tamis.check import count, number
from tamis.search.space import Space, Units, add, drop
from tamis.search.strategy.random import draw
from tamis.search.trials import Trials


@dataclass
class Genetic:
    """Tournament selection, uniform crossover, bit-flip mutation, the best always survives.

    Parameters
    ----------
    population : sets alive at a time.
    generations : how long evolution runs.
    mutation : expected flips a child.

    References
    ----------
    Siedlecki, Sklansky (1989), A note on genetic algorithms for large-scale feature selection, Pattern Rec. Letters 10.
    """

    population: int = 50
    generations: int = 40
    mutation: float = 1.0

    def run(self, trials: Trials) -> None:
        space, random = trials.space, trials.random
        size = count("population", self.population, low=2)
        rate = number("mutation", self.mutation, low=0) / space.n_units
        alive = [draw(space, random) for _ in range(size)]
        scores = trials.sets(alive)
        for _ in range(count("generations", self.generations)):
            children = [alive[int(np.argmax(scores))]]
            while len(children) < size:
                mother, father = (alive[_winner(scores, random)] for _ in range(2))
                children.append(_child(space, mother, father, rate, random))
            alive, scores = children, trials.sets(children)


def _winner(scores: np.ndarray, random: np.random.Generator) -> int:
    rivals = random.integers(len(scores), size=3)
    return int(rivals[np.argmax(scores[rivals])])


def _child(space: Space, mother: Units, father: Units, rate: float, random: np.random.Generator) -> Units:
    genes = np.zeros((2, space.n_units), dtype=bool)
    genes[0, list(mother)] = genes[1, list(father)] = True
    genome = np.where(random.random(space.n_units) < 0.5, genes[0], genes[1])
    genome ^= random.random(space.n_units) < rate
    return repaired(space, add(space.fixed, np.flatnonzero(genome)), random)


def repaired(space: Space, units: Units, random: np.random.Generator) -> Units:
    """The set with units dropped or added at random until its size and price are allowed."""
    while len(units) > space.high or (not space.affords(units) and len(units) > len(space.fixed)):
        units = drop(units, [random.choice(space.inside(units))])
    while len(units) < space.low:
        left = space.outside(units)
        if not len(left):
            break
        units = add(units, [random.choice(left)])
    return units
