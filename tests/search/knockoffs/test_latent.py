"""Columns as normal variables and back: the same values, as often, as closely related, with as many holes."""

import numpy as np
import pandas as pd

from tamis.search.knockoffs.latent import LatentTable, correlation, gaussian_knockoffs
from tamis.table import Table


def _mixed(rng, n=4000):
    z = rng.normal(size=(n, 2)) @ np.linalg.cholesky([[1, 0.8], [0.8, 1]]).T
    frame = pd.DataFrame(
        {"a": np.exp(z[:, 0]), "b": np.array(list("vwu"), dtype=object)[np.digitize(z[:, 1], [-1, 1])]}
    )
    frame["c"] = np.where(rng.random(n) < 0.5 * (1 + np.tanh(z[:, 0])), np.nan, rng.normal(size=n))
    return frame


def test_knockoffs_of_a_mixed_table_look_like_it():
    """A copy that differs in anything but the target is told from its original without the target."""
    rng = np.random.default_rng(0)
    table = Table.of(_mixed(rng))
    latent = LatentTable(table, rng)
    copy = latent.table(gaussian_knockoffs(latent.Z, correlation(latent.Z), rng), ["a", "b", "c"])
    a, b, c = (table.column(name) for name in "abc")
    A, B, C = (copy.column(name) for name in "abc")
    assert set(A.values) <= set(a.values)
    assert B.levels == b.levels
    np.testing.assert_allclose(np.bincount(B.values) / 4000, np.bincount(b.values) / 4000, atol=0.03)
    assert C.missing.sum() == c.missing.sum()
    for first, second in ((a, b), (A, b), (a, B), (A, B)):  # a and its copy go with b and its copy alike
        means = [np.log(first.values)[second.values == code].mean() for code in range(3)]
        np.testing.assert_allclose(np.sort(means), [-1.2, 0, 1.2], atol=0.25)
    assert abs(np.corrcoef(np.log(A.values), c.missing)[0, 1] - np.corrcoef(np.log(a.values), C.missing)[0, 1]) < 0.06
    assert np.corrcoef(np.log(A.values), C.missing)[0, 1] > 0.4


def test_the_variables_of_values_lie_in_their_intervals():
    """A level would stand for the normal variable of another."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, 300).astype(float)
    latent = LatentTable(Table.of(pd.DataFrame({"n": values, "m": rng.normal(size=300)})), rng)
    z = latent.Z[:, 0]
    assert z[values == 0].max() < z[values == 1].min()
    assert z[values == 1].max() < z[values == 2].min()
