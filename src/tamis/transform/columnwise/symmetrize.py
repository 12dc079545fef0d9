"""Columns as a linear model wants them: skewed ones by their logarithm, where asked ones with heavy tails by rank."""

from dataclasses import field
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import DamagedError
from tamis.saved import mapping, numbers, read_entry, text
from tamis.table.interface.extreme import LARGEST
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform
from tamis.transform.columnwise.rank import Rank

#: A column of fewer different values is left as it is: a code, a count, a grade.
FEWEST_VALUES = 10

#: Values of a column that are kept for its ranks.
MOST_RANKS = 200

#: What is done to a column.
PLAIN, LOG, RANK = "as it is", "log", "rank"


@parameters
class Symmetrize(NumericTransform):
    r"""The logarithm of positive skewed columns, where asked ranks of columns with heavy tails, others as they are.

    Decided for each column by its values in the rows of `fit` alone, never by a target, with the skewness
    :math:`g_1 = m_3 / m_2^{3/2}` and the excess kurtosis :math:`g_2 = m_4 / m_2^2 - 3`:

    - log(b + x) where no value is below 0, g₁ > `skewness`, and the logarithm is less than half as skewed. b is 0 where
      all values are above 0, else q₁² / q₃ of the quartiles of those that are: in logarithms as far below the first
      as that is below the third (a "started" logarithm);
    - else the normal score of the rank (see `Rank`) where g₂ > `tails`;
    - else as it is; so are columns of fewer than 10 different values.

    Missing values stay missing. A new value that has no logarithm is read as the smallest value of `fit`.

    Parameters
    ----------
    skewness : above which the logarithm is taken. Over 34 tables 2 serves a lasso and a ridge as well as 1, and harms
        fewer of them (benchmarks/study/symmetrized.py).
    tails : excess kurtosis above which ranks are taken; None, which does as well over these tables, never takes them.

    Attributes
    ----------
    how_ : for each touched column "log", "rank" or "as it is".
    offset_ : b of each; 0 where no logarithm is taken.
    low_ : its smallest value.
    ranks_ : place of a column taken by rank -> its fitted `Rank`.
    reasons_ : column -> what is done to it and why, in words; columns left as they are have none.

    References
    ----------
    Tukey (1977), Exploratory Data Analysis, for started logarithms.

    >>> x = np.exp(np.arange(-5.0, 6.0))[:, None]
    >>> made = Symmetrize().fit(x)
    >>> made.reasons_
    {'x0': 'log of x0: positive, skewness 2.3'}
    >>> made.transform(x).ravel().round(2)
    array([-5., -4., -3., -2., -1.,  0.,  1.,  2.,  3.,  4.,  5.])
    """

    skewness: float = field(default=2.0, kw_only=False)
    tails: float | None = None

    def _check(self) -> None:
        check.number("skewness", self.skewness, low=0)
        if self.tails is not None:
            check.number("tails", self.tails, low=0)

    def _learn(self, X: np.ndarray, y: Any) -> None:
        n = X.shape[1]
        self.how_, self.offset_, self.low_ = [PLAIN] * n, np.zeros(n), np.zeros(n)
        self.reasons_: dict[str, str] = {}
        self.ranks_: dict[int, Rank] = {}
        for j in range(n):
            observed = X[~np.isnan(X[:, j]), j]
            if len(observed) and len(np.unique(observed)) >= FEWEST_VALUES:
                self._decide(j, observed)

    def _decide(self, j: int, observed: np.ndarray) -> None:
        """What is done to column j, from its values that are not missing."""
        name, (skewness, tails) = self.names_[j], shape(observed)
        self.low_[j] = low = float(observed.min())
        if low >= 0 and skewness > self.skewness:
            offset = started(observed)
            if abs(shape(np.log(offset + observed))[0]) < skewness / 2:
                self.how_[j], self.offset_[j] = LOG, offset
                words = "positive" if low > 0 else f"not below 0, started at {offset:.3g}"
                self.reasons_[name] = f"log of {name}: {words}, skewness {skewness:.1f}"
                return
        if self.tails is not None and tails > self.tails:
            self.how_[j] = RANK
            self.ranks_[j] = Rank("normal", n_values=MOST_RANKS).fit(observed[:, None])
            self.reasons_[name] = f"rank of {name}: heavy tails, excess kurtosis {tails:.1f}"

    def _apply(self, X: np.ndarray) -> np.ndarray:
        out = np.array(X, dtype=np.float64, order="F")
        for j, how in enumerate(self.how_):
            if how == LOG:
                shifted = self.offset_[j] + X[:, j]
                out[:, j] = np.log(np.where(shifted <= 0, self.offset_[j] + self.low_[j], shifted))
            elif how == RANK:
                out[:, j] = self.ranks_[j].transform(X[:, [j]])[:, 0]
        return out

    def _invert(self, X: np.ndarray) -> np.ndarray:
        out = np.array(X, dtype=np.float64, order="F")
        for j, how in enumerate(self.how_):
            if how == LOG:
                out[:, j] = np.exp(X[:, j]) - self.offset_[j]
            elif how == RANK:
                out[:, j] = self.ranks_[j].inverse_transform(X[:, [j]])[:, 0]
        return out

    def _state(self) -> dict[str, Any]:
        return {
            "how": list(self.how_),
            "offset": self.offset_.tolist(),
            "low": self.low_.tolist(),
            "ranks": [[j, rank.to_dict()] for j, rank in self.ranks_.items()],
            "reasons": dict(self.reasons_),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        n = len(self.touched_)
        self.how_ = [check.one_of("how", text("how", how), (PLAIN, LOG, RANK)) for how in read_entry(state, "how")]
        self.offset_ = numbers("offset", read_entry(state, "offset"), shape=(n,))
        self.low_ = numbers("low", read_entry(state, "low"), shape=(n,))
        self.ranks_ = {int(j): Rank.from_dict(mapping("a rank", rank)) for j, rank in read_entry(state, "ranks")}
        reasons = mapping("reasons", read_entry(state, "reasons"))
        self.reasons_ = {text("a column", name): text("a reason", why) for name, why in reasons.items()}
        if len(self.how_) != n or set(self.ranks_) != {j for j, how in enumerate(self.how_) if how == RANK}:
            raise DamagedError("it does not say what is done to every column")
        if any(how == LOG and b + low <= 0 for how, b, low in zip(self.how_, self.offset_, self.low_)):
            raise DamagedError("a logarithm of it is of no number above 0")


def shape(values: np.ndarray) -> tuple[float, float]:
    """Skewness and excess kurtosis; 0 for a constant.

    >>> [round(one, 3) for one in shape(np.array([0.0, 0.0, 0.0, 4.0]))]
    [1.155, -0.667]
    """
    size = float(np.abs(values).max(initial=0.0))
    if size > LARGEST:  # a sum, or a difference, might have no value
        values = values / size
    off = values - values.mean()
    largest = float(np.abs(off).max(initial=0.0))
    if largest == 0:
        return 0.0, 0.0
    off = off / largest  # neither overflows nor vanishes
    m2, m3, m4 = (float((off**power).mean()) for power in (2, 3, 4))
    return m3 / m2**1.5, m4 / m2**2 - 3


def started(values: np.ndarray) -> float:
    """What is added before the logarithm: nothing to values above 0, else q₁² / q₃ of those that are."""
    if values.min() > 0:
        return 0.0
    first, third = np.quantile(values[values > 0], (0.25, 0.75))
    return float(first**2 / third)
