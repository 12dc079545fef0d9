"""A file (or bytes in memory) before anyone knows what is in it: opening, unpacking, looking at its first bytes."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from tamis.errors import TableError, cause

_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_FORMATS = {
    b"PAR1": "parquet",
    b"ARROW1": "feather",
    b"FEA1": "old feather",
    b"PK\x03\x04": "excel",
    b"\xd0\xcf\x11\xe0": "old excel",
    b"SQLite format 3": "sqlite",
}


class File:
    """A named place to read bytes from, unpacked on the way when it is gzip, bzip2 or zstandard."""

    def __init__(self, source: Any) -> None:
        self.data: pa.Buffer | None = None
        self.path: Path | None = None
        if hasattr(source, "read"):
            content = source.read()
            self.data = arrow_buffer(content.encode() if isinstance(content, str) else content)
            self.label = f"the data of {getattr(source, 'name', type(source).__name__)!r}"
            self.suffix = ""
        else:
            self.path = Path(source)
            self.label = f"the file {str(self.path)!r}"
            self.suffix = "".join(self.path.suffixes[-2:]).lower()
            _refuse_unreadable(self.path)
            if not self.path.is_file():  # a pipe is read once, and cannot be gone back in
                self.data = arrow_buffer(self.path.read_bytes())
        start = self._raw().read(16)
        self.format = next((name for magic, name in _FORMATS.items() if start.startswith(magic)), "text")
        self.packing = next((name for magic, name in _PACKED.items() if start.startswith(magic)), None)
        if not start:
            raise TableError(f"{self.label} is empty; give a file with a header and rows")

    def open(self) -> Any:
        """A stream of its (unpacked) bytes from the start."""
        raw = self._raw()
        return pa.CompressedInputStream(raw, self.packing) if self.packing else raw

    def head(self, n_bytes: int) -> bytes:
        """Up to that many bytes from the start."""
        with self.open() as stream:
            return self.guard(lambda: stream.read(n_bytes))

    @property
    def size(self) -> int | None:
        """The number of bytes, when that is known without unpacking."""
        if self.packing:
            return None
        return self.data.size if self.data is not None else self.path.stat().st_size if self.path else None

    def guard(self, read: Any) -> Any:
        """What `read` gives; the failures of disks and of packed files in our words."""
        try:
            return read()
        except OSError as error:
            what = f"is not sound {self.packing} data" if self.packing else "cannot be read"
            raise TableError(f"{self.label} {what} ({cause(error)}); make or fetch it again") from error

    def _raw(self) -> Any:
        return pa.BufferReader(self.data) if self.data is not None else pa.OSFile(str(self.path), "rb")


def arrow_buffer(content: bytes) -> pa.Buffer:
    """The bytes in memory of Arrow's own.

    A reader's thread may drop the last hold on its buffer while the interpreter ends. Bytes of Python's need the
    interpreter for that, and the process was aborted.
    """
    stream = pa.BufferOutputStream()
    stream.write(content)
    return stream.getvalue()


def _refuse_unreadable(path: Path) -> None:
    if path.is_dir():
        raise TableError(f"{str(path)!r} is a folder; give the path of a file in it")
    if str(path) == "-":
        raise TableError("there is no file '-'; give /dev/stdin to read what is piped in")
    if not path.exists():
        raise TableError(f"there is no file {str(path)!r}{_similar(path)}; check the path")
    if not path.is_file():  # to open and close a pipe would end its writer
        return
    try:
        path.open("rb").close()
    except OSError as error:
        raise TableError(f"the file {str(path)!r} cannot be opened: {error.strerror or error}") from error


def _similar(path: Path) -> str:
    from tamis.check import nearest

    if not path.parent.is_dir():
        return f" (nor a folder {str(path.parent)!r})"
    return nearest(path.name, [neighbour.name for neighbour in path.parent.iterdir()])
