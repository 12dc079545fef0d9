"""What the locked rows cost: the test score of a study's model by the share of rows that are locked.

    python benchmarks/study/lock.py --data ../shared/data/suite [--most 3000] [--splits 3] [--jobs 2] [tables]

Each table is split 70/30. A study with its default settings, but no black box, is run on the 70% with a fifth of the
rows locked, a tenth, and none; its model is scored on the 30% (accuracy, or R²). Beside stands the half width of the
95% interval that the locked rows would give to an accuracy like the one found: what the lock is good for.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from many_tables import arguments, given
from sklearn.metrics import accuracy_score, r2_score

import tamis

SHARES = (0.2, 0.1, 0.0)


def score(frame: pd.DataFrame, split: int, share: float, jobs: int) -> tuple[float, int]:
    """The score on the 30%, and how many rows were locked."""
    order = np.random.default_rng(split + 1).permutation(len(frame))
    cut = int(0.7 * len(frame))
    train, test = (frame.iloc[rows].reset_index(drop=True) for rows in (order[:cut], order[cut:]))
    with tempfile.TemporaryDirectory() as place:
        asked = {"target": "target", "folder": Path(place) / "s", "lock": share, "black_box": False, "n_jobs": jobs}
        study = tamis.Study(train, **asked).run()
        said, truth = np.asarray(study.predict(test.drop(columns="target"))), test["target"].to_numpy()
        locked = len(study.locked_rows_)
        is_numbers = study.results_["answer"]["metric"] == "r2"
    if is_numbers:
        return float(r2_score(truth, said)), locked
    kind = float if truth.dtype.kind == "f" else str  # classes that are whole numbers are said without a point
    return float(accuracy_score(truth.astype(kind).astype(str), said.astype(kind).astype(str))), locked


def main() -> None:
    options = arguments(__doc__, most=3_000, columns=1_000, splits=3, jobs=2).parse_args()
    print(f"| table | rows | {' | '.join(f'{share:.0%} locked' for share in SHARES)} | half width, a fifth locked |")
    print(f"|---|---|{'---|' * len(SHARES)}---|", flush=True)
    all_scores = []
    for name, frame in given(options):
        found = [[score(frame, split, share, options.jobs) for share in SHARES] for split in range(options.splits)]
        scores = np.array([[one[0] for one in line] for line in found])
        all_scores.append(scores.mean(axis=0))
        share, locked = float(np.clip(scores[:, 0].mean(), 0.5, 0.99)), np.mean([line[0][1] for line in found])
        width = f"{1.96 * np.sqrt(share * (1 - share) / locked):.3f}" if locked else "–"
        means = " | ".join(f"{one:.3f}" for one in all_scores[-1])
        print(f"| {name} | {int(0.7 * len(frame)):,} | {means} | {width} |", flush=True)
    means = np.mean(all_scores, axis=0)
    lost = np.array(all_scores)[:, -1:] - np.array(all_scores)
    errors = lost.std(axis=0, ddof=1) / np.sqrt(len(lost)) if len(lost) > 1 else np.zeros(len(SHARES))
    said = [f"{s:.0%} locked {m:.4f} ({m - means[-1]:+.4f} ± {e:.4f})" for s, m, e in zip(SHARES, means, errors)]
    print(f"\n{len(all_scores)} tables, {options.splits} splits: {'; '.join(said)}")


if __name__ == "__main__":
    main()
