"""Between strategy and evaluator: scores each set once, keeps the history, checks budget and deadline."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.errors import ParameterError
from tamis.search.evaluator.evaluator import Evaluator
from tamis.search.history import Block, History, slack, tied
from tamis.search.space import Space, Units, add, drop


class Stop(Exception):
    """The budget or the clock has run out: the search ends with the best set so far."""


@dataclass(frozen=True)
class SearchLimits:
    """Where a search ends early: sets valued, a score that is enough, seconds; None is no limit."""

    max_evaluations: int | None = None
    stop_score: float | None = None
    seconds: float | None = None


class Trials:
    """The interface of a strategy: scores of sets, the space of sets, options and history.

    Attributes
    ----------
    space : the units, sizes and prices.
    tol : how much a score must rise to count as risen.
    random : the generator of random strategies.
    history : everything valued so far.
    empty : score and standard error of the empty set, where it is a candidate.
    optimal : set by a strategy that has proved its best set to be the best of all.
    """

    def __init__(
        self,
        space: Space,
        evaluator: Evaluator,
        labels: Sequence[Any],
        *,
        tol: float = 0.0,
        limits: SearchLimits | None = None,
        progress: Callable[[dict[str, Any]], None] | None = None,
        random: np.random.Generator | None = None,
    ) -> None:
        self.space = space
        self.evaluator = evaluator
        self.tol = tol
        self.random = random if random is not None else np.random.default_rng(0)
        self.history = History(space, labels, evaluator.resolution)
        self.optimal = False
        self.n_evaluations = 0
        self.limits = limits or SearchLimits()
        self.empty: tuple[float, float] | None = None
        self.deadline = None if self.limits.seconds is None else time.monotonic() + self.limits.seconds
        self._progress = progress
        self._labels = labels
        self._values_of: dict[Units, tuple[float, float]] = {}

    @property
    def max_evaluations(self) -> int | None:
        """Sets that may be valued; None is no limit."""
        return self.limits.max_evaluations

    def sets(self, sets: Sequence[Units]) -> np.ndarray:
        """The scores of some sets."""
        return self._ask(0, (), list(sets))

    def additions(self, base: Units, units: np.ndarray) -> np.ndarray:
        """The scores of `base` with each of some units added to it."""
        return self._ask(1, base, units)

    def removals(self, base: Units, units: np.ndarray) -> np.ndarray:
        """The scores of `base` with each of some units taken out of it."""
        return self._ask(-1, base, units)

    def pick(self, units: np.ndarray, scores: np.ndarray, n_pick: int = 1, cheap: bool = True) -> list[int]:
        """The units of the best scores; among equals the cheaper (or, to be taken out, the dearer), then the first."""
        if n_pick > 1:
            sign = 1 if cheap else -1
            order = np.lexsort((units, sign * self.space.prices[units], -scores))
            return [int(u) for u in units[order[:n_pick]] if np.isfinite(scores).any()]
        top = tied(scores, self.evaluator.resolution)
        if not len(top):
            return []
        if self.space.priced:
            prices = self.space.prices[units[top]]
            top = top[prices == (prices.min() if cheap else prices.max())]
        # the last among equals is taken out, so that the first by name stays in
        return [int(units[top[0] if cheap else top[-1]])]

    def rises(self, new: float, old: float) -> bool:
        """True when a score is above another by more than the tolerance (and more than rounding)."""
        if not np.isfinite(old):
            return bool(new > old)
        return bool(new > old + max(self.tol, slack(old, self.evaluator.resolution)))

    def _ask(self, sign: int, base: Units, moves: Any) -> np.ndarray:
        if not len(moves):
            return np.zeros(0)
        if self.evaluator.cheap and self.max_evaluations is None and self.deadline is None:
            scores, errors = self._value(sign, base, moves)
            self._record(Block(sign, base, moves, scores, errors))
            return scores
        return self._in_parts(sign, base, moves)

    def _in_parts(self, sign: int, base: Units, moves: Any) -> np.ndarray:
        """As `_ask`, without scoring sets again; budget and deadline are checked between parts."""
        sets = [Block(sign, base, moves, np.zeros(0), np.zeros(0)).set_at(i) for i in range(len(moves))]
        fresh = list(dict.fromkeys(units for units in sets if units not in self._values_of))
        index_of = {units: i for i, units in enumerate(sets)}
        size = self.evaluator.batch_size
        for start in range(0, len(fresh), size):
            batch = fresh[start : start + size]
            left = len(batch) if self.max_evaluations is None else self.max_evaluations - self.n_evaluations
            late = self.deadline is not None and time.monotonic() >= self.deadline
            if left <= 0 or (late and self.n_evaluations):
                raise Stop("time_limit" if late and left > 0 else "max_evaluations")
            batch = batch[:left]
            chosen = batch if sign == 0 else np.array([moves[index_of[units]] for units in batch], dtype=np.int64)
            scores, errors = self._value(sign, base, chosen)
            self._values_of.update(zip(batch, zip(scores.tolist(), errors.tolist())))
            self._record(Block(sign, base, chosen, scores, errors))
        if any(units not in self._values_of for units in sets):
            raise Stop("max_evaluations")
        return np.array([self._values_of[units][0] for units in sets])

    def _value(self, sign: int, base: Units, moves: Any) -> tuple[np.ndarray, np.ndarray]:
        """Scores and standard errors of sets; the empty set has its own."""
        if self.empty is None or sign > 0:
            return self._evaluated(sign, base, moves)
        is_empty = np.full(len(moves), len(base) == 1) if sign < 0 else np.array([not units for units in moves])
        scores, errors = np.full(len(moves), self.empty[0]), np.full(len(moves), self.empty[1])
        nonempty = np.flatnonzero(~is_empty)
        self.n_evaluations += len(moves) - len(nonempty)
        if len(nonempty):
            other_moves = [moves[i] for i in nonempty] if sign == 0 else moves[nonempty]
            scores[nonempty], errors[nonempty] = self._evaluated(sign, base, other_moves)
        return scores, errors

    def _evaluated(self, sign: int, base: Units, moves: Any) -> tuple[np.ndarray, np.ndarray]:
        space = self.space
        if sign != 0 and space.single:
            ask = self.evaluator.additions if sign > 0 else self.evaluator.removals
            scores, errors = ask(space.columns(base), space._columns[moves])  # type: ignore[index]
        elif sign == 0:
            scores, errors = self.evaluator.sets([space.columns(units) for units in moves])
        else:
            change = add if sign > 0 else drop
            scores, errors = self.evaluator.sets([space.columns(change(base, (u,))) for u in moves])
        bad = np.flatnonzero(np.isnan(scores))
        if bad.size:
            units = Block(sign, base, moves, scores, errors).set_at(int(bad[0]))
            names = ", ".join(repr(self._labels[j]) for j in space.columns(units))
            raise ParameterError(f"the score of the columns {names} is NaN; give a scoring that always has a value")
        self.n_evaluations += len(scores)
        return scores, errors

    def _record(self, block: Block) -> None:
        self.history.record(block)
        self._say_best()
        if self.limits.stop_score is not None:
            sizes = range(self.space.low, self.space.high + 1)
            if any(best.score >= self.limits.stop_score for size, best in self.history.best.items() if size in sizes):
                raise Stop("stop_score")

    def _say_best(self) -> None:
        if self._progress is not None:
            best = max(self.history.best.values(), key=lambda b: b.score, default=None)
            self._progress(
                {
                    "evaluations": self.n_evaluations,
                    "score": None if best is None else best.score,
                    "columns": () if best is None else self.history._spell(best.units),
                }
            )


def say(event: dict[str, Any]) -> None:
    """Progress as a line on the error stream, with the best set so far."""
    if event["score"] is None:
        return
    listed = ", ".join(map(str, event["columns"][:6])) + (", …" if len(event["columns"]) > 6 else "")
    print(f"{event['evaluations']:,} sets, best {event['score']:.6g}: {listed}", file=sys.stderr)
