"""Remove the slow background under the peaks of a signal."""

import warnings
from collections.abc import Callable
from dataclasses import field
from typing import Any, Self

import numpy as np

from tamis import check
from tamis.errors import NotConverged, TableError
from tamis.saved import read_entry, read_integer
from tamis.table import eager
from tamis.table.interface.takes_table import parameters
from tamis.transform.signals.base import SignalTransform
from tamis.transform.signals.kernels.baselines import offsets, polynomial_basis, projected, under

HOW = ("asls", "polynomial", "modpoly")


@parameters
class Baseline(SignalTransform):
    r"""Subtract a smooth baseline from each signal.

    Asymmetric least squares: the baseline z minimises

    .. math:: \sum_i w_i (x_i - z_i)^2 + \lambda \sum_i (z_i - 2 z_{i+1} + z_{i+2})^2,
        \qquad w_i = \begin{cases} p & x_i > z_i \\ 1 - p & \text{else,} \end{cases}

    with weights that are renewed until they settle. "polynomial" is the least-squares polynomial; "modpoly" cuts the
    signal down to it wherever it is higher, and fits again until the polynomial settles.

    Two positions have no bend, so asls leaves nothing of them.

    Every signal has its own baseline: nothing is learned from other rows, and nothing can be undone.

    Parameters
    ----------
    how : "asls", "polynomial" or "modpoly".
    lam : smoothness of asls, at most 1e12; the baseline follows bends longer than about 2π lam^(1/4) positions, 200 for
        1e6. Rounding grows with it, to 1e-8 of the largest value at 1e6 and a thousandth at 1e12.
    p : weight of what lies above the baseline, between 0 and 1; small for peaks that point upwards.
    degree : of the polynomial; without one 2, or 1 for two positions.
    max_iter : how often weights (or the cut) are renewed at most; without a number 50 for asls, 250 for modpoly.
    tol : relative change below which they have settled.
    columns, missing, n_jobs : as in `Smooth`.

    Attributes
    ----------
    n_iter_ : how many systems (or fits) the slowest signal of `fit` took.
    blocks_ : dict, name of a block -> positions of its columns.

    References
    ----------
    P. Eilers, "A perfect smoother", Analytical Chemistry 75, 2003. C. Lieber and A. Mahadevan-Jansen, "Automated method
    for subtraction of fluorescence from biological Raman spectra", Applied Spectroscopy 57, 2003.

    >>> Baseline("polynomial", degree=1).fit_transform([[1.0, 2.0, 3.0, 4.0]]).round(9) + 0.0
    array([[0., 0., 0., 0.]])
    """

    min_positions = 2

    how: str = field(default="asls", kw_only=False)
    lam: float = 1e6
    p: float = 0.01
    degree: int | None = None
    max_iter: int | None = None
    tol: float = 1e-3

    def _check(self) -> None:
        super()._check()
        check.one_of("how", self.how, HOW)
        check.number("lam", self.lam, low=0, high=1e12, open_low=True)
        check.number("p", self.p, low=0, high=1, open_low=True, open_high=True)
        check.number("tol", self.tol, low=0)
        if self.degree is not None:
            check.count("degree", self.degree, low=0)
        if self.max_iter is not None:
            check.count("max_iter", self.max_iter)

    def _fits(self, name: str, n: int) -> None:
        super()._fits(name, n)
        if self.how != "asls" and self.degree is not None and n <= self.degree:
            raise TableError(
                f"a polynomial of degree={self.degree} needs at least {self.degree + 1} positions, but block {name!r} "
                f"has {n} feature(s); give a lower degree"
            )

    def fit(self, X: Any, y: Any = None) -> Self:
        """Remember the blocks; the baselines of the rows of X are worked out only to see whether they settle."""
        self._fitted(eager(X), y)
        del self._corrected
        return self

    def _first(self, table: Any, y: Any) -> np.ndarray:
        corrected = self._placed(self._corrected)
        del self._corrected
        return corrected

    def _learn(self, X: np.ndarray, y: Any) -> None:
        self.n_iter_ = 1
        self._corrected: dict[str, np.ndarray] = {}
        super()._learn(X, y)

    def _learn_block(self, name: str, signals: np.ndarray) -> None:
        empty = np.isnan(signals[:, 0])
        corrected, turns = self._solved(name, np.where(empty[:, None], 0.0, signals) if empty.any() else signals)
        corrected[empty] = np.nan
        self._corrected[name], self.n_iter_ = corrected, max(self.n_iter_, turns)

    def _transformed(self, name: str, signals: np.ndarray) -> np.ndarray:
        return self._solved(name, signals)[0]

    def _solved(self, name: str, signals: np.ndarray) -> tuple[np.ndarray, int]:
        """The signals less their baselines, and how many fits the slowest took."""
        n = signals.shape[1]
        method = self._asls(n) if self.how == "asls" else self._polynomial(n)
        with np.errstate(over="ignore", invalid="ignore"):  # a sentence names the row
            corrected, unsettled, turns = zip(*self._by_rows(method, signals))
        if sum(unsettled):
            warnings.warn(
                f"{sum(unsettled):,} of {len(signals):,} baselines of block {name!r} had not settled after "
                f"max_iter={self._max_iter()}; raise max_iter or tol",
                NotConverged,
                stacklevel=6,
            )
        stacked = np.concatenate(corrected)
        if not np.isfinite(stacked).all():
            row = int(np.flatnonzero(~np.isfinite(stacked).all(axis=1))[0])
            raise TableError(
                f"the values of block {name!r} in row {row + 1:,} are too large to compute with; divide them by a "
                "constant"
            )
        return stacked, max(turns)

    def _max_iter(self) -> int:
        return (50 if self.how == "asls" else 250) if self.max_iter is None else self.max_iter

    def _asls(self, n: int) -> Callable[[np.ndarray], tuple[np.ndarray, int, int]]:
        from tamis.transform.signals.kernels.baselines import asls, penalty_bands

        bands = penalty_bands(n, float(self.lam))

        def corrected(signals: np.ndarray) -> tuple[np.ndarray, int, int]:
            out = np.empty_like(signals)
            unsettled, turns = asls(
                np.ascontiguousarray(signals), out, bands, float(self.p), float(self.tol), self._max_iter()
            )
            return out, unsettled, turns

        return corrected

    def _polynomial(self, n: int) -> Callable[[np.ndarray], tuple[np.ndarray, int, int]]:
        basis = polynomial_basis(n, min(2, n - 1) if self.degree is None else self.degree)

        def corrected(signals: np.ndarray) -> tuple[np.ndarray, int, int]:
            if self.how == "polynomial":
                near = signals - signals.mean(axis=1, keepdims=True)  # far from 0, products would lose digits
                return near - projected(near, basis), 0, 1
            near = signals - offsets(signals)[:, None]  # beside a large offset every change would be a small one
            baseline, unsettled, turns = under(near, basis, self.tol, self._max_iter())
            return near - baseline, unsettled, turns

        return corrected

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "n_iter": self.n_iter_}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        self.n_iter_ = read_integer("n_iter", read_entry(state, "n_iter"), low=1)
