"""Fourier: amplitudes, powers and bands."""

import numpy as np
import pytest

from tamis.transform.signals import Fourier


def test_four_positions_by_hand():
    """Scales are wrong: x = (1, 2, 3, 4) has the sums 10, -2 + 2i, -2, so amplitudes 10/4, 2√8/4, 2/4."""
    x = [[1.0, 2.0, 3.0, 4.0]]
    np.testing.assert_allclose(Fourier().fit_transform(x), [[2.5, np.sqrt(2), 0.5]], rtol=1e-14)
    np.testing.assert_allclose(Fourier("power").fit_transform(x), [[6.25, 1.0, 0.25]], rtol=1e-14)


@pytest.mark.parametrize("n", [40, 41])
def test_a_wave_has_its_amplitude(n):
    """A wave between -3 and 3 around 1 has not the amplitude 3 at its frequency, 1 at frequency 0 and 0 elsewhere."""
    t = np.arange(n)
    found = Fourier(rate=n).fit_transform([1 + 3 * np.cos(2 * np.pi * 7 * t / n + 0.4)])[0]
    expected = np.zeros(n // 2 + 1)
    expected[[0, 7]] = 1, 3
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("n", [2, 3, 16, 17])
def test_powers_add_up(n):
    """Powers, of frequencies or of bands that cover all of them, do not add up to the mean square (Parseval)."""
    X = np.random.default_rng(0).normal(size=(4, n))
    mean_square = np.square(X).mean(axis=1)
    np.testing.assert_allclose(Fourier("power").fit_transform(X).sum(axis=1), mean_square)
    bands = Fourier(bands=[(0.0, 0.25), (0.25, 0.5)]).fit_transform(X)
    np.testing.assert_allclose(bands.sum(axis=1), mean_square)


def test_bands_are_in_units_of_the_rate():
    """A wave of 10 Hz at 100 positions a second is not in the band of 8 to 13 Hz, or in another one, too."""
    wave = np.sin(2 * np.pi * 10 * np.arange(200) / 100)
    bands = {"theta": (4, 8), "alpha": (8, 13), "beta": (13, 30)}
    fourier = Fourier(bands=bands, rate=100.0).fit([wave])
    np.testing.assert_allclose(fourier.transform([wave]), [[0, 0.5, 0]], atol=1e-12)
    assert fourier.get_feature_names_out().tolist() == ["signal_power_theta", "signal_power_alpha", "signal_power_beta"]
    edge = Fourier(bands=[(5, 10), (10, 50)], rate=100.0).fit_transform([wave])
    np.testing.assert_allclose(edge, [[0, 0.5]], atol=1e-12)  # low ≤ f < high


@pytest.mark.parametrize("n", [2, 3, 10, 11])
def test_parts_return_the_signal(n):
    """Cosine and sine parts are not those of the sum of waves, or are not turned back."""
    X = np.random.default_rng(1).normal(size=(3, n))
    fourier = Fourier("parts")
    parts = fourier.fit_transform(X)
    assert parts.shape == X.shape
    k, t = np.arange(n // 2 + 1)[:, None], np.arange(n)
    waves = np.vstack([np.cos(2 * np.pi * k * t / n), np.sin(2 * np.pi * k * t / n)[1 : (n + 1) // 2]])
    np.testing.assert_allclose(parts @ waves, X, atol=1e-12)
    np.testing.assert_allclose(fourier.inverse_transform(parts), X, atol=1e-12)


def test_amplitudes_have_no_inverse():
    """`inverse_transform` is offered where phases are lost."""
    assert not hasattr(Fourier(), "inverse_transform")
    assert not hasattr(Fourier("parts", bands=[(0, 0.5)]), "inverse_transform")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"bands": [(0.2, 0.1)]}, "the band .0.2, 0.1. is empty; give low below high"),
        ({"bands": [(0.6, 0.8)]}, "band '0.6_0.8' begins at 0.6, beyond the highest frequency rate/2 = 0.5"),
        (
            {"bands": {"none": (0.11, 0.19)}},
            "band 'none' holds none of the frequencies of block 'signal', which are 0.1",
        ),
        ({"bands": []}, "bands is empty"),
        ({"rate": 0}, "rate=0 is out of range"),
    ],
)
def test_bad_parameters(given, sentence):
    """A parameter that cannot be used is not refused in one sentence."""
    with pytest.raises(ValueError, match="^" + sentence):
        Fourier(**given).fit(np.zeros((3, 10)))


@pytest.mark.parametrize("bands", ["low", 3, [0.1, 0.2], [(0.1, 0.2, 0.3)], [("a", "b")]])
def test_bands_must_be_pairs(bands):
    """Something else than pairs of numbers is taken for bands."""
    with pytest.raises(TypeError, match=r"give (a list or a dict of them|pairs|a number|a finite)"):
        Fourier(bands=bands).fit(np.zeros((3, 10)))
