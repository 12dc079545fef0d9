"""LinearClassifier: a penalised linear model of classes."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.errors import DamagedError, ParameterError, TamisWarning
from tamis.linear.model import LinearModel
from tamis.linear.path import Path
from tamis.saved import class_list, classes, numbers, reading, refuse_shape
from tamis.split.tuning_folds import ordered_folds
from tamis.table import Classes, LazyTable, features, same_length
from tamis.table.like import TableLike
from tamis.typing import Folding
from tamis.views.lazy.target import refuse_rows

#: The loss of ordered classes.
ORDERED = "cumulative_logit"


def _has_probabilities(model: LinearClassifier) -> bool:
    if model.loss not in ("logistic", ORDERED):
        raise AttributeError(
            f"loss={model.loss!r} gives no probabilities; use loss='logistic', or {ORDERED!r} for ordered classes"
        )
    return True


class LinearClassifier(ClassifierMixin, LinearModel):
    r"""A linear model of classes, with its whole path of penalties.

    .. math:: \min_{b, w}\; \frac{1}{\sum_i \omega_i} \sum_i \omega_i\, \ell(y_i, b + x_i^\top w)
              + \alpha \sum_j f_j \left(\rho |w_j| + \frac{1 - \rho}{2} w_j^2\right)

    ℓ is the log loss (binary, or multinomial with one linear predictor a class), that of ordered classes (proportional
    odds, logit P(y ≤ c) = θ_c - xᵀw), the hinge max(0, 1 - yη) or its square (support vector machines, sparse with the
    lasso; several classes one against the rest).

    Parameters
    ----------
    penalty : None, "ridge", "lasso", "elastic-net", or "subset" (the best k columns).
    alpha : strength of the penalty; "cv" chooses it by cross-validation, "loo" by leaving out one row at a time. With
        penalty="subset" and k=None it is the price of a column.
    l1_ratio : share of the absolute penalty in the elastic net; "cv" compares seven, a list those it holds, and the one
        with the least error over folds is taken.
    k : number of columns for penalty="subset": a number, "cv", or None (then alpha is the price of a column).
    loss : "logistic", "cumulative_logit" (ordered classes: sorted labels, or the order of an ordered categorical),
        "hinge" or "squared_hinge".
    relax : "cv" blends the lasso (or elastic net) with the unpenalised fit on the columns it selects, γ · lasso +
        (1 - γ) · unpenalised, and chooses γ (of 0, 0.25, 0.5, 0.75, 1) and alpha together; a number is γ; None is 1.
    rule : "1se" takes the simplest model within one standard error of the best, "min" the best.
    cv : number of folds or share of rows to hold out (stratified), a splitter, or pairs of (training rows, test rows).
    standardize : divide every column by its standard deviation (1/n) before penalising.
    fit_intercept : whether to fit an intercept.
    norm_bound, prior_sd : instead of alpha, the largest norm of the standardised coefficients, or their prior deviation
        (log loss), as in LinearRegressor.
    penalty_factors : one factor a column; 0 leaves a column free of penalty.
    monotone : dict column -> 1 (its coefficient is not below 0), -1 (not above) or 0; of numbers and yes-or-no columns,
        without "subset", "bridge", relax, group and "bayes", for two or ordered classes: rising is
        towards the later class. Degrees of freedom and standard errors are then not given.
    group : let all indicators of a categorical column enter together (group penalty, √size weights).
    missing : "refuse", or "mean" to fill missing values with means learned in fit.
    n_alphas : strengths on the path.
    tol : relative duality gap along the path; the chosen model is solved to 1e-10.
    time_limit : seconds after which the search for the best subset gives the best found so far.
    n_jobs : threads over folds.
    class_weight : "balanced" or a dict class -> weight; every row of a class counts that many times.

    Attributes
    ----------
    classes_ : the classes, sorted.
    coef_, intercept_ : in the units of the columns; one row for two classes, one a class for more. Of ordered classes
        one row, larger for higher classes, and an intercept of 0.
    thresholds_ : of ordered classes, the θ between neighbours, ascending.
    alpha_, l1_ratio_, gamma_, gap_, norm_bound_, path_, selected_columns_, coef_names_, feature_importances_,
    degrees_of_freedom_, deviance_, aic_, bic_ : as in LinearRegressor.
        `SelectFromModel(LinearClassifier(), importance_getter="feature_importances_")` takes frames with categories;
        its default reads `coef_`, in which a category is as many numbers as it has indicators.
    cv_predictions_ : for the log loss, where folds chose alpha, the probabilities (rows × classes) of each row by the
        model of the fold that left it out, at that alpha; NaN where none did. Not saved by `to_dict`.
    nested_predictions_ : the same, in each fold at the alpha that the other folds choose.

    References
    ----------
    Friedman, Hastie, Tibshirani (2010), Regularization paths for generalized linear models via coordinate descent.
    McCullagh (1980), Regression models for ordinal data, JRSS B 42.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> model = LinearClassifier().fit(X, np.where(X[:, 2] > 0.1 * X[:, 0], "yes", "no"))
    >>> model.predict(X[:3])
    array(['yes', 'yes', 'no'], dtype='<U3')
    """

    _target = "classes"

    def __init__(
        self,
        penalty: str | None = "lasso",
        *,
        alpha: float | str | None = "cv",
        l1_ratio: float | str | list[float] = 0.5,
        k: int | str | None = "cv",
        loss: str = "logistic",
        relax: float | str | None = None,
        rule: str = "1se",
        cv: Folding = 10,
        standardize: bool = True,
        fit_intercept: bool = True,
        norm_bound: float | None = None,
        prior_sd: float | None = None,
        penalty_factors: Any = None,
        monotone: dict[str, int] | None = None,
        group: bool = False,
        missing: str = "refuse",
        n_alphas: int = 100,
        tol: float = 1e-5,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        class_weight: Any = None,
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.k = k
        self.loss = loss
        self.relax = relax
        self.rule = rule
        self.cv = cv
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.norm_bound = norm_bound
        self.prior_sd = prior_sd
        self.penalty_factors = penalty_factors
        self.monotone = monotone
        self.group = group
        self.missing = missing
        self.n_alphas = n_alphas
        self.tol = tol
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the model; X may be a lazy table, and y then the name of one of its columns."""
        self._check()
        if isinstance(X, LazyTable):
            from tamis.linear.lazy.logistic import fit_logistic

            refuse_rows(sample_weight=sample_weight)
            fit_logistic(self, X, y)
            return self
        matrix, target, weights = self._inputs(X, y, sample_weight)
        self._dispatch(matrix, target, weights)
        self._weigh(matrix, weights)
        return self

    def fit_path(
        self, X: Any, y: Any, sample_weight: Any = None, *, max_columns: int | None = None, folds: bool = False
    ) -> Path:
        """The models of a falling grid of strengths, without a choice: much quicker than `fit`.

        max_columns : end the path soon after the first model of more columns; None follows all `n_alphas` strengths.
        folds : follow the path in the folds of `cv` as well, for its errors `cv_mean`; max_columns is then ignored.

        >>> X, y = np.random.default_rng(0).normal(size=(100, 5)), [0, 1] * 50
        >>> LinearClassifier("lasso", n_alphas=10).fit_path(X, y).n_columns.tolist()
        [0, 4, 5, 5, 5, 5, 5, 5, 5, 5]
        """
        self._check()
        matrix, target, weights = self._inputs(X, y, sample_weight)
        if target.n_classes > 2 and not self._responds:
            raise ParameterError(
                f"fit_path follows one model, but loss={self.loss!r} of {target.n_classes} classes needs one for each; "
                f"give loss='logistic' or, for ordered classes, {ORDERED!r}"
            )
        splits = ordered_folds(self.cv, target.codes, classifier=True, weights=weights) if folds else None
        return cast(Path, self._fit_path(matrix, self._loss(target, weights), weights, max_columns, splits))

    def _inputs(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike) -> tuple[Any, Classes, np.ndarray]:
        """The encoded matrix in solving order, the target, and the weights of rows."""
        table = features(self, X, reset=True, sparse_ok=True, min_rows=2)
        target = Classes.of(y)
        same_length(target.codes, np.empty(table.n_rows))
        weights = check.weights(sample_weight, table.n_rows)
        self.classes_ = target.labels
        self._check_classes(target, weights)
        heavy = np.bincount(target.codes, weights=weights, minlength=target.n_classes)
        weights = weights * check.class_factors(self.class_weight, target.labels, heavy)[target.codes]
        self._check_size(table.n_columns)
        matrix = self._read(X, weights, table)
        self._sides(n_classes=0 if self.loss == ORDERED else target.n_classes)
        return matrix, target, weights

    def _check_classes(self, target: Classes, weights: np.ndarray) -> None:
        there = np.bincount(target.codes, weights=weights, minlength=target.n_classes) > 0
        if there.sum() < 2:
            label = target.labels[np.flatnonzero(there)[0]]
            raise ParameterError(
                f"the target has only one class ({label!r}); a classifier needs rows of at least 2 classes"
            )

    def _dispatch(self, X: TableLike, target: Classes, weights: np.ndarray) -> None:
        splits = self._splits(target, weights)
        if target.n_classes > 2 and not self._responds:
            self._one_against_rest(X, target, weights, splits)
            return
        self._one(X, self._loss(target, weights), weights, splits)
        if target.n_classes == 2:
            self._warn_separated(X, target, weights)

    def _loss(self, target: Classes, weights: np.ndarray) -> Any:
        """The loss of one model: of two classes, or the log loss of several."""
        from tamis.linear.losses import loss_named
        from tamis.linear.losses.logistic import Multinomial

        if self.loss == ORDERED:
            from tamis.linear.losses.cumulative_logit import CumulativeLogit

            return CumulativeLogit(target.codes.astype(np.float64), None, target.n_classes)
        if target.n_classes == 2:
            return loss_named(self.loss).of(target.codes.astype(np.float64), weights, None, self)
        return Multinomial(np.eye(target.n_classes)[target.codes])

    def _one(self, X: TableLike, loss: Any, weights: np.ndarray, splits: Any) -> None:
        if self.penalty == "subset":
            self._subset(X, loss, weights, splits)
        else:
            self._solve(X, loss, weights, splits)

    def _splits(self, target: Classes, weights: np.ndarray) -> Any:
        if not self._needs_folds:
            return None
        cv = "loo" if self.alpha == "loo" else self.cv
        return ordered_folds(cv, target.codes, classifier=True, weights=weights)

    def _one_against_rest(self, X: TableLike, target: Classes, weights: np.ndarray, splits: Any) -> None:
        """A model for each class against all others, each with its own strength."""
        from tamis.linear.losses import loss_named

        kind = loss_named(self.loss)
        coefs: list[Any] = []
        intercepts: list[Any] = []
        alphas: list[float] = []
        paths: list[Any] = []
        gaps: list[float] = []
        for k in range(target.n_classes):
            self._one(X, kind.of((target.codes == k).astype(np.float64), weights, None, self), weights, splits)
            coefs.append(self.coef_[0])
            intercepts.append(self.intercept_[0])
            alphas.append(self.alpha_ or 0.0)
            paths.append(self.path_)
            gaps.append(self.gap_)
        self.alphas_, self.paths_ = np.array(alphas), paths
        self.alpha_, self.path_, self.gap_ = float(np.max(alphas)), paths[0], float(np.max(gaps))
        self.coef_, self.intercept_ = np.array(coefs), np.array(intercepts)
        self.selected_columns_ = tuple(self.inputs_.encoding.names[j] for j in self._used(self.coef_.T))

    def _warn_separated(self, X: TableLike, target: Classes, weights: np.ndarray) -> None:
        """Without a penalty, classes that a plane parts have no finite optimum: say so."""
        if self.alpha_ != 0 or self.loss != "logistic":
            return
        linear_predictor = np.asarray(X @ self.coef_[0][self.inputs_.order]) + self.intercept_[0]
        side = np.where(target.codes == 1, linear_predictor, -linear_predictor)[weights > 0]
        if side.min() > 5:
            warnings.warn(
                "the columns separate the two classes perfectly, so without a penalty the coefficients have no finite "
                "optimum and only their direction means something; give penalty='ridge' or 'lasso'",
                TamisWarning,
                stacklevel=4,
            )

    def _check(self) -> None:
        super()._check()
        if self.loss == ORDERED and (self.relax is not None or not self.fit_intercept):
            raise ParameterError(
                f"loss={ORDERED!r} has thresholds between its classes and no refits of supports, but "
                f"relax={self.relax!r} and fit_intercept={self.fit_intercept!r}; give relax=None and fit_intercept=True"
            )

    def _shape(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        """Of ordered classes the log-odds of a lower class are θ - xw: coefficients with the other sign."""
        if self.loss != ORDERED:
            self.coef_, self.intercept_ = np.ascontiguousarray(coef.T), intercept
            return
        self.coef_, self.intercept_, self.thresholds_ = np.ascontiguousarray(-coef.T) + 0.0, np.zeros(1), intercept

    def _keep_path(self, path: Any) -> None:
        if self.loss == ORDERED:
            path = replace(path, coef=-path.coef + 0.0)
        super()._keep_path(path)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """Linear predictor of new rows: one number a row for two or for ordered classes, one a class for more."""
        linear_predictor = self._linear(X)
        return linear_predictor[:, 0] if linear_predictor.shape[1] == 1 else linear_predictor

    def predict(self, X: TableLike) -> np.ndarray:
        """The most likely class of new rows."""
        check_is_fitted(self, "coef_")
        if self.loss == ORDERED:
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        linear_predictor = self.decision_function(X)
        return self.classes_[
            (linear_predictor > 0).astype(int) if linear_predictor.ndim == 1 else linear_predictor.argmax(axis=1)
        ]

    @available_if(_has_probabilities)
    def predict_proba(self, X: TableLike) -> np.ndarray:
        """Probabilities of the classes, in the order of `classes_`."""
        return self._respond(self._log_odds(self._linear(X)))

    def _log_odds(self, linear_predictor: np.ndarray) -> np.ndarray:
        """As given; of ordered classes the log-odds of every threshold."""
        return self.thresholds_ - linear_predictor if self.loss == ORDERED else linear_predictor

    @property
    def _responds(self) -> bool:
        return self.loss in ("logistic", ORDERED)

    def _respond(self, linear_predictor: np.ndarray) -> np.ndarray:
        if self.loss == ORDERED:
            from tamis.linear.losses.cumulative_logit import CumulativeLogit

            return CumulativeLogit.probabilities(linear_predictor)
        return (
            np.hstack([expit(-linear_predictor), expit(linear_predictor)])
            if linear_predictor.shape[1] == 1
            else np.asarray(softmax(linear_predictor, axis=1))
        )

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: TableLike) -> np.ndarray:
        """Logarithms of the probabilities, exact where they are tiny."""
        linear_predictor = self.decision_function(X)
        if self.loss == ORDERED:
            from tamis.linear.losses.cumulative_logit import CumulativeLogit

            return CumulativeLogit.log_probabilities(self._log_odds(linear_predictor[:, None]))
        return (
            np.column_stack([log_expit(-linear_predictor), log_expit(linear_predictor)])
            if linear_predictor.ndim == 1
            else log_softmax(linear_predictor, axis=1)
        )

    def to_dict(self) -> dict[str, Any]:
        """The fitted model as plain numbers, lists and words, ready for JSON."""
        state = {**super().to_dict(), "classes": class_list(self.classes_), "classes_dtype": self.classes_.dtype.str}
        return {**state, "thresholds": self.thresholds_.tolist()} if self.loss == ORDERED else state

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """A fitted model from `to_dict`."""
        model = super().from_dict(state)
        with reading("the saved model", "give what its to_dict wrote"):
            dtype = state["classes_dtype"]
            model.classes_ = classes("classes", state["classes"], "object" if dtype == "|O" else dtype)
            n = len(model.classes_)
            is_ordered = model.loss == ORDERED
            refuse_shape("coef", model.coef_, (1 if n == 2 or is_ordered else n, None))
            if is_ordered:
                model.thresholds_ = numbers("thresholds", state["thresholds"], shape=(n - 1,))
                if not np.all(np.diff(model.thresholds_) > 0):
                    raise DamagedError("thresholds do not ascend")
        return model
