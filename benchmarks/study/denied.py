"""How often a study of few rows of a real table denies its signal, and how often it claims one when there is none.

    python benchmarks/study/denied.py --data ../shared/data/suite [--rows 60,120] [--splits 1] [tables]

Of each table so many rows are drawn at random, and a study is run with its default settings: once as they are, where a
denial is taken to be false (the tables were collected because their columns tell the target), and once with the target
shuffled, where every claim is false. Printed are the answers by how often each was given, and of those that columns
alone give (`by_columns_alone`) how often the procedure taken loses less than the baseline on the rows not drawn.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from many_tables import arguments, given

import tamis


def answer(frame: pd.DataFrame, jobs: int) -> tuple[str, tamis.Study]:
    """What a study says of a signal: captured, uncaptured, by columns alone, or none."""
    with tempfile.TemporaryDirectory() as place:
        study = tamis.Study(frame, target="target", folder=Path(place) / "s", n_jobs=jobs).run()
        found = study.results_["answer"]
        return ("by columns alone" if found["by_columns_alone"] else found["signal"]), study


def loss(study: tamis.Study, train: pd.DataFrame, test: pd.DataFrame) -> tuple[float, float]:
    """Brier score or squared error on new rows, of the study's model and of a constant answer."""
    X, y = test.drop(columns="target"), test["target"]
    if study.model_.task == "regression":
        own = np.asarray(study.predict(X))
        return float(np.mean((y - own) ** 2)), float(np.mean((y - train["target"].mean()) ** 2))
    labels = [str(label) for label in study.model_.labels]
    truth = (y.astype(str).to_numpy()[:, None] == np.array(labels)).astype(float)
    share = (train["target"].astype(str).to_numpy()[:, None] == np.array(labels)).mean(axis=0)
    own = np.asarray(study.predict_proba(X))
    return float(np.square(truth - own).sum(axis=1).mean()), float(np.square(truth - share).sum(axis=1).mean())


def main() -> None:
    parser = arguments(__doc__, most=10_000, columns=1_000, splits=1, jobs=2)
    parser.add_argument("--rows", default="60,120", help="rows to draw, separated by commas")
    options = parser.parse_args()
    for rows in map(int, options.rows.split(",")):
        said: dict[str, Counter[str]] = {"as it is": Counter(), "shuffled": Counter()}
        better, denied, claimed = [], [], []
        for name, frame in given(options):
            if len(frame) < 2 * rows:
                continue
            for split in range(options.splits):
                rng = np.random.default_rng([split, rows])
                order = rng.permutation(len(frame))
                train, test = frame.iloc[order[:rows]].reset_index(drop=True), frame.iloc[order[rows:]]
                try:
                    found, study = answer(train, options.jobs)
                    null, _ = answer(train.assign(target=rng.permutation(train["target"].to_numpy())), options.jobs)
                except tamis.errors.TamisError as error:  # one class, say
                    print(f"  {name}: {error}")
                    continue
                said["as it is"][found] += 1
                said["shuffled"][null] += 1
                denied += [name] * (found == "none")
                claimed += [f"{name} ({null})"] * (null != "none")
                if found == "by columns alone":
                    own, constant = loss(study, train, test)
                    better.append((name, study.results_["answer"]["procedure"], own, constant))
        for target, counts in said.items():
            print(f"{rows} rows, target {target}: " + ", ".join(f"{word} {n}" for word, n in counts.most_common()))
        print(f"  denied: {', '.join(denied) or 'none'}; claimed of shuffled targets: {', '.join(claimed) or 'none'}")
        for name, procedure, own, constant in better:
            print(f"  by columns alone: {name}, {procedure}: loss on new rows {own:.4g}, of a constant {constant:.4g}")
        print(flush=True)


if __name__ == "__main__":
    main()
