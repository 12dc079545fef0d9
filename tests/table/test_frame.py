import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tamis.table import Table, categories

WORDS = ["red", None, "blue", "red", "Ünique", "10", "9"]
UNUSED = ["white", "red", "10", "9", "blue", "Ünique", "black"]

SERIES = {
    "pandas categories": pd.Series(pd.Categorical(WORDS, categories=UNUSED)),
    "pandas ordered categories": pd.Series(pd.Categorical(WORDS, categories=UNUSED, ordered=True)),
    "pandas text": pd.Series(WORDS, dtype="str"),
    "pandas text with NA": pd.Series(WORDS, dtype="string"),
    "pandas objects": pd.Series(WORDS, dtype=object),
    "polars text": pl.Series(WORDS),
    "polars categories": pl.Series(WORDS, dtype=pl.Categorical),
    "polars enumeration": pl.Series(WORDS, dtype=pl.Enum(UNUSED)),
    "arrow text": pa.array(WORDS),
    "arrow dictionary": pa.array(WORDS).dictionary_encode(),
}


def frame_of(series):
    if isinstance(series, pd.Series):
        return pd.DataFrame({"word": series})
    return pa.table({"word": series}) if isinstance(series, pa.Array) else pl.DataFrame({"word": series})


@pytest.mark.parametrize("kind", SERIES)
def test_words_are_the_same_categories_from_every_library(kind):
    """If this fails, a model depends on the library that held the table, or on levels that no row has."""
    expected = categories("word", WORDS)
    assert expected.levels == ("10", "9", "blue", "red", "Ünique")
    assert expected.values.tolist() == [3, -1, 2, 3, 4, 0, 1]
    column = Table.of(frame_of(SERIES[kind])).column(0)
    assert column.kind == "categorical"
    assert column.levels == expected.levels
    assert column.values.dtype == np.int32
    assert column.values.tolist() == expected.values.tolist()


def test_categories_of_numbers_stay_numbers_in_the_order_of_their_text():
    """If this fails, levels that are not words are renamed, or fitted models do not find them again."""
    column = Table.of(pd.DataFrame({"code": pd.Categorical([9, 10, None, 10], categories=[9, 10, 11])})).column(0)
    assert column.levels == (10, 9)
    assert all(type(level) is int for level in column.levels)
    assert column.values.tolist() == [1, 0, -1, 0]


@pytest.mark.parametrize("values", [pd.Categorical([None, None], categories=["a"]), pl.Series([None, None], dtype=str)])
def test_a_column_of_words_may_be_empty(values):
    """If this fails, a column without a single value stops a fit."""
    frame = pd.DataFrame({"w": values}) if isinstance(values, pd.Categorical) else pl.DataFrame({"w": values})
    column = Table.of(frame).column(0)
    assert column.levels == ()
    assert column.values.tolist() == [-1, -1]


NAIVE = pd.to_datetime(pd.Series(["2020-01-01 12:00", None, "2021-07-01 00:00"]))
ZONED = NAIVE.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo")
MOMENTS = {
    "pandas": pd.DataFrame({"when": NAIVE}),
    "pandas with a zone": pd.DataFrame({"when": ZONED}),
    "pandas with a zone of two words": pd.DataFrame({"when": ZONED.dt.tz_convert("America/New_York")}),
    "pandas with a zone in numbers": pd.DataFrame({"when": ZONED.dt.tz_convert("Etc/GMT+5")}),
    "pandas of arrow with a zone": pd.DataFrame({"when": ZONED.astype("timestamp[us, tz=Asia/Tokyo][pyarrow]")}),
    "polars with a zone": pl.DataFrame({"when": pl.from_pandas(ZONED)}),
    "arrow with a zone": pa.table({"when": pa.array(ZONED.dt.tz_convert("UTC"))}),
    "arrow in seconds": pa.table({"when": pa.array(NAIVE).cast(pa.timestamp("s"))}),
}


@pytest.mark.parametrize("library", MOMENTS)
def test_a_moment_is_the_same_number_from_every_library_and_zone(library):
    """If this fails, the zone a moment is written in changes the model, or stops it."""
    column = Table.of(MOMENTS[library]).column(0)
    assert column.kind == "date"
    np.testing.assert_allclose(column.values, [18262.5, np.nan, 18809.0])


def test_dates_of_arrow_are_dates_in_either_form():
    """If this fails, the dates of one of arrow's two types become categories, one for every day."""
    days = pa.array([18262, None, 18809], pa.int32())
    for kind in (pa.date32(), pa.date64()):
        column = Table.of(pa.table({"day": days.cast(pa.date32()).cast(kind)})).column(0)
        assert column.kind == "date"
        np.testing.assert_allclose(column.values, [18262, np.nan, 18809])


def test_whole_numbers_beyond_the_exact_ones_are_rounded_from_every_library():
    """If this fails, a table with long identifiers stops every fit in one library and not in another."""
    values = [2**53 + 1, None, -(2**60) - 7, 5]
    frames = (
        pd.DataFrame({"id": pd.array(values, dtype="Int64")}),
        pl.DataFrame({"id": values}),
        pa.table({"id": pa.array(values, pa.int64())}),
    )
    for frame in frames:
        column = Table.of(frame).column(0)
        assert column.kind == "numeric"
        np.testing.assert_array_equal(column.values, [2.0**53, np.nan, -(2.0**60), 5.0])
