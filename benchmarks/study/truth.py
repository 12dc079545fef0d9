"""What the main job claims where there is nothing to find, and what it finds where there is something.

    python benchmarks/study/truth.py --jobs 2             34 tables of noise a setting (306 in all), 100 with a signal
    python benchmarks/study/truth.py --tables 20 --only "noise 80" --start 1000

Noise: columns and target independent; every claim is false. Signal: 1,500 rows of six columns, two of which decide, 9%
positives, an area under the ROC curve of 0.75 in the population; every denial is false. Studies run with their default
settings. Weak: 100 rows of eight columns, one of which moves the odds by a factor of 2.5 a standard deviation. Printed
are the answers by how often each was given ("by columns": only the test of each column alone shows a signal), how often
one would have been claimed by procedures at other levels of their tests, and the nested score of the whole way of
working (the choice between procedures included) beside the baseline's: in noise it must not lie above it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import tamis


def noise(n: int, d: int, target: str) -> Callable[[np.random.Generator], pd.DataFrame]:
    """A table of independent columns and a target that none of them tells."""

    def make(rng: np.random.Generator) -> pd.DataFrame:
        frame = pd.DataFrame(rng.normal(size=(n, d)), columns=[f"c{j}" for j in range(d)])
        if target == "numbers":
            return frame.assign(y=rng.normal(size=n))
        share = {"balanced": 0.5, "90/10": 0.1}[target]
        return frame.assign(y=rng.permutation(np.where(np.arange(n) < round(share * n), "p", "q")))

    return make


def signal(rng: np.random.Generator) -> pd.DataFrame:
    """Two of six columns decide: an intercept of -2.72 and slopes of 0.8 and 0.62 give 9% positives and AUC 0.75."""
    x = rng.normal(size=(1500, 6))
    p = 1 / (1 + np.exp(2.72 - 0.8 * x[:, 1] - 0.62 * x[:, 4]))
    return pd.DataFrame(x, columns=list("abcdef")).assign(y=np.where(rng.random(1500) < p, "yes", "no"))


def weak(rng: np.random.Generator) -> pd.DataFrame:
    """One of eight columns moves the odds."""
    x = rng.normal(size=(100, 8))
    y = rng.random(100) < 1 / (1 + np.exp(-0.9 * x[:, 2]))
    return pd.DataFrame(x, columns=list("abcdefgh")).assign(y=np.where(y, "yes", "no"))


LEVELS = (0.01, 0.05, 0.1, 0.2)

SETTINGS = {
    **{
        f"noise {n} × {d:,}, {t}": noise(n, d, t)
        for n, d in ((80, 8), (40, 1000), (800, 12))
        for t in ("balanced", "90/10", "numbers")
    },
    "signal 1,500 × 6, 9% positives, AUC 0.75": signal,
    "weak signal 100 × 8": weak,
}


def population() -> str:
    """Share of positives and AUC of the true probability, on a million rows."""
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    x = rng.normal(size=(1_000_000, 2))
    p = 1 / (1 + np.exp(2.72 - 0.8 * x[:, 0] - 0.62 * x[:, 1]))
    y = rng.random(len(p)) < p
    return f"{y.mean():.3f} positives, AUC {roc_auc_score(y, p):.3f}"


class Answer(NamedTuple):
    """What a study says, the p-value of the whole way of working, the least after Holm, and two nested scores."""

    signal: str
    whole: float
    least: float
    score: float
    baseline: float


def answer(name: str, seed: int, procedures: list[str]) -> Answer:
    """What a study of one table says."""
    with tempfile.TemporaryDirectory() as place:
        chosen = {"procedures": procedures} if procedures else {}
        table = SETTINGS[name](np.random.default_rng([seed, len(name)]))
        study = tamis.Study(table, target="y", folder=Path(place) / "s", n_jobs=1, **chosen).run()
        found = study.results_["comparison"]
        least = min(row["p_value"] for row in (*found["procedures"], found["black_box"] or {"p_value": 1.0}))
        said = "by columns" if found["by_columns_alone"] else found["signal"]
        return Answer(said, found["p_value"], least, found["score"], found["procedures"][0]["nested"])


def line(name: str, found: list[Answer]) -> str:
    """How often each answer was given, what other levels would have claimed, and the score above the baseline's."""
    said = Counter(one.signal for one in found)
    shown = ", ".join(f"{word} {said[word]}" for word in ("captured", "uncaptured", "by columns", "none"))
    levels = ", ".join(f"{sum(min(one.whole, one.least) <= a for one in found)} at {a}" for a in LEVELS)
    above = np.array([one.score - one.baseline for one in found])
    error = above.std(ddof=1) / np.sqrt(len(above)) if len(above) > 1 else np.nan
    score = f"score less the baseline's {above.mean():+.3f} (standard error {error:.3f})"
    return f"{name}: {shown} of {len(found)}; by procedures {levels}; {score}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=0, help="tables a setting; 34 of noise, 100 with a signal")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--only", default="", help="settings whose name holds this")
    parser.add_argument("--procedures", default="", help="separated by commas; all by default")
    parser.add_argument("--jobs", type=int, default=1, help="studies side by side")
    options = parser.parse_args()
    print(f"the signal's population: {population()}")
    procedures = options.procedures.split(",") if options.procedures else []
    noise_tables = []
    for name in SETTINGS:
        if options.only not in name:
            continue
        tables = options.tables or (100 if "signal" in name else 34)
        seeds, start = range(options.start, options.start + tables), time.time()
        if options.jobs == 1:
            found = [answer(name, seed, procedures) for seed in seeds]
        else:
            with ProcessPoolExecutor(options.jobs) as pool:
                found = list(pool.map(answer, [name] * tables, seeds, [procedures] * tables))
        print(f"{line(name, found)}; {(time.time() - start) / tables:.1f} s a study", flush=True)
        if name.startswith("noise"):
            noise_tables += found
    if noise_tables:
        print(line("all tables of noise", noise_tables))


if __name__ == "__main__":
    main()
