"""A continued learning curve: the law it was made from comes back, and the band covers what it says."""

from functools import partial

import numpy as np
import pytest

from tamis.evaluate.forecast import forecast

FOLDS, SHARE = 5, 0.2


def test_a_curve_of_the_law_is_continued_exactly():
    """Asymptote, factor and exponent of a curve without noise decide all that follows."""
    sizes, rows = [40, 80, 160, 320], (400, 800, 1600)
    for exponent in (0.5, 1.0, 1.5):
        curve = 0.8 - 2 * np.array(sizes, float) ** -exponent
        told = forecast(sizes, np.repeat(curve[:, None], FOLDS, axis=1), rows, test_share=SHARE)
        expected = 2 * (400.0**-exponent - np.array(rows, float) ** -exponent)
        np.testing.assert_allclose(told.gain, expected, atol=1e-12)
        np.testing.assert_allclose(told.high - told.low, 0, atol=1e-12)
        assert told.exponent == pytest.approx(exponent)


def test_scipy_finds_the_same_curve():
    """Weighted least squares over a grid of exponents is that of a general optimiser."""
    from scipy.optimize import least_squares

    rng = np.random.default_rng(3)
    sizes = np.array([50, 100, 200, 400])
    scores = (0.9 - 3 / sizes)[:, None] + rng.normal(0, 0.004, size=(4, FOLDS))
    told = forecast(sizes, scores, (500, 1000), test_share=SHARE)

    def residuals(law):
        return np.sqrt(sizes) * (law[0] - law[1] * (sizes / 500) ** -law[2] - scores.mean(axis=1))

    law = least_squares(residuals, (0.9, 0.006, 1.0), bounds=([0, -1, 1 / 3], [1, 1, 1.5])).x
    assert told.exponent == pytest.approx(law[2], abs=0.01)
    assert told.gain[1] == pytest.approx(law[1] * (1 - 2 ** -law[2]), rel=0.02)


def test_a_falling_curve_gains_nothing_and_few_folds_are_not_continued():
    """A model that gets worse with rows would be promised a gain; two folds have no spread to speak of."""
    sizes = [40, 80, 160, 320]
    falling = np.array([0.9, 0.89, 0.88, 0.87])[:, None] + np.zeros(FOLDS)
    assert forecast(sizes, falling, (400, 800), test_share=SHARE).high[1] == 0
    assert forecast(sizes, falling[:, :3], (400, 800), test_share=SHARE) is None
    assert forecast(sizes[:2], falling[:2], (400, 800), test_share=SHARE) is None


def covered(n: int, p: int, seeds: range, noise: float = 0.5) -> float:
    """How often the band holds what twice the rows truly add to R² of least squares on p normal columns."""
    return float(np.mean([_covers(n, p, seed, noise) for seed in seeds]))


def _covers(n: int, p: int, seed: int, noise: float) -> bool:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = X.sum(axis=1) / np.sqrt(p) + rng.normal(size=n) * np.sqrt(noise)
    X = np.column_stack([np.ones(n), X])
    parts = np.array_split(rng.permutation(n), FOLDS)
    n_train = n - len(parts[0])
    sizes = [n_train // 8, n_train // 4, n_train // 2, n_train]
    scores = np.empty((4, FOLDS))
    for k, test in enumerate(parts):
        order = rng.permutation(np.setdiff1d(np.arange(n), test))
        for i, size in enumerate(sizes):
            w = np.linalg.lstsq(X[order[:size]], y[order[:size]], rcond=None)[0]
            scores[i, k] = 1 - ((y[test] - X[test] @ w) ** 2).sum() / ((y[test] - y[order].mean()) ** 2).sum()
    told = forecast(sizes, scores, (n, 2 * n), test_share=1 / FOLDS)
    risk = partial(_expected_error, p=p, noise=noise)
    return bool(told.low[1] <= (risk(n) - risk(2 * n)) / (1 + noise) <= told.high[1])


def _expected_error(n: int, p: int, noise: float) -> float:
    """Expected squared error of least squares with an intercept on n rows of p normal columns."""
    return noise * (1 + 1 / n) * (1 + p / (n - p - 2))


def test_the_band_covers_the_known_gain_of_least_squares():
    """A band that is too narrow would promise a gain, or its absence, that is not there (nominal 95%)."""
    assert covered(400, 8, range(60)) >= 0.85  # at 95% below that in 3 of 1,000 runs


@pytest.mark.nightly
@pytest.mark.parametrize(("n", "p"), [(200, 5), (400, 8), (1000, 20), (2000, 20)])
def test_the_band_covers_at_its_level(n, p):
    """Coverage of the 95% band within 90% and 100%, over 400 tables."""
    assert covered(n, p, range(1000, 1400)) >= 0.9
