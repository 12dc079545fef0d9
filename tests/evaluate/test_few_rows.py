"""R² in few rows: what is quoted beside what the same models reach on fresh rows."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from tamis import nested_score

KINDS = ("normal", "lognormal", "zero-inflated")


def _table(rng, n, kind):
    x = rng.normal(size=(n, 6))
    signal, noise = x[:, 0] + 0.7 * x[:, 1], rng.normal(size=n)
    if kind == "normal":
        return x, signal + 1.2 * noise
    if kind == "lognormal":
        return x, np.exp(0.4 * signal + 0.35 * noise)
    return x, np.where(signal + noise > 0, np.exp(0.3 * signal + 0.3 * rng.normal(size=n)), 0.0)


def _quoted_and_true(n, kind, n_tables):
    """Of each table the quoted R², its interval, and R² on fresh rows, about the mean of the training rows."""
    fresh_x, fresh_y = _table(np.random.default_rng(99), 20_000, kind)
    rows = []
    for seed in range(n_tables):
        x, y = _table(np.random.default_rng([seed, n]), n, kind)
        result = nested_score(Ridge(2.0), x, y, repeats=3, keep_models=True, random_state=seed)
        errors = [np.mean((fresh_y - model.predict(fresh_x)) ** 2) for model in result.models]
        spreads = [np.mean((fresh_y - y[train].mean()) ** 2) for train, _ in result.folds]
        true = 1 - np.mean(errors) / np.mean(spreads)
        rows.append((result.mean, true, true in result.interval, np.mean(result.scores)))
    return np.array(rows, dtype=float).T


def test_few_rows_are_neither_flattered_nor_denied():
    """30 rows would quote 0.08 where new rows give 0.45: the mean of five-row R²s is no estimate of anything."""
    quoted, true, held, averaged = _quoted_and_true(30, "normal", 40)
    error = (quoted - true).std(ddof=1) / np.sqrt(40)
    assert abs(np.mean(quoted - true)) < 0.02 + 2.5 * error
    assert np.mean(averaged - true) < -0.15  # what was quoted before
    assert held.mean() >= 0.85


@pytest.mark.nightly
@pytest.mark.parametrize("n", [25, 40, 60, 120, 400])
@pytest.mark.parametrize("kind", KINDS)
def test_bias_and_coverage(n, kind):
    """Bias below 0.02 and an interval that holds the truth in 90 to 99 of 100 tables."""
    quoted, true, held, _ = _quoted_and_true(n, kind, 300)
    error = (quoted - true).std(ddof=1) / np.sqrt(300)
    assert abs(np.mean(quoted - true)) < 0.02 + 1.645 * error
    assert 0.9 - 1.645 * np.sqrt(0.09 / 300) <= held.mean() <= 0.99 + 0.009
