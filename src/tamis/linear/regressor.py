"""LinearRegressor: a penalised linear model of a number."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if

from tamis import check
from tamis.errors import ParameterError
from tamis.linear.model import LinearModel, warn_constant
from tamis.metrics.distributions import t_quantile
from tamis.table import LazyTable, features, numbers, same_length
from tamis.views.lazy.given import refuse_rows

#: Above so many columns, or numbers in all, (XᵀX)⁻¹ is not kept, and there are no intervals of new rows.
MOST_SPREAD, MOST_NUMBERS = 500, 20_000_000

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
    penalty : None, "ridge", "lasso", "elastic-net", or "subset" (the best k columns).
    alpha : strength of the penalty; "cv" chooses it by cross-validation, "loo" by leaving out one row at a time (closed
        form for ridge), "bayes" samples it with the coefficients (ridge and lasso). With penalty="subset" and k=None it
        is the price of a column.
    l1_ratio : share of the absolute penalty in the elastic net; "cv" compares seven, a list those it holds, and the one
        with the least error over folds is taken.
    k : number of columns for penalty="subset": a number, "cv", or None (then alpha is the price of a column).
    loss : "squared" (half the squared error), "poisson" (half the deviance of counts, log link) or "huber" (squared up
        to `huber_width` robust standard deviations of the target, then linear).
    relax : "cv" blends the lasso (or elastic net) with the unpenalised fit on the columns it selects, γ · lasso +
        (1 - γ) · unpenalised, and chooses γ (of 0, 0.25, 0.5, 0.75, 1) and alpha together; a number is γ; None is 1.
    rule : "1se" takes the simplest model within one standard error of the best, "min" the best.
    cv : number of folds, a share of rows to hold out (0.2), a splitter, or pairs of (training rows, test rows).
    standardize : divide every column by its standard deviation (1/n) before penalising.
    fit_intercept : whether to fit an intercept.
    norm_bound : instead of alpha, the largest norm of the standardised coefficients: Σ|w| (lasso) or √Σw² (ridge).
    prior_sd : instead of alpha, the standard deviation of the standardised coefficients' prior, normal (ridge) or
        Laplace (lasso); the model is then the most probable one (MAP).
    noise_sd : with `prior_sd` and the squared loss, the deviation of the noise; None estimates it by least squares.
    penalty_factors : one factor a column; 0 leaves a column free of penalty.
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
    leverage_ : for least squares and ridge, the diagonal of that matrix, one number a row; their sum is
        `degrees_of_freedom_`. Not saved by `to_dict`.
    deviance_, aic_, bic_ : minus twice the log likelihood of the training rows, and that + 2 df or + log(n) df.
    residual_degrees_of_freedom_ : without a penalty, rows less parameters.
    optimal_, subset_gap_ : for the best subset, whether it is proved, and how far the bound is from what was found.

    References
    ----------
    Friedman, Hastie, Tibshirani (2010), Regularization paths for generalized linear models via coordinate descent.
    Ndiaye, Fercoq, Gramfort, Salmon (2017), Gap safe screening rules for sparsity enforcing penalties.

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> model = LinearRegressor().fit(X, 3 + 2 * X[:, 1] + 0.1 * X[:, 0])
    >>> model.selected_columns_
    ['x0', 'x1']
    """

    _target = "numbers"

    def __init__(
        self,
        penalty: str | None = "lasso",
        *,
        alpha: float | str | None = "cv",
        l1_ratio: float | str | list[float] = 0.5,
        k: int | str | None = "cv",
        loss: str = "squared",
        relax: float | str | None = None,
        rule: str = "1se",
        cv: Any = 10,
        standardize: bool = True,
        fit_intercept: bool = True,
        norm_bound: float | None = None,
        prior_sd: float | None = None,
        noise_sd: float | None = None,
        penalty_factors: Any = None,
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

        X may be a lazy table, and y then the name of one of its columns.
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
        target = numbers(y)
        same_length(target, np.empty(table.n_rows))
        weights = check.weights(sample_weight, table.n_rows)
        self._check_size(table.n_columns)
        matrix = self._read(X, weights, table)
        loss = self._loss(target, weights, offset)
        if np.all(target[weights > 0] == target[weights > 0][0]):
            warn_constant(f"{target[0]:g}")
        self._dispatch(matrix, loss, target, weights)
        self._weigh(matrix, weights)
        return self

    def _loss(self, y: np.ndarray, weights: np.ndarray, offset: Any) -> Any:
        from tamis.linear.losses import loss_named

        kind = loss_named(self.loss)
        if offset is not None and not kind.takes_offset:
            raise ParameterError(f"offset is for loss='poisson', but loss={self.loss!r}; subtract it from y instead")
        return kind.of(y, weights, None if offset is None else _offset(offset, len(y)), self)

    def _dispatch(self, X: Any, loss: Any, y: np.ndarray, weights: np.ndarray) -> None:
        squared = self.loss == "squared"
        if self.penalty == "subset":
            self._subset(X, loss, weights, self._splits(y, weights))
        elif squared and (self.penalty is None or (self.alpha == 0 and self.penalty != "ridge")):
        elif squared and (self.penalty is None or (self._is_free and self.penalty != "ridge")):
