"""Small tables with a known answer, as files."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from tamis.study.claims.held_out import HeldOut


def write_table(path: Path, columns: dict[str, list]) -> Path:
    """A CSV file of named columns."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
    return path


def classes_table(n: int = 160, seed: int = 0) -> dict[str, list]:
    """Two columns decide the class, one of them with a category; three are noise; some values are missing."""
    rng = np.random.default_rng(seed)
    size, colour = rng.normal(size=n), rng.choice(["red", "green", "blue"], size=n)
    noise = rng.normal(size=(n, 3))
    sick = size + 1.5 * (colour == "red") + 0.3 * rng.normal(size=n) > 0.6
    holes = rng.random(n) < 0.08
    return {
        "size": ["" if hole else f"{value:.5f}" for value, hole in zip(size, holes)],
        "colour": colour.tolist(),
        **{f"noise {j}": [f"{value:.5f}" for value in noise[:, j]] for j in range(3)},
        "outcome": np.where(sick, "sick", "well").tolist(),
    }


def numbers_table(n: int = 160, seed: int = 0) -> dict[str, list]:
    """y = 3 a - 2 b + noise; two columns are noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    y = 3 * x[:, 0] - 2 * x[:, 1] + 0.5 * rng.normal(size=n)
    return {**{name: x[:, j].round(5).tolist() for j, name in enumerate("abcd")}, "y": y.round(5).tolist()}


def held_out(losses: np.ndarray, **parts: Any) -> HeldOut:
    """Losses of held-out rows, each its own unit, in five folds."""
    by_fold = np.array([losses[fold::5].mean() for fold in range(5)])
    n = len(losses)
    return HeldOut(losses, by_fold, losses, by_fold, np.ones(n), parts.pop("ranking", None), 0.8 * n, 0.2 * n, **parts)
