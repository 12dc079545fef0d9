"""Out-of-fold predictions of the chosen procedure, as single models gave them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.results.results import Results


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Predictions of rows not seen, one of each repeat of the folds.

    Every one is of a single model, as the model is that a study delivers: answers averaged over the repeats are those
    of an ensemble, and miss by less (unpruned trees on 90 rows, three repeats: 16%).

    Attributes
    ----------
    truth, answers : of every prediction: codes of classes and probabilities (predictions × classes), or numbers.
    weight : of every prediction, so that those of a row add up to 1.
    first : places of the first prediction of each row, in the order of rows.
    max_times : predictions of a row, at most. fewest : at least.
    averaged : the results hold means over the repeats alone.
    """

    truth: np.ndarray
    answers: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    max_times: int
    fewest: int
    averaged: bool


def out_of_fold(results: Results) -> OutOfFold | None:
    """The predictions that results hold; None where rows were too many to keep them."""
    stored = results.predictions
    if stored is None:
        return None
    repeats = stored.by_repeat
    averaged = repeats is None and sum(fold["test"] for fold in results.folds) > len(stored.truth)
    listed = [stored.answers] if repeats is None else repeats
    pairs = [(row, answer) for repeat in listed for row, answer in enumerate(repeat) if answer is not None]
    rows = np.array([row for row, _ in pairs], dtype=np.int64)
    times = np.bincount(rows, minlength=len(stored.truth))
    return OutOfFold(
        np.array(stored.truth)[rows],
        np.array([answer for _, answer in pairs], dtype=np.float64),
        1 / times[rows],
        np.unique(rows, return_index=True)[1],
        int(times.max(initial=1)),
        int(times.min(initial=len(listed))),
        averaged,
    )


def rates(results: Results) -> dict[str, np.ndarray]:
    """Of two classes, false and true positive rates by falling threshold, from predictions kept or counts of them."""
    from tamis.metrics import roc  # brings scikit-learn

    held_out = out_of_fold(results)
    if held_out is None:
        return {name: np.array(values) for name, values in (results.comparison.diagnostics or {})["roc"].items()}
    return roc(held_out.truth, held_out.answers[:, 1], np.array([0, 1]))
