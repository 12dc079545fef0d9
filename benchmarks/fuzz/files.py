"""Damaged files: tables and the files of a study with bytes changed, cut, repeated or exchanged."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fuzz.endings import Finding, good_ending

import tamis

#: Processor seconds of a case.
LIMIT = 120

QUICK: dict[str, Any] = {"folds": 2, "inner": 2, "repeats": 1, "black_box": False, "n_jobs": 1}
WORDS = [b"null", b"NaN", b"Infinity", b"1e999", b"-1", b"[]", b"{}", b'""', b"true", b"99999999999999999999", b"\0"]


class Fuzzer:
    """One damaged file a case."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.whole = folder / "case", folder / "whole"
        shutil.rmtree(folder, ignore_errors=True)
        self.whole.mkdir(parents=True)
        rng = np.random.default_rng(0)
        a = rng.normal(size=120).round(3)
        self.frame = pd.DataFrame({"a": a, "b": rng.integers(0, 9, 120), "c": rng.choice(["u", "v", "w"], 120)})
        self.frame["when"] = (pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(120), unit="D")).astype(str)
        self.frame["y"] = np.where(a + (self.frame["c"] == "u") > 0, "yes", "no")
        tables = self.whole / "tables"
        tables.mkdir()
        self.frame.to_csv(tables / "t.csv", index=False)
        self.frame.to_csv(tables / "t.tsv", index=False, sep="\t")
        (tables / "t.csv.gz").write_bytes(gzip.compress((tables / "t.csv").read_bytes()))
        self.frame.to_parquet(tables / "t.parquet")
        self.frame.to_feather(tables / "t.feather")
        self.frame.to_excel(tables / "t.xlsx", index=False)
        self.frame.to_json(tables / "t.jsonl", orient="records", lines=True)
        with sqlite3.connect(tables / "t.db") as base:
            self.frame.to_sql("t", base, index=False)
        self.tables = sorted(tables.iterdir())
        self.studies = {}
        for procedure in ("lasso", "tree", "forest", "booster", "score-card", "additive"):
            place = self.whole / procedure
            study = tamis.Study(tables / "t.csv", target="y", folder=place, procedures=[procedure], **QUICK).run()
            study.open()
            self.studies[procedure] = (place, study.predict_proba(self.frame))
        self.digest = _digest(self.whole)

    def case(self, rng: np.random.Generator) -> str:
        """Damage a table, or a file of a study, and use it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        ending = self._table(rng) if rng.random() < 0.5 else self._study(rng)
        if _digest(self.whole) != self.digest:
            raise Finding("a file that was only read has changed")
        return ending

    def _table(self, rng: np.random.Generator) -> str:
        file = self.tables[int(rng.integers(len(self.tables)))]
        place = self.folder / file.name
        place.write_bytes(damaged(rng, file.read_bytes()))
        source = f"sqlite:///{place}" if file.suffix == ".db" else place
        query = "t" if file.suffix == ".db" else None
        with good_ending() as said:
            if rng.random() < 0.5:
                tamis.read(source, query=query)
            elif rng.random() < 0.7 or query:
                tamis.score.rank(source, "y", query=query)
            else:
                len(tamis.read(source, lazy=True).decisions)
        return f"{file.suffix}: {'refused' if said else 'read'}"

    def _study(self, rng: np.random.Generator) -> str:
        name = str(rng.choice(sorted(self.studies)))
        whole, expected = self.studies[name]
        place = self.folder / "study"
        shutil.copytree(whole, place)
        files = sorted(file for file in place.iterdir() if file.is_file() and file.suffix in (".json", ".jsonl"))
        file = files[int(rng.integers(len(files)))]
        content = file.read_bytes()
        file.write_bytes(changed_json(rng, content) if rng.random() < 0.5 else damaged(rng, content))
        if rng.random() < 0.05 and file.name != "ledger.jsonl":  # who deletes the ledger deletes the memory of it
            file.unlink()
        asked = ["predict", "predict", "open", "report", "cite", "compare", "run", "choose", "export"]
        what = str(rng.choice(asked))
        with good_ending() as said:
            getattr(self, f"_{what}")(rng, place, expected)
        return f"{file.name} {what}: {'refused' if said else 'answered'}"

    def _predict(self, rng: np.random.Generator, place: Path, expected: np.ndarray) -> None:
        found = tamis.load(place).predict_proba(self.frame)
        if found.shape != expected.shape or not np.allclose(found, expected, atol=0.02):
            raise Finding("a damaged model answers something else, without a word")

    def _open(self, rng: np.random.Generator, place: Path, expected: np.ndarray) -> None:
        if tamis.load(place).open(self.whole / "tables" / "t.csv")["independent"]:
            raise Finding("a damaged ledger forgets that the lock was opened")

    def _report(self, rng: np.random.Generator, place: Path, expected: np.ndarray) -> None:
        tamis.load(place).report()

    def _cite(self, rng: np.random.Generator, place: Path, expected: np.ndarray) -> None:
        tamis.load(place).cite()

    def _compare(self, rng: np.random.Generator, place: Path, expected: np.ndarray) -> None:
        tamis.compare(place, self.whole / "tree").to_text()

    def _run(self, rng: np.random.Generator, place: Path, expected: np.ndarray) -> None:
        procedure = str(rng.choice(sorted(self.studies)))
        table = self.whole / "tables" / "t.csv"
        tamis.Study(table, target="y", folder=place, procedures=[procedure], **QUICK).run(fresh=rng.random() < 0.3)

    def _choose(self, rng: np.random.Generator, place: Path, expected: np.ndarray) -> None:
        tamis.load(place).choose(columns=1, source=self.whole / "tables" / "t.csv")

    def _export(self, rng: np.random.Generator, place: Path, expected: np.ndarray) -> None:
        tamis.load(place).export(str(rng.choice(["python", "sql", "html"])))


def damaged(rng: np.random.Generator, content: bytes) -> bytes:
    """Bytes that were flipped, cut off, repeated, exchanged or put in."""
    data = bytearray(content)
    for _ in range(int(rng.choice([1, 1, 1, 3, 20]))):
        at, way = int(rng.integers(len(data) + 1)), int(rng.integers(6))
        if way == 0 and at < len(data):
            data[at] ^= 1 << int(rng.integers(8))
        elif way == 1 and at < len(data):
            data[at] = int(rng.integers(256))
        elif way == 2:
            del data[at : at + int(rng.choice([1, 8, 400, 10**9]))]
        elif way == 3:
            data[at:at] = data[at : at + int(rng.integers(1, 200))]
        elif way == 4:
            data[at:at] = bytes(rng.integers(0, 256, int(rng.integers(1, 9))).tolist())
        else:
            data[at : at + 4] = WORDS[int(rng.integers(len(WORDS)))]
    return bytes(data)


def changed_json(rng: np.random.Generator, content: bytes) -> bytes:
    """A file of JSON, one of whose values is another: sound JSON that says something else."""
    lines = content.decode().splitlines() if content.count(b"\n{") else [content.decode()]
    k = int(rng.integers(len(lines)))
    try:
        value = json.loads(lines[k])
    except ValueError:
        return damaged(rng, content)
    replaced = json.dumps(_replaced(rng, value))
    return "\n".join([*lines[:k], replaced, *lines[k + 1 :], ""]).encode()


def _replaced(rng: np.random.Generator, value: Any) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = str(rng.choice(list(value)))
        if rng.random() < 0.15:
            return {name: one for name, one in value.items() if name != key}
        return {**value, key: _replaced(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        k = int(rng.integers(len(value)))
        return [*value[:k], _replaced(rng, value[k]), *value[k + 1 :]]
    other: list[Any] = [
        None,
        "",
        "x",
        -1,
        0,
        1,
        2,
        10**18,
        1.5,
        -1e300,
        float("nan"),
        True,
        [],
        {},
        [1],
        {"a": 1},
        "1e9",
    ]
    return other[int(rng.integers(len(other)))]


def _digest(folder: Path) -> str:
    found = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        found.update(str(file.relative_to(folder)).encode() + file.read_bytes())
    return found.hexdigest()
