"""Score cards: whole points for yes-or-no statements."""

from typing import Any

from tamis.evaluate.inner_folds import InnerFolds
from tamis.linear import ScoreCard, ScoreCardRegressor
from tamis.study.procedures import Procedure
from tamis.task import predicts_numbers


def score_card(task: str) -> Any:
    """A score card of two classes, or of numbers."""
    return (ScoreCardRegressor if predicts_numbers(task) else ScoreCard)(cv=InnerFolds(), random_state=None)


PROCEDURE = Procedure(
    "score-card",
    "whole points for at most eight yes-or-no statements; inner folds choose how many",
    score_card,
    order=20,
    readable=True,
    takes_monotone=True,
)
