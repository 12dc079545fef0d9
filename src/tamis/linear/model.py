"""What the two linear estimators share: parameters and their checks, inputs, the choice of a model, text and JSON."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.engine import one_blas_thread, workers
from tamis.errors import DamagedError, ParameterError, TamisWarning
from tamis.linear.encoding import EncodedInputs
from tamis.linear.losses import known_likelihood, loss_named, loss_names
from tamis.saved import mapping, numbers, read_integer, reading, texts
from tamis.table import Table, features, refuse_extreme_matrix
from tamis.table.interface.takes_table import TakesTable
from tamis.table.like import TableLike

PENALTIES = ("ridge", "lasso", "elastic-net", "subset", "bridge")
#: Shares of the absolute penalty that l1_ratio="cv" compares, dense near the lasso.
RATIOS = (0.1, 0.5, 0.7, 0.9, 0.95, 0.99, 1.0)
_VERSION = 1
#: Of the training rows, where they are known; not kept in a saved model.
CRITERIA = ("degrees_of_freedom_", "leverage_", "deviance_", "aic_", "bic_", "norm_bound_")


class LinearModel(TakesTable, BaseEstimator):
    """Base of LinearRegressor and LinearClassifier; see there."""

    _target = ""
    coef_: Any
    intercept_: Any
    alpha_: float | None
    relax: Any
    noise_sd: float | None = None
    q: float = 1.0
    monotone: dict[str, int] | None

    # -- checks ------------------------------------------------------------------------------------------------------
    def _check(self) -> None:
        if self.penalty is not None:
            check.one_of("penalty", self.penalty, PENALTIES)
        check.one_of("loss", self.loss, loss_names(self._target))
        check.one_of("rule", self.rule, ("1se", "min"))
        check.one_of("missing", self.missing, ("refuse", "mean"))
        if isinstance(self.alpha, str):
            check.one_of("alpha", self.alpha, ("cv", "loo", "bayes"))
            self._check_bayes()
        elif self.alpha is not None:
            check.number("alpha", self.alpha, low=0)
        self._check_ratio()
        self._check_smooth()
        self._check_bridge()
        self._check_relax()
        self._check_monotone()
        check.count("n_alphas", self.n_alphas, low=2)
        check.number("tol", self.tol, low=0, open_low=True)
        if self.norm_bound is not None:
            check.number("norm_bound", self.norm_bound, low=0, open_low=True)
            if self.penalty not in ("ridge", "lasso"):
                raise ParameterError(
                    f"norm_bound={self.norm_bound} needs penalty='ridge' or 'lasso', but penalty={self.penalty!r}"
                )
        self._check_prior()

    def _check_ratio(self) -> None:
        if isinstance(self.l1_ratio, str):
            check.one_of("l1_ratio", self.l1_ratio, ("cv",))
        for ratio in self._ratios:
            check.number("l1_ratio", ratio, low=0, high=1)
        if np.ndim(self.l1_ratio) == 0 and not isinstance(self.l1_ratio, str):
            return
        if not self._ratios:
            raise ParameterError("l1_ratio=[] holds no number; give numbers between 0 and 1, or 'cv'")
        if self.penalty == "elastic-net" and not isinstance(self.alpha, str):
            raise ParameterError(
                f"l1_ratio={self.l1_ratio!r} is chosen by cross-validation, which needs alpha='cv', but "
                f"alpha={self.alpha!r}; give alpha='cv', or a number for l1_ratio"
            )

    def _check_prior(self) -> None:
        if self.prior_sd is None:
            return
        check.number("prior_sd", self.prior_sd, low=0, open_low=True)
        if self.penalty not in ("ridge", "lasso") or self.norm_bound is not None or not known_likelihood(self.loss):
            raise ParameterError(
                f"prior_sd={self.prior_sd} is a normal prior of penalty='ridge' or a Laplace prior of 'lasso' with a "
                f"likelihood, but penalty={self.penalty!r}, loss={self.loss!r} and norm_bound={self.norm_bound!r}"
            )

    def _check_bridge(self) -> None:
        if self.penalty != "bridge":
            return
        if self._target != "numbers" or self.loss != "squared" or self.alpha in (None, "loo", "bayes"):
            raise ParameterError(
                f"penalty='bridge' is for LinearRegressor with loss='squared' and alpha a number or 'cv', but "
                f"loss={self.loss!r} and alpha={self.alpha!r}"
            )
        check.number("q", self.q, low=0, high=2, open_low=True)

    def _check_smooth(self) -> None:
        if loss_named(self.loss).is_smooth:
            return
        if self.penalty == "subset" or self.relax is not None or self.group:
            raise ParameterError(
                f"loss={self.loss!r} has a corner, which penalty='subset', relax and group do not take; give "
                "loss='squared_hinge' or 'logistic', or penalty='ridge', 'lasso' or 'elastic-net'"
            )

    def _check_relax(self) -> None:
        if self.relax is None:
            return
        if isinstance(self.relax, str):
            check.one_of("relax", self.relax, ("cv",))
        else:
            check.number("relax", self.relax, low=0, high=1)
        if self.penalty not in ("lasso", "elastic-net"):
            raise ParameterError(
                f"relax={self.relax!r} refits the columns that a penalty selects, but penalty={self.penalty!r} selects "
                "none; give penalty='lasso' or 'elastic-net', or relax=None"
            )
        if self.alpha == "bayes" or (self.relax == "cv" and (self.norm_bound or self.prior_sd)):
            raise ParameterError(
                f"relax={self.relax!r} is not possible with alpha='bayes', norm_bound or prior_sd; give a number for "
                "relax, or alpha='cv'"
            )

    def _check_monotone(self) -> None:
        if not self._is_monotone:
            return
        if (
            self.penalty in ("subset", "bridge")
            or self.relax is not None
            or self.group
            or self.alpha == "bayes"
            or not loss_named(self.loss).is_smooth
        ):
            raise ParameterError(
                f"monotone={self.monotone!r} bounds the signs of coefficients of penalty=None, 'ridge', 'lasso' or "
                "'elastic-net' with a smooth loss, without relax, group and alpha='bayes'; leave it out, or those"
            )

    @property
    def _is_monotone(self) -> bool:
        """Whether some coefficient may have one sign alone."""
        return self.monotone is not None and (not isinstance(self.monotone, dict) or any(self.monotone.values()))

    def _sides(self, n_classes: int = 0, n_targets: int = 1) -> np.ndarray:
        """The sign that each encoded column may have, in solving order; empty where all are free."""
        encoding = self.inputs_.encoding
        sides = check.monotone(self.monotone, encoding.names, lambda j: encoding.levels[j] is not None)
        check.one_answer(sides, n_classes, n_targets)
        return sides[self.inputs_.groups].astype(np.float64) if len(sides) else np.zeros(0)

    @property
    def _ratios(self) -> tuple[float, ...]:
        """The shares of the absolute penalty that are compared."""
        if isinstance(self.l1_ratio, str):
            return RATIOS
        return (self.l1_ratio,) if np.ndim(self.l1_ratio) == 0 else tuple(self.l1_ratio)

    def _check_bayes(self) -> None:
        if self.alpha == "bayes" and (self.loss != "squared" or self.penalty not in ("ridge", "lasso")):
            raise ParameterError(
                f"alpha='bayes' with penalty={self.penalty!r} and loss={self.loss!r} is not known; "
                "give penalty='ridge' or 'lasso' and loss='squared', or alpha='cv'"
            )

    @property
    def _needs_folds(self) -> bool:
        """Whether the size or the strength is chosen on folds."""
        if self.penalty == "subset":
            return bool(self.k == "cv")
        if self.norm_bound is not None or self.prior_sd is not None:
            return False
        return self.penalty is not None and (isinstance(self.alpha, str) or (self.relax == "cv" and not self._is_free))

    @property
    def _is_free(self) -> bool:
        """Whether there is no penalty: the scale of columns then has no meaning."""
        if self.prior_sd is not None or self.norm_bound is not None:
            return False
        return bool(self.penalty is None or self.alpha is None or self.alpha == 0)

    def _check_size(self, n_columns: int) -> None:
        if self.penalty == "subset" and self.k is not None and self.k != "cv":
            check.count("k", self.k, low=0, high=n_columns, of="columns")

    # -- reading -----------------------------------------------------------------------------------------------------
    def _read(self, X: TableLike, weights: np.ndarray, table: Table) -> Any:
        """Learn the encoding and give the matrix in solving order; what another table left behind goes."""
        for name in (
            "cv_predictions_",
            "nested_predictions_",
            "standard_errors_",
            "spread_",
            "l1_ratio_",
            "gamma_",
            *CRITERIA,
        ):
            self.__dict__.pop(name, None)
        reference = self.penalty is None or self.penalty == "subset"
        self.inputs_ = EncodedInputs.learn(table, weights, missing=self.missing, reference=reference)
        self.coef_names_ = list(self.inputs_.encoding.columns)
        matrix = self.inputs_.read(table)
        refuse_extreme_matrix(matrix, self.coef_names_)
        return self.inputs_.arrange(matrix)

    def _factors(self, n_columns: int) -> np.ndarray:
        """One penalty factor an encoded column, in solving order."""
        given = np.ones(n_columns)
        if self.penalty_factors is not None:
            given = np.asarray(self.penalty_factors, dtype=np.float64)
            if given.shape != (n_columns,):
                raise ParameterError(
                    f"penalty_factors has shape {given.shape}, but there are {n_columns:,} columns; give one each"
                )
            bad = np.flatnonzero(~(given >= 0) | ~np.isfinite(given))
            if bad.size:
                raise ParameterError(f"penalty_factors[{bad[0]}]={given[bad[0]]}; give finite factors of at least 0")
            if not given.any():
                raise ParameterError("all penalty_factors are 0; give penalty=None to leave every column free")
        return given[self.inputs_.groups]

    def _penalty(self, n_columns: int) -> Any:
        from tamis.linear.penalties.elastic_net import Penalty

        share = {"lasso": 1.0, "elastic-net": float(self._ratios[-1])}.get(self.penalty, 0.0)
        starts = self.inputs_.starts
        whole = bool(self.group) and share > 0 and bool(np.any(np.diff(starts) > 1))
        return Penalty(share, self._factors(n_columns), starts if whole else None, self._sides())

    def _job(self, X: TableLike, loss: Any, weights: np.ndarray, standardize: bool | None = None) -> Any:
        from tamis.linear.fit import Job

        standardize = bool(self.standardize) if standardize is None else standardize
        penalty = self._penalty(self.n_features_in_)
        return Job(X, loss, weights, penalty, standardize, bool(self.fit_intercept), self.tol, self.n_jobs)

    # -- fitting -----------------------------------------------------------------------------------------------------
    def _solve(self, X: Any, loss: Any, weights: np.ndarray, splits: Any) -> None:
        """Fit by path, at one strength, or without a penalty, and remember the model."""

        def respond(linear_predictor: np.ndarray) -> np.ndarray:
            return self._respond(linear_predictor * units.target)

        from tamis.linear.fit import solution_at
        from tamis.linear.out_of_fold import OutOfFold
        from tamis.linear.path import choose_model, choose_without_fold
        from tamis.linear.penalties.strength import bounded_solution, coefficient_norm
        from tamis.linear.penalties.units import Units
        from tamis.linear.solvers.relaxed import relaxed_solution

        free = self._is_free
        job = self._job(X, loss, weights, bool(self.standardize) or free)
        units, ratio = Units.of(job), job.penalty.l1_ratio
        gamma = 1.0 if self.relax is None or free else self.relax
        with one_blas_thread():  # many small products: a second BLAS thread costs more than it brings
            if splits is None:
                self.alpha_, self.l1_ratio_ = self._strength(job, free), ratio
                alpha, ratio = units.inside(self.alpha_, ratio)
                job, self.path_ = units.scaled(job, ratio), None
            else:
                ratios, alphas = [ratio], None
                if not isinstance(self.alpha, str):  # the blend alone is chosen
                    only, ratios[0] = units.inside(float(self.alpha), ratio)
                    alphas = np.array([only])
                elif self.penalty == "elastic-net":
                    ratios = [float(one) for one in self._ratios]
                jobs = [units.scaled(job, one) for one in ratios]
                families = [self._blends(one, splits, loss.offset, alphas) for one in jobs]
                paths = [[blend.path for blend in family] for family in families]
                family, which, chosen = choose_model(paths, self.rule)
                job, ratio, (gamma, path, held) = jobs[family], ratios[family], families[family][which]
                self._keep_path(units.path(path, ratio))
                alpha = float(path.alphas[chosen])
                self.alpha_, self.l1_ratio_ = units.outside(alpha, ratio)
                if self._responds:
                    self._keep_predictions(held.predict([chosen] * len(splits), respond))
                if self._responds and len(splits) > 1:
                    nested = choose_without_fold(paths, self.rule)
                    parts = OutOfFold.by_fold([families[one][blend].held for one, blend, _ in nested])
                    self._keep_nested(parts.predict([model for *_, model in nested], respond))
            if self.norm_bound is None:
                found = solution_at(job, alpha)
            else:
                found = bounded_solution(job, float(self.norm_bound) / units.coef(1.0))
                alpha = found.alpha
                self.alpha_, _ = units.outside(alpha, ratio)
            if self.penalty in ("ridge", "lasso"):
                self.norm_bound_ = units.coef(coefficient_norm(job, found.coef))
            self._inform(job, found, alpha, units)
            if self.relax is not None:
                self.gamma_ = gamma
                found = relaxed_solution(job, found, gamma)
        self.gap_ = float(found.gap)
        self._keep(units.coef(found.coef), found.intercept * units.target)

    def _fit_path(
        self, X: TableLike, loss: Any, weights: np.ndarray, max_columns: int | None, splits: Any = None
    ) -> Any:
        """The path of a lasso, elastic net or ridge in the table's order; no strength is chosen."""
        from tamis.linear.fit import path_of
        from tamis.linear.penalties.units import Units

        if self.penalty not in ("ridge", "lasso", "elastic-net"):
            raise ParameterError(
                f"fit_path needs penalty='ridge', 'lasso' or 'elastic-net', but penalty={self.penalty!r}"
            )
        limit = None if max_columns is None else check.count("max_columns", max_columns)
        job = self._job(X, loss, weights)
        units, ratio = Units.of(job), job.penalty.l1_ratio
        groups = self.inputs_.groups

        def is_enough(coef: np.ndarray) -> bool:
            return len(np.unique(groups[coef.any(axis=1)])) > (limit or 0)

        with one_blas_thread():
            path = path_of(units.scaled(job, ratio), splits, self.n_alphas, is_enough=is_enough if limit else None)
        self._keep_path(units.path(path, ratio))
        return self.path_

    def _strength(self, job: Any, free: bool) -> float:
        """The strength that was given, as a number or by a prior."""
        if self.prior_sd is None:
            return 0.0 if free or self.norm_bound is not None else float(self.alpha)
        from tamis.linear.penalties.strength import prior_strength, residual_deviation

        noise = 1.0
        if self.loss == "squared":
            noise = residual_deviation(job) if self.noise_sd is None else float(self.noise_sd)
        return prior_strength(self.penalty, float(self.prior_sd), float(job.weights.sum()), noise)

    def _inform(self, job: Any, found: Any, alpha: float, units: Any) -> None:
        """Effective number of parameters, and the information criteria that follow."""
        from tamis.linear.solvers.effective import degrees_of_freedom, deviance

        if self.relax is not None or self._is_monotone:
            return
        freedom, fit = degrees_of_freedom(job, found.coef, alpha), deviance(job, found.coef, found.intercept)
        self._keep_criteria(freedom, fit, float(job.weights.sum()), units.target)

    def _keep_criteria(self, freedom: float | None, deviance: float | None, total: float, unit: float = 1.0) -> None:
        """`deviance` is that of a target in multiples of a unit."""
        if freedom is None:
            return
        self.degrees_of_freedom_ = freedom
        if deviance is not None:
            self.deviance_ = deviance + 2 * total * float(np.log(unit))
            self.aic_, self.bic_ = self.deviance_ + 2 * freedom, self.deviance_ + float(np.log(total)) * freedom

    def _blends(self, job: Any, splits: Any, offset: Any, alphas: Any) -> list[Any]:
        """The penalised path, or its blends with the unpenalised fits on its supports, with the models of the folds."""
        from tamis.linear.fit import path_of
        from tamis.linear.out_of_fold import OutOfFold
        from tamis.linear.solvers.relaxed import GAMMAS, Blend, blends

        relaxes = self.relax is not None
        held = OutOfFold(job.X, splits, offset, relaxes) if self._responds or relaxes else None
        path = path_of(job, splits, self.n_alphas, alphas, held)
        if not relaxes or held is None:
            return [Blend(1.0, path, held)]
        return blends(job, path, splits, held, GAMMAS if self.relax == "cv" else (float(self.relax),))

    def _subset(self, X: TableLike, loss: Any, weights: np.ndarray, splits: Any) -> None:
        """The best columns, and whether that is proved."""
        from tamis.linear.solvers.subset_path import choose_subset

        if self.k is None and isinstance(self.alpha, str):
            raise ParameterError(
                f"k=None needs alpha as the price of a column, but alpha={self.alpha!r}; give a number"
            )
        job = self._job(X, loss, weights)
        found = choose_subset(job, self.inputs_.starts, splits, self.k, self.alpha, self.rule, self.time_limit)
        self._keep_path(found.path)
        self.alpha_ = float(self.alpha) if self.k is None else None
        self.gap_ = found.gap
        self.k_, self.optimal_, self.subset_gap_ = found.size, found.optimal, found.gap
        self._keep(found.coef, found.intercept)

    def _keep_path(self, path: Any) -> None:
        """The path with its columns in the table's order, and counted by columns of the table."""
        from dataclasses import replace

        coef = np.moveaxis(self.inputs_.restore(np.moveaxis(path.coef, 1, 2)), 2, 1)
        groups = self.inputs_.encoding.groups
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        sizes = np.count_nonzero(np.logical_or.reduceat(coef.any(axis=2), starts, axis=1), axis=1)
        self.path_ = replace(path, coef=coef, n_columns=sizes.astype(np.int64))

    def _used(self, coef: np.ndarray) -> np.ndarray:
        """Positions of the table's columns with a coefficient other than 0 (columns × outputs)."""
        return np.unique(self.inputs_.encoding.groups[np.flatnonzero(coef.any(axis=1))])

    def _keep(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        """Remember coefficients (solving order, columns × outputs) in the table's order."""
        coef = self.inputs_.restore(coef.T).T
        self.selected_columns_ = tuple(self.inputs_.encoding.names[j] for j in self._used(coef))
        self._shape(coef, np.asarray(intercept, dtype=np.float64))

    def _shape(self, coef: np.ndarray, intercept: np.ndarray) -> None:
        raise NotImplementedError

    @property
    def _responds(self) -> bool:
        """Whether the linear predictor is a number or becomes probabilities."""
        return True

    def _respond(self, linear_predictor: np.ndarray) -> np.ndarray:
        """Predicted numbers (rows × 1) or probabilities (rows × classes) from linear predictors (rows × outputs)."""
        raise NotImplementedError

    def _keep_predictions(self, predictions: np.ndarray) -> None:
        self.cv_predictions_ = predictions

    def _keep_nested(self, predictions: np.ndarray) -> None:
        self.nested_predictions_ = predictions

    def _weigh(self, X: TableLike, weights: np.ndarray) -> None:
        """Remember what each column of the table contributes, by the training rows (in solving order)."""
        from tamis.linear.contribution import contributions

        coef = np.atleast_2d(self.coef_)[:, self.inputs_.order]
        X = X.tocsc() if hasattr(X, "tocsc") else X
        self.feature_importances_ = contributions(X, coef, self.inputs_.groups, self.n_features_in_, weights)

    def _linear(self, X: TableLike) -> np.ndarray:
        """The linear predictor of new rows (rows × outputs)."""
        check_is_fitted(self, "coef_")
        table = features(self, X, reset=False, sparse_ok=True)
        matrix, coef = self.inputs_.read(table), np.atleast_2d(self.coef_)
        with np.errstate(over="ignore", invalid="ignore"):
            linear_predictor = np.asarray(matrix @ coef.T) + np.atleast_1d(self.intercept_)
        if not np.all(np.isfinite(linear_predictor)):
            refuse_extreme_matrix(matrix, self.coef_names_)
        return linear_predictor

    # -- words and JSON ----------------------------------------------------------------------------------------------
    def to_text(self, digits: int = 4) -> str:
        """The model as a formula in words and numbers, coefficients on the original scale."""
        from tamis.linear.text import formula

        check_is_fitted(self, "coef_")
        return formula(self, digits)

    def plot_path(self, top: int = 20, **options: Any) -> Any:
        """Coefficients along the path as a Bokeh figure, for a notebook; options go to the figure."""
        from tamis.linear.path_figure import path_figure

        check_is_fitted(self, "coef_")
        return path_figure(self, top, **options)

    def to_dict(self) -> dict[str, Any]:
        """The fitted model as plain numbers, lists and words, ready for JSON; it predicts the same after loading."""
        check_is_fitted(self, "coef_")
        names = getattr(self, "feature_names_in_", None)
        return {
            "model": type(self).__name__,
            "version": _VERSION,
            "params": {name: value for name, value in self.get_params().items() if _is_plain(value)},
            "n_features_in": int(self.n_features_in_),
            "feature_names_in": None if names is None else [str(name) for name in names],
            "inputs": self.inputs_.to_dict(),
            "coef": np.asarray(self.coef_).tolist(),
            "intercept": np.asarray(self.intercept_).tolist(),
            "alpha": None if self.alpha_ is None else float(self.alpha_),
            "l1_ratio": None if getattr(self, "l1_ratio_", None) is None else float(self.l1_ratio_),
            "gamma": getattr(self, "gamma_", None),
            "selected_columns": list(self.selected_columns_),
            "path": None if self.path_ is None else self.path_.summary(),
        }

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Self:
        """A fitted model from `to_dict`."""
        if state.get("model") != cls.__name__:
            raise ParameterError(f"this is a {state.get('model')!r}, not a {cls.__name__}; load it with its own class")
        if state.get("version") != _VERSION:
            raise ParameterError(
                f"the model has version {state.get('version')!r}, but this Tamis reads version {_VERSION}"
            )
        with reading("the saved model", "give what its to_dict wrote"):
            model = cls(**mapping("params", state["params"]))
            model._check()
            workers(model.n_jobs)
            model._restore(state)
        return model

    def _restore(self, state: dict[str, Any]) -> None:
        """Take what `to_dict` wrote, every size checked."""
        self.inputs_ = EncodedInputs.from_dict(mapping("inputs", state["inputs"]))
        encoding = self.inputs_.encoding
        self.n_features_in_ = read_integer("n_features_in", state["n_features_in"])
        if self.n_features_in_ != len(encoding.names):
            raise DamagedError(f"it encodes {len(encoding.names):,} columns instead of {self.n_features_in_:,}")
        if state["feature_names_in"] is not None:
            if texts("feature_names_in", state["feature_names_in"]) != encoding.names:
                raise DamagedError("feature_names_in are not the columns it encodes")
            self.feature_names_in_ = np.array(state["feature_names_in"], dtype=object)
        self.levels_in_ = {n: levels for n, levels in zip(encoding.names, encoding.levels) if levels is not None}
        self.coef_names_ = list(encoding.columns)
        outer = () if np.ndim(state["intercept"]) == 0 else (len(state["intercept"]),)
        self.coef_ = numbers("coef", state["coef"], shape=(*outer, encoding.n_encoded))
        self.intercept_ = self._scalar(numbers("intercept", state["intercept"], shape=outer))
        self.alpha_ = None if state["alpha"] is None else float(numbers("alpha", state["alpha"], shape=()))
        if state.get("l1_ratio") is not None:
            self.l1_ratio_ = float(numbers("l1_ratio", state["l1_ratio"], shape=()))
        if state.get("gamma") is not None:
            self.gamma_ = float(numbers("gamma", state["gamma"], shape=()))
        self.selected_columns_ = texts("selected_columns", state["selected_columns"])
        if not set(self.selected_columns_) <= set(encoding.names):
            raise DamagedError("selected_columns are not columns it encodes")
        self.path_ = None if state["path"] is None else _summary(mapping("path", state["path"]))

    def _scalar(self, intercept: np.ndarray) -> Any:
        return intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "mean"
        return tags


def _summary(state: dict[str, Any]) -> Any:
    """A saved path: strengths, sizes and errors, without the coefficients along it."""
    from tamis.linear.path import Path

    parts: dict[str, Any] = {name: None if part is None else np.array(part) for name, part in state.items()}
    return Path(
        parts["alphas"], np.zeros((0, 0, 0)), np.zeros((0, 0)), parts["n_columns"], parts["cv_mean"], parts["cv_se"]
    )


def _is_plain(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item) for item in value)
    if isinstance(value, dict):
        return all(isinstance(name, str) and _is_plain(item) for name, item in value.items())
    return value is None or isinstance(value, (str, bool, int, float))


def warn_constant(what: str) -> None:
    """Say that the target does not vary."""
    warnings.warn(
        f"the target is {what} in every row, so no column can explain it; the model is that constant",
        TamisWarning,
        stacklevel=4,
    )
