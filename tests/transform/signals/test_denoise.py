"""Denoise: wavelet shrinkage."""

import sys

import numpy as np
import pytest

from tamis.transform.signals import Denoise, Wavelet


@pytest.mark.parametrize("kind", [Denoise, Wavelet])
def test_a_missing_extra_gets_a_sentence(kind, monkeypatch):
    """Without PyWavelets the user sees an ImportError, and not how to get it."""
    monkeypatch.setitem(sys.modules, "pywt", None)
    with pytest.raises(
        ValueError, match=f"^{kind.__name__} needs PyWavelets, which is not installed; install tamis.signal.$"
    ):
        kind().fit(np.zeros((2, 8)))


class TestWithPyWavelets:
    """What needs the extra `[signal]`."""

    pywt = property(lambda self: pytest.importorskip("pywt"))

    def test_haar_by_hand(self):
        """Details are shrunk by another amount, or noise is estimated otherwise, than the formulas say.

        x = (1, 3, 10, 10): means (2, 10), details (-√2, 0), σ = (√2 / 2) / 0.67449 = 1.04834. Half of it moves the
        detail by 0.52417, so x by 0.52417 / √2 = 0.37064. The universal threshold σ √(2 log 4) = 1.746 leaves nothing.
        """
        assert self.pywt
        x = [[1.0, 3.0, 10.0, 10.0]]
        soft = Denoise(threshold=0.5, wavelet="haar", level=1).fit_transform(x)
        moved = 0.5 * (np.sqrt(2) / 2) / 0.6744897501960817 / np.sqrt(2)
        np.testing.assert_allclose(soft, [[1 + moved, 3 - moved, 10, 10]], atol=1e-12)
        assert moved == pytest.approx(0.37064, abs=1e-4)
        hard = Denoise("hard", threshold=0.5, wavelet="haar", level=1).fit_transform(x)
        np.testing.assert_allclose(hard, x, atol=1e-12)
        universal = Denoise(threshold="universal", wavelet="haar", level=1).fit_transform(x)
        np.testing.assert_allclose(universal, [[2, 2, 10, 10]], atol=1e-12)

    @pytest.mark.parametrize("how", ["soft", "hard"])
    @pytest.mark.parametrize(("n", "mode"), [(64, "symmetric"), (101, "symmetric"), (101, "periodization")])
    def test_equals_a_recipe_in_pywavelets(self, n, mode, how):
        """Decomposition, thresholds or reconstruction differ from PyWavelets' own functions, one signal at a time."""
        X = np.random.default_rng(0).normal(size=(3, n)).cumsum(axis=1)
        expected = []
        for x in X:
            parts = self.pywt.wavedec(x, "db4", mode=mode, level=2)
            limit = np.median(np.abs(parts[-1])) / 0.6744897501960817 * np.sqrt(2 * np.log(n))
            parts[1:] = [self.pywt.threshold(part, limit, how) for part in parts[1:]]
            expected.append(self.pywt.waverec(parts, "db4", mode=mode)[:n])
        found = Denoise(how, threshold="universal", level=2, mode=mode).fit_transform(X)
        np.testing.assert_allclose(found, expected, atol=1e-12)

    @pytest.mark.parametrize("threshold", ["universal", "bayes"])
    def test_noise_goes_and_the_signal_stays(self, threshold):
        """The error of a noisy wave is not at least halved."""
        assert self.pywt
        rng = np.random.default_rng(1)
        clean = np.sin(np.linspace(0, 12, 512)) * 5
        noisy = clean + rng.normal(size=(20, 512))
        error = np.square(Denoise(threshold=threshold, wavelet="sym8").fit_transform(noisy) - clean).mean()
        assert error < 0.25

    def test_bayes_by_hand(self):
        """The threshold of a level is not σ² / √(m - σ²).

        x = (0, 2, 0, 16, 0, 2, 0, 2): details -√2 (1, 8, 1, 1), median √2, σ² = 2 / 0.67449² = 4.39622, mean square
        m = 2 · 67 / 4 = 33.5, t = 4.39622 / √29.10378 = 0.81490; every value moves by t / √2 = 0.57622.
        """
        assert self.pywt
        found = Denoise(threshold="bayes", wavelet="haar", level=1).fit_transform([[0.0, 2, 0, 16, 0, 2, 0, 2]])
        expected = np.array([[0.0, 2, 0, 16, 0, 2, 0, 2]]) + 0.57622 * np.array([[1, -1, 1, -1, 1, -1, 1, -1]])
        np.testing.assert_allclose(found, expected, atol=1e-5)

    def test_a_flat_signal_stays(self):
        """A signal without noise is changed, or divides by zero."""
        assert self.pywt
        for threshold in ("universal", "bayes", 3.0):
            found = Denoise(threshold=threshold).fit_transform(np.full((2, 33), 7.0))
            np.testing.assert_allclose(found, 7.0, rtol=1e-12)

    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            ({"wavelet": "db44"}, "wavelet='db44' is not known .did you mean 'db"),
            ({"level": 5}, "level=5 needs at least 32 positions, but block 'signal' has 16; give a level of at most 4"),
            ({"threshold": "minimax"}, "threshold='minimax' is not known"),
            ({"threshold": -1.0}, "threshold=-1.0 is out of range"),
            ({"mode": "mirror"}, "mode='mirror' is not known"),
        ],
    )
    def test_bad_parameters(self, given, sentence):
        """A parameter that cannot be used is not refused in one sentence."""
        assert self.pywt
        with pytest.raises(ValueError, match="^" + sentence):
            Denoise(**given).fit(np.zeros((3, 16)))


def test_sure_is_the_threshold_of_least_estimated_risk():
    """Stein's estimate would be minimised elsewhere than over all thresholds tried one by one."""
    from tamis.transform.signals.denoise import _sure_threshold

    rng = np.random.default_rng(0)
    detail = rng.normal(size=(3, 40)) * 2.0 + 6.0 * (rng.random((3, 40)) < 0.2)
    found = _sure_threshold(detail, np.full((3, 1), 2.0), 64)
    for line, threshold in zip(detail / 2.0, found.ravel() / 2.0):
        tried = np.append(np.abs(line), 0.0)
        risk = [
            40 - 2 * (np.abs(line) <= t).sum() + np.minimum(np.abs(line), t) @ np.minimum(np.abs(line), t)
            for t in tried
        ]
        assert threshold == pytest.approx(min(tried[int(np.argmin(risk))], np.sqrt(2 * np.log(64))))


def test_the_default_leaves_little_noise_on_a_sine():
    """The default would smooth a fast wave away with the noise: of a sine of 8 cycles a quarter at most may be left."""
    rng = np.random.default_rng(1)
    clean = np.sin(16 * np.pi * np.arange(256) / 256)
    noisy = clean + 0.3 * rng.normal(size=(50, 256))
    left = ((Denoise().fit_transform(noisy) - clean) ** 2).mean() / 0.09
    assert left < 0.25
    assert ((Denoise(threshold="universal").fit_transform(noisy) - clean) ** 2).mean() / 0.09 > 0.5
