"""Plain and ridge regression on tables so wide that their scatter matrices would not fit: columns of them on demand."""

from collections.abc import Sequence

import numpy as np

from tamis import _core
from tamis.engine import one_blas_thread
from tamis.search.evaluator.evaluator import Evaluator, Values
from tamis.search.evaluator.linear import Linear, is_plain, linear_of, scoring_of, size_of
from tamis.search.evaluator.moments import MomentsEvaluator
from tamis.search.evaluator.task import SearchTask

RANK = 30


def of(task: SearchTask) -> Evaluator | None:
    """The same models as `moments`, for tables whose scatter matrices do not fit in memory."""
    model, word = linear_of(task.estimator), scoring_of(task)
    if model is None or word is None or task.cv == "oob" or task.table.is_sparse or not is_plain(task):
        return None
    if "sample_weight" in task.params or min(len(test) for _, test in task.pairs) < 2 or len(task.pairs) > 64:
        return None
    evaluator = Wide(task, model, word)
    return evaluator if np.all(evaluator.spread > 0) else None


class Wide(MomentsEvaluator):
    """As `MomentsEvaluator`, with the columns of the scatter matrices computed when a column enters the base."""

    def __init__(self, task: SearchTask, model: Linear, word: str) -> None:
        self.task, self.model, self.word = task, model, word
        self.monotone = False
        X, y = task.table.numbers(), np.asarray(task.y, dtype=np.float64)
        shift = np.append(X.mean(axis=0), y.mean())
        deviation = np.append(X.std(axis=0), y.std())
        self.unit = np.where(deviation > 0, deviation, 1.0)
        self.Z = (np.column_stack([X, y]) - shift) / self.unit
        self.shift, self.n_columns = shift, X.shape[1]
        n, folds = task.n_rows, len(task.pairs)
        self.masks = np.zeros((n, 2 * folds))
        for f, (train, test) in enumerate(task.pairs):
            np.add.at(self.masks[:, f], train, 1.0)
            np.add.at(self.masks[:, folds + f], test, 1.0)
        self.total = self.masks.sum(axis=0)
        with one_blas_thread():
            self.sums = (self.masks.T @ self.Z).astype(np.float64)
            squares = self.masks.T @ self.Z**2
        self.mean = self.sums / self.total[:, None]
        target_scatter = squares[folds:, -1] - self.total[folds:] * self.mean[folds:, -1] ** 2
        self.spread, self.rows = target_scatter * self.unit[-1] ** 2, self.total[folds:]
        variance = float(deviation[-1] ** 2)
        self.resolution = 1e-12 * size_of(word, variance)
        self.raw = np.ones(self.n_columns) if model.scaled else self.unit[:-1] ** 2
        self.floor = (model.cut**2) * 1e3 if model.cut else 0.0
        self.squares = squares
        self._grown = self._shrunk = None

    def column(self, p: int) -> tuple[np.ndarray, np.ndarray]:
        with one_blas_thread():
            products = (self.masks * self.Z[:, [p]]).T @ self.Z[:, :-1]
        return self._centred(products, p, slice(0, -1))

    def target(self) -> tuple[np.ndarray, np.ndarray]:
        with one_blas_thread():
            products = (self.masks * self.Z[:, [-1]]).T @ self.Z
        return self._centred(products, -1, slice(None))

    def diagonal(self) -> tuple[np.ndarray, np.ndarray]:
        folds, d = len(self.rows), self.n_columns
        train, test = self.squares[:folds, :d], self.squares[folds:, :d]
        mean, total = self._middle()[:, :d], self.total
        A = train - 2 * mean * self.sums[:folds, :d] + total[:folds, None] * mean**2 + self._lift(folds)
        B = test - 2 * mean * self.sums[folds:, :d] + total[folds:, None] * mean**2
        return np.maximum(A, 0.0), B

    def _middle(self) -> np.ndarray:
        """What columns are measured from, by fold: the training mean, or zero without an intercept."""
        folds = len(self.rows)
        if self.model.intercept:
            return self.mean[:folds]
        return np.repeat((-self.shift / self.unit)[None, :], folds, axis=0)

    def _lift(self, folds: int) -> np.ndarray:
        """The ridge on the diagonal, by fold and column."""
        model, n = self.model, self.total[:folds, None]
        if not model.ridge:
            return np.zeros((folds, self.n_columns))
        strength = model.ridge * (n if model.per_row else 1.0)
        variance = self.squares[:folds, :-1] / n - self.mean[:folds, :-1] ** 2
        return np.broadcast_to(strength * (variance if model.scaled else 1.0 / self.unit[:-1] ** 2), variance.shape)

    def _centred(self, products: np.ndarray, p: int, which: slice) -> tuple[np.ndarray, np.ndarray]:
        folds = len(self.rows)
        mean, sums, total = self._middle(), self.sums, self.total
        m, mp = mean[:, which], mean[:, [p]]

        def about(fold_slice: slice) -> np.ndarray:
            s, n = sums[fold_slice], total[fold_slice, None]
            return products[fold_slice] - mp * s[:, which] - m * s[:, [p]] + n * m * mp

        A, B = about(slice(0, folds)), about(slice(folds, None))
        if self.model.ridge and p >= 0:
            A[:, p] += self._lift(folds)[:, p]
        return A, B

    def removals(self, base: np.ndarray, columns: np.ndarray) -> Values:
        return Evaluator.removals(self, base, columns)

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        folds = len(self.rows)
        errors, health = np.empty((len(sets), folds)), np.empty((len(sets), 2))
        for s, columns in enumerate(sets):
            chosen = np.append(columns, self.n_columns)
            A, B = self._small(chosen)
            k = len(columns)
            _core.set_errors(
                np.arange(max(k, 1))[None, :],
                np.array([k]),
                A,
                B,
                self.raw[columns],
                errors[s : s + 1],
                health[s : s + 1],
            )
        ill = (health[:, 0] < 1e-9) | (health[:, 1] < self.floor)
        return self._values(errors, ill, lambda i: sets[i])

    def _small(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        folds, Z, middle = len(self.rows), self.Z[:, chosen], self._middle()[:, chosen]
        grams = []
        for f in range(2 * folds):
            centred = Z - middle[f % folds]
            grams.append((centred * self.masks[:, [f]]).T @ centred)
        A, B = np.array(grams[:folds]), np.array(grams[folds:])
        inner = np.arange(len(chosen) - 1)
        A[:, inner, inner] += self._lift(folds)[:, chosen[:-1]]
        return A, B
