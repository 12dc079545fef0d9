"""NIST's certified linear regressions (Statistical Reference Datasets), by the public estimator.

nist.json holds the data as published, the certified estimates (intercept first), their standard deviations, the
residual standard deviation and R², and the digits a careful double-precision QR reaches.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tamis import LinearRegressor

SETS = json.loads((Path(__file__).parent / "nist.json").read_text())


def digits(found, certified):
    """Correct significant digits, at most 15, of the worst entry; absolute where the certified value is 0."""
    found, certified = np.atleast_1d(found).astype(float), np.atleast_1d(certified).astype(float)
    error = np.abs(found - certified) / np.where(certified == 0, 1.0, np.abs(certified))
    return float(np.min(-np.log10(np.maximum(error, 1e-15))))


def fit(known):
    x = np.array(known["x"], dtype=float)
    X = x if x.ndim == 2 else np.column_stack([x**power for power in range(1, known["degree"] + 1)])
    return LinearRegressor(penalty=None, fit_intercept=known["intercept"]).fit(X, np.array(known["y"], dtype=float))


@pytest.mark.parametrize("name", list(SETS))
def test_certified_coefficients(name):
    """Coefficients off the certified ones would mean that units or near-dependence cost digits."""
    known, model = SETS[name], fit(SETS[name])
    found = np.concatenate([[model.intercept_], model.coef_]) if known["intercept"] else model.coef_
    assert digits(found, known["beta"]) >= known["digits"]


@pytest.mark.parametrize("name", [name for name in SETS if name not in ("Wampler1", "Wampler2")])
def test_certified_standard_errors_and_fit(name):
    """Wrong standard errors would make every t and p of the report wrong."""
    known, model = SETS[name], fit(SETS[name])
    found = [model.intercept_standard_error_, *model.standard_errors_] if known["intercept"] else model.standard_errors_
    assert digits(found, known["sd"]) >= min(known["digits"], 7)
    assert digits(model.residual_deviation_, known["residual_sd"]) >= 8
    assert digits(model.r2_, known["r2"]) >= 8


@pytest.mark.parametrize("name", ["Wampler1", "Wampler2"])
def test_exact_polynomials_leave_no_residual(name):
    """An exact polynomial must be found as such: residual deviation 0 to rounding, R² 1."""
    known, model = SETS[name], fit(SETS[name])
    assert model.residual_deviation_ <= 1e-12 * np.max(np.abs(known["y"]))
    assert model.r2_ == pytest.approx(1, abs=1e-12)
