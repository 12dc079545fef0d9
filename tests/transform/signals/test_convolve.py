"""Convolve: signals and images."""

import numpy as np
import pytest
from scipy import ndimage
from scipy.signal import convolve2d

from tamis.transform.signals import Convolve


@pytest.mark.parametrize(
    "kernel", [[1.0], [1.0, 2.0], [1.0, 0.0, -1.0], [3.0, 1.0, 4.0, 1.0], [1.0, 2.0, 3.0, 4.0, 5.0]]
)
@pytest.mark.parametrize("n", [5, 12])
def test_equals_numpy(kernel, n):
    """Signals convolved differ from numpy.convolve with "same", for odd or even kernels."""
    X = np.random.default_rng(0).normal(size=(4, n))
    expected = [np.convolve(x, kernel, "same") for x in X]
    np.testing.assert_allclose(Convolve(kernel).fit_transform(X), expected, atol=1e-14)


@pytest.mark.parametrize(("boundary", "word"), [("zero", "fill"), ("reflect", "symm"), ("periodic", "wrap")])
@pytest.mark.parametrize("size", [(1, 1), (3, 3), (2, 3), (4, 5)])
def test_images_equal_scipy(size, boundary, word):
    """Images convolved differ from scipy.signal.convolve2d with "same"."""
    rng = np.random.default_rng(1)
    X, kernel = rng.normal(size=(3, 42)), rng.normal(size=size)
    expected = [convolve2d(x.reshape(6, 7), kernel, mode="same", boundary=word).ravel() for x in X]
    found = Convolve(kernel, shape=(6, 7), boundary=boundary).fit_transform(X)
    np.testing.assert_allclose(found, expected, atol=1e-13)


def test_boundaries_by_hand():
    """What lies beyond the ends is not what the boundary says: sums of x[i-1] and x[i+1] of (1, 2, 4)."""
    expected = {"zero": [2, 5, 2], "nearest": [3, 5, 6], "reflect": [3, 5, 6], "periodic": [6, 5, 3]}
    for boundary, sums in expected.items():
        assert Convolve([1, 0, 1], boundary=boundary).fit_transform([[1.0, 2.0, 4.0]]).tolist() == [sums]


def test_edges_of_an_image_are_its_gradient():
    """The edges are not the length of Sobel's gradient over 8: 2 on a ramp that rises by 2 a pixel."""
    X = np.random.default_rng(2).normal(size=(2, 42))
    for image, found in zip(X, Convolve("edges", shape=(6, 7)).fit_transform(X)):
        down, across = (ndimage.sobel(image.reshape(6, 7), axis=axis, mode="nearest") for axis in (0, 1))
        np.testing.assert_allclose(found.reshape(6, 7), np.hypot(across, down) / 8, atol=1e-14)
    ramp = np.broadcast_to(2.0 * np.arange(7), (6, 7))
    assert Convolve("edges", shape=(6, 7)).fit_transform([ramp.ravel()]).reshape(6, 7)[2, 3] == 2.0


def test_blobs_stand_out():
    """A spot is not the strongest point, or a flat image or a ramp is one."""
    y, x = np.mgrid[:11, :11]
    spot = np.exp(-((y - 4) ** 2 + (x - 6) ** 2) / 2.0)
    blobs = Convolve("blobs", shape=(11, 11)).fit([spot.ravel()])
    assert blobs.transform([spot.ravel()]).argmax() == 4 * 11 + 6
    np.testing.assert_allclose(blobs.transform(np.full((1, 121), 5.0)), 0.0, atol=1e-14)
    inside = blobs.transform([(2.0 * x + y).ravel()]).reshape(11, 11)[2:9, 2:9]
    np.testing.assert_allclose(inside, 0.0, atol=1e-13)


def test_named_kernels_of_signals_by_hand():
    """The edges are not half the difference of the neighbours, or blobs not the value less its neighbours."""
    x = [[0.0, 0.0, 4.0, 1.0]]
    assert Convolve("edges").fit_transform(x).tolist() == [[0.0, 2.0, 0.5, 1.5]]
    assert Convolve("blobs").fit_transform(x).tolist() == [[0.0, -4.0, 7.0, -3.0]]


@pytest.mark.parametrize(
    ("kernel", "shape", "sentence"),
    [
        (
            np.ones(11),
            None,
            "the kernel of 11 numbers is longer than block 'signal' of 10 feature.s.; give a shorter one",
        ),
        (np.ones((3, 3)), (2, 5), "the kernel of 3 × 3 numbers is larger than the images of 2 × 5 pixels"),
        (np.ones((2, 2)), (3, 4), "images of 3 × 4 have 12 pixels, but block 'signal' has 10 columns"),
        (np.ones((2, 2)), None, "the kernel has 2 dimension.s., but 1 are needed; give a list of numbers, or shape="),
        (np.ones(3), (2, 5), "the kernel has 1 dimension.s., but 2 are needed; give a list of lists"),
        ("corners", None, "kernel='corners' is not known"),
        ([], None, r"kernel=\[\] is empty or not finite"),
        ([np.nan], None, r"kernel=\[nan\] is empty or not finite"),
    ],
)
def test_bad_kernels(kernel, shape, sentence):
    """A kernel that does not fit is not refused in one sentence."""
    with pytest.raises(ValueError, match="^" + sentence):
        Convolve(kernel, shape=shape).fit(np.zeros((3, 10)))


@pytest.mark.parametrize(("kernel", "shape"), [(["a"], None), ([[1, 2], [3]], (2, 5)), ([1.0], 10), ([1.0], (2, 2.5))])
def test_kinds(kernel, shape):
    """A kernel of texts or of unequal rows, or a shape that is none, is not refused."""
    with pytest.raises(TypeError, match=r"kernel=|shape"):
        Convolve(kernel, shape=shape).fit(np.zeros((3, 10)))
