"""Workbooks: what they hold besides cells is said, and one sheet becomes the table."""

from __future__ import annotations

import json
import zipfile

import pytest

from tamis.app.folder import AppFolder
from tamis.app.tables.keep import choose_sheet, file_of, keep
from tamis.app.tables.workbook import remarks_on
from tamis.errors import TableError
from tamis.table import read

openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture
def book(tmp_path):
    made = openpyxl.Workbook()
    made.active.append(["a", "b"])
    other = made.create_sheet("second")
    other.append(["size", "when", "kind"])
    for k in range(30):
        other.append([k * 1.5, f"2024-01-{k % 28 + 1:02d}", "xyz"[k % 3] if k % 7 else None])
    made.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


def test_macros_and_links_are_said_and_left_alone(book, tmp_path):
    """Somebody would think that what macros or other files compute was computed."""
    assert remarks_on(book) == []
    with zipfile.ZipFile(book, "a") as parts:
        parts.writestr("xl/vbaProject.bin", b"Sub AutoOpen()")
        parts.writestr("xl/externalLinks/externalLink1.xml", b"<externalLink/>")
    found = remarks_on(book)
    assert len(found) == 2
    assert "macros. They were not run" in found[0]
    assert "They were not opened" in found[1]


def test_the_sheet_that_was_chosen_is_the_table(book, tmp_path):
    """`tamis run` would read the first sheet, or read a cell as something else than the workbook's reader does."""
    folder = AppFolder(tmp_path / "app")
    place = folder.new("tables", {})
    book.rename(place / "upload.part")
    about = keep(place, place / "upload.part", "book.xlsx")
    assert (about["sheets"], about["sheet"]) == (["Sheet", "second"], None)
    with pytest.raises(TableError, match="no sheet 'third'"):
        choose_sheet(place, "third")
    about = choose_sheet(place, "second")
    assert json.loads((place / "about.json").read_text())["sheet"] == "second"
    found, known = read(file_of(place, about)), read(place / "table.xlsx", sheet="second")
    assert found.digest() == known.digest()
    assert [d.kind for d in found.decisions] == [d.kind for d in known.decisions]


def test_a_damaged_workbook_is_refused_in_one_sentence(tmp_path):
    """The reader's own errors would reach the page."""
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as parts:
        parts.writestr("xl/workbook.xml", b"<not closed")
    place = AppFolder(tmp_path / "app").new("tables", {})
    with pytest.raises(TableError, match="sound Excel workbook"):
        keep(place, tmp_path / "x.xlsx", "x.xlsx")


LAUGHS = b'<!DOCTYPE x [<!ENTITY a "ha">]><x>&a;</x>'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("xl/sheet.xml", b"<!--" + b" " * 100_000 + b"-->" + LAUGHS),
        ("xl/sheet.xml", b'<?xml version="1.0"?>' + b"<!-- a -->" * 20_000 + LAUGHS),
        ("xl/worksheets/sheet1.dat", LAUGHS),
        ("xl/sheet", b"\xef\xbb\xbf \n" + LAUGHS),
        ("xl/sheet.bin", LAUGHS.decode().encode("utf-16")),
    ],
)
def test_entities_are_refused_wherever_they_hide(book, name, content):
    """Behind a long comment, or in a part that is not called .xml, they reached the reader."""
    with zipfile.ZipFile(book, "a") as parts:
        parts.writestr(name, content)
    with pytest.raises(TableError, match="it is refused"):
        remarks_on(book)


def test_parts_that_are_no_xml_and_short_comments_are_taken(book):
    """A picture, or a remark of the program that wrote the workbook, is no danger."""
    with zipfile.ZipFile(book, "a") as parts:
        parts.writestr("xl/media/image1.png", b"\x89PNG" + bytes(range(256)) * 10)
        parts.writestr("docProps/extra.xml", b'<?xml version="1.0"?><!-- made by hand -->\n<extra/>')
    assert remarks_on(book) == []
