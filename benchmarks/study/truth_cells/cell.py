"""A cell: one kind of table, what is computed of one such table, and the figures asked of the mean over many."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

import tamis


@dataclass(frozen=True)
class Figure:
    """What is asked of the mean of a number over tables.

    Attributes
    ----------
    low, high : the mean must lie between them.
    rate : whether the number is an indicator, so that its mean is a share of tables.
    """

    low: float = -np.inf
    high: float = np.inf
    rate: bool = True

    def verdict(self, values: np.ndarray) -> str:
        """ "met", "within chance" (beyond the bound by no more than chance explains, one-sided 5%) or "missed"."""
        mean = float(values.mean())
        if self.low <= mean <= self.high:
            return "met"
        bound = self.high if mean > self.high else self.low
        if self.rate:
            count = int(values.sum())
            tail = binom.sf(count - 1, len(values), bound) if mean > bound else binom.cdf(count, len(values), bound)
            return "within chance" if tail > 0.05 else "missed"
        error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.inf
        return "within chance" if abs(mean - bound) < 1.645 * error else "missed"

    def asked(self) -> str:
        """The bounds in words."""
        if np.isneginf(self.low):
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if np.isposinf(self.high) else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Cell:
    """One kind of table.

    Attributes
    ----------
    topic, name : what it is about, which table.
    compute : from a generator, makes one table and returns a number for each figure; NaN where it does not apply.
    figures : what is asked of the mean of each number.
    tables : tables by default.
    """

    topic: str
    name: str
    compute: Callable[[np.random.Generator], Mapping[str, float]]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    tables: int = 30

    def lines(self, results: Sequence[Mapping[str, float]]) -> list[str]:
        """One line a figure: mean, asked, verdict."""
        lines = []
        for name, figure in self.figures.items():
            values = np.array([float(result[name]) for result in results if not np.isnan(result[name])])
            if not len(values):
                lines.append(f"{self.topic} | {self.name} | {name}: no table to which it applies")
                continue
            mean = f"{int(values.sum())} of {len(values)}" if figure.rate else f"{values.mean():.3f} over {len(values)}"
            lines.append(
                f"{self.topic} | {self.name} | {name}: {mean}, asked {figure.asked()}: {figure.verdict(values)}"
            )
        return lines


def run_study(frame: pd.DataFrame, target: str, **settings: Any) -> dict[str, Any]:
    """results.json of a study with one thread and otherwise default settings."""
    with tempfile.TemporaryDirectory() as folder:
        return tamis.Study(frame, target=target, folder=Path(folder) / "s", n_jobs=1, **settings).run().results_
