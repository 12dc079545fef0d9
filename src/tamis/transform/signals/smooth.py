"""Smooth signals: local polynomials or moving averages."""

from dataclasses import field
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError
from tamis.table.interface.takes_table import parameters
from tamis.transform.signals.base import SignalTransform, along_both, image_shape, refuse_other_shape, window_of
from tamis.transform.signals.kernels.smoothing import averaged, filtered, polynomial_weights

HOW = ("savitzky-golay", "moving-average")

#: Positions of a window where none is given.
WINDOW = 7


@parameters
class Smooth(SignalTransform):
    r"""Replace each position of a signal by a local fit.

    Savitzky–Golay: the value at :math:`i` of the polynomial that minimises
    :math:`\sum_{|k| \le h} (x_{i+k} - p(k))^2`, window 2h + 1; the first and last h positions take theirs from the
    polynomial of the first or last window. Moving average: the mean of the positions within h; near the ends, of those
    that are there.

    Parameters
    ----------
    how : "savitzky-golay" or "moving-average".
    window : odd number of positions; without one 7, or the whole signal where that is shorter.
    degree : of the polynomial, below the window.
    shape : (height, width) of the images in the blocks, pixels row by row; each is smoothed along its rows, then along
        its columns. None for signals.
    columns : the signals: None (all numeric columns), a pattern such as "spectrum_*", a list of names, or a dict
        name of a block -> one of these. Other columns pass through.
    missing : "refuse" raises; "interpolate" puts missing values on the line between their neighbours (at an end, the
        nearest value) before anything else is done; a signal without any value stays missing.
    n_jobs : number of threads; the answer does not depend on it.

    Attributes
    ----------
    blocks_ : dict, name of a block -> positions of its columns.

    References
    ----------
    A. Savitzky and M. Golay, "Smoothing and differentiation of data by simplified least squares procedures",
    Analytical Chemistry 36, 1964.

    >>> Smooth("moving-average", window=3).fit_transform([[0.0, 3.0, 6.0, 0.0]])
    array([[1.5, 3. , 3. , 3. ]])
    >>> Smooth(window=5).fit_transform([[0.0, 1.0, 4.0, 9.0, 16.0, 25.0]]).round(9) + 0.0
    array([[ 0.,  1.,  4.,  9., 16., 25.]])
    """

    how: str = field(default="savitzky-golay", kw_only=False)
    window: int | None = None
    degree: int = 2
    shape: Any = None

    def _check(self) -> None:
        super()._check()
        check.one_of("how", self.how, HOW)
        check.count("degree", self.degree, low=0)
        image_shape(self.shape)

    def _fits(self, name: str, n: int) -> None:
        super()._fits(name, n)
        shape = image_shape(self.shape)
        if shape is not None:
            refuse_other_shape(name, n, shape)
        for length in (n,) if shape is None else shape:
            if self.how == "moving-average":
                window_of(self.window, WINDOW, length, name)
            else:
                polynomial_window(name, length, self.window, self.degree)

    def _rows(self, name: str, signals: np.ndarray) -> np.ndarray:
        shape = image_shape(self.shape)
        if shape is None:
            return self._smoothed(name, signals)
        return along_both(lambda lines: self._smoothed(name, lines), signals, shape)

    def _smoothed(self, name: str, signals: np.ndarray) -> np.ndarray:
        n = signals.shape[1]
        if self.how == "moving-average":
            return averaged(signals, window_of(self.window, WINDOW, n, name))
        window, degree = polynomial_window(name, n, self.window, self.degree)
        return filtered(signals, polynomial_weights(window, degree))


def polynomial_window(name: str, n: int, window: int | None, degree: int) -> tuple[int, int]:
    """Window and degree of the local polynomials of n positions.

    A window that was given must hold the degree. Otherwise it is 7, or as much as the degree needs; a signal that is
    shorter is fitted as a whole, by a polynomial of at most its number of positions less one.

    >>> polynomial_window("signal", 100, None, 2), polynomial_window("signal", 2, None, 2)
    ((7, 2), (2, 1))
    """
    if window is None:
        chosen = max(WINDOW, degree + 1 + degree % 2)
        return (chosen, degree) if chosen <= n else (n, min(degree, n - 1))
    chosen = window_of(window, WINDOW, n, name)
    if degree >= chosen:
        raise ParameterError(
            f"degree={degree} needs a window of more than {degree} positions, but window={chosen}; "
            "give a lower degree or a longer window"
        )
    return chosen, degree
