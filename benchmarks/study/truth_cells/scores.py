"""Scores beside the truth: bias and coverage of R² in few rows, coverage of XOR, exaggeration of weak claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import tamis
from tamis.linear import LinearRegressor
from truth_cells.cell import Cell, Figure
from truth_cells.independent_rows import weak_table

#: Fresh rows that the truth is computed on.
N_FRESH = 20_000


def numeric_table(rng: np.random.Generator, n: int, kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Six normal columns, two of which decide a target: normal, lognormal (σ = 0.6), or zero in half of the rows."""
    x = rng.normal(size=(n, 6))
    signal, noise = x[:, 0] + 0.7 * x[:, 1], rng.normal(size=n)
    if kind == "normal":
        return x, signal + 1.2 * noise
    if kind == "lognormal":
        return x, np.exp(0.4 * signal + 0.35 * noise)
    return x, np.where(signal + noise > 0, np.exp(0.3 * signal + 0.3 * rng.normal(size=n)), 0.0)


def pooled_r_squared(n: int, kind: str) -> Callable[[np.random.Generator], dict[str, float]]:
    """The nested R² of a lasso beside that of its models on fresh rows, and of the one refitted on all rows.

    R² on fresh rows is about the mean of the rows that a model was trained on, as the quoted one is.
    """

    def compute(rng: np.random.Generator) -> dict[str, float]:
        x, y = numeric_table(rng, n, kind)
        result = tamis.nested_score(LinearRegressor(cv=5), x, y, repeats=3, keep_models=True)
        fresh_x, fresh_y = numeric_table(rng, N_FRESH, kind)
        errors = [np.mean((fresh_y - model.predict(fresh_x)) ** 2) for model in result.models]
        spreads = [np.mean((fresh_y - y[train].mean()) ** 2) for train, _ in result.folds]
        true = 1 - np.mean(errors) / np.mean(spreads)
        refit = LinearRegressor(cv=5).fit(x, y)
        refitted = 1 - np.mean((fresh_y - refit.predict(fresh_x)) ** 2) / np.mean((fresh_y - y.mean()) ** 2)
        return {
            "quoted less true": result.mean - true,
            "quoted less the refitted model's": result.mean - refitted,
            "interval holds the truth": true in result.interval,
            "interval holds the refitted model's": refitted in result.interval,
            "point within its interval": result.interval.low < result.mean < result.interval.high,
        }

    return compute


def xor_table(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """The signs of two of six columns decide together; 5% of the answers are wrong."""
    x = rng.normal(size=(n, 6))
    y = (x[:, 0] * x[:, 1] > 0) ^ (rng.random(n) < 0.05)
    return pd.DataFrame(x, columns=list("abcdef")).assign(y=np.where(y, "p", "q"))


def beside_truth(make: Callable[[np.random.Generator, int], pd.DataFrame], n: int) -> Callable[..., dict[str, float]]:
    """The accuracy that a study quotes, and the corrected one, beside that of its model on fresh rows."""

    def compute(rng: np.random.Generator) -> dict[str, float]:
        with TemporaryDirectory() as folder:
            study = tamis.Study(make(rng, n), target="y", folder=Path(folder) / "s", lock=0, n_jobs=1).run()
            fresh = make(rng, N_FRESH)
            true = float(np.mean(np.asarray(study.predict(fresh.drop(columns="y"))) == fresh["y"].to_numpy()))
            found = study.results_["answer"]
        captured, interval = found["signal"] == "captured", found["interval"]
        corrected = found["score"] if found["corrected_score"] is None else found["corrected_score"]
        return {
            "interval holds the truth": interval[0] <= true <= interval[1],
            "quoted less true, where captured": found["score"] - true if captured else np.nan,
            "corrected less true, where captured": corrected - true if captured else np.nan,
        }

    return compute


CELLS = [
    *(
        Cell(
            "R²",
            f"{n} rows, {kind}",
            pooled_r_squared(n, kind),
            {
                "quoted less true": Figure(-0.02, 0.02, rate=False),
                "quoted less the refitted model's": Figure(-0.05, 0.02, rate=False),
                "interval holds the truth": Figure(0.9, 0.99),
                "interval holds the refitted model's": Figure(0.9, 1.0),
                "point within its interval": Figure(low=1.0),
            },
            tables=200,
        )
        for n in (25, 40, 60, 120, 400)
        for kind in ("normal", "lognormal", "zero-inflated")
    ),
    Cell("scores", "XOR, 150 rows", beside_truth(xor_table, 150), {"interval holds the truth": Figure(low=0.9)}, 36),
    Cell(
        "scores",
        "weak signal, 100 × 8",
        beside_truth(weak_table, 100),
        {
            "interval holds the truth": Figure(low=0.9),
            "quoted less true, where captured": Figure(-0.03, 0.1, rate=False),
            "corrected less true, where captured": Figure(-0.02, 0.02, rate=False),
        },
    ),
]
