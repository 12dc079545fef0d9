"""Three columns together: the parity of three, and nothing where chance acts."""

import numpy as np
import pytest

from tamis.errors import ParameterError
from tamis.score import top_pairs, top_triples


def test_the_parity_of_three_columns_is_found_and_no_pair_of_them():
    """Columns that tell only as three would be missed, or be reported as pairs."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 12)).astype(float)
    y = (X[:, 2] + X[:, 5] + X[:, 7]) % 2
    found = top_triples(X, y)
    assert found[0][:3] == ("x2", "x5", "x7")
    assert found[0].information == pytest.approx(np.log(2), abs=0.03)
    assert not {"x2", "x5"} <= {name for pair in top_pairs(X, y) for name in pair[:2]}


def test_noise_has_no_triples():
    """The best of many triples would be taken for a finding: at alpha 0.05 about one table in twenty may show one."""
    tables = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        tables += bool(top_triples(rng.normal(size=(150, 5)), rng.integers(0, 2, 150), n_permutations=19))
    assert tables <= 3


def test_more_columns_than_looked_at_are_screened():
    """Two columns that tell as a pair, with a third, would be screened out of a wide table."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (500, 60)).astype(float)
    y = np.where(X[:, 50] == 1, X[:, 10], (X[:, 10] + X[:, 30]) % 2)
    found = top_triples(X, y, max_columns=5)
    assert not found or set(found[0][:3]) == {"x10", "x30", "x50"}
    with pytest.raises(ParameterError, match="max_columns=2"):
        top_triples(X, y, max_columns=2)
