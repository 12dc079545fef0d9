"""What forests for classes and for numbers share."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.engine import drawn_seed
from tamis.errors import ParameterError
from tamis.forest.data.binned import ForestData
from tamis.forest.data.bootstrap import Bootstrap
from tamis.forest.growing import GrowingForest, TreeGrower
from tamis.forest.layout import ForestLimits, ForestTarget, TargetCosts
from tamis.forest.predict.out_of_bag import OutOfBag
from tamis.forest.settings import CRITERIA, columns_to_try, rows_to_look_at
from tamis.forest.training import digest_of
from tamis.forest.tune import Drawing, Grid, Setting, tuned
from tamis.table import Table, features
from tamis.table.interface.takes_table import TakesMissing, parameters
from tamis.table.like import TableLike
from tamis.tree.settings import rows_or_share
from tamis.tree.tree import matrix_of

if TYPE_CHECKING:
    from tamis.forest.importance.permutation_importance import PermutationImportance

_NO_LIMIT = 2**31 - 1
COMBINED = 3  # columns in a sum of an oblique split


@parameters
class BaseForest(TakesMissing, BaseEstimator, ABC):
    """What forests for classes and for numbers share: parameters, drawing rows, growing, sending rows down."""

    n_estimators: int = field(default=500, kw_only=False)
    criterion: str = "squared_error"
    max_features: str | int | float | None = None
    oob_score: bool = True
    stop_when_stable: bool = False
    tune: Any = False
    bootstrap: bool | str = True
    max_samples: int | float | None = None
    max_oob_samples: int | None = None
    max_split_samples: int | None = None
    splits: str = "axis"
    thresholds: str = "best"
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    monotone: dict[str, int] | None = None
    random_state: Any = 0
    n_jobs: int | None = None
    progress: bool | None = None

    _criteria: ClassVar[tuple[str, ...]] = CRITERIA

    def _grow(self, table: Table, data: ForestData, target: ForestTarget, worth: np.ndarray, loss: np.ndarray) -> None:
        limits = self._limits(table.n_columns, len(target.weight))
        limits = limits._replace(monotone=self._directions(table, target, data.columns))
        self.seed_ = drawn_seed(self.random_state)
        bootstrap = self._bootstrap(data, target, Drawing())
        n_drawn = int(bootstrap.sizes.sum())
        self._refuse_without_rows_left_out(not bootstrap.replace and n_drawn == len(bootstrap.population))
        begin = partial(self._begin, data, target, worth, loss)
        forest = self._grown(begin, limits, table.n_columns, n_drawn, self._may_vary(bootstrap))
        self._keep(forest, data, target, table.n_rows)

    def _grown(
        self,
        begin: Callable[[ForestLimits, Drawing], GrowingForest],
        limits: ForestLimits,
        n_columns: int,
        n_drawn: int,
        may_vary: Mapping[str, bool] | None = None,
    ) -> GrowingForest:
        """The forest that `begin` begins, with the settings that do best out of the bag where it is to be tuned."""
        n_trees = check.count("n_estimators", self.n_estimators)
        if self._tunes:
            grid = Grid.of(self.tune, limits, n_columns, n_drawn, may_vary)
            forest, self.tuning_ = tuned(begin, limits, grid, n_trees)
            chosen = self.tuning_[-1]
            self._take(chosen)
            if forest.n_trees > n_trees:  # fewer than it takes to compare settings
                forest = begin(chosen.limits(limits), chosen.drawing)
        else:
            forest = begin(limits, Drawing())
        forest.grow(n_trees, self.progress, stop=bool(self.stop_when_stable))
        return forest

    def _keep(self, forest: GrowingForest, data: ForestData, target: ForestTarget, n_rows: int) -> None:
        """Take what a grown forest holds."""
        self.trees_ = forest.trees(data.columns)
        self.impurity_importance_ = np.empty(len(data.columns))
        self.impurity_importance_[data.columns] = forest.gain / forest.n_trees
        self.oob_fraction_ = forest.share / forest.n_trees
        self.training_digest_ = digest_of(data, target)
        for name in ("oob_curve_", "oob_decision_function_", "oob_prediction_", "oob_score_", "oob_rows_"):
            self.__dict__.pop(name, None)  # of another table, when fitted before
        if forest.out_of_bag:
            self.oob_curve_ = forest.judge.curve
            self._keep_out_of_bag(forest.judge, data, n_rows)
        self.interval_shares_ = forest.interval_shares()

    def _begin(
        self,
        data: ForestData,
        target: ForestTarget,
        worth: np.ndarray,
        loss: np.ndarray,
        limits: ForestLimits,
        drawing: Drawing,
    ) -> GrowingForest:
        """A forest without trees."""
        bootstrap = self._bootstrap(data, target, drawing)
        looked_at, out_of_bag = self._tunes or self.stop_when_stable or self._chooses_scores, bool(self.oob_score)
        population = bootstrap.population if looked_at and len(bootstrap.population) != len(data.rows) else None
        grow = TreeGrower(
            data, target, limits, bootstrap, out_of_bag, loss if self._votes else None, population is not None,
            self.n_jobs,
        )  # fmt: skip
        costs = self._costs(target, worth, loss)
        return GrowingForest(grow, costs, target, len(data.columns), out_of_bag=out_of_bag, population=population)

    def _directions(self, table: Table, target: ForestTarget, columns: np.ndarray) -> np.ndarray:
        """Of columns, by their positions, whether answers may not fall (1), not rise (-1) or are free; or empty."""
        directions = check.monotone(self.monotone, table.names, lambda j: table.column(j).is_categorical)
        n_targets = 1 if target.n_classes else target.values.shape[1]
        check.one_answer(directions, target.n_classes, n_targets)
        if len(directions) and self.splits != "axis":
            raise ParameterError(f"monotone does not go with splits={self.splits!r}; give splits='axis'")
        return directions[columns] if len(directions) else directions

    @property
    def _votes(self) -> bool:
        """Whether trees vote for a class instead of answering with shares."""
        return getattr(self, "voting", "probabilities") == "majority"

    def _costs(self, target: ForestTarget, worth: np.ndarray, loss: np.ndarray) -> TargetCosts:
        """What wrong answers cost, of rows that count `worth`."""
        majority = self._votes or getattr(self, "loss_matrix", None) is None
        return TargetCosts(target.n_classes, target.classes, target.values, worth, loss, majority)

    @property
    def oob_share_(self) -> float:
        """Former name of `oob_fraction_`; it warns."""
        check_is_fitted(self)
        warnings.warn("oob_share_ is now called oob_fraction_; read that", FutureWarning, stacklevel=2)
        return self.oob_fraction_

    @property
    def _chooses_scores(self) -> bool:
        """Whether scores of ordered classes are chosen out of the bag."""
        return False

    @property
    def _tunes(self) -> bool:
        return bool(self.tune) or isinstance(self.tune, Mapping)

    def _may_vary(self, bootstrap: Bootstrap) -> dict[str, bool]:
        """What tune=True may vary beside columns and leaves: what was left as it is by default."""
        by_default = self.bootstrap is True and self.max_samples is None and self.max_split_samples is None
        return {
            "criterion": self.criterion == CRITERIA[0] and getattr(self, "n_outputs_", 0) == 1,
            "drawing": by_default and len(bootstrap.population) > 1,
        }

    def _take(self, setting: Setting) -> None:
        self.max_features_, self.min_samples_leaf_ = setting.max_features, setting.min_samples_leaf
        self.thresholds_ = setting.thresholds
        self.tuned_params_: dict[str, Any] = {
            "max_features": setting.max_features,
            "min_samples_leaf": setting.min_samples_leaf,
        }
        self.tuned_params_ |= {"thresholds": setting.thresholds} | setting.drawing.params()
        if hasattr(self, "n_outputs_"):
            self.tuned_params_["criterion"] = setting.criterion

    def _chosen_limits(self, columns: np.ndarray, n_rows: int) -> ForestLimits:
        """The limits that the forest was grown with, on columns by their positions."""
        limits = self._limits(len(columns), n_rows)
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        directions = check.monotone(self.monotone, list(names))
        limits = limits._replace(monotone=directions[columns] if len(directions) else directions)
        if not self._tunes:
            return limits
        return self.tuning_[-1].limits(limits)

    def answers_out_of_bag(self, X: TableLike) -> np.ndarray | None:
        """For the very table given to fit, each row's answer by the trees that did not see it; None for other tables.

        A row that every tree saw gets the answer of all.
        """
        from tamis.forest.training import is_given_to_fit

        if not is_given_to_fit(self, X) or not hasattr(self, "oob_curve_"):
            return None
        answers = np.array(self.predict(X))
        if hasattr(self, "oob_decision_function_"):
            judged = ~np.isnan(self.oob_decision_function_).any(axis=1)
            answers[judged] = self.classes_[self._answers(self.oob_decision_function_[judged])]
        else:
            judged = ~np.isnan(self.oob_prediction_.reshape(len(answers), -1)).any(axis=1)
            answers[judged] = self.oob_prediction_[judged]
        return answers

    def _limits(self, n_columns: int, n_rows: int) -> ForestLimits:
        return ForestLimits(
            max_features=columns_to_try(self.max_features, n_columns),
            max_depth=_NO_LIMIT if self.max_depth is None else check.count("max_depth", self.max_depth),
            min_split=rows_or_share("min_samples_split", self.min_samples_split, n_rows, 2),
            min_leaf=rows_or_share("min_samples_leaf", self.min_samples_leaf, n_rows, 1),
            min_share=check.number("min_weight_fraction_leaf", self.min_weight_fraction_leaf, low=0, high=0.5),
            random_cut=check.one_of("thresholds", self.thresholds, ["best", "random"]) == "random",
            n_combined=COMBINED if check.one_of("splits", self.splits, ["axis", "oblique"]) == "oblique" else 0,
            max_rows=_NO_LIMIT if self.max_split_samples is None else rows_to_look_at(self.max_split_samples),
            criterion=self._criteria.index(check.one_of("criterion", self.criterion, self._criteria)),
        )

    def _bootstrap(self, data: ForestData, target: ForestTarget, drawing: Drawing | None = None) -> Bootstrap:
        """How rows are drawn: as given, or as tuning chose."""
        if drawing is None:
            drawing = self.tuning_[-1].drawing if self._tunes else Drawing()
        replace: Any = self.bootstrap
        share = self.max_samples
        if drawing.max_samples is not None:
            replace, share = False, drawing.max_samples
        return Bootstrap.of(data, target, replace, share, self.seed_, self.max_oob_samples)

    @property
    def _look_at_rows_left_out(self) -> list[str]:
        """Parameters that cannot do without rows left out, as they were given."""
        calibration = getattr(self, "calibration", None)
        settings = {
            "stop_when_stable=True": self.stop_when_stable,
            "tune=True": self._tunes,
            "level_scores='oob'": self._chooses_scores,
            f"calibration={calibration!r}": calibration is not None,
        }
        return [name for name, is_asked in settings.items() if is_asked]

    def _refuse_without_rows_left_out(self, sees_all: bool) -> None:
        """Raise a sentence if a setting looks at rows left out and there are none."""
        for name in self._look_at_rows_left_out:
            if not self.oob_score:
                raise ParameterError(f"{name} looks at rows left out, but oob_score=False; give one of them up")
            if sees_all:
                raise ParameterError(
                    f"{name} looks at rows left out, but with bootstrap=False every tree sees every row; "
                    "give max_samples below 1"
                )

    @abstractmethod
    def _keep_out_of_bag(self, judge: OutOfBag, data: ForestData, n_rows: int) -> None:
        """Keep the answers and the score of the rows left out: shares of classes, or numbers."""

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of the fall of impurity that each column brings to rows the trees did not see; 0 for less than none.

        Measured on rows left out, so that columns with many values gain nothing by them (Li et al. 2019);
        `impurity_importance_` has the same without rounding up to 0. With `oob_score=False`, or when every tree sees
        every row, it is measured on the trees' own rows, which favours columns with many values.
        """
        check_is_fitted(self, "trees_")
        gain = np.maximum(self.impurity_importance_, 0.0)
        total = np.sort(gain).sum()  # in an order that does not depend on the columns'
        return gain / total if total > 0 else gain

    @property
    def selected_columns_(self) -> tuple[str, ...]:
        """Names of the columns that some split asks for, in the order of the table."""
        check_is_fitted(self, "trees_")
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(self.n_features_in_)])
        return tuple(str(names[j]) for j in self.trees_.used())

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

        See `PermutationImportance` in `tamis.forest.importance.permutation_importance` for formula and answer.
        """
        from tamis.forest.importance.permutation_importance import permutation_importance

        check_is_fitted(self, "trees_")
        return permutation_importance(
            self, X, y, sample_weight, groups, n_repeats, n_permutations, interchangeable, random_state,
            self.n_jobs if n_jobs is None else n_jobs,
        )  # fmt: skip

    def _matrix(self, X: TableLike) -> np.ndarray:
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
            present = ~np.isnan(matrix[:, j])
            matrix[present, j] = coding[matrix[present, j].astype(np.int64)]
        return matrix

    def apply(self, X: TableLike) -> np.ndarray:
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


def _finite(X: np.ndarray) -> bool:
    """Whether every value is finite, told by one sum; where finite values overflow it, the long way finds out."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))
