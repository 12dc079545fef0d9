"""What a table may be given as."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Union

import numpy as np

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from scipy import sparse

    from tamis.table.lazy.lazy_table import LazyTable
    from tamis.table.table import Table

#: Rows and columns: an array, rows, a dict of columns, a frame, a sparse matrix, an Arrow table, or a Table.
TableLike: TypeAlias = Union[
    np.ndarray,
    Sequence[Any],
    Mapping[str, Any],
    "Table",
    "LazyTable",
    "pd.DataFrame",
    "pl.DataFrame",
    "pa.Table",
    "sparse.spmatrix",
]
