"""The expected score on new rows in words, and how it compares with guessing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tamis.results.answer import Answer
from tamis.study.claims.held_out import RANKING_SHARE
from tamis.study.claims.price import UNQUOTABLE, spoken
from tamis.task import predicts_classes
from tamis.wording import listed, span, three, two

#: Classes of which the rows recognised are said at most.
MOST_CLASSES = 8

#: The recall of every class is said where that of one is below this.
LOW_RECALL = 0.5


#: Level of the test that probabilities must pass to be called better than the shares of the classes.
BETTER = 0.05


#: Forecasts from earlier targets alone, as they are said.
NAIVE = {
    "last value": "always guessing the last value",
    "drift": "continuing the drift of earlier values",
    "recent shares": "the recent shares of the classes",
    "season": "repeating the season of earlier values",
}


def expected(facts: Answer) -> str:
    """What the model will score on new rows, and what guessing does."""
    metric, bound = spoken(facts.metric), facts.interval
    if facts.score is None:
        return f"No {metric} can be expected: it has no value in any fold, as of too few rows or of constant answers."
    if facts.procedure == "baseline":
        return _guessing(facts)
    if bound is None and (facts.interval_note or "").endswith(UNQUOTABLE):
        sentence = f"The {metric} on new rows {facts.interval_note} the {two(facts.value)} measured here."
        return f"{sentence} {_beside_ranking(facts)}" if facts.metric == "roc_auc" else sentence
    sentence_of_metric = _SAID.get(facts.metric, _plain)(facts) if bound else _plain(facts)
    if good_for := _good_for(facts):
        return f"{good_for} {_useless(facts) if bound else sentence_of_metric}{_agreement(facts)}"
    return f"{sentence_of_metric}{_agreement(facts)}{_no_better(facts)}{_corrected(facts)}"


def _guessing(facts: Answer) -> str:
    """What is right without a look at any column.

    >>> _guessing(Answer(metric="accuracy", score=0.69, majority="ill"))
    'Always answering "ill" is right in 69 of 100 cases.'
    """
    if facts.metric == "accuracy":
        who = _answering(facts)
        return f"{who[0].upper()}{who[1:]} is right in {_cases(facts.value)} of 100 cases{_mean(facts)}."
    if facts.metric == "r2" and facts.naive is None:
        return "Always guessing the mean is as good."
    sentence = f"Expected {spoken(facts.metric)} on new rows {two(facts.value)}"
    mean = ", on average" if _mean(facts) else ""
    return f"{sentence}, that of {guess(facts)}{mean}{_naive_beside(facts)}."


def _plain(facts: Answer) -> str:
    """A score of any metric, its interval, and that of guessing."""
    bound = facts.interval
    digits = _digits(bound)
    sure = f"95% interval {span(digits(bound[0]), digits(bound[1]))}" if bound else facts.interval_note
    base = facts.baseline
    comparison = "" if base is None else f"; {guess(facts)} gives {two(base)}{_mean(facts)}{_naive(facts)}"
    return f"Expected {spoken(facts.metric)} on new rows {digits(facts.value)} ({sure}){comparison}."


def _accuracy(facts: Answer) -> str:
    bound, base = facts.ends, facts.baseline
    sentence = f"On new rows the model should be right in {_cases(facts.value, bound)} of 100 cases"
    comparison = (
        "" if base is None else f"; {_answering(facts)} is right in {_cases(base)}{_mean(facts)}{_naive(facts)}"
    )
    return f"{sentence} (95% interval {span(_cases(bound[0], bound), _cases(bound[1], bound))}){comparison}."


def _balanced_accuracy(facts: Answer) -> str:
    bound, base = facts.ends, facts.baseline
    sentence = f"Of 100 new rows of each class the model should recognise {_cases(facts.value, bound)} on average"
    comparison = "" if base is None else f"; {guess(facts)} gives {_cases(base)}{_mean(facts)}{_naive(facts)}"
    ends = f"{span(_cases(bound[0], bound), _cases(bound[1], bound))}"
    return f"{sentence} (balanced accuracy, 95% interval {ends}){comparison}."


def _explained(facts: Answer) -> str:
    """R² as a percentage; one that is negative, or beside an earlier value that is better, as it is."""
    bound = facts.ends
    if facts.value < 0 or facts.naive is not None:
        return _plain(facts)
    digits = 1 if bound[1] - bound[0] < 0.01 else 0
    low, middle, high = (f"{100 * value:.{digits}f}" for value in (max(0.0, bound[0]), facts.value, bound[1]))
    of = f" of {facts.target}" if facts.target.strip() else ""
    return f"On new rows the model should explain {middle}% of the variation{of} (R², 95% interval {span(low, high)}%)."


def _area(facts: Answer) -> str:
    """The area under the ROC curve, of two classes as the pairs that are ranked rightly."""
    bound, recalls = facts.ends, facts.recalls or []
    labels = [row["label"] for row in recalls]
    if len(labels) != 2:
        digits = _digits(bound)
        ends = f"95% interval {span(digits(bound[0]), digits(bound[1]))}"
        sentence = f"Expected {spoken('roc_auc')} on new rows {digits(facts.value)} ({ends}); 0.50 is chance."
    else:
        rare, common = sorted(labels, key=lambda label: next(r["rows"] for r in recalls if r["label"] == label))
        ends = f"95% interval {span(_cases(bound[0], bound), _cases(bound[1], bound))}"
        sentence = (
            f'On new rows the model should rank a "{rare}" above a "{common}" in '
            f"{_cases(facts.value, bound)} of 100 pairs (area under the ROC curve, {ends}); 50 is chance."
        )
    return f"{sentence} {_beside_ranking(facts)}"


_SAID: dict[str, Callable[[Answer], str]] = {
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "r2": _explained,
    "roc_auc": _area,
}


def _agreement(facts: Answer) -> str:
    """The weighted kappa of ordered classes, where it is not the score itself."""
    kappa = facts.weighted_kappa
    return "" if kappa is None or facts.metric == "weighted_kappa" else f" Weighted kappa {two(kappa)}."


def _cases(value: float, bound: Sequence[float] | None = None) -> str:
    """A share of right answers as a number of 100 cases; with one decimal where the interval is narrow.

    >>> _cases(0.954), _cases(0.9954, [0.992, 0.998])
    ('95', '99.5')
    """
    narrow = bound is not None and bound[1] - bound[0] < 0.01
    return f"{100 * value:.1f}" if narrow else f"{100 * value:.0f}"


def _answering(facts: Answer) -> str:
    """What is answered without looking at a column."""
    alike = (facts.largest_classes or (1, 2))[0]
    if alike == 1 and facts.majority is not None:
        return f'always answering "{facts.majority}"'
    return guess(facts).replace("guessing", "answering")


def _corrected(facts: Answer) -> str:
    """The score corrected for having been quoted only because a test passed, where the claim is near its threshold."""
    if facts.corrected_score is None:
        return ""
    weak = " Scores that only just pass a test tend to be too good."
    if not facts.tentative:  # there the p-value has been said
        weak = f" The evidence is weak (p = {facts.p_value:.2g}): scores that only just pass a test are too good."
    guess = 0.5 if facts.metric == "roc_auc" else facts.baseline
    if guess is not None and two(facts.corrected_score) == two(guess):
        return f"{weak} Corrected for that, the model may be no better than guessing."
    corrected = two(facts.corrected_score)
    if facts.metric in ("accuracy", "roc_auc"):
        corrected = f"{_cases(facts.corrected_score)} of 100"
    elif facts.metric == "r2":
        corrected = f"{100 * facts.corrected_score:.0f}%"
    return f"{weak} Corrected for that, expect {corrected}."


def by_class(facts: Answer) -> str:
    """How many rows of every class are recognised, where those of any are fewer than half; of many classes, of those.

    >>> by_class(Answer(recalls=[{"label": "well", "recall": 0.88}, {"label": "ill", "recall": 0.45}]))
    'It recognises 88% of "well" and 45% of "ill".'
    """
    with_recall = [row for row in facts.recalls or [] if row["recall"] is not None]
    low = [row for row in with_recall if row["recall"] < LOW_RECALL]
    if not low or facts.procedure == "baseline":
        return ""
    if len(with_recall) <= MOST_CLASSES:
        return f"It recognises {listed(_recognised(with_recall))}."
    lowest = sorted(low, key=lambda row: row["recall"])[:MOST_CLASSES]
    phrases = [f"{row['label']} ({100 * row['recall']:.0f}%)" for row in lowest]
    phrases += [f"{len(low) - MOST_CLASSES:,} more"] if len(low) > MOST_CLASSES else []
    of = f"{len(low):,} of the {len(with_recall):,} classes"
    return f"It recognises fewer than half of the rows of {of}: {listed(phrases)}."


def _recognised(rows: list[dict[str, Any]]) -> list[str]:
    return [f'{100 * row["recall"]:.0f}% of "{row["label"]}"' for row in rows]


def _is_no_more_accurate(facts: Answer) -> bool:
    accuracies = ("accuracy", "balanced_accuracy")
    if facts.metric not in accuracies or facts.baseline is None or facts.value > facts.baseline:
        return False
    return not (facts.by_black_box_alone or facts.by_columns_alone)  # nor are the probabilities


def _good_for(facts: Answer) -> str:
    """What a model is good for whose predicted class is right no more often than guessing: probabilities, or ranks.

    >>> _good_for(Answer(score=0.71, baseline=0.75, gain_p_value=0.2, p_value=0.009, pairs_ranked=0.64))
    'On new rows the model ranks cases better than chance: rightly in 64 of 100 pairs (p = 0.009; 50 is chance).'
    """
    if not _is_no_more_accurate(facts):
        return ""
    gain_p, p, area = facts.gain_p_value, facts.p_value, facts.pairs_ranked
    pairs = "" if area is None or area <= 0.5 else f"rightly in {_cases(area)} of 100 pairs"
    if gain_p <= BETTER:
        ranked = f", and cases are ranked {pairs} (50 is chance)" if pairs else ""
        return f"On new rows the predicted probabilities are better than the shares of the classes{ranked}."
    if facts.signal == "captured" and p < gain_p / (1 - RANKING_SHARE):  # ranks pass the test, losses do not
        ranked = f": {pairs} (p = {p:.2g}; 50 is chance)" if pairs else f" (p = {p:.2g})"
        return f"On new rows the model ranks cases better than chance{ranked}."
    return ""


def _useless(facts: Answer) -> str:
    """A predicted class that is right no more often than guessing, with both figures."""
    bound = facts.ends
    if facts.metric != "accuracy":
        return f"Its predicted class is no better than guessing. {_SAID[facts.metric](facts)}"
    interval = f"95% interval {span(_cases(bound[0], bound), _cases(bound[1], bound))}"
    return (
        f"Its predicted class is no better than guessing: right in {_cases(facts.value, bound)} of 100 cases "
        f"({interval}); {_answering(facts)} in {_cases(facts.baseline or 0.0)}{_mean(facts)}."
    )


def _no_better(facts: Answer) -> str:
    """A reader would take a predicted class that is right no more often than guessing for a contradiction."""
    return " The predicted class is not right more often." if _is_no_more_accurate(facts) else ""


def _beside_ranking(facts: Answer) -> str:
    """A good ranking of unequal classes may leave the accuracy where it was."""
    model_accuracy, majority = (value or 0.0 for value in facts.accuracy or (None, None))
    return f"Its class is right in {_cases(model_accuracy)} of 100 cases; {_answering(facts)} in {_cases(majority)}."


def rival(facts: Answer) -> str:
    """What a procedure must beat: the baseline, or a forecast from earlier targets where that is better."""
    naive = facts.naive
    return guess(facts) if naive is None else NAIVE[naive["name"]]


def _naive_beside(facts: Answer) -> str:
    naive = facts.naive
    if naive is None or naive["score"] is None:
        return ""
    return f"; {NAIVE[naive['name']]} gives {two(naive['score'])}"


def _naive(facts: Answer) -> str:
    """The score of a forecast from earlier targets that is better than the baseline."""
    naive = facts.naive
    return "" if naive is None or naive["score"] is None else f", {NAIVE[naive['name']]} {two(naive['score'])}"


def an(metric: str) -> str:
    """The metric with its article."""
    return f"{'an' if spoken(metric)[0] in 'aeiou' else 'a'} {spoken(metric)}"


def guess(facts: Answer) -> str:
    if facts.metric == "cost":
        return "the cheapest answer for all"
    if not predicts_classes(facts.task):
        return f"always guessing the mean{' rate' if facts.exposure else ''}"
    alike, of = facts.largest_classes or (1, 2)
    if alike == 1:
        return "always guessing the majority"
    return "always guessing one class" if alike == of else f"always guessing one of the {alike} largest classes"


def _mean(facts: Answer) -> str:
    """That the score of guessing is a mean over classes that are about as large as each other."""
    return " on average" if (facts.largest_classes or (1, 2))[0] > 1 else ""


def _digits(bound: Sequence[float] | None) -> Callable[[float], str]:
    """Two decimals, or three where the ends of the interval would otherwise look the same."""
    return three if bound and bound[0] < bound[1] and two(bound[0]) == two(bound[1]) else two
