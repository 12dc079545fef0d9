"""By how much a claimed gain is exaggerated for having been claimed."""

import numpy as np
import pytest
from scipy.stats import norm

from tamis.study.claims.shrinkage import claim_excess


@pytest.mark.parametrize("mu", [0.8, 1.2, 1.6, 2.0, 3.0])
def test_the_corrected_gain_is_right_in_the_median(mu):
    """Claims of weak signals would stay exaggerated, 1.6 times at a gain of 1.4 standard errors."""
    z = mu + norm.ppf((np.arange(4000) + 0.5) / 4000)
    claimed = z[norm.sf(z) <= 0.1]
    corrected = [value - claim_excess(float(norm.sf(value)), 0.1) for value in claimed]
    assert np.median(corrected) == pytest.approx(mu, abs=0.05)
    assert np.median(claimed) > mu


def test_a_clear_claim_is_left_as_it_is_and_of_a_bare_one_nothing_is_left():
    """A correction that never ends would contradict a score that is sure."""
    assert claim_excess(1e-9, 0.1) == 0
    assert claim_excess(1e-4, 0.1) < 0.02
    assert claim_excess(0.06, 0.1) == pytest.approx(norm.isf(0.06))
    excesses = [claim_excess(p, 0.1) for p in (0.04, 0.03, 0.02, 0.01, 0.001)]
    assert excesses == sorted(excesses, reverse=True)
