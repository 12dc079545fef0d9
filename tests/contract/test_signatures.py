"""Kernels are compiled once, whoever hands in the arrays."""

import importlib

import numpy as np
import pandas as pd
import pytest

from tamis import TreeClassifier, TreeRegressor

KERNELS = {
    TreeClassifier: ["tamis.tree.grow.grow.grow_ordered"],
    TreeRegressor: ["tamis.tree.grow.grow.grow_ordered"],
}


def frozen(values):
    values = np.array(values)
    values.flags.writeable = False
    return values


@pytest.mark.parametrize("kind", KERNELS)
def test_read_only_arrays_and_frames_compile_nothing_anew(kind):
    """If this fails, read-only input (pandas, memory maps) makes its user wait a minute for a second compilation."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(60, 3)), rng.uniform(size=60)
    y = np.round(X[:, 0]) if kind is TreeClassifier else X[:, 0].copy()
    model = kind()

    def use(X, y, weight):
        model.fit(X, y, sample_weight=weight).predict(X)

    def compiled():
        found = [
            getattr(importlib.import_module(name.rpartition(".")[0]), name.rpartition(".")[2]) for name in KERNELS[kind]
        ]
        return [len(kernel.signatures) for kernel in found]

    use(X, y, weight)
    before = compiled()
    assert min(before) >= 1
    use(frozen(X), frozen(y), frozen(weight))
    use(np.asfortranarray(X), y[::-1], weight[::-1])
    use(pd.DataFrame(X), pd.Series(y), pd.Series(weight))
    use(X[:, :1], y, None)
    assert compiled() == before
