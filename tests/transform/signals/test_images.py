"""Images in blocks of columns: smoothing, sharpening, noise and frequencies in two dimensions."""

import json

import numpy as np
import pytest
from scipy.ndimage import uniform_filter

from tamis.errors import KindError, ParameterError
from tamis.transform import Denoise, Fourier, Sharpen, Smooth

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


@pytest.mark.parametrize("kind", [Smooth, Sharpen, Fourier])
def test_a_shape_that_does_not_fit_gets_a_sentence(kind):
    """The user would not be told what to change."""
    with pytest.raises(ParameterError, match="images of 5 × 8 have 40 pixels, but block 'signal' has 48 columns"):
        kind(shape=(5, 8)).fit(IMAGES.reshape(3, 48))
    with pytest.raises(KindError, match="shape=7 must be"):
        kind(shape=7).fit(IMAGES.reshape(3, 48))


def test_a_wave_across_and_down_is_one_coefficient():
    """An image would be read as one long line."""
    down, across = np.mgrid[:8, :16]
    wave = 3 * np.cos(2 * np.pi * (2 * down / 8 + 4 * across / 16)).reshape(1, -1)
    fourier = Fourier(shape=(8, 16)).fit(wave)
    found = dict(zip(fourier.get_feature_names_out(), fourier.transform(wave)[0].round(9)))
    assert {name: value for name, value in found.items() if value} == {"signal_amplitude_0.25_0.25": 3.0}


def test_powers_of_an_image_add_up_to_its_mean_square():
    """Bands would count some waves twice or not at all."""
    rng = np.random.default_rng(0)
    for shape in ((6, 8), (5, 7)):
        images = rng.normal(size=(4, shape[0] * shape[1]))
        square = np.square(images).mean(axis=1)
        powers = Fourier("power", shape=shape).fit_transform(images)
        np.testing.assert_allclose(powers.sum(axis=1), square)
        bands = Fourier(bands=[(0, 0.2), (0.2, 0.4), (0.4, 0.75)], shape=shape).fit_transform(images)
        np.testing.assert_allclose(bands.sum(axis=1), square)
    with pytest.raises(ParameterError, match="'parts' is for signals"):
        Fourier("parts", shape=(6, 8)).fit(IMAGES.reshape(3, 48))


@pytest.mark.parametrize("threshold", ["bayes", "sure", "universal"])
def test_noise_of_images_goes(threshold):
    """Noise would stay, or the edges of a disc would go with it; 0 as threshold gives the image back."""
    pytest.importorskip("pywt")
    rng = np.random.default_rng(0)
    down, across = np.mgrid[:32, :32] - 15.5
    disc = np.tile(3.0 * (np.hypot(down, across) < 9), (5, 1, 1)).reshape(5, -1)
    noisy = disc + rng.normal(size=disc.shape)
    clean = Denoise(threshold=threshold, shape=(32, 32)).fit_transform(noisy)
    assert np.square(clean - disc).mean() < 0.45 * np.square(noisy - disc).mean()
    np.testing.assert_allclose(Denoise(threshold=0, shape=(32, 32)).fit_transform(noisy), noisy, atol=1e-9)


def test_denoised_images_are_those_of_pywavelets():
    """The two-dimensional transform would be another one than the field's."""
    pywt = pytest.importorskip("pywt")
    rng = np.random.default_rng(1)
    image = rng.normal(size=(16, 20))
    parts = pywt.wavedec2(image, "db2", mode="symmetric", level=2)
    limit = 1.5 * np.median(np.abs(parts[-1][2])) / 0.6744897501960817
    parts = [parts[0], *(tuple(pywt.threshold(part, limit, "soft") for part in detail) for detail in parts[1:])]
    ours = Denoise(threshold=1.5, wavelet="db2", level=2, shape=(16, 20)).fit_transform(image.reshape(1, -1))
    np.testing.assert_allclose(ours.reshape(16, 20), pywt.waverec2(parts, "db2", mode="symmetric"), atol=1e-9)
