"""Independent rows: noise in which every claim is false, and signals of which every denial is false."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from tamis.metrics import METRICS, utility
from truth_cells.cell import Cell, Figure, run_study


def noise_table(rng: np.random.Generator, n: int, d: int, target: str) -> pd.DataFrame:
    """Independent normal columns and a target that none of them predicts."""
    frame = pd.DataFrame(rng.normal(size=(n, d)), columns=[f"c{j}" for j in range(d)])
    if target == "numbers":
        return frame.assign(y=rng.normal(size=n))
    if target == "counts":
        return frame.assign(y=rng.poisson(2.0, n))
    if target == "ordered":
        return frame.assign(y=pd.Categorical.from_codes(rng.integers(0, 3, n), ["low", "mid", "high"], ordered=True))
    share = {"balanced": 0.5, "90/10": 0.1}[target]
    return frame.assign(y=rng.permutation(np.where(np.arange(n) < round(share * n), "p", "q")))


def signal_table(rng: np.random.Generator) -> pd.DataFrame:
    """Two of six columns decide: an intercept of -2.72 and slopes of 0.8 and 0.62 give 9% positives and AUC 0.75."""
    x = rng.normal(size=(1500, 6))
    p = 1 / (1 + np.exp(2.72 - 0.8 * x[:, 1] - 0.62 * x[:, 4]))
    return pd.DataFrame(x, columns=list("abcdef")).assign(y=np.where(rng.random(1500) < p, "yes", "no"))


def weak_table(rng: np.random.Generator, n: int = 100) -> pd.DataFrame:
    """One of eight columns moves the odds by a factor of 2.5 per standard deviation."""
    x = rng.normal(size=(n, 8))
    y = rng.random(n) < 1 / (1 + np.exp(-0.9 * x[:, 2]))
    return pd.DataFrame(x, columns=list("abcdefgh")).assign(y=np.where(y, "yes", "no"))


def claims(make: Callable[[np.random.Generator], pd.DataFrame]) -> Callable[[np.random.Generator], dict[str, float]]:
    """Whether a study of one table claims a signal, captures it, denies it; its score beside the baseline's."""

    def compute(rng: np.random.Generator) -> dict[str, float]:
        results = run_study(make(rng), "y")
        comparison, metric = results["comparison"], METRICS[results["answer"]["metric"]]
        by_models = comparison["signal"] != "none" and not comparison["by_columns_alone"]
        return {
            "claimed": by_models,
            "claimed, tests of single columns included": comparison["signal"] != "none",
            "captured": comparison["signal"] == "captured",
            "denied": comparison["signal"] == "none",
            "score less the baseline's": utility(metric, comparison["score"] - comparison["procedures"][0]["score"]),
        }

    return compute


_NOISE = {
    "claimed": Figure(high=0.05),
    "claimed, tests of single columns included": Figure(high=0.06),
    "score less the baseline's": Figure(high=0.01, rate=False),
}

CELLS = [
    *(
        Cell("noise", f"{n} × {d:,}, {t}", claims(lambda rng, n=n, d=d, t=t: noise_table(rng, n, d, t)), _NOISE)
        for n, d in ((80, 8), (40, 1000), (800, 12))
        for t in ("balanced", "90/10", "numbers", "counts", "ordered")
    ),
    Cell("signal", "1,500 × 6, 9% positives, AUC 0.75", claims(signal_table), {"captured": Figure(low=0.95)}),
    Cell("signal", "weak, 100 × 8", claims(weak_table), {"denied": Figure(high=0.5)}),
]
