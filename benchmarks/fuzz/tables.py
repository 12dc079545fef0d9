"""Tables that nobody would make on purpose: hostile names, kinds, values and sizes."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

Rng = np.random.Generator

NAMES = [
    *(
        "a",
        "b",
        "c",
        "x",
        "y",
        "target",
        "class",
        "def",
        "None",
        "True",
        "index",
        "row",
        "note",
        "prediction",
        "p(yes)",
    ),
    *("", " ", " padded ", "a,b", "a;b", 'say "x"', "it's", "a\tb", "two\nlines", "nul\0", "\ufeffbom", "e\u0301", "é"),
    *(
        "中文",
        "🙂",
        "\u202eright",
        "=1+1",
        "<script>",
        "${x}",
        "%s",
        "{0}",
        "__index_level_0__",
        "level_0",
        "Unnamed: 0",
    ),
    *(
        "0",
        "1.5",
        "1e999",
        "nan",
        "inf",
        "a" * 300,
        "x (year)",
        "date (elapsed days)",
        "a=b",
        "types",
        "../up",
        "C:\\x",
    ),
]
TEXTS = [
    *(
        "red",
        "Red",
        " red",
        "red ",
        "blue",
        "",
        " ",
        "NA",
        "nan",
        "?",
        "-",
        "null",
        "None",
        "yes",
        "no",
        "true",
        "TRUE",
    ),
    *(
        "0",
        "1",
        "1.0",
        "1,5",
        "1 000",
        "1e5",
        "1e400",
        "-inf",
        "0x10",
        "½",
        "３",
        "12%",
        "$5",
        "01",
        "007",
        "2020-01-01",
    ),
    *(
        "31.12.1999",
        "12:30",
        "2020-02-30",
        "é",
        "e\u0301",
        "中文",
        "🙂",
        "\u200b",
        "\xa0",
        "a\0b",
        "a\nb",
        '"',
        "'",
        ";",
    ),
    *("=1+1", "<b>", "\ud7ff", "x" * 400, "\x1b[31m", "\u202e"),
]


def names(rng: Rng, n: int) -> list[str]:
    """Names for n columns: mostly plain and distinct, often hostile, at times twice the same."""
    if rng.random() < 0.4:
        return [f"x{j}" for j in range(n)]
    drawn = [str(name) for name in rng.choice(NAMES, n)]
    if rng.random() < 0.8:
        drawn = [f"{name}{j}" if name in drawn[:j] else name for j, name in enumerate(drawn)]
    return drawn


def _floats(rng: Rng, n: int) -> Any:
    values = rng.normal(size=n) * 10.0 ** rng.choice([-300, -8, 0, 0, 0, 8, 150, 300])
    if rng.random() < 0.4:
        values[rng.random(n) < 0.3] = np.nan
    if rng.random() < 0.1:
        values[rng.integers(n)] = rng.choice([np.inf, -np.inf, 1e308, 5e-324, -0.0])
    return values


def _whole(rng: Rng, n: int) -> Any:
    high = int(rng.choice([1, 2, 5, 100, 2**31, 2**53, 2**62]))
    return rng.integers(-high if rng.random() < 0.5 else 0, high, n, endpoint=True)


def _nullable(rng: Rng, n: int) -> Any:
    kind = str(rng.choice(["Int64", "boolean", "Float64", "string", "UInt8"]))
    values = pd.array(rng.integers(0, 2, n).astype(str) if kind == "string" else rng.integers(0, 2, n), dtype=kind)
    values[rng.random(n) < 0.3] = pd.NA
    return values


def _words(rng: Rng, n: int) -> Any:
    some = rng.choice(np.array(TEXTS, dtype=object), int(rng.integers(1, 8)))
    values = rng.choice(some, n).astype(object)
    values[rng.random(n) < rng.choice([0, 0.2])] = None
    return values


def _distinct(rng: Rng, n: int) -> Any:
    return np.array([f"{rng.choice(TEXTS)}{i}" for i in range(n)], dtype=object)


def _dates(rng: Rng, n: int) -> Any:
    days = pd.Timestamp("1999-12-31") + pd.to_timedelta(rng.integers(0, 5000, n) * 86400, unit="s")
    way = rng.integers(6)
    if way == 0:
        return days.tz_localize(str(rng.choice(["UTC", "Europe/Zurich", "Asia/Kolkata"])))
    if way == 1:
        return days.strftime(str(rng.choice(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%dT%H:%M:%SZ", "%b %d %y"])))
    if way == 2:
        return np.array([day.date() for day in days], dtype=object)
    if way == 3:
        return days.to_period("M")
    mixed = np.array([day.to_pydatetime() for day in days], dtype=object)
    if way == 4:
        mixed[:: int(rng.integers(2, 5))] = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    return days.where(rng.random(n) > 0.2) if way == 5 else mixed


def _categories(rng: Rng, n: int) -> Any:
    levels = list(dict.fromkeys(rng.choice(TEXTS, 5).tolist()))
    values = pd.Categorical.from_codes(rng.integers(-1, max(1, len(levels) - 1), n), levels, ordered=rng.random() < 0.5)
    return values if rng.random() < 0.7 else pd.cut(rng.normal(size=n), 4)


def _objects(rng: Rng, n: int) -> Any:
    drawn: list[Callable[[int], Any]] = [
        lambda i: decimal.Decimal(i) / 7,
        lambda i: datetime.timedelta(seconds=i),
        lambda i: [i, None],
        lambda i: {"a": i},
        lambda i: bytes([i % 256, 255]),
        lambda i: complex(i, 1),
        lambda i: i if i % 2 else str(i),
        lambda i: True if i % 3 else None,
        lambda i: 10**30 + i,
        lambda i: datetime.time(i % 24),
        lambda i: np.float32(i) if i % 2 else None,
        lambda i: (i, "a"),
        lambda i: float("nan") if i % 2 else "nan",
    ]
    make = drawn[int(rng.integers(len(drawn)))]
    made = np.empty(n, dtype=object)
    made[:] = [make(i) for i in range(n)]
    return made


def _constant(rng: Rng, n: int) -> Any:
    made = np.empty(n, dtype=object)
    made[:] = [rng.choice(np.array([0, 1.5, "a", None, np.nan, True], dtype=object))] * n
    return made


def _copies(rng: Rng, n: int) -> Any:
    return np.repeat(rng.normal(size=n // 2 + 1), 2)[:n].round(1)


KINDS = [_floats, _floats, _whole, _nullable, _words, _distinct, _dates, _categories, _objects, _constant, _copies]


def column(rng: Rng, n: int) -> Any:
    """A column of any kind."""
    return KINDS[int(rng.integers(len(KINDS)))](rng, n)


def frame(rng: Rng, n: int | None = None, width: int | None = None) -> pd.DataFrame:
    """A table of a few columns of any kind and any name, seldom empty."""
    n = int(rng.choice([1, 2, 3, 12, 40, 90])) if n is None else n
    width = int(rng.integers(1, 9)) if width is None else width
    made = pd.concat([pd.Series(column(rng, n)) for _ in range(width)], axis=1)
    made.columns = names(rng, width)
    if rng.random() < 0.1:
        made = made.set_index(made.iloc[:, 0])
    return made


def target(rng: Rng, n: int) -> Any:
    """A target of any kind: mostly classes or numbers that could be learned."""
    way = rng.random()
    if way < 0.35:
        return rng.choice(["yes", "no", "maybe"][: int(rng.integers(2, 4))], n)
    if way < 0.6:
        return rng.normal(size=n) * 10.0 ** rng.choice([-12, 0, 0, 12])
    return column(rng, n)
