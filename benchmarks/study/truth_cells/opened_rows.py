"""Locked rows that were opened before: known again after every change of the table, and never in fresh rows."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import tamis
from truth_cells.cell import Cell, Figure

QUICK = {"procedures": ["stump"], "folds": 2, "inner": 2, "repeats": 1, "black_box": False, "n_jobs": 1}


def mixed_table(rng: np.random.Generator, n: int = 200) -> pd.DataFrame:
    """Four normal columns, a category and a count; the first column decides."""
    x = rng.normal(size=(n, 4))
    frame = pd.DataFrame(x, columns=list("abcd"))
    frame["ward"], frame["visits"] = rng.choice(["north", "south", "west"], n), rng.poisson(3, n)
    return frame.assign(y=np.where(x[:, 0] + rng.normal(size=n) > 0, "yes", "no"))


def change_cell(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    changed = frame.copy()
    changed.loc[rng.integers(len(frame)), "b"] += 1e-6
    return changed


CHANGES: dict[str, Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]] = {
    "another folder": lambda frame, rng: frame,
    "one cell changed by 1e-6": change_cell,
    "three rows deleted": lambda frame, rng: frame.drop(index=rng.choice(len(frame), 3, replace=False)),
    "a column added": lambda frame, rng: frame.assign(new=rng.normal(size=len(frame))),
    "a column removed": lambda frame, rng: frame.drop(columns=rng.choice(list("abcd"))),
    "rows in another order": lambda frame, rng: frame.iloc[rng.permutation(len(frame))],
    "rounded to six digits": lambda frame, rng: frame.round(6),
    "fresh rows": lambda frame, rng: mixed_table(rng),
}


def second_opening(change: str) -> Callable[[np.random.Generator], dict[str, float]]:
    """Open a study of a table, then one of the changed table in a folder beside."""

    def compute(rng: np.random.Generator) -> dict[str, float]:
        frame = mixed_table(rng)
        with tempfile.TemporaryDirectory() as place:
            tables = {"first": frame, "second": CHANGES[change](frame, rng).reset_index(drop=True)}
            openings = [
                tamis.Study(table, target="y", folder=Path(place) / name, **QUICK).run().open()
                for name, table in tables.items()
            ]
        return {"recognised": not openings[1]["independent"]}

    return compute


CELLS = [
    Cell(
        "lock, rows opened before",
        change,
        second_opening(change),
        {"recognised": Figure(high=0.0) if change == "fresh rows" else Figure(low=1.0)},
    )
    for change in CHANGES
]
