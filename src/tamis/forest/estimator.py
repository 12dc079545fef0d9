"""ForestClassifier and ForestRegressor: many trees, each on its own draw of rows, judged by the rows it left out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.errors import ParameterError
from tamis.forest.field import Ground
from tamis.forest.interval import Depth
from tamis.forest.layout import CLASSES, NUMBER, SEVERAL, Limits, Target
from tamis.forest.oob import CopyByCopy, OutOfBag
from tamis.forest.plant import Lot, plant
from tamis.forest.progress import watched
from tamis.forest.settings import columns_to_try
from tamis.forest.training import digest_of, remember
from tamis.forest.trees import Trees
from tamis.table import Classes, Table, features, numbers, same_length
from tamis.tree.settings import class_factors, loss_of, rows_or_share
from tamis.tree.tree import matrix_of

if TYPE_CHECKING:
    from tamis.forest.importance import PermutationImportance

_NO_LIMIT = 2**31 - 1
COMBINED = 3  # columns in a sum of an oblique split


class BaseForest(BaseEstimator):
    """What forests for classes and for numbers share: drawing rows, growing, out-of-bag answers, sending rows down."""

    trees_: Trees
    n_features_in_: int

    def _grow(self, table: Table, ground: Ground, target: Target, worth: np.ndarray, loss: np.ndarray) -> None:
        n_trees = check.count("n_estimators", self.n_estimators)
        limits = self._limits(table.n_columns, len(target.weight))
        self.seed_ = int(check_random_state(self.random_state).randint(2**31 - 1))
        lot = self._lot(ground, target)
        voting = getattr(self, "voting", "probabilities") == "majority"
        judge = OutOfBag(target, worth, loss, voting or getattr(self, "loss_matrix", None) is None)
        grown, gain, share = [], np.zeros(table.n_columns), 0.0
        honest = bool(self.oob_score)
        stopper = self._stopper(ground, lot, judge) if self.stop_when_stable else None
        depth = Depth(target, worth) if honest and not target.n_classes and target.kind == NUMBER else None
        saplings = plant(
            ground, target, limits, lot, n_trees, honest=honest, loss=loss if voting else None, n_jobs=self.n_jobs
        )
        with watched(saplings, n_trees, self.progress) as trees:
            for sapling in trees:
                grown.append(sapling.tree)
                share += sapling.share
                gain += sapling.gain
                if honest:
                    judge.add(sapling)
                if depth is not None:
                    depth.add(sapling)
                if stopper is not None:
                    if stopper is not judge:
                        stopper.add(sapling)
                    if stopper.is_stable():
                        break
        self.trees_ = Trees.join(grown, ground.columns, target.n_classes, judge.votes.shape[1])
        self.impurity_importance_ = np.empty(table.n_columns)
        self.impurity_importance_[ground.columns] = gain / len(grown)
        self.oob_share_ = share / len(grown)
        self.training_digest_ = digest_of(ground, target)
        if honest:
            self.oob_curve_ = np.array(judge.curve)
            self._keep_out_of_bag(judge, ground, table.n_rows)
        self.interval_shares_ = None if depth is None else depth.shares()

    def _limits(self, n_columns: int, n_rows: int) -> Limits:
        return Limits(
            max_features=columns_to_try(self.max_features, n_columns),
            max_depth=_NO_LIMIT if self.max_depth is None else check.count("max_depth", self.max_depth),
            min_split=rows_or_share("min_samples_split", self.min_samples_split, n_rows, 2),
            min_leaf=rows_or_share("min_samples_leaf", self.min_samples_leaf, n_rows, 1),
            min_share=check.number("min_weight_fraction_leaf", self.min_weight_fraction_leaf, low=0, high=0.5),
            random_cut=check.one_of("thresholds", self.thresholds, ["best", "random"]) == "random",
            n_combined=COMBINED if check.one_of("splits", self.splits, ["axis", "oblique"]) == "oblique" else 0,
        )

    def _lot(self, ground: Ground, target: Target) -> Lot:
        """How the trees draw rows: fixed by the rows' content and the seed, so it can be asked again."""
        n = len(target.weight)
        population = np.arange(n, dtype=np.uint32)
        if ground.copies is not None and ground.copies.max() > 1:
            population = np.repeat(population, ground.copies)
        strata = np.array([0, len(population)], dtype=np.int64)
        sizes = np.diff(strata)
        if self.bootstrap == "balanced":
            if not target.n_classes:
                raise ParameterError("bootstrap='balanced' draws as many rows of each class; use it for classes")
            classes = target.classes[population]
            population = population[np.argsort(classes, kind="stable")]
            counts = np.bincount(classes, minlength=target.n_classes)
            strata = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
            sizes = np.where(counts > 0, counts[counts > 0].min(), 0)  # a class may have rows of weight 0 only
        elif self.bootstrap not in (True, False):
            raise ParameterError(f"bootstrap={self.bootstrap!r} is not known; give True, False or 'balanced'")
        if self.max_samples is not None:
            whole = rows_or_share("max_samples", self.max_samples, len(population), 1)
            wanted = whole * sizes / sizes.sum()
            sizes = np.maximum(sizes > 0, np.round(wanted)).astype(np.int64)
            if not self.bootstrap and whole > len(population):
                raise ParameterError(
                    f"max_samples={self.max_samples}, but without replacement there are only {len(population):,} rows"
                )
        return Lot(population, strata, sizes.astype(np.int64), bool(self.bootstrap), self.seed_)

    def _stopper(self, ground: Ground, lot: Lot, judge: OutOfBag) -> OutOfBag | CopyByCopy:
        """Whose curve says when to stop."""
        if not self.oob_score:
            raise ParameterError(
                "stop_when_stable=True looks at the out-of-bag error, but oob_score=False; give one of them up"
            )
        if not lot.replace and lot.sizes.sum() == len(lot.population):
            raise ParameterError(
                "stop_when_stable=True looks at rows left out, but with bootstrap=False every tree sees every row; "
                "give max_samples below 1"
            )
        return judge if len(lot.population) == len(ground.rows) else CopyByCopy(ground, lot, judge)

    def _keep_out_of_bag(self, judge: OutOfBag, ground: Ground, n_rows: int) -> None:
        raise NotImplementedError

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of the fall of impurity that each column brings to rows the trees did not see; 0 for less than none.

        Measured on rows left out, so that columns with many values gain nothing by them (Li et al. 2019);
        `impurity_importance_` has the same without rounding up to 0. With `oob_score=False`, or when every tree sees
        every row, it is measured on the trees' own rows, which favours columns with many values.
        """
        check_is_fitted(self, "trees_")
        gain = np.maximum(self.impurity_importance_, 0.0)
        whole = np.sort(gain).sum()  # in an order that does not depend on the columns'
        return gain / whole if whole > 0 else gain

    def permutation_importance(
        self,
        X: Any = None,
        y: Any = None,
        *,
        sample_weight: Any = None,
        groups: Any = None,
        n_repeats: int = 1,
        n_permutations: int = 0,
        interchangeable: float | None = 0.9,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> PermutationImportance:
        """How much the trees lose on the rows they left out when a column is permuted among these rows.

        Parameters
        ----------
        X, y, sample_weight : the training rows, as they were given to `fit`; needed only when they are not in memory.
        groups : columns permuted together: a dict of lists, a list of lists, or one label a column.
        n_repeats : permutations of every column in every tree.
        n_permutations : permuted copies of the table for p-values, one forest each; 0 for none.
        interchangeable : columns that correlate at least so much are named together ("g17 or g203"); None: do not look.
        random_state, n_jobs : seed and threads; the answer does not depend on the threads.

        See :class:`tamis.forest.importance.PermutationImportance` for the formula and the answer.
        """
        from tamis.forest.importance import permutation_importance

        check_is_fitted(self, "trees_")
        return permutation_importance(
            self, X, y, sample_weight, groups, n_repeats, n_permutations, interchangeable, random_state,
            self.n_jobs if n_jobs is None else n_jobs,
        )  # fmt: skip

    def _matrix(self, X: Any) -> np.ndarray:
        """The rows as one C-ordered matrix of float64; what is such a matrix already is looked at once."""
        check_is_fitted(self, "trees_")
        if (
            type(X) is np.ndarray
            and X.dtype == np.float64
            and X.ndim == 2
            and X.shape[0] > 0
            and X.shape[1] == self.n_features_in_
            and X.flags.c_contiguous
            and not hasattr(self, "feature_names_in_")
            and not self.levels_in_
            and _finite(X)
        ):
            return X
        table = features(self, X, reset=False, sparse_ok=True)
        matrix = matrix_of(table)
        for j, coding in self.joined_levels_.items():
            there = ~np.isnan(matrix[:, j])
            matrix[there, j] = coding[matrix[there, j].astype(np.int64)]
        return matrix

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of each row in each tree: rows × trees."""
        matrix = self._matrix(X)
        return self.trees_.leaves(matrix, self.n_jobs)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the forest to a file: a JSON header and plain arrays, no code in it."""
        from tamis.forest.save import write

        check_is_fitted(self, "trees_")
        write(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Any:
        """The forest that `save` wrote."""
        from tamis.forest.save import read

        return read(cls, path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


class ForestClassifier(ClassifierMixin, BaseForest):
    r"""A forest of classification trees, each grown on its own draw of rows and splitting on columns drawn at random.

    Trees are not pruned. Their answers are averaged:

    .. math:: P(c \mid x) = \frac{1}{T} \sum_t p_t(c \mid x)

    Each row is also judged by the trees that did not draw it, about a share 1/e = 0.368 of them: the out-of-bag answers
    are honest without a test set.

    Parameters
    ----------
    n_estimators : number of trees; with `stop_when_stable` the most there may be.
    max_features : columns tried at each split: "sqrt", "log2", None (all), a number or a share.
    oob_score : work out the out-of-bag answers, their error after each tree, and importances from rows left out.
    stop_when_stable : stop when the error's curve is flat within its own noise.
    bootstrap : True draws rows with replacement, False without (all of them, unless max_samples says less),
        "balanced" draws as many rows of each class as the rarest has, with replacement.
    max_samples : how many rows a tree draws, a number or a share; by default as many as there are.
    voting : "probabilities" averages the shares of classes in the leaves; "majority" counts a vote for each tree.
    class_weight : "balanced" or a dict class -> weight.
    loss_matrix : loss_matrix[truth][answer], in the order of `classes_`; steers splits (altered priors) and answers.
    splits : "axis": each split asks for one column; "oblique": for a sum of three, with random factors; each tree has
        sums of its own, and tries twice max_features (Breiman's Forest-RC). Categorical columns stay as they are.
    thresholds : "best", or "random": one threshold at random for each column tried (extremely randomised trees).
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf : when to stop. The sample limits count
        drawn rows, or are shares of the rows; the last is a share of the weight.
    random_state : seed of every draw.
    n_jobs : threads; the forest does not depend on it.
    progress : a bar on the terminal: None for fits that take long, True, or False.

    Categorical columns are split into two sets of levels, ordered by the share of a class in the node. Rows without a
    value go to the side that suits them better, together; where a node saw none in training, with the larger part. For
    a categorical column missing is a level of its own. Whole sample weights count as copies of a row; others multiply.

    Attributes
    ----------
    classes_ : the classes, sorted.
    oob_score_ : accuracy out of the bag. oob_decision_function_ : the shares of classes (NaN: drawn by every tree).
    oob_curve_ : error after each tree (with a loss matrix, mean cost). oob_share_ : mean share of rows out of the bag.
    feature_importances_, impurity_importance_ : what each column brings to rows out of the bag.
    trees_ : the trees as arrays.

    References
    ----------
    Breiman (2001), Random Forests. Li, Wang, Basu, Kumbier and Yu (2019), A Debiased MDI Feature Importance Measure.

    >>> from tamis import ForestClassifier
    >>> X = [[float(i)] for i in range(40)]
    >>> forest = ForestClassifier(20).fit(X, ["low"] * 20 + ["high"] * 20)
    >>> forest.predict([[3.0], [33.0]]).tolist()
    ['low', 'high']
    """

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        max_features: str | int | float | None = "sqrt",
        oob_score: bool = True,
        stop_when_stable: bool = False,
        bootstrap: bool | str = True,
        max_samples: int | float | None = None,
        voting: str = "probabilities",
        class_weight: Any = None,
        loss_matrix: Any = None,
        splits: str = "axis",
        thresholds: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.oob_score = oob_score
        self.stop_when_stable = stop_when_stable
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.voting = voting
        self.class_weight = class_weight
        self.loss_matrix = loss_matrix
        self.splits = splits
        self.thresholds = thresholds
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ForestClassifier:
        """Grow the forest."""
        check.one_of("voting", self.voting, ["probabilities", "majority"])
        table = features(self, X, reset=True, sparse_ok=True)
        classes = Classes.of(y)
        same_length(table, classes.codes)
        weight = check.weights(sample_weight, table.n_rows)
        self.classes_ = classes.labels
        self.loss_ = loss_of(self.loss_matrix, classes.n_classes)
        self.joined_levels_, ground, target, worth = self._problem(table, classes, weight)
        self._grow(table, ground, target, worth, self.loss_)
        remember(self, X, y, sample_weight)
        return self

    def _problem(
        self, table: Table, classes: Classes, weight: np.ndarray
    ) -> tuple[dict[int, np.ndarray], Ground, Target, np.ndarray]:
        """Levels that share a code, the codes, the target in their order, and what each row counts in the error."""
        ground = Ground.of(table, classes.codes.astype(np.float64), weight, self.n_jobs)
        codes = np.ascontiguousarray(classes.codes[ground.rows])
        heavy = np.bincount(codes, weights=ground.counted, minlength=classes.n_classes)
        factor = class_factors(self.class_weight, classes.labels, heavy)
        alter = (
            np.maximum(self.loss_.sum(axis=1), 1e-3 * self.loss_.sum(axis=1).max()) if classes.n_classes > 1 else factor
        )
        alter = alter / alter.mean()
        two = classes.n_classes == 2
        target = Target(
            kind=NUMBER if two else CLASSES,
            n_classes=classes.n_classes,
            classes=codes,
            values=(codes == 1).astype(np.float64)[:, None] if two else np.empty((0, 1)),
            weight=ground.weight * (factor * alter)[codes],
            worth=alter,
        )
        return ground.joined, ground, target, ground.counted

    def _keep_out_of_bag(self, judge: OutOfBag, ground: Ground, n_rows: int) -> None:
        self.oob_decision_function_ = np.full((n_rows, len(self.classes_)), np.nan)
        shares = judge.answers()
        self.oob_decision_function_[ground.rows] = shares
        seen = judge.n_trees > 0
        right = self._answers(shares[seen]) == judge.target.classes[seen]
        self.oob_score_ = float(np.average(right, weights=judge.weight[seen])) if seen.any() else np.nan

    def predict_proba(self, X: Any) -> np.ndarray:
        """Average share of each class in the leaves of each row (share of votes, with voting="majority")."""
        matrix = self._matrix(X)
        return self.trees_.mean(matrix, self.n_jobs)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest share, or of the least expected cost with a loss matrix."""
        answers = self._answers(self.predict_proba(X))
        return self.classes_[answers]

    def _answers(self, shares: np.ndarray) -> np.ndarray:
        """The class each row of shares speaks for, as a code."""
        if self.loss_matrix is None or self.voting == "majority":
            return shares.argmax(axis=1)
        return (shares @ self.loss_).argmin(axis=1)


class ForestRegressor(RegressorMixin, BaseForest):
    r"""A forest of regression trees, each grown on its own draw of rows, each split on a few columns drawn at random.

    Trees are not pruned; the forest answers with their mean. Several targets at once are given as a matrix y.

    Parameters are those of :class:`ForestClassifier`, without the ones about classes; `max_features` is a third of the
    columns by default.

    Attributes
    ----------
    oob_score_ : R² out of the bag (mean over targets). oob_prediction_ : the answers (NaN: drawn by every tree).
    oob_curve_ : mean squared error after each tree. oob_share_ : mean share of rows out of the bag.
    feature_importances_, impurity_importance_, trees_ : as in :class:`ForestClassifier`.

    >>> from tamis import ForestRegressor
    >>> X = [[float(i)] for i in range(40)]
    >>> forest = ForestRegressor(20).fit(X, [2.0 * i for i in range(40)])
    >>> bool(abs(forest.predict([[20.0]])[0] - 40.0) < 3.0)
    True
    """

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        max_features: str | int | float | None = 1 / 3,
        oob_score: bool = True,
        stop_when_stable: bool = False,
        bootstrap: bool = True,
        max_samples: int | float | None = None,
        splits: str = "axis",
        thresholds: str = "best",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        random_state: Any = 0,
        n_jobs: int | None = None,
        progress: bool | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.oob_score = oob_score
        self.stop_when_stable = stop_when_stable
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.splits = splits
        self.thresholds = thresholds
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ForestRegressor:
        """Grow the forest."""
        table = features(self, X, reset=True, sparse_ok=True)
        values = numbers(y, several=True)
        same_length(table, values)
        weight = check.weights(sample_weight, table.n_rows)
        self.n_outputs_ = 1 if values.ndim == 1 else values.shape[1]
        self.joined_levels_, ground, target, worth = self._problem(table, values, weight)
        self._grow(table, ground, target, worth, np.zeros((0, 0)))
        remember(self, X, y, sample_weight)
        return self

    def _problem(
        self, table: Table, values: np.ndarray, weight: np.ndarray
    ) -> tuple[dict[int, np.ndarray], Ground, Target, np.ndarray]:
        """Levels that share a code, the codes, the target in their order, and what each row counts in the error."""
        ground = Ground.of(table, values, weight, self.n_jobs)
        target = Target(
            kind=NUMBER if values.ndim == 1 else SEVERAL,
            n_classes=0,
            classes=np.empty(0, dtype=np.int32),
            values=np.ascontiguousarray(values[ground.rows].reshape(len(ground.rows), -1)),
            weight=ground.weight,
            worth=np.ones(1),
        )
        return ground.joined, ground, target, ground.counted

    def _keep_out_of_bag(self, judge: OutOfBag, ground: Ground, n_rows: int) -> None:
        out = np.full((n_rows, self.n_outputs_), np.nan)
        answers = judge.answers()
        out[ground.rows] = answers
        self.oob_prediction_ = out[:, 0] if self.n_outputs_ == 1 else out
        seen = judge.n_trees > 0
        self.oob_score_ = r_squared(judge.target.values[seen], answers[seen], judge.weight[seen])

    def predict(self, X: Any) -> np.ndarray:
        """Mean of the trees' answers."""
        matrix = self._matrix(X)
        out = self.trees_.mean(matrix, self.n_jobs)
        return out[:, 0] if self.n_outputs_ == 1 else out

    def predict_interval(self, X: Any, coverage: float = 0.9) -> np.ndarray:
        """Lower and upper end, for each row, of an interval that holds a new answer with the probability `coverage`.

        Quantiles of training answers, one drawn by each tree from the leaf of the row (Meinshausen 2006), as far out
        as the rows out of the bag needed to be held that often: with the plain quantiles trees that try many columns
        promise too much, others too little. Right on average over rows like those of `fit`. With `oob_score=False`,
        or when every tree sees every row, they are the plain quantiles. Give the forest a few hundred trees. One
        numeric target only.
        """
        level = check.number("coverage", coverage, low=0, high=1, open_low=True, open_high=True)
        check_is_fitted(self, "trees_")
        if self.n_outputs_ > 1:
            raise ParameterError(
                f"intervals are for one target, but the forest has {self.n_outputs_}; fit one at a time"
            )
        drawn = self.trees_.drawn(self._matrix(X), self.n_jobs)
        shares = self.interval_shares_
        held = level if shares is None else np.interp(level, np.linspace(0.0, 1.0, len(shares)), shares)
        ends = np.quantile(drawn, [(1 - held) / 2, (1 + held) / 2], axis=1)
        return np.ascontiguousarray(ends.T, dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _finite(X: np.ndarray) -> bool:
    """Whether every value is finite, told by one sum; where finite values overflow it, the long way finds out."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))


def r_squared(truth: np.ndarray, answer: np.ndarray, weight: np.ndarray) -> float:
    """1 - squared error over that of the mean, averaged over targets; NaN without two different answers to compare."""
    if len(truth) < 2:
        return float("nan")
    off = weight @ (truth - answer) ** 2
    spread = weight @ (truth - np.average(truth, axis=0, weights=weight)) ** 2
    if not np.all(spread > 0):
        return float("nan")
    return float(np.mean(1.0 - off / spread))
