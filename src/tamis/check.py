"""Every check of a user's arguments; tables and columns are checked where they are read, in `table`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.errors import KindError, ParameterError

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


_MOST_COPIES = 2.0**40  # whole weights above are not counts of rows
_SMALLEST_SHARE = 1e-150  # of the largest weight; smaller ones count as 0

__all__ = ["class_factors", "count", "monotone", "nearest", "number", "one_of", "weights"]


def shown(value: Any) -> str:
    """A value as an error writes it: numbers of NumPy as the numbers they are.

    >>> shown(np.float64(1.5)), shown("a")
    ('1.5', "'a'")
    """
    return repr(value.item() if isinstance(value, np.generic) else value)


def one_name(name: str, value: Any, way_out: str) -> None:
    """Raise where values were given for the name of a column.

    >>> one_name("target", "outcome", "give the name")
    """
    if np.ndim(value) > 0 and not isinstance(value, (list, tuple)):
        n_values = f"{type(value).__name__} of {len(value):,} values"
        raise KindError(f"{name}= takes the name of a column, not a {n_values}; {way_out}")


def one_of(name: str, value: object, allowed: Iterable[str]) -> str:
    """The value, when it is one of the known words.

    >>> one_of("rule", "min", ["1se", "min"])
    'min'
    """
    words = list(allowed)
    if isinstance(value, str) and value in words:
        return value
    raise ParameterError(f"{name}={shown(value)} is not known{nearest(value, words)}; give one of {', '.join(words)}")


def nearest(word: Any, allowed: Iterable[str]) -> str:
    """A hint to put into an error: the known word that looks most like the one given.

    >>> nearest("outcom", ["age", "outcome"])
    " (did you mean 'outcome'?)"
    """
    if not isinstance(word, str):
        return ""
    lowered = {str(name).casefold(): str(name) for name in allowed}
    matches = get_close_matches(word.casefold(), list(lowered), n=1, cutoff=0.6)
    return f" (did you mean {lowered[matches[0]]!r}?)" if matches else ""


def number(
    name: str,
    value: object,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    open_low: bool = False,
    open_high: bool = False,
) -> float:
    """A finite real number within [low, high] (or the open interval).

    >>> number("alpha", 0.5, low=0)
    0.5
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise KindError(f"{name}={shown(value)} must be a number, not {type(value).__name__}; {_range(low, high)}")
    checked = float(value)
    below = checked <= low if open_low else checked < low
    above = checked >= high if open_high else checked > high
    if not np.isfinite(checked) or below or above:
        raise ParameterError(f"{name}={shown(value)} is out of range; {_range(low, high, open_low, open_high)}")
    return checked


def count(name: str, value: object, *, low: int = 1, high: int | None = None, of: str = "") -> int:
    """A whole number within [low, high]; `of` says what the upper limit counts.

    >>> count("k", 3, high=10, of="columns")
    3
    """
    top = "" if high is None else f"{high:,} {of}".rstrip()
    way_out = f"give a whole number of at least {low}" if high is None else f"give {name} between {low} and {high:,}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise KindError(f"{name}={shown(value)} must be a whole number, not {type(value).__name__}; {way_out}")
    checked = int(value)
    if high is not None and checked > high:
        raise ParameterError(f"{name}={checked}, but there are only {top}; {way_out}")
    if checked < low:
        raise ParameterError(f"{name}={checked} is too small; {way_out}")
    return checked


def weights(sample_weight: Any, n_rows: int, *, keep_scale: bool = False) -> np.ndarray:
    """One weight a row as float64: ones when none are given; zero is allowed, negative is not.

    Whole weights stay as they are: they are copies of rows. Others only say what rows count beside each other, so they
    are divided by the mean of those above 0: their scale has no say, unless sums of parts of a table are added up.
    A weight below 1e-150 of the largest counts as 0: its products would vanish in some sums and not in others.

    >>> weights([2, 0, 3], 3).tolist(), weights([1e-200, 0, 3e-200], 3).tolist()
    ([2.0, 0.0, 3.0], [0.5, 0.0, 1.5])
    """
    if sample_weight is None:
        return np.ones(n_rows)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_rows, number("sample_weight", sample_weight, low=0))
    checked = np.require(sample_weight, dtype=np.float64, requirements=["C", "W"])  # see `table.numbers`
    if checked.ndim != 1:
        raise ParameterError(f"sample_weight has {checked.ndim} dimensions; give one number per row (1D)")
    if len(checked) != n_rows:
        raise ParameterError(f"sample_weight has shape {checked.shape}, but there are {n_rows:,} rows; give one a row")
    bad = np.flatnonzero(~(checked >= 0) | ~np.isfinite(checked))
    if bad.size:
        raise ParameterError(f"sample_weight[{bad[0]}]={float(checked[bad[0]])!r}; give finite weights of at least 0")
    if not checked.any():
        raise ParameterError("all weights in sample_weight are zero; give at least one row a weight above 0")
    are_copies = checked.max() <= _MOST_COPIES and bool(np.all(checked == np.round(checked)))
    return checked if keep_scale or are_copies else _of_mean_1(checked)


def counts(parameter: str, values: np.ndarray) -> None:
    """Refuse a target that holds no counts: a number below 0, or nothing but zeros.

    >>> counts("loss='poisson'", np.array([0.0, 2.0]))
    """
    if values.min() < 0 or values.sum() <= 0:
        raise ParameterError(f"{parameter} needs counts, but y goes down to {values.min():g} with sum {values.sum():g}")


def monotone(given: Any, names: Sequence[str], is_category: Callable[[int], bool] | None = None) -> np.ndarray:
    """The direction of every column, from a dict column -> 1, -1 or 0; of no column where it gives none.

    is_category : whether the column at a position holds categories.

    >>> monotone({"bmi": -1}, ["age", "bmi"]).tolist(), monotone({"bmi": 0}, ["age", "bmi"]).tolist()
    ([0, -1], [])
    """
    if given is not None and not isinstance(given, dict):
        raise ParameterError(f"monotone={given!r} is not known; give a dict column -> 1, -1 or 0")
    out = np.zeros(len(names), dtype=np.int8)
    for name, direction in (given or {}).items():
        if name not in names:
            hint = nearest(name, names)
            raise ParameterError(f"monotone names the column {name!r}, which the table does not have{hint}")
        j = names.index(name)
        if isinstance(direction, bool) or direction not in (-1, 0, 1):
            raise ParameterError(f"monotone[{name!r}]={direction!r}; give 1 (rising), -1 (falling) or 0 (free)")
        if direction and is_category is not None and is_category(j):
            raise ParameterError(f"monotone names the column {name!r}, which holds categories without an order")
        out[j] = direction
    return out if out.any() else out[:0]


def one_answer(directions: np.ndarray, n_classes: int = 0, n_targets: int = 1) -> None:
    """Raise where answers have a direction in a column, but there is more than one of them.

    >>> one_answer(np.ones(1, dtype=np.int8), n_classes=2)
    """
    if len(directions) and (n_classes > 2 or n_targets > 1):
        several = f"{n_classes} classes" if n_classes > 2 else f"{n_targets} columns"
        raise ParameterError(
            f"monotone needs two classes, a number or a count to predict, but the target has {several}; leave it out"
        )


def no_options(model: BaseEstimator, options: dict[str, Any]) -> None:
    """Refuse further options of a `fit`; weights in a sentence that says why.

    Selectors that judge columns on rows out of the bag, on permuted copies or on resamples take none: a row of weight 2
    and the same row given twice would be judged differently, because a copy of a drawn row may itself be left out.
    """
    name = type(model).__name__
    if "sample_weight" in options:
        raise ParameterError(
            f"{name} takes no sample_weight, because rows that judge the columns count once each; leave it out, or "
            "select with RankSelector or SubsetSelector, which take weights"
        )
    if options:
        raise TypeError(f"{name}.fit takes X and y, but not {next(iter(options))!r}; leave it out")


def _of_mean_1(weights: np.ndarray) -> np.ndarray:
    """The weights over the mean of those above 0, equal ones to exactly 1."""
    heavy = weights / weights.max()
    heavy[heavy < _SMALLEST_SHARE] = 0.0
    return heavy / np.sum(heavy) * np.count_nonzero(heavy) if heavy[heavy > 0].min() < 1 else heavy


def class_factors(class_weight: Any, labels: np.ndarray, heavy: np.ndarray) -> np.ndarray:
    """What the rows of each class are multiplied by; `heavy` is what all rows of a class weigh.

    "balanced" makes all classes weigh the same, and by that a row given twice is one of weight 2.

    >>> class_factors("balanced", np.array(["a", "b"]), np.array([1.0, 3.0])).tolist()
    [2.0, 0.6666666666666666]
    """
    if class_weight is None:
        return np.ones(len(labels))
    if isinstance(class_weight, str):
        one_of("class_weight", class_weight, ["balanced"])
        is_present = heavy > 0
        out = np.ones(len(labels))
        out[is_present] = heavy.sum() / (len(labels) * heavy[is_present])
        return out
    if not isinstance(class_weight, dict):
        raise ParameterError(f"class_weight={class_weight!r} is not known; give 'balanced' or a dict class -> weight")
    class_labels = labels.tolist()
    unknown = [key for key in class_weight if key not in class_labels]
    if unknown and any(label not in class_weight for label in class_labels):
        raise ParameterError(
            f"class_weight names the class {unknown[0]!r}, but the target has {class_labels}; name those"
        )
    weights = [class_weight.get(label, 1.0) for label in class_labels]
    return np.array([number(f"class_weight[{k!r}]", w, low=0, open_low=True) for k, w in zip(class_labels, weights)])


def _range(low: float, high: float, open_low: bool = False, open_high: bool = False) -> str:
    if np.isinf(low) and np.isinf(high):
        return "give a finite number"
    if np.isinf(high):
        return f"give a number {'above' if open_low else 'of at least'} {low:g}"
    if np.isinf(low):
        return f"give a number {'below' if open_high else 'of at most'} {high:g}"
    left, right = "(" if open_low else "[", ")" if open_high else "]"
    return f"give a number in {left}{low:g}, {high:g}{right}"
