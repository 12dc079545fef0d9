"""Data that many search tests share."""

import numpy as np
import pytest


@pytest.fixture
def linear_data():
    """120 × 7, correlated columns far from zero; columns 1, 3 and 6 make the target."""
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 7)) @ random.normal(size=(7, 7)) + 5
    return X, X[:, 1] - 2 * X[:, 3] + X[:, 6] + 0.5 * random.normal(size=120)


@pytest.fixture
def xor_data():
    """400 × 6: the class is the XOR of columns 1 and 4, the others are noise."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 6))
    return X, ((X[:, 1] > 0) ^ (X[:, 4] > 0)).astype(int)
