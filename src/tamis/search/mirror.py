"""Selection by out-of-bag importance: the negative importances, mirrored at 0, are the null distribution."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.engine import generator, seed_from, seed_of
from tamis.errors import DamagedError, KindError
from tamis.saved import levels, reading, text, texts, whole
from tamis.table import Table, features, is_class_target
from tamis.table.interface.selector import TableSelector

FEWEST = 4  # leaves that a tree of the rows drawn must have room for
MOST_LISTED = 20
TREES = 200
_FORESTS = ("ForestClassifier", "ForestRegressor")


def _gives_shares(selector: MirrorSelector) -> bool:
    fitted = getattr(selector, "estimator_", selector.estimator)
    if fitted is not None and not hasattr(fitted, "predict_proba"):
        raise AttributeError(f"{type(fitted).__name__} predicts numbers and has no probabilities")
    return True


def _gives_intervals(selector: MirrorSelector) -> bool:
    fitted = getattr(selector, "estimator_", selector.estimator)
    if fitted is not None and not hasattr(fitted, "predict_interval"):
        raise AttributeError(f"{type(fitted).__name__} predicts classes and has no intervals")
    return True


class MirrorSelector(MetaEstimatorMixin, TableSelector, BaseEstimator):
    r"""Keep the columns whose out-of-bag importance exceeds the largest expected of noise; refit a forest on them.

    .. math:: \text{support} = \{ j : I_j > r \}, \qquad r = \max(0, -\min_j I_j),

    where I_j is the decrease in impurity by column j on rows that a tree did not see. The importance of a column
    without information is distributed symmetrically about 0, so the negative importances, with their signs turned, are
    a sample of the null distribution, and r is its largest value. Where no column exceeds r, the one of largest
    importance is kept. As in scikit-learn's RFE the model is fitted again on the columns kept, and predicts.

    The smallest leaf is chosen among `leaves` by the out-of-bag score (Brier, or squared error) of `tuning_trees` trees
    that draw the same rows for every size: the first size that the next does not improve on. It is chosen on all
    columns, and then again, from that size upwards, on those kept: few weak columns want larger leaves. Smaller sizes
    are not tried then: out-of-bag rows took part in choosing the columns, so their score is optimistic (noise, 40 rows
    and 1,000 columns: Brier 0.31 out of bag, 0.63 on fresh rows).

    Parameters
    ----------
    estimator : a `ForestClassifier` or `ForestRegressor`; by default one of 200 trees, as the target asks for.
    leaves : smallest leaves to try, in rows that a tree draws; a single one is taken as it is.
    tuning_trees : trees of the forests that sizes of leaves are compared on; at most as many as the estimator has.
    most_drawn : rows a tree draws at most: more make each tree dearer, and the forest hardly better.
    most_rows : of more rows than these, so many are drawn at random, and the others are not looked at.
    random_state : seed of the trees; None leaves the estimator's own.
    n_jobs : threads; None leaves the estimator's own.

    Attributes
    ----------
    support_, selected_columns_ : mask and names (x0, x1, … without names) of the columns kept, the latter sorted.
    importances_ : out-of-bag decrease in impurity by each column, in the forest of all columns.
    reach_ : r, the largest importance of the mirrored null distribution.
    estimator_ : the forest of the columns kept, in the order of their names.
    min_samples_leaf_ : its smallest leaf.
    chosen_parameters_ : parameters of a clone that is fitted in folds to be scored only: the leaf chosen here, and half
        the trees (with 100 trees the Brier score is larger by about 0.001).
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

    def __init__(
        self,
        estimator: Any = None,
        *,
        leaves: Any = (1, 5, 20, 100),
        tuning_trees: int = 50,
        most_drawn: int = 20_000,
        most_rows: int = 100_000,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.leaves = leaves
        self.tuning_trees = tuning_trees
        self.most_drawn = most_drawn
        self.most_rows = most_rows
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> MirrorSelector:
        """Fit a forest on all columns, choose columns by their importances, and fit a forest on those."""
        sizes = self._sizes()
        check.count("most_drawn", self.most_drawn)
        table = features(self, X, reset=True, min_rows=2)
        model = self._model(y)
        table, y = self._some(table, y, model.random_state)
        order = self._order = table.order()
        ordered = table if (order == np.arange(table.n_columns)).all() else table.select(order.tolist())
        first = self._tuned(model, ordered, y, sizes)
        found = first.impurity_importance_
        self.reach_ = max(0.0, -float(found.min()))
        kept = np.flatnonzero(found > self.reach_)
        if not len(kept):  # no column exceeds the null distribution: keep the first, for a forest needs one
            kept = np.array([int(np.argmax(found))])
        self.importances_ = np.empty(table.n_columns)
        self.importances_[order] = found
        self.support_ = np.zeros(table.n_columns, dtype=bool)
        self.support_[order[kept]] = True
        if len(kept) == table.n_columns:
            self.estimator_ = first
        else:
            least = sizes[sizes.index(int(first.min_samples_leaf)) :]
            self.estimator_ = self._tuned(model, ordered.select(kept.tolist()), y, least)
        self._remember(tuple(ordered.names[j] for j in kept))
        return self

    def _some(self, table: Table, y: Any, random_state: Any) -> tuple[Table, Any]:
        """All rows, or `most_rows` drawn at random with a row of every class."""
        most = check.count("most_rows", self.most_rows, low=2)
        if y is None or table.n_rows <= most:
            return table, y
        target = np.asarray(y)
        rows = generator(seed_from(random_state), "rows").permutation(table.n_rows)
        chosen = np.zeros(table.n_rows, dtype=bool)
        chosen[rows[:most]] = True
        if target.dtype.kind != "f":  # a rare class stays
            chosen[rows[np.unique(target[rows], return_index=True)[1]]] = True
        kept = np.flatnonzero(chosen)
        return table.take(kept), target[kept]

    def _sizes(self) -> list[int]:
        given = self.leaves if isinstance(self.leaves, Iterable) else [self.leaves]
        sizes = [check.count("leaves", leaf) for leaf in given]
        if not sizes or sorted(set(sizes)) != sizes:
            raise KindError(f"leaves={self.leaves!r} must be sizes that grow, as in (1, 5, 20); give one or several")
        return sizes

    def _model(self, y: Any) -> Any:
        """The forest to be grown, every setting but the leaf."""
        from tamis.forest import ForestClassifier, ForestRegressor

        if self.estimator is None:
            made = (ForestClassifier if y is not None and is_class_target(y) else ForestRegressor)(TREES)
        elif type(self.estimator) in (ForestClassifier, ForestRegressor):
            made = clone(self.estimator)
        else:
            raise KindError(
                f"estimator={self.estimator!r} has no importances that noise takes below 0; give a ForestClassifier or "
                "a ForestRegressor"
            )
        if self.random_state is not None:
            made.set_params(random_state=seed_from(self.random_state) % (1 << 31))
        made.set_params(oob_score=True, progress=False)
        return made if self.n_jobs is None else made.set_params(n_jobs=self.n_jobs)

    def _tuned(self, model: Any, table: Table, y: Any, sizes: list[int]) -> Any:
        """The forest of the first leaf size whose out-of-bag score the next one does not improve."""
        half = max(1, min(check.count("tuning_trees", self.tuning_trees, low=2), model.n_estimators) // 2)
        room = min(table.n_rows, self.most_drawn) // FEWEST
        tried = [leaf for leaf in sizes[1:] if leaf <= room]
        if not tried:
            return self._grown(model, table, y, sizes[0])
        seed = seed_from(model.random_state)
        halves = [
            clone(model).set_params(n_estimators=half, random_state=seed_of(seed, "half", k) % (1 << 31))
            for k in (0, 1)
        ]
        best, score = sizes[0], np.inf
        for leaf in (sizes[0], *tried):
            off = [out_of_bag_errors(self._grown(few, table, y, leaf), y) for few in halves]
            found = expected_score(off[0], off[1], half, model.n_estimators)
            if not found < score:
                break
            best, score = leaf, found
        return self._grown(model, table, y, best)

    def _grown(self, model: Any, table: Table, y: Any, leaf: int) -> Any:
        forest = clone(model).set_params(min_samples_leaf=leaf)
        if table.n_rows > self.most_drawn and forest.max_samples is None:
            forest.set_params(max_samples=self.most_drawn)
        return forest.fit(table, y)

    def _remember(self, names: tuple[str, ...]) -> None:
        self.selected_columns_ = tuple(str(name) for name in names)
        self.min_samples_leaf_ = int(self.estimator_.min_samples_leaf)
        self.chosen_parameters_ = {"leaves": self.min_samples_leaf_}
        if self.estimator is not None:
            self.chosen_parameters_["estimator__n_estimators"] = max(1, self.estimator_.n_estimators // 2)
        self.__dict__.pop("classes_", None)
        if hasattr(self.estimator_, "classes_"):
            self.classes_ = self.estimator_.classes_

    def predict(self, X: Any) -> np.ndarray:
        """What the forest of the columns kept predicts."""
        kept = self._kept(X)
        return np.asarray(self.estimator_.predict(kept))

    @available_if(_gives_shares)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Mean share of each class."""
        kept = self._kept(X)
        return np.asarray(self.estimator_.predict_proba(kept))

    @available_if(_gives_intervals)
    def predict_interval(self, X: Any, coverage: float = 0.95) -> np.ndarray:
        """Ends of an interval that holds a new number with the probability `coverage`."""
        kept = self._kept(X)
        return np.asarray(self.estimator_.predict_interval(kept, coverage))

    def score(self, X: Any, y: Any) -> float:
        """The forest's score: accuracy, or R²."""
        kept = self._kept(X)
        return float(self.estimator_.score(kept, y))

    def _kept(self, X: Any) -> Table:
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

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_

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

        known = getattr(self, "feature_names_in_", None)
        return {
            "kind": type(self.estimator_).__name__,
            "named": known is not None,
            "names": [f"x{j}" for j in range(self.n_features_in_)] if known is None else list(known),
            "columns": list(self.selected_columns_),
            "levels": [[name, list(known)] for name, known in self.levels_in_.items()],
            "trees": self.estimator_.n_estimators,
            "most_drawn": self.most_drawn,
            "forest": packed(self.estimator_),
        }

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> MirrorSelector:
        """The model that `to_dict` described: it predicts; the importances of the first forest are not kept."""
        from tamis import forest
        from tamis.forest.packed import MOST_ROWS, MOST_TREES, unpacked

        kind = getattr(forest, check.one_of("kind", facts["kind"], _FORESTS))
        columns, names = texts("columns", facts["columns"]), texts("names", facts["names"])
        trees = check.count("trees", whole("trees", facts["trees"]), high=MOST_TREES)
        drawn = check.count("most_drawn", whole("most_drawn", facts["most_drawn"]), high=MOST_ROWS)
        made = cls(kind(trees), most_drawn=drawn)
        with reading("the packed forest", "fit it again"):
            made.estimator_ = unpacked(kind, text("forest", facts["forest"]), len(columns), trees, drawn)
            named = getattr(made.estimator_, "feature_names_in_", columns)
            if (
                made.estimator_.n_features_in_ != len(columns)
                or tuple(named) != columns
                or not set(columns) <= {*names}
            ):
                raise DamagedError("its columns are not those of the model")
        made.n_features_in_ = len(names)
        if facts["named"]:
            made.feature_names_in_ = np.array(names, dtype=object)
            made._order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
        else:
            made._order = np.arange(len(names))
        made.levels_in_ = {text("a column", name): levels("levels", known) for name, known in facts["levels"]}
        made.support_ = np.isin(np.array(names, dtype=object), np.array(columns, dtype=object))
        made._remember(columns)
        return made

    def __sklearn_tags__(self) -> Any:
        from tamis.forest import ForestClassifier, ForestRegressor

        tags = super().__sklearn_tags__()
        if type(self.estimator) in (ForestClassifier, ForestRegressor):
            own = get_tags(self.estimator)
            tags.estimator_type = own.estimator_type
            tags.classifier_tags, tags.regressor_tags = own.classifier_tags, own.regressor_tags
        tags.input_tags.allow_nan = tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags


def out_of_bag_errors(forest: Any, y: Any) -> np.ndarray:
    """Out-of-bag probabilities less the indicators of the true class (rows × classes), or numbers less the truth."""
    if hasattr(forest, "classes_"):
        return np.asarray(forest.oob_decision_function_ - (np.asarray(y).reshape(-1, 1) == forest.classes_))
    said = forest.oob_prediction_
    return np.asarray(said.reshape(len(said), -1) - np.asarray(y, dtype=np.float64).reshape(len(said), -1))


def expected_score(one: np.ndarray, two: np.ndarray, trees: int, total: int) -> float:
    """The mean squared out-of-bag error to expect of a forest of `total` trees, from those of two small forests.

    The mean prediction of both forests has the variance v = mean |one - two|² / 4 about that of infinitely many trees;
    that of `total` trees v · 2 trees / total. The difference is subtracted: with few trees, larger leaves would win by
    their smaller variance (benchmarks/search/mirror.py: on 7 regression tables 1 - R² with leaves chosen by 50 trees
    was 0.1748, so corrected 0.1736, as with 200 trees).

    Parameters
    ----------
    one, two : errors of each forest (rows × outputs), NaN for rows that no tree left out.
    trees : of each of the two.
    total : of the forest that is judged.

    >>> expected_score(np.array([[1.0], [3.0]]), np.array([[1.0], [1.0]]), 10, 20), round(
    ...     expected_score(np.array([[1.0], [3.0]]), np.array([[1.0], [1.0]]), 10, 40), 3
    ... )
    (2.5, 2.25)
    """
    seen = ~(np.isnan(one[:, 0]) | np.isnan(two[:, 0]))
    n = max(1, int(seen.sum()))
    mean, apart = (one[seen] + two[seen]) / 2, one[seen] - two[seen]
    return float((mean**2).sum() / n - (apart**2).sum() / (4 * n) * (1 - 2 * trees / total))
