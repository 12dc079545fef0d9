"""Every table of a report as CSV files or as one Word document."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tamis.check import one_of
from tamis.errors import StudyError
from tamis.report.facts import facts as facts_of
from tamis.report.table import Cell, ReportTable, tables
from tamis.saved import naming, write_whole

#: What tables are written as.
KINDS = ("csv", "docx")

#: Letters that make a spreadsheet compute what follows.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def export_tables(
    results: dict[str, Any], plan: dict[str, Any], looks: Sequence[dict[str, Any]], folder: Path, kind: str
) -> list[Path]:
    """Write the tables; the paths of the files.

    Parameters
    ----------
    kind : "csv" (a file per table, named by it) or "docx" (tables.docx with all of them).
    """
    one_of("to", kind, KINDS)
    every = tables(facts_of(results, plan, looks))
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if kind == "docx":
        return [_word(every, folder / "tables.docx")]
    return [_csv(table, folder / f"{table.id}.csv") for table in every]


def _csv(table: ReportTable, path: Path) -> Path:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([head.text for head in table.heads])
    writer.writerows([[_safe(cell) for cell in row] for row in table.rows])
    write_whole(path, stream.getvalue())
    return path


def _safe(cell: Cell) -> str:
    """The text of a cell; a name that a spreadsheet would compute has an apostrophe in front."""
    return f"'{cell.text}" if cell.name and cell.text.startswith(_FORMULA) else cell.text


def _word(every: Sequence[ReportTable], path: Path) -> Path:
    document = new_document()
    for table in every:
        document.add_heading(printable(table.caption), level=2)
        grid = document.add_table(rows=1, cols=len(table.heads), style="Table Grid")
        for cell, head in zip(grid.rows[0].cells, table.heads):
            cell.text = printable(head.text)
        for row in table.rows:
            for cell, value in zip(grid.add_row().cells, row):
                cell.text = printable(value.text)
    with naming(path):
        document.save(str(path))
    return path


def new_document() -> Any:
    """An empty Word document."""
    try:
        import docx
    except ImportError as error:
        raise StudyError("a Word document needs python-docx, which is not installed; install tamis[word]") from error
    return docx.Document()


def printable(text: str) -> str:
    """Without control characters, which XML cannot hold.

    >>> printable("a\\x00b")
    'a b'
    """
    return "".join(letter if letter.isprintable() or letter in "\n\t" else " " for letter in text)
