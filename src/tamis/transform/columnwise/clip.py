"""Limit the size of numbers."""

from dataclasses import field
from typing import Any

import numpy as np
from scipy import sparse

from tamis import check
from tamis.errors import DamagedError, ParameterError
from tamis.saved import numbers, read_entry
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform

QUANTILES = (0.01, 0.99)


@parameters
class Clip(NumericTransform):
    r"""Cut off what is large, raise what is small.

    .. math:: x \mapsto \operatorname{sgn}(x) \min(b, |x|)

    With `quantiles` the limits of each column are its own: values below the lower quantile become it, values above the
    upper one likewise. With `floor` a value whose size is below it gets that size, with its own sign (0 counts as
    positive). Several may be given; the floor comes last. Missing values stay missing.

    Parameters
    ----------
    bound : b, above 0.
    quantiles : (low, high), as shares of the rows of `fit`; (0.01, 0.99) when nothing is given.
    floor : smallest size, above 0 and not above `bound`.

    Attributes
    ----------
    low_, high_ : the learned limits of each touched column; None without `quantiles`.

    >>> Clip(2).fit_transform([[-5.0], [1.0], [3.0]]).ravel()
    array([-2.,  1.,  2.])
    >>> Clip(floor=0.5).fit_transform([[-0.1], [0.0], [3.0]]).ravel()
    array([-0.5,  0.5,  3. ])
    """

    bound: float | None = field(default=None, kw_only=False)
    quantiles: Any = None
    floor: float | None = None

    def _check(self) -> None:
        if self.bound is not None:
            check.number("bound", self.bound, low=0, open_low=True)
        if self.floor is not None:
            high = np.inf if self.bound is None else self.bound
            check.number("floor", self.floor, low=0, high=high, open_low=True)
        self._shares()

    def _shares(self) -> tuple[float, float] | None:
        if self.quantiles is None:
            return QUANTILES if self.bound is None and self.floor is None else None
        if not isinstance(self.quantiles, (tuple, list, np.ndarray)) or len(self.quantiles) != 2:
            raise ParameterError(f"quantiles={self.quantiles!r} is no pair; give (low, high), as in (0.01, 0.99)")
        low, high = (check.number("quantiles", share, low=0, high=1) for share in self.quantiles)
        if low >= high:
            raise ParameterError(f"quantiles={self.quantiles!r} do not grow; give (low, high), as in (0.01, 0.99)")
        return low, high

    def _sparse_ok(self) -> bool:
        return self.bound is not None and self.quantiles is None and self.floor is None

    def _learn(self, X: Any, y: Any) -> None:
        shares = self._shares()
        self.low_ = self.high_ = None
        if shares is not None:
            bounds = [_quantiles(X[:, j], shares) for j in range(X.shape[1])]
            self.low_, self.high_ = np.array(bounds).reshape(-1, 2).T.copy()

    def _apply(self, X: Any) -> Any:
        if sparse.issparse(X):
            out = X.copy()
            np.clip(out.data, -self.bound, self.bound, out=out.data)  # type: ignore[operator, arg-type]
            return out
        if self.low_ is not None:
            X = np.clip(X, self.low_, self.high_)
        if self.bound is not None:
            X = np.clip(X, -self.bound, self.bound)
        if self.floor is not None:
            X = np.where(np.abs(X) < self.floor, np.where(X < 0, -self.floor, self.floor), X)
        return X

    def _state(self) -> dict[str, Any]:
        if self.low_ is None or self.high_ is None:
            return {"low": None, "high": None}
        return {"low": self.low_.tolist(), "high": self.high_.tolist()}

    def _restore(self, state: dict[str, Any]) -> None:
        low, high = read_entry(state, "low"), read_entry(state, "high")
        self.low_ = self.high_ = None
        if (low is None) != (self._shares() is None) or (high is None) != (low is None):
            raise DamagedError("its limits do not belong to its parameters")
        if low is not None:
            shape = (len(self.touched_),)
            self.low_, self.high_ = numbers("low", low, shape=shape), numbers("high", high, shape=shape)


def _quantiles(values: np.ndarray, shares: tuple[float, float]) -> np.ndarray:
    """Two quantiles of the values that are there, by linear interpolation; 0 where there is none."""
    finite = values[~np.isnan(values)]
    return np.quantile(finite, shares) if len(finite) else np.zeros(2)
