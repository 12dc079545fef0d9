"""The subset selector: a strategy that proposes sets of columns, an evaluator that values them."""

import warnings
from collections.abc import Callable
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, MetaEstimatorMixin

from tamis import check
from tamis.engine import seed_from
from tamis.errors import KindError, ParameterError, TamisWarning
from tamis.search.estimator_input import refuse_holes, shown_to, takes
from tamis.search.evaluator import evaluator_of
from tamis.search.evaluator.evaluator import Evaluator
from tamis.search.evaluator.refit import empty_set_value
from tamis.search.evaluator.task import SearchTask
from tamis.search.history import Best
from tamis.search.space import Space
from tamis.search.strategy import strategy_of
from tamis.search.target import is_for_classes
from tamis.search.trials import SearchLimits, Stop, Trials, say
from tamis.table import Classes, LazyTable, Table, eager, features, numbers, same_length
from tamis.table.interface.selector import TableSelector
from tamis.table.interface.takes_table import parameters
from tamis.typing import Folding, RandomState, Scoring

RULES = ("best", "1se")


@parameters
class SubsetSelector(MetaEstimatorMixin, TableSelector, BaseEstimator):
    """The set of columns on which a model does best, found by searching.

    Plain and ridge regressions are recognised and valued from small matrices, all candidates of a step at once, with
    the scores that refitting would give; every other model is refitted.

    Parameters
    ----------
    estimator : a model, or a criterion that needs none ("cfs", "consistency", "mrmr", "jmi", "cmim"), or a function
        (X, y) -> number.
    search : "forward", "backward", "floating", "exhaustive", "branch-and-bound", "best-first", "random", "annealing",
        "genetic", "hill-climbing", "elimination", or an object with a method `run(trials)`.
    k : how many columns to keep (a group counts as one, fixed ones count), a range (smallest, largest) of which the
        best is taken, or "best": as many as raise the score. From 0 on the empty set is a candidate, valued as a model
        that predicts the mean or the class shares.
    scoring : what values a set, as in `tamis.metrics.find`, turned so that larger is better; by default the model's
        own score.
    cv : folds (a number, a splitter, pairs), a share of rows to hold out, "loo", "train" (the training score) or "oob"
        (the model's own out-of-bag score).
    fixed : columns that are always in, by name or position.
    groups : columns that go in or out together: a dict of lists, a list of lists, or one label a column.
    costs : a price for each column, in order or by name; between equal scores the cheaper set is taken.
    budget : the most the chosen columns may cost together.
    rule : "best", or "1se": the smallest set within one standard error of the best.
    tol : a rise of the score that is too small to count.
    max_evaluations : stop after valuing so many sets (reproducible).
    stop_score : stop as soon as an allowed set scores at least this much.
    time_limit : stop after so many seconds; not reproducible, and `reproducible_` says so.
    progress : True prints the best set so far; a function is called with it.
    n_jobs : sets valued at a time.
    random_state : seed of the folds, of random strategies, and of models that have none of their own.

    Attributes
    ----------
    support_ : mask of the chosen columns.
    selected_ : their names (or positions).
    score_, error_ : score of the chosen set and its standard error over folds. The search has seen it: it is no
        estimate of how well the model will do; `tamis.nested_score` is.
    history_ : every set valued, in order, with score, standard error and price; `history_.curve()` is score against
        size.
    optimal_ : True when the chosen set is proved to be the best of its size.
    n_evaluations_ : how many sets were valued.
    stopped_ : why the search ended early, or None.
    reproducible_ : False when the clock or an interrupt ended the search.

    References
    ----------
    Guyon, Elisseeff (2003), An introduction to variable and feature selection, JMLR 3.

    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(60, 5))
    >>> y = X[:, 1] - 2 * X[:, 3] + 0.1 * random.normal(size=60)
    >>> SubsetSelector(LinearRegression(), rule="1se").fit(X, y).selected_
    [1, 3]
    """

    estimator: BaseEstimator = field(kw_only=False)
    search: Any = "forward"
    k: Any = "best"
    scoring: Scoring = None
    cv: Folding = 5
    fixed: Any = None
    groups: ArrayLike | None = None
    costs: ArrayLike | None = None
    budget: float | None = None
    rule: str = "best"
    tol: float = 0.0
    max_evaluations: int | None = None
    stop_score: float | None = None
    time_limit: float | None = None
    progress: bool | Callable[[dict[str, Any]], None] | None = None
    n_jobs: int | None = None
    random_state: RandomState = 0

    def fit(self, X: Any, y: Any = None, *, row_groups: Any = None, **params: Any) -> "SubsetSelector":
        """Search.

        Parameters
        ----------
        X, y : the table and its target; of a lazy table y is the name of a column, and the model a linear one.
        row_groups : one label a row; rows of a group are never torn apart by `cv`.
        params : go to the estimator's `fit`, row-wise ones (`sample_weight`) cut to the training rows; `sample_weight`
            weighs the score too.
        """
        rule = check.one_of("rule", self.rule, RULES)
        tol = check.number("tol", self.tol, low=0)
        strategy = strategy_of(self.search)
        self._check_estimator()
        self._check_limits()
        if isinstance(X, LazyTable):
            return self._fit_lazily(X, y, strategy, tol, {"row_groups": row_groups, **params})
        X = eager(X)
        table = features(self, X, reset=True, sparse_ok=self._takes()[1], min_rows=2)
        if hasattr(self.estimator, "fit"):
            refuse_holes(self.estimator, table)
        task = self._task(table, X, y, row_groups, params)
        evaluator = evaluator_of(task)
        if rule == "1se" and _one_fold(task):
            raise ParameterError("rule='1se' needs a standard error; give cv at least 2 folds, or rule='best'")
        return self._searched(strategy, table, task.order, evaluator, tol, task.seed, lambda: empty_set_value(task))

    def _fit_lazily(
        self, X: LazyTable, y: ArrayLike, strategy: Any, tol: float, options: dict[str, Any]
    ) -> "SubsetSelector":
        """Search among the columns of a lazy table, of which y names the target."""
        from tamis.search.lazy_evaluator import LazyEvaluator

        for name, value in options.items():
            if value is not None:
                raise ParameterError(f"{name} has one value per row, which a lazy table cannot take; leave it out")
        if not isinstance(y, str):
            raise KindError("the target of a lazy table is one of its columns; give its name as y")
        features_table = X.drop([y])
        table = features(self, features_table.prototype(), reset=True, categorical=False, min_rows=2)
        order = features_table.order()
        names = [features_table.names[j] for j in order]
        settings = {"scoring": self.scoring, "cv": self.cv, "n_jobs": self.n_jobs, "seed": self.random_state}
        evaluator = LazyEvaluator(self.estimator, X, names, y, **settings)
        return self._searched(strategy, table, order, evaluator, tol, seed_from(self.random_state))

    def _searched(
        self,
        strategy: Any,
        table: Table,
        order: np.ndarray,
        evaluator: Evaluator,
        tol: float,
        seed: int,
        empty_value: Callable[[], tuple[float, float]] | None = None,
    ) -> "SubsetSelector":
        space = Space.of(table, order, self.k, self.fixed, self.groups, self.costs, self.budget)
        names = getattr(self, "feature_names_in_", None)
        labels = [int(j) if names is None else str(names[j]) for j in order]
        trials = Trials(
            space,
            evaluator,
            labels,
            tol=tol,
            limits=SearchLimits(self.max_evaluations, self.stop_score, self.time_limit),
            progress=say if self.progress is True else self.progress or None,
            random=np.random.default_rng(seed),
        )
        if space.low == 0:
            if empty_value is None:
                raise ParameterError(
                    f"k={self.k!r} asks for no column, which a lazy table cannot value; give k of 1 or more"
                )
            trials.empty = empty_value()
        stopped = _search(strategy, trials)
        chosen = trials.history.choose(self.rule, tol)
        self._remember(trials, chosen, space, order, labels, stopped)
        evaluator.finish()
        return self

    def _check_estimator(self) -> None:
        estimator = self.estimator
        if isinstance(estimator, type) or not (
            hasattr(estimator, "fit") or callable(estimator) or isinstance(estimator, str)
        ):
            raise KindError(
                f"estimator={estimator!r} is no model; give an estimator with fit, a criterion's name, or a "
                "function (X, y)"
            )

    def _check_limits(self) -> None:
        if self.max_evaluations is not None:
            check.count("max_evaluations", self.max_evaluations)
        if self.stop_score is not None:
            check.number("stop_score", self.stop_score)
        if self.time_limit is not None:
            check.number("time_limit", self.time_limit, low=0)
        if self.progress not in (None, True, False) and not callable(self.progress):
            raise KindError(f"progress={self.progress!r} must be True, False or a function of one dict")

    def _task(self, table: Table, X: Any, y: Any, row_groups: Any, params: dict[str, Any]) -> SearchTask:
        target = self._target(y)
        same_length(table, target)
        order = table.order()
        model_input = shown_to(self.estimator, table, X)
        ordered = table if np.array_equal(order, np.arange(len(order))) else table.select(order.tolist())
        return SearchTask(
            estimator=self.estimator,
            table=ordered,
            X=model_input,
            order=order,
            y=target,
            scoring=self.scoring,
            cv=self.cv,
            groups=row_groups,
            params={name: value for name, value in params.items() if value is not None},
            n_jobs=self.n_jobs,
            seed=seed_from(self.random_state),
        )

    def _target(self, y: ArrayLike) -> np.ndarray:
        if is_for_classes(self.estimator if hasattr(self.estimator, "fit") else None, y):
            classes = Classes.of(y)
            return classes.labels[classes.codes]
        return numbers(y)

    def _remember(
        self, trials: Trials, chosen: Best, space: Space, order: np.ndarray, labels: list[Any], stopped: str | None
    ) -> None:
        columns = space.columns(chosen.units)
        self.support_ = np.zeros(len(order), dtype=bool)
        self.support_[order[columns]] = True
        self.selected_ = [labels[j] for j in columns]
        self.score_, self.error_ = chosen.score, chosen.error
        self.history_ = trials.history
        self.optimal_ = trials.optimal
        self.n_evaluations_ = trials.n_evaluations
        self.stopped_ = self.history_.stopped = stopped
        self.reproducible_ = stopped in (None, "max_evaluations", "stop_score")
        if not space.allows(chosen.units):
            requested_sizes = f"{space.low}" if space.low == space.high else f"{space.low} to {space.high}"
            why = f"the search was stopped ({stopped})" if stopped else "the search found none"
            warnings.warn(
                f"no set of {requested_sizes} columns was valued, {why}; the best of {len(chosen.units)} is kept",
                TamisWarning,
                stacklevel=3,
            )

    def _takes(self) -> tuple[bool, bool]:
        if not hasattr(self.estimator, "fit"):
            return True, False
        return takes(self.estimator)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan, tags.input_tags.sparse = self._takes()
        tags.target_tags.required = True
        return tags


def _search(strategy: Any, trials: Trials) -> str | None:
    """Run the strategy to its end, its budget or an interrupt; why it stopped early, or None."""
    try:
        if trials.empty is not None:
            trials.sets([()])
        strategy.run(trials)
    except Stop as reason:
        return str(reason)
    except KeyboardInterrupt:
        if not trials.history.best:
            raise
        return "interrupted"
    if not trials.history.best:
        raise ParameterError("the search valued no set that is allowed; give other sizes, or a larger budget")
    return None


def _one_fold(task: SearchTask) -> bool:
    return not task.is_model or len(task.pairs) < 2
