"""Shadow selection: keep the columns that matter more to a forest than the best of their shuffled copies."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.engine import generator, seed_from, seed_of
from tamis.errors import KindError, ParameterError, TamisWarning
from tamis.search.estimator_input import refuse_holes, refused, shown_to, takes, transforms
from tamis.search.permuted_copies import PermutedCopies
from tamis.search.weights import column_weights
from tamis.table import (
    Classes,
    Table,
    eager,
    features,
    is_class_target,
    is_frame,
    numbers,
    same_length,
    take,
)
from tamis.table.interface.selector import TableSelector
from tamis.table.interface.takes_table import takes_table

UNDECIDED, CONFIRMED, REJECTED = 0, 1, -1


def default_forest(classes: bool) -> Any:
    """The forest used when none is given: few trees, for a round needs a verdict and not a good model.

    Its importances come from rows that a tree did not see: those of shuffled copies scatter about 0, however many
    values a column has, so columns that matter stand out in fewer rounds.
    """
    from tamis.forest import ForestClassifier, ForestRegressor

    settings = {"max_depth": 6, "min_samples_leaf": 3, "progress": False}
    return ForestClassifier(30, **settings) if classes else ForestRegressor(30, **settings)


class ShadowSelector(MetaEstimatorMixin, TableSelector, BaseEstimator):
    r"""All columns that matter, found by comparing each with shuffled copies of the columns.

    In every round the undecided and confirmed columns are joined by their shuffled copies, the model is fitted, and a
    column scores a hit when its importance exceeds that of the best copy. A column that matters no more than chance
    hits at most every other time; one-sided binomial tests of the hits against 1/2 confirm or reject it:

    .. math:: p = P(B \ge \text{hits}), \quad B \sim \text{Binomial}(\text{rounds}, 1/2)

    A column is decided when its p-value is below alpha after Holm's correction for the number of columns and a
    Bonferroni correction for the number of looks (the tests are made after 5, 10, 15, … rounds).

    Parameters
    ----------
    estimator : a model with `feature_importances_` (or `coef_`, whose absolute value counts); by default a small
        `ForestClassifier` or `ForestRegressor`, whose importances come from rows out of the bag.
    max_rounds : when to give up on the undecided.
    alpha : chance to confirm (or to reject) any column wrongly.
    keep : "confirmed", or "undecided": keep those too.
    random_state : seed of the shuffles and of the model.
    n_jobs : given to the default forest.

    Attributes
    ----------
    support_, selected_ : mask and names (or positions) of the columns kept.
    verdict_ : for each column "confirmed", "rejected" or "undecided".
    hits_, rounds_ : rounds each column won, and took part in.
    pvalue_ : of its hits against chance, uncorrected.
    importance_ : mean over rounds of each column's importance over the best copy's.

    References
    ----------
    Kursa, Rudnicki (2010), Feature selection with the Boruta package, Journal of Statistical Software 36.

    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 6))
    >>> y = X[:, 1] + X[:, 4] > 0
    >>> ShadowSelector().fit(X, y).selected_
    [1, 4]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        max_rounds: int = 100,
        alpha: float = 0.05,
        keep: str = "confirmed",
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.max_rounds = max_rounds
        self.alpha = alpha
        self.keep = keep
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> ShadowSelector:
        """Play rounds until every column is decided, or max_rounds."""
        rounds = check.count("max_rounds", self.max_rounds)
        check.number("alpha", self.alpha, low=0, high=1, open_low=True, open_high=True)
        check.one_of("keep", self.keep, ["confirmed", "undecided"])
        if self.estimator is not None and (not hasattr(self.estimator, "fit") or isinstance(self.estimator, type)):
            raise KindError(f"estimator={self.estimator!r} cannot be fitted; give a model with feature_importances_")
        X = eager(X)
        table = features(self, X, reset=True, min_rows=2)
        if self.estimator is not None:
            refuse_holes(self.estimator, table)
        target, classes = self._target(y)
        same_length(table, target)
        order = table.order()
        seed = seed_from(self.random_state)
        model = self._model(classes, seed)
        game = _Game(_columns_of(model, table, X, order), target, model, float(self.alpha), rounds, seed)
        game.play()
        self._remember(game, order)
        return self

    def _target(self, y: Any) -> tuple[np.ndarray, bool]:
        by_class = is_classifier(self.estimator) if self.estimator is not None else y is not None and is_class_target(y)
        if by_class:
            found = Classes.of(y)
            if found.n_classes < 2:
                raise ParameterError(f"the target has only one class ({found.labels[0]!r}); give at least two")
            return found.codes, True
        return numbers(y), False

    def _model(self, classes: bool, seed: int) -> Any:
        if self.estimator is None:
            return default_forest(classes).set_params(n_jobs=self.n_jobs)
        return clone(self.estimator)

    def _remember(self, game: _Game, order: np.ndarray) -> None:
        place = np.argsort(order)
        words = np.array(["undecided", "confirmed", "rejected"])  # -1 is the last
        self.verdict_ = words[game.verdict][place]
        self.hits_, self.rounds_ = game.hits[place], game.rounds[place]
        self.pvalue_ = scipy.stats.binom.sf(self.hits_ - 1, self.rounds_, 0.5)
        self.importance_ = (game.importance / np.maximum(game.rounds, 1))[place]
        kept = game.verdict == CONFIRMED if self.keep == "confirmed" else game.verdict != REJECTED
        self.support_ = kept[place]
        names = getattr(self, "feature_names_in_", range(len(order)))
        self.selected_ = [names[j] for j in order if self.support_[j]]
        if not self.support_.any():
            warnings.warn("no column beat its shuffled copies often enough to be kept", TamisWarning, stacklevel=3)

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_

    def _takes_nan(self) -> bool:
        if self.estimator is None:
            return True
        return hasattr(self.estimator, "fit") and takes(self.estimator)[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_nan()
        tags.target_tags.required = True
        return tags


class _Game:
    """The rounds: who takes part, who has won how often, who is decided."""

    def __init__(self, columns: PermutedCopies, y: np.ndarray, model: Any, alpha: float, most: int, seed: int) -> None:
        d = columns.n_columns
        self.columns, self.y, self.model = columns, y, model
        self.alpha, self.most, self.seed = alpha, most, seed
        self.verdict = np.full(d, UNDECIDED)
        self.hits, self.rounds = np.zeros(d, dtype=np.int64), np.zeros(d, dtype=np.int64)
        self.importance = np.zeros(d)
        self.looks = max(1, most // 5)

    def play(self) -> None:
        for number in range(self.most):
            self._round(number)
            if (number + 1) % 5 == 0 or number + 1 == self.most:
                self._look()
            if not np.any(self.verdict == UNDECIDED):
                return

    def _round(self, number: int) -> None:
        players = np.flatnonzero(self.verdict != REJECTED)
        random = generator(self.seed, "round", number)
        copies = np.tile(np.arange(len(players)), max(1, -(-5 // max(len(players), 1))))  # at least five copies
        rows = random.permuted(np.repeat(np.arange(self.columns.n_rows)[:, None], len(copies), axis=1), axis=0)
        shown = self.columns.beside(players, players[copies], rows)
        try:
            weight = _importances(self.model, shown, self.y, seed_of(self.seed, "model", number))
        except (TypeError, ValueError) as error:
            raise refused(self.model, self.columns.columns, error) from error
        best = weight[len(players) :].max()
        self.hits[players] += weight[: len(players)] > best
        self.rounds[players] += 1
        self.importance[players] += weight[: len(players)] / best if best > 0 else weight[: len(players)] > 0

    def _look(self) -> None:
        """Holm's tests over the undecided, each way at alpha over the number of looks."""
        open_ = np.flatnonzero(self.verdict == UNDECIDED)
        d = len(self.verdict)
        more = scipy.stats.binom.sf(self.hits[open_] - 1, self.rounds[open_], 0.5)
        fewer = scipy.stats.binom.cdf(self.hits[open_], self.rounds[open_], 0.5)
        level = self.alpha / self.looks
        for pvalues, word in ((more, CONFIRMED), (fewer, REJECTED)):
            done = int((self.verdict == word).sum())
            for i in np.argsort(pvalues, kind="stable"):
                if pvalues[i] > level / max(1, d - done):
                    break
                self.verdict[open_[i]] = word
                done += 1


def _columns_of(model: Any, table: Table, X: Any, order: np.ndarray) -> PermutedCopies:
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
