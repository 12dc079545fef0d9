import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tamis import TreeClassifier
from tamis.errors import KindError
from tamis.table import Table, categories, in_days, read, take

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


def test_lazy_frames_are_collected():
    """If this fails, a lazy frame of polars is refused with a riddle, or read as something else."""
    whole = pl.DataFrame({"a": [1.5, None, 3.5, 2.5], "w": ["x", "y", "x", None]})
    table = Table.of(whole.lazy())
    assert table.names == ("a", "w")
    assert table.digest() == Table.of(whole).digest()
    assert read(whole.lazy()).names == ("a", "w")
    assert take(whole.lazy(), rows=[2, 0], columns=[0]).rows() == [(3.5,), (1.5,)]
    y = ["p", "q", "p", "q"]
    lazy, eager = (TreeClassifier(min_samples_leaf=1).fit(X, y) for X in (whole.lazy(), whole))
    assert lazy.predict(whole.lazy()).tolist() == eager.predict(whole).tolist()


def test_objects_are_dates_time_spans_or_numbers_when_all_of_them_are():
    """If this fails, a column of Python dates makes a category a day, or pandas' NA stops the fit."""
    day, span = dt.date(2020, 1, 1), dt.timedelta(hours=36)
    zoned = dt.datetime(2020, 1, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=9)))
    frame = pd.DataFrame(
        {
            "day": [day, None, dt.datetime(2021, 7, 1)],
            "zone": [zoned, zoned, pd.NA],
            "span": [span, pd.NaT, 2 * span],
            "number": [1, pd.NA, 2.5],
            "word": ["x", pd.NA, "y"],
        },
        dtype=object,
    )
    table = Table.of(frame)
    assert [column.kind for column in table.columns] == ["date", "date", "numeric", "numeric", "categorical"]
    np.testing.assert_allclose(table.column(0).values, [18262, np.nan, 18809])
    np.testing.assert_allclose(table.column(1).values, [18262.125, 18262.125, np.nan])
    np.testing.assert_allclose(table.column(2).values, [1.5, np.nan, 3])
    np.testing.assert_allclose(table.column(3).values, [1, np.nan, 2.5])
    assert table.column(4).values.tolist() == [0, -1, 1]


def test_dates_and_time_spans_become_days_in_the_frame_they_came_in():
    """If this fails, models that read numbers only cannot be given dates, or rows are shuffled by their index."""
    frame = pd.DataFrame(
        {1: NAIVE.to_numpy(), "span": pd.to_timedelta([36, 0, 12], unit="h"), "w": ["x", "y", "z"]}, index=[2, 2, 0]
    )
    days = in_days(frame)
    assert days.index.tolist() == [2, 2, 0]
    np.testing.assert_allclose(days[1], [18262.5, np.nan, 18809.0])
    np.testing.assert_allclose(days["span"], [1.5, 0, 0.5])
    assert days["w"].tolist() == ["x", "y", "z"]
    assert str(frame.dtypes["span"]).startswith("timedelta")
    for other in (pl.from_pandas(frame.rename(columns=str)), pa.Table.from_pandas(frame.rename(columns=str))):
        np.testing.assert_allclose(Table.of(in_days(other)).column(0).values, [18262.5, np.nan, 18809.0])
    np.testing.assert_allclose(in_days(np.array([["2020-01-01", "NaT"]], dtype="datetime64[ns]")), [[18262, np.nan]])


def test_complex_numbers_are_refused_by_name():
    """If this fails, complex numbers become categories."""
    with pytest.raises(KindError, match="column 'z' holds complex numbers"):
        Table.of(pd.DataFrame({"a": [1.0, 2.0], "z": [1j, 2.0]}))
