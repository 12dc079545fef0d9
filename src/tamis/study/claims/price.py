"""What gradient boosting adds to the model, in words: both judged in the same folds."""

from __future__ import annotations

from typing import Any

from tamis.results.answer import Answer
from tamis.study.procedures import in_sentence, reference_noun
from tamis.wording import span, three

#: The losses procedures are compared by, as they are said.
LOSSES = {
    "brier": "Brier score",
    "log_loss": "log loss",
    "ranked_probability_score": "ranked probability score",
    "squared_error": "squared error",
    "poisson_deviance": "Poisson deviance",
    "cost": "cost",
}

#: Losses of probabilities.
PROBABILITIES = ("brier", "log_loss", "ranked_probability_score")

#: Metrics that a loss decides: where it is better, so are they.
SAME_AS_LOSS = {
    "squared_error": ("r2", "mse", "rmse"),
    "brier": ("brier",),
    "log_loss": ("log_loss",),
    "cost": ("cost",),
    "poisson_deviance": ("poisson_deviance",),
    "ranked_probability_score": ("ranked_probability_score",),
}

#: Metrics whose names do not read well in a sentence.
SPOKEN = {
    "cost": "mean cost",
    "r2": "R²",
    "roc_auc": "area under the ROC curve",
    "rmse": "root mean squared error",
    "poisson_deviance": "Poisson deviance",
    "mean_rank_error": "error in levels",
}

#: Fraction of the gain over the baseline from which on the price is the second sentence, with the way to pay it.
DEAR = 0.05

#: How the note on an interval ends where classes have too few rows to bound the score.
UNQUOTABLE = "do not quote"


def spoken(metric: str) -> str:
    """A metric as it stands in a sentence."""
    return metric if metric.endswith(")") else SPOKEN.get(metric, metric.replace("_", " "))


def price(facts: Answer) -> str:
    """The sentence about the best black box, empty without one.

    Which of the two is better is said of the loss that procedures are compared by, where the paired difference is
    beyond chance (two tests of 0.05).

    >>> box = {"name": "boosting", "score": 0.966, "interval": [0.951, 0.978], "quoted_score": 0.953, "cost": 0.013,
    ...        "cost_interval": [0.002, 0.024], "better": "black box"}
    >>> price(Answer(black_box=box, readable="glance", loss="brier", procedure="tree", n_columns=9,
    ...              contributions={"age": 1.0}))
    'A black box (gradient boosting on all 9 columns) would get 0.966 against 0.953 (accuracy): reading costs 0.013 \
(95% interval 0.002–0.024).'
    """
    box = facts.black_box
    if box is None or box["score"] is None or box["quoted_score"] is None:
        return ""
    if facts.procedure != "baseline" and not facts.contributions:  # a model of no column is no model
        return ""
    name = f"{reference_noun(box['name'], in_sentence(box['name']))} on {_all_columns(facts)}"
    if (facts.signal == "none" or facts.tentative) and not facts.is_by_person:
        return ""  # it is among the models that found nothing, or nothing sure
    if (facts.interval_note or "").endswith(UNQUOTABLE):  # nor is the black box's score to be quoted
        verdict = {"neither": "not measurably better", "black box": "better", "quoted": "worse"}[box["better"]]
        return f"{_capital(name)} is {verdict} by the {LOSSES[facts.loss]}."
    return _verdict(facts, box, name)


def is_dear(facts: Answer) -> bool:
    """Whether a black box is better beyond chance, by more than a twentieth of the gain over the baseline."""
    box, base = facts.black_box, facts.baseline
    if box is None or box["better"] != "black box" or facts.signal == "none" or facts.procedure == "baseline":
        return False
    if box["score"] is None or box["quoted_score"] is None or base is None or facts.readable == "no":
        return False
    return is_open(facts)


def _all_columns(facts: Answer) -> str:
    return "the same column" if facts.n_columns == 1 else f"all {facts.n_columns:,} columns"


def _capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def _verdict(facts: Answer, box: dict[str, Any], name: str) -> str:
    """Which is better, by loss and score; the amount is that of the two scores as they are shown.

    The test is of the loss. Beside it a score of another kind is named, so that nobody takes its difference for tested.
    """
    alone = facts.procedure == "baseline" or facts.is_by_person
    whose = f" for {in_sentence(facts.procedure)}" if alone else ""
    scores = f"{three(box['score'])} against {three(box['quoted_score'])}{whose}"
    amount, bound = abs(round(box["score"], 3) - round(box["quoted_score"], 3)), box.get("cost_interval")
    is_better, behind = (amount > 0 and sign * box["cost"] > 0 for sign in (1, -1))
    is_read = facts.readable != "no" and facts.procedure != "baseline"
    metric, loss = spoken(facts.metric), LOSSES[facts.loss]
    if box["better"] == "neither":
        if not is_read:
            return f"{_capital(name)} is {'not measurably better' if is_better else 'no better'} ({scores})."
        if is_open(facts):
            return _open_price(facts, f"{name} gets {scores} ({metric})", bound)
        return f"Reading costs nothing that can be measured: {name} gets {scores} ({metric})."
    if box["better"] == "quoted" and is_read:
        gets = f"predicts worse, {scores} ({metric})" if behind else f"gets {scores} ({metric}), with a worse {loss}"
        return f"Reading costs nothing: {name} {gets}."
    if box["better"] == "quoted":
        by = "" if facts.metric in SAME_AS_LOSS.get(facts.loss, ()) and behind else f" by the {loss}"
        return f"{_capital(name)} is worse{by} ({metric} {scores})."
    if not is_better or not is_read or bound is None:
        but = "" if is_better else f", but not by {metric}"
        return f"{_capital(name)} is better by the {loss}{but} ({metric} {scores})."
    if bound[0] <= 0:
        better = "gives better probabilities" if facts.loss in PROBABILITIES else f"is better by the {loss}"
        return (
            f"A black box ({name}) {better}. Its {metric} is {scores}: reading may cost up to "
            f"{three(bound[1])}{_interval(bound)}.{_take_it(facts, box)}"
        )
    return (
        f"A black box ({name}) would get {scores} ({metric}): reading costs {three(amount)}{_interval(bound)}."
        f"{_take_it(facts, box)}"
    )


def _open_price(facts: Answer, gets: str, bound: list[float] | None) -> str:
    """That reading may cost something, where the difference is large and chance could explain it."""
    rows = f"{facts.n_rows:,} rows are" if facts.n_rows else "these rows are"
    if bound is None:
        return f"Reading may cost something: {gets}, but {rows} too few to be sure."
    return f"Reading may cost up to {three(bound[1])}: {gets}, but {rows} too few to be sure{_interval(bound)}."


def _interval(bound: list[float] | None) -> str:
    """The ends of an interval in brackets.

    >>> _interval([0.002, 0.024]), _interval([-0.002, 0.02])
    (' (95% interval 0.002–0.024)', ' (95% interval −0.002 to 0.020)')
    """
    if bound is None:
        return ""
    return f" (95% interval {span(*map(three, bound))})"


def is_open(facts: Answer) -> bool:
    """Whether a black box has a score so much better that its not being beyond chance says little."""
    box, base = facts.black_box or {}, facts.baseline
    return base is not None and box.get("cost") is not None and box["cost"] > DEAR * abs(box["quoted_score"] - base)


def _take_it(facts: Answer, box: dict[str, Any]) -> str:
    return f" `tamis choose STUDY --procedure {box['name']}` takes it." if is_dear(facts) else ""
