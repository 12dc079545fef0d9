"""What a model that can be read costs, in words: the black box beside the quoted way of working, in the same folds."""

from __future__ import annotations

from typing import Any

#: The losses procedures are compared by, as they are said.
LOSSES = {"brier": "Brier score", "log_loss": "log loss", "squared_error": "squared error", "cost": "cost"}


#: Procedures that need no other word before their name.
OWN = ("baseline", "stump", "tree", "lasso", "ridge", "forest", "booster", "boosting")


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


def price(facts: dict[str, Any]) -> str:
    """The sentence about the black box, empty without one.

    Which of the two is better is said of the loss that procedures are compared by, where the paired difference is
    beyond chance (two tests of 0.05); the scores stand beside, as they are.

    >>> box = {"score": 0.966, "interval": [0.951, 0.978], "folds": 5, "beside": 0.953, "cost": 0.013,
    ...        "better": "black box"}
    >>> price({"black_box": box, "signal": "captured", "finished": {"folds": 5, "of": 5}, "readable": True,
    ...        "loss": "brier", "by_black_box_alone": False, "procedure": "tree"})
    'A black box (gradient boosting) gets 0.966 (95% interval 0.951–0.978) in the same folds, in which this way of \
working gets 0.953: a model that can be read costs 0.013.'
    """
    box = facts.get("black_box")
    if box is None or box["score"] is None or box["beside"] is None:
        return ""
    if facts["procedure"] != "baseline" and not facts.get("contributions", True):  # a model of no column is no model
        return ""
    if facts["signal"] == "none" and facts.get("chosen_by") != "person":
        return f"{_black_box(facts)} shows none either: {_three(box['score'])}{_sure(box)}."
    alone = facts["procedure"] == "baseline" or facts.get("chosen_by") == "person"
    whose = the_procedure(facts["procedure"]) if alone else "this way of working"
    both = (
        f"{_black_box(facts)} gets {_three(box['score'])}{_sure(box)} in the same folds, in which {whose} gets "
        f"{_three(box['beside'])}"
    )
    return f"{both}{_verdict(facts, box)}."


def _black_box(facts: dict[str, Any]) -> str:
    """What it is called; beside a booster, by what makes it another kind of boosting."""
    which = " at its usual settings, on all columns" if facts["procedure"] == "booster" else ""
    return f"A black box (gradient boosting{which})"


def _verdict(facts: dict[str, Any], box: dict[str, Any]) -> str:
    """Which is better, by loss and score; the amount is that of the two scores as they are shown."""
    loss, cost = LOSSES[facts["loss"]], box["cost"]
    amount = _three(abs(round(box["score"], 3) - round(box["beside"], 3)))
    if box["better"] == "neither":
        return "; the difference is no more than chance explains"
    if box["better"] == "black box":
        if cost > 0:
            what = "a model that can be read" if facts["readable"] else f"{the_procedure(facts['procedure'])} instead"
            return f": {what} costs {amount}"
        return f"; by the {loss} the black box is better beyond chance"
    if cost < 0:
        free = "a model that can be read costs nothing" if facts["readable"] else "the black box has no advantage"
        return f": {free}"
    return f"; by the {loss} the black box is worse beyond chance"


def _sure(box: dict[str, Any]) -> str:
    bound = box["interval"]
    return f" (95% interval {_three(bound[0])}–{_three(bound[1])})" if bound else ""


def _three(value: float) -> str:
    """Three decimals, or four significant digits for sizes that three decimals would not fit."""
    return f"{value:z.3f}" if abs(value) < 10 else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
