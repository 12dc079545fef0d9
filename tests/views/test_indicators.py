"""Indicator columns."""

from __future__ import annotations

import pandas as pd

from tamis.table import Table
from tamis.views.indicators import Indicators


def test_places_of_columns_are_found_once() -> None:
    """A formula that asks for every column's place would count all columns for each: hours at 100,000 columns."""
    code = Indicators.of(Table.of(pd.DataFrame({"colour": ["red", "blue", "red"], "size": [1.0, 2.0, 3.0]})))
    assert code.groups.tolist() == [0, 0, 1]
    assert code.sizes.tolist() == [2, 1]
    assert code.groups is code.groups
    assert code.sizes is code.sizes
