"""Stability selection: keep the columns that a selector chooses again and again on random halves of the rows."""

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier

from tamis import check
from tamis.engine import generator, map_threads, seed_from, workers
from tamis.errors import KindError, ParameterError, TamisWarning
from tamis.score.interchangeable import Interchangeable, clusters_of
from tamis.search.estimator_input import refuse_holes, refused, seeded, shown_to, takes
from tamis.search.resampling.lasso import Lasso, lasso_of
from tamis.search.resampling.resamples import WAYS, agreement, expected_false, resamples, threshold_for
from tamis.search.weights import column_weights
from tamis.table import (
    Classes,
    Table,
    eager,
    features,
    is_class_target,
    numbers,
    refuse_extreme,
    same_length,
    take,
)
from tamis.table.interface.output import replaced
from tamis.table.interface.selector import TableSelector
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.typing import RandomState

COMBINE = ("threshold", "union")


@parameters
class StabilitySelector(MetaEstimatorMixin, TableSelector, BaseEstimator):
    """The columns that a selector chooses on at least a given share of random parts of the rows.

    Parameters
    ----------
    selector : any selector of scikit-learn's or Tamis' (with `get_support`), a model whose `coef_` or
        `feature_importances_` is zero for the columns it does not use, or a pipeline of these; a category counts as
        one column, whatever indicators are made of it.
    n_resamples : how many parts to draw; a complementary pair counts as two.
    threshold : the share of resamples from which a column is kept.
    resample : "complementary" (two disjoint halves at a time), "subsample" (halves) or "bootstrap".
    noise : standard deviation of normal noise that every resample adds to its numeric columns, in units of each
        column's own; shows what small errors of measurement do to the selection.
    drop : share of the columns that every resample leaves out at random; a column's frequency is then counted over the
        resamples that had it.
    expected_false : the number of false columns to bear on average; replaces `threshold` by the smallest one whose
        bound is within it. Not for the bootstrap, which has no bound.
    combine : "threshold", or "union": every column that was ever chosen.
    alphas : for a lasso, the strengths of a whole path, or how many of them; a column's frequency is then its largest
        along the path, as Meinshausen and Bühlmann have it.
    interchangeable : columns that correlate at least so much (in absolute value) count as one: a cluster is kept when
        one or other of them is chosen often enough, and is represented by the member chosen most.
    random_state : seed of the draws and of selectors that have none of their own.
    n_jobs : resamples computed at a time.

    Attributes
    ----------
    support_, selected_ : mask and names (or positions) of the columns kept.
    frequency_ : how often each column was chosen.
    selections_ : resamples × columns, what was chosen on each.
    present_ : with `noise` or `drop`, resamples × columns, which columns each had; else None.
    stability_, stability_interval_ : Nogueira's index of how alike the chosen sets are, and its 95% interval.
    threshold_ : the threshold used.
    mean_selected_ : mean number of columns chosen on a resample.
    expected_false_ : upper bound on the expected number of columns kept falsely; see
        `tamis.search.resampling.resamples`. It compares
        columns of equal chance; NaN for the bootstrap, for "union" and with `noise` or `drop`, where no bound holds.
    clusters_ : with `interchangeable`, the clusters kept, printed as "g17 or g203".
    alphas_, frequency_path_ : the path, and the frequencies at each of its strengths.

    References
    ----------
    Meinshausen, Bühlmann (2010), Stability selection, JRSS B 72.
    Shah, Samworth (2013), Variable selection with error control, JRSS B 75.

    >>> import numpy as np
    >>> from sklearn.linear_model import Lasso
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(80, 10))
    >>> y = X[:, 2] - X[:, 7] + 0.5 * random.normal(size=80)
    >>> StabilitySelector(Lasso(alpha=0.2)).fit(X, y).selected_
    [2, 7]
    """

    selector: BaseEstimator = field(kw_only=False)
    n_resamples: int = 100
    threshold: float = 0.6
    resample: str = "complementary"
    noise: float = 0.0
    drop: float = 0.0
    expected_false: float | None = None
    combine: str = "threshold"
    alphas: Any = None
    interchangeable: float | None = None
    random_state: RandomState = 0
    n_jobs: int | None = None

    def fit(self, X: TableLike, y: Any = None, **options: Any) -> "StabilitySelector":
        """Choose on every resample, and keep what is chosen often."""
        check.no_options(self, options)
        self._check()
        X = eager(X)
        table = features(self, X, reset=True, sparse_ok=takes(self.selector)[1], min_rows=2)
        refuse_holes(self.selector, table)
        target, classes = self._target(y)
        same_length(table, target)
        seed = seed_from(self.random_state)
        drawn = resamples(self.resample, table.n_rows, self.n_resamples, seed, classes)
        order = table.order()
        lasso = lasso_of(self.selector)
        if self.alphas is not None and (lasso is None or not _is_plain(table)):
            raise ParameterError(
                f"alphas is given, but {type(self.selector).__name__} is no lasso of finite numbers; leave alphas out"
            )
        self.alphas_: np.ndarray | None = None
        self.frequency_path_: np.ndarray | None = None
        self.present_: np.ndarray | None = None
        if self.noise or self.drop:
            chosen = self._disturbed(shown_to(self.selector, table, X), table, target, drawn, seed)
        elif lasso is not None and _is_plain(table):
            chosen = self._along_path(lasso, table, target, drawn)
        else:
            model_input = shown_to(self.selector, table, X)
            chosen = self._by_refit(take(model_input, columns=order), target, drawn, seed)[:, np.argsort(order)]
        self._remember(table, chosen)
        return self

    def _check(self) -> None:
        check.count("n_resamples", self.n_resamples, low=2)
        check.number("noise", self.noise, low=0)
        check.number("drop", self.drop, low=0, high=1, open_high=True)
        if (self.noise or self.drop) and (self.alphas is not None or self.expected_false is not None):
            raise ParameterError("noise and drop do not go with alphas or expected_false; leave these out")
        check.one_of("resample", self.resample, WAYS)
        check.one_of("combine", self.combine, COMBINE)
        check.number("threshold", self.threshold, low=0, high=1, open_low=True)
        if self.interchangeable is not None:
            check.number("interchangeable", self.interchangeable, low=0, high=1, open_low=True)
        if self.expected_false is not None:
            check.number("expected_false", self.expected_false, low=0, open_low=True)
            if self.resample == "bootstrap" or self.combine == "union":
                raise ParameterError(
                    "expected_false has no bound for the bootstrap or a union; give resample='complementary'"
                )
        if not hasattr(self.selector, "fit") or isinstance(self.selector, type):
            raise KindError(f"selector={self.selector!r} cannot be fitted; give a selector or a model with coef_")

    def _target(self, y: ArrayLike) -> tuple[np.ndarray, np.ndarray | None]:
        inner = getattr(self.selector, "estimator", None)
        regress = lasso_of(self.selector) is not None
        by_class = is_classifier(self.selector) or (
            inner is not None and hasattr(inner, "fit") and is_classifier(inner)
        )
        if y is not None and not regress and (by_class or is_class_target(y)):
            classes = Classes.of(y)
            return classes.labels[classes.codes], classes.codes
        return numbers(y), None

    def _by_refit(self, X: TableLike, y: np.ndarray, drawn: list[np.ndarray], seed: int) -> np.ndarray:
        model = seeded(self.selector, seed)
        if workers(self.n_jobs) == 1:
            return np.array([_chosen(model, X, y, rows) for rows in drawn])
        return np.array(Parallel(n_jobs=self.n_jobs)(delayed(_chosen)(model, X, y, rows) for rows in drawn))

    def _disturbed(self, X: TableLike, table: Table, y: np.ndarray, drawn: list[np.ndarray], seed: int) -> np.ndarray:
        """Choices on resamples with noise in their numbers and without some of their columns."""
        if table.is_sparse and self.noise:
            raise ParameterError("noise would fill a sparse matrix; give noise=0, or a dense matrix")
        model, order = seeded(self.selector, seed), table.order()
        n_kept = max(1, round(table.n_columns * (1 - self.drop)))
        self.present_ = np.zeros((len(drawn), table.n_columns), dtype=bool)
        for index, line in enumerate(self.present_):
            line[order[np.sort(generator(seed, "drop", index).choice(len(order), n_kept, replace=False))]] = True

        def chosen_in(index: int) -> np.ndarray:
            columns = order[self.present_[index][order]]  # type: ignore[index]
            sample = take(X, rows=drawn[index], columns=columns)
            if self.noise:
                sample = _with_noise(sample, float(self.noise), generator(seed, "noise", index))
            chosen = np.zeros(table.n_columns, dtype=bool)
            chosen[columns] = _chosen(model, sample, y[drawn[index]], np.arange(len(drawn[index])))
            return chosen

        return np.array(map_threads(chosen_in, range(len(drawn)), self.n_jobs))

    def _along_path(self, lasso: Lasso, table: Table, y: np.ndarray, drawn: list[np.ndarray]) -> np.ndarray:
        X = table.numbers()
        alphas = lasso.strengths(X, y, self.alphas)
        by_alpha = lasso.select(X, y, drawn, alphas, self.n_jobs)  # resamples × alphas × columns
        if self.alphas is None:
            return by_alpha[:, -1]
        self.alphas_ = alphas
        self.frequency_path_ = by_alpha.mean(axis=0)
        return np.asarray(by_alpha.any(axis=1))

    def _remember(self, table: Table, chosen: np.ndarray) -> None:
        n_columns, pairs = table.n_columns, self.resample == "complementary"
        self.selections_ = chosen
        self.frequency_ = self._frequency(chosen)
        self.mean_selected_ = float(chosen.sum(axis=1).mean())
        self.stability_, self.stability_interval_ = agreement(chosen)
        self.threshold_ = self._threshold(n_columns, len(chosen))
        bound_holds = self.combine == "threshold" and self.resample != "bootstrap" and self.present_ is None
        self.expected_false_ = (
            expected_false(self.threshold_, self.mean_selected_, n_columns, len(chosen), pairs=pairs)
            if bound_holds
            else np.nan
        )
        self.support_ = self.frequency_ >= self.threshold_ - 1e-12
        self.clusters_: list[Cluster] | None = None
        names = list(getattr(self, "feature_names_in_", range(n_columns)))
        if self.interchangeable is not None:
            self._join(table, chosen, names)
        self.selected_ = [names[j] for j in table.order() if self.support_[j]]
        if not self.support_.any():
            warnings.warn(
                f"no column was chosen on {self.threshold_:.0%} of resamples (at most {self.frequency_.max():.0%}); "
                "give a lower threshold, or a selector that chooses more",
                TamisWarning,
                stacklevel=3,
            )

    def _frequency(self, chosen: np.ndarray) -> np.ndarray:
        if self.frequency_path_ is not None:
            return np.asarray(self.frequency_path_.max(axis=0))
        if self.present_ is not None:
            return np.asarray(chosen.sum(axis=0) / np.maximum(self.present_.sum(axis=0), 1))
        return np.asarray(chosen.mean(axis=0))

    def _threshold(self, n_columns: int, n_resamples: int) -> float:
        if self.combine == "union":
            return 1 / n_resamples
        if self.expected_false is None:
            return float(self.threshold)
        pairs = self.resample == "complementary"
        threshold = threshold_for(self.expected_false, self.mean_selected_, n_columns, n_resamples, pairs=pairs)
        if threshold is None:
            raise ParameterError(
                f"expected_false={self.expected_false:g} cannot be reached with {self.mean_selected_:.1f} of "
                f"{n_columns} columns chosen a resample; give a selector that chooses fewer, or a larger number"
            )
        return threshold

    def _join(self, table: Table, chosen: np.ndarray, names: list[Any]) -> None:
        """Clusters of interchangeable columns take the place of single ones."""
        rank = np.argsort(table.order())
        often = np.flatnonzero(chosen.any(axis=0))
        clusters = []
        support = np.zeros(len(rank), dtype=bool)
        for members in clusters_of(table, often, float(self.interchangeable or 1.0)):
            together = float(chosen[:, members].any(axis=1).mean())
            if together < self.threshold_ - 1e-12:
                continue
            ranked = sorted(members.tolist(), key=lambda j: (-self.frequency_[j], rank[j]))
            support[ranked[0]] = True
            clusters.append(Cluster(tuple(names[j] for j in ranked), together))
        self.support_ = support
        self.clusters_ = sorted(clusters, key=lambda c: (-c.frequency, str(c.columns[0])))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan, tags.input_tags.sparse = (
            takes(self.selector) if hasattr(self.selector, "fit") else (False, False)
        )
        tags.target_tags.required = True
        return tags


def _chosen(model: BaseEstimator, X: TableLike, y: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Mask of the columns that a selector (or a model's weights) chooses on some rows."""
    sample = take(X, rows=rows)
    try:
        fitted = clone(model).fit(sample, y[rows])
    except (TypeError, ValueError) as error:
        raise refused(model, sample, error) from error
    return column_weights(fitted, sample.shape[1]) != 0


def _with_noise(X: TableLike, size: float, rng: np.random.Generator) -> Any:
    """X with normal noise in its numeric columns, in units of their standard deviations."""
    table = Table.of(X)
    columns = {}
    for j in range(table.n_columns):
        column = table.column(j)
        draw = rng.normal(size=table.n_rows)
        if column.kind == "numeric" and not column.missing.all():
            columns[j] = replace(column, values=column.values + size * np.nanstd(column.values) * draw)
    return replaced(X, columns)


def _is_plain(table: Table) -> bool:
    if table.is_sparse or not table.is_numeric:
        return False
    values = table.numbers()
    if not np.isfinite(values).all():
        return False
    refuse_extreme(table)
    return True


@dataclass(frozen=True)
class Cluster(Interchangeable):
    """Interchangeable columns, the most often chosen first.

    Attributes
    ----------
    frequency : how often at least one of them was chosen.
    """

    frequency: float
