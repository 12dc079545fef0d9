"""What a target is taken for: classes, ordered classes, numbers or counts; decided once, with the reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tamis.errors import TableError
from tamis.study.settings import Settings
from tamis.table import Column, is_class_target
from tamis.table.types import types_of
from tamis.task import CLASSIFICATION, COUNT, ORDINAL, REGRESSION, predicts_numbers

#: Fewer different whole numbers may as well be codes of classes.
FEWEST_COUNTS = 5

#: The values of a count are dense up to this share of the rows: larger ones have gaps.
DENSE_SHARE = 0.9

#: Of a count's frequencies, that of its largest value in times of the largest at most: large counts are rare.
LARGEST_VALUE = 0.25

#: Skewness from which whole numbers of more values than classes have may be counts: ages are about symmetric.
SKEWED = 0.3

#: Standard errors by which a frequency may rise on the way from the mode. Of codes of classes in random order, over the
#: suite's tables, 7% of orders at worst (73 rows) are taken as counts, of drawn counts of 200 rows and a mean of 3 are
#: 84 to 96%; with 3 these are 29%, and all (benchmarks/study/target_task.py).
UNEVEN = 1.5

#: Standard errors by which frequencies must differ to be more than chance.
BEYOND_CHANCE = 3.0


def is_count_target(values: np.ndarray) -> bool:
    """Whether numbers read as counts: whole, from 0 or 1 on without gaps, large ones rare, no less varied than Poisson.

    Counts whose mean depends on the row vary more than their mean does, so that their variance is at least the mean;
    ratings and numbers of items passed vary less. The frequencies of counts rise to one mode and fall from it; those of
    classes, whose codes have no order, rarely do. At least five values: 0 and 1, or 1, 2 and 3, may be codes.

    >>> is_count_target(np.repeat(np.arange(7), [40, 70, 60, 35, 15, 5, 2]))
    True
    >>> is_count_target(np.repeat(np.arange(3, 9), [10, 53, 681, 638, 199, 18]))  # grades
    False
    >>> is_count_target(np.repeat(np.arange(5), [40, 10, 35, 20, 3]))  # codes
    False
    """
    distinct, frequency = np.unique(values, return_counts=True)
    if len(distinct) < FEWEST_COUNTS or distinct[0] not in (0, 1) or not np.all(distinct == np.round(distinct)):
        return False
    dense = np.searchsorted(np.cumsum(frequency), DENSE_SHARE * len(values)) + 1
    if distinct[dense - 1] - distinct[0] != dense - 1:
        return False
    mean, spread = float(np.mean(values)), float(np.var(values))
    if spread < (mean - distinct[0]) * max(0.5, 1 - BEYOND_CHANCE * np.sqrt(2 / len(values))):
        return False
    if len(distinct) > 20:
        return float(np.mean((values - mean) ** 3)) > SKEWED * spread**1.5
    top_count, last = int(frequency.max()), int(frequency[-1])
    is_rare = last <= LARGEST_VALUE * top_count and top_count - last > BEYOND_CHANCE * np.sqrt(top_count + last)
    return bool(is_rare) and _has_one_mode(frequency)


def _has_one_mode(frequency: np.ndarray) -> bool:
    """Whether frequencies rise to the largest and fall from it, but for chance.

    >>> _has_one_mode(np.array([30, 50, 20, 24, 4])), _has_one_mode(np.array([30, 50, 2, 24, 4]))
    (True, False)
    """
    top = int(frequency.argmax())
    for side in (frequency[: top + 1][::-1], frequency[top:]):
        lowest = np.minimum.accumulate(side)
        if np.any(side - lowest > UNEVEN * np.sqrt(side + lowest)):
            return False
    return True


def task_of(present: list[Any], column: Column, settings: Settings) -> tuple[str, str]:
    """The task of a target, and why it was taken where nobody gave it.

    Parameters
    ----------
    present : the target's values, numbers or text, without missing ones.
    column : as it was read.
    """
    text = any(isinstance(value, str) for value in present)
    if settings.exposure is not None:
        _refuse_misfit(present, text, column, replace(settings, task=COUNT))
        return COUNT, ""
    if settings.task is not None:
        _refuse_misfit(present, text, column, settings)
        return settings.task, ""
    declared = types_of(settings.types).get(settings.target)
    if declared is not None and declared.kind == "numeric" and not text:
        return (COUNT if is_count_target(np.array(present)) else REGRESSION), ""
    if column.kind == "ordinal" and len(set(present)) > 2:
        return ORDINAL, "its classes have an order; give task='classification' to ignore it"
    if text or (declared is not None and declared.kind in ("categorical", "boolean")):
        return CLASSIFICATION, ""
    values = np.array(present)
    n_values = len(np.unique(values))
    if is_count_target(values):
        why = f"taken as a count: whole numbers from {values.min():g} to {values.max():g}, the large ones rare"
        return COUNT, f"{why}; give task='classification' or task='regression' if they are none"
    if not is_class_target(values):
        return REGRESSION, ""
    if n_values < 3:
        return CLASSIFICATION, ""
    alternatives = "'regression', 'count' or 'ordinal'" if values.min() >= 0 else "'regression' or 'ordinal'"
    why = f"its {n_values} whole numbers are predicted as classes without an order"
    return CLASSIFICATION, f"{why}; give task={alternatives} where they are numbers, counts or grades"


def _refuse_misfit(present: list[Any], text: bool, column: Column, settings: Settings) -> None:
    """Raise where the task given does not fit the values."""
    task, name = settings.task, settings.target
    assert task is not None
    if text and predicts_numbers(task):
        value = next(value for value in present if isinstance(value, str))
        raise TableError(f"task={task!r}, but the target {name!r} holds {value!r}; give task='classification'")
    if task == ORDINAL and text and column.kind != "ordinal":
        raise TableError(
            f"task='ordinal', but the order of the classes of {name!r} is not known; give it from lowest to highest, "
            f"as in types='{name}=ordinal:{_all_levels(present)}'"
        )
    if task == COUNT:
        wrong = next((value for value in present if value < 0 or value != round(value)), None)
        if wrong is not None:
            raise TableError(f"task='count', but the target {name!r} holds {wrong:g}; give task='regression'")


def _all_levels(present: list[Any], max_shown: int = 12) -> str:
    """The levels as a user would write them, sorted by the alphabet; of many the first ones.

    >>> _all_levels(["mid", "low", "mid"])
    'low<mid'
    """
    levels = sorted({str(value) for value in present})
    return "<".join(levels[:max_shown]) + ("<…" if len(levels) > max_shown else "")


def class_labels(values: set[Any], column: Column, task: str) -> dict[Any, Any]:
    """The label of every value, in the order of the classes: that of the levels where they are ordered, else sorted."""
    label_of = {value: int(value) if isinstance(value, float) and value.is_integer() else value for value in values}
    if task == ORDINAL and column.kind == "ordinal" and column.levels is not None:
        code_of = {level: code for code, level in enumerate(column.levels)}
        return dict(sorted(label_of.items(), key=lambda item: code_of[item[0]]))
    return dict(sorted(label_of.items(), key=lambda item: (isinstance(item[1], str), item[1])))
