"""Score cards beside FasterRisk at equal size: log loss on training and held-out rows, processor seconds.

    python benchmarks/linear/score_card.py --data ../shared/data/suite [tables]

Each table of two classes (the commonest class against all others where there are more; at most 2,000 rows) is split
70/30 twice. Both search cards of five and of eight statements, with points from -5 to 5, among the same statements.
FasterRisk (where it is installed) has its default beam and pool; its card is that of the pool with the least training
loss.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from time import process_time

import numpy as np
import pandas as pd

from tamis.linear import ScoreCard
from tamis.linear.card.statement import statements_of
from tamis.table import Table

TABLES = ["german", "heart_c", "haberman", "spambase", "ionosphere", "sonar", "magic", "mushroom"]


def log_loss(risk: np.ndarray, truth: np.ndarray) -> float:
    risk = np.clip(risk, 1e-6, 1 - 1e-6)
    return float(-np.mean(np.where(truth, np.log(risk), np.log(1 - risk))))


def faster_risk(holds: np.ndarray, truth: np.ndarray, train: np.ndarray, n_terms: int) -> tuple[np.ndarray, float]:
    """Risks of all rows by the best card of the pool, and processor seconds."""
    from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer

    start = process_time()
    search = RiskScoreOptimizer(X=holds[train].astype(float), y=np.where(truth[train], 1.0, -1.0), k=n_terms)
    search.optimize()
    seconds = process_time() - start
    multipliers, intercepts, coefficients = search.get_models()
    cards = [RiskScoreClassifier(m, b, c) for m, b, c in zip(multipliers, intercepts, coefficients)]
    risks = [card.predict_prob(holds.astype(float)) for card in cards]
    return min(risks, key=lambda risk: log_loss(risk[train], truth[train])), seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("tables", nargs="*", default=TABLES)
    arguments = parser.parse_args()
    rows = []
    for name in arguments.tables:
        frame = pd.read_parquet(arguments.data / f"{name}.parquet")
        frame = frame.sample(min(2000, len(frame)), random_state=0).reset_index(drop=True)
        target = frame.pop("target").astype(str)
        truth = (target != target.mode()[0]).to_numpy()
        for split in range(2):
            order = np.random.default_rng(split).permutation(len(frame))
            train, test = np.split(order, [int(0.7 * len(order))])
            columns = Table.of(frame)
            statements, _ = statements_of(columns.take(train), 9, np.ones(len(train)))
            holds = np.array([s.holds(columns.column(s.column)) for s in statements]).T
            for n_terms in (5, 8):
                start = process_time()
                card = ScoreCard(n_terms, cv=None).fit(frame.iloc[train], truth[train])
                seconds = process_time() - start
                ours = card.predict_proba(frame)[:, 1]
                row = [name, n_terms, log_loss(ours[train], truth[train]), log_loss(ours[test], truth[test]), seconds]
                try:
                    other, other_seconds = faster_risk(holds, truth, train, n_terms)
                    row += [log_loss(other[train], truth[train]), log_loss(other[test], truth[test]), other_seconds]
                except ImportError:
                    row += [np.nan] * 3
                rows.append(row)
                words = f"{name:12} {n_terms} terms: training {row[2]:.3f} {row[5]:.3f}"
                print(f"{words}  held out {row[3]:.3f} {row[6]:.3f}  {row[4]:.2f} s {row[7]:.2f} s", flush=True)
    names = ["table", "terms", "train", "test", "seconds", "train_other", "test_other", "seconds_other"]
    result = pd.DataFrame(rows, columns=names).groupby("terms")
    mean = result[["train", "train_other", "test", "test_other"]].mean()
    mean["seconds, ratio"] = result["seconds_other"].sum() / result["seconds"].sum()
    print(mean.round(4))


if __name__ == "__main__":
    main()
