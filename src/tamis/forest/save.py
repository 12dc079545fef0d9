"""A forest in a file: one line that says what it is, a JSON header, then plain arrays; nothing that could run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from tamis.errors import TamisError
from tamis.forest.layout import NODE
from tamis.forest.trees import Trees

MAGIC = b"tamis forest 2\n"
READABLE = (b"tamis forest 1\n", MAGIC)  # the first has no lists of levels
ALIGN = 64
_TYPES = {"node": NODE, "int64": np.dtype(np.int64), "uint64": np.dtype(np.uint64), "float64": np.dtype(np.float64)}


def write(forest: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted forest; the file appears complete or not at all."""
    arrays = {f"trees.{name}": part for name, part in forest.trees_.arrays().items()}
    arrays["impurity_importance"] = forest.impurity_importance_
    if hasattr(forest, "oob_curve_"):
        arrays["oob_curve"] = forest.oob_curve_
    if forest.interval_shares_ is not None:
        arrays["interval_shares"] = forest.interval_shares_
    for j, joined in forest.joined_levels_.items():
        arrays[f"joined.{j}"] = joined.astype(np.int64)
    listed: list[dict[str, Any]] = []
    at = 0
    for name, part in arrays.items():
        at = -(-at // ALIGN) * ALIGN
        listed.append({"name": name, "type": _word(part.dtype), "shape": list(part.shape), "at": at})
        at += part.nbytes
    header = json.dumps(_header(forest) | {"arrays": listed}, allow_nan=False).encode()
    temporary = Path(f"{os.fspath(path)}.part")
    with temporary.open("wb") as file:
        file.write(MAGIC + len(header).to_bytes(8, "little") + header)
        begin = file.tell()
        for entry, part in zip(listed, arrays.values()):
            file.write(b"\0" * (begin + entry["at"] - file.tell()))
            file.write(np.ascontiguousarray(part).view(np.uint8).reshape(-1).data if part.size else b"")
    temporary.replace(path)


def read(kind: Any, path: str | os.PathLike[str]) -> Any:
    """The forest of a file that `write` wrote."""
    with Path(path).open("rb") as file:
        if file.read(len(MAGIC)) not in READABLE:
            raise TamisError(f"{os.fspath(path)!r} does not hold a forest; give a file that save wrote")
        size = int.from_bytes(file.read(8), "little")
        try:
            header = json.loads(file.read(size))
            begin = file.tell()
            arrays = {entry["name"]: _array(file, begin, entry) for entry in header["arrays"]}
        except (ValueError, KeyError, TypeError) as error:
            raise TamisError(f"the forest in {os.fspath(path)!r} is damaged ({error}); save it again") from error
    if header["kind"] != kind.__name__:
        raise TamisError(f"{os.fspath(path)!r} holds a {header['kind']}; load it with {header['kind']}.load")
    return _forest(kind, header, arrays)


def _array(file: Any, begin: int, entry: dict[str, Any]) -> np.ndarray:
    dtype, shape = _TYPES[entry["type"]], tuple(int(n) for n in entry["shape"])
    file.seek(begin + int(entry["at"]))
    n = int(np.prod(shape, dtype=np.int64))
    part = np.fromfile(file, dtype=dtype, count=n)
    if len(part) != n:
        raise ValueError(f"array {entry['name']!r} ends too early")
    return part.reshape(shape)


def _header(forest: Any) -> dict[str, Any]:
    trees = forest.trees_
    out: dict[str, Any] = {
        "kind": type(forest).__name__,
        "params": {name: _plain(name, value) for name, value in forest.get_params(deep=False).items()},
        "n_features_in": int(forest.n_features_in_),
        "names": [str(name) for name in forest.feature_names_in_] if hasattr(forest, "feature_names_in_") else None,
        "levels": [[name, [_level(v) for v in levels]] for name, levels in forest.levels_in_.items()],
        "n_classes": trees.n_classes,
        "n_outputs": trees.n_outputs,
        "seed": forest.seed_,
        "oob_share": float(forest.oob_share_),
        "training": forest.training_digest_,
        "oob_score": _finite(getattr(forest, "oob_score_", None)),
    }
    if trees.n_classes:
        kind = forest.classes_.dtype
        out["classes"] = {"dtype": "object" if kind.kind == "O" else kind.str, "values": forest.classes_.tolist()}
        out["loss"] = forest.loss_.tolist()
    return out


def _forest(kind: Any, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Any:
    forest = kind(**header["params"])
    parts = {name.removeprefix("trees."): part for name, part in arrays.items() if name.startswith("trees.")}
    forest.trees_ = Trees(**parts, n_classes=header["n_classes"], n_outputs=header["n_outputs"])
    forest.n_features_in_ = header["n_features_in"]
    if header["names"] is not None:
        forest.feature_names_in_ = np.array(header["names"], dtype=object)
    forest.levels_in_ = {name: tuple(levels) for name, levels in header["levels"]}
    forest.joined_levels_ = {int(n.split(".")[1]): part for n, part in arrays.items() if n.startswith("joined.")}
    forest.impurity_importance_ = arrays["impurity_importance"]
    forest.interval_shares_ = arrays.get("interval_shares")
    forest.seed_, forest.oob_share_ = header["seed"], header["oob_share"]
    forest.training_digest_ = header["training"]
    if "oob_curve" in arrays:
        forest.oob_curve_ = arrays["oob_curve"]
        forest.oob_score_ = np.nan if header["oob_score"] is None else header["oob_score"]
    if header["n_classes"]:
        forest.classes_ = np.array(header["classes"]["values"], dtype=header["classes"]["dtype"])
        forest.loss_ = np.array(header["loss"], dtype=np.float64)
    else:
        forest.n_outputs_ = header["n_outputs"]
    return forest


def _word(dtype: np.dtype) -> str:
    return next(word for word, known in _TYPES.items() if known == dtype)


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def _level(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(name, part) for part in value]
    if isinstance(value, dict):  # class_weight: what it did is in the trees
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else None
