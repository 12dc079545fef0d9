"""The Poisson loss: a deviance, by which the one-standard-error rule chooses as glmnet does."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import xlogy

from tamis.linear import LinearRegressor
from tamis.linear.losses.poisson import Poisson

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "glmnet_poisson.json").read_text())


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: f"log mean {case['log_mean']}")
def test_the_strength_chosen_is_glmnets(case):
    """Without the saturated term the rule chooses by the sizes of counts: no column is kept where they are large."""
    X, y = np.array(GOLDEN["X"]), np.array(case["y"])
    rows = np.arange(len(y))
    folds = [(rows[rows % 5 != f], rows[rows % 5 == f]) for f in range(5)]
    model = LinearRegressor(loss="poisson", cv=folds).fit(X, y)
    assert model.alpha_ == pytest.approx(case["lambda_1se"], rel=1e-9)
    assert model.intercept_ == pytest.approx(case["intercept"], abs=1e-6)
    assert model.coef_ == pytest.approx(case["coef"], abs=1e-5)


def test_the_loss_is_half_the_deviance():
    """A loss other than 0 at perfect predictions, or a conjugate of another loss, breaks errors and duality gaps."""
    y = np.array([0.0, 1e-8, 1.0, 4.0, 1e8])
    eta = np.array([-2.0, -18.0, 0.5, 1.0, 18.5])[:, None]
    loss, mean = Poisson(y), np.exp(eta[:, 0])
    assert loss.value(eta) == pytest.approx(xlogy(y, y / mean) - (y - mean), rel=1e-9)
    perfect = np.log(np.where(y > 0, y, 1e-300))[:, None]
    assert loss.value(perfect) == pytest.approx(np.zeros(5), abs=1e-15)
    residual = loss.residual(eta)
    equal = loss.value(eta) + loss.conjugate(residual) + (residual * eta)[:, 0]  # Fenchel: 0 at the gradient
    assert equal == pytest.approx(np.zeros(5), abs=1e-6)
