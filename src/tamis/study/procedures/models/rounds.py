"""How many rounds of boosting: by the loss of out-of-fold answers after every few of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.split import Folds
from tamis.table import Table

#: Rounds between two numbers of rounds that are compared: a loss hardly moves within five of rate 0.1.
EVERY = 5


@dataclass(frozen=True, eq=False)
class TunedRounds:
    """What folds say about numbers of rounds.

    Attributes
    ----------
    rounds : those of least mean loss over all folds; of equal ones the fewest.
    cv_predictions : out-of-fold answers after so many, NaN where no fold judged a row.
    nested_predictions : the same, in each fold after the rounds that the other folds choose, so that a row has no say
        in the strength that its own answer is of.
    """

    rounds: int
    cv_predictions: np.ndarray
    nested_predictions: np.ndarray


def tuned_rounds(
    fit: Callable[..., tuple[Any, tuple[str, ...]]],
    table: Table,
    target: np.ndarray,
    pairs: Folds,
    n_rounds: int,
    weight: np.ndarray | None = None,
) -> TunedRounds:
    """Compare `EVERY`, 2 `EVERY`, … rounds in folds, by Brier score or squared error.

    Parameters
    ----------
    fit : (training rows, their target, their weights) -> a model of `n_rounds` rounds, and the columns that it takes.
    pairs : rows to learn from and to be judged on, as positions in the table.
    weight : how much each row counts; None where all count alike.
    """
    labels = None if target.dtype.kind == "f" else np.unique(target)
    shape = (len(target),) if labels is None else (len(target), len(labels))
    losses, answers = [], []
    for learn, judged in pairs:
        model, names = fit(table.take(learn), target[learn], *(() if weight is None else (weight[learn],)))
        predictions = _stages(model, table.take(judged).select(list(names)), labels)
        truth = target[judged] if labels is None else target[judged, None] == labels
        wrong = (predictions - truth) ** 2
        if weight is not None:
            wrong = wrong * (weight[judged] if labels is None else weight[judged, None])
        losses.append(wrong.reshape(len(wrong), -1).sum(axis=1))
        answers.append(predictions)
    total, fold_losses = np.sum(losses, axis=0), np.array(losses)
    best = int(np.argmin(total))
    last, nested = np.full(shape, np.nan), np.full(shape, np.nan)
    for (_, judged), predictions, wrong in zip(pairs, answers, fold_losses):
        last[judged], nested[judged] = predictions[best], predictions[int(np.argmin(total - wrong))]
    return TunedRounds(min(n_rounds, EVERY * (best + 1)), last, nested)


def _stages(model: Any, table: Table, labels: np.ndarray | None) -> np.ndarray:
    """Answers after every few rounds: stages × rows, or × rows × classes, 0 for a class that the rows lacked."""
    if labels is None:
        return np.array(list(model.staged_predict(table, EVERY)))
    shares = np.array(list(model.staged_predict_proba(table, EVERY)))
    out = np.zeros((*shares.shape[:2], len(labels)))
    out[:, :, np.searchsorted(labels, model.classes_)] = shares
    return out
