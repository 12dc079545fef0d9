"""How good a column is, or a pair, or a set, without a model; and the selector that keeps the best.

Every score is called as f(X, y) and gives an array of d numbers, larger is better, never NaN.
"""

# The functions are imported after their modules of the same name, which they hide: tamis.score.gini is the function.
from typing import Any as _Any

from tamis.score.combine import combine
from tamis.score.criteria import criterion_names as _known
from tamis.score.criteria.anova import anova
from tamis.score.criteria.chi2 import chi2
from tamis.score.criteria.dispersion import dispersion
from tamis.score.criteria.gain_ratio import gain_ratio
from tamis.score.criteria.gini import gini
from tamis.score.criteria.interaction import interaction, top_pairs
from tamis.score.criteria.mutual_information import mutual_information
from tamis.score.criteria.pearson import pearson
from tamis.score.criteria.relief import relief
from tamis.score.criteria.stump import stump
from tamis.score.criteria.symmetric_uncertainty import symmetric_uncertainty
from tamis.score.criteria.variance import variance
from tamis.score.permutation import benjamini_hochberg
from tamis.score.rank import Ranking, rank
from tamis.score.rank_score import diversity, rank_score, rank_score_graph
from tamis.score.selector import RankSelector
from tamis.score.sets.cfs import cfs
from tamis.score.sets.consistency import consistency
from tamis.score.sets.distance import bhattacharyya, jeffries_matusita
from tamis.score.sets.triples import Triple, top_triples

__all__ = [
    "RankSelector",
    "Ranking",
    "Triple",
    "anova",
    "benjamini_hochberg",
    "bhattacharyya",
    "cfs",
    "chi2",
    "combine",
    "consistency",
    "dispersion",
    "diversity",
    "gain_ratio",
    "gini",
    "interaction",
    "jeffries_matusita",
    "mutual_information",
    "pearson",
    "rank",
    "rank_score",
    "rank_score_graph",
    "relief",
    "stump",
    "symmetric_uncertainty",
    "top_pairs",
    "top_triples",
    "variance",
]


def __getattr__(name: str) -> _Any:
    """The function of a criterion whose file is not named above."""
    if name in _known():
        from importlib import import_module

        return getattr(import_module(f"tamis.score.criteria.{name}"), name)
    raise AttributeError(f"module 'tamis.score' has no attribute {name!r}")
