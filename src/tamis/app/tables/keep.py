"""An uploaded file becomes a table of the app's folder; nothing about it is decided yet."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tamis.app.folder import now, read_about, write_about
from tamis.app.tables import workbook
from tamis.app.tables.format import format_of
from tamis.app.tables.parquet import refuse_bomb
from tamis.errors import TableError

#: What the file is called in its folder, by what it is.
FILES = {"text": "table.csv", "parquet": "table.parquet", "excel": "table.xlsx"}


def keep(folder: Path, received: Path, name: str) -> dict[str, Any]:
    """Look at an upload, give it its place, and write down what it is; a workbook of one sheet is read at once."""
    format = format_of(received, name)
    remarks: list[str] = []
    sheets: list[str] = []
    if format == "excel":
        remarks = workbook.remarks_on(received)
        sheets = workbook.sheets_of(received)
        if not sheets:
            raise TableError(f"{name!r} has no sheet with cells; give another workbook")
    elif format == "parquet":
        refuse_bomb(received)
    size = received.stat().st_size
    os.replace(received, folder / FILES[format])
    about = {"name": name, "made": now(), "format": format, "bytes": size, "remarks": remarks, "revision": 0}
    about |= {"sheets": sheets, "sheet": None, "clean": None, "choices": {}, "header": None}
    if len(sheets) == 1:
        about = read_sheet(folder, about, sheets[0])
    write_about(folder, about)
    return about


def choose_sheet(folder: Path, sheet: str) -> dict[str, Any]:
    """Take another sheet of a workbook; choices about the columns of the one before are dropped."""
    about = read_about(folder)
    if sheet not in about.get("sheets", []):
        raise TableError(f"the workbook has no sheet {sheet!r}; choose one that it has")
    if about["sheet"] != sheet:
        about = read_sheet(folder, about, sheet) | {"choices": {}, "clean": None, "revision": about["revision"] + 1}
        write_about(folder, about)
    return about


def read_sheet(folder: Path, about: dict[str, Any], sheet: str, header: str | None = None) -> dict[str, Any]:
    """Write a sheet as a Parquet file; the facts about the table, this sheet among them."""
    import pyarrow.parquet as pq

    table, remarks = workbook.table_of_sheet(folder / FILES["excel"], sheet, header)
    about = about | {"sheet": sheet, "header": header, "reading": list(remarks)}
    half = folder / "sheet.part"
    pq.write_table(table, half)
    os.replace(half, original_of(folder, about))
    return about


def choose_header(place: Path, header: str | None) -> dict[str, Any]:
    """Take the names from other rows; choices about the columns as they were are dropped."""
    from tamis.table.sources.header import header_given

    about = read_about(place)
    header_given(header)
    if about["format"] == "parquet":
        raise TableError("a Parquet file has its names inside; there is no row to choose")
    if about["format"] == "excel":
        about = read_sheet(place, about, about["sheet"], header)
    about |= {"header": header, "choices": {}, "clean": None, "revision": about["revision"] + 1}
    write_about(place, about)
    return about


def header_of(about: dict[str, Any]) -> str | None:
    """The rows with the names of a text file, where somebody chose them; of a sheet they are read already."""
    return about.get("header") if about["format"] == "text" and not about.get("clean") else None


def file_of(folder: Path, about: dict[str, Any]) -> Path:
    """The file that is read, by the app and by `tamis run`; of a workbook, the Parquet file of the sheet chosen.

    Where cells were made missing it is a copy without them.
    """
    if about.get("clean"):
        return folder / about["clean"]
    return original_of(folder, about)


def original_of(folder: Path, about: dict[str, Any]) -> Path:
    """The file as it was dropped."""
    if about["format"] == "excel":
        return folder / f"sheet-{about['sheets'].index(about['sheet'])}.parquet"
    return folder / FILES[about["format"]]
