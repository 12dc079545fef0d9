"""The honest score of a whole procedure: everything it does is done again inside every fold."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from tamis.engine import seed_from, seed_of
from tamis.errors import ParameterError
from tamis.evaluate.cross_validate import cross_validate, named_folds
from tamis.evaluate.fold.inner_score import in_units, inner_notes
from tamis.evaluate.fold.outcome import Outcome, outcome_of
from tamis.evaluate.fold.selection_stability import stability
from tamis.evaluate.leakage.equal_rows import EqualRows, with_equal_rows
from tamis.evaluate.problem import Problem, named_procedures, problem_of, refuse_one_class
from tamis.metrics import Metric, prepare, remarks, utility
from tamis.metrics.intervals.aggregate import aggregated, fold_parts, is_pooled
from tamis.metrics.intervals.interval import (
    Interval,
    Judged,
    best_of_many,
    corrected,
    corrected_test,
    resampled,
    score_interval,
    tallies_of,
)
from tamis.metrics.intervals.paired import holm
from tamis.metrics.loss_matrix import metric_for
from tamis.split import Folds, folds, folds_of_copies
from tamis.table.interface.several_classes import has_several_targets
from tamis.task import task_named


@dataclass(frozen=True, eq=False)
class NestedScore:
    """What a procedure scores on rows it never saw.

    Attributes
    ----------
    name : of the procedure.
    metric : its name, direction and needs.
    scores : one a fold, over all repeats, in the metric's units; NaN where the metric has no value.
    mean, interval : the mean of those that there are (R² and balanced accuracy are pooled over the folds of a repeat,
        R² about the means of the training rows), and where the score of the model refitted on all rows lies (see
        `score_interval`).
    bootstrap_interval : of the out-of-fold answers drawn with replacement.
    promised : what the procedure thought of itself, one a fold; None when it says nothing.
    optimism : mean of inner minus outer score, positive when the inner score was too good (also for errors and costs).
    selected : the columns it chose, one tuple a fold; None when it does not choose.
    stability, stability_interval : Nogueira's, of the chosen sets.
    frequency : column -> share of folds that chose it, most often first.
    judged : rows and answers of every fold.
    folds : the (train, test) positions.
    seconds : of each fold.
    models : the fitted procedures, when they were to be kept.
    notes : what the user should know, in sentences.
    """

    name: str
    metric: Metric
    scores: np.ndarray
    mean: float
    interval: Interval
    bootstrap_interval: Interval
    promised: np.ndarray | None
    optimism: float | None
    selected: list[tuple[str, ...]] | None
    stability: float | None
    stability_interval: Interval | None
    frequency: dict[str, float]
    judged: list[Judged]
    folds: Folds
    seconds: np.ndarray
    models: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        phrases = [f"{self.name}: {self.metric.name} {self.mean:.4g} {_interval_text(self.interval)}"]
        if self.optimism is not None:
            phrases.append(f"optimism {self.optimism:+.4g}")
        if self.stability is not None and self.selected is not None:
            size = np.mean([len(columns) for columns in self.selected])
            steady = f", stability {self.stability:.3g}" if np.isfinite(self.stability) else ""
            phrases.append(f"{size:.3g} columns{steady}")
        return ", ".join(phrases)


@dataclass(frozen=True)
class ProcedurePair:
    """Two procedures on the same folds: how much better the first is (positive), the interval, the p-values."""

    first: str
    second: str
    difference: float
    interval: Interval
    p_value: float
    p_adjusted: float


@dataclass(frozen=True, eq=False)
class NestedComparison:
    """Several procedures on the same folds.

    Attributes
    ----------
    results : name -> NestedScore.
    best : the name of the procedure with the best mean.
    score, interval : the honest score of "the best of these" (BBC): the choice is made and judged on different rows;
        the interval is not narrower than that of the best procedure.
    optimism : how much better the best looked than that.
    pairs : every two of them, with corrected tests; `p_adjusted` after Holm. Of a pooled score (R², balanced accuracy)
        the differences are those of what each fold adds to it.
    """

    results: dict[str, NestedScore]
    best: str
    score: float
    interval: Interval
    optimism: float
    pairs: list[ProcedurePair]

    def __getitem__(self, name: str) -> NestedScore:
        return self.results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        lines = [repr(result) for result in self.results.values()]
        return "\n".join(
            [*lines, f"best: {self.best}; honest score of the best {self.score:.4g} {_interval_text(self.interval)}"]
        )


def nested_score(
    procedure: Any,
    X: Any,
    y: Any = None,
    *,
    outer: Any = 5,
    repeats: int = 1,
    scoring: Any = None,
    loss: Any = None,
    groups: Any = None,
    time: Any = None,
    sample_weight: Any = None,
    task: str | None = None,
    level: float = 0.95,
    random_state: Any = 0,
    n_jobs: int | None = None,
    keep_models: bool = False,
) -> Any:
    """Judge a whole procedure, choosing of columns and tuning included, on rows it never saw.

    Parameters
    ----------
    procedure : a scikit-learn estimator or pipeline, an imbalanced-learn pipeline; or a list or dict of them.
    X, y : the table (NumPy, SciPy sparse, pandas, polars, Table) and its target; or X is a `Problem`, which has both.
    outer : the outer folds: a number, a share to hold out, "loo", a splitter, or (train, test) pairs.
    repeats : how often the outer folds are drawn again.
    scoring : a metric by name, a scikit-learn scorer, or a function f(y_true, y_pred) or f(estimator, X, y), as in
        `tamis.metrics.find`; accuracy for classes and R² for numbers when not given.
    loss : instead, a loss matrix: answers are those of least expected cost, the score is the mean cost.
    groups, time : one value a row: rows of a group stay together; with time, only the past trains. Without time, rows
        with equal features stay together, too, where they are more than chance explains (see `equal_rows`).
    sample_weight : how much each row counts in the fits; in the scores every row counts once.
    task : "classification" or "regression", where neither the procedure nor the target settles it.
    level : confidence of the intervals.
    random_state : fixes the folds, and every random state the procedure left open.
    n_jobs : threads over folds; the result does not depend on it.
    keep_models : keep the fitted procedures in `.models`.

    Returns
    -------
    A NestedScore; for several procedures a NestedComparison. Of a matrix y with a column per target, all of which the
    procedure predicts at once, a `SeveralScores`: a NestedScore per target, and their mean.

    References
    ----------
    Varma, Simon: Bias in error estimation when using cross-validation for model selection. BMC Bioinformatics 7 (2006).

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> result = nested_score(DecisionTreeClassifier(), *load_iris(return_X_y=True))
    >>> len(result.scores), bool(result.mean > 0.9)
    (5, True)
    """
    word = None if task is None else task_named(task)
    if y is not None and has_several_targets(y):
        if loss is not None:
            raise ParameterError("loss= is for one target, but y has several; give scoring, or one target at a time")
        from tamis.evaluate.several_targets import several_scores

        return several_scores(
            procedure, X, y, outer=outer, repeats=repeats, scoring=scoring, groups=groups, time=time, task=word,
            sample_weight=sample_weight, level=level, random_state=random_state, n_jobs=n_jobs, keep_models=keep_models,
        )  # fmt: skip
    named = named_procedures(procedure)
    problem = problem_of(list(named.values()), X, y, groups=groups, time=time, weights=sample_weight, task=word)
    refuse_one_class(problem)
    metric = metric_for(scoring, loss, problem.classes)
    seed = seed_from(random_state)
    own_groups = problem.groups
    problem, copies = with_equal_rows(problem)
    drawn: dict[str, Any] = {"classifier": problem.of_classes, "seed": seed, "repeats": repeats, "X": problem.X}
    if problem.copies is not None:
        pairs = folds_of_copies(outer, problem.y, problem.copies, **drawn)
    else:
        pairs = folds(outer, problem.y, groups=problem.groups, time=problem.time, **drawn)
    equal = [] if copies is None else _equal_notes(copies, pairs)
    keep = partial(outcome_of, metric=metric, model=keep_models)
    outcomes = cross_validate(problem, named, named_folds(pairs, repeats), keep, seed=seed, n_jobs=n_jobs)
    results = {}
    for name, model in named.items():
        result = nested_result(name, problem, metric, pairs, outcomes[name], level, seed)
        results[name] = replace(result, notes=[*result.notes, *inner_notes(model, own_groups, problem.time), *equal])
    if len(results) == 1 and not isinstance(procedure, (list, tuple, dict)):
        return next(iter(results.values()))
    return _comparison(results, problem, metric, level, seed)


def _equal_notes(copies: EqualRows, pairs: Folds) -> list[str]:
    """What became of rows with equal features: kept together, or split by folds that the user gave."""
    split = copies.split_by(pairs)
    count = f"{copies.n_rows:,} rows equal another row in every column"
    if not split:
        return [f"{count}; equal rows are kept in the same fold"]
    return [f"{count}; {split:,} are judged by a model that saw their copy, so the score is too good: give other folds"]


def _interval_text(interval: Interval) -> str:
    return f"({interval.note})" if interval.note else f"[{interval.low:.4g}, {interval.high:.4g}]"


def nested_result(
    name: str, task: Problem, metric: Metric, pairs: Folds, outcomes: list[Outcome], level: float, seed: int
) -> NestedScore:
    """The score of one procedure, from what its folds gave."""
    judged = [outcome.judged for outcome in outcomes]
    scores, notes = _scores(task, metric, outcomes)
    if np.isnan(scores).all():
        raise ParameterError(
            f"scoring={metric.name} has no value in any of the {len(judged)} folds of {name}; give another scoring"
        )
    n_train = float(np.mean([outcome.n_train for outcome in outcomes]))
    n_test = float(np.mean([len(j.rows) for j in judged]))
    resampling = resampled(
        metric, task.y, judged, task.classes, groups=task.groups, level=level, seed=seed_of(seed, "interval")
    )
    tallies = tallies_of(metric, task.y, judged, task.classes, groups=task.groups)
    interval = score_interval(
        metric, tallies, scores[~np.isnan(scores)], n_train, n_test, level=level, seed=seed_of(seed, "score interval")
    )
    mean = aggregated(metric, tallies, scores)
    inner_scores = _inner_scores(metric, outcomes)
    sets = [outcome.selected for outcome in outcomes]
    chosen = [columns for columns in sets if columns is not None]
    steady = stability(chosen, _n_columns(task, chosen), level=level) if len(chosen) == len(sets) else None
    return NestedScore(
        name=name,
        metric=metric,
        scores=scores,
        mean=mean,
        interval=interval,
        bootstrap_interval=resampling,
        promised=inner_scores,
        optimism=None
        if inner_scores is None
        else float(np.mean(utility(metric, inner_scores)) - utility(metric, mean)),
        selected=chosen if steady else None,
        stability=steady[0] if steady else None,
        stability_interval=steady[1] if steady else None,
        frequency=_frequency(chosen) if steady else {},
        judged=judged,
        folds=pairs,
        seconds=np.array([outcome.seconds for outcome in outcomes]),
        models=[outcome.model for outcome in outcomes if outcome.model is not None],
        notes=[*remarks(metric, task.y), *notes, *([interval.note] if interval.note else [])],
    )


def _scores(task: Problem, metric: Metric, outcomes: list[Outcome]) -> tuple[np.ndarray, list[str]]:
    """Fold scores, NaN where the metric has no value, with what is to be said of that.

    Where folds of a single row have none, or all folds, it is the score of each whole repeat.
    """
    scores = np.array([outcome.score for outcome in outcomes])
    lacking = np.isnan(scores)
    if not lacking.any():
        return scores, []
    alone = any(len(outcome.judged.rows) == 1 for outcome, is_lacking in zip(outcomes, lacking) if is_lacking)
    if not alone and not lacking.all():
        of = f"{int(lacking.sum())} of {len(scores)} folds"
        return scores, [f"{metric.name} has no value in {of}; the mean is that of the others"]
    where = "on a single row" if alone else "in any fold"
    if metric.of_model is not None:  # it cannot be computed over rows of several models
        return scores, [f"{metric.name} has no value {where}"]
    pooled = []
    judged = [outcome.judged for outcome in outcomes]
    fold_values = fold_parts(metric, tallies_of(metric, task.y, judged, task.classes)) if is_pooled(metric) else None
    for repeat in sorted({judged_fold.repeat for judged_fold in judged}):
        if fold_values is not None:
            pooled.append(
                float(
                    np.mean([value for value, judged_fold in zip(fold_values, judged) if judged_fold.repeat == repeat])
                )
            )
            continue
        of_repeat = [judged_fold for judged_fold in judged if judged_fold.repeat == repeat]
        rows, answers = np.concatenate([j.rows for j in of_repeat]), np.concatenate([j.answer for j in of_repeat])
        pooled.append(float(metric.value(*prepare(metric, task.y[rows], answers, task.classes))))
    return np.array(pooled), [f"{metric.name} has no value {where}; it is computed once over all held-out rows"]


def mean_score(task: Problem, metric: Metric, outcomes: list[Outcome]) -> float:
    """The score over all folds, as a NestedScore has it; NaN where there is none."""
    scores = _scores(task, metric, outcomes)[0]
    if not is_pooled(metric):
        return _mean(scores)
    return aggregated(
        metric, tallies_of(metric, task.y, [outcome.judged for outcome in outcomes], task.classes), scores
    )


def _mean(scores: np.ndarray) -> float:
    present = scores[~np.isnan(scores)]
    return float(present.mean()) if len(present) else float("nan")


def _inner_scores(metric: Metric, outcomes: list[Outcome]) -> np.ndarray | None:
    inner_scores = [outcome.inner_score for outcome in outcomes]
    present = [value for value in inner_scores if value is not None]
    return np.array([in_units(metric, value) for value in present]) if len(present) == len(inner_scores) else None


def _n_columns(task: Problem, chosen: list[tuple[str, ...]]) -> int:
    """Columns there were to choose from: the table's, or those a transformer made of them."""
    return len(set(task.names).union(*chosen)) if chosen else len(task.names)


def _frequency(chosen: list[tuple[str, ...]]) -> dict[str, float]:
    counts: dict[str, int] = {}
    for columns in chosen:
        for column in columns:
            counts[column] = counts.get(column, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {column: n / len(chosen) for column, n in ordered}


def _comparison(
    results: dict[str, NestedScore], task: Problem, metric: Metric, level: float, seed: int
) -> NestedComparison:
    means = {name: utility(metric, result.mean) for name, result in results.items()}
    best = max(means, key=lambda name: means[name])
    score, interval = best_of_many(
        metric,
        task.y,
        [result.judged for result in results.values()],
        task.classes,
        groups=task.groups,
        level=level,
        seed=seed_of(seed, "best"),
    )
    optimism = float(means[best] - utility(metric, score))
    interval = interval if interval.note else _as_wide(interval, score, results[best])
    return NestedComparison(results, best, score, interval, optimism, _pairs(results, task, metric, level))


def _as_wide(interval: Interval, score: float, best: NestedScore) -> Interval:
    """The resampled interval about the score of the best, not narrower than the rows allow the best itself."""
    low, high = best.interval
    if np.isnan(low):
        return best.interval
    shifted_low = score - (best.mean - low)
    return Interval(
        min(interval.low, max(shifted_low, 0.0) if low >= 0 else shifted_low),
        max(interval.high, score + (high - best.mean)),
        interval.level,
    )


def _side_by_side(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Differences in the folds where both have a score; none where one of them has only that of all rows together.

    Scores that differ by rounding are equal, in any unit.
    """
    if len(first) != len(second):
        return np.empty(0)
    differences = first - second
    size = np.nanmax(np.fmax(np.abs(first), np.abs(second)), initial=0.0)
    differences = np.where(np.abs(differences) <= 1e-12 * size, 0.0, differences)
    return np.asarray(differences[~np.isnan(differences)])


def _by_fold(result: NestedScore, task: Problem, metric: Metric) -> np.ndarray:
    """One value a fold whose mean is the score."""
    if not is_pooled(metric):
        return result.scores
    fold_values = fold_parts(metric, tallies_of(metric, task.y, result.judged, task.classes))
    return result.scores if fold_values is None else fold_values


def _pairs(results: dict[str, NestedScore], task: Problem, metric: Metric, level: float) -> list[ProcedurePair]:
    pairs = []
    scores = {name: _by_fold(result, task, metric) for name, result in results.items()}
    for first, second in combinations(results, 2):
        first_result = results[first]
        differences = np.asarray(utility(metric, _side_by_side(scores[first], scores[second])))
        n_train = float(np.mean([len(train) for train, _ in first_result.folds]))
        n_test = float(np.mean([len(test) for _, test in first_result.folds]))
        p = corrected_test(differences, n_train, n_test)
        pairs.append((first, second, _mean(differences), corrected(differences, n_train, n_test, level), p))
    adjusted = holm([p for *_, p in pairs])
    return [ProcedurePair(*pair, p_adjusted) for pair, p_adjusted in zip(pairs, adjusted)]
