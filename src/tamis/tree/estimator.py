"""TreeClassifier and TreeRegressor: trees people can read."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.errors import ParameterError, TableError, TamisWarning
from tamis.split.pairs import Folds
from tamis.split.tuning_folds import dealt_folds
from tamis.table import Classes, LazyTable, Table, features, numbers, refuse_extreme, same_length, target_scales
from tamis.table.interface.several_classes import OrderedClasses, SeveralClasses, has_several_targets
from tamis.table.interface.takes_table import TakesMissing, parameters
from tamis.table.like import TableLike
from tamis.tree.export.reading import Reading
from tamis.tree.grow.fit import TreeData
from tamis.tree.grow.layout import CATEGORY, MAJORITY, SURROGATE, TreeLimits
from tamis.tree.grow.training_set import CLASS_CRITERIA, NUMBER_CRITERIA, PRUNE_BY, ClassProblem, NumberProblem
from tamis.tree.prune.held_out import predictions_at
from tamis.tree.prune.pruning import Sequence, chance_leaves, cross_validate
from tamis.tree.settings import loss_of, refuse_other_than, rows_or_share, takes_several
from tamis.tree.tree import Tree, matrix_of
from tamis.views.lazy.target import refuse_rows

_MISSING = {"surrogate": SURROGATE, "category": CATEGORY, "majority": MAJORITY, "drop": MAJORITY}
_NO_LIMIT = 2**31 - 1

#: Parameters that trees with `monotone` take at their defaults alone.
_MONOTONE_TAKES: dict[str, Any] = {
    "splits": "axis", "leaf": "constant", "search": "greedy", "n_bins": None, "min_gain": 0.0, "max_purity": 1.0
}  # fmt: skip

#: Parameters that trees of ordered classes take at their defaults alone.
ORDERED_TAKE = ("monotone", "max_purity", "prune_by", "splits", "leaf", "search", "loss_matrix", "priors")

#: Parameters that trees of several class targets take at their defaults alone.
SEVERAL_TAKE = ("criterion", "monotone", "max_purity", "prune_by", "leaf", "loss_matrix", "priors", "class_weight")


@parameters
class BaseTree(Reading, TakesMissing, BaseEstimator):
    """What trees for classes and for numbers share: parameters, growing, pruning, sending rows down."""

    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    min_gain: float = 0.0
    n_bins: int | None = None
    max_leaf_nodes: int | None = None
    missing: str = "surrogate"
    n_surrogates: int = 5
    prune: str | float | None = None
    rule: str = "1se"
    cv: Any = 10
    splits: str = "axis"
    leaf: str = "constant"
    search: str = "greedy"
    monotone: dict[str, int] | None = None
    random_state: Any = 0
    n_jobs: int | None = None

    def _grow(self, table: Table, problem: Any, y: ArrayLike) -> None:
        X = matrix_of(table)
        rows = self._rows_to_grow_on(table, np.flatnonzero(problem.weight > 0))
        limits = self._limits(table, len(rows))._replace(monotone=self._directions(table, problem))
        prune = self._prune_checked()
        problem = self._with_node_rules(problem, table)
        if self.splits == "oblique" or self.leaf != "constant":
            refuse_extreme(table)
        if self.splits == "oblique":
            from tamis.tree.oblique import ObliqueProblem

            problem = ObliqueProblem(problem, X)
        if self.leaf == "linear":
            from tamis.tree.linear_leaves import LinearLeaves

            problem = LinearLeaves(problem, X)
        if self.leaf == "logistic" and len(problem.loss) > 1:
            from tamis.tree.logistic_leaves import LogisticLeaves

            problem = LogisticLeaves(problem, X)
        for name in ("cv_predictions_", "nested_predictions_", "optimal_"):  # of another table, when fitted before
            self.__dict__.pop(name, None)
        if self._search_checked() == "optimal":
            self._search(X, problem, rows, limits, prune, y)
            return
        folds = []
        if prune == "cv":
            folds = dealt_folds(self.cv, rows, problem.strata(), check_random_state(self.random_state), y)
        self._keep(*self._pruned(problem, X, rows, limits, folds))

    def _pruned(
        self, problem: Any, X: np.ndarray | None, rows: np.ndarray, limits: TreeLimits, folds: Folds
    ) -> tuple[Tree, Any, dict[str, np.ndarray] | None]:
        """The tree of some rows, pruned as `prune` says; the problem; the sequence of its subtrees.

        Without X folds are judged on the values of the codes, and their predictions are not kept.
        """
        prune, (tree, _) = self._prune_checked(), problem.grow_on(rows, limits)
        if prune is None:
            return tree, problem, None
        sequence = Sequence.of(tree)
        columns = sequence.table()
        if prune == "chi2":
            return tree.pruned(chance_leaves(tree, problem.is_class, len(tree.names))), problem, columns
        if prune == "cv":
            judged = cross_validate(problem, X, rows, limits, sequence, folds, self.n_jobs)
            columns |= judged.table()
            chosen = judged.choose(self.rule)
            prune = float(sequence.alpha[chosen])
            if X is not None:
                held_out = predictions_at(judged.held_out, [chosen] * len(folds), len(X))
                self.cv_predictions_ = self._shaped(held_out * problem.scale)
            if X is not None and len(folds) > 1:
                prunings = judged.choose_without_fold(self.rule)
                self.nested_predictions_ = self._shaped(
                    predictions_at(judged.held_out, prunings, len(X)) * problem.scale
                )
        self.alpha_ = float(prune)
        return tree.pruned(sequence.leaves_at(self.alpha_)), problem, columns

    def _rows_to_grow_on(self, table: Table, rows: np.ndarray) -> np.ndarray:
        """Rows with a weight; with `missing="drop"` those among them without a missing value."""
        if self.missing != "drop":
            return rows
        holes = np.zeros(table.n_rows, dtype=bool)
        for j in range(table.n_columns):
            holes |= table.column(j).missing
        complete = rows[~holes[rows]]
        self.n_dropped_ = len(rows) - len(complete)
        if not len(complete):
            raise TableError(
                f"missing='drop', but each of the {len(rows):,} rows lacks a value; give missing='surrogate'"
            )
        if self.n_dropped_:
            warnings.warn(
                f"{self.n_dropped_:,} of {len(rows):,} rows have missing values and were left out (missing='drop')",
                TamisWarning,
                stacklevel=5,
            )
        return complete

    def _with_node_rules(self, problem: Any, table: Table) -> Any:
        """The problem, following `n_bins`, `min_gain` and `max_purity` where they are given."""
        n_bins = None if self.n_bins is None else check.count("n_bins", self.n_bins, low=2)
        gain = check.number("min_gain", self.min_gain, low=0)
        purity = check.number("max_purity", getattr(self, "max_purity", 1.0), low=0, high=1, open_low=True)
        if n_bins is None and gain == 0 and purity == 1:
            return problem
        for name, value, default in (
            ("splits", self.splits, "axis"),
            ("leaf", self.leaf, "constant"),
            ("search", self.search, "greedy"),
        ):
            if value != default:
                raise ParameterError(
                    f"{name}={value!r} does not go with n_bins, min_gain or max_purity; give {name}={default!r}"
                )
        from tamis.tree.node_rules import NodeRules

        return NodeRules(problem, table, n_bins, gain, purity)

    def _search(
        self, X: np.ndarray, problem: Any, rows: np.ndarray, limits: TreeLimits, prune: str | float | None, y: ArrayLike
    ) -> None:
        """The best small tree instead of a greedy one; its size as `prune` says."""
        from tamis.tree.optimal import choose_size, size_table, sized_trees

        sized = sized_trees(problem, rows, limits)
        columns, chosen = size_table(sized), len(sized.trees) - 1
        if prune == "cv":
            folds = dealt_folds(self.cv, rows, problem.strata(), check_random_state(self.random_state), y)
            choice = choose_size(problem, X, sized, limits, folds, self.rule, self.n_jobs)
            columns, chosen = choice.table, choice.chosen
            self.cv_predictions_ = self._shaped(choice.cv_predictions * problem.scale)
            if len(folds) > 1:
                self.nested_predictions_ = self._shaped(choice.nested_predictions * problem.scale)
        elif prune is not None:
            chosen = int(np.argmin(columns["risk"] + float(prune) * columns["n_leaves"]))
        if prune is not None:
            self.alpha_ = float(columns["alpha"][chosen])
        self.optimal_ = sized.proved
        self._keep(sized.trees[chosen], problem, columns)

    def _search_checked(self) -> str:
        """How splits are found; searching all trees knows fewer variants than growing one."""
        search = check.one_of("search", self.search, ["greedy", "optimal"])
        if search == "greedy":
            return search
        criteria = ("gini", "squared_error")
        for name, takes in (("criterion", criteria), ("splits", ("axis",)), ("leaf", ("constant",))):
            value = getattr(self, name)
            if value not in takes:
                words = " or ".join(map(repr, takes))
                raise ParameterError(f"search='optimal' does not go with {name}={value!r}; give {words}")
        if self.prune == "chi2":
            raise ParameterError("search='optimal' does not go with prune='chi2'; give 'cv', a number or None")
        if self.max_depth is not None and self.max_depth > 3:
            raise ParameterError(
                f"search='optimal' finds trees of at most 3 levels, but max_depth={self.max_depth}; give 3"
            )
        return search

    def _shaped(self, predictions: np.ndarray) -> np.ndarray:
        """Predictions (rows × outputs) as `predict` or `predict_proba` shape them."""
        return predictions

    def _keep(self, tree: Tree, problem: Any, cost_complexity: dict[str, np.ndarray] | None) -> None:
        self.tree_ = replace(tree, value=tree.value * problem.scale)
        self._cost_complexity = cost_complexity
        self.__dict__.pop("leaf_models_", None)
        if hasattr(problem, "models"):
            self.leaf_models_ = problem.models(tree)

    @property
    def cost_complexity_(self) -> dict[str, np.ndarray]:
        """The subtrees worth having, smallest first: alpha, n_leaves, risk and, after pruning by CV, cv_risk, cv_se."""
        check_is_fitted(self, "tree_")
        if self._cost_complexity is None:  # not needed for an unpruned tree, so worked out when asked for
            self._cost_complexity = Sequence.of(self.tree_).table()
        return self._cost_complexity

    def _prune_checked(self) -> str | float | None:
        check.one_of("splits", self.splits, ["axis", "oblique"])
        check.one_of("leaf", self.leaf, ["constant", "linear", "logistic"])
        check.one_of("rule", self.rule, ["1se", "min"])
        if self.prune is None:
            return None
        if isinstance(self.prune, str):
            return check.one_of("prune", self.prune, ["cv", "chi2"])
        return check.number("prune", self.prune, low=0)

    def _limits(self, table: Table | LazyTable, n_rows: int) -> TreeLimits:
        min_leaf = rows_or_share("min_samples_leaf", self.min_samples_leaf, n_rows, 1)
        split = rows_or_share("min_samples_split", self.min_samples_split, n_rows, 2)
        depth = _NO_LIMIT if self.max_depth is None else check.count("max_depth", self.max_depth)
        leaves = 0 if self.max_leaf_nodes is None else check.count("max_leaf_nodes", self.max_leaf_nodes, low=2)
        return TreeLimits(
            max_depth=depth,
            min_split=split,
            min_leaf=min_leaf,
            min_decrease=check.number("min_impurity_decrease", self.min_impurity_decrease, low=0),
            max_leaves=leaves,
            missing=_MISSING[check.one_of("missing", self.missing, _MISSING)],
            n_surrogates=check.count("n_surrogates", self.n_surrogates, low=0),
            min_share=check.number("min_weight_fraction_leaf", self.min_weight_fraction_leaf, low=0, high=0.5),
        )

    def _directions(self, table: Table, problem: Any) -> np.ndarray:
        """Of every column whether answers may not fall (1), not rise (-1) or are free (0); empty where all are."""
        directions = check.monotone(self.monotone, table.names, lambda j: table.column(j).is_categorical)
        check.one_answer(
            directions, n_classes=len(problem.loss) if problem.is_class else 0, n_targets=problem.values.shape[1]
        )
        for name, usual in _MONOTONE_TAKES.items() if len(directions) else ():
            value = getattr(self, name, usual)
            if value != usual:
                raise ParameterError(f"monotone does not go with {name}={value!r}; give {name}={usual!r}")
        return directions

    def _matrix(self, X: TableLike) -> np.ndarray:
        check_is_fitted(self, "tree_")
        return matrix_of(features(self, X, reset=False, sparse_ok=True))

    def apply(self, X: TableLike) -> np.ndarray:
        """The leaf that each row falls into."""
        matrix = self._matrix(X)  # which asks first whether there is a tree
        return self.tree_.apply(matrix, self.n_jobs)

    def get_depth(self) -> int:
        """Longest way from the root to a leaf, in splits."""
        check_is_fitted(self, "tree_")
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves


@parameters
class TreeClassifier(ClassifierMixin, BaseTree):
    r"""A classification tree: yes-or-no questions about one column after the other.

    A node t with class shares p is split where the weighted impurity falls most:

    .. math:: n_t I(t) - n_L I(L) - n_R I(R), \quad I = \sum_c p_c (1 - p_c) \text{ (gini)}, -\sum_c p_c \log p_c

    Parameters
    ----------
    criterion : "gini", "entropy", "gain_ratio" (entropy gain over the entropy of the two sides' sizes, among columns
        of at least average gain) or "chi2" (Pearson's statistic of sides × classes); or "ordinal", for ordered classes:
        the ranked probability score, by which trees are pruned, too.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease, max_leaf_nodes :
        when to stop. With `max_leaf_nodes` the split that improves most is made first. The two sample limits count
        rows, or are shares of them; `min_weight_fraction_leaf` is a share of the weight. `min_impurity_decrease`
        weighs a split's decrease by the node's share of all rows, as scikit-learn does.
    monotone : dict column -> 1 (predictions never fall as the column rises, all others equal), -1 (they never rise) or
        0; of two classes the probability of the second. Exact, pruning included: as in scikit-learn a split of such a
        column passes the midpoint of its two answers down as a bound, to which the answers below are held. The
        column is no surrogate of others. For two classes or one number, columns of numbers, axis splits.
    min_gain : the same without that share: a split must lower the impurity of its own node by at least this much.
    max_purity : a node in which a class has at least this share is a leaf.
    n_bins : None tries every threshold; a number Q cuts each numeric column into Q bins of about equal size in every
        node, from the rows there, and tries the largest value of each bin as threshold. This and the two rules before
        grow node by node: slower, for greedy axis splits with constant leaves, and tables in memory.
    missing : what a row without a value does at a split. "surrogate": it follows the column that agrees best with the
        split, then the next, then the majority; "category": missing is a value of its own; "majority";
        "drop": rows with a missing value are left out of the fit, with a warning that counts them (`n_dropped_`), and
        later rows follow the majority.
        A level never seen in the node follows the same rule.
    n_surrogates : how many surrogates a split keeps.
    prune : None; "cv" (cost-complexity, chosen by cross-validation); "chi2" (splits that chance explains go); or a
        number, the price of a leaf in units of the root's risk.
    prune_by : the risk that pruning counts. None or "error": what wrong answers cost. "brier": the Brier score of the
        leaf's shares (their gini impurity); "log_loss": their log loss (entropy), where held-out rows are judged by
        smoothed shares, never 0 or 1. With few positives no leaf answers "yes", and by "error" the root is the best
        tree though the shares tell a lot; then a probability score keeps the splits. Not with `loss_matrix`.
    rule : with "cv", "1se" takes the smallest tree within one standard error of the best, "min" the best. The error is
        that of the best tree's risk or, for a probability score, that of the difference of the two, row by row.
    cv : a number of folds, a splitter, or (train, test) pairs. Of a table larger than memory a number; as
        many of its folds as hold 262,144 rows, two at least and all but one at most, are judged.
    splits : "axis" or "oblique" (sparse linear combinations of columns where they are clearly better).
    leaf : "constant", or "logistic": a penalised logistic model of the numeric columns in every leaf, shrunk towards
        that of its parent; pruning then counts log losses, and costs and priors are not taken. "linear" is for
        TreeRegressor.
    search : "greedy" (one split after the other), or "optimal": of all trees of at most three levels and eight leaves
        over binned cuts the one of least impurity, by branch and bound; `prune="cv"` then chooses the number of leaves.
    loss_matrix : loss_matrix[truth][answer], in the order of `classes_`; steers splits (altered priors), pruning and
        answers.
    priors : share of each class to expect, in the order of `classes_`; by default as in the training rows.
    class_weight : "balanced" or a dict class -> weight.
    random_state : shuffles the rows into folds.
    n_jobs : threads for the folds, and for predictions of many rows.

    Several class targets at once are given as a matrix y: splits then lower the sum of the targets' Gini impurities,
    and `predict_proba` gives a list with a matrix for each target, as in scikit-learn.

    Attributes
    ----------
    classes_ : the classes, sorted; of several targets a list.
    indicator_tree_ : of several targets, the TreeRegressor of the indicators of all their classes.
    tree_ : the tree as arrays.
    cost_complexity_ : dict of columns alpha, n_leaves, risk and, after pruning by CV, cv_risk, cv_se (and cv_gap_se,
        the error of the difference to the best, for a probability score); smallest tree first.
    alpha_ : the price of a leaf that was used.
    optimal_ : with `search="optimal"`, whether the tree is proved to be the best over the binned cuts, or the best
        found within a fixed budget.
    cv_predictions_ : after pruning by CV, probabilities (rows × classes) of each row by the tree of the fold that left
        it out, pruned as the chosen subtree was in the cross-validation; the mean where several did, NaN where none
        did. Not saved by `to_dict`.
    nested_predictions_ : the same, but in each fold pruned as the other folds choose, so that no row has a say in the
        size of the tree that it is judged by: for comparing with other models.
    feature_importances_ : share of the improvement that each column brings.

    References
    ----------
    Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees.

    >>> from tamis import TreeClassifier
    >>> tree = TreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"])
    >>> print(tree.to_text())
    all rows: no (4 rows, 50% no)
    ├─ x0 ≤ 2.5: no (2 rows, 100% no)
    └─ x0 > 2.5: yes (2 rows, 100% yes)
    """

    criterion: str = "gini"
    max_purity: float = 1.0
    prune_by: str | None = None
    loss_matrix: Any = None
    priors: Any = None
    class_weight: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TreeClassifier:
        """Grow the tree, and prune it when asked to.

        X may be a lazy table, and y then the name of one of its columns.
        """
        criterion = check.one_of("criterion", self.criterion, [*CLASS_CRITERIA, "ordinal"])
        if self.leaf == "linear":
            raise ParameterError(
                "leaf='linear' predicts numbers; use TreeRegressor, or leaf='logistic' or 'constant' for classes"
            )
        if self.leaf == "logistic":
            self._refuse_with_models(X)
        if isinstance(X, LazyTable):
            from tamis.tree.lazy import fit_lazily

            refuse_rows(sample_weight=sample_weight)
            fit_lazily(self, X, y, classes=True)
            return self
        for name in ("indicator_tree_", "several_"):
            self.__dict__.pop(name, None)
        if has_several_targets(y):
            return self._fit_several(X, y, sample_weight)
        table = features(self, X, reset=True, sparse_ok=True)
        target = Classes.of(y)
        same_length(table, target.codes)
        weight = check.weights(sample_weight, table.n_rows)
        heavy = np.bincount(target.codes, weights=weight, minlength=target.n_classes)
        weight = weight * check.class_factors(self.class_weight, target.labels, heavy)[target.codes]
        self.classes_: Any = target.labels
        self.loss_ = loss_of(self.loss_matrix, target.n_classes)
        priors = self._priors_checked(target.n_classes)
        prune_by = self._prune_by_checked()
        if criterion == "ordinal":
            return self._fit_ordered(table, target, weight)
        data, kind = TreeData.of(table), CLASS_CRITERIA[criterion]
        problem = ClassProblem(data, kind, target.codes, weight, self.loss_, priors, prune_by)
        self._grow(table, problem, target.codes)
        return self

    def _refuse_with_models(self, X: TableLike) -> None:
        """Raise for what logistic models in leaves do not go with."""
        usual = {"loss_matrix": None, "priors": None, "prune_by": None}
        for name, value in usual.items():
            if getattr(self, name) is not value:
                raise ParameterError(f"{name}={getattr(self, name)!r} does not go with leaf='logistic'; leave it out")
        if self.prune == "chi2":
            raise ParameterError("prune='chi2' judges shares of classes, not leaf='logistic'; give 'cv' or a number")
        if isinstance(X, LazyTable):
            raise ParameterError("leaf='logistic' needs the rows in memory; give leaf='constant', or draw rows")

    def _fit_ordered(self, table: Table, target: Classes, weight: np.ndarray) -> TreeClassifier:
        """A tree whose splits, and pruning, lower the ranked probability score of the shares of ordered classes."""
        refuse_other_than(self, TreeClassifier(), ORDERED_TAKE)
        ordered = OrderedClasses(target)
        values = ordered.indicators()
        squares, ones = NUMBER_CRITERIA["squared_error"], np.ones(values.shape[1])
        self._ordered = ordered.without_rows()
        self._grow(table, NumberProblem(TreeData.of(table), squares, values, weight, ones), target.codes)
        tree = self.tree_
        self.tree_ = replace(tree, value=ordered.shares(tree.value) * tree.weight[:, None])
        return self

    def _shaped(self, predictions: np.ndarray) -> np.ndarray:
        return self._ordered.shares(predictions) if self.criterion == "ordinal" else predictions

    def _fit_several(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike) -> TreeClassifier:
        """One tree for several class targets: splits lower the sum of their Gini impurities."""
        refuse_other_than(self, TreeClassifier(), SEVERAL_TAKE)
        self.several_ = SeveralClasses.of(y)
        names = set(TreeRegressor().get_params()) - {"criterion"}
        settings = {name: value for name, value in self.get_params(deep=False).items() if name in names}
        tree = TreeRegressor(**settings)
        tree._one_unit = True
        tree.fit(X, self.several_.indicators(), sample_weight)
        self.classes_ = self.several_.labels
        self.several_ = self.several_.without_rows()
        self.n_outputs_ = len(self.classes_)
        for name in ("tree_", "alpha_", "n_features_in_", "feature_names_in_", "levels_in_", "notations_in_"):
            self.__dict__.pop(name, None)
            if name in tree.__dict__:
                setattr(self, name, getattr(tree, name))
        self._cost_complexity = tree._cost_complexity
        self.indicator_tree_ = tree
        return self

    def _priors_checked(self, n_classes: int) -> np.ndarray | None:
        return _priors(self.priors, n_classes)

    def _prune_by_checked(self) -> str:
        if self.prune_by is None:
            return "error"
        if self.loss_matrix is not None:
            raise ParameterError(
                f"prune_by={self.prune_by!r} does not go with loss_matrix, whose costs pruning counts; give one of them"
            )
        return check.one_of("prune_by", self.prune_by, PRUNE_BY)

    def predict_proba(self, X: TableLike) -> Any:
        """Share of each class in the leaf of each row; of several targets a list with a matrix for each."""
        if self.leaf == "logistic":
            check_is_fitted(self, "tree_")
        if self.leaf == "logistic" and hasattr(self, "leaf_models_"):
            matrix = self._matrix(X)
            return self.leaf_models_.shares(matrix, self.tree_.apply(matrix, self.n_jobs))
        leaf = self.apply(X)
        if hasattr(self, "indicator_tree_"):
            return self.several_.shares(self.tree_.value[leaf])
        share = self.tree_.value / self.tree_.value.sum(axis=1, keepdims=True)
        return share[leaf]

    def predict(self, X: TableLike) -> np.ndarray:
        """The class of least expected cost in the leaf of each row."""
        if self.leaf == "logistic":
            codes = self.predict_proba(X).argmax(axis=1)
            return self.classes_[codes]
        leaf = self.apply(X)
        if hasattr(self, "indicator_tree_"):
            return self.several_.predicted(self.tree_.value[leaf])
        return self.classes_[self._answers()][leaf]

    def predict_log_proba(self, X: TableLike) -> Any:
        """Logarithm of `predict_proba`."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(target_shares) for target_shares in shares] if isinstance(shares, list) else np.log(shares)

    def _answers(self) -> np.ndarray:
        return (self.tree_.value @ self.loss_).argmin(axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = takes_several(self, TreeClassifier(), SEVERAL_TAKE)
        return tags


@parameters
class TreeRegressor(RegressorMixin, BaseTree):
    r"""A regression tree: yes-or-no questions, and a number (or a small linear model) at the end of each way.

    A node is split where the summed error falls most: squared error Σ w (y - mean)², absolute error `Σ w |y - median|`,
    or half the Poisson deviance Σ w y log(y / mean).

    Parameters are those of :class:`TreeClassifier`, without the ones about classes; `criterion` is "squared_error",
    "absolute_error" or "poisson". Several targets at once are given as a matrix y;
    each then counts in units of its standard deviation.
    leaf : "constant", or "linear": a penalised linear model in every leaf, smoothed along its path.

    Attributes
    ----------
    tree_, cost_complexity_, alpha_, feature_importances_ : as in :class:`TreeClassifier`.
    cv_predictions_, nested_predictions_ : after pruning by CV, out-of-fold predictions, shaped as those of `predict`.

    >>> from tamis import TreeRegressor
    >>> tree = TreeRegressor(max_depth=1).fit([[1.0], [2.0], [3.0], [4.0]], [1.0, 1.0, 5.0, 7.0])
    >>> tree.predict([[0.0], [9.0]])
    array([1., 6.])
    """

    _one_unit = False  # of several targets, as the indicators of classes are

    criterion: str = "squared_error"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TreeRegressor:
        """Grow the tree, and prune it when asked to.

        X may be a lazy table, and y then the name of one of its columns.
        """
        criterion = check.one_of("criterion", self.criterion, NUMBER_CRITERIA)
        if self.leaf == "logistic":
            raise ParameterError("leaf='logistic' predicts classes; use TreeClassifier, or leaf='linear' for numbers")
        if isinstance(X, LazyTable):
            from tamis.tree.lazy import fit_lazily

            refuse_rows(sample_weight=sample_weight)
            fit_lazily(self, X, y, classes=False)
            return self
        table = features(self, X, reset=True, sparse_ok=True)
        values = numbers(y, several=True)
        same_length(table, values)
        weight = check.weights(sample_weight, table.n_rows)
        self.n_outputs_ = 1 if values.ndim == 1 else values.shape[1]
        if criterion == "absolute_error" and self.n_outputs_ > 1:
            raise ParameterError(
                f"criterion='absolute_error' takes one target, but y has {self.n_outputs_}; fit one a time"
            )
        if criterion == "poisson":
            check.counts("criterion='poisson'", values)
        if self.leaf == "linear" and self.n_outputs_ > 1:
            raise ParameterError(f"leaf='linear' takes one target, but y has {self.n_outputs_}; fit one at a time")
        scale = target_scales(values, weight, self._one_unit)
        scaled = values.reshape(len(values), -1) / scale
        problem = NumberProblem(TreeData.of(table), NUMBER_CRITERIA[criterion], scaled, weight, scale)
        self._grow(table, problem, values)
        return self

    def predict(self, X: TableLike) -> np.ndarray:
        """The answer of the leaf of each row."""
        matrix = self._matrix(X)
        leaf = self.tree_.apply(matrix, self.n_jobs)
        if self.leaf == "linear":
            return self.leaf_models_.predict(matrix, leaf)
        return self._shaped(self.tree_.value[leaf])

    def _shaped(self, predictions: np.ndarray) -> np.ndarray:
        return predictions[:, 0] if self.n_outputs_ == 1 else predictions

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.leaf != "linear" and self.criterion == "squared_error"
        tags.target_tags.positive_only = self.criterion == "poisson"
        return tags


def _priors(priors_given: Any, n_classes: int) -> np.ndarray | None:
    """Expected shares of the classes, scaled to sum to one."""
    if priors_given is None:
        return None
    priors = np.asarray(priors_given, dtype=np.float64)
    if priors.shape != (n_classes,):
        raise ParameterError(
            f"priors has shape {priors.shape}, but there are {n_classes} classes; give one number per class"
        )
    if not np.all(np.isfinite(priors)) or priors.min() <= 0:
        raise ParameterError(f"priors={priors.tolist()} must all be above 0; give the share of each class")
    return priors / priors.sum()
