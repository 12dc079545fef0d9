"""Whether linear models do better when skewed columns come in as logarithms, over many tables.

    python benchmarks/study/symmetrized.py --data ../shared/data/suite [--most 600] [--splits 3] [tables]

Each table of the suite, and of scikit-learn's own (at most `--most` rows), is split 70/30. The lasso and the ridge of a
study learn from the 70% behind each of `WAYS`, and beside them what else a study compares. Printed are, for each way,
the mean test score, its difference to the plain model (mean, standard error over tables, in one half of the tables and
in the other), the tables that gain and lose more than 0.003, the ratio of losses, and processor seconds; then what
"balanced" takes scores, by inner losses, with the lasso as it is, behind `Symmetrize`, and with both.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
from many_tables import kept_arguments, results_of, split_of
from split_scores import keep, place_of

from tamis.evaluate.cross_validate import Trained, cross_validate
from tamis.metrics.intervals.paired import row_losses
from tamis.study.procedures.models.linear import tuned_linear
from tamis.study.procedures.models.transformed import Transformed
from tamis.study.requested import chosen
from tamis.transform import Rank, Symmetrize

#: What is done to columns before a linear model.
WAYS = {
    "as they are": None,
    "log, skewness > 1": Symmetrize(1.0),
    "log, skewness > 2": Symmetrize(2.0),
    "log > 1, ranks of tails > 6": Symmetrize(1.0, tails=6.0),
    "log > 1, ranks of tails > 3": Symmetrize(1.0, tails=3.0),
    "normal scores of all": Rank("normal", n_values=200),
}
PENALTIES = ("lasso", "ridge")

#: The way that stands in the choice.
TAKEN = "log, skewness > 2"

#: A table gains or loses where its score moves by more.
MOVED = 0.003


def behind(way: Any, model: Any) -> Any:
    """A model behind a transform."""
    return model if way is None else Transformed([("transform", way), ("model", model)])


def outside(trained: Trained) -> dict[str, Any]:
    """Score and loss on the rows held out."""
    problem, fold = trained.problem, trained.fold
    answer = trained.predictions(fold.test)
    kind = "squared_error" if problem.classes is None else "brier"
    truth, found = problem.y[fold.test], row_losses(kind, problem.codes[fold.test], answer, n_train=len(fold.train))
    right = (
        1 - float(((truth - answer) ** 2).mean() / truth.var())
        if problem.classes is None
        else float((truth == problem.classes[answer.argmax(axis=1)]).mean())
    )
    return {"score": right, "loss": float(found.mean())}


def one(frame: pd.DataFrame, split: int) -> dict[str, Any]:
    """What is kept of every way, and of everything that a study compares, in one split."""
    problem, X, _, fold = split_of(frame, split)

    def judged(model: Any, kept: Any) -> dict[str, Any]:
        start = time.process_time()
        found: dict[str, Any] = cross_validate(problem, {"one": model}, [fold], kept, n_jobs=1)["one"][0]
        return {**found, "seconds": time.process_time() - start}

    ways = {
        (penalty, name): judged(behind(way, tuned_linear(problem.task, penalty)), outside)
        for penalty in PENALTIES
        for name, way in WAYS.items()
    }
    inside = keep
    compared = {
        procedure.name: judged(procedure.make(problem.task), inside)
        for procedure in chosen(["stump", "tree", "lasso", "forest"], shape=(len(fold.train), X.shape[1]))
    }
    compared["log-lasso"] = judged(behind(WAYS[TAKEN], tuned_linear(problem.task, "lasso")), inside)
    return {"ways": ways, "compared": compared}


def line(results: dict[str, list[dict[str, Any]]], penalty: str, name: str) -> str:
    """The figures of one way."""
    plain = next(iter(WAYS))
    own = [[split["ways"][penalty, name] for split in splits] for splits in results.values()]
    base = [[split["ways"][penalty, plain] for split in splits] for splits in results.values()]
    scores = np.array([np.mean([one["score"] for one in splits]) for splits in own])
    gain = scores - np.array([np.mean([one["score"] for one in splits]) for splits in base])
    ratio = [np.log((a["loss"] + 1e-9) / (b["loss"] + 1e-9)) for x, y in zip(own, base) for a, b in zip(x, y)]
    error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else np.nan
    halves = f"{gain[::2].mean():+.4f} | {gain[1::2].mean() if len(gain) > 1 else np.nan:+.4f}"
    moved = f"{(gain > MOVED).sum()} | {(gain < -MOVED).sum()}"
    seconds = np.mean([one["seconds"] for splits in own for one in splits])
    first = f"{scores.mean():.4f} | {gain.mean():+.4f} ± {error:.4f} | {halves}"
    return f"{first} | {moved} | {np.exp(np.mean(ratio)):.3f} | {seconds:.2f}"


def balanced(results: dict[str, list[dict[str, Any]]], names: list[str]) -> str:
    """What "balanced" takes of these procedures scores, how often the last linear one is taken, and seconds."""
    scores, taken, seconds = [], 0, []
    for splits in results.values():
        own = []
        for split in splits:
            facts = [split["compared"][name] for name in names]
            place = place_of({"facts": facts}, 0.99)
            own.append(facts[place]["score"])
            taken += names[place] == names[-2]
            seconds.append(sum(fact["seconds"] for fact in facts))
        scores.append(np.mean(own))
    halves = f"{np.mean(scores[::2]):.4f} | {np.mean(scores[1::2] or [np.nan]):.4f}"
    return f"{np.mean(scores):.4f} | {halves} | {taken} | {np.mean(seconds):.2f}"


def main() -> None:
    results = results_of(kept_arguments(__doc__, most=600, columns=400, splits=3, jobs=1).parse_args(), one)
    print(f"\n{len(results)} tables")
    print("| model, columns | score | gain ± se | one half | other half | better | worse | loss, ratio | s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for penalty in PENALTIES:
        for name in WAYS:
            print(f"| {penalty}, {name} | {line(results, penalty, name)} |")
    print(
        "\n| compared | score of what is taken | one half | other half | linear taken | s |\n|---|---|---|---|---|---|"
    )
    for lasso in (["lasso"], ["log-lasso"], ["lasso", "log-lasso"]):
        names = ["baseline", "stump", "tree", *lasso, "forest"]
        print(f"| {', '.join(names)} | {balanced(results, names)} |")


if __name__ == "__main__":
    main()
