r"""How sure a score is: the interval that is quoted, one over fold scores alone, and one from resampled predictions.

`score_interval` is quoted: it rests on the judged rows (`evidence`) and on what folds differ by beyond them.
`corrected` rests on fold scores alone. These are not independent, for their training rows overlap, and the plain
standard error is far too small: Nadeau and Bengio put the share of judged to training rows into the variance of a mean
of J scores,

.. math:: \left(\frac{1}{J} + \frac{n_{test}}{n_{train}}\right) s^2,

with Student's t on J − 1 degrees of freedom.

References
----------
Nadeau, Bengio: Inference for the generalization error. Machine Learning 52 (2003).
Bouckaert, Frank: Evaluating the replicability of significance tests for comparing learning algorithms. PAKDD (2004).
Tsamardinos, Greasidou, Borboudakis: Bootstrapping the out-of-sample predictions for efficient and accurate
cross-validation. Machine Learning 107 (2018).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.check import count, number
from tamis.engine.seed import generator
from tamis.errors import ParameterError
from tamis.metrics import METRICS, Metric, prepare, utility
from tamis.metrics.distributions import t_quantile, t_tail
from tamis.metrics.intervals.aggregate import aggregated
from tamis.metrics.intervals.bootstrap_metrics import bootstrap_metric, n_draws
from tamis.metrics.intervals.evidence import Evidence
from tamis.metrics.intervals.tally import Tally
from tamis.task import predicts_classes

_WITH_MODEL = "{} needs the fitted model, so answers drawn with replacement have none"
RANKED = ("roc_auc", "average_precision")  # decision values of different models are not on one scale


@dataclass(frozen=True)
class Interval:
    """From `low` to `high`, at a level of confidence; unpacks as a pair.

    Where none can be given both are NaN, and `note` says why.
    """

    low: float
    high: float
    level: float = 0.95
    note: str = ""

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __getitem__(self, which: int) -> float:
        return (self.low, self.high)[which]

    def __len__(self) -> int:
        return 2


@dataclass(frozen=True, eq=False)
class Judged:
    """What a model trained on some rows answered on others.

    Attributes
    ----------
    rows, answer : the judged rows, and its answers.
    repeat : which drawing of the folds it is of.
    reference : the mean target of the rows it was trained on, which R² is about; None for classes.
    """

    rows: np.ndarray
    answer: np.ndarray
    repeat: int = 0
    reference: Any = None


def score_interval(
    metric: Metric,
    tallies: Sequence[Tally],
    scores: Any,
    n_train: float,
    n_test: float,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """Where the score of the model refitted on all rows lies on new rows; never narrower than the judged rows allow.

    Parameters
    ----------
    metric : what the scores are of.
    tallies : the judged rows, one a fold, over all repeats.
    scores : the folds' scores (or one a repeat, or one of all), NaN where a fold has none.
    n_train, n_test : rows of a fold (means, when folds differ). For one model judged as it is, `n_train` is infinite.
    level : confidence.
    seed : fixes the draws that some metrics need.

    Notes
    -----
    Shares of rows are Wilson's; a mean of shares of classes combines theirs; an area under the ROC curve is Newcombe's;
    means of losses and R² are symmetric in the logarithm; other label metrics come from drawn confusion matrices.
    Training rows widen it (see `evidence`). A row judged in several repeats counts once; only groups count, where rows
    are grouped. A function that a user brought is computed on rows drawn with replacement; where it needs the model, or
    rows were not kept, the interval is that of the fold scores (`corrected`).

    >>> fold = Tally.of([0, 1] * 10, [0, 1] * 10, range(20), ["a", "b"])
    >>> [round(end, 2) for end in score_interval(METRICS["accuracy"], [fold], [1.0], np.inf, 20)]
    [0.84, 1.0]
    """
    number("level", level, low=0, high=1, open_low=True, open_high=True)
    values = np.asarray(scores, dtype=np.float64)
    values = -values if metric.negated else values
    base_metric = METRICS[metric.base] if metric.negated else metric
    if metric.needs == "model" or (metric.source is not None and tallies[0].rows is None):
        return corrected(values, n_train, n_test, level)  # no rows that it could be computed from again
    evidence = Evidence(base_metric, tallies, values, float(n_train), float(n_test), level, seed)
    reason = evidence.lacking
    if reason:
        return Interval(np.nan, np.nan, level, reason)
    low, high = evidence.bounds()
    point = aggregated(base_metric, tallies, values)
    if np.isfinite(point):  # the score quoted is inside, also where folds are too small for it
        low, high = min(low, point), max(high, point)
    return Interval(-high, -low, level) if metric.negated else Interval(low, high, level)


def tallies_of(
    metric: Metric, y: Any, judged: Sequence[Judged], labels: ArrayLike | None = None, *, groups: Any = None
) -> list[Tally]:
    """One tally a fold, rows kept, of what a procedure answered to the metric's question.

    Parameters
    ----------
    metric, y, labels : as in `score`.
    judged : rows and answers of each fold.
    groups : one value a row; rows of a group count as one another.
    """
    units = np.arange(len(y)) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    tallies = []
    for fold in judged:
        truth, answer, classes = prepare(metric, np.asarray(y)[fold.rows], fold.answer, labels)
        metric_needs = "labels" if metric.needs == "model" else metric.needs
        answered = "probabilities" if answer.ndim == 2 else metric_needs if predicts_classes(metric.task) else "numbers"
        tallies.append(
            Tally.of(
                truth,
                answer,
                units[fold.rows],
                classes if predicts_classes(metric.task) else None,
                answered=answered,
                reference=fold.reference,
                grouped=groups is not None,
                repeat=fold.repeat,
            )
        )
    return tallies


def corrected(scores: ArrayLike, n_train: float, n_test: float, level: float = 0.95) -> Interval:
    """Nadeau and Bengio's interval of the mean of fold scores.

    Parameters
    ----------
    scores : one a fold, over all repeats.
    n_train, n_test : rows of a fold (means, when folds differ).
    level : confidence.

    >>> tuple(round(end, 3) for end in corrected([0.5, 0.6, 0.7], 80, 20))
    (0.271, 0.929)
    """
    values = np.asarray(scores, dtype=np.float64)
    number("level", level, low=0, high=1, open_low=True, open_high=True)
    if len(values) < 2:
        return Interval(np.nan, np.nan, level)
    error = standard_error(values, n_train, n_test)
    reach = t_quantile(0.5 + level / 2, len(values) - 1) * error
    return Interval(float(values.mean() - reach), float(values.mean() + reach), level)


def corrected_test(differences: Any, n_train: float, n_test: float) -> float:
    """The two-sided p-value that two procedures, judged on the same folds, are equally good.

    >>> corrected_test([0.1, 0.1, 0.1], 80, 20)
    0.0
    """
    values = np.asarray(differences, dtype=np.float64)
    if len(values) < 2:
        return float("nan")
    error = standard_error(values, n_train, n_test)
    if error <= 1e-12 * float(np.abs(values).max()):
        return 0.0 if values.any() else 1.0
    return float(2 * t_tail(abs(values.mean()) / error, len(values) - 1))


def corrected_gain_test(differences: Any, n_train: float, n_test: float) -> float:
    """The one-sided p-value that the mean difference of fold scores is no larger than 0; NaN for a single fold.

    >>> round(corrected_gain_test([0.1, 0.2, 0.3], 80, 20), 3)
    0.06
    """
    values = np.asarray(differences, dtype=np.float64)
    p_two_sided = corrected_test(values, n_train, n_test)
    return p_two_sided / 2 if values.mean() > 0 else 1 - p_two_sided / 2


def resampled(
    metric: Metric,
    y: Any,
    judged: Sequence[Judged],
    labels: Any = None,
    *,
    groups: Any = None,
    n_resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """The percentile interval of a score when the judged rows (or whole groups) are drawn with replacement.

    Predictions made out of fold are resampled, not models refitted, so it costs little; it does not see how the model
    would change with other training rows.
    """
    if metric.needs == "model":
        return Interval(np.nan, np.nan, level, _WITH_MODEL.format(metric.name))
    scorer = _scorer(metric, np.asarray(y), judged, labels)
    values = np.concatenate([scorer(drawn) for drawn in _draws(metric, len(y), groups, n_resamples, seed)])
    values = values[np.isfinite(values)]
    if not len(values):
        return Interval(np.nan, np.nan, level)
    low, high = np.quantile(values, [0.5 - level / 2, 0.5 + level / 2])
    return Interval(float(low), float(high), level)


def best_of_many(
    metric: Metric,
    y: Any,
    judged: Sequence[Sequence[Judged]],
    labels: Any = None,
    *,
    groups: Any = None,
    n_resamples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, Interval]:
    """The honest score of "the best of these procedures", and its interval (BBC).

    In every resample the procedure that does best on the rows drawn is judged on the rows not drawn: having had the
    choice among many is thereby paid for, without fitting anything again.

    Parameters
    ----------
    metric, y, labels : as in `score`.
    judged : for every procedure, its out-of-fold answers.
    """
    if metric.needs == "model":
        return float("nan"), Interval(np.nan, np.nan, level, _WITH_MODEL.format(metric.name))
    if not judged:
        raise ParameterError("there is no procedure to choose from; give at least one")
    scorers = [_scorer(metric, np.asarray(y), answers, labels) for answers in judged]
    values = []
    for drawn in _draws(metric, len(y), groups, n_resamples, seed):
        inside = np.array([scorer(drawn) for scorer in scorers])
        outside = np.array([scorer((drawn == 0).astype(np.float64)) for scorer in scorers])
        usable = np.isfinite(inside).all(axis=0) & np.isfinite(outside).all(axis=0)
        best = utility(metric, inside[:, usable]).argmax(axis=0)
        values.append(outside[:, usable][best, np.arange(int(usable.sum()))])
    draws = np.concatenate(values)
    if not len(draws):
        return float("nan"), Interval(np.nan, np.nan, level)
    low, high = np.quantile(draws, [0.5 - level / 2, 0.5 + level / 2])
    return float(draws.mean()), Interval(float(low), float(high), level)


def standard_error(values: np.ndarray, n_train: float, n_test: float) -> float:
    """Nadeau and Bengio's standard error of the mean of fold scores."""
    return float(np.sqrt((1 / len(values) + n_test / n_train) * values.var(ddof=1)))


def _draws(metric: Metric, n_rows: int, groups: Any, n_resamples: int | None, seed: int) -> Iterator[np.ndarray]:
    """How often each row is in each resample: blocks of draws × rows, so that memory stays small."""
    codes = np.arange(n_rows) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    n_groups = int(codes.max()) + 1
    # with many rows the interval is narrow and needs no third digit
    default_draws = max(200, min(n_draws(metric), 20_000_000 // n_rows))
    n_draws_total = default_draws if n_resamples is None else count("n_resamples", n_resamples)
    size = max(1, min(n_draws_total, 4_000_000 // n_rows))
    for start in range(0, n_draws_total, size):
        drawn_now = min(size, n_draws_total - start)
        drawn = generator(seed, "resample", start).integers(n_groups, size=(drawn_now, n_groups))
        drawn += np.arange(drawn_now)[:, None] * n_groups  # one count of all draws at once
        counts = np.bincount(drawn.ravel(), minlength=drawn_now * n_groups).reshape(drawn_now, n_groups)
        yield counts[:, codes].astype(np.float64)


def _scorer(
    metric: Metric, y: np.ndarray, judged: Sequence[Judged], labels: ArrayLike
) -> Callable[[np.ndarray], np.ndarray]:
    """A function from weights (draws × rows) to the score of the judged rows under each; NaN where undefined."""
    blocks = [(j, *prepare(metric, y[j.rows], j.answer, labels)) for j in _pooled(metric, judged)]

    def scorer(weights: np.ndarray) -> np.ndarray:
        values = np.array(
            [
                bootstrap_metric(metric, truth, prediction, k, weights[:, j.rows], j.reference)
                for j, truth, prediction, k in blocks
            ]
        )
        finite = np.isfinite(values)
        total = np.where(finite, values, 0.0).sum(axis=0)
        return np.divide(total, finite.sum(axis=0), out=np.full(len(weights), np.nan), where=finite.any(axis=0))

    return scorer


def _pooled(metric: Metric, judged: Sequence[Judged]) -> list[Judged]:
    """Folds of a repeat put together, except where answers of different models do not compare."""
    if metric.base in RANKED:
        return list(judged)
    pooled = []
    for repeat in sorted({j.repeat for j in judged}):
        of = [j for j in judged if j.repeat == repeat]
        means = [None if j.reference is None else np.full(len(j.rows), j.reference) for j in of]
        present = [mean for mean in means if mean is not None]
        pooled.append(
            Judged(
                np.concatenate([j.rows for j in of]),
                np.concatenate([j.answer for j in of]),
                repeat,
                np.concatenate(present) if len(present) == len(of) else None,
            )
        )
    return pooled
