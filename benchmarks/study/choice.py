"""What the choice between procedures gives, over many tables: by rule, and with or without a third loop of folds.

    python benchmarks/study/choice.py --data ../shared/data/suite [--most 1000] [--splits 2] [--jobs 2] [tables]

Each table (at most `--most` rows of it) is split 70/30. Every procedure of the study learns from the 70%; its inner
losses come from its own out-of-fold predictions (as in a study) and from a third loop, in which the whole procedure,
its tuning included, is fitted anew in each inner fold. From either the choice is made by each rule, and judged on the
30%: accuracy or R², the share of columns in use, and how often both loops choose the same.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from tamis.engine import seed_of
from tamis.evaluate.cross_validate import Fold, Trained, cross_validate, predictions, train
from tamis.evaluate.inner import inner_folds
from tamis.evaluate.problem import problem_of
from tamis.metrics.intervals.paired import row_losses
from tamis.study.choose import KEPT, choose
from tamis.study.procedure.fitted import FittedProcedure
from tamis.study.procedures import PROCEDURES
from tamis.table import Table


def third_loop(trained: Trained) -> np.ndarray:
    """Out-of-fold predictions by the procedure fitted, and tuned, anew in each inner fold."""
    problem, rows = trained.problem, trained.fold.train
    out = np.full((len(rows),) if problem.classes is None else (len(rows), len(problem.classes)), np.nan)
    for place, (learn, judged) in enumerate(trained.pairs):
        seed = seed_of(trained.seed, "third", place)
        own = rows[learn]
        model = train(problem, trained.procedure, own, seed, lambda k, own=own: inner_folds(problem, own, k or 5, 0))
        out[judged] = predictions(problem, model, rows[judged])
    return out


def keep(trained: Trained) -> dict[str, Any]:
    """Inner losses by either loop, the score on the rows held out, and the number of columns."""
    problem, fold = trained.problem, trained.fold
    kind = "squared_error" if problem.classes is None else "brier"
    truth, answer = problem.y[fold.test], trained.predictions(fold.test)
    inner = {}
    for name, inside in (("own", trained.inner_predictions()), ("third", third_loop(trained))):
        judged = ~np.isnan(inside if inside.ndim == 1 else inside[:, 0])
        losses = np.zeros(len(fold.train))
        losses[judged] = row_losses(kind, problem.codes[fold.train[judged]], inside[judged], n_train=len(fold.train))
        inner[name] = losses
    if problem.classes is None:
        score = 1 - float(((truth - answer) ** 2).mean() / truth.var())
    else:
        score = float((problem.classes[answer.argmax(axis=1)] == truth).mean())
    columns = len(FittedProcedure("", trained.model, problem.names).columns)
    return {**inner, "score": score, "columns": columns}


def one(frame: pd.DataFrame, split: int, jobs: int) -> dict[str, Any]:
    """Scores and columns of every procedure, and the places that each rule chooses by either loop."""
    y = frame["target"].to_numpy()
    numbers = y.dtype.kind == "f"
    y = y if numbers else pd.factorize(y, sort=True)[0]
    problem = problem_of([], Table.of(frame.drop(columns="target")), y, task="numbers" if numbers else "classes")
    rows = np.arange(len(y))
    learn, test = train_test_split(rows, test_size=0.3, random_state=split, stratify=None if numbers else y)
    fold = Fold("all", np.sort(learn), np.sort(test), 0, split)
    made = {procedure.name: procedure.make(problem.task) for procedure in PROCEDURES}
    found = cross_validate(problem, made, [fold], keep, inner=5, n_jobs=jobs)
    facts = [kept[0] for kept in found.values()]
    each = np.ones(len(learn))
    chosen = {
        (loop, rule): choose([fact[loop] for fact in facts], each, rule) for loop in ("own", "third") for rule in KEPT
    }
    return {
        "score": [fact["score"] for fact in facts],
        "columns": [fact["columns"] / problem.X.n_columns for fact in facts],
        "chosen": chosen,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--data", default="../shared/data/suite")
    parser.add_argument("--most", type=int, default=1_000, help="rows of a table")
    parser.add_argument("--columns", type=int, default=200, help="tables with more are left out")
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    for path in sorted(Path(options.data).glob("*.parquet")):
        frame = pd.read_parquet(path)
        if (options.tables and path.stem not in options.tables) or frame.shape[1] - 1 > options.columns:
            continue
        frame = frame.sample(min(options.most, len(frame)), random_state=0).reset_index(drop=True)
        if frame["target"].dtype.kind != "f":
            often = frame["target"].map(frame["target"].value_counts())
            frame = frame[often >= 10].reset_index(drop=True)
        own = [one(frame, split, options.jobs) for split in range(options.splits)]
        found += own
        names = [procedure.name for procedure in PROCEDURES]
        scores = np.mean([fact["score"] for fact in own], axis=0)
        said = ", ".join(f"{name} {score:.3f}" for name, score in zip(names, scores))
        took = [
            f"{names[fact['chosen']['own', 'balanced']]}/{names[fact['chosen']['third', 'balanced']]}" for fact in own
        ]
        print(f"{path.stem}: {said}; chosen, own/third loop: {' '.join(took)}", flush=True)
    best = np.array([max(fact["score"]) for fact in found])
    print(f"\n{len(found)} splits; mean of the best procedure on the test rows {best.mean():.4f}")
    print("| rule | loop | mean score | behind the best | share of columns | as the third loop |")
    print(f"|{'---|' * 6}")
    for rule in KEPT:
        for loop in ("own", "third"):
            places = [fact["chosen"][loop, rule] for fact in found]
            scores = np.array([fact["score"][place] for fact, place in zip(found, places)])
            columns = np.mean([fact["columns"][place] for fact, place in zip(found, places)])
            same = np.mean([fact["chosen"]["own", rule] == fact["chosen"]["third", rule] for fact in found])
            behind = f"{(best - scores).mean():.4f}"
            print(f"| {rule} | {loop} | {scores.mean():.4f} | {behind} | {columns:.2f} | {same:.2f} |")
    own, third = (
        np.array([fact["score"][fact["chosen"][loop, "balanced"]] for fact in found]) for loop in ("own", "third")
    )
    gap = own - third
    print(
        f"balanced, own minus third loop: {gap.mean():+.4f} (standard error {gap.std(ddof=1) / np.sqrt(len(gap)):.4f})"
    )


if __name__ == "__main__":
    main()
