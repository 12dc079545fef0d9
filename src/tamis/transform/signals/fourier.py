"""Signals by frequency: amplitudes, powers, powers of bands."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import KindError, ParameterError
from tamis.table.interface.takes_table import parameters
from tamis.transform.signals.base import SignalTransform, image_shape, refuse_other_shape

HOW = ("amplitude", "power", "parts")


@parameters
class Fourier(SignalTransform):
    r"""Amplitudes of the frequencies of a signal, or the power in bands of them.

    A signal of n positions is a sum of waves of the frequencies f = k · rate / n, k = 0, …, n/2:

    .. math:: x_t = \sum_k a_k \cos(2 \pi k t / n) + b_k \sin(2 \pi k t / n), \qquad A_k = \sqrt{a_k^2 + b_k^2}.

    The amplitude :math:`A_k` is that of the wave itself: 3 for a wave between -3 and 3. The power is its mean square,
    :math:`A_k^2 / 2` (:math:`A_k^2` at frequency 0 and at the highest one of an even n), so that powers add up to the
    mean square of the signal.

    Parameters
    ----------
    how : "amplitude", "power", or "parts" (the numbers a and b, from which `inverse_transform` gives the signal back).
    bands : (low, high) frequencies, or a dict name -> (low, high): the power of each, low ≤ f < high (the highest
        frequency belongs to a band that ends at it), instead of single frequencies.
    rate : positions in a unit of time (or length), so that frequencies are in cycles per unit.
    shape : (height, width) of the images in the blocks, pixels row by row. Waves then have a frequency down and one
        across, and bands are those of the length of the two; "parts" is for signals. None for signals.
    columns, missing, n_jobs : as in `Smooth`.

    Attributes
    ----------
    blocks_ : dict, name of a block -> positions of its columns.

    >>> wave = 3 * np.cos(2 * np.pi * 2 * np.arange(8) / 8)
    >>> Fourier().fit_transform([wave]).round(9) + 0.0
    array([[0., 0., 3., 0., 0.]])
    >>> Fourier().fit([wave]).get_feature_names_out()[:3]
    array(['signal_amplitude_0', 'signal_amplitude_0.125',
           'signal_amplitude_0.25'], dtype=object)
    """

    one_to_one = False
    min_positions = 2

    how: str = field(default="amplitude", kw_only=False)
    bands: Any = None
    rate: float = 1.0
    shape: Any = None

    def _check(self) -> None:
        super()._check()
        check.one_of("how", self.how, HOW)
        check.number("rate", self.rate, low=0, open_low=True)
        if image_shape(self.shape) is not None and self.how == "parts" and self.bands is None:
            raise ParameterError("how='parts' is for signals; give 'amplitude', 'power' or bands for images")
        self._bands()

    def _bands(self) -> dict[str, tuple[float, float]]:
        if self.bands is None:
            return {}
        if isinstance(self.bands, Mapping):
            named = dict(self.bands)
        elif isinstance(self.bands, (Sequence, np.ndarray)) and not isinstance(self.bands, str):
            named = {_band_name(band): band for band in self.bands}
        else:
            raise KindError(f"bands={self.bands!r} must be pairs (low, high); give a list or a dict of them")
        if not named:
            raise ParameterError("bands is empty; give at least one pair (low, high), or leave it out")
        return {str(name): _band(band) for name, band in named.items()}

    def _fits(self, name: str, n: int) -> None:
        super()._fits(name, n)
        shape = image_shape(self.shape)
        if shape is not None:
            refuse_other_shape(name, n, shape)
        top = self._highest(n)
        for label, (low, _) in self._bands().items():
            if low > top:
                named = f"{'' if shape else ' rate/2'} = {top:g}"
                raise ParameterError(
                    f"band {label!r} begins at {low:g}, beyond the highest frequency{named}; give a lower one"
                )
            if not self._masks(n)[label].any():
                raise ParameterError(
                    f"band {label!r} holds none of the frequencies of block {name!r}, which are "
                    f"{self.rate / max(shape or (n,)):g} apart; give a wider one"
                )

    def frequencies(self, n: int) -> np.ndarray:
        """The frequencies of a signal of n positions.

        >>> Fourier(rate=8).frequencies(4)
        array([0., 2., 4.])
        """
        return np.arange(n // 2 + 1) * (self.rate / n)

    def _pairs(self, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        """The frequencies down (of either sign) and across of the coefficients of images."""
        from scipy.fft import fftfreq

        down, across = fftfreq(shape[0], 1 / self.rate), self.frequencies(shape[1])
        return np.repeat(down, len(across)), np.tile(across, shape[0])

    def _lengths(self, n: int) -> np.ndarray:
        """The frequency of each coefficient; of images the length of its two frequencies."""
        shape = image_shape(self.shape)
        return self.frequencies(n) if shape is None else np.hypot(*self._pairs(shape))

    def _highest(self, n: int) -> float:
        """The highest frequency there may be: half of the rate, or the longest of images."""
        return self.rate / 2 if image_shape(self.shape) is None else float(self._lengths(n).max())

    def _masks(self, n: int) -> dict[str, np.ndarray]:
        at = self._lengths(n)
        highest = self._highest(n)
        top = at >= highest * (1 - 1e-12)
        return {
            name: (at >= low) & ((at < high) | (top & (high >= highest))) for name, (low, high) in self._bands().items()
        }

    def _rows(self, name: str, signals: np.ndarray) -> np.ndarray:
        from scipy.fft import rfft, rfft2

        n, shape = signals.shape[1], image_shape(self.shape)
        sides = _sides(n) if shape is None else np.tile(_sides(shape[1]), shape[0])
        if shape is None:
            spectrum = rfft(signals, axis=1) * (sides / n)
        else:
            waves = rfft2(signals.reshape(len(signals), *shape), axes=(1, 2))
            spectrum = waves.reshape(len(signals), -1) * (sides / n)
        if self.how == "parts" and self.bands is None:
            return np.hstack([spectrum.real, -spectrum.imag[:, 1 : (n + 1) // 2]])
        amplitude = np.abs(spectrum)
        if self.how == "amplitude" and self.bands is None:
            return amplitude
        power = np.square(amplitude) / sides
        if self.bands is None:
            return np.asarray(power)
        return np.column_stack([power[:, mask].sum(axis=1) for mask in self._masks(n).values()])

    def _output_names(self, names: Sequence[str]) -> list[str]:
        from scipy.fft import fftfreq

        new_names: list[str] = []
        for block, columns in self.blocks_.items():
            n = len(columns)
            if self.bands is not None:
                new_names += [f"{block}_power_{label}" for label in self._bands()]
                continue
            shape = image_shape(self.shape)
            if shape is not None:
                down, across = fftfreq(shape[0], 1 / self.rate), _written(self.frequencies(shape[1]))
                new_names += [f"{block}_{self.how}_{row:.6g}_{word}" for row in down for word in across]
                continue
            at = _written(self.frequencies(n))
            if self.how == "parts":
                new_names += [f"{block}_cosine_{f}" for f in at] + [f"{block}_sine_{f}" for f in at[1 : (n + 1) // 2]]
            else:
                new_names += [f"{block}_{self.how}_{f}" for f in at]
        return new_names

    @property
    def _invert(self) -> Any:
        if self.how != "parts" or self.bands is not None:
            raise AttributeError("amplitudes without phases cannot be turned back; how='parts' can")
        return self._signals_of

    def _signals_of(self, Z: np.ndarray) -> np.ndarray:
        from scipy.fft import irfft

        blocks, first = {}, 0
        for name, columns in self.blocks_.items():
            n = len(columns)
            spectrum = Z[:, first : first + n // 2 + 1].astype(complex)
            spectrum.imag[:, 1 : (n + 1) // 2] = -Z[:, first + n // 2 + 1 : first + n]
            blocks[name] = irfft(spectrum * (n / _sides(n)), n=n, axis=1)
            first += n
        return self._placed(blocks)


def _sides(n: int) -> np.ndarray:
    """2 for frequencies that come as a pair of opposite ones, 1 for 0 and for the highest one of an even n."""
    sides = np.full(n // 2 + 1, 2.0)
    sides[0] = 1.0
    if n % 2 == 0:
        sides[-1] = 1.0
    return sides


def _written(frequencies: np.ndarray) -> list[str]:
    """Different frequencies as different words, of six digits where these are enough.

    >>> _written(np.array([0.5, 1 / 3])), _written(np.array([0.4999998, 0.4999999]))
    (['0.5', '0.333333'], ['0.4999998', '0.4999999'])
    """
    for digits in (6, 9, 12):
        words = [f"{frequency:.{digits}g}" for frequency in frequencies]
        if len(set(words)) == len(words):
            break
    return words


def _band(band: Any) -> tuple[float, float]:
    if not isinstance(band, (Sequence, np.ndarray)) or isinstance(band, str) or len(band) != 2:
        raise KindError(f"bands holds {band!r}; give pairs (low, high) of frequencies")
    low, high = check.number("the low end of a band", band[0], low=0), check.number("the high end of a band", band[1])
    if low >= high:
        raise ParameterError(f"the band ({low:g}, {high:g}) is empty; give low below high")
    return low, high


def _band_name(band: Any) -> str:
    low, high = _band(band)
    return f"{low:g}_{high:g}"
