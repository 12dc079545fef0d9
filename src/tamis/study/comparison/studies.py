"""Two studies side by side: scores, models, columns in common and, over the same rows and folds, the paired difference.

Two studies are compared row by row only where both judged the same rows in the same folds: the same table, target,
locked rows, seed and plan of folds. Otherwise the scatter of the rows stands between their scores, and only intervals
can be looked at.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from tamis.errors import KindError, StudyError
from tamis.metrics.intervals.paired import difference, row_losses
from tamis.results.results import Predictions, Results
from tamis.saved import read_integer, reading, text
from tamis.study.disk.files import REBUILT, RESULTS_FILE
from tamis.task import CLASSIFICATION, COUNT, ORDINAL, REGRESSION, read_task
from tamis.wording import first_few, span

if TYPE_CHECKING:
    from tamis.study.study import Study

#: Columns that the text names at most.
MOST_NAMED = 8

_LOSSES = {
    "brier": "Brier score",
    "ranked_probability_score": "ranked probability score",
    "squared_error": "mean squared error",
    "poisson_deviance": "mean Poisson deviance",
}
_LOSS_OF_TASK = {
    CLASSIFICATION: "brier",
    ORDINAL: "ranked_probability_score",
    REGRESSION: "squared_error",
    COUNT: "poisson_deviance",
}


@dataclass(frozen=True)
class StudyComparison:
    """What two studies found, side by side.

    Attributes
    ----------
    first, second : of each study: folder, target, metric, score, interval, procedure, chosen_by, selected, n_columns,
        rows (learned from), locked.
    common, only_first, only_second : columns of the final models.
    comparable : whether both judged the same rows in the same folds.
    reason : why not.
    by_rows : the paired difference (first minus second) of a proper loss of out-of-fold answers: `loss`, `rows`,
        `mean`, `error`, `p_value` (two-sided); None where answers were not kept, or rows come in groups or in time.
    by_folds : the difference of the quoted scores, fold by fold: `folds`, `mean`, `error`, `p_value`; the error is
        widened for training parts that overlap (Nadeau and Bengio, 2003). None where the metrics differ.
    """

    first: dict[str, Any]
    second: dict[str, Any]
    common: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    comparable: bool
    reason: str
    by_rows: dict[str, Any] | None
    by_folds: dict[str, Any] | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "first": self.first,
            "second": self.second,
            "columns": {
                "common": list(self.common),
                "only_first": list(self.only_first),
                "only_second": list(self.only_second),
            },
            "comparable": self.comparable,
            "reason": self.reason,
            "by_rows": self.by_rows,
            "by_folds": self.by_folds,
        }

    def to_text(self) -> str:
        """The comparison as lines of text."""
        lines = [("", *(side["folder"] for side in (self.first, self.second)))]
        for name, write in _LINES.items():
            lines.append((name, write(self.first), write(self.second)))
        width = [max(len(line[k]) for line in lines) for k in range(2)]
        sentences = [f"{a:<{width[0]}}  {b:<{width[1]}}  {c}".rstrip() for a, b, c in lines]
        sentences.append(f"columns of both models: {_named(self.common)}")
        sentences.append(f"only in the first: {_named(self.only_first)}")
        sentences.append(f"only in the second: {_named(self.only_second)}")
        return "\n".join([*sentences, *self._differences()])

    __repr__ = to_text

    def _differences(self) -> list[str]:
        if not self.comparable:
            return [f"not comparable row by row: {self.reason}"]
        sentences = []
        if self.by_rows is not None:
            what = _LOSSES[self.by_rows["loss"]]
            over = f"the same {self.by_rows['rows']:,} rows, {what} (smaller is better)"
            sentences.append(f"over {over}: first minus second {_difference(self.by_rows)}")
        if self.by_folds is not None:
            over = f"the same {self.by_folds['folds']} folds, {self.first['metric']}"
            sentences.append(f"over {over}: first minus second {_difference(self.by_folds)}")
        return sentences or ["the same rows and folds, but neither a metric nor answers of rows that both have"]


def compare(first: str | os.PathLike[str] | Study, second: str | os.PathLike[str] | Study) -> StudyComparison:
    """Two studies side by side.

    Parameters
    ----------
    first, second : folders of finished studies, or studies that were run or loaded.
    """
    first_study, two = _finished("first", first), _finished("second", second)
    unchecked = [str(study.folder) for study in (first_study, two) if not study._is_whole]
    if not unchecked:
        return _compared(first_study, two)
    # results of an earlier Tamis may lack what a comparison needs
    with reading(f"{RESULTS_FILE} of {' or of '.join(map(repr, unchecked))}", REBUILT, StudyError):
        return _compared(first_study, two)


def _compared(first_study: Study, two: Study) -> StudyComparison:
    mine, theirs = (Results.from_dict(study.results_) for study in (first_study, two))
    reason = _reason_unpaired(mine, theirs)
    selected, other_selected = mine.answer.selected, theirs.answer.selected
    return StudyComparison(
        _side(first_study, mine),
        _side(two, theirs),
        tuple(name for name in selected if name in other_selected),
        tuple(name for name in selected if name not in other_selected),
        tuple(name for name in other_selected if name not in selected),
        not reason,
        reason,
        None if reason else _by_rows(mine, theirs),
        None if reason else _by_folds(mine, theirs),
    )


def _finished(name: str, study: Any) -> Study:
    from tamis.study.disk.loading import load
    from tamis.study.study import Study

    if isinstance(study, Study):
        study._result_of("answer")
        return study
    if not isinstance(study, (str, os.PathLike)):
        raise KindError(f"{name}={study!r} is no study; give the folder of one, or what tamis.load gives")
    return load(study)


def _side(study: Study, results: Results) -> dict[str, Any]:
    answer, data = results.answer, results.data
    text("the procedure", answer.procedure)
    names = ("metric", "score", "interval", "baseline", "procedure", "chosen_by", "selected")
    return {
        "folder": str(study.folder),
        "target": data.target,
        **{name: getattr(answer, name) for name in names},
        "n_columns": read_integer("n_columns", answer.n_columns),
        "rows": read_integer("learned", data.learned),
        "locked": read_integer("locked", data.locked),
        "partial": results.partial,
    }


def _reason_unpaired(mine: Results, theirs: Results) -> str:
    """Why two studies did not judge the same rows in the same folds; empty where they did."""
    for name, results in (("first", mine), ("second", theirs)):
        if results.partial:
            return f"the {name} study is partial; finish it with run()"
    if mine.data.target != theirs.data.target:
        return f"they predict {mine.data.target!r} and {theirs.data.target!r}"
    if mine.lock.data != theirs.lock.data:
        return "their tables hold other rows or columns"
    for name in ("seed", "groups", "time", "rare", "task"):
        mine_is, other_is = mine.settings.get(name), theirs.settings.get(name)
        if mine_is != other_is:
            return f"{name} is {mine_is!r} in the first, {other_is!r} in the second"
    if mine.lock.digest != theirs.lock.digest:
        return "they set aside different test rows"
    if mine.plan != theirs.plan or mine.folds != theirs.folds:
        return "they were judged in other folds"
    if mine.data.classes != theirs.data.classes or mine.data.learned != theirs.data.learned:
        return "they learned from other rows"
    first, second = mine.predictions, theirs.predictions
    if first is not None and second is not None and (first.rows != second.rows or first.truth != second.truth):
        return "the targets of their rows differ"
    return ""


def _by_rows(mine: Results, theirs: Results) -> dict[str, Any] | None:
    """The paired difference of the losses of rows, the mean of those of the repeats."""
    first, second, settings = mine.predictions, theirs.predictions, mine.settings
    if first is None or second is None or settings.get("groups") is not None or settings.get("time") is not None:
        return None
    kind, truth = _LOSS_OF_TASK[read_task(mine.answer.task)], np.array(first.truth)
    losses = [_row_losses(kind, truth, predictions) for predictions in (first, second)]
    rows = np.ones(len(truth))
    forward, back = difference(losses[0], losses[1], rows), difference(losses[1], losses[0], rows)
    p_two_sided = min(1.0, 2 * min(forward.p_value, back.p_value))
    return {"loss": kind, "rows": len(truth), "mean": forward.mean, "error": forward.error, "p_value": p_two_sided}


def _row_losses(kind: str, truth: np.ndarray, predictions: Predictions) -> np.ndarray:
    """The loss of each row, its mean over the repeats: answers that are averaged first lose less than a model does."""
    repeats = predictions.by_repeat or [predictions.answers]  # older results hold the means of answers alone
    return np.mean([row_losses(kind, truth, np.array(repeat, dtype=np.float64)) for repeat in repeats], axis=0)


def _by_folds(mine: Results, theirs: Results) -> dict[str, Any] | None:
    r"""The mean difference of scores over k folds, with the standard error :math:`s \sqrt{1/k + n_t / n_l}`.

    s is the standard deviation of the differences, n_t and n_l are rows judged in a fold and learned from.
    """
    if mine.answer.metric != theirs.answer.metric:
        return None
    pairs = [(a, b) for a, b in zip(_scores(mine), _scores(theirs)) if a is not None and b is not None]
    if len(pairs) < 2:
        return None
    gaps = np.array([a - b for a, b in pairs])
    share = np.mean([fold["test"] / fold["train"] for fold in mine.folds])
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1) * np.sqrt(1 / len(gaps) + share))
    if error == 0:
        p_value = 1.0 if mean == 0 else float(0.5 ** (len(gaps) - 1))  # all folds alike: the sign test's least
    else:
        p_value = float(2 * scipy.stats.t.sf(abs(mean) / error, len(gaps) - 1))
    return {"folds": len(gaps), "mean": mean, "error": error, "p_value": p_value}


def _scores(results: Results) -> list[float | None]:
    """Scores of the folds that the quoted score is the mean of."""
    compared = results.comparison
    return (compared.procedure(compared.chosen) if compared.quotes_one else compared).scores


def _score(side: dict[str, Any]) -> str:
    if side["score"] is None:
        return "none"
    sure = "no interval" if side["interval"] is None else span(*(f"{end:.4g}" for end in side["interval"]))
    return f"{side['score']:.4g} ({sure})"


_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "target": lambda side: str(side["target"]),
    "metric": lambda side: str(side["metric"]),
    "score (95% interval)": _score,
    "procedure": lambda side: f"{side['procedure']}{', chosen by a person' * (side['chosen_by'] == 'person')}",
    "columns": lambda side: f"{len(side['selected'])} of {side['n_columns']:,}",
    "rows": lambda side: f"{side['rows']:,} learned from, {side['locked']:,} locked",
}


def _difference(gap: dict[str, Any]) -> str:
    p = "p < 0.0001" if gap["p_value"] < 1e-4 else f"p = {gap['p_value']:.2g}"
    return f"{gap['mean']:+.4g} (standard error {gap['error']:.2g}, {p})"


def _named(names: tuple[str, ...]) -> str:
    return first_few(names, MOST_NAMED) if names else "none"
