"""What gradient boosting adds to the model, in words: both judged in the same folds."""

from __future__ import annotations

from typing import Any

#: The losses procedures are compared by, as they are said.
LOSSES = {
    "brier": "Brier score",
    "log_loss": "log loss",
    "ranked_probability_score": "ranked probability score",
    "squared_error": "squared error",
    "poisson_deviance": "Poisson deviance",
    "cost": "cost",
}

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

#: Procedures that need no other word before their name.
OWN = ("baseline", "stump", "tree", "lasso", "ridge", "forest", "booster", "boosting")

#: How the note on an interval ends where classes have too few rows to bound the score.
UNQUOTABLE = "do not quote"


def the_procedure(name: str) -> str:
    """A procedure by its name, that of a user's in quotes.

    >>> the_procedure("lasso"), the_procedure("mine"), the_procedure("tree[5]")
    ('the lasso', "the procedure 'mine'", 'the tree held to 5 columns')
    """
    base, _, few = name.partition("[")
    if few.endswith("]") and few[:-1].isdigit():
        columns = "1 column" if few == "1]" else f"{few[:-1]} columns"
        return f"{the_procedure(base)} held to {columns}"
    return f"the {name}" if name in OWN else f"the procedure {name!r}"


def spoken(metric: str) -> str:
    """A metric as it stands in a sentence."""
    return metric if metric.endswith(")") else SPOKEN.get(metric, metric.replace("_", " "))


def price(facts: dict[str, Any]) -> str:
    """The sentence about the black box, empty without one.

    Which of the two is better is said of the loss that procedures are compared by, where the paired difference is
    beyond chance (two tests of 0.05); the scores stand beside, as they are.

    >>> box = {"score": 0.966, "interval": [0.951, 0.978], "folds": 5, "beside": 0.953, "cost": 0.013,
    ...        "better": "black box"}
    >>> price({"black_box": box, "signal": "captured", "finished": {"folds": 5, "of": 5}, "readable": "glance",
    ...        "loss": "brier", "by_black_box_alone": False, "procedure": "tree", "metric": "accuracy", "n_columns": 9})
    'Gradient boosting on all 9 columns is better by the Brier score (accuracy 0.966 against 0.953): the readable \
model loses 0.013.'
    """
    box = facts.get("black_box")
    if box is None or box["score"] is None or box["beside"] is None:
        return ""
    if facts["procedure"] != "baseline" and not facts.get("contributions", True):  # a model of no column is no model
        return ""
    if facts["signal"] == "none" and facts.get("chosen_by") != "person":
        return f"{_black_box(facts)} is no better beyond chance: {_three(box['score'])}{_sure(box)}."
    if (facts.get("interval_note") or "").endswith(UNQUOTABLE):  # nor is the black box's score to be quoted
        verdict = {"neither": "not measurably better", "black box": "better", "quoted": "worse"}[box["better"]]
        return f"{_black_box(facts)} is {verdict} by the {LOSSES[facts['loss']]}."
    alone = facts["procedure"] == "baseline" or facts.get("chosen_by") == "person"
    whose = f" for {the_procedure(facts['procedure'])}" if alone else ""
    return f"{_black_box(facts)} is {_verdict(facts, box, whose)}."


def _black_box(facts: dict[str, Any]) -> str:
    """What it is called; beside a booster, by what makes it another kind of boosting."""
    which = " at its usual settings" if facts["procedure"] == "booster" else ""
    columns = "the same column" if facts["n_columns"] == 1 else f"all {facts['n_columns']:,} columns"
    return f"Gradient boosting{which} on {columns}"


def _verdict(facts: dict[str, Any], box: dict[str, Any], whose: str) -> str:
    """Which is better, by loss and score; the amount is that of the two scores as they are shown.

    The test is of the loss. Beside it a score of another kind is named, so that nobody takes its difference for tested.
    """
    scores = f"{_three(box['score'])} against {_three(box['beside'])}{whose}"
    difference = abs(round(box["score"], 3) - round(box["beside"], 3))
    ahead, behind = (difference > 0 and sign * box["cost"] > 0 for sign in (1, -1))
    if box["better"] == "neither":
        return f"{'not measurably better' if ahead else 'no better'} ({scores})"
    better = box["better"] == "black box"
    word, agree = ("better", ahead) if better else ("worse", behind)
    if facts["metric"] in SAME_AS_LOSS.get(facts["loss"], ()) and agree:
        both = f"{word} ({scores})"
    elif agree:
        both = f"{word} by the {LOSSES[facts['loss']]} ({spoken(facts['metric'])} {scores})"
    else:
        both = f"{word} by the {LOSSES[facts['loss']]}, but not by {spoken(facts['metric'])} ({scores})"
    if facts["readable"] == "no" or facts["procedure"] == "baseline" or not agree:
        return both
    return f"{both}: the readable model loses {_three(difference) if better else 'nothing'}"


def _sure(box: dict[str, Any]) -> str:
    bound = box["interval"]
    return f" (95% interval {_three(bound[0])}–{_three(bound[1])})" if bound else ""


def _three(value: float) -> str:
    """Three decimals, or four significant digits for sizes that three decimals would not fit."""
    return f"{value:z.3f}" if abs(value) < 10 else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
