"""Made and kept columns side by side, in the form in which the table came."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tamis.errors import TableError
from tamis.table import Column, Table, assembled

FRAME = pd.DataFrame(
    {"a": [1.0, 2.0], "s": ["u", None], "d": pd.to_datetime(["2020-01-01", "2020-01-02"])}, index=[7, 9]
)
MADE = np.array([[5.0], [np.nan]])


def test_pandas_keeps_its_index_and_kept_columns():
    """Rows would lose their labels, or dates become numbers."""
    out = assembled(FRAME, MADE, [0, ~1, ~2], ["a", "s", "d"])
    pd.testing.assert_frame_equal(out, FRAME.assign(a=[5.0, np.nan]))


def test_polars_and_arrow_keep_their_kinds():
    """Users of other libraries would get pandas, or NaN instead of null."""
    out = assembled(pl.from_pandas(FRAME), MADE, [~2, 0], ["d", "a"])
    assert out.schema == {"d": pl.from_pandas(FRAME)["d"].dtype, "a": pl.Float64}
    assert out["a"].to_list() == [5.0, None]
    arrow = assembled(pa.Table.from_pandas(FRAME, preserve_index=False), MADE, [0, ~1], ["a", "s"])
    assert arrow.to_pydict() == {"a": [5.0, None], "s": ["u", None]}


def test_one_library_into_another():
    """`set_output` would lose dates on the way."""
    out = assembled(FRAME, MADE, [0, ~2], ["a", "d"], "polars")
    assert out["d"].dtype.is_temporal()
    back = assembled(pl.from_pandas(FRAME), MADE, [0, ~2], ["a", "d"], "pandas")
    assert pd.api.types.is_datetime64_any_dtype(back["d"])


def test_categories_make_an_array_one_of_objects():
    """Words would be lost in an array of numbers."""
    words = Column("w", "categorical", np.array([1, -1], dtype=np.int32), ("low", "high"))
    out = assembled(np.array([[1.0], [2.0]]), [words], [~0, 0], ["x0", "w"])
    assert out.tolist() == [[1.0, "high"], [2.0, None]]


def test_a_table_keeps_levels():
    """Models of Tamis would see other levels."""
    out = assembled(Table.of(FRAME), MADE, [~1, 0], ["s", "a"])
    assert out.column("s").levels == ("u",)
    np.testing.assert_array_equal(out.column("a").values, MADE.ravel())


def test_a_name_twice_is_refused():
    """One of two columns would be lost."""
    with pytest.raises(TableError, match="second column 'a'"):
        assembled(FRAME, MADE, [0, ~0], ["a", "a"])
