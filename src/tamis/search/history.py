"""Every set that a search valued, in order, with its score: what is chosen from, and what is drawn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tamis.metrics.one_standard_error import one_standard_error
from tamis.search.space import Space, Units, add, drop


class Trial(NamedTuple):
    """One set: its columns, score, standard error of the score, place in the order of valuing, and price."""

    columns: tuple[Any, ...]
    score: float
    error: float
    order: int
    price: float


@dataclass
class Block:
    """Sets valued together: `base` with one unit more (sign 1), one fewer (sign -1), or sets of their own (sign 0).

    A forward search values thousands of sets; they are spelled out only when somebody reads them.
    """

    sign: int
    base: Units
    moves: Any
    scores: np.ndarray
    errors: np.ndarray

    def set_at(self, i: int) -> Units:
        """The i-th set of the block."""
        if self.sign == 0:
            return self.moves[i]
        change = (int(self.moves[i]),)
        return add(self.base, change) if self.sign > 0 else drop(self.base, change)

    def __len__(self) -> int:
        return len(self.scores)


@dataclass
class Best:
    """The best set of one size so far."""

    units: Units
    score: float
    error: float
    price: float


class History(Sequence[Trial]):
    """The sets a search valued, as a sequence of trials.

    Attributes
    ----------
    stopped : why the search ended early ("max_evaluations", "stop_score", "time_limit", "interrupted"), or None.
    """

    def __init__(self, space: Space, labels: Sequence[Any], resolution: float = 0.0) -> None:
        self._space = space
        self._labels = list(labels)
        self._resolution = resolution
        self._blocks: list[Block] = []
        self._starts = [0]
        self.best: dict[int, Best] = {}
        self.stopped: str | None = None

    def record(self, block: Block) -> None:
        """Append a block and remember the best set of each size that is allowed."""
        self._blocks.append(block)
        self._starts.append(self._starts[-1] + len(block))
        if block.sign == 0:
            for i in range(len(block)):
                self._consider(block, i)
        else:
            top = tied(block.scores, self._resolution)
            if self._space.priced:
                indices = range(len(block)) if self._space.budget is not None else top.tolist()
                for index in indices:
                    self._consider(block, index)
            elif len(top):
                self._consider(block, int(top[0]))

    def _consider(self, block: Block, i: int) -> None:
        score = float(block.scores[i])
        if not np.isfinite(score):
            return
        units = block.set_at(i)
        if not self._space.affords(units):
            return
        candidate = Best(units, score, float(block.errors[i]), self._space.price(units))
        incumbent = self.best.get(len(units))
        if incumbent is None or _better(candidate, incumbent, self._resolution):
            self.best[len(units)] = candidate

    def choose(self, rule: str, tol: float) -> Best:
        """The set asked for: the best score among allowed sizes; with "1se" the smallest within a standard error of it.

        Ties, and scores within `tol` of the best, go to the smaller set, then to the cheaper.
        """
        sizes = [size for size in sorted(self.best) if self._space.low <= size <= self._space.high]
        if not sizes:  # stopped early: the size nearest to what was asked
            gaps = {s: max(self._space.low - s, s - self._space.high) for s in self.best}
            sizes = [min(gaps, key=lambda s: (gaps[s], s))]
        best_of_sizes = [self.best[size] for size in sizes]
        leader = max(best_of_sizes, key=lambda best: best.score)  # the first of equals
        error = 0.0 if rule == "best" else leader.error
        tolerance = max(error, tol, slack(leader.score, self._resolution))
        return best_of_sizes[one_standard_error([-best.score for best in best_of_sizes], tolerance)]

    def curve(self) -> dict[str, np.ndarray]:
        """Score against size: for each size valued, the best score, its standard error and its price."""
        sizes = sorted(self.best)
        return {
            "size": np.array(sizes, dtype=np.int64),
            "score": np.array([self.best[s].score for s in sizes]),
            "error": np.array([self.best[s].error for s in sizes]),
            "price": np.array([self.best[s].price for s in sizes]),
        }

    def best_columns(self, size: int) -> tuple[Any, ...]:
        """The columns of the best set of one size."""
        return self._spell(self.best[size].units)

    def to_dict(self) -> dict[str, list[Any]]:
        """All trials as plain lists, ready for a frame."""
        trials = list(self)
        return {
            "order": [t.order for t in trials],
            "size": [len(t.columns) for t in trials],
            "columns": [list(t.columns) for t in trials],
            "score": [t.score for t in trials],
            "error": [t.error for t in trials],
            "price": [t.price for t in trials],
        }

    def _spell(self, units: Units) -> tuple[Any, ...]:
        return tuple(self._labels[j] for j in self._space.columns(units))

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, slice):
            return [self[i] for i in range(*which.indices(len(self)))]
        i = int(which) + (len(self) if which < 0 else 0)
        if not 0 <= i < len(self):
            raise IndexError(f"there are {len(self)} trials, so no trial {which}")
        at = int(np.searchsorted(self._starts, i, side="right")) - 1
        return self._trial(self._blocks[at], i - self._starts[at], i)

    def __iter__(self) -> Iterator[Trial]:
        for start, block in zip(self._starts, self._blocks):
            for i in range(len(block)):
                yield self._trial(block, i, start + i)

    def _trial(self, block: Block, i: int, order: int) -> Trial:
        units = block.set_at(i)
        price = self._space.price(units)
        return Trial(self._spell(units), float(block.scores[i]), float(block.errors[i]), order, price)

    def __repr__(self) -> str:
        return f"History({len(self):,} sets of {len(self.best)} sizes)"


def slack(score: float, resolution: float) -> float:
    """How far a score may be from another and still be the same but for rounding."""
    return max(resolution, 1e-12 * abs(float(score)))


def tied(scores: np.ndarray, resolution: float) -> np.ndarray:
    """Positions of the best score and of those that differ from it by rounding only."""
    if not len(scores):
        return np.zeros(0, dtype=np.int64)
    top = scores.max()
    if not np.isfinite(top):
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(scores >= top - slack(top, resolution))


def _better(new: Best, old: Best, resolution: float) -> bool:
    if abs(new.score - old.score) > slack(old.score, resolution):
        return new.score > old.score
    return (new.price, new.units) < (old.price, old.units)
