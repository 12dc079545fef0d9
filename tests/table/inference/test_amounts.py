"""Numbers with a unit: percentages, money, spaces between thousands, times of day, time spans."""

import datetime as dt
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from tamis import Lock
from tamis.errors import TableError
from tamis.table import fetch, read


def read_texts(texts, **options):
    lines = [f'"{text}",{i}.5' for i, text in enumerate(texts)]
    return read(io.StringIO("c,x\n" + "\n".join(lines)), **options)


@pytest.mark.parametrize(
    ("texts", "values", "reason"),
    [
        (["6.1%", "7%", "-0.5 %", "1,250.5%"], [6.1, 7, -0.5, 1250.5], "percentages"),
        (["6,1%", "7,25%", "−3%"], [6.1, 7.25, -3], "percentages with a decimal comma"),
        (["$4,306.33", "$12.50", "-$3", "$-4", "($5.25)"], [4306.33, 12.5, -3, -4, -5.25], "money in $"),
        (["12.50 €", "3 €", "1,234.00 €"], [12.5, 3, 1234], "money in €"),
        (["1 234,50 €", "12,5 €"], [1234.5, 12.5], "money in € with spaces"),
        (["EUR 12.50", "EUR 3"], [12.5, 3], "money in EUR"),
        (["1 234,5", "12,5", "1\u202f234\u202f567"], [1234.5, 12.5, 1234567], "spaces between thousands"),
        (["1 234", "12 345", "987"], [1234, 12345, 987], "spaces between thousands"),
        (["1'234.50", "987"], [1234.5, 987], "spaces between thousands"),
        (["14:33", "00:00", "8:15"], [14.55, 0, 8.25], "times of day"),
        (["2:30 pm", "12:00 AM", "11:30:36 a.m."], [14.5, 0, 11.51], "times of day"),
        (["1h 20m", "45m", "2h"], [80 / 1440, 45 / 1440, 120 / 1440], "time spans"),
        (["90 min", "1 hour", "2 days", "1d 12h"], [1.5 / 24, 1 / 24, 2, 1.5], "time spans"),
        (["0 days 01:20:00", "-1 days +12:00:00", "3 days"], [80 / 1440, -0.5, 3], "time spans"),
    ],
)
def test_numbers_with_a_unit_are_numbers(texts, values, reason):
    """A column of percentages, money or times would be called an identifier and dropped."""
    table = read_texts([*texts, ""] * 5)
    decision = table.decisions[0]
    assert decision.kind == "numeric"
    assert reason in decision.reason
    np.testing.assert_allclose(table.column("c").values, [*values, np.nan] * 5, rtol=1e-12)


@pytest.mark.parametrize(
    "texts",
    [
        [f"12:{i}a" for i in range(30)],  # codes
        [f"{i:05d}" for i in range(30)],  # postal codes
        [f"110 {i:03d}" for i in range(30)],  # postal codes in groups
        [f"555 {100 + i} 2{i:02d}" for i in range(30)],  # telephone numbers
        ["1:10", "1:20", "1:40", "1:50"] * 8,  # titres
        ["1:20", "1:80", "1:160", "2:40"] * 8,
        ["25:10", "31:02", "12:45"] * 8,  # minutes and seconds, or scores
        ["5m", "10m", "20m"] * 8,  # metres
        ["80s", "90s", "70s"] * 8,  # decades
        ["2d", "3d"] * 8,
        ["$5", "€6", "$7"] * 8,  # two currencies
        ["5%", "6", "7%"] * 8,  # a unit here and there
        ["$5", "6%"] * 8,
        ["$A", "$B"] * 8,
        ["1h 20m", "soon"] * 8,
        ["16:9", "4:3"] * 8,
        ["%", "€"] * 8,
    ],
)
def test_codes_stay_codes(texts):
    """A code that only looks like an amount would become a number."""
    decision = read_texts(texts).decisions[0]
    assert decision.kind in ("categorical", "identifier", "text")


@pytest.mark.parametrize("texts", [["6.1%", "7%"], ["$5", "$6.50"], ["14:33", "08:20"], ["1h 20m", "5m"]])
def test_a_later_reading_keeps_the_unit(texts):
    """A new row's 5% would not be read, or a number in another unit be taken for one."""
    learned = read_texts(texts * 10)
    again = read_texts(texts[1:], like=learned.types)
    assert again.column("c").values.tolist() == learned.column("c").values[1:2].tolist()
    with pytest.raises(TableError, match="row 1 holds '5 kg'"):
        read_texts(["5 kg"], like=learned.types)
    given = read_texts(texts * 10, types="c=numeric")
    assert given.column("c").values.tolist() == learned.column("c").values.tolist()


def test_rows_that_decide_nothing_are_read_in_the_same_unit():
    """A locked row's percentage would be missing, or its plain number counted as a percentage."""
    texts = ["6.1%", "7%", "8.5%", "9%", "3"]
    raw = fetch(io.StringIO("c,x,y\n" + "\n".join(f"{t},{i}.5,{i % 2}" for i, t in enumerate(texts))))
    parted = raw.parted(np.array([0, 1, 2]), {}, "y", ())
    np.testing.assert_array_equal(parted.table.column("c").values, [6.1, 7, 8.5, 9, np.nan])
    assert parted.misfits == {"c": 1}


def _sources(frame, folder):
    frame.to_csv(folder / "t.csv", index=False)
    parquet.write_table(pa.Table.from_pandas(frame), folder / "t.parquet")
    return [folder / "t.csv", folder / "t.parquet", frame]


def test_the_lock_and_the_table_do_not_depend_on_the_source(tmp_path):
    """The same values in CSV, Parquet and a frame would lock other rows, or be other numbers."""
    rng = np.random.default_rng(0)
    minutes = rng.integers(0, 1440, 80)
    frame = pd.DataFrame(
        {
            "share": [f"{v:.1f}%" for v in rng.normal(size=80)],
            "price": [f"${v:,.2f}" for v in rng.uniform(0, 9999, 80)],
            "clock": [dt.time(int(m) // 60, int(m) % 60) for m in minutes],
            "spell": pd.to_timedelta(minutes, unit="min"),
            "when": pd.Timestamp("2021-03-04") + pd.to_timedelta(minutes, unit="min"),
            "y": np.arange(80) % 2,
        }
    )
    sources = _sources(frame, tmp_path)
    locks = [Lock.of(fetch(source), target="y") for source in sources]
    assert len({tuple(lock.rows.tolist()) for lock in locks}) == 1
    assert len({lock.data for lock in locks}) == 1
    tables = [read(source) for source in sources]
    assert len({table.digest() for table in tables}) == 1
    assert {d.name: d.kind for d in tables[0].decisions} == dict.fromkeys(frame.columns, "numeric") | {"when": "date"}


def test_spaces_between_thousands_are_the_number_in_another_source(tmp_path):
    """1 234,5 of one file and 1234.5 of another would be locked as different values."""
    values = np.arange(60) * 137.25 + 900
    written = [f"{v:,.2f}".replace(",", " ").replace(".", ",") for v in values]
    (tmp_path / "t.csv").write_text("c;y\n" + "\n".join(f"{t};{i % 2}" for i, t in enumerate(written)))
    plain = {"c": values, "y": np.arange(60) % 2}
    rows = [Lock.of(fetch(source), target="y").rows.tolist() for source in (tmp_path / "t.csv", plain)]
    assert rows[0] == rows[1]


def test_amounts_take_part_in_the_lock():
    """Percentages that hardly repeat would be taken for names of rows, and rows that differ in them for one case."""
    same = {"share": ["6.1%"] * 60, "x": [1.0] * 60, "y": [0, 1] * 30}
    other = {**same, "share": [f"{i}.5%" for i in range(60)]}
    assert Lock.of(fetch(other), target="y").data != Lock.of(fetch(same), target="y").data
