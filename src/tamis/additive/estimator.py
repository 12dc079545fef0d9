"""AdditiveClassifier and AdditiveRegressor: a sum of curves, one per column, and of few pair maps."""

from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin, RegressorMixin

from tamis import check
from tamis.additive.base import BaseAdditive
from tamis.additive.data import ranks_of
from tamis.additive.fit import FittedTerms
from tamis.additive.layout import LOGISTIC, MULTINOMIAL, POISSON, SQUARED, AdditiveTarget
from tamis.errors import TableError
from tamis.table import Classes, features, numbers, same_length
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike

_DIGITS = 12  # of sums after the point: of tied classes the first is predicted, not the one that rounding prefers
_MAX_LOG_MEAN = 50.0  # of a count: the limit of the core


@parameters
class AdditiveClassifier(ClassifierMixin, BaseAdditive):
    r"""Additive model for classes: log odds are a sum of curves, one per column, and of few maps of two columns.

    .. math:: f(x) = b + \sum_j f_j(x_j) + \sum_{jk} f_{jk}(x_j, x_k)

    Two classes have one such sum, the log odds of the second; several have one each, and the softmax of all. Curves are
    fitted by cyclic boosting on bins: a step of a column averages the two-leaf trees of all its cuts by what each gains
    (the square root of it), and adds a share of a Newton step. Every bag holds a seventh of the rows out; all bags stop
    at the cycle with the smallest log loss of held-out rows, and their curves are averaged.

    Parameters
    ----------
    max_columns : columns of the model at most; None: no limit. Columns are eliminated backwards by the held-out loss
        when every curve keeps its shape and gets a factor; curves of those that stay are then fitted again.
    max_pairs : pair maps at most. A pair is mapped where its interaction exceeds, at the level 0.05, that of every pair
        after residuals are shuffled (of several classes, after classes are drawn from the curves' probabilities), and
        only if maps lower the held-out loss.
    monotone : dict column -> 1 (the curve never falls), -1 (never rises) or 0; such a column is in no pair map.
    learning_rate : share of a Newton step that a step takes.
    max_cycles : cycles of boosting over all columns at most.
    n_bags : bags, each with a fold of the rows held out; folds are drawn again after every seven.
    max_bins : bins of a column at most, 255 or fewer. Values share bins only where there are more of them.
    min_samples_leaf : rows on each side of a cut at least.
    class_weight : "balanced" or a dict class -> weight.
    random_state : seed of bags and shuffles.
    n_jobs : threads; the model does not depend on it.

    Missing values have a bin, and so a height, of their own, as has each level of a category. Levels whose heights do
    not differ by more than chance explains share one. A level that no training row had counts as missing; where no
    training row had a missing value its height is 0, the mean. Whole sample weights count as copies of a row.

    Attributes
    ----------
    classes_ : the classes, sorted.
    intercept_ : b; one number per class of more than two.
    curves_ : dict column -> :class:`Curve`, widest first.
    pairs_ : dict (column, column) -> :class:`PairMap`, widest first.
    term_names_ : names of both, in the order of :meth:`contributions`.
    selected_columns_ : columns that the model uses.
    feature_importances_ : share of each column in the standard deviations of all terms; a map counts for both columns.
    complexity_ : dict of the numbers of `curves`, `pairs`, `columns` and `steps`.
    cv_predictions_ : probabilities of the training rows by the bags that held them out; NaN for rows of weight 0.
    n_cycles_ : cycles of boosting, at the smallest held-out loss.
    edits_ : curves that were set by hand, with their heights before.

    References
    ----------
    Lou, Caruana, Gehrke and Hooker (2013), Accurate Intelligible Models with Pairwise Interactions. Nori, Jenkins, Koch
    and Caruana (2019), InterpretML. Lengerich et al. (2020), Purifying Interaction Effects.

    >>> from tamis.additive import AdditiveClassifier
    >>> X = [[float(i % 10), float(i % 7)] for i in range(140)]
    >>> y = ["high" if row[0] > 4 else "low" for row in X]
    >>> model = AdditiveClassifier(max_columns=1).fit(X, y)
    >>> model.selected_columns_, model.predict([[9.0, 0.0], [1.0, 0.0]]).tolist()
    (('x0',), ['high', 'low'])
    """

    class_weight: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "AdditiveClassifier":
        """Learn from rows and their classes."""
        table = features(self, X, reset=True, sparse_ok=True)
        classes = Classes.of(y)
        same_length(table, classes.codes)
        data = self._data(table, classes.codes, sample_weight)
        codes, n_classes = classes.codes[data.rows], classes.n_classes
        total = np.bincount(codes, weights=data.counted, minlength=n_classes)
        weight = data.weight * check.class_factors(self.class_weight, classes.labels, total)[codes]
        loss, n_sums = (LOGISTIC, 1) if n_classes <= 2 else (MULTINOMIAL, n_classes)
        values = codes.astype(np.float64)
        target = AdditiveTarget(loss, n_sums, values, np.ascontiguousarray(weight), data.counted)
        path = self._fit_terms(table, data, target, codes)
        self.classes_ = classes.labels
        return self._take_path(path, table)

    def _held_out(self, fitted: FittedTerms, unit: float, mean: float) -> np.ndarray:
        return self._probabilities(np.ascontiguousarray(fitted.out_of_fold.T))

    def _sums(self, X: TableLike) -> np.ndarray:
        return np.round(super()._sums(X), _DIGITS)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Log odds of the second of two classes, or one sum per class."""
        sums = self._sums(X)
        return sums[:, 0] if self._n_sums == 1 else sums

    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Probability of every class, in the order of `classes_`."""
        return self._probabilities(self._sums(X))

    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: TableLike) -> np.ndarray:
        """The most probable class."""
        sums = self._sums(X)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(sums))
        if self._n_sums == 1:
            return self.classes_[(sums[:, 0] > 0).astype(np.int64)]
        return self.classes_[sums.argmax(axis=1)]

    def _probabilities(self, sums: np.ndarray) -> np.ndarray:
        if len(self.classes_) == 1:
            return np.ones((len(sums), 1))
        if self._n_sums == 1:
            return np.column_stack([expit(-sums[:, 0]), expit(sums[:, 0])])
        return softmax(sums, axis=1)


@parameters
class AdditiveRegressor(RegressorMixin, BaseAdditive):
    r"""Additive model for numbers and counts: a sum of curves, one per column, and of few maps of two columns.

    .. math:: g(\mu) = b + \sum_j f_j(x_j) + \sum_{jk} f_{jk}(x_j, x_k)

    g is the identity for `loss="squared"` and the logarithm for `loss="poisson"`, which is for counts. Parameters,
    attributes and the treatment of missing values, categories and weights are those of :class:`AdditiveClassifier`,
    without those about classes. `cv_predictions_` holds predicted numbers.

    >>> from tamis.additive import AdditiveRegressor
    >>> X = [[float(i % 10), float(i % 7)] for i in range(140)]
    >>> model = AdditiveRegressor().fit(X, [row[0] ** 2 for row in X])
    >>> model.predict([[3.0, 0.0], [9.0, 5.0]]).round().tolist()
    [9.0, 81.0]
    >>> bool((model.intercept_ + model.contributions(X).sum(axis=1) - model.predict(X)).max() < 1e-9)
    True
    """

    loss: str = "squared"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "AdditiveRegressor":
        """Learn from rows and their numbers."""
        is_count = check.one_of("loss", self.loss, ["squared", "poisson"]) == "poisson"
        table = features(self, X, reset=True, sparse_ok=True)
        values = numbers(y)
        same_length(table, values)
        if is_count and (values < 0).any():
            raise TableError(f"the target y holds {values.min():g}, but loss='poisson' is for counts of at least 0")
        data = self._data(table, ranks_of(values), sample_weight)
        y_rows = values[data.rows]
        mean = 0.0 if is_count else float(data.weight @ y_rows / data.weight.sum())
        unit = 1.0 if is_count else _unit(y_rows - mean)
        scaled = np.ascontiguousarray((y_rows - mean) / unit)
        target = AdditiveTarget(POISSON if is_count else SQUARED, 1, scaled, data.weight, data.counted)
        path = self._fit_terms(table, data, target, np.zeros(len(y_rows), dtype=np.int64))
        return self._take_path(path, table, unit, mean)

    def _held_out(self, fitted: FittedTerms, unit: float, mean: float) -> np.ndarray:
        return self._numbers(fitted.out_of_fold[0] * unit + mean)

    def predict(self, X: TableLike) -> np.ndarray:
        """The number of every row, or its expected count."""
        return self._numbers(self._sums(X)[:, 0])

    def _numbers(self, sums: np.ndarray) -> np.ndarray:
        return np.exp(np.minimum(sums, _MAX_LOG_MEAN)) if self.loss == "poisson" else sums

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.loss == "poisson"
        return tags


def _unit(distances: np.ndarray) -> float:
    """The power of two of the root mean square distance from the mean: no constant is in units of the target.

    >>> _unit(np.array([-3.0, 3.0])), _unit(np.zeros(2))
    (2.0, 1.0)
    """
    largest = float(np.max(np.abs(distances), initial=0.0))
    if largest == 0:
        return 1.0
    size = float(np.sqrt(np.mean((distances / largest) ** 2))) * largest
    return float(2.0 ** np.floor(np.log2(size)))
