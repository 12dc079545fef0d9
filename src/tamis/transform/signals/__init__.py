"""Signals: blocks of ordered columns, smoothed, differentiated, corrected, or summed up by frequency and scale.

Read `base` first (what a block is, how rows are worked on), then one transform a file; `kernels` holds the arithmetic.
"""

from tamis.transform.signals.baseline import Baseline
from tamis.transform.signals.convolve import Convolve
from tamis.transform.signals.denoise import Denoise
from tamis.transform.signals.derivative import Derivative
from tamis.transform.signals.fourier import Fourier
from tamis.transform.signals.picture import before_and_after
from tamis.transform.signals.scatter import ScatterCorrection
from tamis.transform.signals.sharpen import Sharpen
from tamis.transform.signals.smooth import Smooth
from tamis.transform.signals.wavelet import Wavelet

__all__ = [
    "Baseline",
    "Convolve",
    "Denoise",
    "Derivative",
    "Fourier",
    "ScatterCorrection",
    "Sharpen",
    "Smooth",
    "Wavelet",
    "before_and_after",
]
