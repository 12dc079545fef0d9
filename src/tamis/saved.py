"""Saving and reading: files are written whole or not at all, and what comes back is looked at before it is used.

A file may be damaged or made up. A reader of saved values takes them through these functions, and `reading` says in
one sentence what is damaged. What a damaged value can raise is the closed list `DAMAGES`; any other exception is an
error of this package and passes as it is.
"""

import errno
import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from tamis.errors import DamagedError, KindError, TamisError, UnwritableError, shortened

#: What is raised on purpose where a value is not what it should be.
REFUSALS = (TamisError, KindError)

#: What Python and NumPy raise where a value is missing, of another type or size, nested too deeply, or cut off.
DAMAGES = (
    *REFUSALS,
    *(LookupError, TypeError, ValueError, OverflowError, RecursionError, MemoryError, EOFError),
    *(struct.error, zlib.error),
)


@contextmanager
def reading(
    what: str, way_out: str, error: type[TamisError] = DamagedError, *, is_whole: bool = False
) -> Iterator[None]:
    """Turn damage into one sentence: what is damaged, how where that is known, and the way out.

    Parameters
    ----------
    what : what is read.
    way_out : what to do when it is damaged.
    error : the class of the exception.
    is_whole : whether a checksum shows that the values are as they were written. Then only what is raised on purpose
        (`REFUSALS`) counts as damage; otherwise all of `DAMAGES` does.

    >>> with reading("model.json", "fit it again"):
    ...     {}["name"]
    Traceback (most recent call last):
    tamis.errors.DamagedError: model.json is damaged; fit it again
    >>> with reading("model.json", "fit it again", is_whole=True):
    ...     {}["name"]
    Traceback (most recent call last):
    KeyError: 'name'
    """
    damages = REFUSALS if is_whole else DAMAGES
    try:
        yield
    except damages as cause:
        message = f"{what} is damaged{_how(cause)}"
        raised = error(f"{message}; {way_out}")
        if isinstance(raised, DamagedError):
            raised.without_way_out = message
        raise raised from cause


def _how(error: Exception) -> str:
    """What is wrong, where the error was meant for people."""
    if isinstance(error, DamagedError) and error.without_way_out:
        return f": {error.without_way_out}"
    return f": {shortened(str(error))}" if isinstance(error, (TamisError, KindError)) else ""


def mapping(name: str, value: object) -> dict[str, Any]:
    """A dict whose keys are texts."""
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise DamagedError(f"{name} is no table of names and values")
    return value


def read_entry(values: Mapping[str, Any], name: str) -> Any:
    """A value that must be there."""
    if name not in values:
        raise DamagedError(f"it has no {name!r}")
    return values[name]


def text(name: str, value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise DamagedError(f"{name} is no text")
    return value


def texts(name: str, value: object) -> tuple[str, ...]:
    """Different texts."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise DamagedError(f"{name} is no list of texts")
    if len(set(value)) < len(value):
        raise DamagedError(f"{name} holds a name twice")
    return tuple(value)


def read_integer(name: str, value: object, low: int = 0, high: int = 2**62) -> int:
    """A whole number within [low, high].

    >>> read_integer("n", 3, high=5)
    3
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise DamagedError(f"{name} is no whole number between {low} and {high}")
    return value


def levels(name: str, value: object) -> tuple[Any, ...]:
    """Different texts, numbers or truth values."""
    if not isinstance(value, list) or not all(isinstance(item, (str, bool, int, float)) for item in value):
        raise DamagedError(f"{name} is no list of levels")
    if len({(type(item), item) for item in value}) < len(value):
        raise DamagedError(f"{name} holds a level twice")
    return tuple(value)


def numbers(name: str, value: object, dtype: Any = np.float64, shape: tuple[int | None, ...] = (None,)) -> np.ndarray:
    """Finite numbers of a shape (None: any length) that the dtype holds exactly.

    >>> numbers("roots", [0, 5], np.int64)
    array([0, 5])
    """
    target_dtype = np.dtype(dtype)
    array = np.array(value)
    if array.size == 0:
        array = np.zeros([n or 0 for n in shape], dtype=target_dtype)
    elif array.dtype.kind not in ("iuf" if target_dtype.kind == "f" else "iu"):
        raise DamagedError(
            f"{name} holds something that is no {'number' if target_dtype.kind == 'f' else 'whole number'}"
        )
    refuse_shape(name, array, shape)
    if target_dtype.kind == "f":
        out = array.astype(target_dtype)
        if not np.isfinite(out).all():
            raise DamagedError(f"{name} holds a value that is not finite")
        return out
    info = np.iinfo(target_dtype)
    refuse_outside(name, array, int(info.min), int(info.max))
    return array.astype(target_dtype)


def refuse_shape(name: str, array: np.ndarray, shape: tuple[int | None, ...]) -> None:
    """Raise unless an array has a shape; None stands for any length."""
    if array.ndim != len(shape) or any(want not in (None, have) for want, have in zip(shape, array.shape)):
        words = " × ".join("any" if n is None else f"{n:,}" for n in shape)
        raise DamagedError(f"{name} has {' × '.join(map(str, array.shape)) or 'one'} value(s) instead of {words}")


def refuse_outside(name: str, array: np.ndarray, low: int, high: int) -> None:
    """Raise unless all whole numbers lie within [low, high]."""
    if array.size and (int(array.min()) < low or int(array.max()) > high):
        bad = int(array.min()) if int(array.min()) < low else int(array.max())
        raise DamagedError(f"{name} holds {bad}, which is not between {low} and {high}")


def refuse_ranges(name: str, first: np.ndarray, count: np.ndarray, length: int) -> None:
    """Raise unless first … first + count - 1 lie within a list of some length, wherever count is not 0."""
    refuse_outside(f"the length of {name}", count, 0, length)
    used = count > 0
    refuse_outside(f"the beginning of {name}", first[used], 0, length)
    refuse_outside(f"the end of {name}", first[used].astype(np.int64) + count[used], 0, length)


def refuse_tangled(name: str, left: np.ndarray, root: np.ndarray, size: np.ndarray) -> None:
    """Raise unless nodes form trees: both children of a split come after it, in its tree, and every node but a root is
    the child of one split.

    Parameters
    ----------
    left : left child of each node, counted from its root; below 0 at a leaf. The right child follows it.
    root, size : of each node, where its tree begins and how many nodes it has.
    """
    index = np.arange(len(left), dtype=np.int64)
    split = left >= 0
    child = left[split].astype(np.int64) + root[split]
    if np.any(child <= index[split]) or np.any(left[split].astype(np.int64) + 1 >= size[split]):
        bad = int(index[split][(child <= index[split]) | (left[split].astype(np.int64) + 1 >= size[split])][0])
        raise DamagedError(f"the children of node {bad:,} of {name} are not nodes below it")
    parents = np.bincount(np.concatenate([child, child + 1]), minlength=len(left))
    wrong = np.flatnonzero(parents != (index != root))
    if len(wrong):
        raise DamagedError(f"node {wrong[0]:,} of {name} is the child of {parents[wrong[0]]} nodes")


def class_list(labels: np.ndarray) -> list[Any]:
    """The classes of a model as JSON holds them."""
    values: list[Any] = labels.tolist()
    bad = next((value for value in values if not isinstance(value, (str, bool, int, float))), None)
    if bad is not None:
        raise KindError(f"the class {bad!r} is nothing that JSON holds; fit with the labels as text")
    return values


def classes(name: str, values: Any, dtype: Any) -> np.ndarray:
    """Labels of classes as an array of the dtype they had; it is never larger than the labels are."""
    labels = levels(name, values)
    kind = text(f"the dtype of {name}", dtype)
    if not labels:
        raise DamagedError(f"{name} is empty")
    if kind == "object":
        out = np.empty(len(labels), dtype=object)
        out[:] = labels
        return out
    target_dtype = np.dtype(kind)
    array = np.array(list(labels))
    if target_dtype.kind == "U" and array.dtype.kind == "U":
        return array
    if target_dtype.kind not in "biuf" or array.dtype.kind not in "biuf":
        raise DamagedError(f"{name} are not of the kind {kind[:20]!r}")
    out = array.astype(target_dtype)
    if not np.array_equal(out, array):
        raise DamagedError(f"{name} are not of the kind {kind[:20]!r}")
    return out


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step, so that a kill leaves the old or the new one, never half of it."""
    half = path.with_name(path.name + ".part")
    with naming(path):
        try:
            with half.open("w", encoding="utf-8", errors="surrogatepass") as file:
                file.write(text)
                sync(file)
            os.replace(half, path)
        except OSError:
            half.unlink(missing_ok=True)  # half a file on a full disk helps nobody
            raise


def checksum(facts: Any) -> str:
    """CRC-32 of plain values as JSON, whatever the order of names: a digit that the disk changed is noticed.

    >>> checksum({"a": 0.1, "b": [1]}) == checksum({"b": [1], "a": 0.1}) != checksum({"a": 0.2, "b": [1]})
    True
    """
    return f"{zlib.crc32(json.dumps(facts, sort_keys=True).encode()):08x}"


@contextmanager
def replacing(path: Path) -> Iterator[Any]:
    """A stream to a file that takes the place of `path` when all of it is written; till then that is as it was."""
    if path.exists() and not path.is_file():  # a device or a pipe
        with naming(path), path.open("w", encoding="utf-8", errors="surrogatepass", newline="") as stream:
            yield stream
        return
    half = path.with_name(path.name + ".part")
    with naming(path):
        try:
            with half.open("w", encoding="utf-8", errors="surrogatepass", newline="") as stream:
                yield stream
            os.replace(half, path)
        except BaseException:
            half.unlink(missing_ok=True)
            raise


def sync(file: Any) -> None:
    """Wait until the disk has what was written to a file."""
    file.flush()
    os.fsync(file.fileno())


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """An error of the system while a file is written (a full disk says no more than that) names the file."""
    try:
        yield
    except OSError as error:
        why = error.strerror or type(error).__name__
        first = "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "allow writing there"
        raise UnwritableError(
            f"{os.fspath(path)!r} cannot be written ({why}); {first}, or give another place"
        ) from error


def indented(value: Any, *, ensure_ascii: bool = False, allow_nan: bool = True) -> str:
    """JSON with one value a line, character for character as `json.dumps(value, indent=1)` writes it.

    That one runs in Python for every value, 20 seconds of a study of 100,000 columns; here compiled code writes every
    list and dict without others inside.

    >>> print(indented({"a": [1, 2]}))
    {
     "a": [
      1,
      2
     ]
    }
    """

    def encoder(depth: int) -> json.JSONEncoder:
        while len(encoders) <= depth:
            lines = f",\n{' ' * len(encoders)}", ": "
            encoders.append(json.JSONEncoder(separators=lines, ensure_ascii=ensure_ascii, allow_nan=allow_nan))
        return encoders[depth]

    def add(value: Any, depth: int) -> None:
        encode, pad = encoder(depth + 1).encode, " " * (depth + 1)
        is_mapping = isinstance(value, dict)
        if not (is_mapping or isinstance(value, (list, tuple))) or not value:
            pieces.append(encode(value))
            return
        inside = list(value.values()) if is_mapping else value
        if not any(issubclass(kind, (dict, list, tuple)) for kind in set(map(type, inside))):
            written = encode(value)
            pieces.append(f"{written[0]}\n{pad}{written[1:-1]}\n{pad[:-1]}{written[-1]}")
            return
        names = [encode({name: 0})[1:-2] for name in value] if is_mapping else [""] * len(inside)
        start = "{\n" if is_mapping else "[\n"
        for name, item in zip(names, inside):
            pieces.append(start + pad + name)
            add(item, depth + 1)
            start = ",\n"
        pieces.append(f"\n{pad[:-1]}{'}' if is_mapping else ']'}")

    encoders: list[json.JSONEncoder] = []
    pieces: list[str] = []
    add(value, 0)
    return "".join(pieces)
