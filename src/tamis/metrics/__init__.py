"""What `scoring` means everywhere. Read in this order: `metric` (what one is), `kinds/` (the metrics, one file a kind
of answer), `metrics` (every metric by name, and `find`, which turns any `scoring` into one), `given` (scorers and
functions that users bring), `scorer` (a metric as a function of a fitted model), `loss_matrix` (costs as a metric),
`intervals/` (how sure a score is), `one_standard_error` (which of several models to take by their losses),
`ranking_test` (whether held-out answers rank rows); `ranking`, `r_squared` and `distributions` are formulas that
several of them use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamis.metrics.given import fingerprint, in_words, is_spent, spoken
    from tamis.metrics.metric import Metric
    from tamis.metrics.metrics import (
        METRICS,
        confusion,
        default,
        find,
        precision_recall,
        prepare,
        remarks,
        roc,
        score,
        utility,
    )
    from tamis.metrics.scorer import answer, in_their_words, score_model, scorer_of

_HOME = {
    "given": ("fingerprint", "in_words", "is_spent", "spoken"),
    "metric": ("Metric",),
    "metrics": (
        "METRICS", "confusion", "default", "find", "precision_recall", "prepare", "remarks", "roc", "score", "utility",
    ),
    "scorer": ("answer", "in_their_words", "score_model", "scorer_of"),
}  # fmt: skip

__all__ = [
    "METRICS",
    "Metric",
    "answer",
    "confusion",
    "default",
    "find",
    "fingerprint",
    "in_their_words",
    "in_words",
    "is_spent",
    "precision_recall",
    "prepare",
    "remarks",
    "roc",
    "score",
    "score_model",
    "scorer_of",
    "spoken",
    "utility",
]


def __getattr__(name: str) -> Any:
    for home, names in _HOME.items():  # lazily: trees and linear models read a rule here, not scikit-learn's metrics
        if name in names:
            return getattr(import_module(f"tamis.metrics.{home}"), name)
    raise AttributeError(f"module 'tamis.metrics' has no attribute {name!r}")
