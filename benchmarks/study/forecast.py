"""The quoted score as a forecast: how far it lies from the score of the model on rows kept away from the study.

    python benchmarks/study/forecast.py --data ../shared/data/suite [--most 6000] [--splits 1] [tables]

Each table of the suite with at least 1,000 rows (at most `--most` of them) is split 70/30. A study with its default
settings, but no lock and no black box, learns from the 70% and quotes a score; its model is scored on the 30% by the
same metric. Printed are both, the difference, and the standard error of the test score by bootstrap of the test rows.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from many_tables import arguments, given
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score

import tamis

FEWEST = 1_000
RESAMPLES = 200


def forecast(frame: pd.DataFrame, split: int, jobs: int) -> tuple[str, str, float, float, float]:
    """The metric, the procedure, the quoted score, the test score, and its standard error."""
    order = np.random.default_rng(split + 1).permutation(len(frame))
    cut = int(0.7 * len(frame))
    train, test = (frame.iloc[rows].reset_index(drop=True) for rows in (order[:cut], order[cut:]))
    with tempfile.TemporaryDirectory() as place:
        study = tamis.Study(
            train, target="target", folder=Path(place) / "s", lock=0, black_box=False, n_jobs=jobs
        ).run()
        metric, X = study.results_["answer"]["metric"], test.drop(columns="target")
        truth = test["target"].to_numpy()
        shares = study.predict_proba(X) if metric == "roc_auc" else None
        said = np.asarray(study.predict(X))
        quoted, procedure = study.score_, study.results_["answer"]["procedure"]
    if metric == "roc_auc":
        classes = np.unique(train["target"].astype(str))
        answer = (truth.astype(str) == classes[1], np.asarray(shares)[:, 1]) if len(classes) == 2 else None
        if answer is None:
            return metric, procedure, quoted, np.nan, np.nan

        def score(rows: np.ndarray) -> float:
            return float(roc_auc_score(answer[0][rows], answer[1][rows]))
    elif metric == "r2":

        def score(rows: np.ndarray) -> float:
            return float(r2_score(truth[rows], said[rows]))
    else:
        kind = float if truth.dtype.kind == "f" else str  # classes that are whole numbers are said without a point

        def score(rows: np.ndarray) -> float:
            return float(accuracy_score(truth[rows].astype(kind).astype(str), said[rows].astype(kind).astype(str)))

    rng = np.random.default_rng(0)
    drawn = [score(rng.integers(0, len(truth), len(truth))) for _ in range(RESAMPLES)]
    return metric, procedure, quoted, score(np.arange(len(truth))), float(np.std(drawn))


def main() -> None:
    options = arguments(__doc__, most=6_000, columns=1_000, splits=1, jobs=2).parse_args()
    gaps, errors = [], []
    print("| table | rows | metric | procedure | quoted | on the 30% | difference | standard error of the latter | s |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    for name, frame in given(options):
        if len(frame) < FEWEST:
            continue
        for split in range(options.splits):
            start = time.time()
            metric, procedure, quoted, found, error = forecast(frame, split, options.jobs)
            if not np.isfinite(found):
                continue
            gaps.append(quoted - found)
            errors.append(error)
            print(
                f"| {name} | {len(frame):,} | {metric} | {procedure} | {quoted:.3f} | {found:.3f} | {gaps[-1]:+.3f} | "
                f"{error:.3f} | {time.time() - start:.0f} |",
                flush=True,
            )
    far = np.mean(np.abs(np.array(gaps)) > 2 * np.array(errors))
    print(
        f"\n{len(gaps)} runs: mean |quoted - test| {np.mean(np.abs(gaps)):.4f}, mean difference {np.mean(gaps):+.4f}, "
        f"mean standard error of the test score {np.mean(errors):.4f}, beyond two of them {far:.0%}"
    )


if __name__ == "__main__":
    main()
