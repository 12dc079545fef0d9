"""Names below a title, in two rows, or where the user says; in text files and in workbooks."""

from __future__ import annotations

import io

import pytest

from tamis import read
from tamis.errors import ParameterError, TableError
from tamis.table import fetch

ROWS = [[41.5, "m", 120, "yes"], [52.0, "f", 131, "no"], [63.5, "f", 142, "no"], [47.25, "m", 118, "yes"]]
NAMES = ["age", "sex", "pressure", "disease"]


def as_text(rows, delimiter=";"):
    """Rows as a text file with decimal commas, as a European spreadsheet saves it."""
    lines = [delimiter.join("" if c is None else str(c).replace(".", ",") for c in row) for row in rows]
    return io.StringIO("\n".join(lines) + "\n")


def as_book(rows, tmp_path, **sheets):
    """Rows as a workbook, other sheets behind them."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Patients"
    for row in rows:
        book.active.append(row)
    for name, cells in sheets.items():
        for row in cells:
            (book[name] if name in book.sheetnames else book.create_sheet(name)).append(row)
    book.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


TITLED = [["Heart study, export of 3 March 2021", None, None, None], [None] * 4, NAMES, *ROWS]
MERGED = [["Patient", None, "Heart", None], NAMES, *ROWS]
UNITS = [NAMES, ["(years)", None, "mmHg", None], *ROWS]


@pytest.mark.parametrize("source", ["text", "book"])
def test_title_rows_are_passed_over_and_said(source, tmp_path):
    """A class would be called "disease", and columns "column 3"."""
    given = as_text(TITLED) if source == "text" else as_book(TITLED, tmp_path)
    raw = fetch(given)
    assert raw.names == tuple(NAMES)
    assert raw.n_rows == 4
    assert "3" in raw.remarks[0]
    assert "Heart study" in raw.remarks[0]
    assert raw.table({}, None).column("age").kind == "numeric"


def test_a_ragged_title_does_not_hide_the_delimiter():
    """A title without delimiters, or with others, would make the whole file one column."""
    text = "Heart study, Berlin, 2021\nmade by R\n\nage;sex;pressure\n1,5;m;2,5\n2,5;f;3,5\n3,5;f;4,5\n4,5;m;1,5\n"
    raw = fetch(io.StringIO(text))
    assert raw.names == ("age", "sex", "pressure")
    assert raw.n_rows == 4


@pytest.mark.parametrize("source", ["text", "book"])
def test_merged_headings_are_joined_with_the_names_below(source, tmp_path):
    """The names would be values, and every column one of words."""
    raw = fetch(as_text(MERGED) if source == "text" else as_book(MERGED, tmp_path))
    assert raw.names == ("Patient age", "Patient sex", "Heart pressure", "Heart disease")
    assert "joined" in raw.remarks[-1]


def test_units_below_the_names_are_joined():
    """One row of units would make every number a word."""
    raw = fetch(as_text(UNITS))
    assert raw.names == ("age (years)", "sex", "pressure mmHg", "disease")
    assert raw.n_rows == 4


@pytest.mark.parametrize("source", ["text", "book"])
def test_the_user_names_the_rows(source, tmp_path):
    """What detection does not find could not be said."""
    rows = [["a", "b", "c", "d"], NAMES, ["v1", "v2", "v3", "v4"], *ROWS]
    make = lambda: as_text(rows) if source == "text" else as_book(rows, tmp_path)  # noqa: E731
    assert fetch(make(), header=2).names == tuple(NAMES)
    assert fetch(make(), header="2,3").names == ("age v1", "sex v2", "pressure v3", "disease v4")
    assert fetch(make(), header=(2, 3)).n_rows == 4
    assert not fetch(make(), header=3).remarks
    assert fetch(make(), header=False).n_rows == 7


def test_plain_tables_are_read_as_they_were():
    """A row of words, of few values or of units' look would be taken for names."""
    words = "colour,kind\nred,a\nblue,b\ngreen,a\nred,c\nred,a\n"
    holes = "a,b,c\n,,\n1,,\n2,3,4\n3,4,5\n4,5,6\n"
    missing = "a,b,c\nNA,NA,x\n1,2,y\n2,3,x\n3,4,y\n5,6,x\n"
    index = ",a,b\n0,1,2\n1,2,3\n2,3,5\n3,4,5\n"
    for text, names in ((words, ("colour", "kind")), (holes, ("a", "b", "c")), (missing, ("a", "b", "c"))):
        raw = fetch(io.StringIO(text))
        assert raw.names == names
        assert not raw.remarks
        assert raw.n_rows == 5
    assert fetch(io.StringIO(index)).names == ("column 1", "a", "b")


def test_line_breaks_in_names_are_spaces(tmp_path):
    """A name in two lines would break every list it stands in."""
    assert fetch(io.StringIO('"blood\npressure";b\n1,5;2\n2,5;3\n')).names == ("blood pressure", "b")
    assert fetch(as_book([["blood\npressure", "b"], [1, 2], [2, 3]], tmp_path)).names == ("blood pressure", "b")


def test_the_sheet_that_is_read_is_said(tmp_path):
    """The first of several sheets would be read in silence."""
    path = as_book([NAMES, *ROWS], tmp_path, Codes=[["code", "text"], [1, "a"]], Log=[["x"], [1]])
    assert "Sheet 'Patients' is read; the workbook also holds 'Codes', 'Log'" in fetch(path).remarks[0]
    assert fetch(path, sheet="Codes").names == ("code", "text")
    assert not fetch(path, sheet="Codes").remarks
    book = as_book([NAMES, *ROWS], tmp_path, Empty=[[None]])
    with pytest.raises(TableError, match=r"the sheet 'Empty' of .* is empty; give sheet=, one of 'Patients'"):
        fetch(book, sheet="Empty")


@pytest.mark.parametrize("header", ["x", -1, "3,2", 1.5])
def test_a_wrong_header_is_named(header):
    """A header that cannot be one would be ignored."""
    with pytest.raises(ParameterError, match=r"must be the number of the row with the names"):
        read(as_text(TITLED), header=header)
    with pytest.raises(TableError, match=r"line 99 of .* holds no names"):
        read(as_text(TITLED), header=99)
