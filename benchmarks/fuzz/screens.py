"""Commands on screens of every encoding, with names, levels and paths of every alphabet."""

from __future__ import annotations

import io
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fuzz import tables
from fuzz.endings import RAW, Finding

#: Processor seconds of a case.
LIMIT = 120

ENCODINGS = ["utf-8", "ascii", "latin-1", "cp1252", "cp437", "cp850", "shift-jis", "gb2312", "utf-16", "koi8-r"]
LEVELS = [
    "ja",
    "nein",
    "é",
    "e\u0301",
    "中文",
    "🙂",
    "Größe ≥ 3",
    "–",
    "a b",
    "'",
    '"',
    "\x1b[2J",
    "\u202e",
    "ﬁ",
    "x" * 200,
]
PATHS = ["study", "étude", "学習", "a b", "🙂", "it's", "-dash", "a;b"]
ANSWERS = ["cite", "open", "predict", "export", "report", "choose", "compare"]


class Fuzzer:
    """Commands within this process, their screens replaced."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.case_number = 0
        self.study: Path | None = None
        self.table: Path | None = None
        self.opened = 0

    def case(self, rng: np.random.Generator) -> str:
        """A new study now and then, else a question to the last one; always on another screen."""
        if self.study is None or rng.random() < 0.05:
            return self._begin(rng)
        assert self.table is not None
        asked = str(rng.choice(["columns", "rank", *ANSWERS]))
        encoding = str(rng.choice(ENCODINGS))
        words = {
            "columns": ["columns", str(self.table)],
            "rank": ["rank", str(self.table), "--target", self.target, "-j", "1"],
            "predict": ["predict", str(self.study), str(self.table), "--id", str(rng.choice(self.names))],
            "export": ["export", str(self.study), "--to", str(rng.choice(["python", "sql", "html"]))],
            "compare": ["compare", str(self.study), str(self.study)],
        }.get(asked, [asked, str(self.study)])
        if asked in ("rank", "open", "compare", "choose") and rng.random() < 0.3:
            words.append("--json")
        ledger = self.study / "ledger.jsonl"
        before = ledger.read_text(encoding="utf-8").count("\n") if ledger.exists() else 0
        code, out, err = command(words, encoding)
        after = ledger.read_text(encoding="utf-8").count("\n") if ledger.exists() else 0
        _check(words, encoding, code, out, err)
        if asked == "open" and (after > before) != (code == 0 and len(out) > 20):
            raise Finding(
                f"opening {'recorded' if after > before else 'not recorded'}, exit {code}, screen {out[:200]!r}"
            )
        return f"{asked} {encoding}: {code}"

    def _begin(self, rng: np.random.Generator) -> str:
        shutil.rmtree(self.folder, ignore_errors=True)
        place = self.folder / str(rng.choice(PATHS))
        place.mkdir(parents=True)
        n = 110
        self.names = tables.names(rng, 3)
        self.target = str(rng.choice(["y", "Größe", "目標", "t\u0301", "🙂", "a,b", "two\nlines"]))
        levels = rng.choice(LEVELS, 2, replace=False)
        a = rng.normal(size=n)
        values = [a, rng.choice(LEVELS, n), rng.normal(size=n)]
        frame = pd.DataFrame(dict(zip(self.names, values)) | {self.target: np.where(a > 0, *levels)})
        self.names = list(frame.columns)
        self.table = place / f"{rng.choice(PATHS)}.csv"
        frame.to_csv(self.table, index=False)
        study = place / "st"
        encoding = str(rng.choice(ENCODINGS))
        words = ["run", str(self.table), "--target", self.target, "--folder", str(study), "-j", "1", "--no-black-box"]
        words += ["--procedures", "tree", "--folds", "2", "--repeats", "1"]
        code, out, err = command(words, encoding)
        _check(words, encoding, code, out, err)
        self.study = study if code == 0 else None
        return f"run {encoding}: {code}"


def command(words: list[str], encoding: str) -> tuple[int, bytes, str]:
    """Exit code, bytes on the screen and words on the other screen of a command."""
    import tamis.cli  # noqa: F401 - the commands
    from tamis.cli.command import app
    from tamis.cli.encoding import tolerant_streams

    with _screens(encoding) as (out, err):
        tolerant_streams()
        try:
            app(words)
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        sys.stdout.flush()
        sys.stderr.flush()
        return int(code), out.getvalue(), err.getvalue().decode(encoding, "replace")


@contextmanager
def _screens(encoding: str) -> Any:
    kept = sys.stdout, sys.stderr
    raw = io.BytesIO(), io.BytesIO()
    sys.stdout, sys.stderr = (io.TextIOWrapper(one, encoding=encoding, errors="strict", newline="") for one in raw)
    try:
        yield raw
    finally:
        sys.stdout.detach(), sys.stderr.detach()
        sys.stdout, sys.stderr = kept


def _check(words: list[str], encoding: str, code: int, out: bytes, err: str) -> None:
    if code not in (0, 1, 2):
        raise Finding(f"exit {code} of {words} on {encoding}")
    raw = RAW.search(err)
    if raw:
        raise Finding(f"raw words {raw[0]!r} of {words} on {encoding}: {err[:400]}")
    if code == 0 and not out and words[0] not in ("predict",):
        raise Finding(f"{words} on {encoding} says nothing")
    if words[0] in ("predict", "export") or encoding == "ascii":  # data, and where click itself writes UTF-8
        return
    out.decode(encoding)
