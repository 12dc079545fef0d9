"""Stratified folds, against scikit-learn's."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from tamis.split.stratify import Stratified, dealt


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("seed", range(20))
def test_stratified_folds_are_those_of_scikit_learn(seed):
    """Whoever compares a score with scikit-learn's finds the very same rows in every fold."""
    rng = np.random.default_rng(seed)
    k, n_classes = int(rng.integers(2, 8)), int(rng.integers(2, 6))
    y = rng.choice(n_classes, 200, p=rng.dirichlet(np.ones(n_classes)))
    expected = StratifiedKFold(k, shuffle=True, random_state=seed).split(y, y)
    for (train, test), (a, b) in zip(Stratified(k, random_state=seed).split(y, y), expected, strict=True):
        np.testing.assert_array_equal(train, a)
        np.testing.assert_array_equal(test, b)


@pytest.mark.parametrize("seed", range(20))
def test_stratified_groups_keep_the_shares_as_well_as_scikit_learn(seed):
    """Folds of groups whose classes are uneven would make scores jump."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(40, size=400)
    y = (rng.random(400) < np.linspace(0.1, 0.9, 40)[groups]).astype(int)

    def unevenness(splitter):
        return np.std([y[test].mean() for _, test in splitter.split(y, y, groups)])

    theirs = np.mean([unevenness(StratifiedGroupKFold(5, shuffle=True, random_state=s)) for s in range(5)])
    assert np.mean([unevenness(Stratified(5, random_state=s)) for s in range(5)]) < 1.1 * theirs + 0.002


@pytest.mark.parametrize("seed", range(10))
def test_dealt_folds_share_every_stratum_and_differ_in_size_by_one_row(seed):
    """Folds of a pruning would be uneven, or lack a class that others have."""
    rng = np.random.default_rng(seed)
    strata, k = rng.integers(0, 4, size=57), int(rng.integers(2, 8))
    fold = dealt(strata, k, np.random.RandomState(seed))
    assert np.ptp(np.bincount(fold, minlength=k)) <= 1
    for stratum in range(4):
        assert np.ptp(np.bincount(fold[strata == stratum], minlength=k)) <= 1
