"""A dropped table becomes predictions: the first rows for the page, all of them as CSV."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

from tamis.app.tables import workbook
from tamis.app.tables.format import format_of
from tamis.app.tables.parquet import refuse_bomb

#: Rows that the page shows.
MOST_SHOWN = 20

_SUFFIX = {"text": ".csv", "parquet": ".parquet", "excel": ".xlsx"}


def predict_file(
    study: Path, file: Path, name: str, sheet: str | None = None, id: str | None = None
) -> tuple[str, dict[str, Any]]:
    """Predictions of a file's rows as CSV text, and what the page shows of them.

    Parameters
    ----------
    sheet : of a workbook; the first where none is named.
    id : a column to keep beside the predictions.
    """
    from tamis.study import load
    from tamis.table import fetch

    loaded = load(study)
    source, sheets, remarks = _source(file, name, sheet)
    raw = fetch(source, types=loaded.model_.types)
    names = list(raw.names)
    source = _fitting(raw, source, loaded.model_.types, remarks)
    text = loaded.predictions_csv(source, id=id if id in names else None)
    rows = list(csv.reader(io.StringIO(text)))
    notes = [note for note in (*remarks, loaded.note_, *loaded.remarks_) if note]
    facts = {**_preview(rows), "notes": notes, "names": names[:500], "sheets": sheets}
    return text, {**facts, "has_target": loaded.settings.target in names}


def validate_file(study: Path, file: Path, name: str, sheet: str | None = None) -> dict[str, Any]:
    """What a file's rows, whose target is known, say of the model: sentences, and remarks on the file."""
    from tamis.study import load
    from tamis.table import fetch

    loaded = load(study)
    source, _, remarks = _source(file, name, sheet)
    types = loaded.model_.types
    fitting = _fitting(fetch(source, types=types), source, types, remarks)
    return {"words": loaded.validate(fetch(fitting, types=types))["words"], "notes": remarks}


def _source(file: Path, name: str, sheet: str | None) -> tuple[Path, list[str], list[str]]:
    """The file under a name that says what it is; of a workbook, one sheet as a Parquet file."""
    import pyarrow.parquet as pq

    format = format_of(file, name)
    renamed = file.with_name("new" + _SUFFIX[format])
    file.rename(renamed)
    if format == "parquet":
        refuse_bomb(renamed)
    if format != "excel":
        return renamed, [], []
    remarks, sheets = workbook.remarks_on(renamed), workbook.sheets_of(renamed)
    chosen = sheet if sheet in sheets else sheets[0]
    written = renamed.with_suffix(".parquet")
    pq.write_table(workbook.table_of_sheet(renamed, chosen), written)
    if len(sheets) > 1:
        remarks.append(f"The sheet {chosen!r} was read.")
    return written, sheets if len(sheets) > 1 else [], remarks


def _fitting(raw: Any, source: Path, declared: dict[str, Any], remarks: list[str]) -> Path:
    """The table, without the cells that do not fit what their columns were when the model learned; that is said."""
    from tamis.app.tables.clean import write_table
    from tamis.table.glance import misfits, without_misfits
    from tamis.table.types import types_of

    types = {name: type for name, type in types_of(declared).items() if name in raw.names}
    counts = {name: len(misfits(raw, name, type)) for name, type in types.items()}
    misfit_types = {name: types[name] for name, count in counts.items() if count}
    if not misfit_types:
        return source
    for name in misfit_types:
        cells = "1 cell does" if counts[name] == 1 else f"{counts[name]:,} cells do"
        remarks.append(f"Column {name!r}: {cells} not fit its kind; read as missing.")
    return write_table(*without_misfits(raw, misfit_types), source.with_name("fitting"))


def _preview(rows: list[list[str]]) -> dict[str, Any]:
    head, body = rows[0], rows[1:]
    flags = [index for index, name in enumerate(head) if name in ("note", "unlike")][-2:]
    flagged = sum(1 for row in body if any(row[index] for index in flags))
    return {
        "head": head,
        "rows": [[_cell(cell, name) for cell, name in zip(row, head)] for row in body[:MOST_SHOWN]],
        "count": len(body),
        "flagged": flagged,
    }


def _cell(text: str, name: str) -> str:
    """A number with as many digits as people read; other texts as they are.

    >>> _cell("3.2e-9", "p(yes)"), _cell("12.34567", "low"), _cell("7", "row")
    ('<0.001', '12.35', '7')
    """
    try:
        value = float(text)
    except ValueError:
        return text
    if name.startswith("p("):
        return "<0.001" if value < 0.001 else ">0.999" if value > 0.999 else f"{value:.3f}"
    return text if value.is_integer() and "." not in text else f"{value:.4g}"
