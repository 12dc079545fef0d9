"""What a study keeps of a fold: scores of a procedure on held-out rows, and those of its inner folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis.engine import seed_of
from tamis.errors import ParameterError, RepeatedFoldsError, TableError
from tamis.evaluate.cross_validate import Fold, Trained, folds_inside, named_folds, predicted, train
from tamis.evaluate.inner_folds import folds_in_time, folds_within, inner_folds
from tamis.evaluate.leakage.file_order import file_order
from tamis.evaluate.leakage.leaks import Leak, by_severity, leaks
from tamis.metrics import Metric, in_words
from tamis.metrics.intervals.paired import metric_losses, row_losses
from tamis.metrics.intervals.tally import Tally
from tamis.metrics.loss_matrix import LossMatrix, metric_for
from tamis.metrics.ranking_test import ranking_terms
from tamis.results.fold import (
    FoldFindings,
    FoldRecord,
    HalvedRecord,
    RestrictedRecord,
    SizedRecord,
    UnitLosses,
)
from tamis.split import Folds
from tamis.study.claims.scoring import besides, headline, is_learned, value
from tamis.study.findings.findings import of_fold, of_refit
from tamis.study.prediction.residuals import of_fold as errors_of
from tamis.study.problem import StudyProblem
from tamis.study.procedures import Procedure
from tamis.study.procedures.models.contribution import contributions, joint_contributions
from tamis.study.procedures.models.facts import facts_of
from tamis.study.procedures.models.few_columns import by_contribution, fit_restricted, sizes
from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.study.procedures.models.readability import readability
from tamis.study.procedures.models.sized.records import keep_model, kept_model, models_by_size, unwrapped
from tamis.study.settings import Settings
from tamis.task import COUNT, ORDINAL, REGRESSION

#: Rows before the first stretch of time that is judged, to learn anything from.
FEWEST_BEFORE = 8

#: Predictions are kept in the journal up to this many learnable rows; beyond it they would outgrow the results.
MOST_KEPT = 5_000

#: The proper score of each task but classification, for which it depends on the shares of the classes.
PROPER_LOSSES = {REGRESSION: "squared_error", COUNT: "poisson_deviance", ORDINAL: "ranked_probability_score"}

#: Where all classes but the largest have together less than this share of the rows, they are rare.
RARE = 0.1

#: Rows that the score on training rows is of at most, evenly spread: it is shown beside the others, and nothing is
#: chosen by it. A booster takes 3.8 processor seconds to answer 667,000 rows, and 2.1 to learn from them.
MOST_TRAINED = 100_000


#: Rows that equal another one, of all rows, from which on they are worth a warning though folds keep them together.
MANY_COPIES = 0.05


@dataclass(frozen=True, eq=False)
class FoldRules:
    """How every fold of a study is judged.

    Attributes
    ----------
    metric : what is quoted.
    loss : the proper score that procedures are compared by: brier, log_loss, squared_error,
        poisson_deviance, ranked_probability_score or cost.
    costs : truth × answer, when that is "cost".
    inner : folds within a training part, in which procedures choose their strength and are compared.
    """

    metric: Metric
    loss: str
    costs: np.ndarray | None
    inner: int

    @classmethod
    def of(cls, settings: Settings, problem: StudyProblem) -> FoldRules:
        """The metric asked for, or the one that the target calls for; and the proper score that goes with it."""
        metric, labels, inner = _metric(settings, problem), problem.labels, problem.plan.inner
        if metric.name == "cost":
            return cls(metric, "cost", LossMatrix.of(settings.loss, labels).matrix, inner)
        return cls(metric, _proper_loss(metric, problem), None, inner)


def _proper_loss(metric: Metric, problem: StudyProblem) -> str:
    """The score of the task; of classes the Brier score, or the log loss where it is quoted or all but one are rare.

    A rare row moves the Brier score hardly at all. With 3% positives in 250 and 500 rows, true AUC 0.9, and 250 rows of
    hypothyroid, choosing by the log loss gives AUCs of 0.72, 0.81 and 0.92 instead of 0.69, 0.76 and 0.88.
    """
    if problem.task in PROPER_LOSSES:
        return PROPER_LOSSES[problem.task]
    largest = np.bincount(problem.y).max() / len(problem.y)
    return "log_loss" if metric.base == "log_loss" or largest > 1 - RARE else "brier"


def _metric(settings: Settings, problem: StudyProblem) -> Metric:
    usual = None if settings.loss else headline(problem.task, problem.y, len(problem.labels), problem.plan.folds)
    metric = metric_for(settings.scoring or usual, settings.loss, problem.labels or None)
    if metric.needs == "model":
        raise ParameterError(f"scoring={metric.name} needs the fitted model; a study takes f(y_true, y_pred)")
    metric = in_words(metric, problem.labels)
    if metric.source is not None and not isinstance(metric.source, str):  # a function that fails, fails before any fit
        codes, y = np.arange(len(problem.labels)), problem.y
        right = y if metric.needs == "labels" else (y[:, None] == codes).astype(np.float64)
        tried = [metric.value(y, right, codes), metric.value(y, np.roll(right, 1, axis=0), codes)]
        if np.isnan(tried).all():
            raise ParameterError(
                f"scoring={metric.name} has no value, neither for right answers nor for wrong; give another scoring"
            )
    return metric


def outer_folds(problem: StudyProblem, k: int, repeats: int, seed: int) -> list[Fold]:
    """The outer folds of a study, repeat after repeat."""
    if problem.time is not None and repeats == 1:
        return named_folds(_outer_in_time(problem, k))
    rows = np.arange(len(problem.y))
    for fewer in range(repeats, 0, -1):
        try:
            return named_folds(folds_within(problem, rows, k, fewer, seed_of(seed, "outer")), fewer)
        except RepeatedFoldsError:  # the groups allow no further arrangement
            continue
    raise AssertionError("one draw of folds repeats none")


def _outer_in_time(problem: StudyProblem, k: int) -> Folds:
    """As many folds in time order as the different times allow, each with rows enough to learn from."""
    pairs = folds_in_time(problem, np.arange(len(problem.y)), k, FEWEST_BEFORE)
    if pairs is None:
        n = len(np.unique(problem.time))  # type: ignore[arg-type]
        raise TableError(
            f"the {len(problem.y):,} unlocked rows have {n:,} different times, too few for two folds that learn from "
            f"{FEWEST_BEFORE} earlier rows at least; give more rows or a finer time, or leave time out"
        )
    return pairs


def inner_record(trained: Trained, rules: FoldRules, inside: np.ndarray) -> tuple[UnitLosses, float | None]:
    """Losses and score of out-of-fold answers of the training rows (NaN where there is none).

    They come from folds within the training part: what the choice between procedures may use when its own honesty is
    judged on this fold.
    """
    problem, fold = trained.problem, trained.fold
    assert isinstance(problem, StudyProblem)
    judged = ~np.isnan(inside if inside.ndim == 1 else inside[:, 0])
    learned, labels, task = _learned(problem, fold.train), problem.labels, problem.task
    y = problem.y[fold.train]
    pooled = rules.metric.base == "r2" and not rules.metric.negated
    losses = _losses(problem, rules, fold.train, fold.train[judged], inside[judged], learned, len(fold.train))
    if pooled:
        return losses, _inner_r_squared(trained, y, inside, judged)
    return losses, value(rules.metric, task, y[judged], inside[judged], labels, learned)


def _inner_r_squared(trained: Trained, y: np.ndarray, inside: np.ndarray, judged: np.ndarray) -> float | None:
    """R² pooled over the inner folds, about the means of their training rows, as the outer one is."""
    means = np.full(len(y), y.mean())
    for train_rows, test_rows in trained.pairs:
        means[test_rows] = y[train_rows].mean()
    spread = float(((y - means)[judged] ** 2).sum())
    return float(1 - ((y - inside)[judged] ** 2).sum() / spread) if spread > 0 else None


def held_out_record(trained: Trained, *, rules: FoldRules) -> FoldRecord:
    """Scores, losses and predictions of held-out rows alone: all that a black box is judged by."""
    problem, fold = trained.problem, trained.fold
    assert isinstance(problem, StudyProblem)
    return predictions_record(problem, rules, fold, trained.predictions(fold.test))


def predictions_record(problem: StudyProblem, rules: FoldRules, fold: Fold, predictions: np.ndarray) -> FoldRecord:
    """Scores, losses, ranks and predictions of the held-out rows of a fold."""
    learned = _learned(problem, fold.train)
    y, labels, task = problem.y[fold.test], problem.labels, problem.task
    losses = _losses(problem, rules, fold.test, fold.test, predictions, learned, len(fold.train))
    losses.ranking, ranking_variance = _ranking(problem, fold, predictions, learned)
    is_small = len(problem.y) <= MOST_KEPT
    return FoldRecord(
        score=value(rules.metric, task, y, predictions, labels, learned),
        metrics=_besides(problem, y, predictions, learned),
        losses=losses,
        n_unlearned=int((~is_learned(y, learned)).sum()) if labels else 0,
        ranking_variance=ranking_variance,
        predictions=predictions.tolist() if is_small else None,
        tally=None if is_small else _tally(problem, rules, fold, predictions, keep=False).to_dict(),
        errors=None if is_small or labels else errors_of(y - predictions),
    )


def _besides(problem: StudyProblem, y: np.ndarray, predictions: np.ndarray, learned: np.ndarray) -> dict[str, Any]:
    """The other metrics; no R² of counts with exposures, of which the exposure alone explains a part."""
    scores: dict[str, Any] = besides(problem.task, y, predictions, problem.labels, learned, problem.rarest)
    if problem.exposure is not None:
        scores.pop("r2", None)
    return scores


def full_record(trained: Trained, *, rules: FoldRules) -> FoldRecord:
    """The same of a procedure that is not chosen inside folds, with its training rows and the columns it used."""
    problem = trained.problem
    assert isinstance(problem, StudyProblem)
    used = list(FittedProcedure("", trained.model, problem.names).columns)
    return replace(
        held_out_record(trained, rules=rules),
        train_score=_train_score(trained, rules),
        columns=used,
        restricted=_restricted_records(trained, rules, len(used)),
        halved=_halved(trained, rules),
        findings=of_fold(problem, unwrapped(trained.model), used),
    )


def _train_score(trained: Trained, rules: FoldRules) -> float | None:
    """The score on training rows, of very many those evenly spread."""
    problem, rows = trained.problem, trained.fold.train
    assert isinstance(problem, StudyProblem)
    some, learned = rows[:: -(-len(rows) // MOST_TRAINED)], _learned(problem, rows)
    return value(rules.metric, problem.task, problem.y[some], trained.predictions(some), problem.labels, learned)


def sized_record(trained: Trained, *, rules: FoldRules) -> SizedRecord:
    """What is kept of models of several sizes: a record for each model, under the least size that has it."""
    problem, fold, records = trained.problem, trained.fold, []
    assert isinstance(problem, StudyProblem)
    last = None
    for size, model, inside in models_by_size(trained.model):
        keep_model(problem, fold, f"{trained.name}[{size}]", model)
        if model is last or inside is None:
            continue
        last, sized = model, replace(trained, model=model)
        inner_losses, inner_score = inner_record(trained, rules, trained.aligned(inside))
        records.append(
            replace(
                reference_record(sized, rules=rules),
                size=size,
                inner_losses=inner_losses,
                inner_score=inner_score,
                train_score=_train_score(sized, rules),
            )
        )
    return SizedRecord(records)


def reference_record(trained: Trained, *, rules: FoldRules) -> FoldRecord:
    """What is kept of a black box: held-out rows, and the columns it uses."""
    names = trained.problem.names
    assert names is not None
    return replace(
        held_out_record(trained, rules=rules), columns=list(FittedProcedure("", trained.model, tuple(names)).columns)
    )


def fold_findings(
    problem: StudyProblem, rules: FoldRules, procedure: Procedure, fold: Fold, *, seed: int
) -> FoldFindings:
    """Effects and terms of a fold's model; where an earlier run fitted it, it is fitted again."""
    model = kept_model(problem, fold, procedure.name)
    if model is None:
        made = procedure.make(problem.task)
        model = unwrapped(
            train(problem, made, fold.train, seed, lambda k: folds_inside(problem, fold, k or rules.inner))
        )
    return of_fold(problem, model, list(FittedProcedure("", model, problem.names).columns))


def _restricted_records(trained: Trained, rules: FoldRules, n_used: int) -> list[RestrictedRecord]:
    """The procedure held to each of `sizes` that is smaller than the number of columns it used: score and loss outside.

    In the folds of the first repeat alone, to bound its cost. Of a procedure that would have to be tuned again there is
    nothing: that is done when a person asks for it.
    """
    problem, fold, model = trained.problem, trained.fold, trained.model
    assert isinstance(problem, StudyProblem)
    if fold.repeat or not sizes(model, n_used):
        return []
    table, y, learned = problem.model_input(fold.train, model), problem.rates[fold.train], _learned(problem, fold.train)
    test, order, records = problem.model_input(fold.test, model), by_contribution(model, table, y), []
    weights = None if problem.fit_weights is None else problem.fit_weights[fold.train]
    for k in sizes(model, n_used):
        columns, small_model = fit_restricted(model, table, y, order[:k], weights)
        answer = problem.counts(predicted(problem, small_model, test.select(columns.tolist())), fold.test)
        losses = _losses(problem, rules, fold.test, fold.test, answer, learned, len(fold.train))
        records.append(
            RestrictedRecord(
                max_columns=k,
                columns=len(FittedProcedure("", small_model, tuple(order[:k])).columns),
                score=value(rules.metric, problem.task, problem.y[fold.test], answer, problem.labels, learned),
                loss=sum(losses.loss),
            )
        )
    return records


def _halved(trained: Trained, rules: FoldRules) -> list[HalvedRecord]:
    """The forests by which columns were halved, each of half of the training rows: columns, and score on the others."""
    problem, rows = trained.problem, trained.fold.train
    assert isinstance(problem, StudyProblem)
    halving = getattr(trained.model, "halving_", None)
    if trained.fold.repeat or halving is None or any(len(answers) != len(rows) for answers in halving.answers):
        return []
    learned = _learned(problem, rows)
    return [
        HalvedRecord(
            n,
            value(rules.metric, problem.task, problem.y[rows], trained.aligned(predictions), problem.labels, learned),
        )
        for n, predictions in zip(halving.columns, halving.answers)
    ]


def tally_of(problem: StudyProblem, rules: FoldRules, fold: Fold, record: FoldRecord) -> Tally:
    """The judged rows of a fold, from what was kept of them."""
    if record.tally is not None:
        return Tally.from_dict(record.tally)
    return _tally(problem, rules, fold, np.array(record.predictions), keep=True)


def _tally(problem: StudyProblem, rules: FoldRules, fold: Fold, answer: np.ndarray, *, keep: bool) -> Tally:
    grouped = problem.groups is not None or problem.time is not None
    y, labels = problem.y[fold.test], problem.labels
    return Tally.of(
        y,
        answer,
        fold.test if keep and not grouped else problem.units[fold.test],
        labels or None,
        decided=None if rules.costs is None else LossMatrix(rules.costs, np.arange(len(labels))).answers(answer),
        learned=is_learned(y, _learned(problem, fold.train)) if labels else None,
        reference=None if labels else float(np.mean(problem.y[fold.train])),
        grouped=grouped,
        repeat=fold.repeat,
        keep=keep,
        means=(rules.metric,),
    )


def refit(problem: StudyProblem, rules: FoldRules, procedure: Procedure, *, seed: int) -> dict[str, Any]:
    """Fit the chosen procedure on all rows that may be learned from; and what each column contributes to it."""
    fitted = refitted(problem, rules, procedure, seed=seed)
    shares = contributions(fitted, problem)
    joint = [group["columns"] for group in joint_contributions(fitted, problem)]
    return {
        **fitted.to_dict(),
        "contributions": shares,
        "joint": joint,
        "findings": of_refit(problem, fitted.model, list(shares)),
    }


def refitted(problem: StudyProblem, rules: FoldRules, procedure: Procedure, *, seed: int) -> FittedProcedure:
    """The chosen procedure, fitted on all rows that may be learned from."""
    rows = np.arange(len(problem.y))
    recipe = procedure.make(problem.task)
    model = train(problem, recipe, rows, seed, lambda k: inner_folds(problem, rows, k or rules.inner, seed))
    return FittedProcedure(procedure.name, unwrapped(model), problem.names)


def rung_models(problem: StudyProblem, rules: FoldRules, procedure: Procedure, *, seed: int) -> dict[str, Any]:
    """Size -> columns and kind of the sized model fitted on all rows that may be learned from.

    The procedure is one of the smallest size wanted: larger ones are fitted on the way.
    """
    rows = np.arange(len(problem.y))
    recipe = procedure.make(problem.task)
    model = train(problem, recipe, rows, seed, lambda k: inner_folds(problem, rows, k or rules.inner, seed))
    rungs = {}
    for size, size_model, _ in models_by_size(model):
        fitted = FittedProcedure(procedure.name, size_model, problem.names)
        rungs[str(size)] = {
            "selected": list(contributions(fitted, problem)),
            "words": facts_of(size_model).words(),
            "readable": readability(size_model),
        }
    return rungs


def find_leaks(problem: StudyProblem, *, seed: int) -> list[dict[str, Any]]:
    """What in the table would make any score too good; the locked rows' target is not looked at."""
    locked = problem.table.take(problem.lock.rows) if len(problem.lock.rows) else None
    leaks_found = leaks(problem, locked=locked, as_read=problem.as_read)
    ordered = by_severity([*leaks_found, *_kept_together(problem), *_one_draw(problem), *_in_file_order(problem)])
    return [
        {"kind": leak.kind, "columns": list(leak.columns), "severity": leak.severity, "sentence": leak.sentence}
        for leak in ordered
    ]


def _kept_together(problem: StudyProblem) -> list[Leak]:
    """Equal rows that the folds keep together: the score is honest, but counts each set once."""
    copies = problem.equal_rows
    if copies is None:
        return []
    n, sets = copies.n_rows, copies.n_sets
    sentence = (
        f"{n:,} of {len(problem.y):,} rows equal another row in every column ({sets:,} different ones): all folds keep "
        "them together; remove copies of one case"
    )
    return [Leak("duplicates", (), sentence, "warn" if n > MANY_COPIES * len(problem.y) else "note", n)]


def _one_draw(problem: StudyProblem) -> list[Leak]:
    """Few groups: folds are drawn once."""
    if problem.groups is None or problem.drawn_repeats <= problem.plan.repeats:
        return []
    sentence = (
        f"there are only {len(np.unique(problem.groups)):,} groups, so {problem.plan.folds} folds are drawn once: "
        "further draws would repeat them"
    )
    return [Leak("groups", (), sentence, "note", len(problem.y))]


def _in_file_order(problem: StudyProblem) -> list[Leak]:
    """Neighbouring rows with similar targets, where neither groups nor time are given."""
    if problem.groups is not None or problem.time is not None:
        return []
    autocorrelation = file_order(problem.y, len(problem.labels))
    if autocorrelation is None:
        return []
    sentence = (
        f"neighbouring rows of the file have similar targets (autocorrelation {autocorrelation:.2f}): if rows are "
        "in time order, "
        "give time; if several are of one case, give groups; if the file is merely sorted, nothing is wrong"
    )
    return [Leak("order", (), sentence, "note", len(problem.y))]


def _losses(
    problem: StudyProblem,
    rules: FoldRules,
    fold_rows: np.ndarray,
    rows: np.ndarray,
    answer: np.ndarray,
    learned: np.ndarray,
    n_train: int,
) -> UnitLosses:
    """Sums of the proper loss, and rows, of each unit that has a row in `fold_rows`; classes not learned are left out.

    `quoted` has those of the losses whose mean the quoted metric is, where it has such.
    """
    is_learned_row = is_learned(problem.y[rows], learned) if problem.labels else np.ones(len(rows), dtype=bool)
    judged, units = rows[is_learned_row], problem.units
    has_rows = np.bincount(units[fold_rows]) > 0  # units are whole numbers from 0, at most a thousand: nothing to sort
    size, position = int(has_rows.sum()), (np.cumsum(has_rows) - 1)[units[judged]]
    loss = row_losses(rules.loss, problem.y[judged], answer[is_learned_row], n_train=n_train, costs=rules.costs)
    sums = UnitLosses(
        loss=np.bincount(position, weights=loss, minlength=size).tolist(),
        rows=np.bincount(position, minlength=size).tolist(),
    )
    quoted = metric_losses(rules.metric, problem.y[judged], answer[is_learned_row]) if problem.labels else None
    if quoted is not None and rules.costs is None:
        sums.quoted = np.bincount(position, weights=quoted, minlength=size).tolist()
    if rules.costs is not None:  # decisions may cost the same though the probabilities tell something
        proper = row_losses("brier", problem.y[judged], answer[is_learned_row])
        sums.proper = np.bincount(position, weights=proper, minlength=size).tolist()
    return sums


def _ranking(
    problem: StudyProblem, fold: Fold, answer: np.ndarray, learned: np.ndarray
) -> tuple[list[float] | None, float]:
    """Terms of the ranking test by unit, as `_losses` has them, and their variance.

    None for counts with exposures: a model of nothing but the exposure ranks them.
    """
    if problem.exposure is not None:
        return None, 0.0
    is_learned_row = (
        is_learned(problem.y[fold.test], learned) if problem.labels else np.ones(len(fold.test), dtype=bool)
    )
    terms, variance = ranking_terms(problem.y[fold.test[is_learned_row]], answer[is_learned_row], len(problem.labels))
    has_rows = np.bincount(problem.units[fold.test]) > 0
    position = (np.cumsum(has_rows) - 1)[problem.units[fold.test[is_learned_row]]]
    return np.bincount(position, weights=terms, minlength=int(has_rows.sum())).tolist(), variance


def _learned(problem: StudyProblem, rows: np.ndarray) -> np.ndarray:
    return np.bincount(problem.y[rows], minlength=len(problem.labels)) > 0 if problem.labels else np.empty(0, bool)
