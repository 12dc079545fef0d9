"""Rank the columns by one criterion or several, and keep the best."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from tamis import check
from tamis.engine import drawn_seed
from tamis.errors import ParameterError, TamisWarning
from tamis.score.combine import HOW, combine, criterion_weights
from tamis.score.criteria import criterion_named, criterion_names
from tamis.score.criterion import Criterion, OverTargets, Target, read_table
from tamis.score.permutation import FEWEST_PERMUTATIONS, TailScores, benjamini_hochberg, permutation_pvalues
from tamis.table import Table, eager, in_days, refusal, same_length
from tamis.table.interface.selector import TableSelector
from tamis.table.interface.several_classes import has_several_targets
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.typing import RandomState


class _Called(Criterion):
    """A user's function f(X, y) -> d scores (or a tuple that begins with them, as scikit-learn's) as a criterion."""

    def __init__(self, function: Callable[..., Any], X: TableLike, y: ArrayLike) -> None:
        self.name = getattr(function, "__name__", type(function).__name__)
        self.function, self.X, self.y = function, in_days(X), y

    def target(self, y: Any, n_rows: int, weights: np.ndarray | None = None) -> Target:
        return Target("none", n_rows, codes=np.arange(n_rows))

    def weights(self, sample_weight: Any, n_rows: int) -> np.ndarray | None:
        if sample_weight is not None:
            raise ParameterError(f"{self.name} is called with X and y only; leave sample_weight out")
        return None

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> int:
        return table.n_columns

    def values(self, view: int, target: Target, n_jobs: int | None = None) -> np.ndarray:
        y = self.y if self.y is None else np.asarray(self.y)[target.codes]
        try:
            returned = self.function(self.X, y)
        except (TypeError, ValueError) as error:
            raise refusal(self.name, self.X, error) or error from error
        scores = np.asarray(returned[0] if isinstance(returned, tuple) else returned, dtype=np.float64)
        if scores.shape != (view,):
            raise ParameterError(f"{self.name} gave scores of shape {scores.shape}; it must give one for each column")
        return scores


def order_of(scores: np.ndarray, table: Table, useless: np.ndarray) -> np.ndarray:
    """Positions of the columns, best first: by score, useless columns last, ties by name."""
    return np.lexsort((np.argsort(table.order()), -scores, useless))


def _useless(criterion_scores: Sequence[np.ndarray], table: Table) -> np.ndarray:
    """Which columns are constant or empty, or could not be scored; only those without a score need be looked at."""
    useless = np.asarray(np.isnan(np.array(criterion_scores)).any(axis=0))
    for j in np.flatnonzero(~np.any(criterion_scores, axis=0)):
        values, missing = table.column(int(j)).values, table.column(int(j)).missing
        useless[j] |= bool(missing.all() or (not missing.any() and (values == values[0]).all()))
    return useless


@parameters
class RankSelector(TableSelector, BaseEstimator):
    r"""Keep the columns that rank best by a criterion, or by several combined.

    Parameters
    ----------
    by : name of a criterion (pearson, stump, mutual_information, gain_ratio, gini, chi2, anova, relief, dispersion,
        variance, symmetric_uncertainty, interaction), a function f(X, y) -> d scores, or a list of these.
    k : keep the k best.
    threshold : keep the columns that score at least this much.
    share : keep this share of the columns, the best ones (rounded, at least one).
    alpha : keep the columns whose p-value, adjusted for the number of columns (Benjamini–Hochberg), is at most alpha.
        Where permutations are too few for that many columns, small p-values of one criterion come from a tail that is
        fitted to the largest permuted scores (`tail_fitted_`); with several criteria, or fewer than 200 permutations,
        there is a warning, and columns pass only in numbers.
    pvalues : "adjusted", or "raw": `alpha` is then compared with the p-values of single columns, not adjusted.
    n_permutations : number of permuted targets for p-values; 0 computes none, or 1,000 when `alpha` asks for them.
    combine : how several criteria become one: borda, mean, median, best, reciprocal, standardised.
    weights : one number a criterion: how much it counts in the combination; None counts all alike.
    random_state : seed of the permutations.
    n_jobs : number of threads; the answer does not depend on it.

    When several limits are given a column must pass all of them; with none, the better half is kept. Several targets
    are given as a matrix y: a column's score is then the mean of its scores for each of them.

    Attributes
    ----------
    scores_ : score of each column, larger is better (combined, when there are several criteria).
    criterion_scores_ : dict, name of the criterion -> its scores.
    signs_ : sign of the correlation of each column when `by` includes pearson (0 for categories), otherwise None.
    pvalues_ : (1 + hits) / (1 + permutations) of each column, or None; with several criteria, hits are permutations in
        which the mean over criteria of the score's rank among its own permutations is as high.
    tail_fitted_ : whether p-values beyond the permutations come from a fitted tail (see `tamis.score.permutation`).
    adjusted_pvalues_ : the same after Benjamini and Hochberg, or None.
    ranking_ : rank of each column, 1 for the best; equal scores are ranked by name (by position without names).
    order_ : positions of the columns, best first.
    n_features_in_, feature_names_in_ : as in scikit-learn.

    References
    ----------
    I. Guyon and A. Elisseeff, "An introduction to variable and feature selection", JMLR 3, 2003.

    >>> X = [[0, 3, 1], [1, 3, 1], [0, 4, 1], [1, 4, 1]]
    >>> selector = RankSelector(by="gini", k=1).fit(X, [0, 1, 0, 1])
    >>> selector.ranking_, selector.get_feature_names_out()
    (array([1, 2, 3]), array(['x0'], dtype=object))
    """

    by: Any = field(default="mutual_information", kw_only=False)
    k: int | None = None
    threshold: float | None = None
    share: float | None = None
    alpha: float | None = None
    pvalues: str = "adjusted"
    n_permutations: int = 0
    combine: str = "borda"
    weights: ArrayLike | None = None
    random_state: RandomState = 0
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "RankSelector":
        """Score and rank the columns of X for the target y."""
        X = eager(X)
        table = read_table(X, self)
        criteria = self._criteria(X, y)
        permutations = self._check(table, criteria)
        if y is not None:
            same_length(table, y)
        elif any(criterion.takes for criterion in criteria):
            criteria[0].target(y, table.n_rows)
        weights = [criterion.weights(sample_weight, table.n_rows) for criterion in criteria]
        targets = [c.target(y, table.n_rows, w) for c, w in zip(criteria, weights)]
        views = [c.view(table, t, w, self.n_jobs) for c, t, w in zip(criteria, targets, weights)]
        raw_scores = [c.values(v, t, self.n_jobs) for c, v, t in zip(criteria, views, targets)]
        useless, finite_scores = _useless(raw_scores, table), [_finite(scores) for scores in raw_scores]
        self.criterion_scores_ = dict(zip(_names(criteria), finite_scores))
        self.signs_ = _signs(criteria, views, targets)
        if len(finite_scores) == 1:
            self.scores_ = finite_scores[0]
        else:  # relief can be negative: a useless column's 0 must not outrank other columns
            lifted = [np.where(useless, scores.min(), scores) for scores in finite_scores]
            self.scores_ = combine(lifted, self.combine, weights=self.weights)
        self.order_ = order_of(self.scores_, table, useless)
        self.ranking_ = np.argsort(self.order_) + 1
        self.pvalues_ = self.adjusted_pvalues_ = None
        if permutations:
            self.pvalues_ = self._pvalues(criteria, views, targets, permutations)
            self.adjusted_pvalues_ = benjamini_hochberg(self.pvalues_)
        self.support_ = self._support(table.n_columns)
        return self

    def _criteria(self, X: TableLike, y: ArrayLike) -> list[Criterion]:
        by = self.by
        listed = [by] if isinstance(by, str) or callable(by) else by
        if not isinstance(listed, Iterable) or not (listed := list(listed)):
            raise ParameterError(f"by={by!r} names no criterion; give one or more of {', '.join(criterion_names())}")
        criteria = [_Called(by, X, y) if callable(by) else criterion_named(by) for by in listed]
        if y is None or not has_several_targets(y):
            return criteria
        return [
            OverTargets(criterion) if criterion.takes and not isinstance(criterion, _Called) else criterion
            for criterion in criteria
        ]

    def _check(self, table: Table, criteria: Sequence[Criterion]) -> int:
        """Check the parameters; the number of permutations to make."""
        d = table.n_columns
        if self.k is not None:
            check.count("k", self.k, high=d, of="columns")
        if self.threshold is not None:
            check.number("threshold", self.threshold)
        if self.share is not None:
            check.number("share", self.share, low=0, high=1, open_low=True)
        check.one_of("combine", self.combine, HOW)
        check.one_of("pvalues", self.pvalues, ("adjusted", "raw"))
        criterion_weights(self.weights, len(criteria))
        permutations = check.count("n_permutations", self.n_permutations, low=0)
        if self.alpha is not None:
            check.number("alpha", self.alpha, low=0, high=1)
            permutations = permutations or 1000
        if permutations and not any(criterion.takes for criterion in criteria):
            raise ParameterError(
                f"{criteria[0].name} does not look at the target, so permuting it says nothing; "
                "leave out alpha and n_permutations, and give k, share or threshold"
            )
        tests = d if self.pvalues == "adjusted" else 1
        too_few = self.alpha is not None and tests > self.alpha * (1 + permutations)
        self.tail_fitted_ = too_few and len(criteria) == 1 and permutations >= FEWEST_PERMUTATIONS
        if self.alpha is not None and too_few and not self.tail_fitted_:
            warnings.warn(
                f"n_permutations={permutations} is too few to keep a single column of {d:,} at alpha={self.alpha:g}; "
                f"give at least {int(np.ceil(tests / max(self.alpha, 1e-12))):,}, or columns pass only in numbers",
                TamisWarning,
                stacklevel=3,
            )
        return permutations

    def _pvalues(
        self, criteria: Sequence[Criterion], views: Sequence[Any], targets: Sequence[Target], permutations: int
    ) -> np.ndarray:
        def scores(orders: Sequence[np.ndarray]) -> np.ndarray:
            return np.array(
                [
                    _finite(criterion.values_of_targets(view, [target.take(order) for order in orders]))
                    for criterion, view, target in zip(criteria, views, targets)
                ]
            )

        observed = np.array(list(self.criterion_scores_.values()))
        seed = drawn_seed(self.random_state)
        tail = TailScores(permutations) if self.tail_fitted_ else None
        n_rows, n_jobs = targets[0].n_rows, self.n_jobs
        return permutation_pvalues(observed, scores, n_rows, permutations, seed=seed, n_jobs=n_jobs, tail=tail)

    def _support(self, d: int) -> np.ndarray:
        selected = np.ones(d, dtype=bool)
        limits = (self.k, self.threshold, self.share, self.alpha)
        share = 0.5 if all(limit is None for limit in limits) else self.share
        if self.k is not None:
            selected &= self.ranking_ <= self.k
        if share is not None:
            selected &= self.ranking_ <= max(1, round(share * d))
        if self.threshold is not None:
            selected &= self.scores_ >= self.threshold
        compared = self.adjusted_pvalues_ if self.pvalues == "adjusted" else self.pvalues_
        if self.alpha is not None and compared is not None:
            selected &= compared <= self.alpha
        return selected

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        listed = [self.by] if isinstance(self.by, str) or callable(self.by) else list(self.by)
        tags.target_tags.required = any(by not in ("variance", "dispersion") for by in listed)
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _finite(scores: np.ndarray) -> np.ndarray:
    """Scores without NaN: a column that a function could not score gets 0."""
    return np.nan_to_num(scores, nan=0.0)


def _names(criteria: Sequence[Criterion]) -> list[str]:
    """Names of the criteria; a name that comes again is numbered."""
    names: list[str] = []
    for criterion in criteria:
        again = sum(name.split("#")[0] == criterion.name for name in names)
        names.append(criterion.name if not again else f"{criterion.name}#{again + 1}")
    return names


def _signs(criteria: Sequence[Criterion], views: Sequence[Any], targets: Sequence[Target]) -> np.ndarray | None:
    for criterion, view, target in zip(criteria, views, targets):
        if criterion.name == "pearson" and hasattr(criterion, "with_signs"):
            signs: np.ndarray = criterion.with_signs(view, target)[1]
            return signs
    return None
