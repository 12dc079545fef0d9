"""Discrete wavelet transforms of the rows of a matrix, by PyWavelets (the `[signal]` extra)."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def deepest(n: int, length: int) -> int:
    """Levels of n positions: as deep as a filter of some length fits in, and at least one.

    >>> deepest(100, 8), deepest(3, 8)
    (3, 1)
    """
    return max(1, int(np.log2(max(n / (length - 1), 1.0))))


def decomposed(signals: np.ndarray, wavelet: Any, mode: str, level: int) -> list[np.ndarray]:
    """Coefficients of each row: the approximation, then the details from the coarsest level to the finest."""
    import pywt

    details: list[np.ndarray] = []
    approximation = signals
    for _ in range(level):
        approximation, detail = pywt.dwt(approximation, wavelet, mode=mode, axis=1)
        details.append(detail)
    return [approximation, *details[::-1]]


def decomposed_images(images: np.ndarray, wavelet: Any, mode: str, level: int) -> list[Any]:
    """Coefficients of each image: the approximation, then (across, down, diagonal) details, the finest last."""
    import pywt

    details: list[Any] = []
    approximation = images
    for _ in range(level):
        approximation, detail = pywt.dwt2(approximation, wavelet, mode=mode, axes=(1, 2))
        details.append(detail)
    return [approximation, *details[::-1]]


def recomposed_images(coefficients: Sequence[Any], wavelet: Any, mode: str, shape: tuple[int, int]) -> np.ndarray:
    """The images of a shape that have these coefficients."""
    import pywt

    approximation = coefficients[0]
    for detail in coefficients[1:]:
        height, width = detail[0].shape[1:]
        approximation = pywt.idwt2((approximation[:, :height, :width], detail), wavelet, mode=mode, axes=(1, 2))
    return np.ascontiguousarray(approximation[:, : shape[0], : shape[1]])


def recomposed(coefficients: Sequence[np.ndarray], wavelet: Any, mode: str, n: int) -> np.ndarray:
    """The signals of n positions that have these coefficients."""
    import pywt

    approximation = coefficients[0]
    for detail in coefficients[1:]:
        approximation = pywt.idwt(approximation[:, : detail.shape[1]], detail, wavelet, mode=mode, axis=1)
    return np.ascontiguousarray(approximation[:, :n])
