"""A table becomes a frame of another library and back."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tamis
from tamis.table import Table

KINDS = {pa.Table: "to_arrow", pd.DataFrame: "to_pandas", pl.DataFrame: "to_polars"}


@pytest.mark.parametrize(("kind", "method"), KINDS.items())
def test_a_table_survives_the_way_out_and_back(kind, method, tmp_path):
    """Numbers, booleans, categories and missing values come back as they were."""
    path = tmp_path / "t.csv"
    path.write_text("age,kind,ok\n1.5,red,true\n,blue,false\n3.5,,true\n4.25,red,\n" * 5)
    table = tamis.read(path)
    frame = getattr(table, method)()
    assert isinstance(frame, kind)
    again = Table.of(frame)
    assert again.names == table.names
    np.testing.assert_array_equal(again.column("age").values, table.column("age").values)
    kinds = again.column("kind")
    assert [None if c < 0 else kinds.levels[c] for c in kinds.values[:4]] == ["red", "blue", None, "red"]
    assert again.column("ok").missing.tolist() == table.column("ok").missing.tolist()


def test_a_matrix_keeps_its_numbers():
    """An array without names gets x0, x1, …"""
    frame = Table.of(np.array([[1.0, np.nan], [3.0, 4.0]])).to_pandas()
    assert list(frame.columns) == ["x0", "x1"]
    np.testing.assert_array_equal(frame.to_numpy(), [[1.0, np.nan], [3.0, 4.0]])
