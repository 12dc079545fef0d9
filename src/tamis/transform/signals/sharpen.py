"""Sharpen signals: what a moving average takes away is added once more."""

from dataclasses import field
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError
from tamis.table.interface.takes_table import parameters
from tamis.transform.signals.base import SignalTransform, along_both, image_shape, refuse_other_shape, window_of
from tamis.transform.signals.kernels.smoothing import averaged, sharpening_bands

#: Positions of a window where none is given.
WINDOW = 5


@parameters
class Sharpen(SignalTransform):
    r"""Unsharp masking: add the difference from the moving average.

    .. math:: x_i \mapsto x_i + a\,(x_i - \bar x_i), \qquad \bar x_i = \text{mean of } x_{i-h}, \dots, x_{i+h}

    Peaks become higher and edges steeper; so does noise. Near the ends the mean is of the positions that are there.
    `inverse_transform` solves the equations back.

    Parameters
    ----------
    amount : a, at least 0.
    window : odd number of positions, 2h + 1; without one 5, or less where the signal is shorter.
    shape : (height, width) of the images in the blocks; the mean is then of a square of pixels, and there is no way
        back. None for signals.
    columns, missing, n_jobs : as in `Smooth`.

    Attributes
    ----------
    blocks_ : dict, name of a block -> positions of its columns.

    >>> Sharpen(window=3).fit_transform([[0.0, 0.0, 3.0, 0.0, 0.0]])
    array([[ 0., -1.,  5., -1.,  0.]])
    """

    amount: float = field(default=1.0, kw_only=False)
    window: int | None = None
    shape: Any = None

    def _check(self) -> None:
        super()._check()
        check.number("amount", self.amount, low=0)
        image_shape(self.shape)

    def _fits(self, name: str, n: int) -> None:
        super()._fits(name, n)
        shape = image_shape(self.shape)
        if shape is not None:
            refuse_other_shape(name, n, shape)
        for length in (n,) if shape is None else shape:
            window_of(self.window, WINDOW, length, name)

    def _rows(self, name: str, signals: np.ndarray) -> np.ndarray:
        shape = image_shape(self.shape)
        if shape is not None:
            mean = along_both(lambda x: averaged(x, window_of(self.window, WINDOW, x.shape[1], name)), signals, shape)
            return np.asarray(signals + self.amount * (signals - mean))
        window = window_of(self.window, WINDOW, signals.shape[1], name)
        return np.asarray(signals + self.amount * (signals - averaged(signals, window)))

    def _invert(self, Z: np.ndarray) -> np.ndarray:
        from scipy.linalg import solve_banded

        if self.shape is not None:
            raise ParameterError("a sharpened image has no way back; give shape=None, or keep the image")
        blocks = {}
        for name, columns in self.blocks_.items():
            n = len(columns)
            window = window_of(self.window, WINDOW, n, name)
            bands = sharpening_bands(n, window, self.amount)
            sharp = self._signals(name, Z).T
            blocks[name] = solve_banded((window // 2, window // 2), bands, sharp, check_finite=False).T
        return self._placed(blocks)
