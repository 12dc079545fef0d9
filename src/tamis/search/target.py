"""A target as a selector takes it: classes where the model that judges columns is a classifier, or y reads as such."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier

from tamis.errors import ParameterError
from tamis.table import Classes, is_class_target, numbers


def is_for_classes(estimator: BaseEstimator | None, y: ArrayLike | None) -> bool:
    """Whether columns are chosen to tell classes apart; the model decides, and without one the target.

    >>> is_for_classes(None, ["a", "b", "a"]), is_for_classes(None, [0.5, 1.5, 2.5])
    (True, False)
    """
    return is_classifier(estimator) if estimator is not None else y is not None and is_class_target(y)


def codes_or_numbers(estimator: BaseEstimator | None, y: ArrayLike | None) -> tuple[np.ndarray, bool]:
    """Codes of classes and True, or numbers and False.

    >>> codes, of_classes = codes_or_numbers(None, ["b", "a", "b"])
    >>> codes.tolist(), of_classes
    ([1, 0, 1], True)
    """
    if not is_for_classes(estimator, y):
        return numbers(y), False
    classes = Classes.of(y)
    if classes.n_classes < 2:
        raise ParameterError(f"the target has only one class ({classes.labels[0]!r}); give at least two")
    return classes.codes, True
