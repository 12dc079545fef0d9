"""The codes of all columns, as the core and kernels take them: see `_core/binned_table.hpp`."""

from typing import NamedTuple

import numpy as np


class BinnedTable(NamedTuple):
    """Codes of all columns in one matrix of one or two bytes each, and the values behind them end to end."""

    codes: np.ndarray  # uint16, or uint8 where all fit (columns, rows)
    by_row: np.ndarray  # (rows, columns): the same; (0, columns) where nothing reads row by row
    n_values: np.ndarray  # int32 (columns): number of value codes of each column, and its code for missing
    missing: np.ndarray  # bool (columns): whether some row has no value
    category: np.ndarray  # bool (columns)
    first: np.ndarray  # int64 (columns + 1): where a column's values begin in low and high; categories have none
    low: np.ndarray  # float64: smallest and largest training value of each code; one array where all coding is lossless
    high: np.ndarray
