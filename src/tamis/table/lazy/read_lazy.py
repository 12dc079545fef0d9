"""From any source of many rows to a lazy table."""

import shutil
import tempfile
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tamis.errors import TableError
from tamis.table.inference.kinds import Rules
from tamis.table.lazy.files import files_of, footers_of, is_file, is_several
from tamis.table.lazy.formats import format_of
from tamis.table.lazy.grid_source import GridSource
from tamis.table.lazy.written import dataset_batches, is_cluster_frame, write_batches, write_frame
from tamis.table.sources.csv import text_batches
from tamis.table.sources.file import File
from tamis.table.sources.images import is_image_folder
from tamis.table.sources.sql import sql_batches


def is_lazy_source(source: Any) -> bool:
    """Whether a source is read part by part: several files, a pyarrow dataset, a Dask or Spark DataFrame."""
    return (is_several(source) and not is_image_folder(source)) or _is_dataset(source) or is_cluster_frame(source)


def grid_source(
    source: Any,
    rules: Rules,
    *,
    folder: Path | None = None,
    cell: int | None = None,
    query: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> GridSource:
    """The files of a source; what cannot be read from any row on is written to Parquet in `folder` first.

    Without a folder it goes to a temporary one, which is cleared away with the table.
    """
    if _is_dataset(source) and (plain := _plain_files(source)):
        return GridSource.of(footers_of(plain), "the dataset", cell=cell)
    if is_several(source) or is_file(source):
        files = [Path(source)] if is_file(source) else files_of(source)
        _refuse_empty(files)
        formats = {format_of(path) for path in files}
        label = f"the files {str(source)!r}"
        if None not in formats:
            return GridSource.of(footers_of(files), label, cell=cell)
        if len(formats) > 1:
            unreadable = next(path for path in files if format_of(path) is None)
            raise TableError(
                f"{str(unreadable)!r} is no Parquet or Arrow file, as others of {str(source)!r} are; part them"
            )
        room, temporary = _folder(folder)
        written = [
            write_batches(_texts(path, rules, options or {}), room / f"{k:08d}.parquet", f"the file {str(path)!r}")
            for k, path in enumerate(files)
        ]
        return GridSource.of(footers_of(written, files), label, cell=cell, temporary=temporary)
    room, temporary = _folder(folder)
    if is_cluster_frame(source):
        written = write_frame(source, room)
        if not written:
            raise TableError("the frame has no partition; give one with rows")
        return GridSource.of(footers_of(written), "the frame", cell=cell, temporary=temporary)
    batches: Iterator[Any] = dataset_batches(source) if _is_dataset(source) else sql_batches(source, query)
    label = "the dataset" if _is_dataset(source) else "the query's answer"
    return GridSource.of(
        footers_of([write_batches(batches, room / "rows.parquet", label)]), label, cell=cell, temporary=temporary
    )


def _texts(path: Path, rules: Rules, options: Mapping[str, Any]) -> Iterator[Any]:
    file = File(path)
    if file.format != "text":
        raise TableError(f"{file.label} is {file.format}, which is not read part by part; give it by itself")
    return text_batches(file, rules.tokens, **options)


def _refuse_empty(files: Sequence[Path]) -> None:
    for path in files:
        if not path.stat().st_size:
            raise TableError(f"the file {str(path)!r} is empty; make or fetch it again")


def _is_dataset(source: Any) -> bool:
    return type(source).__module__.startswith("pyarrow") and hasattr(source, "get_fragments")


def _plain_files(dataset: Any) -> list[Path]:
    """The files of a dataset that is nothing but local Parquet or Arrow files in their order; none of another."""
    names = getattr(dataset, "files", None)
    if not names or not all(Path(name).is_file() for name in names):
        return []
    paths = [Path(name) for name in names]
    inside = {field.name for field in dataset.schema}
    if any(format_of(path) is None for path in paths) or set(footers_of(paths)[0].schema.names) != inside:
        return []
    return paths


def _folder(folder: Path | None) -> tuple[Path, Any]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        return folder, None
    temporary = _Temporary()
    return temporary.path, temporary


class _Temporary:
    """A folder that is cleared away with the last table that reads it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="tamis-"))
        weakref.finalize(self, shutil.rmtree, self.path, True)
