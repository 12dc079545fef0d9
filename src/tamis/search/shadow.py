"""Shadow selection: keep the columns that matter more to a forest than the best of their shuffled copies."""

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone

from tamis import check
from tamis.engine import generator, seed_from, seed_of
from tamis.errors import KindError, TamisWarning
from tamis.search.estimator_input import refuse_holes, refused, shown_to, takes, transforms
from tamis.search.target import codes_or_numbers
from tamis.search.weights import column_weights
from tamis.table import (
    Table,
    beside,
    eager,
    features,
    is_frame,
    same_length,
    take,
)
from tamis.table.interface.selector import TableSelector
from tamis.table.interface.takes_table import parameters, takes_table
from tamis.table.like import TableLike
from tamis.typing import RandomState

#: Models fitted for each target, shadows at least, and shuffled targets at least before an early end.
MIN_MODELS, MAX_MODELS, MIN_SHADOWS, MIN_TARGETS = 2, 4, 10, 9


def default_forest(classes: bool) -> Any:
    """The forest used when none is given: few trees, for a round needs a verdict and not a good model.

    Its importances come from rows that a tree did not see: those of shuffled copies scatter about 0, however many
    values a column has, so columns that matter stand out in fewer rounds.
    """
    from tamis.forest import ForestClassifier, ForestRegressor

    settings = {"max_depth": 6, "min_samples_leaf": 3, "progress": False}
    return ForestClassifier(30, **settings) if classes else ForestRegressor(30, **settings)


@parameters
class ShadowSelector(MetaEstimatorMixin, TableSelector, BaseEstimator):
    r"""All columns that carry information about the target, found beside shuffled copies of the columns.

    In every round the columns are joined by shuffled copies, the shadows, and the model is fitted. With the mean
    importance :math:`I_j` of column j over the rounds, and mean m and standard deviation s of all shadows' importances,

    .. math:: t_j = (I_j - m) / s, \qquad
        p_j = \frac{1 + \#\{b : \max_k t_k^{(b)} \ge t_j\}}{1 + B},

    where :math:`t^{(b)}` is the same for the b-th of B shuffled targets. Columns with :math:`p_j \le \alpha` that beat
    every shadow in every round are confirmed. Shadows put importances of any model on one scale; shuffled targets say
    what the best of all columns reaches by chance. Rounds that only redraw the shadows (Boruta) judge the same chance
    association again and again: in one run of `benchmarks/search/shadow.py` they confirmed a column in 8 of 60 tables
    of noise, this rule in 3.

    What is controlled, at alpha, is the chance to confirm any column in a table whose target is independent of all
    columns; beside columns that matter it holds for those independent of target and other columns. A column that
    correlates with one that matters carries information, and is confirmed; see `KnockoffSelector` for the others.

    Parameters
    ----------
    estimator : a model with `feature_importances_` (or `coef_`, whose absolute value counts); by default a small
        `ForestClassifier` or `ForestRegressor`, whose importances come from rows out of the bag.
    max_rounds : models fitted at most. The target as it is and each shuffled one take r of them, where r is 2 to 4,
        about alpha · max_rounds / 2; with 100 and an alpha of 0.05 it is 2, and B is 49. Of fewer rounds than
        2 / alpha no column can be confirmed.
    alpha : chance to confirm any column of a table of noise.
    keep : "confirmed", or "undecided": keep those too.
    random_state : seed of the shuffles and of the model.
    n_jobs : given to the default forest.

    Attributes
    ----------
    support_, selected_ : mask and names (or positions) of the columns kept.
    verdict_ : for each column "confirmed"; "rejected", if it is not more important than on shuffled targets by itself
        (`pvalue_` above alpha); else "undecided".
    pvalue_ : share of shuffled targets, with the target itself, on which the column has as large a t.
    adjusted_pvalue_ : the same for the largest t of all columns.
    importance_ : t, of the target as it is.
    hits_, rounds_ : rounds in which the column beat every shadow, and rounds, on the target as it is.

    References
    ----------
    Kursa, Rudnicki (2010), Feature selection with the Boruta package, Journal of Statistical Software 36. Westfall,
    Young (1993), Resampling-based multiple testing. Altmann and others (2010), Permutation importance: a corrected
    feature importance measure, Bioinformatics 26.

    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 6))
    >>> y = X[:, 1] + X[:, 4] > 0
    >>> ShadowSelector().fit(X, y).selected_
    [1, 4]
    """

    estimator: BaseEstimator | None = field(default=None, kw_only=False)
    max_rounds: int = 100
    alpha: float = 0.05
    keep: str = "confirmed"
    random_state: RandomState = 0
    n_jobs: int | None = None

    def fit(self, X: TableLike, y: ArrayLike | None = None, **options: Any) -> "ShadowSelector":
        """Compare columns with their shadows, on the target and on shuffled ones."""
        check.no_options(self, options)
        rounds = check.count("max_rounds", self.max_rounds)
        check.number("alpha", self.alpha, low=0, high=1, open_low=True, open_high=True)
        check.one_of("keep", self.keep, ["confirmed", "undecided"])
        if self.estimator is not None and (not hasattr(self.estimator, "fit") or isinstance(self.estimator, type)):
            raise KindError(f"estimator={self.estimator!r} cannot be fitted; give a model with feature_importances_")
        X = eager(X)
        table = features(self, X, reset=True, min_rows=2)
        if self.estimator is not None:
            refuse_holes(self.estimator, table)
        target, classes = codes_or_numbers(self.estimator, y)
        same_length(table, target)
        order = table.order()
        seed = seed_from(self.random_state)
        model = self._model(classes, seed)
        tested = _Tested(_columns_of(model, table, X, order), target, model, seed)
        tested.run(float(self.alpha), rounds)
        self._remember(tested, order)
        return self

    def _model(self, classes: bool, seed: int) -> Any:
        if self.estimator is None:
            return default_forest(classes).set_params(n_jobs=self.n_jobs)
        return clone(self.estimator)

    def _remember(self, tested: "_Tested", order: np.ndarray) -> None:
        original = np.argsort(order)
        self.pvalue_, self.adjusted_pvalue_ = tested.pvalue[original], tested.adjusted[original]
        self.importance_ = tested.importance[original]
        self.hits_, self.rounds_ = tested.hits[original], np.full(len(original), tested.n_models)
        confirmed = (self.adjusted_pvalue_ <= self.alpha + 1e-9) & (self.hits_ == self.rounds_)
        rejected = self.pvalue_ > self.alpha
        self.verdict_ = np.where(
            confirmed, "confirmed", np.where(rejected & tested.can_confirm, "rejected", "undecided")
        ).astype(object)
        self.support_ = confirmed if self.keep == "confirmed" else self.verdict_ != "rejected"
        self.selected_ = self._names_of_support(order)
        if not self.support_.any():
            warnings.warn("no column is more important than chance makes the best of all", TamisWarning, stacklevel=3)

    def _takes_nan(self) -> bool:
        if self.estimator is None:
            return True
        return hasattr(self.estimator, "fit") and takes(self.estimator)[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_nan()
        tags.target_tags.required = True
        return tags


class _Tested:
    """Importances beside shadows, of the target as it is and of shuffled ones."""

    def __init__(self, columns: "PermutedCopies", y: np.ndarray, model: BaseEstimator, seed: int) -> None:
        self.columns, self.y, self.model, self.seed = columns, y, model, seed
        self.hits = np.zeros(columns.n_columns, dtype=np.int64)

    def run(self, alpha: float, max_rounds: int) -> None:
        """Fit at most so many models; shuffled targets end when no column can be confirmed any more."""
        self.n_models = int(np.clip(alpha * max_rounds / 2, MIN_MODELS, MAX_MODELS))
        n_targets = max(0, max_rounds // self.n_models - 1)
        self.can_confirm = alpha * (1 + n_targets) >= 1 - 1e-9
        self.importance, self.hits = self._compared(self.y, "target")
        single, largest = np.zeros(len(self.importance)), np.zeros(len(self.importance))
        self.n_targets = 0
        for number in range(n_targets):
            shuffled = self.y[generator(self.seed, "target", number).permutation(len(self.y))]
            null = self._compared(shuffled, f"shuffled {number}")[0]
            single += null >= self.importance
            largest += null.max() >= self.importance
            self.n_targets += 1
            if self.n_targets >= MIN_TARGETS and 1 + largest.min() > alpha * (1 + n_targets):
                break
        self.pvalue = (1 + single) / (1 + self.n_targets)
        self.adjusted = (1 + largest) / (1 + self.n_targets)

    def _compared(self, y: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
        """t of each column, and the rounds in which it beat every shadow."""
        d = self.columns.n_columns
        copied = np.tile(np.arange(d), max(1, -(-MIN_SHADOWS // d)))
        weights, shadows = np.zeros((self.n_models, d)), np.zeros((self.n_models, len(copied)))
        for number in range(self.n_models):
            random = generator(self.seed, "round", name, number)
            rows = random.permuted(np.repeat(np.arange(self.columns.n_rows)[:, None], len(copied), axis=1), axis=0)
            model_input = self.columns.beside(np.arange(d), copied, rows)
            try:
                weight = _importances(self.model, model_input, y, seed_of(self.seed, "model", name, number))
            except (TypeError, ValueError) as error:
                raise refused(self.model, self.columns.columns, error) from error
            weights[number], shadows[number] = weight[:d], weight[d:]
        spread = float(shadows.std())
        distance = weights.mean(axis=0) - shadows.mean()
        scale = spread if spread > 0 else max(float(np.abs(weights).max()), 1.0) * 1e-9
        return distance / scale, (weights > shadows.max(axis=1)[:, None]).sum(axis=0)


def _columns_of(model: BaseEstimator, table: Table, X: TableLike, order: np.ndarray) -> "PermutedCopies":
    """The columns in the order of their names, as the model can take them."""
    if table.is_numeric and not (transforms(model) and is_frame(X)):
        return PermutedCopies(table.numbers()[:, order])
    if takes_table(model):
        return PermutedCopies(table.select(order.tolist()))
    return PermutedCopies(take(shown_to(model, table, X), columns=order))


def _importances(model: Any, X: Any, y: np.ndarray, seed: int) -> np.ndarray:
    fitted = clone(model)
    if "random_state" in fitted.get_params(deep=False):
        fitted.set_params(random_state=seed % (1 << 31))
    return column_weights(fitted.fit(X, y), X.shape[1])


@dataclass(frozen=True, eq=False)
class PermutedCopies:
    """Columns to be shuffled: an array, a Table, or a frame.

    In Tables and frames the columns and their copies are named by number, so that no name is there twice and the order
    of the names is that of the columns.
    """

    columns: Any

    @property
    def n_rows(self) -> int:
        return int(self.columns.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.columns.shape[1])

    def beside(self, real: np.ndarray, copied: np.ndarray, rows: np.ndarray) -> Any:
        """Columns `real` as they are, then the columns `copied`, the c-th in the order rows[:, c]."""
        X = self.columns
        if isinstance(X, np.ndarray):
            return np.hstack([X[:, real], np.take_along_axis(X[:, copied], rows, axis=0)])
        names = [f"{j:07d}" for j in range(len(real) + len(copied))]
        if not isinstance(X, Table):
            return beside(X, real, copied, rows, names)
        columns = [X.column(int(j)) for j in real] + [X.column(int(j)).take(rows[:, c]) for c, j in enumerate(copied)]
        return Table([replace(column, name=name) for column, name in zip(columns, names)])
