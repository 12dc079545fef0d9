"""Penalised linear models: mean loss + penalty, for one strength or the whole path.

Read `regressor` and `classifier` (what users see), `model` (what both share), `encoding`, `missing` and `design` (what
is read), `fit` (a path, its folds and the chosen model); then `losses/` × `penalties/` × `solvers/`.
"""

from tamis.linear.card import ScoreCard, ScoreCardRegressor
from tamis.linear.classifier import LinearClassifier
from tamis.linear.regressor import LinearRegressor

__all__ = ["LinearClassifier", "LinearRegressor", "ScoreCard", "ScoreCardRegressor"]
