"""Values that the user says are missing: in every column or in one, as texts or as numbers."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from tamis import read
from tamis.errors import ParameterError, TableError

TEXT = "age,bp,size\n31,120,1.5\n999,130,2.5\n-1,999,999\n45,110,3.5\n"


def test_numbers_of_every_column_are_missing():
    """999 would stay a number where pyarrow reads fractions, and be missing where it reads texts."""
    table = read(io.StringIO(TEXT), missing="999")
    assert [int(column.missing.sum()) for column in table.columns] == [1, 1, 1]


@pytest.mark.parametrize("missing", ["age=999,-1", {"age": [999, -1]}, {"age": ["999", "-1.0"]}, "age=999; age=-1"])
def test_values_of_one_column_are_missing_there_alone(missing):
    """A blood pressure of 999 would go with an age of 999, or the age stay."""
    table = read(io.StringIO(TEXT), missing=missing)
    assert np.isnan(table.column("age").values).tolist() == [False, True, True, False]
    assert not table.column("bp").missing.any()


@pytest.mark.parametrize("make", [pd.DataFrame, lambda frame: frame.to_dict("list"), lambda frame: frame])
def test_a_frame_has_missing_values_of_numbers_words_and_dates(make):
    """What a frame holds as a number, a category or a date could not be named as missing."""
    frame = pd.DataFrame(
        {
            "age": [31.0, 999.0, 45.0, 50.0],
            "who": pd.Categorical(["a", "unknown", "b", "b"]),
            "seen": pd.to_datetime(["2020-01-01", "1900-01-01", "2020-02-01", "2020-03-01"]),
        }
    )
    table = read(make(frame), missing=["999", "unknown", "1900-01-01"])
    gone = {column.origin: column.missing.tolist() for column in table.columns}
    assert all(gone[name] == [False, True, False, False] for name in ("age", "who", "seen"))
    assert "unknown" not in (table.column("who").levels or ())


def test_a_later_table_is_read_with_the_same_missing_values():
    """A model would take the 999 of a new table for a number, though its own table had them missing."""
    table = read(io.StringIO(TEXT), missing="age=999,-1")
    again = read({"age": [999, 20], "bp": [999, 100], "size": [1.0, 2.0]}, like=table)
    assert np.isnan(again.column("age").values).tolist() == [True, False]
    assert not again.column("bp").missing.any()
    lazily = read(io.StringIO(TEXT), like=table)
    assert int(lazily.column("age").missing.sum()) == 2


def test_decimal_commas_and_spaces_do_not_hide_a_value():
    """999,0 in a European file would not be the 999 that means missing."""
    table = read(io.StringIO("a;b\n1,5;2,5\n 999,0;3,5\n2,5;4,5\n"), missing="999")
    assert np.isnan(table.column("a").values).tolist() == [False, True, False]


def test_missing_values_of_several_files(tmp_path):
    """A table larger than memory would keep its 999."""
    for k in range(2):
        frame = pd.DataFrame({"age": [31.0, 999.0, 45.0 + k], "bp": [120.0, 999.0, 110.0]})
        frame.to_parquet(tmp_path / f"{k}.parquet")
    table = read(tmp_path, missing="age=999")
    whole = table.sample(6)
    assert int(np.isnan(whole.column("age").values).sum()) == 2
    assert not np.isnan(whole.column("bp").values).any()


def test_a_wrong_wish_is_named():
    """A column that is not there would be passed over in silence."""
    with pytest.raises(TableError, match=r"there is no column 'agee' .did you mean 'age'..; give the name of a column"):
        read(io.StringIO(TEXT), missing="agee=999")
    with pytest.raises(ParameterError, match=r"names no column before ="):
        read(io.StringIO(TEXT), missing="=999")
