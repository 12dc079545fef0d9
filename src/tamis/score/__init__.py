"""How good a column is, or a pair, or a set, without a model; and the selector that keeps the best.

Every score is called as f(X, y) and gives an array of d numbers, larger is better, never NaN.
"""

# The functions are imported after their modules of the same name, which they hide: tamis.score.gini is the function.
from tamis.score.anova import anova
from tamis.score.cfs import cfs
from tamis.score.chi2 import chi2
from tamis.score.combine import combine
from tamis.score.consistency import consistency
from tamis.score.dispersion import dispersion
from tamis.score.gain_ratio import gain_ratio
from tamis.score.gini import gini
from tamis.score.interaction import interaction, top_pairs
from tamis.score.mutual_information import mutual_information
from tamis.score.null import benjamini_hochberg
from tamis.score.pearson import pearson
from tamis.score.rank import Ranking, rank
from tamis.score.rank_score import diversity, rank_score, rank_score_graph
from tamis.score.relief import relief
from tamis.score.selector import RankSelector
from tamis.score.stump import stump
from tamis.score.symmetric_uncertainty import symmetric_uncertainty
from tamis.score.variance import variance

__all__ = [
    "RankSelector",
    "Ranking",
    "anova",
    "benjamini_hochberg",
    "cfs",
    "chi2",
    "combine",
    "consistency",
    "dispersion",
    "diversity",
    "gain_ratio",
    "gini",
    "interaction",
    "mutual_information",
    "pearson",
    "rank",
    "rank_score",
    "rank_score_graph",
    "relief",
    "stump",
    "symmetric_uncertainty",
    "top_pairs",
    "variance",
]
