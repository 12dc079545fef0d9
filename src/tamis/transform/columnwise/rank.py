"""Numbers by their rank: only the order of a column counts."""

from dataclasses import field
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from tamis import check
from tamis.errors import DamagedError
from tamis.saved import numbers, read_entry
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform


@parameters
class Rank(NumericTransform):
    r"""The share of rows of `fit` that lie below a value, ties counted half.

    .. math:: u(x) = \frac{\#\{x_i < x\} + \frac12 \#\{x_i = x\}}{n}, \qquad z = \Phi^{-1}(u) \text{ for normal scores}

    Between two values of `fit` the score is interpolated, beyond the smallest and the largest it is theirs. Missing
    values stay missing.

    Parameters
    ----------
    to : "uniform" (u) or "normal" (z).
    n_values : of a column with more different values than these, so many are kept, evenly spread over the ranks; the
        score of any value is then off by less than one over this number.

    Attributes
    ----------
    values_, scores_ : for each touched column its values in order, and u of each.

    >>> Rank().fit_transform([[10.0], [30.0], [20.0], [30.0]]).ravel()
    array([0.125, 0.75 , 0.375, 0.75 ])
    """

    to: str = field(default="uniform", kw_only=False)
    n_values: int = 10_000

    def _check(self) -> None:
        check.one_of("to", self.to, ["uniform", "normal"])
        check.count("n_values", self.n_values, low=2)

    def _learn(self, X: np.ndarray, y: Any) -> None:
        knots = [_knots(X[:, j], self.n_values) for j in range(X.shape[1])]
        self.values_ = [values for values, _ in knots]
        self.scores_ = [scores for _, scores in knots]

    def _apply(self, X: np.ndarray) -> np.ndarray:
        out = np.empty(X.shape, order="F")
        for j, (values, scores) in enumerate(zip(self.values_, self.scores_)):
            u = np.interp(X[:, j], values, scores)
            out[:, j] = u if self.to == "uniform" else ndtri(u)
        out[np.isnan(X)] = np.nan  # a single value is NumPy's answer to anything, a missing value included
        return out

    def _invert(self, X: np.ndarray) -> np.ndarray:
        out = np.empty(X.shape, order="F")
        for j, (values, scores) in enumerate(zip(self.values_, self.scores_)):
            out[:, j] = np.interp(X[:, j] if self.to == "uniform" else ndtr(X[:, j]), scores, values)
        out[np.isnan(X)] = np.nan
        return out

    def _state(self) -> dict[str, Any]:
        return {
            "values": [values.tolist() for values in self.values_],
            "scores": [scores.tolist() for scores in self.scores_],
        }

    def _restore(self, state: dict[str, Any]) -> None:
        values, scores = read_entry(state, "values"), read_entry(state, "scores")
        if len(values) != len(self.touched_) or len(scores) != len(values):
            raise DamagedError("it does not hold the values of every column")
        self.values_ = [numbers("values", column) for column in values]
        self.scores_ = [numbers("scores", column, shape=(len(knots),)) for column, knots in zip(scores, self.values_)]
        for knots in (*self.values_, *self.scores_):
            if not len(knots) or np.any(np.diff(knots) <= 0):
                raise DamagedError("its values do not grow")
        if any(column[0] <= 0 or column[-1] >= 1 for column in self.scores_):
            raise DamagedError("a score of it does not lie between 0 and 1")


def _knots(column: np.ndarray, max_values: int) -> tuple[np.ndarray, np.ndarray]:
    """The different values in order and the score of each; 0 and one half for a column without values."""
    ordered = np.sort(column[~np.isnan(column)])
    if not len(ordered):
        return np.zeros(1), np.full(1, 0.5)
    first = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    ends = np.append(first[1:], len(ordered))
    scores = (first + ends) / (2.0 * len(ordered))
    chosen = np.arange(len(first))
    if len(first) > max_values:
        chosen = np.unique(
            np.searchsorted(scores, np.linspace(scores[0], scores[-1], max_values)).clip(0, len(first) - 1)
        )
    return ordered[first[chosen]], scores[chosen]
