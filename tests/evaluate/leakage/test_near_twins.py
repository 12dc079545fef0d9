"""Near twins: planted ones are found, independent rows with whatever signal are not accused."""

import numpy as np
import pandas as pd
import pytest

from tamis.evaluate.leakage.duplicates import duplicates, row_keys
from tamis.evaluate.leakage.leaks import leaks
from tamis.evaluate.leakage.near_twins import near_twins
from tamis.table import Table


def twins_of(X, y, classes, groups=None):
    table = Table.of(X)
    return near_twins(table, np.asarray(y, dtype=float), classes, duplicates(row_keys(table)), groups)


def repeated(rng, entities, each, noise, classes, d=8):
    """Noise: entities with features and a target of their own, several rows of each."""
    entity = np.repeat(np.arange(entities), each)
    y = rng.integers(0, 2, entities) if classes else rng.normal(size=entities)
    return rng.normal(size=(entities, d))[entity] + noise * rng.normal(size=(len(entity), d)), y[entity], entity


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize(("entities", "each", "noise"), [(80, 2, 0.03), (40, 4, 0.1), (40, 4, 0.3), (30, 10, 0.3)])
def test_jittered_copies_and_rows_of_one_patient_are_a_stop(entities, each, noise, classes):
    """Folds that split them give a score near 1 on noise."""
    for seed in range(5):
        X, y, entity = repeated(np.random.default_rng(seed), entities, each, noise, classes)
        (stop,) = [leak for leak in leaks(X, y) if leak.kind == "near-twins"]
        assert stop.severity == "stop"
        assert "as groups" in stop.sentence
        assert not [leak for leak in leaks(X, y, groups=entity) if leak.kind == "near-twins"]


def test_twins_whose_targets_differ_void_nothing():
    """Near rows with independent targets cannot be predicted from each other."""
    rng = np.random.default_rng(0)
    X, _, _ = repeated(rng, 80, 2, 0.03, True)
    assert twins_of(X, rng.integers(0, 2, 160), True) is None


def smooth(rng, n, d, noise):
    X = rng.normal(size=(n, d))
    return X, np.sin(X[:, 0]) + X[:, 1] + 0.5 * X[:, 1] * X[:, -1] + noise * rng.normal(size=n)


def accused(rng, number):
    """One table of independent rows with a strong signal, of kinds in turn."""
    n, d = int(rng.choice([80, 200, 500])), int(rng.choice([2, 5, 10]))
    kind = number % 7
    X, y = smooth(rng, n, d, [0.0, 0.3][number % 2])
    if kind == 0:
        return twins_of(X, y, False)
    if kind == 1:
        return twins_of(X, y > 0, True)
    if kind == 2:  # columns that hang together
        return twins_of(0.6 * rng.normal(size=(n, 1)) + 0.4 * X, y, False)
    if kind == 3:  # heavy tails
        return twins_of(np.exp(X), y, False)
    if kind == 4:  # clusters, each of one class
        cluster = rng.integers(0, 12, n)
        return twins_of((4 * rng.normal(size=(12, d)))[cluster] + 0.3 * X, cluster % 3, True)
    if kind == 5:  # coarse values
        coarse = rng.integers(0, 6, size=(n, 6)).astype(float)
        return twins_of(coarse, coarse.sum(axis=1) > 15, True)
    words = rng.choice(list("uvwxyz"), size=(n, 3))
    frame = pd.DataFrame(words, columns=list("abc")).assign(x=X[:, 0], z=X[:, 1])
    return twins_of(frame, (words[:, 0] < "x") ^ (X[:, 0] > 0), True)


def test_independent_rows_with_a_strong_signal_are_not_accused():
    """A false stop marks an honest score as not to be quoted."""
    found = [accused(np.random.default_rng(seed), seed) is not None for seed in range(42)]
    assert sum(found) == 0


@pytest.mark.nightly
def test_false_accusations_are_below_two_percent():
    """At most 2% of tables of independent rows, whatever their signal, may be accused."""
    found = [accused(np.random.default_rng(10_000 + seed), seed) is not None for seed in range(700)]
    assert np.mean(found) <= 0.02
