"""The rank–score graph: how fast scores fall with rank, and so how differently two criteria see the columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis import check
from tamis.figure import figure_class
from tamis.score.combine import ranks


def rank_score(scores: ArrayLike) -> np.ndarray:
    """Scores from best to worst, stretched to run from 1 to 0: the height of the curve at rank 1, 2, …, d.

    >>> rank_score([2.0, 10.0, 4.0])
    array([1.  , 0.25, 0.  ])
    """
    ordered = np.sort(np.asarray(scores, dtype=np.float64))[::-1]
    width = ordered[0] - ordered[-1] if ordered.size else 0.0
    return (ordered - ordered[-1]) / width if width > 0 else np.zeros_like(ordered)


def diversity(one: Any, other: Any, *, of: str = "curves") -> float:
    r"""How differently two criteria see the columns: by the shape of their scores, or by the order of the columns.

    "curves": how far apart their rank–score curves lie, 0 for the same shape, whichever column stands at a rank.

    .. math:: \sqrt{\frac1d \sum_{i=1}^{d} (f_a(i) - f_b(i))^2}

    The curve says how a criterion spreads its scores. Criteria with unlike curves are those whose combination by ranks
    is worth trying. "ranks": (1 − Spearman's correlation of the ranks) / 2, 0 for the same order of the columns and 1
    for the opposite order.

    References
    ----------
    D. F. Hsu and I. Taksa, "Comparing rank and score combination methods for data fusion in information retrieval",
    Information Retrieval 8, 2005.

    >>> diversity([3.0, 2.0, 1.0], [30.0, 10.0, 20.0])
    0.0
    >>> diversity([3.0, 2.0, 1.0], [30.0, 10.0, 20.0], of="ranks")
    0.25
    """
    if check.one_of("of", of, ("curves", "ranks")) == "ranks":
        rank_pair = np.array([ranks(one), ranks(other)])
        if np.ptp(rank_pair, axis=1).min() == 0:
            return 0.0 if np.ptp(rank_pair) == 0 else 0.5
        return float((1 - np.corrcoef(rank_pair)[0, 1]) / 2)
    return float(np.sqrt(np.mean((rank_score(one) - rank_score(other)) ** 2)))


def rank_score_graph(scores: Mapping[str, Any]) -> Any:
    """The curves of several criteria as a Bokeh figure.

    >>> rank_score_graph({"relief": [0.2, 0.1], "chi2": [9.0, 8.0]}).xaxis.axis_label
    'rank'
    """
    from bokeh.palettes import Category10_10

    chart = figure_class()(width=640, height=360, title="Rank–score graph", tools="pan,wheel_zoom,reset,save")
    chart.xaxis.axis_label, chart.yaxis.axis_label = "rank", "score, from worst (0) to best (1)"
    for index, (name, values) in enumerate(scores.items()):
        curve = rank_score(values)
        at, colour = np.arange(1, len(curve) + 1), Category10_10[index % 10]
        chart.line(at, curve, legend_label=str(name), color=colour, line_width=2)
        chart.scatter(at, curve, legend_label=str(name), color=colour, size=5)
    return chart
