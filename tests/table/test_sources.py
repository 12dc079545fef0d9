"""Every source gives the same table, as far as it can carry it."""

import datetime as dt
import gzip
import json
import sqlite3
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as parquet
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy import sparse

from tamis.errors import ParameterError, TableError
from tamis.table import read

_WORDS = st.sampled_from(["red", "green, light", 'say "blue"', "Grün", "été", "line", None])
_NUMBERS = st.integers(-(10**12), 10**12).map(lambda i: i / 1_000) | st.none()  # Excel keeps 15 digits
_DAYS = st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)) | st.none()
_COLUMNS = st.lists(
    st.tuples(_NUMBERS, st.integers(-9999, 9999), _WORDS, _DAYS, st.booleans()), min_size=12, max_size=30
)


def as_columns(rows):
    number, whole, word, day, flag = zip(*rows)
    return {"number": list(number), "whole": list(whole), "word": list(word), "day": list(day), "flag": list(flag)}


def text(columns, delimiter):
    def cell(value):
        if value is None:
            return ""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str):
            return '"' + value.replace('"', '""') + '"'
        return value.isoformat() if isinstance(value, dt.date) else repr(value)

    rows = [delimiter.join(columns), *(delimiter.join(map(cell, row)) for row in zip(*columns.values()))]
    return ("\n".join(rows) + "\n").encode()


def every_source(columns, folder):
    import openpyxl

    (folder / "t.csv").write_bytes(text(columns, ","))
    (folder / "t.tsv.gz").write_bytes(gzip.compress(text(columns, "\t")))
    arrow = pa.table(
        {"number": pa.array(columns["number"], pa.float64()), **{k: columns[k] for k in list(columns)[1:]}}
    )
    parquet.write_table(arrow, folder / "t.parquet", row_group_size=7)
    feather.write_feather(arrow, folder / "t.feather")
    lines = [
        dict(zip(columns, [v.isoformat() if isinstance(v, dt.date) else v for v in row]))
        for row in zip(*columns.values())
    ]
    (folder / "t.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    book = openpyxl.Workbook()
    for row in [list(columns), *zip(*columns.values())]:
        book.active.append(row)
    book.save(folder / "t.xlsx")
    (folder / "t.db").unlink(missing_ok=True)
    with sqlite3.connect(folder / "t.db") as base:
        base.execute("create table t (number real, whole integer, word text, day text, flag text)")
        cells = [
            [str(v).lower() if isinstance(v, (bool, dt.date)) else v for v in row] for row in zip(*columns.values())
        ]
        base.executemany("insert into t values (?, ?, ?, ?, ?)", cells)
    base.close()
    yield from (
        (name, folder / name, {}) for name in ("t.csv", "t.tsv.gz", "t.parquet", "t.feather", "t.jsonl", "t.xlsx")
    )
    yield "SQLite", f"sqlite:///{folder / 't.db'}", {"query": "select * from t"}
    yield "pandas", arrow.to_pandas(), {}
    yield (
        "pandas objects",
        pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()}),
        {},
    )
    yield "polars", pl.from_arrow(arrow), {}
    yield "batches", pa.RecordBatchReader.from_batches(arrow.schema, arrow.to_batches(max_chunksize=5)), {}
    yield "shuffled columns", arrow.select(["word", "flag", "whole", "day", "number"]), {}


@settings(max_examples=12, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(rows=_COLUMNS)
def test_every_source_gives_the_same_table(rows, tmp_path_factory):
    """The answer of a study would depend on the format its table was saved in."""
    columns = as_columns(rows)
    columns["flag"][:2] = [True, False]
    columns["number"][:2] = [0.5, -1.5]
    columns["whole"][:2] = [3, -7]
    columns["word"][:3] = ["red", "red", "line"]
    columns["day"][:2] = [dt.date(2021, 3, 4), dt.date(2021, 3, 5)]
    expected = read(columns)
    assert {c.kind for c in expected.columns} == {"numeric", "categorical", "boolean"}
    for name, source, options in every_source(columns, tmp_path_factory.mktemp("sources")):
        table = read(source, **options)
        assert set(table.names) == set(expected.names), name
        assert table.digest() == expected.digest(), name


def test_arrays_and_sparse_matrices():
    """NumPy or SciPy matrices would be copied, densified, or lose their constant columns silently."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    assert read(X).matrix is X
    X[:, 2] = 7.0
    table = read(X)
    assert table.names == ("x0", "x1", "x3")
    assert table.decisions[2].sentence == "column 'x2' left out: constant, every one of 40 values is 7"
    thin = sparse.random(200, 6, density=0.05, random_state=0, format="lil")
    thin[:, 4] = 0
    thin_table = read(sparse.csr_matrix(thin))
    assert thin_table.is_sparse
    assert thin_table.names == ("x0", "x1", "x2", "x3", "x5")
    assert thin_table.digest() == read(thin.toarray()).digest()
    objects = np.array([[1.5, "a"], [2.5, "b"], [3.5, "a"]], dtype=object)
    assert [c.kind for c in read(objects).columns] == ["numeric", "categorical"]
    structured = np.array([(1.5, "a"), (2.5, "b")], dtype=[("size", "f8"), ("word", "U3")])
    assert read(structured).names == ("size", "word")


def test_matrices_refuse_what_they_cannot_hold():
    """Infinity, an empty matrix or categories asked of a sparse matrix would pass."""
    X = np.ones((30, 2)) * np.arange(30)[:, None] * 0.5
    X[4, 1] = np.inf
    with pytest.raises(TableError, match=r"column 'x1' holds an infinite value .* in row 5"):
        read(X)
    thin = sparse.csc_matrix(([np.inf, 1.0], ([7, 3], [1, 0])), shape=(90, 2))
    with pytest.raises(TableError, match="column 'x1' holds an infinite value in row 8"):
        read(thin)
    with pytest.raises(ParameterError, match="a sparse matrix holds numbers only"):
        read(sparse.eye(20, format="csc"), types="x1=categorical")
    with pytest.raises(TableError, match="at least one row"):
        read(np.empty((0, 3)))
    with pytest.raises(TableError, match="every column was left out"):
        read(np.ones((5, 2)))


def test_types_of_frames_are_trusted_and_their_texts_are_not():
    """A category of numbers would become numbers, or a text column of numbers stay text."""
    frame = pd.DataFrame(
        {
            "ward": pd.Categorical([1, 2, 1, 2]),
            "enum": pd.Categorical(["b", "a", "b", None]),
            "text": ["1.5", "2.5", "NA", "4"],
            "zip": ["01", "02", "01", "02"],
            "mixed": [1, "a", None, 2.0],
            "nullable": pd.array([1, None, 3, 5], dtype="Int64"),
        }
    )
    table = read(frame)
    kinds = {column.name: column.kind for column in table.columns}
    assert kinds == {
        **dict.fromkeys(["ward", "enum", "zip", "mixed"], "categorical"),
        **dict.fromkeys(["text", "nullable"], "numeric"),
    }
    assert table.column("ward").levels == ("1", "2")
    assert table.column("mixed").levels == ("1", "2", "a")
    np.testing.assert_array_equal(table.column("nullable").values, [1, np.nan, 3, 5])
    assert read(pd.DataFrame([[1.5, 2.5], [3.5, 4.5]])).names == ("0", "1")
    twice = pd.DataFrame([[1.5, 2.5]], columns=["a", "a"])
    with pytest.raises(TableError, match="the column name 'a' appears more than once"):
        read(twice)


def test_polars_enums_and_nested_columns():
    """A polars category would be read as text, a column of lists raise."""
    frame = pl.DataFrame(
        {"e": pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a", "c"])), "l": [[1], [2], [3]], "x": [1.5, 2.5, 3]}
    )
    table = read(frame)
    assert table.column("e").levels == ("a", "b")
    assert "neither numbers nor words" in next(d for d in table.decisions if d.name == "l").reason


def test_json_with_mixed_values_and_bad_lines(tmp_path):
    """A value of another type in one line would refuse the file, a broken line would not be named."""
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1, "b": "x"}\n{"a": "two", "b": "y"}\n\n{"b": "x"}\n')
    assert read(path).column("a").levels == ("1", "two")
    path.write_text('{"a": 1}\n{"a": \n')
    with pytest.raises(TableError, match=r"line 2 of .* is not JSON"):
        read(path)
    path.write_text('{"a": 1}\n[2]\n')
    with pytest.raises(TableError, match=r"line 2 of .* is not a JSON object"):
        read(path)
    path.write_text('[{"a": 1.5}, {"a": 2.5}]')
    assert read(path).column("a").values.tolist() == [1.5, 2.5]


def test_excel_sheets(tmp_path):
    """The wrong sheet would be read, or an absent one raise a KeyError."""
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "first"
    for row in ([None, None], ["a", "b"], [1, "x"], [2.5, "#N/A"], [None, None], [4, "y"]):
        book.active.append(row)
    book.create_sheet("second").append(["c"])
    path = tmp_path / "t.xlsx"
    book.save(path)
    table = read(path)
    assert table.column("a").values.tolist() == [1.0, 2.5, 4.0]
    assert table.column("b").missing.tolist() == [False, True, False]
    assert read(path, sheet="first").digest() == read(path, sheet=1).digest() == table.digest()
    with pytest.raises(TableError, match=r"has no sheet 'secnd' \(did you mean 'second'\?\)"):
        read(path, sheet="secnd")
    with pytest.raises(TableError, match=r"sheet=3, but .* has 2 sheet"):
        read(path, sheet=3)
    with pytest.raises(TableError, match="has names but no rows"):
        read(path, sheet=2)


def test_databases(tmp_path):
    """A slip in the query or the address would end in a traceback, or make an empty database."""
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as base:
        base.execute("create table patients (a real, b text)")
        base.executemany("insert into patients values (?, ?)", [(1.5, "x"), (2.5, "y"), (None, "x")])
    base.close()
    url = f"sqlite:///{path}"
    assert read(url, query="patients").digest() == read(url, query="select b, a from patients").digest()
    with pytest.raises(TableError, match=r"give query= .*tables: patients"):
        read(url)
    with pytest.raises(TableError, match=r"has no table 'patient' \(did you mean 'patients'\?\)"):
        read(url, query="patient")
    with pytest.raises(TableError, match=r"query='select absent from patients' .* failed: no such column"):
        read(url, query="select absent from patients")
    with pytest.raises(TableError, match="is no SELECT"):
        read(url, query="update patients set a = 0 where a > 9")
    with pytest.raises(TableError, match="has names but no rows"):
        read(url, query="select * from patients where a > 9")
    with pytest.raises(TableError, match="there is no database file"):
        read(f"sqlite:///{tmp_path / 'absent.db'}", query="patients")
    assert not (tmp_path / "absent.db").exists()
    with pytest.raises(TableError, match="cannot be used"):
        read("nosuchbase://somewhere", query="select 1")
    with pytest.raises(TableError, match="does not fetch"):
        read("https://example.org/t.csv")
    with pytest.raises(ParameterError, match="query= is for a database"):
        read(tmp_path / "t.csv", query="select 1")


def test_passwords_are_not_shown():
    """An error would print the user's password."""
    with pytest.raises(TableError) as caught:
        read("nosuchbase://me:secret@host/base", query="select 1")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("module", "extra"), [("openpyxl", "excel"), ("sqlalchemy", "sql")])
def test_absent_extras_are_named(tmp_path, monkeypatch, module, extra):
    """An ImportError would not tell what to install."""
    import openpyxl

    openpyxl.Workbook().save(tmp_path / "t.xlsx")
    monkeypatch.setitem(sys.modules, module, None)
    source = tmp_path / "t.xlsx" if extra == "excel" else "sqlite:///t.db"
    with pytest.raises(TableError, match=rf"install tamis\[{extra}\]"):
        read(source, query=None if extra == "excel" else "t")
