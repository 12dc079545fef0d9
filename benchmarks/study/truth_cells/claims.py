"""Claims where there is nothing, and denials where there is something: rare classes, heavy tails, few rows, time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.signal import lfilter

from truth_cells.cell import Cell, Figure, run_study

Rng = np.random.Generator


def table(columns: np.ndarray, y: np.ndarray, **others: Any) -> pd.DataFrame:
    """Columns by number, others by name, and the target."""
    return pd.DataFrame(columns, columns=[f"c{j}" for j in range(columns.shape[1])]).assign(**others, y=y)


def autoregressive(rng: Rng, n: int, d: int, phi: float) -> np.ndarray:
    """d series of n times with x(t) = phi x(t - 1) + noise; phi = 1 is a random walk."""
    start = 0 if phi == 1 else 100
    return lfilter([1.0], [1.0, -phi], rng.normal(size=(n + start, d)), axis=0)[start:]


def noise(n: int, d: int, target: Callable[[Rng, int], np.ndarray]) -> Callable[[Rng], pd.DataFrame]:
    """Normal columns and a target that has nothing to do with them."""
    return lambda rng: table(rng.normal(size=(n, d)), target(rng, n))


def classes(share: float) -> Callable[[Rng, int], np.ndarray]:
    """Two classes, one with a share of the rows."""
    return lambda rng, n: rng.permutation(np.where(np.arange(n) < round(share * n), "yes", "no"))


def rare_signal(n: int) -> Callable[[Rng], pd.DataFrame]:
    """3% positives, shifted by 1.1 in three of eight columns: an AUC of Φ(1.1 √(3 / 2)) = 0.91 by their sum."""

    def make(rng: Rng) -> pd.DataFrame:
        y = rng.permutation(np.arange(n) < round(0.03 * n))
        x = rng.normal(size=(n, 8))
        x[y, :3] += 1.1
        return table(x, np.where(y, "yes", "no"))

    return make


def few_rows(n: int, noise_share: float, skewed: bool) -> Callable[[Rng], pd.DataFrame]:
    """Three of six columns predict a number, which may be lognormal."""

    def make(rng: Rng) -> pd.DataFrame:
        x = rng.normal(size=(n, 6))
        mean = x[:, :3] @ [1.0, 1.0, -1.0] / np.sqrt(3)
        y = np.sqrt(1 - noise_share) * mean + np.sqrt(noise_share) * rng.normal(size=n)
        return table(x, np.exp(y) if skewed else y)

    return make


def in_time(phi: float) -> Callable[[Rng], pd.DataFrame]:
    """Four series and a target, all independent of one another."""
    return lambda rng: table(autoregressive(rng, 200, 4, phi), autoregressive(rng, 200, 1, phi)[:, 0], t=np.arange(200))


def seasons(rng: Rng) -> pd.DataFrame:
    """Four columns and a target with a period of 12, each at its own phase."""
    waves = np.sin(2 * np.pi * np.arange(200)[:, None] / 12 + rng.uniform(0, 2 * np.pi, 5))
    waves += 0.7 * rng.normal(size=waves.shape)
    return table(waves[:, :4], waves[:, 4], t=np.arange(200))


def panel(rng: Rng) -> pd.DataFrame:
    """Twelve units at twenty times: columns and target share shocks within units and times, and nothing else."""
    unit, t = np.repeat(np.arange(12), 20), np.tile(np.arange(20), 12)
    parts = rng.normal(size=(12, 4))[unit] + 0.5 * rng.normal(size=(20, 4))[t] + 0.5 * rng.normal(size=(240, 4))
    return table(parts[:, :3], parts[:, 3], t=t, unit=[f"u{code}" for code in unit])


def signal_in_time(rng: Rng) -> pd.DataFrame:
    """Two of four series predict the target, under autocorrelated noise."""
    x = autoregressive(rng, 200, 4, 0.5)
    return table(x, x[:, 0] + x[:, 1] + autoregressive(rng, 200, 1, 0.7)[:, 0], t=np.arange(200))


def claims(make: Callable[[Rng], pd.DataFrame], **settings: Any) -> Callable[[Rng], dict[str, float]]:
    """Whether a study of one table claims a signal, captures or denies it."""

    def compute(rng: Rng) -> dict[str, float]:
        answer = run_study(make(rng), "y", **settings)["answer"]
        return {
            "claimed": answer["signal"] != "none",
            "captured": answer["signal"] == "captured",
            "denied": answer["signal"] == "none",
        }

    return compute


_NOISE = {
    "balanced, 100 × 8": noise(100, 8, classes(0.5)),
    "90/10, 200 × 8": noise(200, 8, classes(0.1)),
    "97/3, 500 × 8": noise(500, 8, classes(0.03)),
    "numbers, 100 × 6": noise(100, 6, lambda rng, n: rng.normal(size=n)),
    "numbers, 40 × 5": noise(40, 5, lambda rng, n: rng.normal(size=n)),
    "lognormal, 100 × 6": noise(100, 6, lambda rng, n: np.exp(1.5 * rng.normal(size=n))),
    "Student's t on 2 degrees, 700 × 6": noise(700, 6, lambda rng, n: rng.standard_t(2, n)),
    "Cauchy, 700 × 6": noise(700, 6, lambda rng, n: rng.standard_cauchy(n)),
}
_SIGNAL = {
    "3% positives, 500 × 8": rare_signal(500),
    "3% positives, 250 × 8": rare_signal(250),
    "numbers, 40 rows, R² 0.9": few_rows(40, 0.1, False),
    "lognormal, 60 rows": few_rows(60, 0.05, True),
}
_CLAIMED, _DENIED = {"claimed": Figure(high=0.05)}, {"denied": Figure(high=0.04)}

CELLS = [
    *(Cell("noise by kind", name, claims(make), _CLAIMED) for name, make in _NOISE.items()),
    *(Cell("denial by kind", name, claims(make), _DENIED) for name, make in _SIGNAL.items()),
    Cell("time", "random walks", claims(in_time(1.0), time="t"), {"claimed": Figure(high=0.1)}),
    Cell("time", "autoregressive, 0.9", claims(in_time(0.9), time="t"), _CLAIMED),
    Cell("time", "seasons", claims(seasons, time="t"), _CLAIMED),
    Cell("time", "panel with shared shocks", claims(panel, time="t", groups="unit"), _CLAIMED),
    Cell("time", "signal under noise of 0.7", claims(signal_in_time, time="t"), {"captured": Figure(low=0.9)}),
]
