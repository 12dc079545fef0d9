"""What one more procedure would bring to the choice, over many tables.

    python benchmarks/study/candidates.py --data ../shared/data/suite [--most 600] [--splits 3] [tables]

Each table of the suite, and of scikit-learn's own (at most `--most` rows), is split 70/30. The study's procedures,
those that are compared only by name, and forests with the best and with random thresholds, not halved, learn from the
70%; inner losses come from out-of-fold predictions. For each set of candidates it is printed what "balanced" takes
scores on the 30%, over half of the tables and over the other half, how often the one added is taken, the share of
columns on tables of more than 20, and the processor seconds of all fits.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
from many_tables import kept_arguments, results_of, split_of
from split_scores import keep, place_of, rivals, score

from tamis import ForestClassifier, ForestRegressor, MirrorSelector
from tamis.errors import TamisError
from tamis.evaluate.cross_validate import cross_validate
from tamis.study.procedures import all_procedures
from tamis.study.requested import chosen

#: Those that any set holds, simplest first.
PLAIN = ("baseline", "stump", "tree", "lasso")


COMPARED = [one.name for one in all_procedures().values() if one.compared == "best"]
NAMED = [one.name for one in all_procedures().values() if one.compared == "named" and one.reference is None]


def models(task: str, shape: tuple[int, int]) -> dict[str, Any]:
    """Name -> unfitted model, for so many rows and columns; a procedure of another task is left out."""
    found = {}
    for procedure in chosen([*COMPARED, *NAMED], shape=shape):
        try:
            found[procedure.name] = procedure.make(task)
        except TamisError:
            continue
    for kind in ("best", "random"):
        numbers = task == "regression"
        forest = (
            ForestRegressor(200, max_features=0.5, thresholds=kind)
            if numbers
            else ForestClassifier(200, thresholds=kind)
        )
        found[f"forest, {kind} thresholds"] = MirrorSelector(forest)
    return found


def one(frame: pd.DataFrame, split: int) -> dict[str, Any]:
    """What is kept of every candidate, its seconds, and the best score of scikit-learn's three."""
    problem, X, y, fold = split_of(frame, split)
    learn, test, facts = fold.train, fold.test, {}
    for name, model in models(problem.task, (len(learn), X.shape[1])).items():
        start = time.process_time()
        kept = cross_validate(problem, {name: model}, [fold], keep, n_jobs=1)[name][0]
        facts[name] = {**kept, "seconds": time.process_time() - start}
    beside = [
        score(y[test], m.fit(X.iloc[learn], y[learn]).predict(X.iloc[test]))
        for m in rivals(problem.task == "regression").values()
    ]
    return {"facts": facts, "n_columns": X.shape[1], "best of three": max(beside)}


def line(results: dict[str, list[dict[str, Any]]], names: list[str], added: str) -> str:
    """Scores of both halves, how often the one added is taken, columns of wide tables, seconds."""
    scores: list[float] = []
    under, many, seconds, taken = [], [], [], 0
    for splits in results.values():
        own = []
        for found in splits:
            there = [name for name in names if name in found["facts"]]
            facts = [found["facts"][name] for name in there]
            place = place_of({"facts": facts}, 0.99)
            own.append(facts[place]["score"])
            under.append(found["best of three"] - own[-1])
            taken += there[place] == added
            seconds.append(sum(fact["seconds"] for fact in facts))
            if found["n_columns"] > 20:
                many.append(facts[place]["columns"] / found["n_columns"])
        scores.append(float(np.mean(own)))
    wide = f"{np.mean(many):.2f}" if many else "–"
    halves = f"{np.mean(scores[::2]):.4f} | {np.mean(scores[1::2] or [np.nan]):.4f}"
    return f"{halves} | {np.mean(under):+.4f} | {taken} | {wide} | {np.mean(seconds):.1f}"


def main() -> None:
    found = results_of(kept_arguments(__doc__, most=600, columns=400, splits=3, jobs=1).parse_args(), one)
    results = {name: found[name] for name in sorted(found)}
    plain = "forest, best thresholds"
    print(f"\n{len(results)} tables\n| compared | one half | other half | under | taken | columns of > 20 | s |")
    print(f"|---|---|---|---|---|---|---|\n| plain | {line(results, [*PLAIN, plain], plain)} |")
    for forest in ("forest, random thresholds", "forest"):
        print(f"| {forest} instead | {line(results, [*PLAIN, forest], forest)} |")
    for procedure in map(all_procedures().get, (*NAMED, "ridge")):
        last = [plain, procedure.name] if procedure.name == "knn" else [procedure.name, plain]
        print(f"| and {procedure.name} | {line(results, [*PLAIN, *last], procedure.name)} |")


if __name__ == "__main__":
    main()
