"""Transforms of signals keep scikit-learn's contract."""

from importlib.util import find_spec

import pytest
from tests.contract.checks import assert_every_check_passes

from tamis.transform import signals

SETTINGS = [
    signals.Smooth(),
    signals.Smooth("moving-average", missing="interpolate"),
    signals.Derivative(),
    signals.Sharpen(n_jobs=2),
    signals.Baseline(),
    signals.Baseline("polynomial"),
    signals.Baseline("modpoly", missing="interpolate"),
    signals.Convolve(),
    signals.Convolve([1.0, 2.0]),
    signals.Fourier(),
    signals.Fourier("parts", n_jobs=2),
    signals.Fourier(bands={"low": (0.0, 0.2), "high": (0.2, 0.5)}),
    signals.ScatterCorrection(),
    signals.ScatterCorrection("snv", missing="interpolate"),
    signals.Denoise(),
    signals.Denoise("hard", threshold="bayes", wavelet="haar", missing="interpolate"),
    signals.Wavelet(),
    signals.Wavelet("coefficients", wavelet="haar"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", SETTINGS, ids=repr)
def test_scikit_learns_checks(estimator):
    """The transform cannot be used as other scikit-learn transformers are."""
    if hasattr(estimator, "wavelet") and not find_spec("pywt"):
        pytest.skip("needs tamis[signal]")
    assert_every_check_passes(estimator)
