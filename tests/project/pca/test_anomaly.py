"""Odd rows: Q outside the components, T² inside, thresholds, and the columns that make a row odd."""

import numpy as np
import pandas as pd
import pytest

from tamis import PCA
from tamis.errors import ParameterError


def factors(n=2_000, p=8, k=2, seed=0):
    rng = np.random.default_rng(seed)
    load = np.linalg.qr(np.random.default_rng(99).normal(size=(p, k)))[0].T
    return 3 * rng.normal(size=(n, k)) @ load + 0.5 * rng.normal(size=(n, p))


def test_q_and_t2_by_hand():
    """The formulas: of (3, 4) beside the axis x, with variance 4 along it, Q is 16 and T² 9/4."""
    X = np.array([[2.0, 0.5], [-2.0, 0.5], [2.0, -0.5], [-2.0, -0.5]]) * np.sqrt(3 / 4)
    pca = PCA(1).fit(X)
    np.testing.assert_allclose(pca.components_, [[1, 0]], atol=1e-12)
    np.testing.assert_allclose(pca.spectrum_, [4.0, 0.25])
    np.testing.assert_allclose(pca.anomaly_score([[3.0, 4.0]]), [16.0])
    np.testing.assert_allclose(pca.anomaly_score([[3.0, 4.0]], part="inside"), [2.25])


@pytest.mark.parametrize("level", [0.9, 0.99])
@pytest.mark.parametrize("part", ["outside", "inside"])
def test_thresholds_leave_the_share_they_say(level, part):
    """The threshold would call far too many normal rows odd, or none."""
    pca, new = PCA(2).fit(factors()), factors(20_000, seed=1)
    below = (pca.anomaly_score(new, part=part) < pca.anomaly_threshold(level, part=part)).mean()
    assert abs(below - level) < 0.25 * (1 - level) + 0.005


def test_the_threshold_of_a_few_leading_components():
    """Where small variances are not known one by one, the threshold would be far off."""
    X = factors(3_000, 60)
    exact, leading = PCA(2).fit(X), PCA(2, solver="randomised").fit(X)
    np.testing.assert_allclose(leading.anomaly_score(X), exact.anomaly_score(X), rtol=1e-6)
    ratio = leading.anomaly_threshold() / exact.anomaly_threshold()
    assert 0.9 < ratio <= 1  # the variances left count as equal


def test_the_columns_that_make_a_row_odd():
    """A broken sensor would not be named."""
    frame = pd.DataFrame(factors(), columns=[f"sensor {j}" for j in range(8)])
    pca = PCA(2).fit(frame)
    odd = frame.head(3).copy()
    odd.loc[1, "sensor 5"] += 20
    named = pca.anomaly_columns(odd)
    assert named[1][0] == "sensor 5"
    assert pca.anomaly_score(odd).argmax() == 1
    assert pca.anomaly_score(odd)[1] > pca.anomaly_threshold()
    assert pca.anomaly_columns(odd, share=1e-6)[1] == ["sensor 5"]


def test_rows_with_holes():
    """A hole would make a row odd, or hide what is."""
    X = factors()
    pca = PCA(2).fit(X)
    rows = X[:200].copy()
    rows[np.random.default_rng(0).random(rows.shape) < 0.1] = np.nan
    rows[0, :] = X[0]
    rows[0, 3], rows[0, 4] = 30.0, np.nan
    scores = pca.anomaly_score(rows)
    assert scores.argmax() == 0
    assert (scores[1:] < pca.anomaly_threshold(0.999)).mean() > 0.98
    assert "x4" not in pca.anomaly_columns(rows, share=1.0)[0]


def test_all_components_leave_nothing_outside():
    """Rounding would be called an anomaly."""
    pca = PCA().fit(factors())
    with pytest.raises(ParameterError, match="all 8 components are kept, so no row is outside them"):
        pca.anomaly_score(factors())
    assert (pca.anomaly_score(factors(), part="inside") > 0).all()
