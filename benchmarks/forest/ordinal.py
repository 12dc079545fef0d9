"""Forests of ordered classes: the ranked probability score of new rows, by what splits compare.

    python benchmarks/forest/ordinal.py --data ../shared/data/suite [--most 1000] [--splits 5]

Graded tables (swd, wine_quality_red, car_evaluation) as they are, and tables of numbers whose target is cut
into five ordered classes: of equal size, with a long tail, or with a wide middle. Each (at most `--most` of its rows)
is split 70/30. Every forest is a study's, of 200 calibrated trees on sifted columns, and, by itself, one on all
columns.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from tamis import ForestClassifier
from tamis.metrics import score
from tamis.study.procedures.forest import sifted_forest

#: Graded targets, lowest first.
GRADED = {
    "swd": ("c2", "c3", "c4", "c5"),
    "wine_quality_red": ("c3", "c4", "c5", "c6", "c7", "c8"),
    "car_evaluation": ("c0", "c3", "c1", "c2"),
}

#: Shares of the rows up to each cut of a target of numbers.
CUTS = {"even": (0.2, 0.4, 0.6, 0.8), "tail": (0.5, 0.75, 0.9, 0.97), "middle": (0.05, 0.2, 0.8, 0.95)}

#: Tables of numbers, and how the target of each is cut.
CUT = {
    "auto_price": "even",
    "bodyfat": "middle",
    "cpu_act": "tail",
    "puma8nh": "even",
    "wind": "middle",
    "houses": "even",
    "pollen": "tail",
    "house_16h": "middle",
}

VARIANTS: dict[str, dict[str, Any]] = {
    "gini": {},
    "ranked probability score": {"criterion": "ordinal"},
    "equal": {"criterion": "ordinal", "level_scores": "equal"},
    "normal": {"criterion": "ordinal", "level_scores": "normal"},
    "oob": {"criterion": "ordinal", "level_scores": "oob"},
}


def tables(folder: str, most: int) -> Any:
    """Name, columns and codes of the ordered classes of each table."""
    for name in (*GRADED, *CUT):
        frame = pd.read_parquet(f"{folder}/{name}.parquet")
        X, y = frame.drop(columns="target"), frame["target"]
        if name in GRADED:
            codes = np.array([GRADED[name].index(str(value)) for value in y])
        else:
            codes = np.searchsorted(np.quantile(y, CUTS[CUT[name]]), np.asarray(y, dtype=float))
        rows = np.random.default_rng(0).permutation(len(codes))[:most]
        yield name, X.iloc[rows].reset_index(drop=True), np.unique(codes[rows], return_inverse=True)[1]


def judged(X: pd.DataFrame, y: np.ndarray, split: int) -> dict[str, float]:
    """The ranked probability score of each variant on new rows, and processor seconds."""
    learn, test = train_test_split(np.arange(len(y)), test_size=0.3, random_state=split, stratify=y)
    found = {}
    for name, params in VARIANTS.items():
        sifted = sifted_forest("classification", len(learn))
        sifted.set_params(random_state=split, **{f"estimator__{key}": value for key, value in params.items()})
        plain = ForestClassifier(200, calibration="temperature", random_state=split, **params)
        for kind, model in (("study: ", sifted), ("", plain)):
            begin = time.process_time()
            shares = model.fit(X.iloc[learn], y[learn]).predict_proba(X.iloc[test])
            found[f"seconds, {kind}{name}"] = time.process_time() - begin
            found[f"{kind}{name}"] = score("ranked_probability_score", y[test], shares, labels=model.classes_)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", default="../shared/data/suite")
    parser.add_argument("--most", type=int, default=1_000)
    parser.add_argument("--splits", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = {}
    for name, X, y in tables(options.data, options.most):
        rows[name] = pd.DataFrame([judged(X, y, split) for split in range(options.splits)]).mean()
        print(name, {key: round(value, 4) for key, value in rows[name].items() if "sec" not in key}, flush=True)
    table = pd.DataFrame(rows).T
    for kind in ("", "study: "):
        for name in VARIANTS:
            ratio = table[f"{kind}{name}"] / table[f"{kind}gini"]
            seconds = table[f"seconds, {kind}{name}"].sum() / table[f"seconds, {kind}gini"].sum()
            mean, lower = np.exp(np.log(ratio).mean()), f"lower on {(ratio < 1).sum()} of {len(ratio)}"
            ends = f"worst {ratio.max():.3f}, best {ratio.min():.3f}"
            print(f"{kind}{name}: {mean:.4f} of gini's, {lower}; {ends}; {seconds:.2f} of its time")


if __name__ == "__main__":
    main()
