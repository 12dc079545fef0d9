"""Derivatives of signals, from local polynomials."""

from dataclasses import field

import numpy as np

from tamis import check
from tamis.errors import TableError
from tamis.table.interface.takes_table import parameters
from tamis.transform.signals.base import SignalTransform
from tamis.transform.signals.kernels.smoothing import filtered, polynomial_weights
from tamis.transform.signals.smooth import polynomial_window


@parameters
class Derivative(SignalTransform):
    r"""The derivative of a local least-squares polynomial at each position (Savitzky–Golay).

    .. math:: x_i \mapsto p^{(r)}(0) / s^r, \qquad p = \arg\min \sum_{|k| \le h} (x_{i+k} - p(k))^2

    with order r and positions s apart. It removes offsets (r = 1) and straight baselines (r = 2), and smooths while it
    does so. The first and last h positions take theirs from the polynomial of the first or last window.

    Parameters
    ----------
    order : of the derivative, at least 1.
    window : odd number of positions; without one 7, or the whole signal where that is shorter.
    degree : of the polynomial; without one 2, or the order where that is larger.
    spacing : distance of two positions.
    columns, missing, n_jobs : as in `Smooth`.

    Attributes
    ----------
    blocks_ : dict, name of a block -> positions of its columns.

    >>> Derivative(window=3).fit_transform([[0.0, 1.0, 4.0, 9.0, 16.0]]).round(9) + 0.0
    array([[0., 2., 4., 6., 8.]])
    """

    min_positions = 2

    order: int = field(default=1, kw_only=False)
    window: int | None = None
    degree: int | None = None
    spacing: float = 1.0

    def _check(self) -> None:
        super()._check()
        check.count("order", self.order)
        if self.degree is not None:
            check.count("degree", self.degree, low=self.order)
        check.number("spacing", self.spacing, low=0, open_low=True)

    def _fits(self, name: str, n: int) -> None:
        super()._fits(name, n)
        if self._window(name, n)[1] < self.order:
            raise TableError(
                f"a derivative of order={self.order} needs at least {self.order + 1} positions, but block {name!r} has "
                f"{n} feature(s); give more columns or a lower order"
            )

    def _window(self, name: str, n: int) -> tuple[int, int]:
        return polynomial_window(name, n, self.window, max(2, self.order) if self.degree is None else self.degree)

    def _rows(self, name: str, signals: np.ndarray) -> np.ndarray:
        window, degree = self._window(name, signals.shape[1])
        return filtered(signals, polynomial_weights(window, degree, self.order) / self.spacing**self.order)
