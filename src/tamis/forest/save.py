"""A forest in a file: one line that says what it is, a JSON header, then plain arrays; nothing that could run."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from tamis.check import number, one_of
from tamis.errors import DamagedError, TamisError
from tamis.forest.damaged import codes_of, refuse_damaged
from tamis.forest.layout import COLUMN, NODE
from tamis.forest.predict.trees import Trees
from tamis.forest.settings import CRITERIA
from tamis.forest.tune import THRESHOLDS, Drawing, Setting
from tamis.saved import mapping, numbers, read_integer, reading, refuse_shape, text
from tamis.table.interface.saved_head import begin, head, saved_classes, saved_levels

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


MAGIC, FORMAT = b"tamis forest 2\n", 2
READABLE = (b"tamis forest 1\n", MAGIC)  # the first has no lists of levels
ALIGN = 64
_TYPES = {"node": NODE, "int64": np.dtype(np.int64), "uint64": np.dtype(np.uint64), "float64": np.dtype(np.float64)}


def write(forest: BaseEstimator, path: str | os.PathLike[str]) -> None:
    """Write a fitted forest; the file appears complete or not at all."""
    temporary = Path(f"{os.fspath(path)}.part")
    with temporary.open("wb") as file:
        write_to(forest, file)
    temporary.replace(path)


def write_to(forest: BaseEstimator, file: BinaryIO) -> None:
    """Write a fitted forest to an open file."""
    arrays = {f"trees.{name}": array for name, array in forest.trees_.arrays.items()}
    arrays["impurity_importance"] = forest.impurity_importance_
    if hasattr(forest, "oob_curve_"):
        arrays["oob_curve"] = forest.oob_curve_
    if forest.interval_shares_ is not None:
        arrays["interval_shares"] = forest.interval_shares_
    for j, joined in forest.joined_levels_.items():
        arrays[f"joined.{j}"] = joined.astype(np.int64)
    listed: list[dict[str, Any]] = []
    at = 0
    for name, array in arrays.items():
        at = -(-at // ALIGN) * ALIGN
        listed.append({"name": name, "type": _word(array.dtype), "shape": list(array.shape), "at": at})
        at += array.nbytes
    header = json.dumps(_header(forest) | {"arrays": listed}, allow_nan=False).encode()
    file.write(MAGIC + len(header).to_bytes(8, "little") + header)
    done = 0
    for entry, array in zip(listed, arrays.values()):
        file.write(b"\0" * (entry["at"] - done))
        file.write(np.ascontiguousarray(array).view(np.uint8).reshape(-1).data if array.size else b"")
        done = entry["at"] + array.nbytes


def read(kind: Any, path: str | os.PathLike[str]) -> Any:
    """The forest of a file that `write` wrote."""
    file_name = repr(os.fspath(path))
    with Path(path).open("rb") as file:
        if file.read(len(MAGIC)) not in READABLE:
            raise TamisError(f"{file_name} does not hold a forest; give a file that save wrote")
        size = os.fstat(file.fileno()).st_size
        with reading(f"the forest in {file_name}", "save it again"):
            header = read_header(file, size)
            name = text("kind", header["kind"])
            if name == kind.__name__:
                return read_forest(kind, header, file, size)
    raise TamisError(f"{file_name} holds a {name[:40]}; load it with {name[:40]}.load")


def read_header(file: BinaryIO, max_bytes: int) -> dict[str, Any]:
    """The header after the magic line, of at most so many bytes."""
    size = read_integer("the size of its header", int.from_bytes(file.read(8), "little"), high=max_bytes)
    return mapping("its header", json.loads(file.read(size)))


def read_forest(kind: Any, header: dict[str, Any], file: BinaryIO, max_bytes: int) -> Any:
    """The forest whose header has been read, from the arrays that follow: at most so many bytes of them."""
    arrays: dict[str, np.ndarray] = {}
    done = 0
    for entry in header["arrays"]:
        begin, array = _room(entry, done, max_bytes)
        _fill(file, np.empty(begin - done, dtype=np.uint8))
        _fill(file, array)
        done = begin + array.nbytes
        arrays[entry["name"]] = array
    return _forest(kind, header, arrays)


def _room(entry: Any, done: int, max_bytes: int) -> tuple[int, np.ndarray]:
    """Where an array begins, at most `ALIGN` bytes after the last one ended, and room for it."""
    name = text("the name of an array", mapping("an array", entry)["name"])
    dtype = _TYPES[entry["type"]]
    shape = tuple(read_integer(f"the shape of {name}", n, high=max_bytes) for n in entry["shape"])
    begin = read_integer(f"the place of {name}", entry["at"], low=done, high=done + ALIGN)
    read_integer(f"the end of {name}", begin + math.prod(shape) * dtype.itemsize, high=max_bytes)
    return begin, np.empty(shape, dtype=dtype)


def _fill(file: BinaryIO, array: np.ndarray) -> None:
    """Read an array's bytes."""
    if not array.size:
        return
    room = array.reshape(-1).view(np.uint8).data
    while len(room):
        n = file.readinto(room)  # type: ignore[attr-defined]
        if not n:
            raise DamagedError("it ends too early")
        room = room[n:]


def _header(forest: BaseEstimator) -> dict[str, Any]:
    trees = forest.trees_
    out: dict[str, Any] = {
        **head(forest, FORMAT, tune=bool(forest._tunes)),  # what tune did is in `tuning`
        "levels": saved_levels(forest),
        "n_classes": trees.n_classes,
        "n_outputs": trees.n_outputs,
        "seed": forest.seed_,
        "oob_share": float(forest.oob_fraction_),
        "training": forest.training_digest_,
        "oob_score": _finite(getattr(forest, "oob_score_", None)),
    }
    if forest._tunes:
        out["tuning"] = [
            [
                tried.max_features,
                tried.min_samples_leaf,
                _finite(tried.score),
                tried.thresholds,
                tried.criterion,
                tried.drawing.max_samples,
                tried.drawing.max_split_samples,
            ]
            for tried in forest.tuning_
        ]
    if trees.n_classes:
        out["classes"] = saved_classes(forest)
        out["loss"] = forest.loss_.tolist()
        out["temperature"] = forest.temperature_
        if forest.level_scores_ is not None:
            out["level_scores"] = forest.level_scores_.tolist()
    return out


def _forest(kind: Any, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Any:
    forest, names = begin(kind, header, COLUMN)
    n = len(names)
    tree_arrays = {name.removeprefix("trees."): array for name, array in arrays.items() if name.startswith("trees.")}
    n_classes, n_outputs = (
        read_integer("n_classes", header["n_classes"]),
        read_integer("n_outputs", header["n_outputs"], low=1),
    )
    forest.trees_ = Trees(**tree_arrays, n_classes=n_classes, n_outputs=n_outputs)
    forest.joined_levels_ = {int(n.split(".")[1]): array for n, array in arrays.items() if n.startswith("joined.")}
    refuse_damaged(forest.trees_, n, codes_of(names, forest.levels_in_, forest.joined_levels_))
    forest.impurity_importance_ = arrays["impurity_importance"]
    refuse_shape("impurity_importance", forest.impurity_importance_, (n,))
    forest.interval_shares_ = arrays.get("interval_shares")
    if forest.interval_shares_ is not None:
        forest.interval_shares_ = numbers("interval_shares", forest.interval_shares_)
    forest.seed_, forest.oob_fraction_ = header["seed"], float(numbers("oob_share", header["oob_share"], shape=()))
    forest.training_digest_ = header["training"]
    if "oob_curve" in arrays:
        forest.oob_curve_ = arrays["oob_curve"]
        score = header["oob_score"]
        forest.oob_score_ = np.nan if score is None else float(numbers("oob_score", score, shape=()))
    if forest._tunes:
        forest.tuning_ = [_setting(forest, *tried) for tried in header["tuning"]]
    if n_classes:
        refuse_shape("classes", forest.classes_, (n_classes,))
        forest.loss_ = numbers("loss", header["loss"], shape=(n_classes, n_classes))
        scores = header.get("level_scores")
        forest.level_scores_ = None if scores is None else numbers("level_scores", scores, shape=(n_classes,))
        forest.temperature_ = number("temperature", header.get("temperature", 1.0), low=0, open_low=True)
    else:
        forest.n_outputs_ = n_outputs
    if forest._tunes:
        forest._take(forest.tuning_[-1])
    return forest


def _setting(
    forest: BaseEstimator,
    max_features: Any,
    min_samples_leaf: Any,
    score: Any,
    thresholds: Any = None,
    criterion: Any = None,
    max_samples: Any = None,
    max_split_samples: Any = None,
) -> Setting:
    """Files written before thresholds, criterion or drawing were chosen name none: they are those of the parameters."""
    return Setting(
        read_integer("max_features", max_features, low=1),
        read_integer("min_samples_leaf", min_samples_leaf, low=1),
        np.inf if score is None else float(numbers("a score", score, shape=())),
        one_of("thresholds", thresholds or forest.thresholds, THRESHOLDS),
        one_of("criterion", criterion or CRITERIA[forest._criteria.index(forest.criterion)], CRITERIA),
        Drawing(
            None if max_samples is None else number("max_samples", max_samples, low=0, high=1, open_low=True),
            None if max_split_samples is None else read_integer("max_split_samples", max_split_samples, low=1),
        ),
    )


def _word(dtype: np.dtype) -> str:
    return next(word for word, type in _TYPES.items() if type == dtype)


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)
