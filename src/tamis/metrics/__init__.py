"""What `scoring` means everywhere. Read in this order: `metric` (what one is), `metrics` (every metric by name, and
`find`, which turns any `scoring` into one), `given` (scorers and functions that users bring), `scorer` (a metric as a
function of a fitted model), `one_standard_error` (which of several models to take by their losses).
"""

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
