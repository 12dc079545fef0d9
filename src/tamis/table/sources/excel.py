"""Reading a sheet of an Excel workbook (the `[excel]` extra)."""

import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from tamis.check import nearest
from tamis.errors import TableError, TamisError, TamisWarning, cause
from tamis.table.sources.arrow import from_mapping
from tamis.table.sources.dialect import refuse_duplicates
from tamis.table.sources.file import File
from tamis.table.sources.header import header_given, header_of
from tamis.wording import first_few

#: Cells that a sheet may span, empty ones included: one cell in its last corner makes 17 billion.
MOST_CELLS = 200_000_000

#: Rows in which names are looked for, and other sheets that are named.
_LOOKED_AT, _NAMED = 200, 6


def read_excel(file: File, sheet: str | int | None, header: Any = None) -> tuple[pa.Table, tuple[str, ...]]:
    """The table of a sheet (its name, or its number from 1; without one the first), and what to know of its reading.

    Names are in the first filled row, below a title, or in the rows that `header` names.
    """
    header_rows = header_given(header)
    with _book(file) as book:
        chosen, sheets = _sheet(file, book, sheet), [str(item.title) for item in book.worksheets]
        numbers, filled = _filled_rows(file, chosen)
        title = str(chosen.title)
    if not filled:
        other_sheets = ", ".join(repr(name) for name in sheets if name != title)
        way = f"give sheet=, one of {other_sheets}" if other_sheets else "give another file"
        raise TableError(f"the sheet {title!r} of {file.label} is empty; {way}")
    width = max(_width(row) for row in filled)
    rows = [[*row, *[None] * width][:width] for row in filled]
    if header_rows == ():
        names, end, remark = tuple(f"x{j}" for j in range(width)), 0, ""
    else:
        header_found = header_of(rows[:_LOOKED_AT], numbers, header_rows, label=file.label, unit="row")
        names, end, remark = header_found.names, header_found.end, header_found.remark
    refuse_duplicates(names)
    body = rows[end:]
    empty = [j for j in range(width) if body and not any(_is_filled(row[j]) for row in body)]
    if empty:
        _warn_of_formulas(file, sheet, {names[j]: j for j in empty}, end)
    table = from_mapping({name: [row[j] for row in body] for j, name in enumerate(names)})
    remarks = (_of_sheets(title, sheets) if sheet is None else "", remark)
    return table, tuple(item for item in remarks if item)


def _of_sheets(title: str, sheets: list[str]) -> str:
    """Which of several sheets is read."""
    other_sheets = [repr(name) for name in sheets if name != title]
    if not other_sheets:
        return ""
    listed = first_few(other_sheets, _NAMED)
    return f"Sheet {title!r} is read; the workbook also holds {listed}; give sheet= to read another."


def sheet_names(file: File) -> list[str]:
    """The names of the sheets that hold cells, in their order; charts have none."""
    with _book(file) as book:
        return [str(sheet.title) for sheet in book.worksheets]


@contextmanager
def _book(file: File, *, formulas: bool = False) -> Iterator[Any]:
    """A workbook opened for reading values, or formulas: macros are never run, links never followed."""
    if b"opendocument" in file.head(120):
        raise TableError(f"{file.label} is an OpenDocument sheet (.ods), which is not read; save it as .xlsx or .csv")
    try:
        import openpyxl
    except ImportError as error:
        raise TableError(f"{file.label} is an Excel workbook; install tamis[excel] to read it") from error
    try:
        with file.open() as stream:
            book = openpyxl.load_workbook(_seekable(stream), read_only=True, data_only=not formulas)
            yield book
            book.close()
    except TamisError:
        raise
    except Exception as error:  # a damaged part of a workbook ends in whatever openpyxl meets there
        is_meant = isinstance(error, (zipfile.BadZipFile, zlib.error, SyntaxError, OSError))
        why = f" ({cause(error)})" if is_meant else ""
        raise TableError(f"{file.label} is not a sound Excel workbook{why}; save it again as .xlsx") from error


def _warn_of_formulas(file: File, sheet: str | int | None, empty: dict[str, int], end: int) -> None:
    """Say which empty columns (name -> position) hold formulas that were saved without values."""
    with _book(file, formulas=True) as book:
        rows = _filled_rows(file, _sheet(file, book, sheet))[1]
    computed = [
        repr(name)
        for name, j in empty.items()
        if any(str(row[j]).startswith("=") for row in rows[end:] if j < len(row))
    ]
    if computed:
        warnings.warn(
            f"column(s) {', '.join(computed[:5])}{' …' if len(computed) > 5 else ''} of {file.label} hold formulas "
            "whose values were not saved, so they are empty; save it in a spreadsheet program, and read it again",
            TamisWarning,
            stacklevel=2,
        )


def _filled_rows(file: File, sheet: Any) -> tuple[list[int], list[list[Any]]]:
    """The numbers of the rows that hold anything, and their cells."""
    numbers, filled, n_cells = [], [], 0
    for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
        n_cells += len(row)
        if n_cells > MOST_CELLS:
            raise TableError(f"the sheet of {file.label} spans more than {MOST_CELLS:,} cells; save it as CSV")
        if any(_is_filled(cell) for cell in row):
            numbers.append(number)
            filled.append(list(row))
    return numbers, filled


def _sheet(file: File, book: Any, sheet: str | int | None) -> Any:
    names = book.sheetnames
    if sheet is None:
        return book[names[0]]
    if isinstance(sheet, int) and not isinstance(sheet, bool):
        if not 1 <= sheet <= len(names):
            raise TableError(f"sheet={sheet}, but {file.label} has {len(names)} sheet(s); give 1 to {len(names)}")
        return book[names[sheet - 1]]
    if sheet not in names:
        listed = ", ".join(repr(name) for name in names)
        raise TableError(f"{file.label} has no sheet {sheet!r}{nearest(sheet, names)}; sheets: {listed}")
    return book[sheet]


def _seekable(stream: Any) -> Any:
    import io

    return io.BytesIO(stream.read())


def _is_filled(cell: Any) -> bool:
    return cell is not None and str(cell).strip() != ""


def _width(row: list[Any]) -> int:
    return max((j + 1 for j, cell in enumerate(row) if _is_filled(cell)), default=0)
