"""Score cards: whole points for yes-or-no statements, and a table from their total to the prediction.

Read `estimator` (what users see), `statement` (what can be asked of a row, and which statements are tried), `save`
(a card as plain values, as text and as SQL). The search is `_core.score_cards`.
"""

from tamis.linear.card.estimator import ScoreCard, ScoreCardRegressor

__all__ = ["ScoreCard", "ScoreCardRegressor"]
