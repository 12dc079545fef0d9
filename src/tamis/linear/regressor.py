"""LinearRegressor: a penalised linear model of a number."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if

from tamis import check
from tamis.errors import ParameterError
from tamis.linear.model import CRITERIA, LinearModel, warn_constant
from tamis.linear.path import Path
from tamis.metrics.distributions import t_quantile
from tamis.table import LazyTable, features, numbers, same_length
from tamis.table.like import TableLike
from tamis.typing import Folding
from tamis.views.lazy.target import refuse_rows

#: Above so many columns, or numbers in all, (XᵀX)⁻¹ is not kept, and there are no intervals of new rows.
MOST_SPREAD, MOST_NUMBERS = 500, 20_000_000

#: Columns that a bridge penalty takes: its Gram matrices are kept.
MOST_BRIDGE = 5_000

#: What least squares knows of its coefficients.
_INFERENCE = (
    "standard_errors_",
    "t_",
    "p_",
    "intercept_standard_error_",
    "residual_degrees_of_freedom_",
    "residual_deviation_",
    "r2_",
    "adjusted_r2_",
)


def _has_spread(model: LinearRegressor) -> bool:
    if model.alpha_ != 0 or getattr(model, "spread_", None) is None or model.residual_degrees_of_freedom_ < 1:
        raise AttributeError(
            f"intervals are those of least squares on at most {MOST_SPREAD} columns, with more rows than columns, not "
            "loaded from a file; fit with penalty=None"
        )
    return True


class LinearRegressor(RegressorMixin, LinearModel):
    r"""A linear model of a number, with its whole path of penalties.

    .. math:: \min_{b, w}\; \frac{1}{\sum_i \omega_i} \sum_i \omega_i\, \ell(y_i, b + x_i^\top w)
              + \alpha \sum_j f_j \left(\rho |w_j| + \frac{1 - \rho}{2} w_j^2\right)

    with w in standardised columns, ρ = 1 for the lasso, 0 for ridge, `l1_ratio` for the elastic net. The intercept is
    never penalised. Categorical columns enter as indicators; columns are solved in the order of their names.

    Parameters
    ----------
    penalty : None, "ridge", "lasso", "elastic-net", "subset" (the best k columns) or "bridge" (``|w|`` to the power
        `q`).
    alpha : strength of the penalty; "cv" chooses it by cross-validation, "loo" by leaving out one row at a time (closed
        form for ridge), "bayes" samples it with the coefficients (ridge and lasso). With penalty="subset" and k=None it
        is the price of a column.
    l1_ratio : share of the absolute penalty in the elastic net; "cv" compares seven, a list those it holds, and the one
        with the least error over folds is taken.
    k : number of columns for penalty="subset": a number, "cv", or None (then alpha is the price of a column).
    q : exponent of penalty="bridge", ``α Σ f |w|^q``, above 0 and at most 2; below 1 a local optimum is found.
    loss : "squared" (half the squared error), "poisson" (half the deviance of counts, log link) or "huber" (squared up
        to `huber_width` robust standard deviations of the target, then linear).
    relax : "cv" blends the lasso (or elastic net) with the unpenalised fit on the columns it selects, γ · lasso +
        (1 - γ) · unpenalised, and chooses γ (of 0, 0.25, 0.5, 0.75, 1) and alpha together; a number is γ; None is 1.
    rule : "1se" takes the simplest model within one standard error of the best, "min" the best.
    cv : number of folds, a share of rows to hold out (0.2), a splitter, or pairs of (training rows, test rows).
    standardize : divide every column by its standard deviation (1/n) before penalising.
    fit_intercept : whether to fit an intercept.
    norm_bound : instead of alpha, the largest norm of the standardised coefficients: ``Σ|w|`` (lasso) or √Σw² (ridge).
    prior_sd : instead of alpha, the standard deviation of the standardised coefficients' prior, normal (ridge) or
        Laplace (lasso); the model is then the most probable one (MAP).
    noise_sd : with `prior_sd` and the squared loss, the deviation of the noise; None estimates it by least squares.
    penalty_factors : one factor a column; 0 leaves a column free of penalty.
    monotone : dict column -> 1 (its coefficient is not below 0), -1 (not above) or 0; of numbers and yes-or-no columns,
        without "subset", "bridge", relax, group and "bayes", for one target. Degrees of freedom and standard errors are
        then not given.
    group : let all indicators of a categorical column enter together (group penalty, √size weights).
    missing : "refuse", or "mean" to fill missing values with means learned in fit.
    huber_width : where the Huber loss turns linear.
    n_alphas : strengths on the path.
    tol : relative duality gap along the path; the chosen model is solved to 1e-10.
    time_limit : seconds after which the search for the best subset gives the best found so far.
    n_draws : draws of the Gibbs sampler for alpha="bayes".
    n_jobs : threads over folds.
    random_state : seed of the Gibbs sampler.

    Attributes
    ----------
    coef_, intercept_ : coefficients in the units of the columns, one an encoded column (`coef_names_`).
    alpha_, l1_ratio_ : the strength used, and the share of its absolute part: `alpha=alpha_, l1_ratio=l1_ratio_` gives
        the same model. Strengths are chosen for a target of unit deviation (and, without `standardize`, columns of unit
        root mean square), so that no unit has a say; `l1_ratio_` is the elastic net's `l1_ratio` in given units.
    gamma_ : with `relax`, the share γ of the penalised model in `coef_`.
    gap_ : the relative duality gap reached (with `relax`, by the penalised model).
    path_ : strengths (as `alpha_`), coefficients, number of columns, and the mean and standard error over folds of the
        mean squared error (squared loss) or the mean loss.
    selected_columns_ : names of the columns with a coefficient other than 0.
    cv_predictions_ : where folds (or rows left out) chose alpha, each row's prediction by the model of the fold that
        left it out, at that alpha; the mean where several did, NaN where none did. Not saved by `to_dict`.
    nested_predictions_ : the same, but in each fold at the alpha that the other folds choose, so that no row has a say
        in the strength it is judged at: for comparing with other models. From paths only, not for plain ridge.
    feature_importances_ : for every column of the table (a category is one, whatever its indicators in `coef_`), the
        standard deviation over the training rows of what it adds to the linear predictor; 0 for a column not used. So
        `SelectFromModel(LinearRegressor(), importance_getter="feature_importances_")` takes frames with categories.
    standard_errors_, t_, p_, r2_, adjusted_r2_, residual_deviation_ : without a penalty, squared loss.
    coef_interval_, alpha_interval_, alpha_draws_ : for alpha="bayes", where `coef_` and `alpha_` are posterior means
        and `selected_columns_` are those whose 95 % credible interval leaves out 0.
    norm_bound_ : the norm of the standardised coefficients, as `norm_bound` has it (ridge and lasso).
    degrees_of_freedom_ : effective number of parameters, the intercept included: the trace of the matrix that turns the
        target into fitted values (least squares: rank; ridge: Σ d²/(d² + alpha)); for the lasso the number of
        coefficients other than 0. Not of relaxed models and best subsets: see `tamis.evaluate.degrees_of_freedom`.
    leverage_ : for least squares and ridge, the diagonal of that matrix, one number per row; their sum is
        `degrees_of_freedom_`. Not saved by `to_dict`.
    deviance_, aic_, bic_ : minus twice the log likelihood of the training rows, and that + 2 df or + log(n) df.
    residual_degrees_of_freedom_ : without a penalty, rows less parameters.
    optimal_, subset_gap_ : for the best subset, whether it is proved, and how far the bound is from what was found; for
        the bridge `optimal_` is False below q = 1, where coordinate descent finds a local optimum.

    References
    ----------
    Friedman, Hastie, Tibshirani (2010), Regularization paths for generalized linear models via coordinate descent.
    Ndiaye, Fercoq, Gramfort, Salmon (2017), Gap safe screening rules for sparsity enforcing penalties.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> model = LinearRegressor().fit(X, 3 + 2 * X[:, 1] + 0.1 * X[:, 0])
    >>> model.selected_columns_
    ('x0', 'x1')
    """

    _target = "numbers"

    def __init__(
        self,
        penalty: str | None = "lasso",
        *,
        alpha: float | str | None = "cv",
        l1_ratio: float | str | list[float] = 0.5,
        k: int | str | None = "cv",
        q: float = 0.5,
        loss: str = "squared",
        relax: float | str | None = None,
        rule: str = "1se",
        cv: Folding = 10,
        standardize: bool = True,
        fit_intercept: bool = True,
        norm_bound: float | None = None,
        prior_sd: float | None = None,
        noise_sd: float | None = None,
        penalty_factors: Any = None,
        monotone: dict[str, int] | None = None,
        group: bool = False,
        missing: str = "refuse",
        huber_width: float = 1.35,
        n_alphas: int = 100,
        tol: float = 1e-5,
        time_limit: float | None = None,
        n_draws: int = 2000,
        n_jobs: int | None = None,
        random_state: int = 0,
    ) -> None:
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.k = k
        self.q = q
        self.loss = loss
        self.relax = relax
        self.rule = rule
        self.cv = cv
        self.standardize = standardize
        self.fit_intercept = fit_intercept
        self.norm_bound = norm_bound
        self.prior_sd = prior_sd
        self.noise_sd = noise_sd
        self.penalty_factors = penalty_factors
        self.monotone = monotone
        self.group = group
        self.missing = missing
        self.huber_width = huber_width
        self.n_alphas = n_alphas
        self.tol = tol
        self.time_limit = time_limit
        self.n_draws = n_draws
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Self:
        """Learn the model; `offset` (Poisson) is added to the linear predictor, such as the log of an exposure.

        X may be a lazy table, and y then the name of one of its columns. y may be a matrix of targets (squared loss):
        least squares and ridge then fit one after the other (`alphas_`, `paths_`), the lasso all of them together, with
        each column in or out for all.
        """
        self._check()
        if isinstance(X, LazyTable):
            from tamis.linear.lazy.squared import fit_squared

            refuse_rows(sample_weight=sample_weight, offset=offset)
            fit_squared(self, X, y)
            return self
        check.number("huber_width", self.huber_width, low=0, open_low=True)
        check.count("n_draws", self.n_draws)
        table = features(self, X, reset=True, sparse_ok=True, min_rows=2)
        target = numbers(y, several=True)
        same_length(target, np.empty(table.n_rows))
        weights = check.weights(sample_weight, table.n_rows)
        self._check_size(table.n_columns)
        matrix = self._read(X, weights, table)
        self._sides(n_targets=1 if target.ndim == 1 else target.shape[1])
        if target.ndim == 2:
            self._fit_several(matrix, target, weights, offset)
            return self
        loss = self._loss(target, weights, offset)
        if np.all(target[weights > 0] == target[weights > 0][0]):
            warn_constant(f"{target[0]:g}")
        self._dispatch(matrix, loss, target, weights)
        self._weigh(matrix, weights)
        return self

    def fit_path(self, X: Any, y: Any, sample_weight: Any = None, *, max_columns: int | None = None) -> Path:
        """The models of a falling grid of strengths, without folds and without a choice: much quicker than `fit`.

        max_columns : end the path soon after the first model of more columns; None follows all `n_alphas` strengths.

        >>> X = np.random.default_rng(0).normal(size=(100, 5))
        >>> LinearRegressor("lasso", n_alphas=10).fit_path(X, X[:, 1] + 0.1 * X[:, 2]).n_columns.tolist()
        [0, 1, 1, 2, 2, 2, 2, 2, 2, 2]
        """
        self._check()
        table = features(self, X, reset=True, sparse_ok=True, min_rows=2)
        target = numbers(y)
        same_length(target, np.empty(table.n_rows))
        weights = check.weights(sample_weight, table.n_rows)
        matrix = self._read(X, weights, table)
        return cast(Path, self._fit_path(matrix, self._loss(target, weights, None), weights, max_columns))

    def _fit_several(self, X: Any, Y: np.ndarray, weights: np.ndarray, offset: Any) -> None:
        """A matrix of targets: least squares and ridge one by one, the lasso with common columns."""
        from tamis.linear.contribution import contributions
        from tamis.linear.penalties.across_targets import check_several, target_units

        check_several(self, offset)
        unit = target_units(Y, weights, bool(self.fit_intercept))
        if self.penalty == "lasso" and self.alpha != 0:
            self._fit_jointly(X, Y, weights, unit)
        else:
            parts = []
            for y in Y.T:
                self._dispatch(X, self._loss(np.ascontiguousarray(y), weights, None), np.ascontiguousarray(y), weights)
                parts.append(
                    (self.coef_, self.intercept_, self.alpha_, self.path_, getattr(self, "cv_predictions_", None))
                )
            coef, intercept, alphas, self.paths_, predictions = zip(*parts)
            self.coef_, self.intercept_, self.alphas_ = np.array(coef), np.array(intercept), np.array(alphas)
            self.alpha_, self.path_ = float(np.max(alphas)), None
            for name in (
                "standard_errors_",
                "spread_",
                "leverage_",
                "nested_predictions_",
                "cv_predictions_",
                *CRITERIA,
            ):
                self.__dict__.pop(name, None)
            if all(one is not None for one in predictions):
                self.cv_predictions_ = np.column_stack(predictions)
        self.selected_columns_ = tuple(self.inputs_.encoding.names[j] for j in self._used(self.coef_.T))
        relative = self.coef_[:, self.inputs_.order] / unit[:, None]
        X = X.tocsc() if hasattr(X, "tocsc") else X
        self.feature_importances_ = contributions(X, relative, self.inputs_.groups, self.n_features_in_, weights)

    def _fit_jointly(self, X: Any, Y: np.ndarray, weights: np.ndarray, unit: np.ndarray) -> None:
        from tamis.linear.out_of_fold import OutOfFold
        from tamis.linear.path import choose_without_fold
        from tamis.linear.penalties.across_targets import JointLasso, joint_path

        job = self._job(X, self._loss(Y[:, 0].copy(), weights, None), weights)
        splits, self.path_ = self._splits(Y, weights), None
        if splits is None:
            self.alpha_ = float(self.alpha or 0.0)
        else:
            held = OutOfFold(X, splits, None, True)
            path = joint_path(job, Y, unit, splits, self.n_alphas, held.keep_models)
            chosen = path.choose(self.rule)
            self._keep_path(path)
            self.alpha_ = float(path.alphas[chosen])
            self.cv_predictions_ = held.predict([chosen] * len(splits), np.asarray)
            if len(splits) > 1:
                nested = [model for *_, model in choose_without_fold([[path]], self.rule)]
                self.nested_predictions_ = held.predict(nested, np.asarray)
        model = JointLasso(X, Y, weights, unit, job.options)
        coef, intercept = model.at(self.alpha_, 1e-11)
        self.gap_ = model.gap
        self.coef_, self.intercept_ = self.inputs_.restore(np.ascontiguousarray(coef.T)), intercept

    def _loss(self, y: np.ndarray, weights: np.ndarray, offset: Any) -> Any:
        from tamis.linear.losses import loss_named

        kind = loss_named(self.loss)
        if offset is not None and not kind.takes_offset:
            raise ParameterError(f"offset is for loss='poisson', but loss={self.loss!r}; subtract it from y instead")
        return kind.of(y, weights, None if offset is None else _offset(offset, len(y)), self)

    def _dispatch(self, X: TableLike, loss: Any, y: np.ndarray, weights: np.ndarray) -> None:
        squared = self.loss == "squared"
        if self._is_monotone:
            self._solve(X, loss, weights, self._splits(y, weights))
        elif self.penalty == "subset":
            self._subset(X, loss, weights, self._splits(y, weights))
        elif squared and (self.penalty is None or (self._is_free and self.penalty != "ridge")):
            self._least_squares(X, y, weights)
        elif self.penalty == "bridge":
            self._bridge(self._job(X, loss, weights), self._splits(y, weights))
        elif self.alpha == "bayes" and self.prior_sd is None and self.norm_bound is None:
            self._bayes(self._job(X, loss, weights))
        elif squared and self.penalty == "ridge" and np.all(self._factors(self.n_features_in_) > 0):
            self._ridge(self._job(X, loss, weights), y)
        else:
            self._solve(X, loss, weights, self._splits(y, weights))

    def _splits(self, y: np.ndarray, weights: np.ndarray) -> Any:
        from tamis.split.tuning_folds import ordered_folds

        if not self._needs_folds:
            return None
        return ordered_folds("loo" if self.alpha == "loo" else self.cv, y, classifier=False, weights=weights)

    def _least_squares(self, X: TableLike, y: np.ndarray, weights: np.ndarray) -> None:
        from tamis.linear.solvers.least_squares import least_squares

        names = [self.coef_names_[j] for j in self.inputs_.order]
        found = least_squares(X, y, weights, names, fit_intercept=bool(self.fit_intercept))
        self.alpha_, self.gap_, self.path_, self.rank_ = 0.0, 0.0, None, found.rank
        self.standard_errors_, self.t_, self.p_ = (
            self.inputs_.restore(part) for part in (found.standard_errors, found.t, found.p)
        )
        self.intercept_standard_error_ = found.intercept_standard_error
        self.residual_degrees_of_freedom_, self.leverage_ = found.freedom, found.leverage
        total = float(weights.sum())
        left = max(found.residual_sum, np.finfo(float).tiny)
        self._keep_criteria(
            float(found.rank + bool(self.fit_intercept)), total * (np.log(2 * np.pi * left / total) + 1), total
        )
        self.residual_deviation_, self.r2_, self.adjusted_r2_ = found.residual_deviation, found.r2, found.adjusted_r2
        self._keep(found.coef[:, None], np.array([found.intercept]))
        self._keep_spread(X, weights)

    def _keep_spread(self, X: Any, weights: np.ndarray) -> None:
        """Keep what an interval of new rows needs: column means, the weight of all rows, (XᵀX)⁻¹ about the means."""
        if hasattr(X, "toarray") or X.shape[1] > MOST_SPREAD or X.shape[0] * X.shape[1] > MOST_NUMBERS:
            return  # a sparse matrix made dense may not fit into memory
        dense = np.asarray(X, dtype=np.float64)
        total = float(weights.sum())
        centre = weights @ dense / total if self.fit_intercept else np.zeros(dense.shape[1])
        scaled = np.sqrt(weights)[:, None] * (dense - centre)
        largest = np.abs(scaled).max(axis=0, initial=0.0)
        unit = np.where(largest > 0, largest, 1.0)
        inverse = np.linalg.pinv(np.linalg.qr(scaled / unit, mode="r")) / unit[:, None]
        both = self.inputs_.restore(self.inputs_.restore(inverse @ inverse.T).T)
        self.spread_: dict[str, Any] = {"centre": self.inputs_.restore(centre), "inverse": both, "weight": total}

    @available_if(_has_spread)
    def predict_interval(self, X: TableLike, coverage: float = 0.95) -> np.ndarray:
        r"""Lower and upper end, for each row, of an interval that holds a new answer with the probability `coverage`.

        Of least squares, exact for normal errors of one variance: the prediction and Student's t times

        .. math:: s \sqrt{1 + 1/n + (x - \bar x)^\top (X_c^\top X_c)^{-1} (x - \bar x)}.
        """
        level = check.number("coverage", coverage, low=0, high=1, open_low=True, open_high=True)
        middle = self.predict(X)
        off = self.inputs_.read(features(self, X, reset=False, sparse_ok=True))
        off = np.asarray(off.toarray() if hasattr(off, "toarray") else off) - self.spread_["centre"]
        extra = 1 / self.spread_["weight"] if self.fit_intercept else 0.0
        wide = np.sqrt(1 + extra + ((off @ self.spread_["inverse"]) * off).sum(axis=1))
        reach = t_quantile(0.5 + level / 2, self.residual_degrees_of_freedom_) * self.residual_deviation_ * wide
        return np.column_stack([middle - reach, middle + reach])

    def to_dict(self) -> dict[str, Any]:
        """The fitted model as plain values; of least squares its errors too, but not what intervals need."""
        told = super().to_dict()
        if self.alpha_ == 0 and getattr(self, "standard_errors_", None) is not None:
            told["inference"] = {name: np.asarray(getattr(self, name)).tolist() for name in _INFERENCE}
        return told

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """A fitted model from `to_dict`."""
        model = super().from_dict(state)
        for name, value in (state.get("inference") or {}).items():
            if name in _INFERENCE:
                setattr(model, name, np.array(value, dtype=np.float64) if isinstance(value, list) else value)
        return model

    def _ridge(self, job: Any, y: np.ndarray) -> None:
        from tamis.linear.solvers.effective import deviance
        from tamis.linear.solvers.ridge import fit_ridge

        found = fit_ridge(self, job, self._splits(y, job.weights) if self.alpha == "cv" else None)
        self.path_ = None
        if found.path is not None:
            self._keep_path(found.path)
        if found.cv_predictions is not None:
            self.cv_predictions_ = found.cv_predictions
        self.alpha_, self.l1_ratio_, self.gap_, self.norm_bound_ = found.alpha, 0.0, 0.0, found.norm
        self.leverage_ = np.zeros(len(y))
        self.leverage_[np.flatnonzero(job.weights)] = found.leverage
        fit = deviance(job, found.coef[:, None], np.array([found.intercept]))
        self._keep_criteria(float(found.leverage.sum()), fit, float(job.weights.sum()))
        self._keep(found.coef[:, None], np.array([found.intercept]))

    def _bridge(self, job: Any, splits: Any) -> None:
        """α Σ |w|^q: in a target of unit deviation the strength is α · unit^(q - 2)."""
        from tamis.linear.out_of_fold import OutOfFold
        from tamis.linear.path import choose_model, choose_without_fold
        from tamis.linear.penalties.units import Units
        from tamis.linear.solvers.bridge import bridge_path, bridge_solution

        if not np.all(job.penalty.factors > 0):
            raise ParameterError("penalty='bridge' needs penalty_factors above 0; give small factors instead of 0")
        if job.X.shape[1] > MOST_BRIDGE:
            raise ParameterError(
                f"penalty='bridge' keeps products of all pairs of columns, of which there are {job.X.shape[1]:,}; give "
                f"at most {MOST_BRIDGE:,} columns, or penalty='lasso'"
            )
        unit, q = Units.of(job).target, float(self.q)
        inner = Units(unit).scaled(job, 0.0)
        self.path_, strength = None, unit ** (2 - q)
        alpha = self._strength(job, False) / strength if splits is None else 0.0
        if splits is not None:
            held = OutOfFold(inner.X, splits, None, True)
            path = bridge_path(inner, q, splits, self.n_alphas, held)
            *_, chosen = choose_model([[path]], self.rule)
            alpha = float(path.alphas[chosen])
            self._keep_path(replace(Units(unit).path(path, 0.0), alphas=path.alphas * strength))
            self._keep_predictions(held.predict([chosen] * len(splits), lambda eta: eta * unit))
            if len(splits) > 1:
                nested = [model for *_, model in choose_without_fold([[path]], self.rule)]
                self._keep_nested(held.predict(nested, lambda eta: eta * unit))
        coef, intercept = bridge_solution(inner, q, alpha)
        self.alpha_, self.gap_, self.optimal_ = alpha * strength, 0.0, q >= 1
        self._keep(coef[:, None] * unit, np.array([intercept * unit]))

    def _bayes(self, job: Any) -> None:
        from tamis.linear.solvers.bayes import sample

        if np.any(job.penalty.factors == 0):
            raise ParameterError("alpha='bayes' needs penalty_factors above 0; give small factors instead of 0")
        draws = sample(job, self.penalty or "ridge", self.n_draws, self.random_state)
        self._keep(draws.coef.mean(axis=0)[:, None], np.array([draws.intercept.mean()]))
        self.coef_interval_ = self.inputs_.restore(draws.interval().T).T
        self.alpha_draws_, self.noise_draws_ = draws.alpha, draws.noise
        self.alpha_interval_ = np.quantile(draws.alpha, [0.025, 0.975])
        self.alpha_, self.gap_, self.path_ = float(draws.alpha.mean()), 0.0, None
        clear = np.flatnonzero((self.coef_interval_[:, 0] > 0) | (self.coef_interval_[:, 1] < 0))
        columns = np.unique(self.inputs_.encoding.groups[clear])
        self.selected_columns_ = tuple(self.inputs_.encoding.names[j] for j in columns)

    def _shape(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        self.coef_, self.intercept_ = coef[:, 0], float(intercept[0])

    def _scalar(self, intercept: np.ndarray) -> Any:
        return float(intercept) if intercept.ndim == 0 else intercept

    def predict(self, X: TableLike, offset: ArrayLike | None = None) -> np.ndarray:
        """Predicted numbers of new rows (expected counts for the Poisson loss)."""
        linear_predictor = self._linear(X)
        if offset is not None:
            linear_predictor = linear_predictor + _offset(offset, len(linear_predictor))[:, None]
        made = self._respond(linear_predictor)
        return made[:, 0] if np.ndim(self.coef_) == 1 else made

    def _respond(self, linear_predictor: np.ndarray) -> np.ndarray:
        from tamis.linear.losses import loss_named

        return loss_named(self.loss).respond(linear_predictor)

    def _keep_predictions(self, predictions: np.ndarray) -> None:
        self.cv_predictions_ = predictions[:, 0]

    def _keep_nested(self, predictions: np.ndarray) -> None:
        self.nested_predictions_ = predictions[:, 0]

    def __sklearn_tags__(self) -> Any:
        from tamis.linear.penalties.across_targets import takes_several

        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.loss == "poisson"
        tags.target_tags.multi_output = takes_several(self)
        return tags


def _offset(offset: ArrayLike, n: int) -> np.ndarray:
    given = np.asarray(offset, dtype=np.float64)
    if given.shape != (n,) or not np.all(np.isfinite(given)):
        raise ParameterError(f"offset has shape {given.shape}, but X has {n:,} rows; give one finite number per row")
    return given
