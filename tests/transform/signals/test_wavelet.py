"""Wavelet: energies by level."""

import numpy as np
import pytest

from tamis.transform.signals import Wavelet

pywt = pytest.importorskip("pywt")


def test_haar_by_hand():
    """Energies of x = (1, 3, 10, 10) are not 12² (all), 8² (halves) and 2 (neighbours), which add up to Σ x² = 210."""
    wavelet = Wavelet(wavelet="haar", level=2).fit([[1.0, 3.0, 10.0, 10.0]])
    np.testing.assert_allclose(wavelet.transform([[1.0, 3.0, 10.0, 10.0]]), [[144, 64, 2]], atol=1e-12)
    assert wavelet.get_feature_names_out().tolist() == ["signal_energy_a2", "signal_energy_d2", "signal_energy_d1"]


@pytest.mark.parametrize("name", ["haar", "db4", "sym8", "coif1"])
def test_energies_add_up(name):
    """Energies of an orthogonal wavelet do not add up to the sum of squares."""
    X = np.random.default_rng(0).normal(size=(5, 64))
    np.testing.assert_allclose(Wavelet(wavelet=name).fit_transform(X).sum(axis=1), np.square(X).sum(axis=1))
    np.testing.assert_allclose(Wavelet("share", wavelet=name).fit_transform(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("mode", ["periodization", "symmetric"])
def test_equals_pywavelets(mode):
    """Energies differ from those of pywt.wavedec."""
    X = np.random.default_rng(1).normal(size=(3, 100))
    expected = [[np.square(part).sum() for part in pywt.wavedec(x, "db4", mode=mode)] for x in X]
    np.testing.assert_allclose(Wavelet(mode=mode).fit_transform(X), expected, rtol=1e-12)


@pytest.mark.parametrize("mode", ["periodization", "symmetric", "zero"])
@pytest.mark.parametrize("n", [2, 7, 33, 64])
def test_coefficients_return_the_signal(n, mode):
    """The inverse does not return signals of an even or odd length, of one block or two."""
    X = np.random.default_rng(2).normal(size=(3, 2 * n + 1))
    names = [f"x{j}" for j in range(2 * n + 1)]
    blocks = {"a": names[:n][::-1], "b": names[n : 2 * n]}
    for name in ("haar", "db4"):
        wavelet = Wavelet("coefficients", wavelet=name, mode=mode, columns=blocks)
        np.testing.assert_allclose(wavelet.inverse_transform(wavelet.fit_transform(X)), X, atol=1e-10)


def test_energies_have_no_inverse():
    """`inverse_transform` is offered where there is none."""
    assert not hasattr(Wavelet(), "inverse_transform")
    assert hasattr(Wavelet("coefficients"), "inverse_transform")


def test_a_signal_of_zeros_has_no_shares():
    """A signal of zeros divides by zero."""
    assert not Wavelet("share").fit_transform(np.zeros((2, 16))).any()
