"""Signals by scale: energies of the levels of a discrete wavelet transform."""

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError
from tamis.table.interface.takes_table import parameters
from tamis.transform.signals.base import SignalTransform
from tamis.transform.signals.kernels.wavelets import decomposed, deepest, recomposed

HOW = ("energy", "share", "coefficients")

#: How a signal continues beyond its ends, in PyWavelets' words.
MODES = ("periodization", "symmetric", "reflect", "antisymmetric", "zero", "constant", "smooth", "periodic")


class WaveletTransform(SignalTransform):
    """What transforms by wavelets share: the wavelet and the number of levels."""

    min_positions = 2
    wavelet: str
    level: int | None
    mode: str

    def _check(self) -> None:
        super()._check()
        check.one_of("mode", self.mode, MODES)
        if self.level is not None:
            check.count("level", self.level)

    def _fits(self, name: str, n: int) -> None:
        super()._fits(name, n)
        if self.level is not None and 2**self.level > n:
            raise ParameterError(
                f"level={self.level} needs at least {2**self.level} positions, but block {name!r} has {n}; "
                f"give a level of at most {int(np.log2(n))}"
            )

    def _learn(self, X: np.ndarray, y: Any) -> None:
        wavelet_of(self.wavelet, type(self).__name__)
        super()._learn(X, y)

    def _wavelet(self) -> Any:
        return wavelet_of(self.wavelet, type(self).__name__)

    def _levels(self, n: int) -> int:
        return deepest(n, self._wavelet().dec_len) if self.level is None else self.level


@parameters
class Wavelet(WaveletTransform):
    r"""Energy of a signal at each level of its wavelet transform.

    .. math:: E_{a} = \sum_k a_{L,k}^2, \qquad E_{d_l} = \sum_k d_{l,k}^2, \qquad l = L, \dots, 1

    with the approximation a and the details d: level 1 holds changes from one position to the next, each further level
    changes over twice as many positions. With an orthogonal wavelet (all but the bior and rbio families) and
    `mode="periodization"` energies add up to the sum of squares of a signal whose length divides by 2 to the L.

    Parameters
    ----------
    how : "energy"; "share" of all energy (0 for a signal of zeros); or "coefficients" themselves, from which
        `inverse_transform` gives the signal back.
    wavelet : its name in PyWavelets, which comes with tamis[signal]: haar, db2, …, sym2, …, coif1, …, bior2.2, ….
    level : number of levels; without one, as deep as the wavelet's filter fits into the signal.
    mode : how a signal continues beyond its ends, in PyWavelets' words; "periodization" makes as many coefficients as
        there are positions.
    columns, missing, n_jobs : as in `Smooth`.

    Attributes
    ----------
    blocks_ : dict, name of a block -> positions of its columns.

    References
    ----------
    S. Mallat, "A theory for multiresolution signal decomposition: the wavelet representation", IEEE PAMI 11, 1989.
    """

    one_to_one = False
    squares = True

    how: str = field(default="energy", kw_only=False)
    wavelet: str = "db4"
    level: int | None = None
    mode: str = "periodization"

    def _check(self) -> None:
        super()._check()
        check.one_of("how", self.how, HOW)

    def _rows(self, name: str, signals: np.ndarray) -> np.ndarray:
        coefficients = decomposed(signals, self._wavelet(), self.mode, self._levels(signals.shape[1]))
        if self.how == "coefficients":
            return np.hstack(coefficients)
        energies = np.column_stack([np.square(band).sum(axis=1) for band in coefficients])
        if self.how == "energy":
            return energies
        total = energies.sum(axis=1, keepdims=True)
        return np.divide(energies, total, out=np.zeros_like(energies), where=total > 0)

    def _output_names(self, names: Sequence[str]) -> list[str]:
        new_names: list[str] = []
        for block, columns in self.blocks_.items():
            level = self._levels(len(columns))
            bands = [f"a{level}", *(f"d{depth}" for depth in range(level, 0, -1))]
            if self.how == "coefficients":
                new_names += [
                    f"{block}_{band}_{k}" for band, n in zip(bands, self._lengths(len(columns))) for k in range(n)
                ]
            else:
                new_names += [f"{block}_{self.how}_{band}" for band in bands]
        return new_names

    def _lengths(self, n: int) -> list[int]:
        """How many coefficients each level of n positions has."""
        return [band.shape[1] for band in decomposed(np.zeros((1, n)), self._wavelet(), self.mode, self._levels(n))]

    @property
    def _invert(self) -> Any:
        if self.how != "coefficients":
            raise AttributeError("energies cannot be turned back into a signal; how='coefficients' can")
        return self._signals_of

    def _signals_of(self, Z: np.ndarray) -> np.ndarray:
        blocks, first = {}, 0
        for name, columns in self.blocks_.items():
            coefficients = []
            for n in self._lengths(len(columns)):
                coefficients.append(np.ascontiguousarray(Z[:, first : first + n]))
                first += n
            blocks[name] = recomposed(coefficients, self._wavelet(), self.mode, len(columns))
        return self._placed(blocks)


def wavelet_of(name: Any, asked_by: str) -> Any:
    """A wavelet of PyWavelets by its name, or a sentence on how to get PyWavelets."""
    try:
        import pywt
    except ImportError as error:
        raise ParameterError(f"{asked_by} needs PyWavelets, which is not installed; install tamis[signal]") from error
    wavelet_names = pywt.wavelist(kind="discrete")
    if name not in wavelet_names:
        hint = check.nearest(name, wavelet_names)
        raise ParameterError(f"wavelet={name!r} is not known{hint}; give for example db4, sym8 or haar")
    return pywt.Wavelet(name)
