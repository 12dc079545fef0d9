"""What is kept of sized models in folds, as one list of records per size."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tamis.evaluate.cross_validate import Fold
from tamis.evaluate.problem import Problem
from tamis.results.fold import FoldRecord, Judgements, SizedRecord
from tamis.study.procedures.models.few_columns import FewColumns
from tamis.study.procedures.models.sized.base import SizedModels
from tamis.study.procedures.models.transformed import Transformed


def models_by_size(model: Any) -> Iterator[tuple[int, Any, np.ndarray | None]]:
    """Size, model that takes the whole table, and out-of-fold predictions, fewest columns first."""
    sized, before = _sized(model)
    for size in sorted(sized.models_):
        sized_model = sized.models_[size]
        with_transform = sized_model if before is None else Transformed([("transform", before), ("model", sized_model)])
        yield size, with_transform, sized.cv_predictions_by_size_.get(size)


def is_sized(model: Any) -> bool:
    """Whether a fitted model holds models of several sizes."""
    return isinstance(_sized(model)[0], SizedModels)


def keep_model(problem: Problem, fold: Fold, name: str, model: Any) -> None:
    """Keep a fold's model in memory: perhaps it is of the procedure that is chosen."""
    problem.latest[_key(fold, name)] = _without_predictions(model)


def _key(fold: Fold, name: str) -> str:
    return f"{name} in {fold.name}"


def _without_predictions(model: Any) -> Any:
    """A copy without predictions of the training rows."""
    lean = copy.copy(model)
    if isinstance(model, Transformed):
        *before, (name, last) = model.steps
        lean.steps = [*before, (name, _without_predictions(last))]
    for name in ("cv_predictions_", "nested_predictions_"):
        lean.__dict__.pop(name, None)
    return lean


def kept_model(problem: Problem, fold: Fold, name: str) -> Any:
    """The model of a fold that this run has fitted; None where an earlier run did, or a process of its own."""
    return problem.latest.get(_key(fold, name))


def unwrapped(model: Any) -> Any:
    """The model that can be kept: that of the size taken, or of few columns; any other model itself."""
    if isinstance(model, FewColumns):
        return model.fitted_
    sized, before = _sized(model)
    if not isinstance(sized, SizedModels):
        return model
    return sized.fitted_ if before is None else Transformed([("transform", before), ("model", sized.fitted_)])


def _sized(model: Any) -> tuple[Any, Any]:
    """The sized models, and the transforms before them."""
    if isinstance(model, Transformed) and isinstance(model.steps[-1][1], SizedModels):
        return model.steps[-1][1], model.steps[0][1]
    return model, None


def records_by_size(judged: Mapping[str, Sequence[FoldRecord | SizedRecord]], sizes: Sequence[int]) -> Judgements:
    """Procedure -> records of its folds, those of sized models under `name[size]` for every size.

    Under the procedure's own name is, in each fold, the record of the size with the least inner loss. Where a fold has
    no model of a size, its next smaller one counts.
    """
    records: Judgements = {}
    for name, folds in judged.items():
        single = [fold for fold in folds if isinstance(fold, FoldRecord)]
        if len(single) == len(folds):
            records[name] = single
            continue
        for size in sizes:
            records[f"{name}[{size}]"] = [_at(fold, size) for fold in folds]
        records[name] = [min(fold.sizes, key=_inner_loss) if isinstance(fold, SizedRecord) else fold for fold in folds]
    return records


def _at(fold: FoldRecord | SizedRecord, size: int) -> FoldRecord:
    """The record of a size; that of a fold with a single class, which has no sizes, stands for all."""
    if isinstance(fold, FoldRecord):
        return fold
    return next(record for record in reversed(fold.sizes) if record.size is not None and record.size <= size)


def _inner_loss(record: FoldRecord) -> float:
    assert record.inner_losses is not None
    return float(sum(record.inner_losses.loss))
