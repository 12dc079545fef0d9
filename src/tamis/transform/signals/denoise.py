"""Take noise out of signals: small wavelet coefficients become 0."""

from dataclasses import field
from typing import Any

import numpy as np

from tamis import check
from tamis.table.interface.takes_table import parameters
from tamis.transform.signals.base import image_shape, refuse_other_shape
from tamis.transform.signals.kernels.wavelets import decomposed, decomposed_images, recomposed, recomposed_images
from tamis.transform.signals.wavelet import WaveletTransform

HOW = ("soft", "hard")
THRESHOLDS = ("bayes", "sure", "universal")

#: Median of the absolute value of a standard normal variable.
NORMAL_MAD = 0.6744897501960817


@parameters
class Denoise(WaveletTransform):
    r"""Wavelet shrinkage: details below a threshold become 0, and the others are moved towards 0.

    .. math:: d \mapsto \operatorname{sgn}(d) \max(|d| - t, 0), \qquad t_{universal} = \hat\sigma \sqrt{2 \log n},
        \qquad \hat\sigma = \operatorname{median}_k |d_{1,k}| / 0.6745

    where n is the number of positions and :math:`d_1` the finest details of the signal itself: every signal has its
    own noise, nothing is learned from other rows.

    Parameters
    ----------
    how : "soft" as above, or "hard": details above the threshold stay as they are.
    threshold : "bayes": at each level :math:`\hat\sigma^2 / \sqrt{\max(m - \hat\sigma^2, 0)}` with the mean square m of
        its details, all of which become 0 where m is not larger; "sure": at each level the one of least estimated risk
        (Stein); "universal" as above; or a number of standard deviations of the noise. Of 18 ways on eight signals
        "bayes" leaves least noise (`benchmarks/transform/denoise.py`).
    wavelet : its name in PyWavelets, which comes with tamis[signal].
    level : number of levels; without one, as deep as the wavelet's filter fits into the signal.
    mode : how a signal continues beyond its ends, in PyWavelets' words.
    shape : (height, width) of the images in the blocks, pixels row by row, whose two-dimensional wavelet coefficients
        are shrunk; the noise is that of the finest diagonal details. None for signals.
    columns, missing, n_jobs : as in `Smooth`.

    Attributes
    ----------
    blocks_ : dict, name of a block -> positions of its columns.

    References
    ----------
    D. Donoho and I. Johnstone, "Ideal spatial adaptation by wavelet shrinkage", Biometrika 81, 1994; "Adapting to
    unknown smoothness via wavelet shrinkage", JASA 90, 1995 (SURE). S. Chang, B. Yu and M. Vetterli, "Adaptive wavelet
    thresholding for image denoising and compression", IEEE TIP 9, 2000.
    """

    how: str = field(default="soft", kw_only=False)
    threshold: Any = "bayes"
    wavelet: str = "db4"
    level: int | None = None
    mode: str = "symmetric"
    shape: Any = None

    def _check(self) -> None:
        super()._check()
        image_shape(self.shape)
        check.one_of("how", self.how, HOW)
        if isinstance(self.threshold, str):
            check.one_of("threshold", self.threshold, THRESHOLDS)
        else:
            check.number("threshold", self.threshold, low=0)

    def _fits(self, name: str, n: int) -> None:
        shape = image_shape(self.shape)
        if shape is not None:
            refuse_other_shape(name, n, shape)
        for side in (n,) if shape is None else shape:
            super()._fits(name, side)

    def _rows(self, name: str, signals: np.ndarray) -> np.ndarray:
        shape = image_shape(self.shape)
        return self._denoised(signals) if shape is None else self._images(signals, shape)

    def _images(self, pixels: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        n, size = len(pixels), pixels.shape[1]
        images, level = pixels.reshape(n, *shape), min(self._levels(side) for side in shape)
        approximation, *details = decomposed_images(images, self._wavelet(), self.mode, level)
        noise = np.median(np.abs(details[-1][2]).reshape(n, -1), axis=1, keepdims=True) / NORMAL_MAD
        shrunk = []
        for bands in details:
            flat = [band.reshape(n, -1) for band in bands]
            moved = [self._shrunk(band, self._limit(band, noise, size)) for band in flat]
            shrunk.append(tuple(band.reshape(old.shape) for band, old in zip(moved, bands)))
        denoised = recomposed_images([approximation, *shrunk], self._wavelet(), self.mode, shape)
        return denoised.reshape(n, size)

    def _denoised(self, signals: np.ndarray) -> np.ndarray:
        n = signals.shape[1]
        approximation, *details = decomposed(signals, self._wavelet(), self.mode, self._levels(n))
        noise = np.median(np.abs(details[-1]), axis=1, keepdims=True) / NORMAL_MAD
        shrunk = [self._shrunk(detail, self._limit(detail, noise, n)) for detail in details]
        return recomposed([approximation, *shrunk], self._wavelet(), self.mode, n)

    def _limit(self, detail: np.ndarray, noise: np.ndarray, n: int) -> np.ndarray:
        """The threshold of each row."""
        if self.threshold == "universal":
            return np.asarray(noise * np.sqrt(2 * np.log(n)))
        if self.threshold == "sure":
            return _sure_threshold(detail, noise, n)
        if self.threshold == "bayes":
            signal = np.sqrt(np.maximum(np.square(detail).mean(axis=1, keepdims=True) - noise**2, 0.0))
            return np.divide(noise**2, signal, out=np.full_like(signal, np.inf), where=signal > 0)
        return np.asarray(noise * self.threshold)

    def _shrunk(self, detail: np.ndarray, limit: np.ndarray) -> np.ndarray:
        if self.how == "hard":
            return np.where(np.abs(detail) > limit, detail, 0.0)
        return np.asarray(np.sign(detail) * np.maximum(np.abs(detail) - limit, 0.0))


def _sure_threshold(detail: np.ndarray, noise: np.ndarray, n: int) -> np.ndarray:
    """The threshold of each row with the least unbiased estimate of risk, at most the universal one.

    With details x in units of the noise: m − 2 #(|x| ≤ t) + Σ min(|x|, t)², looked at for every t = |x|, and t = 0.
    """
    unit = np.where(noise > 0, noise, 1.0)
    squares = np.sort((detail / unit) ** 2, axis=1)
    squares = np.hstack([np.zeros((len(squares), 1)), squares])
    m = detail.shape[1]
    above = np.arange(m, -1, -1)  # details larger than each candidate
    risk = m - 2 * (m - above) + np.cumsum(squares, axis=1) + above * squares
    best = np.sqrt(np.take_along_axis(squares, risk.argmin(axis=1)[:, None], axis=1))
    return np.asarray(noise * np.minimum(best, np.sqrt(2 * np.log(n))))
