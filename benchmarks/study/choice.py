"""What the default answer scores beside scikit-learn's forest, boosting and L1, and whether its price is told truly.

    python benchmarks/study/choice.py --data ../shared/data/suite --save FILE [--most 1500] [--splits 5] [tables]
    python benchmarks/study/choice.py --from FILE               other rules of choice on the same fits
    python benchmarks/study/choice.py --prefer best             black boxes may be the answer
    python benchmarks/study/choice.py --learn 500 --most 30000  the price on all other rows of large tables

Every table (at most `--most` rows of it) is studied with three tenths of its rows locked: equal rows lie on one side,
so that no model is paid for copies. Tables too small to lock rows are left out. With `--learn`, all rows but so many
are locked. Every candidate is then fitted on the unlocked rows and scored on the locked ones by accuracy or R². Beside
it stand three models of scikit-learn at their defaults: a random forest, histogram gradient boosting, and an L1
logistic regression or LassoCV on standardised columns; words are indicators for forest and L1, and categories for
boosting.

`--save` appends a line of JSON per table and split, the first split of all tables before the second; a line that is
there is not made again, so that a run can be stopped and taken up.

Of each rule the table says: the mean score; by how much it is under the best of the three, chosen on the test rows of
every split, and chosen once per table; columns; the share of readable answers. It is printed for all tables and for
both halves of them (every second name): a rule that was set on one half is confirmed on the other. "Price" counts the
tables where the interval of the price holds the difference on the locked rows, whose own standard error is added to the
interval, and says where an answer is more than 5 points under the best of three and no price was told beyond chance.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from many_tables import given, kept_arguments
from split_scores import rivals, score

from tamis import engine
from tamis.evaluate.cross_validate import train
from tamis.evaluate.inner_folds import inner_folds
from tamis.metrics.intervals.paired import difference
from tamis.study.choose import KIND_KEPT, rungs_of, simplest
from tamis.study.comparison.compare import Compared, Contest
from tamis.study.comparison.figures import by_unit
from tamis.study.comparison.ladder import rung_records
from tamis.study.fold import FoldRules
from tamis.study.problem import StudyProblem
from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.study.procedures.models.readability import readability
from tamis.study.procedures.models.sized.records import models_by_size
from tamis.study.requested import at_size
from tamis.study.running import Run
from tamis.study.settings import Settings
from tamis.table import Table

#: Rules for numbers of columns: standard errors of the paired difference, share of the best's gain over the baseline.
RULES = {
    "1 error": (1.0, 0.0),
    "80%, 1 error": (1.0, 0.8),
    "90%, 1 error": (1.0, 0.9),
    "95%, 1 error": (1.0, 0.95),
    "98%, 1 error": (1.0, 0.98),
    "95%, 2 errors": (2.0, 0.95),
    "95%, 0.5 errors": (0.5, 0.95),
    "best": (0.0, 1.0),
}

#: Points under the best of three from which on a price is to be told.
DEAR = 0.05

#: Table -> what is known of its splits.
Results = dict[str, list[dict[str, Any]]]

#: Half of the width of a 95% interval, in standard errors.
Z = 1.96


class Memory:
    """A journal that is not written down."""

    def __init__(self) -> None:
        self.done: dict[str, Any] = {}

    def add(self, task: str, seed: int, result: Any) -> None:
        self.done[task] = result


def measured(
    frame: pd.DataFrame, split: int, learn: int, is_compared: bool, prefer: str = "balanced"
) -> dict[str, Any]:
    """Outer losses of every candidate, scores on the locked rows, and what the study says of the price."""
    lock = 0.3 if not learn else min(0.9, 1 - learn / len(frame))
    task = "regression" if frame["target"].dtype.kind == "f" else "classification"
    settings = Settings(target="target", lock=lock, seed=split, task=task, prefer=prefer)
    problem = StudyProblem.of(Table.of(frame), settings)
    if not len(problem.lock.rows):
        return {}
    rules = FoldRules.of(settings, problem)
    run = Run(settings, problem, rules, Memory(), 1)  # type: ignore[arg-type]
    start = time.process_time()
    with engine.one_blas_thread():
        judged, folds = run.judged()
        judged |= {one.name: kept for one, kept in run.judged_references(folds)[0]}
        seconds = time.process_time() - start
        losses = {one.name: by_unit(problem, folds, judged[one.name], "loss") for one in run.candidates}
        facts: dict[str, Any] = {
            "losses": losses,
            "rows": by_unit(problem, folds, judged["baseline"], "rows"),
            "rungs": [by_unit(problem, folds, one, "loss") for one in _records(run, folds, judged)],
            "finals": _finals(run, frame),
            "seconds": seconds,
        }
        if is_compared:
            which = Compared(run.procedures, run.candidates, run.references, sizes=run.sizes)
            contest = Contest(problem, rules, settings.prefer, which, folds, judged, run.association)
            facts["compared"] = contest.comparison.to_dict()
    return {**facts, "rivals": {} if learn else _rivals(frame, problem)}


def _records(run: Run, folds: list[Any], judged: Any) -> list[Any]:
    """What is kept of every rung, its kind chosen by the training rows of each fold."""
    names = [one.name for one in run.candidates]
    return [rung_records([names[place] for place in rung], judged, len(folds)) for rung in rungs_of(names)]


def _finals(run: Run, frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Every candidate and black box, fitted on the unlocked rows: score on the locked ones, columns, readability."""
    problem = run.problem
    rows, test = np.arange(len(problem.y)), problem.lock.rows
    table, truth = problem.table.take(test), frame["target"].to_numpy()[test]
    finals: dict[str, dict[str, Any]] = {}
    for one in (*run.procedures, *run.references):
        made = (at_size(one, 1) if one.by_size else one).make(problem.task)
        model = train(problem, made, rows, 0, lambda k: inner_folds(problem, rows, k or run.rules.inner, 0))
        sized = [(f"{one.name}[{size}]", own) for size, own, _ in models_by_size(model)] if one.by_size else []
        for name, own in sized or [(one.name, model)]:
            fitted = FittedProcedure(name, own, problem.names)
            answers = fitted.answers(table, len(problem.labels))
            given = np.array(problem.labels, dtype=object)[answers.argmax(axis=1)] if problem.labels else answers
            finals[name] = {
                "score": score(truth if not problem.labels else truth.astype(str), _as(given, problem)),
                "rows": _row_scores(truth, _as(given, problem)),
                "columns": len(fitted.columns),
                "readable": readability(own),
            }
    return finals


def _as(given: np.ndarray, problem: StudyProblem) -> np.ndarray:
    return given.astype(str) if problem.labels else given


def _row_scores(truth: np.ndarray, given: np.ndarray) -> np.ndarray:
    """A value per row whose mean is the score."""
    if given.dtype.kind == "f":
        return np.asarray(1 - (truth - given) ** 2 / truth.var())
    return np.asarray(truth.astype(str) == given, dtype=np.float64)


def _rivals(frame: pd.DataFrame, problem: StudyProblem) -> dict[str, float]:
    """Scores of scikit-learn's three on the locked rows."""
    X, y = frame.drop(columns="target"), frame["target"].to_numpy()
    X = X.astype(dict.fromkeys(X.select_dtypes(["object", "string"]), "category"))
    learn, test = problem.rows, problem.lock.rows
    models = rivals(not problem.labels)
    return {name: score(y[test], m.fit(X.iloc[learn], y[learn]).predict(X.iloc[test])) for name, m in models.items()}


def final(facts: dict[str, Any], name: str) -> dict[str, Any]:
    """The fitted model of a candidate; of a size that no model has, the next smaller one."""
    finals: dict[str, dict[str, Any]] = facts["finals"]
    if name in finals:
        return finals[name]
    kind, _, size = name.partition("[")
    sizes = [int(known.partition("[")[2][:-1]) for known in finals if known.startswith(f"{kind}[")]
    return finals[f"{kind}[{max([n for n in sizes if n <= int(size[:-1])] or [min(sizes)])}]"]


def taken(facts: dict[str, Any], errors: float, share: float) -> str:
    """The first rung within so many standard errors of the best, and with this share of its gain; of it, as a study."""
    names, rungs = list(facts["losses"]), facts["rungs"]
    sums = [float(one.sum()) for one in rungs]
    best = rung = int(np.argmin(sums))
    for place in range(best):
        gap = difference(rungs[place], rungs[best], facts["rows"])
        if sums[place] - sums[best] <= (1 - share) * (sums[0] - sums[best]) and gap.mean <= errors * gap.error:
            rung = place
            break
    kinds = [names[place] for place in rungs_of(names)[rung]]
    losses = [facts["losses"][name] for name in (names[0], *kinds)]
    return kinds[max(0, simplest(losses, facts["rows"], KIND_KEPT["balanced"]) - 1)]


def summary(results: Results, errors: float | None = None, share: float = 0.0) -> str:
    """One line: what a rule scores, how far it is under the best of three, and its columns; None: the study's rule."""
    models = {
        name: [
            final(one, taken(one, errors, share) if errors is not None else one["compared"]["chosen"]) for one in splits
        ]
        for name, splits in results.items()
    }
    scores = {name: float(np.mean([model["score"] for model in own])) for name, own in models.items()}
    three = {name: np.array([list(one["rivals"].values()) for one in splits]) for name, splits in results.items()}
    by_split = np.array([three[name].max(axis=1).mean() - scores[name] for name in scores])
    by_table = np.array([three[name].mean(axis=0).max() - scores[name] for name in scores])
    columns = [model["columns"] for own in models.values() for model in own]
    readable = np.mean([model["readable"] != "no" for own in models.values() for model in own])
    under = f"{100 * by_split.mean():.2f} | {100 * by_table.mean():.2f} | {100 * by_table.max():.1f}"
    return f"{np.mean(list(scores.values())):.4f} | {under} | {np.median(columns):g} | {max(columns)} | {readable:.0%}"


def price(facts: dict[str, Any]) -> dict[str, Any] | None:
    """What the study says that reading costs, and the difference on the locked rows with its standard error."""
    box = (facts.get("compared") or {}).get("black_box")
    if box is None or box["cost_interval"] is None or facts["compared"]["chosen"] == "baseline":
        return None
    rows = final(facts, box["name"])["rows"] - final(facts, facts["compared"]["chosen"])["rows"]
    low, high = box["cost_interval"]
    error = float(rows.std(ddof=1) / np.sqrt(len(rows)))
    # the interval is of the population: a finite test set adds its own error
    width = Z * np.hypot((high - low) / (2 * Z), error)
    middle = (low + high) / 2
    return {
        "cost": box["cost"],
        "interval": (low, high),
        "truth": float(rows.mean()),
        "error": error,
        "rows": len(rows),
        "covered": bool(abs(rows.mean() - middle) <= width),
        "better": box["better"],
    }


def runs(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What is known of every table and split: lines that are there, then those made now."""
    path = Path(options.known or options.save or "/nowhere")
    known = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    known = [run for run in known if not options.tables or run["table"] in options.tables]
    yield from known
    if options.known:
        return
    done = {(run["table"], run["split"]) for run in known}
    tables = list(given(options))
    for split in range(options.start, options.start + options.splits):
        for name, frame in tables:
            if (name, split) in done:
                continue
            run = {"table": name, "split": split, "shape": [len(frame), frame.shape[1] - 1]}
            facts = measured(frame, split, options.learn, is_compared=True, prefer=options.prefer)
            run |= _plain(facts | {"price": price(facts)}) if facts else {}
            if options.save:
                with path.open("a") as file:
                    file.write(json.dumps(run) + "\n")
            yield run


def _plain(facts: dict[str, Any]) -> dict[str, Any]:
    """What is found of a table and split in the types of JSON; single locked rows have served, losses are rounded."""
    box = facts["compared"]["black_box"] or {}
    kept = ("name", "score", "cost", "cost_interval", "better", "p_value")
    return facts | {
        "losses": {name: _rounded(sums) for name, sums in facts["losses"].items()},
        "rungs": [_rounded(sums) for sums in facts["rungs"]],
        "rows": facts["rows"].tolist(),
        "finals": {
            name: {key: value for key, value in one.items() if key != "rows"} for name, one in facts["finals"].items()
        },
        "compared": {
            **{key: facts["compared"][key] for key in ("chosen", "signal", "score", "interval", "chosen_in_folds")},
            "black_box": {key: box[key] for key in kept if key in box},
        },
    }


def _rounded(sums: np.ndarray) -> list[float]:
    return [float(f"{value:.6g}") for value in sums]


def main() -> None:
    parser = kept_arguments(__doc__, most=1_500, columns=10_000, splits=5, jobs=1)
    parser.add_argument("--learn", type=int, default=0, help="rows to learn from; all others are fresh")
    parser.add_argument("--prefer", default="balanced", help="as a study's: simplest, balanced or best")
    options = parser.parse_args()
    results: Results = {}
    for run in runs(options):
        if "finals" not in run:
            continue
        run |= {"rows": np.array(run["rows"]), "rungs": [np.array(one) for one in run["rungs"]]}
        run["losses"] = {name: np.array(one) for name, one in run["losses"].items()}
        results.setdefault(run["table"], []).append(run)
        print(f"{run['table']} {run['split']}, {run['shape'][0]:,} × {run['shape'][1]:,}{_line(run)}", flush=True)
    _report_prices([run for splits in results.values() for run in splits])
    if options.learn:
        return
    names = sorted(results)
    for part, of_part in (("all", names), ("first half", names[::2]), ("second half", names[1::2])):
        own = {name: results[name] for name in of_part}
        print(f"\n{part}: {len(own)} tables, {sum(map(len, own.values()))} splits")
        print(
            "| rule | score | under the best of three, by split | by table | worst | columns, median | largest | ",
            end="",
        )
        print(f"readable |\n|{'---|' * 8}\n| the study's own | {summary(own)} |")
        for rule, (errors, share) in RULES.items() if options.prefer == "balanced" else ():
            print(f"| {rule} | {summary(own, errors, share)} |")


def _report_prices(found: list[dict[str, Any]]) -> None:
    """How often the interval of the price holds, and where a price of more than 5 points is not told."""
    told = [run["price"] for run in found if run["price"] is not None]
    print(f"\nthe interval of the price holds the difference in {sum(one['covered'] for one in told)} of {len(told)}")
    for run in found:
        box, model = run["compared"]["black_box"], final(run, run["compared"]["chosen"])
        under = max(run["rivals"].values(), default=0.0) - model["score"]
        if run["rivals"] and under > DEAR:
            words = f"{box['better']}, {box['cost']:.3f} {np.round(box['cost_interval'], 3)}" if box else "no black box"
            print(f"{run['table']} {run['split']} is {100 * under:.1f} points under the best of three; better: {words}")


def _line(run: dict[str, Any]) -> str:
    """What the default takes, its score beside the three, and the price."""
    name = run["compared"]["chosen"]
    model, cost = final(run, name), run["price"]
    beside = ", ".join(f"{rival} {value:.3f}" for rival, value in run["rivals"].items())
    words = f": {name} {model['score']:.3f} on {model['columns']} ({beside}) in {run['seconds']:.0f} s"
    if cost is not None:
        low, high = cost["interval"]
        words += f", price {cost['cost']:.3f} ({low:.3f} to {high:.3f}), fresh {cost['truth']:.3f}"
    return words


if __name__ == "__main__":
    main()
