"""Convolve signals, and images held in blocks of columns, with a kernel."""

from dataclasses import field
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import KindError, ParameterError
from tamis.table.interface.takes_table import parameters
from tamis.transform.signals.base import SignalTransform, image_shape, refuse_other_shape

#: Kernels by name: of signals and of images. Edges of an image are the length of its gradient, by Sobel's masks.
SIGNAL_KERNELS = {"edges": [0.5, 0.0, -0.5], "blobs": [-1.0, 2.0, -1.0]}
_ACROSS = [[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]]
_BLOBS = [
    [0.0, 0.0, -1.0, 0.0, 0.0],
    [0.0, -1.0, -2.0, -1.0, 0.0],
    [-1.0, -2.0, 16.0, -2.0, -1.0],
    [0.0, -1.0, -2.0, -1.0, 0.0],
    [0.0, 0.0, -1.0, 0.0, 0.0],
]
NAMES = ("edges", "blobs")

BOUNDARIES = {"zero": "constant", "nearest": "edge", "reflect": "symmetric", "periodic": "wrap"}


@parameters
class Convolve(SignalTransform):
    r"""The sum of the values around each position, weighted by a kernel.

    .. math:: x_i \mapsto \sum_k w_k\, x_{i + h - k}, \qquad h = \lfloor (m - 1) / 2 \rfloor

    for a kernel of m numbers, as `numpy.convolve` with "same"; in two dimensions alike, with a block whose columns are
    the pixels of an image, row by row.

    Parameters
    ----------
    kernel : a list of numbers or, for images, a list of lists of them; or a name. "edges": half the absolute difference
        of the two neighbours; of an image, the length of its gradient by Sobel's masks, over 8. "blobs": the value less
        its surroundings, by the mask -1, 2, -1; of an image, by a Laplacian of a Gaussian of 5 × 5 pixels, over 16.
    shape : (height, width) of the images in the blocks; None for signals.
    boundary : what lies beyond the ends: "zero", "nearest" (the end's value), "reflect" (… b a | a b …) or "periodic".
        Without one, zeros for a kernel of numbers, the nearest value for one by name.
    columns, missing, n_jobs : as in `Smooth`; missing pixels of an image are interpolated along its rows.

    Attributes
    ----------
    blocks_ : dict, name of a block -> positions of its columns.

    >>> Convolve([1.0, 2.0, 1.0]).fit_transform([[0.0, 0.0, 1.0, 0.0, 0.0]])
    array([[0., 1., 2., 1., 0.]])
    >>> Convolve("edges").fit_transform([[0.0, 0.0, 4.0, 4.0]])
    array([[0., 2., 2., 0.]])
    """

    kernel: Any = field(default="edges", kw_only=False)
    shape: Any = None
    boundary: str | None = None

    def _check(self) -> None:
        super()._check()
        if self.boundary is not None:
            check.one_of("boundary", self.boundary, BOUNDARIES)
        self._image_shape()
        self._kernels()

    def _image_shape(self) -> tuple[int, int] | None:
        return image_shape(self.shape)

    def _kernels(self) -> list[np.ndarray]:
        """The masks, of one dimension for signals and two for images; two of them make a gradient."""
        if isinstance(self.kernel, str):
            name = check.one_of("kernel", self.kernel, NAMES)
            if self.shape is None:
                return [np.array(SIGNAL_KERNELS[name])]
            across = np.array(_ACROSS) / 8.0
            return [across, across.T] if name == "edges" else [np.array(_BLOBS) / 16.0]
        return [_mask(self.kernel, 1 if self.shape is None else 2)]

    def _fits(self, name: str, n: int) -> None:
        super()._fits(name, n)
        mask, shape = self._kernels()[0], self._image_shape()
        if shape is not None:
            refuse_other_shape(name, n, shape)
        if isinstance(self.kernel, str):
            return  # beyond the ends lies the nearest value, in any number
        if shape is None and len(mask) > n:
            raise ParameterError(
                f"the kernel of {len(mask)} numbers is longer than block {name!r} of {n} feature(s); give a shorter one"
            )
        if shape is not None and (mask.shape[0] > shape[0] or mask.shape[1] > shape[1]):
            raise ParameterError(
                f"the kernel of {mask.shape[0]} × {mask.shape[1]} numbers is larger than the images of "
                f"{shape[0]} × {shape[1]} pixels; give a smaller one"
            )

    def _rows(self, name: str, signals: np.ndarray) -> np.ndarray:
        shape = self._image_shape()
        images = signals[:, None, :] if shape is None else signals.reshape(len(signals), *shape)
        masks = [mask[None, :] if shape is None else mask for mask in self._kernels()]
        boundary = self.boundary or ("nearest" if isinstance(self.kernel, str) else "zero")
        responses = [_convolved(images, mask, BOUNDARIES[boundary]) for mask in masks]
        if not isinstance(self.kernel, str) or self.kernel != "edges":
            return responses[0].reshape(signals.shape)
        length = np.abs(responses[0]) if len(responses) == 1 else np.hypot(responses[0], responses[1])
        return np.asarray(length.reshape(signals.shape))


def _mask(kernel: Any, dimensions: int) -> np.ndarray:
    """A kernel of finite numbers, with as many dimensions as a signal or an image has."""
    try:
        mask = np.array(kernel, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise KindError(
            f"kernel={kernel!r} must hold numbers; give a list of them, for images a list of lists of equal length"
        ) from error
    if mask.ndim != dimensions:
        way_out = "give a list of numbers, or shape=(height, width) for images"
        if dimensions == 2:
            way_out = "give a list of lists of numbers, or leave shape out for signals"
        raise ParameterError(f"the kernel has {mask.ndim} dimension(s), but {dimensions} are needed; {way_out}")
    if not mask.size or not np.isfinite(mask).all():
        raise ParameterError(f"kernel={kernel!r} is empty or not finite; give at least one finite number")
    return mask


def _convolved(images: np.ndarray, mask: np.ndarray, pad: str) -> np.ndarray:
    """Images, rows × height × width, convolved with a mask; one mask number after the other, in this order."""
    (height, width), (h, w) = images.shape[1:], mask.shape
    around = ((0, 0), (h // 2, (h - 1) // 2), (w // 2, (w - 1) // 2))
    padded = np.pad(images, around, mode=pad)  # type: ignore[call-overload]
    out = np.zeros(images.shape)
    for a in range(h):
        for b in range(w):
            if mask[a, b] != 0.0:
                top, left = h - 1 - a, w - 1 - b
                out += mask[a, b] * padded[:, top : top + height, left : left + width]
    return out
