"""Rows that repeat each other: copies and near copies of noise, in which every claim and quoted score is false."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from truth_cells.cell import Cell, Figure, run_study

NAMES = list("abcdefgh")


def noise(rng: np.random.Generator, n: int, positives: float = 0.5) -> pd.DataFrame:
    """Independent normal columns and two classes that none of them predicts."""
    y = np.where(rng.permutation(n) < positives * n, "yes", "no")
    return pd.DataFrame(rng.normal(size=(n, 8)), columns=NAMES).assign(y=y)


def oversampled(rng: np.random.Generator) -> pd.DataFrame:
    """The smaller class filled up with copies of its rows."""
    frame = noise(rng, 130, 0.2)
    positive = np.flatnonzero(frame["y"] == "yes")
    copies = rng.choice(positive, len(frame) - 2 * len(positive))
    return frame.iloc[rng.permutation(np.r_[np.arange(len(frame)), copies])].reset_index(drop=True)


def triplicates(rng: np.random.Generator) -> pd.DataFrame:
    """Every row three times."""
    return noise(rng, 70).iloc[rng.permutation(np.tile(np.arange(70), 3))].reset_index(drop=True)


def jittered_twins(rng: np.random.Generator) -> pd.DataFrame:
    """Every row twice, each time with 3% noise."""
    frame = noise(rng, 100).iloc[rng.permutation(np.repeat(np.arange(100), 2))].reset_index(drop=True)
    frame[NAMES] += 0.03 * rng.normal(size=(200, 8))
    return frame


def patients(rng: np.random.Generator) -> pd.DataFrame:
    """Four rows per patient, with a within-patient deviation of 0.3, and no column that names the patient."""
    frame = noise(rng, 50).iloc[rng.permutation(np.repeat(np.arange(50), 4))].reset_index(drop=True)
    frame[NAMES] += 0.3 * rng.normal(size=(200, 8))
    return frame


def smooth_signal(rng: np.random.Generator) -> pd.DataFrame:
    """Independent rows whose class follows a smooth function of the columns, almost without noise."""
    frame = noise(rng, 200)
    eta = np.sin(frame["a"]) + frame["b"] + 0.5 * frame["b"] * frame["c"] + 0.1 * rng.normal(size=200)
    return frame.assign(y=np.where(eta > 0, "yes", "no"))


def kept_together(make: Callable[[np.random.Generator], pd.DataFrame]) -> Callable[[np.random.Generator], dict]:
    """Whether a signal was claimed in copies of noise, and how far the score lies from one half."""

    def compute(rng: np.random.Generator) -> dict[str, float]:
        answer = run_study(make(rng), "y", scoring="balanced_accuracy")["answer"]
        return {"claimed": answer["signal"] == "captured", "score above 0.5": answer["score"] - 0.5}

    return compute


def marked(make: Callable[[np.random.Generator], pd.DataFrame]) -> Callable[[np.random.Generator], dict]:
    """Whether the score was marked as not to be quoted, first of all in the answer."""

    def compute(rng: np.random.Generator) -> dict[str, float]:
        answer = run_study(make(rng), "y", black_box=False)["answer"]
        is_first = answer["words"].startswith("Do not quote this score")
        return {"not quotable": not answer["quotable"] and is_first}

    return compute


_AT_CHANCE = {"claimed": Figure(high=0.05), "score above 0.5": Figure(-0.03, 0.03, rate=False)}

CELLS = [
    Cell("repeated rows", "oversampled noise", kept_together(oversampled), _AT_CHANCE),
    Cell("repeated rows", "triplicates of noise", kept_together(triplicates), _AT_CHANCE),
    Cell("repeated rows", "twins with 3% noise", marked(jittered_twins), {"not quotable": Figure(low=0.95)}),
    Cell("repeated rows", "four rows per patient", marked(patients), {"not quotable": Figure(low=0.95)}),
    Cell("repeated rows", "independent, smooth signal", marked(smooth_signal), {"not quotable": Figure(high=0.02)}),
]
