"""What additive models for classes and for numbers share."""

import copy
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.additive.data import MAX_BINS, AdditiveData
from tamis.additive.fit import FittedTerms, fit_terms, joined_curve
from tamis.additive.layout import SQUARED, AdditiveLimits, AdditiveTarget
from tamis.additive.steps import fewest_steps, joined_levels
from tamis.additive.term import Curve, PairMap, spread_of
from tamis.engine import seed_from, workers
from tamis.errors import ParameterError
from tamis.table import Table, features
from tamis.table.interface.takes_table import TakesMissing, parameters
from tamis.table.like import TableLike

N_FOLDS = 7  # bags are folds, drawn again after every seven: all rows are held out equally often
#: Newton step of a leaf, before the rate: where the probability of a class is next to 0, so is its curvature.
MAX_STEP = 10.0
MAX_TERMS = 256  # curves that a bag visits: of more columns those of the largest gain at the start
MAP_BINS = 20  # bins of a column in a pair map


@parameters
class BaseAdditive(TakesMissing, BaseEstimator):
    """What additive models for classes and for numbers share: fit, sums, contributions, reading, editing, saving."""

    max_columns: int | None = None
    max_pairs: int = 0
    monotone: dict[str, int] | None = None
    learning_rate: float = 0.2
    max_cycles: int = 2000
    n_bags: int = 14
    max_bins: int = 255
    min_samples_leaf: int = 2
    random_state: Any = 0
    n_jobs: int | None = None

    _sizes: Any = field(default=(), init=False)

    # -- fit ---------------------------------------------------------------------------------------------------------
    def _data(self, table: Table, codes: np.ndarray, sample_weight: ArrayLike) -> AdditiveData:
        bins = check.count("max_bins", self.max_bins, low=2, high=MAX_BINS)
        weight = check.weights(sample_weight, table.n_rows)
        return AdditiveData.of(table, codes.astype(np.float64), weight, bins, self.n_jobs)

    def fit_path(
        self, X: TableLike, y: ArrayLike, sizes: Sequence[int], sample_weight: ArrayLike | None = None
    ) -> dict[int, Any]:
        """Models of at most so many columns each, fitted together: size -> fitted model.

        Columns of a smaller model are those that backward elimination leaves of the next larger one. A model of k
        columns has at most k / 2 pair maps.
        """
        self._sizes = sorted({check.count("a size", size) for size in sizes}, reverse=True)
        try:
            self.fit(X, y, sample_weight)
            return dict(zip(self._sizes, self._path))
        finally:
            for name in ("_sizes", "_path"):
                self.__dict__.pop(name, None)

    def _fit_terms(
        self, table: Table, data: AdditiveData, target: AdditiveTarget, strata: np.ndarray
    ) -> list[FittedTerms]:
        n_bags = check.count("n_bags", self.n_bags, low=2)
        seed = seed_from(self.random_state)
        held_out = data.held_out(strata, n_bags, N_FOLDS, seed)
        limits = self._limits(table, target, seed)
        monotone = self._monotone(table, target)[data.columns]
        sizes = [min(size, table.n_columns) for size in self._sizes or [self._max_columns(table)]]
        return fit_terms(table, data, target, monotone, held_out, limits, sizes, workers(self.n_jobs))

    def _max_columns(self, table: Table) -> int:
        if self.max_columns is None:
            return table.n_columns
        return min(table.n_columns, check.count("max_columns", self.max_columns))

    def _limits(self, table: Table, target: AdditiveTarget, seed: int) -> AdditiveLimits:
        return AdditiveLimits(
            rate=check.number("learning_rate", self.learning_rate, low=0, open_low=True, high=1),
            max_step=np.finfo(np.float64).max if target.loss == SQUARED else MAX_STEP,
            min_leaf=float(check.count("min_samples_leaf", self.min_samples_leaf)),
            max_cycles=check.count("max_cycles", self.max_cycles),
            max_terms=MAX_TERMS,
            max_pairs=check.count("max_pairs", self.max_pairs, low=0),
            map_bins=MAP_BINS,
            seed=seed & 0xFFFFFFFF,
        )

    def _monotone(self, table: Table, target: AdditiveTarget) -> np.ndarray:
        """1, -1 or 0 for every column of the table."""
        directions = check.monotone(self.monotone, table.names, lambda j: table.column(j).is_categorical)
        check.one_answer(directions, n_classes=target.n_sums)
        return directions if len(directions) else np.zeros(table.n_columns, dtype=np.int8)

    def _held_out(self, fitted: FittedTerms, unit: float, mean: float) -> np.ndarray:
        """Predictions of the training rows by the bags that held them out."""
        raise NotImplementedError

    def _take_path(self, path: list[FittedTerms], table: Table, unit: float = 1.0, offset: float = 0.0) -> Any:
        """The model of the first size, with those of the others where several were asked for."""
        models = []
        for fitted in reversed(path):
            model = copy.copy(self) if fitted is not path[0] else self
            model._take(fitted, table, unit, offset)
            model.cv_predictions_ = model._held_out(fitted, unit, offset)
            models.append(model)
        if self._sizes:
            self._path = [copy.copy(model) for model in reversed(models)]
            for model in self._path:
                model.__dict__.pop("_sizes", None)
                model.__dict__.pop("_path", None)
        return self

    def _take(self, fitted: FittedTerms, table: Table, unit: float = 1.0, offset: float = 0.0) -> None:
        """Remember the terms, in units of the target."""
        curves = [_scaled(curve, unit) for curve in fitted.curves]
        pairs = [_scaled(pair, unit) for pair in fitted.pairs]
        self.curves_ = {curve.column: curve for curve in curves}
        self.pairs_ = {pair.columns: pair for pair in pairs}
        self.intercept_ = _shaped(fitted.intercept * unit + offset)
        self.curvature_ = {name: value / unit**2 for name, value in fitted.curvature.items()}
        self.n_cycles_ = fitted.n_cycles
        self.edits_: list[dict[str, Any]] = []
        self._weigh(table.n_columns)

    def _weigh(self, n_columns: int) -> None:
        out = np.zeros(n_columns)
        for term in self._terms():
            axes = (term.axis,) if isinstance(term, Curve) else term.axes
            for axis in axes:
                out[axis.index] += spread_of(term) / len(axes)
        total = np.sort(out).sum()  # in an order that does not depend on the columns'
        self.feature_importances_ = out / total if total > 0 else out

    # -- predictions -------------------------------------------------------------------------------------------------
    def _terms(self) -> list[Any]:
        return [*self.curves_.values(), *self.pairs_.values()]

    @property
    def _n_sums(self) -> int:
        return int(np.size(self.intercept_))

    def _added(self, X: TableLike) -> tuple[int, list[np.ndarray]]:
        """Number of rows; what each term adds to the sums: rows × sums."""
        check_is_fitted(self, "curves_")
        table = features(self, X, reset=False, sparse_ok=True)
        columns = _Columns(table)
        added = []
        for term in self._terms():
            heights = term.heights.reshape(*term.weight.shape, -1)
            added.append(heights[term.bins(columns)])
        return table.n_rows, added

    def _sums(self, X: TableLike) -> np.ndarray:
        """intercept + Σ f_j + Σ f_jk: rows × sums."""
        n_rows, added = self._added(X)
        out = np.tile(np.atleast_1d(self.intercept_).astype(np.float64), (n_rows, 1))
        for contribution in added:
            out += contribution
        return out

    def contributions(self, X: TableLike) -> np.ndarray:
        """What each term adds to each row's sum: rows × terms, or rows × terms × classes of more than two.

        Terms are in the order of `term_names_`. With `intercept_` they add up to the linear predictor: the predicted
        number, the logarithm of the predicted count, the log odds, or one number per class before the softmax.
        """
        n_rows, added = self._added(X)
        out = np.zeros((n_rows, len(added), self._n_sums))
        for t, contribution in enumerate(added):
            out[:, t] = contribution
        return out[:, :, 0] if self._n_sums == 1 else out

    @property
    def term_names_(self) -> list[str]:
        """Names of curves and pair maps, widest first: "age", "age × height"."""
        check_is_fitted(self, "curves_")
        return [" × ".join(term.columns) for term in self._terms()]

    @property
    def selected_columns_(self) -> tuple[str, ...]:
        """Columns that the model uses, in the order of the table."""
        check_is_fitted(self, "curves_")
        used = {name for term in self._terms() for name in term.columns}
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return tuple(str(name) for name in names if str(name) in used)

    @property
    def complexity_(self) -> dict[str, int]:
        """How much there is to read: numbers of `curves`, `pairs`, `columns` and `steps` of all curves."""
        check_is_fitted(self, "curves_")
        return {
            "curves": len(self.curves_),
            "pairs": len(self.pairs_),
            "columns": len(self.selected_columns_),
            "steps": sum(curve.n_steps for curve in self.curves_.values()),
        }

    # -- reading -----------------------------------------------------------------------------------------------------
    def simplified(self, penalty: float = 2.0) -> Any:
        """The model with every curve cut to its fewest steps: a new model.

        A step stays where joining it with a neighbour would raise the deviance by more than `penalty`; 2 is Akaike's
        price of a parameter. Pair maps stay as they are.
        """
        check_is_fitted(self, "curves_")
        cost = check.number("penalty", penalty, low=0)
        model = copy.deepcopy(self)
        for name, curve in self.curves_.items():
            n = curve.axis.n_values
            heights, spread = (values.reshape(n + 1, -1) for values in (curve.heights, curve.spread))
            hessian = self.curvature_[name]
            cut = joined_levels if curve.axis.is_categorical else fewest_steps
            groups = cut(heights[:n], hessian[:n], cost)
            model.curves_[name], model.curvature_[name] = joined_curve(curve, groups, hessian, heights, spread)
        return model

    def to_table(self, penalty: float = 2.0) -> dict[str, list[Any]]:
        """The curves as a table of few steps: a dict of columns, for any data frame.

        `column`, `values` in words, `low` and `high` (of numbers; a value equal to `high` belongs to the step), `adds`
        (or one column per class), `rows` (training rows, by weight). Steps are those of :meth:`simplified`.
        """
        from tamis.additive.to_table import table_of

        return table_of(self.simplified(penalty))

    def to_text(self, penalty: float = 2.0) -> str:
        """The intercept and the table of :meth:`to_table` as text."""
        from tamis.additive.to_table import text_of

        return text_of(self.simplified(penalty))

    def plot(self, columns: Any = None, **options: Any) -> Any:
        """Curves as steps with a band of two standard deviations over bags, pair maps as coloured cells: a Bokeh grid.

        columns : names of columns; None: all. Options go to every figure.
        """
        from tamis.additive.figure import figures_of

        check_is_fitted(self, "curves_")
        return figures_of(self, columns, **options)

    # -- editing -----------------------------------------------------------------------------------------------------
    def edit_curve(
        self,
        column: str,
        height: Any,
        *,
        low: float | None = None,
        high: float | None = None,
        levels: Any = None,
        missing: bool = False,
        reason: str = "",
    ) -> Any:
        """Set a curve by hand, on low < x ≤ high, on some levels, or for missing values; returns the model.

        Every edit is recorded in `edits_`, with the heights before it, and saved with the model.

        height : a number, or one per class of more than two.
        reason : why; it is recorded.
        """
        from tamis.additive.edit import edited

        check_is_fitted(self, "curves_")
        if column not in self.curves_:
            hint = check.nearest(column, self.curves_)
            raise ParameterError(f"the model has no curve of the column {column!r}{hint}; give one of its curves")
        curve, hessian, record = edited(
            self.curves_[column], self.curvature_[column], height, low, high, levels, missing, reason
        )
        self.curves_[column], self.curvature_[column] = curve, hessian
        self.edits_.append(record)
        self._weigh(self.n_features_in_)
        return self

    # -- saving ------------------------------------------------------------------------------------------------------
    def to_dict(self) -> dict[str, Any]:
        """The fitted model as plain values that JSON holds; `from_dict` brings it back exactly."""
        from tamis.additive.save import plain

        check_is_fitted(self, "curves_")
        return plain(self)

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Any:
        """The fitted model that `to_dict` wrote."""
        from tamis.additive.save import model_of

        return model_of(cls, saved)


class _Columns:
    """Columns of a table by position, made when asked for: a model of 12 columns reads 12 of 7,000."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __getitem__(self, index: int) -> Any:
        return self.table.column(index)


def _scaled(term: Curve | PairMap, unit: float) -> Any:
    if isinstance(term, Curve):
        return Curve(term.axis, term.heights * unit, term.spread * unit, term.weight)
    return PairMap(term.axes, term.heights * unit, term.weight, term.p_value)


def _shaped(intercept: np.ndarray) -> Any:
    return float(intercept[0]) if len(intercept) == 1 else intercept
