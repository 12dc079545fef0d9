"""Targets and columns of other kinds: counts, ordered classes, texts, two targets; noise of each, and a signal."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import tamis
from truth_cells.cell import Cell, Figure, run_study
from truth_cells.claims import Rng, claims, noise, table

LEVELS = ("none", "mild", "moderate", "severe")
WORDS = [
    f"{first}{last}" for first in ("ba", "de", "fi", "go", "ku") for last in ("lan", "mer", "nos", "rit", "tap", "vel")
]


def counts(rng: Rng, n: int, mean: Any = 2.0) -> np.ndarray:
    """Poisson counts."""
    return rng.poisson(mean, n)


def ordered(score: np.ndarray) -> pd.Categorical:
    """Four ordered levels of about equal size."""
    codes = np.searchsorted(np.quantile(score, [0.25, 0.5, 0.75]), score)
    return pd.Categorical.from_codes(codes, LEVELS, ordered=True)


def texts(rng: Rng, n: int, tilt: np.ndarray | None = None) -> list[str]:
    """Texts of 5 to 14 words; with a tilt, rows of a high one hold the first three words more often."""
    share = 1 / np.arange(3, len(WORDS) + 3)
    found = [list(rng.choice(WORDS, size=rng.integers(5, 15), p=share / share.sum())) for _ in range(n)]
    for words, lean in zip(found, np.zeros(n) if tilt is None else tilt):
        words += list(rng.choice(WORDS[:3], size=rng.poisson(max(lean, 0))))
    return [" ".join(words) for words in found]


def noise_texts(rng: Rng) -> pd.DataFrame:
    """Two classes, texts that have nothing to do with them."""
    y = rng.permutation(np.where(np.arange(150) < 75, "yes", "no"))
    return pd.DataFrame({"mail": texts(rng, 150), "y": y})


def telling_texts(rng: Rng) -> pd.DataFrame:
    """Two classes, one of which uses three words more often: about one more of them in a text."""
    y = rng.permutation(np.arange(200) < 100)
    return pd.DataFrame({"mail": texts(rng, 200, 1.5 * y), "y": np.where(y, "yes", "no")})


def telling_counts(rng: Rng) -> pd.DataFrame:
    """Counts whose logarithm of the mean follows two of five columns."""
    x = rng.normal(size=(200, 5))
    return table(x, counts(rng, 200, np.exp(0.3 + 0.5 * x[:, 0] - 0.5 * x[:, 1])))


def telling_order(rng: Rng) -> pd.DataFrame:
    """Four levels of the sum of two of five columns, and noise."""
    x = rng.normal(size=(200, 5))
    return table(x, ordered(x[:, 0] + x[:, 1] + rng.logistic(size=200)))


def two_targets(rng: Rng) -> dict[str, float]:
    """Two targets and five columns, all independent: the studies that claim a signal, of two."""
    frame = pd.DataFrame(rng.normal(size=(100, 5)), columns=list("abcde"))
    frame = frame.assign(y=rng.normal(size=100), z=rng.permutation(np.where(np.arange(100) < 50, "yes", "no")))
    with tempfile.TemporaryDirectory() as folder:
        studies = tamis.Study(frame, target=["y", "z"], folder=Path(folder) / "s", n_jobs=1).run().studies
    signals = [study.results_["answer"]["signal"] != "none" for study in studies.values()]
    return {"claimed": signals[0], "claimed of the second": signals[1]}


def rates(effect: float) -> Any:
    """Counts of rows observed for different times, the longer ones those with large values of the first column.

    Their rate follows the second column, or none.
    """

    def compute(rng: Rng) -> dict[str, float]:
        x = rng.normal(size=(150, 6))
        years = np.exp(0.8 * x[:, 0] + 0.3 * rng.normal(size=150)).clip(0.05)
        frame = table(x, counts(rng, 150, years * np.exp(0.3 + effect * x[:, 1]))).assign(years=years)
        none = run_study(frame, "y", exposure="years")["answer"]["signal"] == "none"
        return {"claimed": not none, "denied": none}

    return compute


def task(make: Any, expected: str) -> Any:
    """Whether the target is taken for what it is, beside the claims."""

    def compute(rng: Rng) -> dict[str, float]:
        answer = run_study(make(rng), "y")["answer"]
        none = answer["signal"] == "none"
        return {"claimed": not none, "denied": none, "task": answer["task"] == expected}

    return compute


_CLAIMED, _DENIED, _TASK = Figure(high=0.05), Figure(high=0.04), Figure(low=0.85)
_COUNTS = noise(150, 6, counts)
_ORDERED = noise(150, 6, lambda rng, n: ordered(rng.normal(size=n)))

CELLS = [
    Cell("noise by target", "counts, 150 × 6", task(_COUNTS, "count"), {"claimed": _CLAIMED, "task": _TASK}, 20),
    Cell("noise by target", "ordered, 150 × 6", task(_ORDERED, "ordinal"), {"claimed": _CLAIMED, "task": _TASK}, 20),
    Cell("noise by target", "texts, 150", claims(noise_texts), {"claimed": _CLAIMED}, 20),
    Cell("noise by target", "two, 100 × 5", two_targets,
         {"claimed": _CLAIMED, "claimed of the second": _CLAIMED}, 20),
    Cell("noise by target", "rates, 150 × 6", rates(0.0), {"claimed": _CLAIMED}, 20),
    Cell("signal by target", "rates, 150 × 6", rates(0.5), {"denied": _DENIED}, 20),
    Cell("signal by target", "counts, 200 × 5", task(telling_counts, "count"), {"denied": _DENIED, "task": _TASK}, 20),
    Cell("signal by target", "ordered, 200 × 5", task(telling_order, "ordinal"),
         {"denied": _DENIED, "task": _TASK}, 20),
    Cell("signal by target", "texts, 200", claims(telling_texts), {"denied": _DENIED}, 20),
]  # fmt: skip
