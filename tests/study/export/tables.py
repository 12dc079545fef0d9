"""Mixed tables with holes, unseen levels and words, and the studies that were run on them."""

from __future__ import annotations

import numpy as np
import pandas as pd

import tamis

QUICK = {"folds": 3, "inner": 2, "repeats": 1, "black_box": False, "prefer": "best", "n_jobs": 1}


def mixed(n: int = 240, seed: int = 0, new: bool = False) -> pd.DataFrame:
    """Numbers with holes, a category, a hostile name, a boolean, an ordered word; `new` rows hold unseen levels."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(["red", "green", "it's", 'say "x"'], n).astype(object)
    size, other = rng.normal(size=n), rng.normal(size=n)
    flag = rng.random(n) < 0.4
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.15, np.nan, size),
            'odd "name"; --': size + 0.3 * rng.normal(size=n),
            "kind": np.where(rng.random(n) < 0.1, None, kind),
            "flag": flag,
            "other": np.where(rng.random(n) < 0.3, np.nan, other),
        }
    )
    frame["number"] = 2 * size - other + 3.0 * (kind == "red") + 1.5 * flag + 0.3 * rng.normal(size=n)
    frame["two"] = np.where(frame["number"] > 1.5, "it's high", "low")
    frame["three"] = pd.cut(frame["number"], [-np.inf, 0.0, 2.5, np.inf], labels=["a", "b", "c"]).astype(str)
    if new:
        frame.loc[rng.random(n) < 0.15, "kind"] = "purple"
    return frame


def graded() -> pd.DataFrame:
    """The same with three ordered classes, whose order is not that of the alphabet."""
    frame = mixed()
    words = frame["three"].map({"a": "low", "b": "mid", "c": "high"})
    return frame.assign(grade=pd.Categorical(words, ["low", "mid", "high"], ordered=True))


def messy(n: int) -> pd.DataFrame:
    """New rows whose texts have space around them or say that a value is missing, and whose booleans are words."""
    frame, rng = mixed(n, seed=3, new=True), np.random.default_rng(4)
    before, after = rng.choice(["", " ", "\t", "\xa0"], n), rng.choice(["", " ", "\n", "\u2003"], n)
    words = {True: ["true", "TRUE", " True"], False: ["false", "FALSE", "False "]}
    frame["kind"] = [
        a + kind + b if isinstance(kind, str) else None for kind, a, b in zip(frame["kind"], before, after)
    ]
    frame.loc[rng.random(n) < 0.1, "kind"] = " null"
    frame.loc[rng.random(n) < 0.1, "kind"] = "NA\xa0"
    frame["flag"] = [words[bool(flag)][k] for flag, k in zip(frame["flag"], rng.integers(0, 3, n))]
    return frame


def run(folder, target: str, procedure: str, **more):
    """A study of one procedure, the other targets left out."""
    drop = [name for name in ("number", "two", "three") if name != target]
    data = (graded() if target == "grade" else mixed()).drop(columns=drop)
    settings = {**QUICK, "procedures": (procedure,), **more}
    return tamis.Study(data, target=target, folder=folder, **settings).run()


def rows_of(frame: pd.DataFrame) -> list[dict]:
    """Rows as dicts, None where a value is missing."""
    return [
        {name: None if value is None or value != value else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]
