"""Images in blocks of columns: smoothing and sharpening in two dimensions."""

import json

import numpy as np
import pytest
from scipy.ndimage import uniform_filter

from tamis.errors import KindError, ParameterError
from tamis.transform import Sharpen, Smooth

IMAGES = np.random.default_rng(0).normal(size=(3, 6, 8))


def test_a_moving_average_of_images_is_that_of_squares():
    """Pixels would be averaged across the end of a row into the next one."""
    found = Smooth("moving-average", window=3, shape=(6, 8)).fit_transform(IMAGES.reshape(3, 48)).reshape(3, 6, 8)
    for image, smooth in zip(IMAGES, found):
        assert np.allclose(smooth[1:-1, 1:-1], uniform_filter(image, 3)[1:-1, 1:-1])
        assert smooth[0, 0] == pytest.approx(image[:2, :2].mean())


def test_local_polynomials_keep_a_surface_of_their_degree():
    """A paraboloid would be bent by smoothing of degree 2."""
    down, across = np.mgrid[:6, :8].astype(float)
    surface = (down**2 - 2 * across**2 + down * across).reshape(1, 48)
    assert np.allclose(Smooth(window=5, shape=(6, 8)).fit_transform(surface), surface)


def test_sharpening_adds_the_difference_from_the_square_around_a_pixel():
    """An edge would be sharpened along rows only."""
    smooth = Smooth("moving-average", window=3, shape=(6, 8)).fit_transform(IMAGES.reshape(3, 48))
    sharp = Sharpen(0.5, window=3, shape=(6, 8))
    flat = IMAGES.reshape(3, 48)
    assert np.allclose(sharp.fit_transform(flat), flat + 0.5 * (flat - smooth))
    again = Sharpen.from_dict(json.loads(json.dumps(sharp.to_dict())))
    assert np.array_equal(again.transform(flat), sharp.transform(flat))
    with pytest.raises(ParameterError, match="a sharpened image has no way back"):
        sharp.inverse_transform(flat)


@pytest.mark.parametrize("kind", [Smooth, Sharpen])
def test_a_shape_that_does_not_fit_gets_a_sentence(kind):
    """The user would not be told what to change."""
    with pytest.raises(ParameterError, match="images of 5 × 8 have 40 pixels, but block 'signal' has 48 columns"):
        kind(shape=(5, 8)).fit(IMAGES.reshape(3, 48))
    with pytest.raises(KindError, match="shape=7 must be"):
        kind(shape=7).fit(IMAGES.reshape(3, 48))
