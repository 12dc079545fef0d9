"""How far a study's forest may halve its columns: loss, score and columns by the share of the gain that is kept.

    python benchmarks/search/halving.py --data ../shared/data/suite held/held_back [--most 1500] [--splits 2]

Each table of 21 to `--columns` columns (at most `--most` of its rows) is split 70/30. The forest of a study learns from
the 70%, without halving, and halved as long as rows held out keep 99.5%, 99% and 98% of the gain over a constant
answer. On the 30%: the Brier score (or the share of the variance left), accuracy (or R²), and the share of columns.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from tamis.search.resampling import halving
from tamis.study.procedures.forest import sifted_forest

FEWEST, MANY_COLUMNS = 6, 20
SHARES = (None, 0.995, 0.99, 0.98)


def judged(X: pd.DataFrame, y: np.ndarray, split: int, share: float | None) -> tuple[float, float, float]:
    """Loss and score on the 30%, and the share of the columns that are used."""
    numbers = y.dtype.kind == "f"
    learn, test = train_test_split(
        np.arange(len(y)), test_size=0.3, random_state=split, stratify=None if numbers else y
    )
    model = sifted_forest("regression" if numbers else "classes", len(learn)).set_params(random_state=split)
    if share is None:
        model.set_params(halvings=0)
    else:
        halving.KEPT = share
    model.fit(X.iloc[learn], y[learn])
    columns = len(model.selected_columns_) / X.shape[1]
    if numbers:
        left = float(np.square(model.predict(X.iloc[test]) - y[test]).mean() / y[test].var())
        return left, 1 - left, columns
    shares = model.predict_proba(X.iloc[test])
    brier = np.square(shares - (y[test][:, None] == model.classes_)).sum(axis=1).mean()
    return float(brier), float((model.classes_[shares.argmax(axis=1)] == y[test]).mean()), columns


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=["../shared/data/suite"])
    parser.add_argument("--most", type=int, default=1_500)
    parser.add_argument("--columns", type=int, default=1_000)
    parser.add_argument("--splits", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    for path in [path for place in options.data for path in sorted(Path(place).glob("*.parquet"))]:
        frame = pd.read_parquet(path).rename(columns={"class": "target"})
        if not MANY_COLUMNS < frame.shape[1] - 1 <= options.columns:
            continue
        frame = frame.sample(min(options.most, len(frame)), random_state=0).reset_index(drop=True)
        if frame["target"].dtype.kind != "f":
            frame = frame[frame["target"].map(frame["target"].value_counts()) >= FEWEST].reset_index(drop=True)
        y, X = frame["target"].to_numpy(), frame.drop(columns="target")
        y = y if y.dtype.kind == "f" else pd.factorize(y, sort=True)[0]
        lines = [[judged(X, y, split, share) for share in SHARES] for split in range(options.splits)]
        found.append(np.mean(lines, axis=0))
        said = "; ".join(
            f"{'all' if share is None else share} {loss:.4f}, {score:.3f}, {columns:.2f}"
            for share, (loss, score, columns) in zip(SHARES, found[-1])
        )
        print(f"{path.stem}, {len(frame):,} × {X.shape[1]}: {said}", flush=True)
    print(f"\n{len(found)} tables, {options.splits} splits: loss, score, share of columns")
    for share, (loss, score, columns) in zip(SHARES, np.mean(found, axis=0)):
        print(f"{'not halved' if share is None else f'{share:.1%} kept'}: {loss:.4f}, {score:.4f}, {columns:.2f}")


if __name__ == "__main__":
    main()
