"""The rows each tree draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis import _core
from tamis.check import count
from tamis.engine import seed_of, seeds_of
from tamis.errors import ParameterError
from tamis.forest.data.binned import ForestData
from tamis.forest.layout import Draws, ForestTarget
from tamis.tree.settings import rows_or_share


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """How each tree's rows are drawn: sizes[s] from stratum s of the population, with or without replacement."""

    population: np.ndarray  # uint32: rows, each as often as it counts
    strata: np.ndarray  # int64: where each stratum begins, and the end
    sizes: np.ndarray  # int64
    replace: bool
    seed: int
    step: int = 1  # of the rows left out, one of so many judges the tree

    @property
    def draws(self) -> Draws:
        """As the core takes it."""
        return Draws(self.population, self.strata, self.sizes, self.replace, self.step)

    def seeds(self, first: int, end: int) -> np.ndarray:
        """Of trees first … end - 1: the seed of the rows each draws, and of the tree."""
        seeds = [seeds_of(self.seed, name, range(first, end)) for name in ("rows", "tree")]
        return np.array(seeds, dtype=np.int64).T.copy()

    def counts(self, t: int, n_rows: int) -> np.ndarray:
        """How often tree t draws each row of the binned table; 0: out of its bag."""
        return _core.draw_rows(self.draws, n_rows, seed_of(self.seed, "rows", t))

    @classmethod
    def of(
        cls,
        data: ForestData,
        target: ForestTarget,
        bootstrap: bool | str,
        max_samples: Any,
        seed: int,
        max_oob_samples: Any = None,
    ) -> Bootstrap:
        """What a forest's parameters ask for: fixed by the rows' content and the seed, so it can be asked again."""
        n = len(target.weight)
        population = np.arange(n, dtype=np.uint32)
        if data.copies is not None and data.copies.max() > 1:
            population = np.repeat(population, data.copies)
        strata = np.array([0, len(population)], dtype=np.int64)
        sizes = np.diff(strata)
        if bootstrap == "balanced":
            if not target.n_classes:
                raise ParameterError("bootstrap='balanced' draws as many rows of each class; use it for classes")
            classes = target.classes[population]
            population = population[np.argsort(classes, kind="stable")]
            counts = np.bincount(classes, minlength=target.n_classes)
            strata = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            sizes = np.where(counts > 0, counts[counts > 0].min(), 0)  # a class may have rows of weight 0 only
        elif bootstrap not in (True, False):
            raise ParameterError(f"bootstrap={bootstrap!r} is not known; give True, False or 'balanced'")
        if max_samples is not None:
            n_drawn = rows_or_share("max_samples", max_samples, len(population), 1)
            shares = n_drawn * sizes / sizes.sum()
            sizes = np.maximum(sizes > 0, np.round(shares)).astype(np.int64)
            if not bootstrap and n_drawn > len(population):
                raise ParameterError(
                    f"max_samples={max_samples}, but without replacement there are only {len(population):,} rows"
                )
        step = 1
        if max_oob_samples is not None:
            max_judges = count("max_oob_samples", max_oob_samples)
            step = max(1, -(-max(0, n - int(sizes.sum())) // max_judges))
        return cls(population, strata, sizes.astype(np.int64), bool(bootstrap), seed, step)
