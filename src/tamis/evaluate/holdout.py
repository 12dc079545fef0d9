r"""A holdout that may be asked many times: Thresholdout.

A question is answered from the training rows as long as they agree with the holdout; only when they do not is the
holdout's own answer given, noisy and rounded, and that costs one of a budget. Nothing of the holdout leaks out
otherwise, so later questions may depend on earlier answers.

With m questions, of which at most B are answered from a holdout of n rows on a grid of step g, there are at most
:math:`N = \sum_{i \le B} \binom{m}{i} (1/g + 2)^i` possible histories of answers once the noise is drawn. Hoeffding's
bound for each question of each history gives, with probability 1 − β, that no answer is further from the truth than

.. math:: T + r + \sqrt{\frac{\ln(4 m N / \beta)}{2 n}},

where r is the reach of all the noise drawn, at confidence 1 − β/2, and of half a grid step.

References
----------
Dwork, Feldman, Hardt, Pitassi, Reingold, Roth: The reusable holdout: preserving validity in adaptive data analysis.
Science 349 (2015); Generalization in adaptive data analysis and holdout reuse. NeurIPS (2015).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from sklearn.base import BaseEstimator

from tamis.check import count, number
from tamis.engine import generator
from tamis.errors import ParameterError, StudyError
from tamis.table import take
from tamis.table.like import TableLike


class ReusableHoldout:
    """Rows put aside that can be asked many questions, a few of which they answer.

    Parameters
    ----------
    X, y : all rows.
    train, holdout : positions of the training and of the held-out rows.
    threshold : how far training and holdout may differ before the holdout answers.
    noise : scale of the Laplace noise.
    budget : how many times the holdout may answer.
    random_state : fixes the noise; keep it secret from whoever asks.

    Attributes
    ----------
    asked, remaining : questions asked, and answers of the holdout left.
    spent : True when no more may be asked.

    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 2)), rng.integers(0, 2, 400)
    >>> holdout = ReusableHoldout(X, y, train=np.arange(200), holdout=np.arange(200, 400))
    >>> answer = holdout.query(lambda X, y: (X[:, 0] > 0) == (y == 1))
    >>> bool(0.3 < answer < 0.7), holdout.asked
    (True, 1)
    """

    def __init__(
        self,
        X: TableLike,
        y: ArrayLike,
        *,
        train: Any,
        holdout: Any,
        threshold: float = 0.04,
        noise: float = 0.001,
        budget: int = 20,
        random_state: int = 0,
    ) -> None:
        self.threshold = number("threshold", threshold, low=0, high=1, open_low=True)
        self.noise = number("noise", noise, low=0, high=1)
        self.budget = count("budget", budget)
        first, second = np.asarray(train), np.asarray(holdout)
        if len(np.intersect1d(first, second)):
            raise ParameterError(
                f"position {np.intersect1d(first, second)[0]} is in both train and holdout; give disjoint rows"
            )
        if not (len(first) and len(second)):
            raise ParameterError("train or holdout has no rows; give at least one row each")
        target = np.asarray(y)
        self._train = take(X, rows=first), target[first]
        self._holdout = take(X, rows=second), target[second]
        self.n_holdout = len(second)
        self._draw = generator(random_state, "thresholdout")
        self.asked, self.remaining = 0, self.budget
        self._limit = self._new_limit()

    @property
    def spent(self) -> bool:
        return self.remaining == 0

    def query(self, function: Callable[[Any, np.ndarray], Any]) -> float:
        """The mean over rows of a function (X, y) -> one value in [0, 1] a row, such as right or wrong."""
        if self.spent:
            raise StudyError(
                f"the budget of {self.budget} answers is spent after {self.asked:,} questions; "
                "the holdout says no more: collect new rows"
            )
        train_mean, holdout_mean = self._mean(function, *self._train), self._mean(function, *self._holdout)
        self.asked += 1
        if abs(train_mean - holdout_mean) <= self._limit + self._laplace(4):
            return train_mean
        self.remaining -= 1
        self._limit = self._new_limit()
        return float(np.clip(np.round((holdout_mean + self._laplace(1)) / self.grid) * self.grid, 0.0, 1.0))

    def accuracy(self, model: BaseEstimator) -> float:
        """The share of rows a fitted classifier answers right."""
        return self.query(lambda X, y: np.asarray(model.predict(X)).ravel() == y)

    @property
    def grid(self) -> float:
        """Answers of the holdout are rounded to multiples of this."""
        return max(self.noise, 1e-3)

    def guarantee(self, n_questions: int, *, beta: float = 0.05) -> float:
        """With probability 1 − beta, every one of so many answers is at most this far from the truth on new rows."""
        m = count("n_questions", n_questions)
        number("beta", beta, low=0, high=1, open_low=True, open_high=True)
        i = np.arange(min(self.budget, m) + 1)
        ways = special.gammaln(m + 1) - special.gammaln(i + 1) - special.gammaln(m - i + 1)
        histories = special.logsumexp(ways + i * np.log(1 / self.grid + 2))
        sampling = np.sqrt((np.log(4 * m / beta) + histories) / (2 * self.n_holdout))
        tail = np.log((6 * m + 2) / beta)  # at most 3 m + 1 draws of noise, half of beta for all of them
        reach = max(self.threshold + (2 + 4) * self.noise * tail, self.noise * tail + self.grid / 2)
        return float(min(1.0, reach + sampling))

    def _new_limit(self) -> float:
        return self.threshold + self._laplace(2)

    def _laplace(self, scale: float) -> float:
        return float(self._draw.laplace(0.0, scale * self.noise)) if self.noise else 0.0

    @staticmethod
    def _mean(function: Callable[[Any, np.ndarray], Any], X: TableLike, y: np.ndarray) -> float:
        values = np.asarray(function(X, y), dtype=np.float64)
        if values.shape != y.shape:
            raise ParameterError(f"the question gave shape {values.shape} for {len(y):,} rows; give one value per row")
        if not (np.isfinite(values).all() and values.min() >= 0 and values.max() <= 1):
            raise ParameterError(
                f"the question gave values in [{values.min():g}, {values.max():g}]; give values in [0, 1]"
            )
        return float(values.mean())
