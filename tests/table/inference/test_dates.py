"""Dates in any common spelling, and what they become."""

import datetime as dt
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.table import read
from tamis.table.inference.dates import date_columns

_DAYS = [dt.date(2021, 3, 4), dt.date(1999, 12, 31), dt.date(2024, 2, 29), dt.date(1970, 1, 1), dt.date(1968, 7, 20)]


def read_dates(texts, **options):
    lines = [f'"{text}",{i}.5' for i, text in enumerate(texts)]
    return read(io.StringIO("when,x\n" + "\n".join(lines)), **options)


def days(table):
    return table.column("when (elapsed days)").values


_SPELLINGS = """%Y-%m-%d
%Y/%m/%d
%d.%m.%Y
%d/%m/%Y
%m/%d/%Y
%d-%m-%Y
%d %b %Y
%d %B %Y
%B %d, %Y
%d-%b-%Y
%Y-%m-%dT%H:%M:%S
%Y-%m-%d %H:%M
%m/%d/%Y %I:%M %p
%Y-%m-%d %H:%M:%SZ"""


@pytest.mark.parametrize(
    "spelling",
    _SPELLINGS.splitlines(),
)
def test_every_common_spelling_gives_the_same_day(spelling):
    """A date in the country's own spelling would become text and be left out."""
    table = read_dates([day.strftime(spelling) for day in _DAYS])
    assert table.decisions[0].kind == "date"
    expected = [(day - dt.date(1970, 1, 1)).days for day in _DAYS]
    assert np.floor(days(table)).tolist() == expected


def test_mixed_spellings_are_read_together():
    """A column typed by several hands would raise or lose rows."""
    table = read_dates(["2021-03-04", "31.12.1999", "Feb 29, 2024", "1 January 1970", "20/07/1968"])
    assert days(table).tolist() == [float((day - dt.date(1970, 1, 1)).days) for day in _DAYS]
    assert "spellings" in table.decisions[0].reason


def test_the_parts_and_their_source():
    """A model would see another day of the week than the calendar, or not know which column a part is from."""
    table = read_dates(["2024-02-29 18:00", "", "1968-07-20 00:00"])
    parts = ("year", "month", "weekday", "hour", "elapsed days")
    assert table.names[:5] == tuple(f"when ({part})" for part in parts)
    assert {column.origin for column in table.columns} == {"when", "x"}
    np.testing.assert_array_equal(table.column("when (year)").values, [2024, np.nan, 1968])
    np.testing.assert_array_equal(table.column("when (month)").values, [2, np.nan, 7])
    np.testing.assert_array_equal(table.column("when (weekday)").values, [4, np.nan, 6])  # Thursday, Saturday
    np.testing.assert_array_equal(table.column("when (hour)").values, [18, np.nan, 0])
    np.testing.assert_array_equal(days(table), [19782.75, np.nan, -530.0])


def test_days_without_times_have_no_hour():
    """A column of plain dates would carry an hour that is always 0."""
    assert "when (hour)" not in read_dates(["2024-02-29", "1968-07-20"]).names


def test_every_hour_of_a_day_is_whole():
    """Rounding of days would turn 7 o'clock into 6."""
    texts = [f"20{y:02d}-0{1 + y % 9}-1{y % 10} {h:02d}:00" for y in range(30) for h in range(24)]
    assert read_dates(texts).column("when (hour)").values.tolist() == [h for _ in range(30) for h in range(24)]


def test_other_rows_get_an_hour_when_those_read_first_had_one():
    """A row to predict at midnight would lack a column, or one with a time have a column too many."""
    timed, plain = read_dates(["2024-02-29 18:00", "2024-03-01 06:00"]), read_dates(["2024-02-29", "2024-03-01"])
    assert read_dates(["2024-02-29 00:00"], like=timed.types).names == timed.names
    assert read_dates(["2024-02-29 18:00"], like=plain.types).names == plain.names


def test_objects_of_python_are_dates():
    """Dates in an object column of pandas would be words or texts."""
    import pandas as pd

    days_only = [*_DAYS, None]
    moments = [dt.datetime(2021, 3, 4, h, tzinfo=dt.UTC) for h in range(5)]
    for values in (
        days_only,
        [*_DAYS, pd.NaT],
        moments,
        [*_DAYS, dt.datetime(2021, 3, 4)],
        pd.period_range("2021", periods=9),
    ):
        frame = pd.DataFrame({"when": pd.Series(values, dtype=None if isinstance(values, pd.PeriodIndex) else object)})
        assert read(frame.assign(x=[i + 0.5 for i in range(len(frame))])).decisions[0].kind == "date"
    months = read(pd.DataFrame({"when": pd.period_range("2021-01", periods=3, freq="M"), "x": [0.5, 1.5, 2.5]}))
    assert months.column("when (month)").values.tolist() == [1, 2, 3]


@given(st.lists(st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)), min_size=1, max_size=30))
def test_parts_agree_with_pythons_calendar(dates):
    """Some year, month or weekday of ten thousand years would be wrong."""
    numbers = np.array([float((day - dt.date(1970, 1, 1)).days) for day in dates])
    year, month, weekday, elapsed = (column.values.tolist() for column in date_columns("d", numbers))
    assert [(day.year, day.month, day.isoweekday()) for day in dates] == list(zip(year, month, weekday))
    assert elapsed == numbers.tolist()


def test_day_or_month_first_follows_the_values_that_tell():
    """All dates of a column would be read the wrong way round."""
    assert np.diff(days(read_dates(["03/04/2021", "13/04/2021"]))).tolist() == [10.0]
    assert np.diff(days(read_dates(["03/04/2021", "03/14/2021"]))).tolist() == [10.0]
    doubtful = read_dates(["03/04/2021", "04/04/2021"])
    assert np.diff(days(doubtful)).tolist() == [1.0]
    assert "the day was assumed" in doubtful.decisions[0].note


def test_both_orders_in_one_column_are_said():
    """Files merged from two countries would be read without a word."""
    table = read_dates(["13/04/2021", "14/04/2021", "04/15/2021"])
    assert np.diff(days(table)).tolist() == [1.0, 1.0]
    assert "change places" in table.decisions[0].note


def test_impossible_days_are_no_dates():
    """30 February would silently become 1 March."""
    table = read_dates(["2021-02-30", "2021-03-01", "2021-03-02", "2021-03-03", "2021-03-04", "2021-03-05"])
    assert table.decisions[0].kind != "date"
    assert "row 1 holds '2021-02-30'" in table.decisions[0].note


def test_a_stray_word_is_named():
    """A column of dates with one 'soon' would be left out without a reason one can act on."""
    texts = [f"2021-03-{i + 1:02d}" for i in range(20)] + ["soon"]
    table = read_dates(texts)
    assert "row 21 holds 'soon'" in table.decisions[0].note
    assert read_dates(texts, missing=["soon"]).decisions[0].kind == "date"


def test_zones_are_brought_to_utc():
    """Two spellings of one moment would be a different number of days."""
    table = read_dates(["2021-03-04T12:00:00+02:00", "2021-03-04T10:00:00Z"])
    assert days(table)[0] == days(table)[1]


def test_version_numbers_and_ranges_are_no_dates():
    """Codes like 1-2-3 would be read as days of the year 3."""
    assert read_dates(["1.2.3", "1.2.4", "2.0.1"] * 4).decisions[0].kind == "categorical"


def test_digits_are_dates_only_when_said_so():
    """Eight-digit numbers would turn into dates by chance, or could not be read as dates at all."""
    texts = ["20210304", "20210305", "20210307", "20210309"]
    assert read_dates(texts).decisions[0].kind == "numeric"
    assert np.diff(days(read_dates(texts, types="when=date"))).tolist() == [1.0, 2.0, 2.0]


def test_typed_dates_of_frames_become_the_same_parts():
    """A Parquet date would give other columns than the CSV date."""
    import pyarrow as pa

    expected = read_dates([day.isoformat() for day in _DAYS]).digest()
    for array in (pa.array(_DAYS), pa.array(_DAYS).cast(pa.timestamp("ns")), pa.array(_DAYS).cast(pa.date64())):
        assert read(pa.table({"when": array, "x": [i + 0.5 for i in range(5)]})).digest() == expected
