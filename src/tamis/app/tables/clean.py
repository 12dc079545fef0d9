"""Cells that do not fit the kind of their column, made missing in a copy; the upload itself is never changed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tamis.app.tables.keep import original_of


def write_clean(folder: Path, about: dict[str, Any], choices: dict[str, Any]) -> str | None:
    """Write a copy of a table without the cells that do not fit; its name, or None where all cells are kept."""
    from tamis.table import fetch
    from tamis.table.glance import without_misfits
    from tamis.table.types import types_of

    columns = {name: type for name, type in choices.get("types", {}).items() if name in choices.get("blank", [])}
    if not columns:
        return None
    header = about.get("header") if about["format"] == "text" else None
    raw = fetch(original_of(folder, about), header=header)
    table, delimiter = without_misfits(raw, types_of(columns))  # type: ignore[arg-type]
    return write_table(table, delimiter, folder / f"clean-{about['revision'] + 1}").name


def write_table(table: Any, delimiter: str | None, path: Path) -> Path:
    """An Arrow table as a text file with a delimiter, or, without one, as a Parquet file; the path with its ending."""
    import pyarrow.csv as csv
    import pyarrow.parquet as pq

    half, final = path.with_suffix(".part"), path.with_suffix(".parquet" if delimiter is None else ".csv")
    if delimiter is None:
        pq.write_table(table, half)
    else:
        csv.write_csv(table, half, csv.WriteOptions(delimiter=delimiter))
    os.replace(half, final)
    return final
