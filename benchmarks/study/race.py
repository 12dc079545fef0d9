"""What the race inside training parts spares, and whether it changes what they choose, by its margin.

    python benchmarks/study/race.py --data ../shared/data/suite [--most 1000] [--splits 3] [tables]

Each table of the suite and of scikit-learn's own is split 70/30. All procedures that a study of the 70% would compare
learn from them, and all inner fits are made. From these it is worked out, for several margins (in standard errors of
the paired difference), where the race would have ended: the forest out or ahead by its out-of-bag answers, or out after
some of the inner folds; which procedure would have been picked; and the score of that on the 30%.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from many_tables import kept_arguments, results_of, split_of
from split_scores import score

from tamis.evaluate.cross_validate import Trained, cross_validate
from tamis.metrics.intervals.paired import row_losses
from tamis.study.choose import choose
from tamis.study.comparison import race
from tamis.study.comparison.race import Race
from tamis.study.requested import chosen

MARGINS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0)


def keep(trained: Trained) -> dict[str, Any]:
    """Losses of the training rows after every inner fold, and out of the bag; the score on the rows held out."""
    problem, fold = trained.problem, trained.fold
    kind = "squared_error" if problem.classes is None else "brier"

    def losses(answers: np.ndarray) -> dict[str, Any]:
        judged = ~np.isnan(answers if answers.ndim == 1 else answers[:, 0])
        found = np.zeros(len(answers))
        found[judged] = row_losses(kind, problem.codes[fold.train[judged]], answers[judged], n_train=len(answers))
        return {"loss": found, "rows": judged.astype(np.int64)}

    answer = trained.predictions(fold.test)
    given = answer if problem.classes is None else problem.classes[answer.argmax(axis=1)]
    return {
        "steps": [losses(answers) for answers in trained.inner_steps()],
        "bag": [(verdict, losses(answers)) for verdict, answers in race._out_of_bag(trained)],
        "score": score(problem.y[fold.test], given),
    }


def one(frame: pd.DataFrame, split: int, jobs: int) -> dict[str, Any]:
    """What every procedure keeps of one split."""
    problem, X, _, fold = split_of(frame, split)
    learn = fold.train
    made = {one.name: one.make(problem.task) for one in chosen(None, shape=(len(learn), X.shape[1]))}
    found = cross_validate(problem, made, [fold], keep, inner=3 if len(learn) >= 2_000 else 5, n_jobs=jobs)
    return {name: kept[0] for name, kept in found.items()}


def ended(facts: dict[str, Any], bag: float, folds: float, prefer: str) -> tuple[str, str, int]:
    """What is picked, how the forest's race ended, and how many inner fits it took, for margins of its two stages."""
    names = list(facts)
    full = {name: fact["steps"][-1] for name, fact in facts.items() if name != "forest"}
    run = Race("forest", names, prefer, {0: full})
    own = facts["forest"]["steps"]
    for verdict, losses in facts["forest"]["bag"]:
        if verdict == "out" and run.is_out(0, losses, bag):
            return _picked(full, prefer), "out", 0
        if verdict == "won" and run.has_won(0, losses, bag):
            return "forest", "won", 0
    for done, losses in enumerate(own[:-1], start=1):
        if run.is_out(0, losses, folds):
            return _picked(full, prefer), "out later", done
    return _picked({name: full.get(name, own[-1]) for name in names}, prefer), "finished", len(own)


def _picked(losses: dict[str, Any], prefer: str) -> str:
    rows = np.array([one["rows"] for one in losses.values()])
    common = (rows == rows[0]).all(axis=0)
    return list(losses)[choose([one["loss"][common] for one in losses.values()], rows[0, common], prefer)]


def line(results: dict[str, list[dict[str, Any]]], bag: float, folds: float, prefer: str) -> str:
    """One line of the table: picks that changed, mean score, inner fits that were made."""
    changed, scores, made, planned, ends = 0, [], 0, 0, []
    for splits in results.values():
        for facts in splits:
            full = ended(facts, np.inf, np.inf, prefer)[0]
            picked, how, fits = ended(facts, bag, folds, prefer)
            changed += picked != full
            scores.append(facts[picked]["score"])
            made, planned = made + fits, planned + len(facts["forest"]["steps"])
            ends.append(how)
    count = ", ".join(f"{how} {ends.count(how)}" for how in ("out", "won", "out later", "finished"))
    return (
        f"| {bag:g} | {folds:g} | {changed} of {len(ends)} | {np.mean(scores):.4f} | {made / planned:.0%} | {count} |"
    )


def main() -> None:
    options = kept_arguments(__doc__, most=1_000, columns=10_000, splits=3, jobs=1).parse_args()
    found = results_of(options, lambda frame, split: one(frame, split, options.jobs))
    results = {name: [facts for facts in splits if len(facts["forest"]["steps"]) > 1] for name, splits in found.items()}
    names = sorted(results)
    halves = {"half of the tables": names[::2], "the other half": names[1::2]}
    for half, own in halves.items():
        if not own:
            continue
        print(
            f"\n{half} ({len(own)})\n| margin out of the bag | in inner folds | picks changed | score | fits | ends |"
        )
        print("|---|---|---|---|---|---|")
        some = {name: results[name] for name in own}
        print(line(some, np.inf, np.inf, "balanced"))
        for margin in MARGINS:
            print(line(some, margin, np.inf, "balanced"))
        for margin in MARGINS:
            print(line(some, 2.0, margin, "balanced"))


if __name__ == "__main__":
    main()
