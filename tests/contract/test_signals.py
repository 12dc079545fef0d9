"""Transforms of signals keep scikit-learn's contract."""

from importlib.util import find_spec

import pytest
from tests.contract.checks import assert_every_check_passes

from tamis.transform.signals import (
    Baseline,
    Convolve,
    Denoise,
    Derivative,
    Fourier,
    ScatterCorrection,
    Sharpen,
    Smooth,
    Wavelet,
)

SETTINGS = [
    Smooth(),
    Smooth("moving-average", missing="interpolate"),
    Derivative(),
    Sharpen(n_jobs=2),
    Baseline(),
    Baseline("polynomial"),
    Baseline("modpoly", missing="interpolate"),
    Convolve(),
    Convolve([1.0, 2.0]),
    Fourier(),
    Fourier("parts", n_jobs=2),
    Fourier(bands={"low": (0.0, 0.2), "high": (0.2, 0.5)}),
    ScatterCorrection(),
    ScatterCorrection("snv", missing="interpolate"),
    Denoise(),
    Denoise("hard", threshold="bayes", wavelet="haar", missing="interpolate"),
    Wavelet(),
    Wavelet("coefficients", wavelet="haar"),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", SETTINGS, ids=repr)
def test_scikit_learns_checks(estimator):
    """The transform cannot be used as other scikit-learn transformers are."""
    if hasattr(estimator, "wavelet") and not find_spec("pywt"):
        pytest.skip("needs tamis[signal]")
    assert_every_check_passes(estimator)
