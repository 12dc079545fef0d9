"""ForestClassifier and ForestRegressor: many trees, each on its own draw of rows, judged by the rows it left out."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.engine import drawn_seed
from tamis.errors import ParameterError
from tamis.forest.base import BaseForest
from tamis.forest.data.binned import ForestData
from tamis.forest.growing import GrowingForest
from tamis.forest.layout import NO_CODES, NUMBER, SEVERAL, ForestTarget, class_target
from tamis.forest.level_scores import best_scores, codes_of, level_scores
from tamis.forest.predict.out_of_bag import OutOfBag
from tamis.forest.predict.temperature import calibrated, tempered
from tamis.forest.settings import CLASS_CRITERIA, CRITERIA, altered_priors
from tamis.forest.training import remember
from tamis.forest.tune import Drawing
from tamis.metrics.r_squared import weighted_r_squared
from tamis.table import Classes, LazyTable, Table, features, numbers, same_length, target_scales
from tamis.table.interface.several_classes import SeveralClasses, has_several_targets
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.tree.settings import loss_of, one_target, refuse_other_than, takes_several
from tamis.views.lazy.target import refuse_rows

#: Parameters that forests of several class targets take at their defaults alone.
SEVERAL_TAKE = ("criterion", "level_scores", "monotone", "voting", "calibration", "class_weight", "loss_matrix")


@parameters
class ForestClassifier(ClassifierMixin, BaseForest):
    r"""A forest of classification trees, each grown on its own draw of rows and splitting on columns drawn at random.

    Trees are not pruned. Their answers are averaged:

    .. math:: P(c \mid x) = \frac{1}{T} \sum_t p_t(c \mid x)

    Each row is also judged by the trees that did not draw it, about a share 1/e = 0.368 of them: the out-of-bag answers
    are honest without a test set.

    Parameters
    ----------
    n_estimators : number of trees; with `stop_when_stable` the most there may be.
    criterion : "gini" or "entropy": the impurity whose fall splits are compared by; or "ordinal", for ordered classes:
        the ranked probability score, so that splits part classes that lie far from each other, or the variance of
        scores of the classes (`level_scores`). Probabilities are the shares of classes in the leaves, as ever.
    level_scores : with criterion="ordinal", the numbers that stand for the classes: None (the ranked probability
        score), "equal" distances, "normal" quantiles of the cumulative shares, a number for each class, or "oob": the
        best of eight, by the ranked probability score out of the bag of 50 trees (Hornung 2020). Over eleven tables
        (benchmarks/forest/ordinal.py) the score on new rows is, relative to "gini", 0.996, 0.998, 0.995 and, chosen,
        0.992 in 3.7 times the time; in a study's forest on few columns 0.989, 0.982, 0.972 and 0.985.
    max_features : columns tried at each split: "sqrt", "log2", None (all), a number or a share.
    oob_score : work out the out-of-bag answers, their error after each tree, and importances from rows left out.
    stop_when_stable : stop when the error's curve is flat within its own noise.
    tune : True chooses `max_features` and `min_samples_leaf`, from those given on, and where they have their defaults
        the criterion (of numbers) and whether 0.8 of the rows are drawn without replacement (`bootstrap`,
        `max_samples`) and splits are looked for among 320 of a node's rows (`max_split_samples`), all by the
        out-of-bag score (Brier score, squared error) of 12 to 50 trees, the fewer the more rows; a mapping says which
        values to try, as in {"min_samples_leaf": [1, 5, 20]} or {"thresholds": ["best", "random"]}.
        The score quoted out of the bag is then the best of a few: it flatters a little.
    bootstrap : True draws rows with replacement, False without (all of them, unless max_samples says less),
        "balanced" draws as many rows of each class as the rarest has, with replacement.
    max_samples : how many rows a tree draws, a number or a share; by default as many as there are. Of a table larger
        than memory by default at most 262,144 rows and 16,777,216 codes; 50,000 of its rows (`oob_rows_`) judge trees.
    max_split_samples : among how many rows of a node its split is looked for, 16 at least; by default all. Trees that
        try many columns then differ more, and cost less. Where these rows show no split, all are looked at.
    max_oob_samples : about how many of the rows that it left out judge a tree; by default all. Where trees draw few of
        many rows, sending all others down takes most of the time. Every row is still judged, by fewer trees.
    voting : "probabilities" averages the shares of classes in the leaves; "majority" counts a vote for each tree.
    calibration : None, or "temperature": shares are raised to the power 1 / T and divided by their sum, with the T of
        the smallest log loss out of the bag. The order of the classes stays; how sure the forest is changes.
    class_weight : "balanced" or a dict class -> weight.
    loss_matrix : loss_matrix[truth][answer], in the order of `classes_`; steers splits (altered priors) and answers.
    splits : "axis": each split asks for one column; "oblique": for a sum of three, with random factors; each tree has
        sums of its own, and tries twice max_features (Breiman's Forest-RC). Categorical columns stay as they are.
    thresholds : "best", or "random": one threshold at random for each column tried (extremely randomised trees).
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf : when to stop. The sample limits count
        drawn rows, or are shares of the rows; the last is a share of the weight.
    monotone : dict column -> 1 (predictions never fall as the column rises, all others equal), -1 (they never rise) or
        0; of two classes the probability of the second. Exact in every tree, and so in their mean: see
        :class:`TreeClassifier`. Intervals are not held to it. For two classes or one number, columns of numbers.
    random_state : seed of every draw.
    n_jobs : threads; the forest does not depend on it.
    progress : a bar on the terminal: None for fits that take long, True, or False.

    Categorical columns are split into two sets of levels, ordered by the share of a class in the node. Rows without a
    value go to the side that suits them better, together; where a node saw none in training, with the larger part. For
    a categorical column missing is a level of its own. Whole sample weights count as copies of a row; others multiply.

    Several class targets at once are given as a matrix y: splits then lower the sum of the targets' Gini impurities,
    and `predict_proba` gives a list with a matrix for each target, as in scikit-learn.

    Attributes
    ----------
    classes_ : the classes, sorted; of several targets a list.
    indicator_forest_ : of several targets, the ForestRegressor of the indicators of all their classes.
    oob_score_ : accuracy out of the bag (mean over targets).
    oob_decision_function_ : the shares of classes out of the bag (NaN: drawn by every tree); with a calibration, each
        fifth of the rows at the temperature that the others choose.
    temperature_ : T; 1 without a calibration.
    oob_curve_ : error after each tree (with a loss matrix, mean cost).
    oob_fraction_ : mean fraction of rows out of the bag.
    feature_importances_, impurity_importance_ : what each column brings to rows out of the bag.
    trees_ : the trees as arrays.
    level_scores_ : with scores, the number of each class, 0 for the first and 1 for the last; else None.
    selected_columns_ : names of the columns that splits ask for.
    max_features_, min_samples_leaf_, thresholds_, tuned_params_, tuning_ : with `tune`, what was chosen, the parameters
        that give the same forest at once, and all that was tried with its score, the one chosen last.

    References
    ----------
    Breiman (2001), Random Forests. Li, Wang, Basu, Kumbier and Yu (2019), A Debiased MDI Feature Importance Measure.
    Hornung (2020), Ordinal Forests, Journal of Classification 37.

    >>> from tamis import ForestClassifier
    >>> X = [[float(i)] for i in range(40)]
    >>> forest = ForestClassifier(20).fit(X, ["low"] * 20 + ["high"] * 20)
    >>> forest.predict([[3.0], [33.0]]).tolist()
    ['low', 'high']
    """

    _criteria = CLASS_CRITERIA

    criterion: str = "gini"
    level_scores: Any = None
    max_features: str | int | float | None = "sqrt"
    bootstrap: bool | str = True
    voting: str = "probabilities"
    calibration: str | None = None
    class_weight: Any = None
    loss_matrix: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ForestClassifier:
        """Grow the forest; X may be a lazy table, and y then the name of one of its columns."""
        check.one_of("voting", self.voting, ["probabilities", "majority"])
        if self.calibration is not None:
            check.one_of("calibration", self.calibration, ["temperature"])
        self.temperature_ = 1.0
        if self.criterion == "entropy" and self._tunes:
            raise ParameterError(f"criterion={self.criterion!r} does not go with tune; give one of them")
        if isinstance(X, LazyTable):
            from tamis.forest.lazy.fit import fit_lazily

            refuse_rows(sample_weight=sample_weight)
            fit_lazily(self, X, y, classes=True)
            return self
        for name in ("indicator_forest_", "several_"):
            self.__dict__.pop(name, None)
        if has_several_targets(y):
            refuse_other_than(self, ForestClassifier(), SEVERAL_TAKE)
            return self._fit_several(X, SeveralClasses.of(y), sample_weight)
        table = features(self, X, reset=True, sparse_ok=True)
        classes = Classes.of(y)
        same_length(table, classes.codes)
        weight = check.weights(sample_weight, table.n_rows)
        self.classes_: Any = classes.labels
        self.loss_ = loss_of(self.loss_matrix, classes.n_classes)
        self._take_scores(np.bincount(classes.codes, weights=weight, minlength=classes.n_classes))
        self.joined_levels_, data, target, worth = self._problem(table, classes, weight)
        if self._chooses_scores:
            target = self._with_best_scores(table, data, target, worth)
        self._grow(table, data, target, worth, self.loss_)
        remember(self, X, y, sample_weight)
        return self

    def _take_scores(self, weight: np.ndarray) -> None:
        """Take the scores of classes of some weights as they are given; those to begin with where they are chosen."""
        if self.level_scores is not None and self.criterion != "ordinal":
            raise ParameterError(
                f"level_scores={self.level_scores!r} is for ordered classes; give criterion='ordinal', too"
            )
        self.level_scores_ = level_scores(self.level_scores, weight)

    @property
    def _chooses_scores(self) -> bool:
        return isinstance(self.level_scores, str) and self.level_scores == "oob"

    def _with_best_scores(
        self, table: Table, data: ForestData, target: ForestTarget, worth: np.ndarray
    ) -> ForestTarget:
        """The target with the scores of its classes that do best out of the bag."""
        if not target.codes.size:
            return target
        self.seed_ = drawn_seed(self.random_state)
        drawing, limits = Drawing(), self._limits(table.n_columns, len(target.weight))
        bootstrap = self._bootstrap(data, target, drawing)
        self._refuse_without_rows_left_out(not bootstrap.replace and bootstrap.sizes.sum() == len(bootstrap.population))

        def begin(scores: np.ndarray) -> GrowingForest:
            coded = target._replace(codes=codes_of(scores, target.n_classes))
            return self._begin(data, coded, worth, self.loss_, limits, drawing)

        weight = np.bincount(target.classes, weights=data.counted, minlength=target.n_classes)
        self.level_scores_ = best_scores(begin, weight, self.n_estimators, self.seed_)
        return target._replace(codes=codes_of(self.level_scores_, target.n_classes))

    def _fit_several(self, X: Any, targets: SeveralClasses, sample_weight: Any) -> ForestClassifier:
        """A forest of the indicators of the classes of several targets."""
        params = self.get_params(deep=False)
        names = set(ForestRegressor().get_params())
        shared = names - {"criterion"}
        forest = ForestRegressor(**{name: value for name, value in params.items() if name in shared})
        forest._one_unit = True
        forest.fit(X, targets.indicators(), sample_weight)
        for name, value in vars(forest).items():
            if name not in names:
                setattr(self, name, value)
        self.indicator_forest_, self.several_ = forest, targets.without_rows()
        self.classes_ = targets.labels
        self.n_outputs_ = len(targets.labels)
        means = self.__dict__.pop("oob_prediction_", None)
        if means is not None:
            self.oob_decision_function_: Any = targets.shares(means)
            self.oob_score_ = targets.accuracy(means)
        return self

    def permutation_importance(self, X: Any = None, y: Any = None, **options: Any) -> Any:
        """As in `BaseForest`; of several class targets, by the summed Brier score of all of them."""
        if not hasattr(self, "indicator_forest_"):
            return super().permutation_importance(X, y, **options)
        indicators = None if y is None else SeveralClasses.of(y).indicators()
        return self.indicator_forest_.permutation_importance(X, indicators, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the forest to a file: a JSON header and plain arrays, no code in it."""
        one_target(self)
        super().save(path)

    def _problem(
        self, table: Table, classes: Classes, weight: np.ndarray
    ) -> tuple[dict[int, np.ndarray], ForestData, ForestTarget, np.ndarray]:
        """Levels that share a code, the codes, the target in their order, and what each row counts in the error."""
        data = ForestData.of(table, classes.codes.astype(np.float64), weight, self.n_jobs)
        codes = np.ascontiguousarray(classes.codes[data.rows])
        heavy = np.bincount(codes, weights=data.counted, minlength=classes.n_classes)
        factor = check.class_factors(self.class_weight, classes.labels, heavy)
        worth = altered_priors(self.loss_)
        target = class_target(codes, data.weight * (factor * worth)[codes], worth, self._codes(classes.n_classes))
        return data.joined, data, target, data.counted

    def _codes(self, n_classes: int) -> np.ndarray:
        """What stands for the classes where they are ordered."""
        return codes_of(self.level_scores_, n_classes) if self.criterion == "ordinal" else NO_CODES

    def _keep_out_of_bag(self, judge: OutOfBag, data: ForestData, n_rows: int) -> None:
        self.oob_decision_function_ = np.full((n_rows, len(self.classes_)), np.nan)
        shares = judge.answers()
        if self.calibration is not None:
            self.temperature_, shares = calibrated(shares, judge.target.classes, judge.weight)
        self.oob_decision_function_[data.rows] = shares
        judged = judge.n_trees > 0
        right = self._answers(shares[judged]) == judge.target.classes[judged]
        self.oob_score_ = float(np.average(right, weights=judge.weight[judged])) if judged.any() else np.nan

    def predict_proba(self, X: TableLike) -> Any:
        """Average share of each class in the leaves of each row (of votes, with voting="majority"), then calibrated.

        Of several targets a list with a matrix for each.
        """
        matrix = self._matrix(X)
        if hasattr(self, "several_"):
            return self.several_.shares(self.trees_.mean(matrix, self.n_jobs))
        return tempered(self.trees_.mean(matrix, self.n_jobs), self.temperature_)

    def predict_log_proba(self, X: TableLike) -> Any:
        """Logarithm of `predict_proba`."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(target_shares) for target_shares in shares] if isinstance(shares, list) else np.log(shares)

    def predict(self, X: TableLike) -> np.ndarray:
        """The class of the largest share, or of the least expected cost with a loss matrix."""
        if hasattr(self, "several_"):
            matrix = self._matrix(X)
            return self.several_.predicted(self.trees_.mean(matrix, self.n_jobs))
        answers = self._answers(self.predict_proba(X))
        return self.classes_[answers]

    def _answers(self, shares: np.ndarray) -> np.ndarray:
        """The class each row of shares speaks for, as a code."""
        if self.loss_matrix is None or self.voting == "majority":
            return shares.argmax(axis=1)
        return (shares @ self.loss_).argmin(axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = takes_several(self, ForestClassifier(), SEVERAL_TAKE)
        return tags


@parameters
class ForestRegressor(RegressorMixin, BaseForest):
    r"""A forest of regression trees, each grown on its own draw of rows, each split on a few columns drawn at random.

    Trees are not pruned; the forest answers with their mean. Several targets at once are given as a matrix y;
    each then counts in units of its standard deviation.

    Parameters are those of :class:`ForestClassifier`, without the ones about classes; `max_features` is 0.7
    of the columns by default: over nine tables a mean R² on new rows of 0.645, with a third of them 0.612, with all
    0.645 (benchmarks/forest/max_features.py). One more:

    criterion : "squared_error", or "standard_deviation": splits are compared by the fall of the two sides' standard
        deviations, weighted by their rows (Quinlan's M5). A column that acts only together with another, as in a
        product, is then found, for the answers scatter differently on its two sides. "poisson" compares the fall of
        the Poisson deviance, for counts; a side without any count is no split.

    Attributes
    ----------
    oob_score_ : R² out of the bag (mean over targets).
    oob_prediction_ : the answers out of the bag (NaN: drawn by every tree).
    oob_curve_ : mean squared error after each tree.
    oob_fraction_ : mean fraction of rows out of the bag.
    feature_importances_, impurity_importance_, trees_ : as in :class:`ForestClassifier`.

    References
    ----------
    Quinlan (1992), Learning with continuous classes.

    >>> from tamis import ForestRegressor
    >>> X = [[float(i)] for i in range(40)]
    >>> forest = ForestRegressor(20).fit(X, [2.0 * i for i in range(40)])
    >>> bool(abs(forest.predict([[20.0]])[0] - 40.0) < 3.0)
    True
    """

    _one_unit = False  # of several targets, as the indicators of classes are

    criterion: str = "squared_error"
    max_features: str | int | float | None = 0.7

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ForestRegressor:
        """Grow the forest; X may be a lazy table, and y then the name of one of its columns."""
        if isinstance(X, LazyTable):
            from tamis.forest.lazy.fit import fit_lazily

            refuse_rows(sample_weight=sample_weight)
            fit_lazily(self, X, y, classes=False)
            return self
        table = features(self, X, reset=True, sparse_ok=True)
        values = numbers(y, several=True)
        same_length(table, values)
        weight = check.weights(sample_weight, table.n_rows)
        self.n_outputs_ = 1 if values.ndim == 1 else values.shape[1]
        if self.criterion in CRITERIA[1:] and values.ndim > 1:
            raise ParameterError(
                f"criterion={self.criterion!r} takes one target, but y has {self.n_outputs_}; fit one at a time"
            )
        if self.criterion == "poisson":
            check.counts("criterion='poisson'", values)
        self.joined_levels_, data, target, worth = self._problem(table, values, weight)
        self._grow(table, data, target, worth, np.zeros((0, 0)))
        remember(self, X, y, sample_weight)
        return self

    def _problem(
        self, table: Table, values: np.ndarray, weight: np.ndarray
    ) -> tuple[dict[int, np.ndarray], ForestData, ForestTarget, np.ndarray]:
        """Levels that share a code, the codes, the target in their order, and what each row counts in the error."""
        data = ForestData.of(table, values, weight, self.n_jobs)
        scale = target_scales(values[data.rows], data.counted, self._one_unit)
        target = ForestTarget(
            kind=NUMBER if values.ndim == 1 else SEVERAL,
            n_classes=0,
            classes=np.empty(0, dtype=np.int32),
            values=np.ascontiguousarray(values[data.rows].reshape(len(data.rows), -1) / scale),
            weight=data.weight,
            worth=np.ones(1),
            scale=scale,
        )
        return data.joined, data, target, data.counted

    def _keep_out_of_bag(self, judge: OutOfBag, data: ForestData, n_rows: int) -> None:
        out = np.full((n_rows, self.n_outputs_), np.nan)
        answers = judge.answers()
        out[data.rows] = answers * judge.target.scale
        self.oob_prediction_ = out[:, 0] if self.n_outputs_ == 1 else out
        judged = judge.n_trees > 0
        self.oob_score_ = weighted_r_squared(judge.target.values[judged], answers[judged], judge.weight[judged])

    def predict(self, X: TableLike) -> np.ndarray:
        """Mean of the trees' answers."""
        matrix = self._matrix(X)
        out = self.trees_.mean(matrix, self.n_jobs)
        return out[:, 0] if self.n_outputs_ == 1 else out

    def predict_interval(self, X: TableLike, coverage: float = 0.9) -> np.ndarray:
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
        draws_share = level if shares is None else float(np.interp(level, np.linspace(0.0, 1.0, len(shares)), shares))
        inside, beyond = min(draws_share, 1.0), max(0.0, draws_share - 1.0)
        ends = np.quantile(drawn, [(1 - inside) / 2, (1 + inside) / 2], axis=1).astype(np.float64)
        if beyond:  # the draws are too close together to hold so many answers
            ends += beyond * (ends[1] - ends[0]) * np.array([[-1.0], [1.0]])
        return np.ascontiguousarray(ends.T)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.positive_only = self.criterion == "poisson"
        return tags
