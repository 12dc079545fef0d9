"""What one column alone tells of the target."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tamis.evaluate.leakage.univariate import suspects, univariate
from tamis.table import Table


@pytest.mark.parametrize("n_classes", [2, 3])
def test_columns_of_a_wide_table_that_tell_the_target_are_all_suspects(n_classes: int) -> None:
    """A wide table would hide a column made from the target, or every column would be judged one by one."""
    rng = np.random.default_rng(n_classes)
    y = rng.integers(0, n_classes, 60).astype(float)
    values = rng.normal(size=(60, 3000))
    values[:, 5] = y + 0.001 * rng.random(60)  # perfect
    values[:, 7] = np.array([0.5, 0.2, 0.9])[y.astype(int)] + 0.001 * rng.random(60)  # perfect, in another order
    values[:, 9] = 1.5 * y  # fractions that come again
    values[0, 11] = np.nan
    table = Table.of(pd.DataFrame(values, columns=[f"g{j}" for j in range(3000)]))
    found = suspects(table, y, True, 0.995, 1e-3)
    told = [j for j in range(3000) if univariate(table.column(j), y, True).share >= 0.995]
    assert {5, 7, 9} <= set(told) <= set(found)
    assert 11 in found
    assert len(found) < 20
