"""Plain and ridge regression from Moments: the exact scores of k-fold refits, without refitting."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tamis import _core
from tamis.engine import map_threads, one_blas_thread, workers
from tamis.search.evaluator.evaluator import Evaluator, Values, mean_and_error
from tamis.search.evaluator.linear import Linear, is_plain, linear_of, score_from, scoring_of, size_of
from tamis.search.evaluator.refit import WithRefits
from tamis.search.evaluator.task import SearchTask
from tamis.views.moments import FoldMoments, Moments

RANK = 20
_MOST_NUMBERS = 60_000_000  # folds × d² beyond this would take gigabytes: see `wide`
HEALTH = 1e-9  # a column of which the base leaves a smaller share than this is refitted
_CUT_ROOM = 1e3  # how far from the model's own cut-off the algebra keeps away
_FRESH = 12  # removals after which the inverse is made again


def of(task: SearchTask) -> Evaluator | None:
    """For linear models whose score is a function of squared errors, on tables of finite numbers."""
    model = linear_of(task.estimator)
    word = scoring_of(task)
    if model is None or word is None or task.cv == "oob" or not is_plain(task):
        return None
    d, folds = task.table.n_columns, len(task.pairs)
    if folds * (d + 1) ** 2 > _MOST_NUMBERS or folds > 64 or min(len(test) for _, test in task.pairs) < 2:
        return None
    evaluator = MomentsEvaluator(task, model, word)
    return evaluator if np.all(evaluator.spread > 0) else None


class MomentsEvaluator(WithRefits):
    """Values sets by algebra on each fold's scatter matrices.

    The state for the current base is kept: the next question is nearly always about the same base and a column more, or
    a column fewer. Where columns are nearly dependent the set is refitted instead, so no answer is worse than a
    refit's.
    """

    cheap = True
    batch_size = 1024

    def __init__(self, task: SearchTask, model: Linear, word: str) -> None:
        self.task, self.model, self.word = task, model, word
        self.monotone = task.cv == "train" and model.ridge == 0 and word != ""
        y = np.asarray(task.y, dtype=np.float64)
        with one_blas_thread():
            moments = FoldMoments.of(task.table, task.pairs, y, task.params.get("sample_weight"))
        self._take(moments, model, word)

    def _take(self, moments: FoldMoments, model: Linear, word: str) -> None:
        """The matrices of all folds, which share their units."""
        self.n_columns = moments.total.n_columns
        self.unit = moments.total.scale
        matrices = [_matrices(model, train, test) for train, test in zip(moments.train, moments.test)]
        self.A = np.stack([a for a, _ in matrices])
        self.B = np.stack([b for _, b in matrices])
        self.spread = np.array([test.unit_scatter[-1, -1] for test in moments.test]) * self.unit[-1] ** 2
        self.rows = np.array([test.weight for test in moments.test])
        variance = moments.total.unit_scatter[-1, -1] * self.unit[-1] ** 2 / max(moments.total.weight, 1e-300)
        self.resolution = 1e-12 * size_of(word, float(variance))
        self.raw = np.ones(self.n_columns) if model.scaled else self.unit[:-1] ** 2
        self.floor = (model.cut**2) * _CUT_ROOM if model.cut else 0.0
        self._grown: _Grown | None = None
        self._shrunk: _Shrunk | None = None

    def column(self, p: int) -> tuple[np.ndarray, np.ndarray]:
        """Column p of the training and of the test matrices, folds × d."""
        return self.A[:, p, :-1], self.B[:, p, :-1]

    def target(self) -> tuple[np.ndarray, np.ndarray]:
        """The column of the target, folds × (d + 1)."""
        return self.A[:, -1, :], self.B[:, -1, :]

    def diagonal(self) -> tuple[np.ndarray, np.ndarray]:
        """The diagonals without the target, folds × d."""
        return tuple(np.diagonal(M, axis1=1, axis2=2)[:, :-1] for M in (self.A, self.B))  # type: ignore[return-value]

    def additions(self, base: np.ndarray, columns: np.ndarray) -> Values:
        grown = self._grown
        if grown is None or not grown.leads_to(base):
            grown = self._grown = _Grown(self)
        for p in base:
            if p not in grown.members:
                grown.push(int(p))
        errors, health, raw = grown.additions(columns)
        ill = (health < HEALTH) | (raw < self.floor)
        return self._values(errors.T, ill, lambda i: np.sort(np.append(base, columns[i])))

    def removals(self, base: np.ndarray, columns: np.ndarray) -> Values:
        if len(base) < 2:
            return super().removals(base, columns)
        shrunk = self._shrunk
        if shrunk is None or not shrunk.leads_to(base):
            shrunk = self._shrunk = _Shrunk.of(self, base)
        if shrunk is None or (shrunk.age == 0 and not shrunk.healthy(self)):  # fewer columns are never worse
            self._shrunk = None
            return super().removals(base, columns)
        errors = shrunk.removals(columns)
        return self._values(errors.T, np.zeros(len(columns), dtype=bool), lambda i: base[base != columns[i]])

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        width = max(1, max(len(columns) for columns in sets))
        padded = np.zeros((len(sets), width), dtype=np.int64)
        sizes = np.array([len(columns) for columns in sets], dtype=np.int64)
        for s, columns in enumerate(sets):
            padded[s, : len(columns)] = columns
        errors = np.empty((len(sets), len(self.A)))
        health = np.empty((len(sets), 2))
        cuts = np.linspace(0, len(sets), min(len(sets), 4 * workers(self.task.n_jobs)) + 1).astype(int)

        def some(bounds: tuple[int, int]) -> None:
            a, b = bounds
            _core.set_errors(padded[a:b], sizes[a:b], self.A, self.B, self.raw, errors[a:b], health[a:b])

        map_threads(some, list(pairwise(cuts)), self.task.n_jobs)
        ill = (health[:, 0] < HEALTH) | (health[:, 1] < self.floor)
        return self._values(errors, ill, lambda i: sets[i])

    def best_subsets(self, low: int, high: int, deadline: float | None) -> Any:
        """The best set of each size by least squares, and whether that is proved; None when ill-conditioned."""
        from tamis.linear.solvers.best_subset import LEAST_EIGENVALUE, best_subsets

        size = np.sqrt(np.diagonal(self.A[0]))
        if not np.all(size > 0) or not self.monotone:
            return None
        G = self.A[0] / np.outer(size, size)
        inner, cross = G[:-1, :-1], G[:-1, -1]
        unscaled = self.A[0, :-1, :-1] * np.sqrt(np.outer(self.raw, self.raw))
        for matrix, floor in ((inner, LEAST_EIGENVALUE), (unscaled, self.floor)):
            values = np.linalg.eigvalsh(matrix)
            if values[0] < floor * values[-1]:
                return None
        inverse = np.linalg.inv(inner)
        beta = inverse @ cross
        subsets = best_subsets(inverse, beta, float(G[-1, -1] - beta @ cross), low, high, deadline)
        return [subsets.columns[k] for k in range(low, high + 1) if np.isfinite(subsets.rss[k])], subsets.complete

    def _values(self, errors: np.ndarray, ill: np.ndarray, set_at) -> Values:  # type: ignore[no-untyped-def]
        scores = score_from(errors * self.unit[-1] ** 2, self.word, self.rows, self.spread)
        refitted = np.flatnonzero(ill | np.isnan(scores).any(axis=1))
        if refitted.size:
            scores[refitted] = self.refit.fold_scores([set_at(int(i)) for i in refitted])
        return mean_and_error(scores)


class _Grown:
    """All columns, seen from a base that grows by one column at a time."""

    def __init__(self, owner: MomentsEvaluator) -> None:
        folds, d = len(owner.rows), owner.n_columns
        self.owner = owner
        self.chosen: list[int] = []
        self.members: set[int] = set()
        self.first, test_curvature = (np.array(diagonal, order="C") for diagonal in owner.diagonal())
        train, test = owner.target()
        self.base = _core.GrowingBase(
            np.zeros((folds, 16, d)),
            np.zeros((folds, 16, d)),
            self.first.copy(),
            train[:, :d].copy(),
            test_curvature,
            test[:, :d].copy(),
            test[:, d].copy(),
        )
        self.health = 1.0
        self.least = np.full(folds, np.inf)
        self.trace = np.zeros(folds)

    def leads_to(self, base: np.ndarray) -> bool:
        """True when the base is this one, or this one and one column more."""
        return len(base) - len(self.chosen) in (0, 1) and self.members <= set(base.tolist())

    def push(self, p: int) -> None:
        owner, k = self.owner, len(self.chosen)
        if k == self.base.gamma.shape[1]:
            base = self.base
            tests, gamma = (np.concatenate([a, np.zeros_like(a)], axis=1) for a in (base.tests, base.gamma))
            by_fold = (base.rest, base.gradient, base.test_curvature, base.test_gradient, base.error)
            self.base = _core.GrowingBase(tests, gamma, *by_fold)
        train, self.base.tests[:, k] = owner.column(p)
        varies, pivots = self.first[:, p] > 0, self.base.rest
        left = np.divide(pivots[:, p], self.first[:, p], out=np.ones(len(varies)), where=varies)
        self.health = min(self.health, float(left.min()))
        self.trace += self.first[:, p] * owner.raw[p]
        self.least = np.where(varies, np.minimum(self.least, pivots[:, p] * owner.raw[p]), self.least)
        chosen = np.array([*self.chosen, p], dtype=np.int64)
        _core.push_column(p, k, chosen, np.ascontiguousarray(train), self.base)
        self.chosen.append(p)
        self.members.add(p)

    def additions(self, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        errors, health = np.empty((len(self.first), len(columns))), np.empty(len(columns))
        _core.addition_errors(columns, self.first, self.base, errors, health)
        raw = self.owner.raw[columns]
        pivot = self.base.rest[:, columns] * raw
        first = self.first[:, columns] * raw
        min_pivot = np.where(first > 0, np.minimum(pivot, self.least[:, None]), self.least[:, None])
        share = min_pivot / np.maximum(self.trace[:, None] + first, 1e-300)
        return errors, np.minimum(health, self.health), share.min(axis=0)


class _Shrunk:
    """A base that shrinks by one column at a time: the inverse of its scatter, and what follows from it."""

    def __init__(self, base: list[int], arrays: _core.ShrinkingBase) -> None:
        self.base, self.arrays, self.age = base, arrays, 0

    @classmethod
    def of(cls, owner: MomentsEvaluator, base: np.ndarray) -> "_Shrunk | None":
        A, B, d = owner.A, owner.B, owner.n_columns
        inside = np.ix_(np.arange(len(A)), base, base)
        small, tested = A[inside], B[inside]
        try:
            M = np.linalg.inv(small)
        except np.linalg.LinAlgError:
            return None
        M = (M + M.transpose(0, 2, 1)) / 2
        a, b = A[:, base, d], B[:, base, d]
        w = np.einsum("fij,fj->fi", M, a)
        left = b - np.einsum("fij,fj->fi", tested, w)
        error = B[:, d, d] - np.einsum("fi,fi->f", w, b + left)
        Q = M @ tested @ M
        g = np.einsum("fij,fj->fi", M, left)
        first = np.diagonal(small, axis1=1, axis2=2).copy()
        return cls(
            base.tolist(), _core.ShrinkingBase(np.ascontiguousarray(M), np.ascontiguousarray(Q), w, g, error, first)
        )

    def leads_to(self, base: np.ndarray) -> bool:
        """True when the base is this one, or this one and one column fewer, which is then taken out."""
        dropped = set(self.base) - set(base.tolist())
        if len(self.base) - len(base) != len(dropped) or len(dropped) > 1 or self.age >= _FRESH:
            return False
        if dropped:
            self._pop(self.base.index(dropped.pop()))
        return True

    def _pop(self, i: int) -> None:
        _core.pop_column(i, len(self.base), self.arrays)
        del self.base[i]
        self.age += 1

    def healthy(self, owner: MomentsEvaluator) -> bool:
        """True when every column keeps a fair share that the others do not explain, also in the model's own units."""
        diagonal = np.diagonal(self.arrays.M, axis1=1, axis2=2)
        if not np.all(np.isfinite(diagonal)) or not np.all(diagonal > 0):
            return False
        raw = owner.raw[self.base]
        pivots, trace = raw / diagonal, (self.arrays.diagonal * raw).sum(axis=1)
        share = 1.0 / (diagonal * self.arrays.diagonal)
        return bool(share.min() >= HEALTH and (pivots.min(axis=1) / trace).min() >= owner.floor)

    def removals(self, columns: np.ndarray) -> np.ndarray:
        errors = np.empty((len(self.arrays.error), len(self.base)))
        _core.removal_errors(len(self.base), self.arrays, errors)
        if len(columns) == len(self.base):  # both are sorted
            return errors
        index_of = {column: i for i, column in enumerate(self.base)}
        return errors[:, [index_of[int(j)] for j in columns]]


def _matrices(model: Linear, train: Moments, test: Moments) -> tuple[np.ndarray, np.ndarray]:
    """Scatter of the training rows, ridge added, and of the test rows about the training mean, in common units."""
    A, B = train.unit_scatter.copy(), test.unit_scatter.copy()
    if model.intercept:
        mean_shift = test.unit_mean - train.unit_mean
        B += test.weight * np.outer(mean_shift, mean_shift)
        constant = np.flatnonzero(train.deviation[:-1] == 0)
        A[constant, :] = A[:, constant] = 0.0
    else:
        for matrix, moments in ((A, train), (B, test)):
            mean = moments.mean / moments.scale
            matrix += moments.weight * np.outer(mean, mean)
    if model.ridge:
        diagonal = np.arange(len(A) - 1)
        strength = model.ridge * (train.weight if model.per_row else 1.0)
        size = np.diagonal(train.unit_scatter)[:-1] / train.weight if model.scaled else 1.0 / train.scale[:-1] ** 2
        A[diagonal, diagonal] += strength * size
    return A, B
