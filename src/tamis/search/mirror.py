"""Selection by out-of-bag importance: the negative importances, mirrored at 0, are the null distribution."""

from collections.abc import Iterable
from dataclasses import field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.engine import generator, seed_from
from tamis.errors import DamagedError, KindError, ParameterError
from tamis.forest.predict.temperature import calibrated
from tamis.forest.settings import columns_to_try
from tamis.saved import levels, read_integer, reading, text, texts
from tamis.search.resampling.halving import FEWEST, Halving, halved, halvings
from tamis.table import Classes, Table, features, is_class_target
from tamis.table.interface.selector import TableSelector
from tamis.table.interface.takes_table import parameters
from tamis.table.interface.target import category_order
from tamis.table.like import TableLike
from tamis.typing import RandomState

MOST_LISTED = 20
TREES = 200
MOST_TRIED = (
    100  # columns at a split that are chosen; of 3,281 columns twice and four times 57 took twice the time for less
)

#: Tables of more columns are halved by "auto": of fewer, readers have no wish for less.
MANY_COLUMNS = 20

#: A forest whose columns are to be halved has half of the trees: it only ranks. Over 13 tables of more than 20
#: columns, split twice, what predicts has a mean loss of 0.1750, with all trees 0.1753, in three quarters of the time.
RANKING = 2

#: Of more columns than rows all trees rank, for half of them ask about too few columns, and halving leaves this share
#: of the table's columns at least: few rows cannot tell by how much fewer columns are worse, and the columns that noise
#: does not exceed are few already. Over six tables of 53 to 210 rows (`benchmarks/search/halving.py`, six splits) both
#: take the mean loss from 0.274 to 0.257 and the score from 0.801 to 0.829 (all trees alone: 0.268, 0.827).
LEFT_OF_WIDE = 0.25

_FORESTS = ("ForestClassifier", "ForestRegressor")


def _smaller(forest: BaseEstimator, times: int) -> Any:
    """The same forest of so many times fewer trees, unfitted."""
    return clone(forest).set_params(n_estimators=max(1, forest.n_estimators // times))


def _halves(halvings: Any) -> float:
    """How often columns are halved: a multiple of a half."""
    way_out = "give 0, 0.5, 1, … or 'auto'"
    if isinstance(halvings, (bool, np.bool_)) or not isinstance(halvings, Real):
        raise KindError(f"halvings={halvings!r} is no number of halvings; {way_out}")
    value = float(halvings)
    if not 0 <= value < np.inf:
        raise ParameterError(f"halvings={halvings!r} is out of range; {way_out}")
    if (2 * value) % 1:
        raise ParameterError(f"halvings={halvings!r} is no multiple of 0.5; {way_out}")
    return value


def _is_calibrated(forest: BaseEstimator) -> bool:
    return getattr(forest, "calibration", None) is not None


def _gives_shares(selector: "MirrorSelector") -> bool:
    fitted = getattr(selector, "estimator_", selector.estimator)
    if fitted is not None and not hasattr(fitted, "predict_proba"):
        raise AttributeError(f"{type(fitted).__name__} predicts numbers and has no probabilities")
    return True


def _gives_intervals(selector: "MirrorSelector") -> bool:
    fitted = getattr(selector, "estimator_", selector.estimator)
    if fitted is not None and not hasattr(fitted, "predict_interval"):
        raise AttributeError(f"{type(fitted).__name__} predicts classes and has no intervals")
    return True


@parameters
class MirrorSelector(MetaEstimatorMixin, TableSelector, BaseEstimator):
    r"""Keep the columns whose out-of-bag importance exceeds the largest expected of noise; refit a forest on them.

    .. math:: \text{support} = \{ j : I_j > r \}, \qquad r = \max(0, -\min_j I_j),

    where I_j is the decrease in impurity by column j on rows that a tree did not see. The importance of a column
    without information is distributed symmetrically about 0, so the negative importances, with their signs turned, are
    a sample of the null distribution, and r is its largest value. Where no column exceeds r, the one of largest
    importance is kept. As in scikit-learn's RFE the model is fitted again on the columns kept, and predicts.

    The smallest leaf, the number of columns tried at a split and, where several are given, the kind of thresholds are
    chosen by the forest's out-of-bag score (Brier, or squared error; see `tune` of the forest), with all columns; the
    leaf, from there on upwards, again with those kept: few weak columns want large leaves, or single rows are learned
    by heart. Anything else the second choice could not be trusted with: rows out of the bag had a say in which columns
    were kept, so the score flatters (noise, 40 rows and 1,000 columns: Brier 0.31 out of the bag, 0.63 on fresh rows).

    Parameters
    ----------
    estimator : a `ForestClassifier` or `ForestRegressor`; by default one of 200 trees, as the target asks for.
    leaves : smallest leaves to try, in rows that a tree draws; a single one is taken as it is.
    features : columns tried at a split, in multiples of what the estimator's `max_features` asks for; as `leaves`. More
        than 100 are not tried unless the first asks for them.
    thresholds : kinds of thresholds to try, as in ("best", "random"); None is the estimator's own.
    halvings : how often the columns kept are halved, by importance, each time with a forest of the better half; a last
        half of a halving, as in 1.5, leaves 0.71 of them; "auto", for tables of more than 20 columns, as often as 99%
        of the gain over a constant answer is kept on rows that had no say (`search.resampling.halving`); of more
        columns than rows no further than to a quarter of them.
    most_drawn : rows a tree draws at most: more make each tree dearer, and the forest hardly better. As many of the
        others judge it.
    most_rows : of more rows than these, so many are drawn at random, and the others are not looked at.
    temperature : of a classifier with `calibration="temperature"`; None chooses it: by the rows that judged halvings,
        at the columns kept, else out of the bag. Where columns were left out, rows out of the bag had a say in that and
        flatter; the temperature of the forest of all columns is taken if that is less sure.
    random_state : seed of the trees; None leaves the estimator's own.
    n_jobs : threads; None leaves the estimator's own.

    Attributes
    ----------
    support_, selected_columns_ : mask and names (x0, x1, … without names) of the columns kept, the latter sorted.
    importances_ : out-of-bag decrease in impurity by each column, in the forest of all columns.
    reach_ : r, the largest importance of the mirrored null distribution.
    estimator_ : the forest of the columns kept, in the order of their names.
    oob_predictions_of_all_ : out-of-bag answers of the forest of all columns; NaN for rows not looked at.
    oob_predictions_ : the same of the forest that predicts; they flatter where columns were left out.
    min_samples_leaf_, features_, thresholds_ : the smallest leaf, the multiple of `max_features`, and the kind of
        thresholds that were chosen.
    halvings_ : how often the columns kept were halved; 0.71 of them are left by half of a halving.
    temperature_ : of a classifier with a calibration, what its shares are calibrated with.
    halving_ : where "auto" judged it, `columns` and `answers` of held-out rows at every step; else None.
    chosen_parameters_ : parameters of a clone that is to be judged in folds, not used: what was chosen here, and half
        the trees (their mean answer scatters a little more: of 100 trees the Brier score is larger by about 0.001).
    classes_ : of a classifier.

    References
    ----------
    Janitza, Celik, Boulesteix (2018), A computationally fast variable importance test for random forests for
    high-dimensional data, Advances in Data Analysis and Classification 12.

    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(200, 6))
    >>> MirrorSelector().fit(X, X[:, 1] + X[:, 4] > 0).selected_columns_
    ('x1', 'x4')
    """

    estimator: BaseEstimator | None = field(default=None, kw_only=False)
    leaves: Any = (1, 5, 20, 100)
    features: Any = (1, 2, 4, 8)
    thresholds: Any = None
    halvings: float | str = 0
    most_drawn: int = 20_000
    most_rows: int = 100_000
    temperature: float | None = None
    random_state: RandomState = None
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any = None, *, exposure: Any = None, **options: Any) -> "MirrorSelector":
        """Fit a forest on all columns, choose columns by their importances, and fit a forest on those.

        Parameters
        ----------
        exposure : of rates y, how long or how much each row was observed: what a row counts in forests and losses. Not
            weights of copies: out of the bag a row that counts twice differs from a row that is given twice.
        """
        check.no_options(self, options)
        leaves, multiples = self._ascending("leaves"), self._ascending("features")
        check.count("most_drawn", self.most_drawn)
        if self.temperature is not None:
            check.number("temperature", self.temperature, low=0, open_low=True)
        if self.halvings != "auto":
            _halves(self.halvings)
        table = features(self, X, reset=True, min_rows=2)
        n_rows = table.n_rows
        model = self._model(y)
        labels = None
        if category_order(y) is not None and is_classifier(model):  # parts of the rows keep the order as codes
            y, labels = (classes := Classes.of(y)).codes, classes.labels
        if self.temperature is not None and not _is_calibrated(model):
            raise ParameterError(
                f"temperature={self.temperature!r} has no effect on a {type(model).__name__} that is not calibrated; "
                "leave it out, or give ForestClassifier(calibration='temperature')"
            )
        kinds = self._kinds(model)
        weight = None if exposure is None else self._weight(exposure, model, n_rows)
        rows = self._rows(table, y, model.random_state)
        if rows is not None:
            table, y, weight = table.take(rows), np.asarray(y)[rows], None if weight is None else weight[rows]
        order = self._order = table.order()
        ordered = table if (order == np.arange(table.n_columns)).all() else table.select(order.tolist())
        ranks_only = self.halvings == "auto" and table.n_columns > MANY_COLUMNS
        is_wide = table.n_columns > table.n_rows
        ranking = _smaller(model, RANKING) if ranks_only and not is_wide else model
        first = self._grown(ranking, ordered, y, weight, (leaves, multiples, kinds))
        importances = first.impurity_importance_
        self.reach_ = max(0.0, -float(importances.min()))
        selected = np.flatnonzero(importances > self.reach_)
        if not len(selected):  # no column exceeds the null distribution: keep the first, for a forest needs one
            selected = np.array([int(np.argmax(importances))])
        self.importances_ = np.empty(table.n_columns)
        self.importances_[order] = importances
        strong = ordered.select(selected.tolist())
        selected = selected[self._halved(model, strong, y, weight, importances[selected], table.n_columns)]
        if len(selected) == table.n_columns and not ranks_only:
            self.estimator_ = first
        else:
            larger = [leaf for leaf in leaves if leaf >= self.min_samples_leaf_]
            chosen = larger, [self.features_], [self.thresholds_]
            self.estimator_ = self._grown(model, ordered.select(selected.tolist()), y, weight, chosen)
        self.support_ = np.zeros(table.n_columns, dtype=bool)
        self.support_[order[selected]] = True
        self.__dict__.pop("temperature_", None)
        if _is_calibrated(self.estimator_):
            self.temperature_ = self.estimator_.temperature_ = self._temperature(first, y)
        if labels is not None:
            self.estimator_.classes_ = labels
        self._remember(tuple(ordered.names[j] for j in selected))
        self._remember_out_of_bag(first, rows, n_rows)
        return self

    def _weight(self, exposure: Any, model: Any, n_rows: int) -> np.ndarray:
        """Exposures as weights of rows."""
        if is_classifier(model):
            raise ParameterError("exposure is for rates, and the forest predicts classes; leave it out")
        return np.asarray(check.weights(exposure, n_rows, keep_scale=True))

    def _halved(
        self, model: Any, table: Table, y: Any, weight: np.ndarray | None, importance: np.ndarray, n_columns: int
    ) -> np.ndarray:
        """Places of the columns that are left after halving; forests of a quarter of the trees rank and judge them."""
        chosen = [self.min_samples_leaf_], [self.features_], [self.thresholds_]
        small = _smaller(model, 4)
        if _is_calibrated(small):  # by the rows that judge, and not by those that ranked the columns
            small.set_params(calibration=None)

        def grown(subset: Table, target: Any, weight: Any) -> Any:
            return self._grown(small, subset, target, weight, chosen)

        n = self.halvings
        self.halving_: Halving | None = None
        if n == "auto":
            if n_columns > MANY_COLUMNS:
                seed, is_wide = seed_from(model.random_state), n_columns > table.n_rows
                fewest = max(FEWEST, int(LEFT_OF_WIDE * n_columns)) if is_wide else FEWEST
                self.halving_ = halvings(table, y, grown, seed, _is_calibrated(model), fewest, weight)
            n = self.halving_.n_halvings if self.halving_ else 0
        steps = halved(importance, table, y, grown, float(n), weight=weight)
        halving_columns = [columns for columns, _ in steps]
        self.halvings_ = min(float(n), len(halving_columns))
        return halving_columns[-1] if halving_columns else np.arange(table.n_columns)

    def _temperature(self, first: Any, y: Any) -> float:
        """What the shares of the forest that predicts are calibrated with; `first` has all columns."""
        if self.temperature is not None:
            return float(self.temperature)
        if self.halving_ is not None and self.halving_.answers:
            shares, target = self.halving_.answers[self.halving_.chosen_step], np.asarray(y)
            codes = np.unique(target, return_inverse=True)[1]
            return calibrated(shares, codes, np.ones(len(codes))).temperature
        return max(first.temperature_, self.estimator_.temperature_)

    def _remember_out_of_bag(self, first: Any, rows: np.ndarray | None, n_rows: int) -> None:
        """Out-of-bag answers of both forests, NaN for rows that were not looked at."""
        for name, forest in (("oob_predictions_of_all_", first), ("oob_predictions_", self.estimator_)):
            answers = getattr(forest, "oob_decision_function_", None)
            answers = forest.oob_prediction_ if answers is None else answers
            if rows is not None:
                drawn_answers, answers = answers, np.full((n_rows, *answers.shape[1:]), np.nan)
                answers[rows] = drawn_answers
            setattr(self, name, answers)

    def _rows(self, table: Table, y: Any, random_state: Any) -> np.ndarray | None:
        """`most_rows` rows drawn at random, with a row of every class; None where all are looked at."""
        max_rows = check.count("most_rows", self.most_rows, low=2)
        if y is None or table.n_rows <= max_rows:
            return None
        target = np.asarray(y)
        rows = generator(seed_from(random_state), "rows").permutation(table.n_rows)
        chosen = np.zeros(table.n_rows, dtype=bool)
        chosen[rows[:max_rows]] = True
        if target.dtype.kind != "f":  # a rare class stays
            chosen[rows[np.unique(target[rows], return_index=True)[1]]] = True
        return np.flatnonzero(chosen)

    def _ascending(self, name: str) -> list[int]:
        values = getattr(self, name)
        numbers = [check.count(name, value) for value in (values if isinstance(values, Iterable) else [values])]
        if not numbers or sorted(set(numbers)) != numbers:
            raise KindError(f"{name}={values!r} must be whole numbers that grow, as in (1, 5, 20); give one or several")
        return numbers

    def _kinds(self, model: BaseEstimator) -> list[str]:
        """The kinds of thresholds to try, in their order."""
        thresholds = model.thresholds if self.thresholds is None else self.thresholds
        listed = (
            [thresholds] if isinstance(thresholds, str) or not isinstance(thresholds, Iterable) else list(thresholds)
        )
        if not listed:
            raise KindError(f"thresholds={thresholds!r} names no kind; give 'best', 'random' or both")
        return [check.one_of("thresholds", kind, ("best", "random")) for kind in listed]

    def _model(self, y: ArrayLike) -> Any:
        """The forest to be grown, every setting but the leaf."""
        from tamis.forest import ForestClassifier, ForestRegressor

        if self.estimator is None:
            forest = (ForestClassifier if y is not None and is_class_target(y) else ForestRegressor)(TREES)
        elif type(self.estimator) in (ForestClassifier, ForestRegressor):
            forest = clone(self.estimator)
        else:
            raise KindError(
                f"estimator={self.estimator!r} has no importances that noise takes below 0; give a ForestClassifier or "
                "a ForestRegressor"
            )
        if self.random_state is not None:
            forest.set_params(random_state=seed_from(self.random_state) % (1 << 31))
        forest.set_params(oob_score=True, progress=False)
        return forest if self.n_jobs is None else forest.set_params(n_jobs=self.n_jobs)

    def _grown(
        self, model: Any, table: Table, y: Any, weight: Any, grid: tuple[list[int], list[int], list[str]]
    ) -> Any:
        """The forest of the leaf, the columns tried at a split and the thresholds that do best out of the bag."""
        leaves, multiples, kinds = grid
        d = table.n_columns
        single = columns_to_try(model.max_features, d)
        tried = sorted({min(d, single * multiple) for multiple in multiples})
        tried = [n for n in tried if n <= MOST_TRIED] or tried[:1]
        forest = clone(model).set_params(max_features=tried[0], min_samples_leaf=leaves[0], thresholds=kinds[0])
        if len(leaves) > 1 or len(tried) > 1 or len(kinds) > 1:
            forest.set_params(tune={"max_features": tried, "min_samples_leaf": leaves, "thresholds": kinds})
        if table.n_rows > self.most_drawn and forest.max_samples is None:
            forest.set_params(max_samples=self.most_drawn, max_oob_samples=self.most_drawn)
        forest.fit(table, y, weight)
        self.min_samples_leaf_ = int(getattr(forest, "min_samples_leaf_", leaves[0]))
        self.thresholds_ = str(getattr(forest, "thresholds_", kinds[0]))
        max_features = getattr(forest, "max_features_", tried[0])
        self.features_ = next(multiple for multiple in multiples if min(d, single * multiple) == max_features)
        return forest

    @property
    def selected_columns_(self) -> tuple[str, ...]:
        """Names of the columns kept, sorted: those that `estimator_` was fitted on, in its order."""
        check_is_fitted(self, "estimator_")
        return self._selected_names

    def _remember(self, names: tuple[str, ...]) -> None:
        self._selected_names = tuple(str(name) for name in names)
        self.chosen_parameters_: dict[str, Any] = {"leaves": self.min_samples_leaf_, "features": self.features_}
        self.chosen_parameters_["thresholds"] = self.thresholds_
        self.chosen_parameters_["halvings"] = self.halvings_
        if hasattr(self, "temperature_"):
            self.chosen_parameters_["temperature"] = self.temperature_
        if self.estimator is not None:
            self.chosen_parameters_["estimator__n_estimators"] = max(1, self.estimator_.n_estimators // 2)
        self.__dict__.pop("classes_", None)
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_

    def predict(self, X: TableLike) -> np.ndarray:
        """What the forest of the columns kept predicts."""
        selected = self._selected_table(X)
        return np.asarray(self.estimator_.predict(selected))

    @available_if(_gives_shares)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Mean share of each class."""
        selected = self._selected_table(X)
        return np.asarray(self.estimator_.predict_proba(selected))

    @available_if(_gives_intervals)
    def predict_interval(self, X: TableLike, coverage: float = 0.95) -> np.ndarray:
        """Ends of an interval that holds a new number with the probability `coverage`."""
        selected = self._selected_table(X)
        return np.asarray(self.estimator_.predict_interval(selected, coverage))

    def score(self, X: TableLike, y: ArrayLike) -> float:
        """The forest's score: accuracy, or R²."""
        selected = self._selected_table(X)
        return float(self.estimator_.score(selected, y))

    def _selected_table(self, X: TableLike) -> Table:
        check_is_fitted(self, "estimator_")
        table = features(self, X, reset=False)
        return table.select(list(self.selected_columns_))

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of the importance of each column in the forest that predicts; 0 for columns left out."""
        check_is_fitted(self, "estimator_")
        out = np.zeros(len(self._order))
        out[self._order[self.support_[self._order]]] = self.estimator_.feature_importances_
        return out

    def to_text(self) -> str:
        """The columns by their share of the forest's importance."""
        share, names = self.estimator_.feature_importances_, self.selected_columns_
        order = np.argsort(-share, kind="stable")
        lines = [f"  {share[j]:6.1%}  {names[j]}" for j in order[:MOST_LISTED]]
        more = len(names) - MOST_LISTED
        lines += [f"  and {more:,} more"] if more > 0 else []
        columns = "1 column" if len(names) == 1 else f"{len(names):,} columns"
        trees = f"{len(self.estimator_.trees_.roots) - 1} trees"
        return "\n".join([f"the mean answer of {trees} on {columns}, by share of importance:", *lines])

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back; the trees are the file of the forest, packed."""
        from tamis.forest.packed import packed

        fitted_names = getattr(self, "feature_names_in_", None)
        return {
            "kind": type(self.estimator_).__name__,
            "named": fitted_names is not None,
            "names": [f"x{j}" for j in range(self.n_features_in_)] if fitted_names is None else list(fitted_names),
            "columns": list(self.selected_columns_),
            "levels": [[name, list(fitted_names)] for name, fitted_names in self.levels_in_.items()],
            "trees": self.estimator_.n_estimators,
            "most_drawn": self.most_drawn,
            "leaf": self.min_samples_leaf_,
            "features": self.features_,
            "thresholds": self.thresholds_,
            "halvings": self.halvings_,
            "forest": packed(self.estimator_),
        }

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> "MirrorSelector":
        """The model that `to_dict` described: it predicts; the importances of the first forest are not kept."""
        from tamis import forest
        from tamis.forest.packed import MOST_ROWS, MOST_TREES, unpacked

        kind = getattr(forest, check.one_of("kind", facts["kind"], _FORESTS))
        columns, names = texts("columns", facts["columns"]), texts("names", facts["names"])
        trees = check.count("trees", read_integer("trees", facts["trees"]), high=MOST_TREES)
        drawn = check.count("most_drawn", read_integer("most_drawn", facts["most_drawn"]), high=MOST_ROWS)
        selector = cls(kind(trees), most_drawn=drawn)
        selector.min_samples_leaf_ = read_integer(
            "leaf", facts.get("leaf", 1), low=1
        )  # files written before this lack both
        selector.features_ = read_integer("features", facts.get("features", 1), low=1)
        selector.thresholds_ = check.one_of("thresholds", facts.get("thresholds", "best"), ("best", "random"))
        selector.halvings_ = _halves(facts.get("halvings", 0))
        with reading("the packed forest", "fit it again"):
            selector.estimator_ = unpacked(kind, text("forest", facts["forest"]), len(columns), trees, drawn)
            if _is_calibrated(selector.estimator_):
                selector.temperature_ = selector.estimator_.temperature_
            named = getattr(selector.estimator_, "feature_names_in_", columns)
            if (
                selector.estimator_.n_features_in_ != len(columns)
                or tuple(named) != columns
                or not set(columns) <= {*names}
            ):
                raise DamagedError("its columns are not those of the model")
        selector.n_features_in_ = len(names)
        if facts["named"]:
            selector.feature_names_in_ = np.array(names, dtype=object)
            selector._order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        else:
            selector._order = np.arange(len(names))
        selector.levels_in_ = {
            text("a column", name): levels("levels", column_levels) for name, column_levels in facts["levels"]
        }
        selector.support_ = np.isin(np.array(names, dtype=object), np.array(columns, dtype=object))
        selector._remember(columns)
        return selector

    def __sklearn_tags__(self) -> Any:
        from tamis.forest import ForestClassifier, ForestRegressor

        tags = super().__sklearn_tags__()
        if type(self.estimator) in (ForestClassifier, ForestRegressor):
            estimator_tags = get_tags(self.estimator)
            tags.estimator_type = estimator_tags.estimator_type
            tags.classifier_tags, tags.regressor_tags = estimator_tags.classifier_tags, estimator_tags.regressor_tags
        tags.input_tags.allow_nan = tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags
