"""Plain and ridge regression by leave-one-out, in closed form: each row's error from one fit of all rows."""

from collections.abc import Sequence

import numpy as np

from tamis.engine import one_blas_thread
from tamis.search.evaluator.evaluator import Evaluator, Values
from tamis.search.evaluator.linear import Linear, is_plain, linear_of, scoring_of, size_of
from tamis.search.evaluator.moments import HEALTH
from tamis.search.evaluator.refit import WithRefits
from tamis.search.evaluator.task import SearchTask

RANK = 15
_LEVERAGE = 1e-8  # a row whose leverage is nearer to 1 than this is scored by refitting


def of(task: SearchTask) -> Evaluator | None:
    """Linear models whose folds hold one row each."""
    model, word = linear_of(task.estimator), scoring_of(task)
    is_other_cv = isinstance(task.cv, str) and task.cv != "loo"
    if (
        model is None
        or word is None
        or is_other_cv
        or len(task.pairs) != task.n_rows
        or task.params
        or not is_plain(task)
    ):
        return None
    if model.scaled and model.ridge:
        return None  # the penalty would change with every row left out
    test_rows = np.sort(np.concatenate([test for _, test in task.pairs]))
    single = len(task.pairs) == task.n_rows and np.array_equal(test_rows, np.arange(task.n_rows))
    if not single or any(len(train) != task.n_rows - 1 for train, _ in task.pairs):
        return None
    return LeaveOneOut(task, model, word) if np.var(np.asarray(task.y, dtype=np.float64)) > 0 else None


class LeaveOneOut(WithRefits):
    r"""The error of row i without row i is e_i / (1 - h_i), with h_i its leverage (intercept included).

    The columns are kept with the base projected out, so adding a column to the base costs one product with all columns.
    A ridge is a set of further rows that are never left out.

    References
    ----------
    Allen (1974), The relationship between variable selection and data augmentation, Technometrics 16.
    """

    cheap = True
    batch_size = 1024

    def __init__(self, task: SearchTask, model: Linear, word: str) -> None:
        self.task, self.model, self.word, self.n = task, model, word, task.n_rows
        X = task.table.numbers().astype(np.float64)
        y = np.asarray(task.y, dtype=np.float64)
        self.variance = float(np.var(y))
        self.scale = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0) if model.intercept else _size(X)
        if model.intercept:
            X, y = X - X.mean(axis=0), y - y.mean()
        X = X / self.scale
        if model.ridge:
            X = np.vstack([X, np.diag(np.sqrt(model.ridge) / self.scale)])
            y = np.concatenate([y, np.zeros(X.shape[1])])
        self.X, self.y = np.asfortranarray(X), y
        self.first = (self.X**2).sum(axis=0)
        self.lever = 1.0 / self.n if model.intercept else 0.0
        self.floor = model.cut**2 * 1e3
        self.resolution = 1e-12 * size_of(word, self.variance)
        self._reset()

    def _reset(self) -> None:
        self._base: set[int] = set()
        self._rest = self.X.copy(order="F")
        self._error = self.y.copy()
        self._own = np.zeros(len(self.y))
        self._ill = False

    def additions(self, base: np.ndarray, columns: np.ndarray) -> Values:
        new = set(base.tolist()) - self._base
        if len(new) != len(base) - len(self._base):
            self._reset()
            new = set(base.tolist())
        for p in sorted(new):
            self._push(int(p))
        Q = self._rest[:, columns]
        left = (Q**2).sum(axis=0)
        share = left / np.where(self.first[columns] > 0, self.first[columns], 1.0)
        ill = (share < HEALTH) | self._ill | self._beyond(columns, left)
        left = np.where(left > 0, left, 1.0)
        step = (self._error @ Q) / left
        n = self.n
        error = self._error[:n, None] - Q[:n] * step
        leverage = self._own[:n, None] + self.lever + Q[:n] ** 2 / left
        return self._values(error, leverage, ill, lambda i: np.sort(np.append(base, columns[i])))

    def _push(self, p: int) -> None:
        q = self._rest[:, p].copy()
        left = float(q @ q)
        self._base.add(p)
        if left < HEALTH * self.first[p] or left == 0:
            self._ill = True
            return
        with one_blas_thread():
            self._rest -= np.outer(q, (q @ self._rest) / left)
        self._error -= q * (q @ self._error / left)
        self._own += q**2 / left

    def _beyond(self, columns: np.ndarray, left: np.ndarray) -> np.ndarray:
        """True where the model's own cut-off, in the columns' own units, comes near."""
        if not self.floor:
            return np.zeros(len(columns), dtype=bool)
        inside = np.array(sorted(self._base), dtype=np.int64)
        sizes = (self.first * self.scale**2)[inside].sum() + (self.first * self.scale**2)[columns]
        min_pivot = np.minimum(
            left * self.scale[columns] ** 2, (self.first * self.scale**2)[inside].min(initial=np.inf)
        )
        return min_pivot / np.maximum(sizes, 1e-300) < self.floor

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        errors, owns, ill = [], [], []
        for columns in sets:
            Q, R = np.linalg.qr(self.X[:, columns])
            pivots = np.abs(np.diag(R)) ** 2
            raw = pivots * self.scale[columns] ** 2
            trace = max(float((self.first[columns] * self.scale[columns] ** 2).sum()), 1e-300)
            bad = pivots < HEALTH * np.maximum(self.first[columns], 1e-300)
            ill.append(bool(bad.any()) or raw.min(initial=np.inf) / trace < self.floor)
            errors.append((self.y - Q @ (Q.T @ self.y))[: self.n])
            owns.append((Q[: self.n] ** 2).sum(axis=1) + self.lever)
        return self._values(np.array(errors).T, np.array(owns).T, np.array(ill), lambda i: sets[i])

    def _values(self, error, leverage, ill, set_at) -> Values:  # type: ignore[no-untyped-def]
        ill = ill | (leverage > 1 - _LEVERAGE).any(axis=0)
        squares = (error / np.where(leverage > 1 - _LEVERAGE, 1.0, 1 - leverage)) ** 2
        rows = {"r2": 1 - squares / self.variance, "neg_mean_squared_error": -squares}.get(self.word, -np.sqrt(squares))
        for i in np.flatnonzero(ill):
            rows[:, i] = self.refit.fold_scores([set_at(int(i))])[0]
        return rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(self.n)


def _size(X: np.ndarray) -> np.ndarray:
    size = np.sqrt((X**2).mean(axis=0))
    return np.where(size > 0, size, 1.0)
