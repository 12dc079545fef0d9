"""Selection with a bound on false columns: each column against a knockoff, a copy made without the target."""

import warnings
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone

from tamis import check
from tamis.engine import generator, seed_from, seed_of
from tamis.errors import KindError, TamisWarning
from tamis.search.estimator_input import refuse_holes, refused, shown_to, takes
from tamis.search.knockoffs.latent import LatentTable, correlation, gaussian_knockoffs
from tamis.search.target import codes_or_numbers
from tamis.search.weights import column_weights
from tamis.table import Column, Table, eager, features, refuse_extreme, same_length
from tamis.table.interface.selector import TableSelector
from tamis.table.interface.takes_table import parameters, takes_table
from tamis.table.like import TableLike
from tamis.typing import RandomState


@parameters
class KnockoffSelector(MetaEstimatorMixin, TableSelector, BaseEstimator):
    r"""Columns that matter given all others, with a bound on the share of false ones among them.

    Each column gets a knockoff: a copy that goes with the other columns as the original does, made without looking at
    the target. A model is fitted on columns and knockoffs; with the importance I of both,

    .. math:: W_j = I_j - \tilde I_j, \qquad
        \tau = \min\Bigl\{t > 0 : \frac{1 + \#\{j : W_j \le -t\}}{\#\{j : W_j \ge t\}} \le \text{fdr}\Bigr\},

    the columns with :math:`W_j \ge \tau` are selected (knockoff+). A column that is independent of the target, given
    the others, is as often below its knockoff as above; so those below tell how many above are false, and the expected
    share of false columns among the selected is at most `fdr`.

    Knockoffs are second order, of a Gaussian copula: a number is the normal score of its rank, a level of a category
    or of equal numbers an interval of a normal variable, "missing or not" a normal variable of its own, so knockoffs
    have holes as the columns do; correlations are shrunk after Ledoit and Wolf. The bound is exact if the columns
    follow such a distribution, and approximate otherwise: strong dependence that no correlation of ranks shows is not
    copied.

    At least 1 / fdr columns are selected, or none: a table with fewer columns that matter needs a larger `fdr`, or
    `offset=0`, which bounds a modified rate only.

    Parameters
    ----------
    estimator : a model with `coef_` (whose absolute value counts) or `feature_importances_`; by default a lasso, its
        penalty by the smallest cross-validated error. Its missing values are the mean, with a column of 0 and 1 beside
        each column with holes; both count for that column.
    fdr : bound on the expected share of false columns among the selected.
    offset : 1 (knockoff+), or 0.
    random_state : seed of the knockoffs and of the model.
    n_jobs : given to the default lasso.

    Attributes
    ----------
    support_, selected_ : mask and names (or positions) of the selected columns.
    statistic_ : W of each column.
    threshold_ : τ; infinite where none is selected.

    References
    ----------
    Candès, Fan, Janson, Lv (2018), Panning for gold: model-X knockoffs for high dimensional controlled variable
    selection, Journal of the Royal Statistical Society B 80. Spector, Janson (2022), Powerful knockoffs via minimizing
    reconstructability, Annals of Statistics 50.

    >>> import numpy as np
    >>> random = np.random.default_rng(1)
    >>> X = random.normal(size=(300, 20))
    >>> y = X[:, :10].sum(axis=1) + random.normal(size=300)
    >>> KnockoffSelector(fdr=0.1).fit(X, y).selected_
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """

    estimator: BaseEstimator | None = field(default=None, kw_only=False)
    fdr: float = 0.1
    offset: int = 1
    random_state: RandomState = 0
    n_jobs: int | None = None

    def fit(self, X: TableLike, y: ArrayLike | None = None, **options: Any) -> "KnockoffSelector":
        """Make knockoffs of the columns, fit the model on both, and select."""
        check.no_options(self, options)
        check.number("fdr", self.fdr, low=0, high=1, open_low=True, open_high=True)
        check.count("offset", self.offset, low=0, high=1)
        if self.estimator is not None and (not hasattr(self.estimator, "fit") or isinstance(self.estimator, type)):
            raise KindError(f"estimator={self.estimator!r} cannot be fitted; give a model with coef_")
        table = features(self, eager(X), reset=True, min_rows=2)
        if self.estimator is not None:
            refuse_holes(self.estimator, table)
        refuse_extreme(table)
        target, classes = codes_or_numbers(self.estimator, y)
        same_length(table, target)
        order, seed = table.order(), seed_from(self.random_state)
        doubled = _with_knockoffs(table.select(order.tolist()), generator(seed, "knockoffs"))
        model = self._model(classes, seed)
        holes, gaps = _gaps(doubled) if self.estimator is None else ([], [])
        model_input: Any = Table([*doubled.columns, *gaps], n_rows=doubled.n_rows)
        if not takes_table(model):
            model_input = model_input.numbers() if model_input.is_numeric else shown_to(model, model_input, model_input)
        try:
            weight = column_weights(model.fit(model_input, target), doubled.n_columns + len(gaps))
        except (TypeError, ValueError) as error:
            raise refused(model, table, error) from error
        d = table.n_columns
        weight[holes] += weight[2 * d :]
        self.statistic_ = np.empty(d)
        self.statistic_[order] = weight[:d] - weight[d : 2 * d]
        self.threshold_ = _threshold(self.statistic_, float(self.fdr), int(self.offset))
        self.support_ = self.statistic_ >= self.threshold_
        self.selected_ = self._names_of_support(order)
        if not self.support_.any():
            warnings.warn(
                f"no column is selected at fdr={self.fdr:g}: at least {int(np.ceil(1 / self.fdr))} columns would have "
                "to exceed their knockoffs; give a larger fdr",
                TamisWarning,
                stacklevel=2,
            )
        return self

    def _model(self, classes: bool, seed: int) -> Any:
        from tamis.linear import LinearClassifier, LinearRegressor

        if self.estimator is None:
            model_class = LinearClassifier if classes else LinearRegressor
            return model_class(rule="min", cv=5, missing="mean", n_jobs=self.n_jobs)
        model = clone(self.estimator)
        if "random_state" in model.get_params(deep=False):
            model.set_params(random_state=seed_of(seed, "model") % (1 << 31))
        return model

    def _takes_nan(self) -> bool:
        return self.estimator is None or (hasattr(self.estimator, "fit") and takes(self.estimator)[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_nan()
        tags.target_tags.required = True
        return tags


def _with_knockoffs(table: Table, rng: np.random.Generator) -> Table:
    """The columns, then their knockoffs; named by number, so that no name is there twice."""
    d = table.n_columns
    latent = LatentTable(table, rng)
    names = [f"{j:07d}" for j in range(2 * d)]
    copies = latent.table(gaussian_knockoffs(latent.Z, correlation(latent.Z), rng), names[d:])
    originals = [replace(column, name=name) for column, name in zip(latent.columns, names)]
    return Table([*originals, *(copies.column(j) for j in range(d))], n_rows=table.n_rows)


def _gaps(table: Table) -> tuple[list[int], list[Column]]:
    """Columns with holes, and for each a column of 0 and 1 that says where they are."""
    holes = [j for j in range(table.n_columns) if table.column(j).missing.any()]
    return holes, [Column(f"{j:07d} missing", "numeric", table.column(j).missing.astype(np.float64)) for j in holes]


def _threshold(statistic: np.ndarray, fdr: float, offset: int) -> float:
    """τ, as in the docstring of the class.

    >>> _threshold(np.array([5.0, 4.0, 3.0, -2.0, 1.0]), 0.4, 1)
    3.0
    """
    for t in np.unique(np.abs(statistic[statistic != 0])):
        if offset + (statistic <= -t).sum() <= fdr * max(1, (statistic >= t).sum()):
            return float(t)
    return float("inf")
