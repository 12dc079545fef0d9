"""Tables of the report for a paper: all of them, with the texts of the page, safe in a spreadsheet."""

import csv

import pytest

from tamis.report.export_tables import export_tables
from tamis.report.facts import facts
from tamis.report.table import tables


def test_every_table_of_the_page_is_written(made, tmp_path):
    """A table would be missing from the supplement of a paper, or have other numbers than the page."""
    results, plan = made.study(), made.plan()
    paths = export_tables(results, plan, [], tmp_path / "t", "csv")
    every = tables(facts(results, plan, []))
    assert [path.stem for path in paths] == [table.id for table in every]
    for path, table in zip(paths, every):
        with path.open(encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        assert lines[0] == [head.text for head in table.heads]
        assert len(lines) == len(table.rows) + 1
        assert [line[-1] for line in lines[1:]] == [row[-1].text for row in table.rows]


def test_a_word_document_holds_them_all(made, tmp_path):
    """A document that Word refuses would be noticed at submission."""
    docx = pytest.importorskip("docx")
    results, plan = made.study(), made.plan()
    (path,) = export_tables(results, plan, [], tmp_path, "docx")
    assert len(docx.Document(str(path)).tables) == len(tables(facts(results, plan, [])))
