"""Metrics of decision values: how well rows are ranked."""

import numpy as np
from sklearn import metrics as sk

from tamis.errors import ParameterError
from tamis.metrics.metric import Metric, label_text
from tamis.metrics.ranking import auc
from tamis.task import CLASSIFICATION


def _auc(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
    is_present = np.bincount(y, minlength=len(labels)) > 0
    if not is_present.all():
        absent_class = labels[np.flatnonzero(~is_present)[0]]
        raise ParameterError(
            f"roc_auc needs every class, but class {label_text(absent_class)} is in none of these {len(y):,} "
            "rows; give fewer folds"
        )
    if not np.isfinite(answer).all():
        row = int(np.flatnonzero(~np.isfinite(answer.reshape(len(y), -1)).all(axis=1))[0])
        raise ParameterError(f"the answer for row {row + 1:,} is not a finite number; roc_auc cannot rank it")
    once = np.ones((1, len(y)))
    if len(labels) == 2:
        return float(auc(y == 1, answer[:, 1] if answer.ndim == 2 else answer, once)[0])
    return float(np.mean([auc(y == code, answer[:, code], once)[0] for code in range(len(labels))]))


def _average_precision(y: np.ndarray, answer: np.ndarray, labels: np.ndarray) -> float:
    chosen = answer if answer.ndim == 1 else (answer[:, 1] if len(labels) == 2 else answer)
    truth = y if len(labels) == 2 else (y[:, None] == np.arange(len(labels)))
    return float(sk.average_precision_score(truth, chosen))


METRICS = (
    Metric("roc_auc", CLASSIFICATION, "decision", True, _auc),
    Metric("average_precision", CLASSIFICATION, "decision", True, _average_precision),
)
