"""BoostingClassifier and BoostingRegressor: a sum of small trees, each of them a step down the loss."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin, RegressorMixin

from tamis import check
from tamis.boosting.base import BaseBoosting
from tamis.boosting.layout import LOGISTIC, MULTINOMIAL, POISSON, SQUARED, BoostingTarget
from tamis.forest.predict.trees import Trees
from tamis.table import Classes, features, numbers, same_length
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike

#: Digits of sums after the point: of classes that are tied the first is the answer, and not one that rounding prefers.
_DIGITS = 12
_MAX_LOG_MEAN = 700.0  # exp of it is still a number
_LEAST_SHARE = np.finfo(np.float64).eps  # of a class whose rows weigh nothing


@parameters
class BoostingClassifier(ClassifierMixin, BaseBoosting):
    r"""Gradient boosting of trees for classes: each round adds the tree that best lowers the log loss.

    Two classes have one sum of trees, whose logistic function is the probability of the second; several have a sum
    each, and the softmax of all. A round takes gradients and hessians of the loss by the sums. Its tree splits where

    .. math:: \frac{G_l^2}{H_l + λ} + \frac{G_r^2}{H_r + λ} - \frac{G^2}{H + λ}

    is largest (G, H: sums over the rows of a node and its children), the leaf that gains most first, and a leaf adds a
    Newton step, :math:`-η G / (H + λ)`.

    Parameters
    ----------
    n_estimators : rounds: trees, or trees a class.
    learning_rate : η.
    max_leaf_nodes : leaves of a tree at most; None: no limit.
    max_depth : splits between the root and a leaf at most.
    min_samples_leaf : rows of a leaf at least.
    l2_regularization : λ, in rows: weights that are not whole are divided by their mean.
    max_bins : bins of a column at most, 255 or fewer. Up to so many different values each has one of its own; more
        share bins of nearly equal numbers of rows.
    max_features : columns that a tree tries, drawn for each: "sqrt", "log2", a number or a share; None: all.
    monotone : dict column -> 1 (predictions never fall as the column rises, all others equal), -1 (they never rise) or
        0; of two classes the probability of the second. Exact: a split of such a column passes the midpoint of its two
        steps down as a bound, to which the steps below are held. For columns of numbers, and not for three classes.
    class_weight : "balanced" or a dict class -> weight.
    random_state : seed of the columns drawn.
    n_jobs : threads for bins, for the classes of a round or the columns of a large node, and for predictions; the model
        does not depend on it.

    Missing values go to the side that gains more; where a node has none in training, with most rows. Levels of a
    categorical column are put in the order of G / (H + 10) and divided in two, missing values a level of their own; of
    more levels than bins the rarest share one; a level that no training row has is missing. Whole sample weights count
    as copies of a row; others multiply.

    Attributes
    ----------
    classes_ : the classes, sorted.
    baseline_ : what the sums begin with: log odds, or logarithms of shares about their mean.
    trees_ : the trees as arrays, those of a class together.
    n_rounds_ : rounds.
    feature_importances_ : share of each column in what all splits gained.
    selected_columns_ : the columns that some split asks for.

    References
    ----------
    Friedman (2001), Greedy Function Approximation: A Gradient Boosting Machine. Ke et al. (2017), LightGBM.

    >>> from tamis.boosting import BoostingClassifier
    >>> X = [[float(i)] for i in range(80)]
    >>> model = BoostingClassifier().fit(X, ["low"] * 40 + ["high"] * 40)
    >>> model.predict([[3.0], [73.0]]).tolist()
    ['low', 'high']
    """

    class_weight: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BoostingClassifier:
        """Learn from rows and their classes."""
        table = features(self, X, reset=True, sparse_ok=True)
        classes = Classes.of(y)
        same_length(table, classes.codes)
        data = self._data(table, sample_weight)
        codes, n_classes = classes.codes[data.rows], classes.n_classes
        heavy = np.bincount(codes, weights=data.counted, minlength=n_classes)
        weight = data.weight * check.class_factors(self.class_weight, classes.labels, heavy)[codes]
        shares = np.bincount(codes, weights=weight, minlength=n_classes) / weight.sum()
        log_shares = np.log(np.maximum(shares, _LEAST_SHARE))
        loss, baseline = (
            (MULTINOMIAL, log_shares - log_shares.mean())
            if n_classes > 2
            else (LOGISTIC, log_shares[1:] - log_shares[:-1])
        )
        target = BoostingTarget(loss, codes.astype(np.float64), np.ascontiguousarray(weight), data.counted)
        self.classes_ = classes.labels
        self._boost(table, data, target, baseline)
        return self

    def _sums(self, X: TableLike) -> np.ndarray:
        return np.round(super()._sums(X), _DIGITS)

    def _staged_sums(self, X: TableLike, every: int) -> Iterator[np.ndarray]:
        return (np.round(sums, _DIGITS) for sums in super()._staged_sums(X, every))

    def decision_function(self, X: TableLike) -> np.ndarray:
        """The sums of the trees: log odds of the second of two classes, or one number a class."""
        return self._decided(self._sums(X))

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """The probability of every class, in the order of `classes_`."""
        return self._probabilities(self._sums(X))

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class."""
        return self._classes(self._sums(X))

    def staged_decision_function(self, X: TableLike, every: int = 1) -> Iterator[np.ndarray]:
        """`decision_function` after each round, or after every so many and the last."""
        return (self._decided(sums) for sums in self._staged_sums(X, every))

    def staged_predict_proba(self, X: TableLike, every: int = 1) -> Iterator[np.ndarray]:
        """`predict_proba` after each round, or after every so many and the last."""
        return (self._probabilities(sums) for sums in self._staged_sums(X, every))

    def staged_predict(self, X: TableLike, every: int = 1) -> Iterator[np.ndarray]:
        """`predict` after each round, or after every so many and the last."""
        return (self._classes(sums) for sums in self._staged_sums(X, every))

    def _decided(self, sums: np.ndarray) -> np.ndarray:
        return sums[:, 0] if len(self.classes_) == 2 else sums

    def _probabilities(self, sums: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 2:
            return np.column_stack([expit(-sums[:, 0]), expit(sums[:, 0])])
        return softmax(sums, axis=1) if len(self.classes_) > 2 else np.ones((len(sums), 1))

    def _classes(self, sums: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 2:
            return self.classes_[(sums[:, 0] > 0).astype(np.int64)]
        return self.classes_[sums.argmax(axis=1) if sums.size else np.zeros(len(sums), dtype=np.int64)]


@parameters
class BoostingRegressor(RegressorMixin, BaseBoosting):
    r"""Gradient boosting of trees for numbers or counts: each round adds the tree that best lowers the loss.

    Parameters, attributes and the treatment of missing values and categories are those of :class:`BoostingClassifier`,
    without those about classes. With `loss="squared"` the loss is half the squared error, so that a leaf adds η times
    the mean residual of its rows (with :math:`λ = 0`), and `baseline_` is the mean. With `loss="poisson"`, for counts,
    the sum of the trees is the logarithm of the mean, the loss is half the Poisson deviance, and `baseline_` is the
    logarithm of the mean count. Counts of different exposures are rates, with the exposures as sample weights.

    >>> from tamis.boosting import BoostingRegressor
    >>> X = [[float(i)] for i in range(80)]
    >>> BoostingRegressor().fit(X, [1.0] * 40 + [2.0] * 40).predict([[3.0], [73.0]]).round(3).tolist()
    [1.0, 2.0]
    """

    loss: str = "squared"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BoostingRegressor:
        """Learn from rows and their numbers."""
        is_count = check.one_of("loss", self.loss, ["squared", "poisson"]) == "poisson"
        table = features(self, X, reset=True, sparse_ok=True)
        values = numbers(y)
        same_length(table, values)
        data = self._data(table, sample_weight)
        targets, weight = values[data.rows], np.ascontiguousarray(data.weight)
        mean = float(weight @ targets / weight.sum())
        if is_count:
            check.counts("loss='poisson'", targets)
            target = BoostingTarget(POISSON, np.ascontiguousarray(targets), weight, data.counted)
            self._boost(table, data, target, np.array([np.log(mean)]))
            return self
        unit = _unit(targets - mean)
        target = BoostingTarget(SQUARED, np.ascontiguousarray((targets - mean) / unit), weight, data.counted)
        self._boost(table, data, target, np.zeros(1))
        self._restore_unit(mean, unit)
        return self

    def _restore_unit(self, mean: float, unit: float) -> None:
        """Bring trees that were grown for (y - mean) / unit into the unit of the target."""
        nodes = self.trees_.nodes.copy()
        nodes["threshold"][nodes["left"] < 0] *= unit
        self.trees_ = Trees(**{**vars(self.trees_), "nodes": nodes})
        self.gain_importance_ *= unit**2
        self.baseline_ = np.array([mean])

    def predict(self, X: TableLike) -> np.ndarray:
        """The number of every row."""
        return self._numbers(self._sums(X))

    def staged_predict(self, X: TableLike, every: int = 1) -> Iterator[np.ndarray]:
        """`predict` after each round, or after every so many and the last."""
        return (self._numbers(sums) for sums in self._staged_sums(X, every))

    def _numbers(self, sums: np.ndarray) -> np.ndarray:
        return np.exp(np.minimum(sums[:, 0], _MAX_LOG_MEAN)) if self.loss == "poisson" else sums[:, 0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.loss == "poisson"
        return tags


def _unit(off: np.ndarray) -> float:
    """The power of two of the largest distance from the mean: no constant of a tree is in units of the target.

    >>> _unit(np.array([-3.0, 1.0])), _unit(np.zeros(2))
    (2.0, 1.0)
    """
    largest = float(np.max(np.abs(off), initial=0.0))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0
