"""What each rule of choice gives up, over many tables, beside scikit-learn's forest, boosting and L1 models.

    python benchmarks/study/choice.py --data ../shared/data/suite [--most 1000] [--splits 2] [--jobs 2] [tables]
    python benchmarks/study/choice.py --third                    also by a third loop of folds

Each table of the suite, and of scikit-learn's own (at most `--most` rows of it), is split 70/30. Every procedure that a
study of the 70% would compare learns from them; its inner losses come from its own out-of-fold predictions, as in a
study. From these the choice is made by each rule, and judged on the 30%: accuracy or R², and the share of columns in
use. Beside stand three models of scikit-learn at their defaults: a random forest, histogram gradient boosting (of which
a study makes no choice), and an L1 logistic regression or LassoCV on standardised columns; words are indicators for
forest and L1, and categories for boosting. "Below" counts tables whose
mean over splits lies more than 3 points under the best of the three, and by more than two paired standard errors.

With `--third`, inner losses also come from a third loop, in which the whole procedure, its tuning included, is fitted
anew in each inner fold.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from many_tables import kept_arguments, results_of, split_of
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LassoCV, LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tamis.engine import seed_of
from tamis.evaluate.cross_validate import Trained, cross_validate, predictions, train
from tamis.evaluate.inner import inner_folds
from tamis.metrics.intervals.paired import row_losses
from tamis.study import choose as rule_of_choice
from tamis.study.choose import KEPT, choose
from tamis.study.procedure.fitted import FittedProcedure
from tamis.study.procedures import chosen

#: Rules by name, and shares of the best's gain that a simpler procedure must keep.
RULES = {**KEPT, **{f"keeps {share}": share for share in (0.9, 0.95, 0.98, 0.99)}}


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


def keep(trained: Trained, *, third: bool) -> dict[str, Any]:
    """Inner losses by either loop, the score on the rows held out, and the number of columns."""
    problem, fold = trained.problem, trained.fold
    kind = "squared_error" if problem.classes is None else "brier"
    inner = {}
    for name, inside in (("own", trained.inner_predictions), ("third", partial(third_loop, trained))):
        if name == "third" and not third:
            continue
        found = inside()
        judged = ~np.isnan(found if found.ndim == 1 else found[:, 0])
        losses = np.zeros(len(fold.train))
        losses[judged] = row_losses(kind, problem.codes[fold.train[judged]], found[judged], n_train=len(fold.train))
        inner[name] = losses
    answer = trained.predictions(fold.test)
    given = answer if problem.classes is None else problem.classes[answer.argmax(axis=1)]
    columns = len(FittedProcedure("", trained.model, problem.names).columns)
    return {**inner, "score": score(problem.y[fold.test], given), "columns": columns}


def score(truth: np.ndarray, given: np.ndarray) -> float:
    """R² of numbers, accuracy of classes."""
    if truth.dtype.kind == "f":
        return 1 - float(((truth - given) ** 2).mean() / truth.var())
    return float((truth == given).mean())


def rivals(numbers: bool) -> dict[str, Any]:
    """Three models of scikit-learn at their defaults."""
    words = make_column_selector(dtype_include="category")
    coded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words), remainder=SimpleImputer()
    )
    if numbers:
        return {
            "forest": make_pipeline(coded, RandomForestRegressor(random_state=0)),
            "boosting": HistGradientBoostingRegressor(random_state=0),
            "L1": make_pipeline(coded, StandardScaler(), LassoCV()),
        }
    line = OneVsRestClassifier(LogisticRegression(penalty="l1", solver="liblinear"))
    return {
        "forest": make_pipeline(coded, RandomForestClassifier(random_state=0)),
        "boosting": HistGradientBoostingClassifier(random_state=0),
        "L1": make_pipeline(coded, StandardScaler(), line),
    }


def one(frame: pd.DataFrame, split: int, jobs: int, third: bool) -> dict[str, Any]:
    """Scores and columns of every procedure, its inner losses, and the scores of the rivals."""
    problem, X, y, fold = split_of(frame, split)
    learn, test = fold.train, fold.test
    procedures = chosen(None, shape=(len(learn), X.shape[1]))
    made = {procedure.name: procedure.make(problem.task) for procedure in procedures}
    found = cross_validate(problem, made, [fold], partial(keep, third=third), inner=5, n_jobs=jobs)
    beside = {}
    X = X.astype(dict.fromkeys(X.select_dtypes(["object", "string"]), "category"))
    for name, model in rivals(problem.task == "regression").items():
        beside[name] = score(y[test], model.fit(X.iloc[learn], y[learn]).predict(X.iloc[test]))
    return {
        "names": list(found),
        "facts": [kept[0] for kept in found.values()],
        "n_columns": X.shape[1],
        "rivals": beside,
    }


def place_of(found: dict[str, Any], kept: float | None, loop: str = "own") -> int:
    """The place that a rule takes which asks for a share of the best's gain."""
    rule_of_choice.KEPT["asked"] = kept
    losses = [fact[loop] for fact in found["facts"]]
    return choose(losses, np.ones(len(losses[0])), "asked")


def summary(results: dict[str, list[dict[str, Any]]], kept: float | None, loop: str) -> str:
    """One line: what a rule scores, how far behind it is, and the columns that it uses."""
    taken = {name: [place_of(one, kept, loop) for one in splits] for name, splits in results.items()}
    scores = {n: np.array([s["facts"][p]["score"] for s, p in zip(results[n], places)]) for n, places in taken.items()}
    best = {n: np.array([max(f["score"] for f in s["facts"]) for s in splits]) for n, splits in results.items()}
    three = {n: np.array([max(s["rivals"].values()) for s in splits]) for n, splits in results.items()}
    columns = [s["facts"][p]["columns"] / s["n_columns"] for n in taken for s, p in zip(results[n], taken[n])]
    many = [
        s["facts"][p]["columns"] / s["n_columns"]
        for n in taken
        for s, p in zip(results[n], taken[n])
        if s["n_columns"] > 20
    ]
    below = [name for name in scores if _is_below(three[name] - scores[name])]
    mean, behind, under = (
        np.mean([parts[n].mean() for n in scores])
        for parts in (
            scores,
            {n: best[n] - scores[n] for n in scores},
            {n: three[n] - scores[n] for n in scores},
        )
    )
    counts = f"{np.mean(columns):.2f} | {np.mean(many) if many else np.nan:.2f}"
    return f"{mean:.4f} | {behind:.4f} | {under:+.4f} | {', '.join(below) or '–'} | {counts}"


def _is_below(gaps: np.ndarray) -> bool:
    """More than 3 points, and more than two paired standard errors over splits."""
    error = gaps.std(ddof=1) / np.sqrt(len(gaps)) if len(gaps) > 1 else np.inf
    return bool(gaps.mean() > 0.03 and gaps.mean() - 2 * error > 0.0)


def main() -> None:
    parser = kept_arguments(__doc__, most=1_000, columns=10_000, splits=2, jobs=2)
    parser.add_argument("--third", action="store_true", help="a third loop of folds, too; several times as long")
    options = parser.parse_args()
    results = results_of(
        options,
        lambda frame, split: one(frame, split, options.jobs, options.third),
        lambda splits: f": {_line(splits)}",
    )
    print(f"\n{len(results)} tables")
    three = np.mean([np.mean([max(s["rivals"].values()) for s in splits]) for splits in results.values()])
    print(f"mean of the best of three on the test rows {three:.4f}")
    heads = "| rule | loop | score | behind the best procedure | under the best of three | below | columns | of > 20 |"
    print(f"{heads}\n|{'---|' * 8}")
    for rule, kept in RULES.items():
        for loop in ("own", "third") if options.third else ("own",):
            print(f"| {rule} | {loop} | {summary(results, kept, loop)} |")


def _line(splits: list[dict[str, Any]]) -> str:
    """Mean scores of procedures and rivals, and what "balanced" and "best" take."""
    names = splits[0]["names"]
    own = np.mean([[fact["score"] for fact in s["facts"]] for s in splits], axis=0)
    said = ", ".join(f"{name} {value:.3f}" for name, value in zip(names, own))
    beside = ", ".join(f"{name} {np.mean([s['rivals'][name] for s in splits]):.3f}" for name in splits[0]["rivals"])
    took = {rule: [names[place_of(s, RULES[rule])] for s in splits] for rule in ("balanced", "best")}
    return f"{said}; scikit-learn's {beside}; {took}"


if __name__ == "__main__":
    main()
