"""Ridge in closed form: one factorisation, primal or dual by shape, serves every strength and leave-one-out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from scipy import linalg, sparse

from tamis.engine import one_blas_thread
from tamis.linear.design import Centred, Design
from tamis.linear.out_of_fold import OutOfFold
from tamis.linear.path import Path, strengths
from tamis.linear.penalties.units import Units
from tamis.split import Folds

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


if TYPE_CHECKING:
    from tamis.linear.fit import Job

_BLOCK = 4_096  # rows that are made dense at a time


@dataclass(frozen=True, eq=False)
class Ridge:
    """The spectral form of a ridge problem, in standardised columns each divided by the root of its factor.

    With A the rows √w z and A = U S Vᵀ, the coefficients for a strength are V (S Uᵀy) / (S² + alpha). Where columns
    outnumber rows only U and S² are needed (dual); elsewhere only V and S² (primal).
    """

    values: np.ndarray  # S²
    inner: np.ndarray  # S Uᵀ y
    vectors: np.ndarray  # V (primal, p × r) or U (dual, n × r)
    rows: Any  # A, n × p, dense or `Centred`
    target: np.ndarray  # √w (y - middle)
    share: np.ndarray  # w, sum 1
    total: float  # sum of the weights
    centre: np.ndarray
    inverse: np.ndarray
    middle: float
    dual: bool
    fit_intercept: bool

    @classmethod
    def of(
        cls,
        design: Design,
        y: np.ndarray,
        weights: np.ndarray,
        factors: np.ndarray,
        *,
        standardize: bool,
        fit_intercept: bool,
    ) -> Ridge:
        """Factor the problem once; rows of weight 0 take no part."""
        used = np.flatnonzero(weights)
        share = weights[used] / weights.sum()
        full = weights / weights.sum()
        centre, inverse = (a[:, 0] for a in design.units(full[:, None], standardize, fit_intercept))
        inverse = inverse / np.sqrt(factors)
        middle = float(full @ y) if fit_intercept else 0.0
        rows = _standard_rows(design, used, share, centre, inverse)
        target = np.sqrt(share) * (y[used] - middle)
        dual = rows.shape[1] > rows.shape[0]
        if isinstance(rows, Centred):
            square = rows.square() if dual else rows.T.square()
        else:
            square = rows @ rows.T if dual else rows.T @ rows
        with one_blas_thread():  # a second thread brings little, and on a busy machine makes both wait
            values, vectors = linalg.eigh(square, check_finite=False, driver="evd", overwrite_a=True)
        kept = values > 1e-14 * max(values[-1], 0.0)
        values, vectors = values[kept], vectors[:, kept]
        inner = np.sqrt(values) * (vectors.T @ target) if dual else vectors.T @ (rows.T @ target)
        return cls(
            values,
            inner,
            vectors,
            rows,
            target,
            share,
            float(weights.sum()),
            centre,
            inverse,
            middle,
            dual,
            fit_intercept,
        )

    def dense(self) -> np.ndarray:
        """The rows as one dense matrix, for a sampler that draws through them."""
        return self.rows.block(0, len(self.target)) if isinstance(self.rows, Centred) else np.asarray(self.rows)

    def standard(self, alphas: np.ndarray) -> np.ndarray:
        """Coefficients (columns × strengths) in standardised units, after one step of refinement on the rows."""
        curvature = self.values[:, None] + alphas
        beta = self._lift(self.inner[:, None] / curvature)
        if len(alphas) == 1:  # the squared condition number costs digits; one residual brings them back
            left = self.target - self.rows @ beta[:, 0]
            gradient = self.rows.T @ left - alphas[0] * beta[:, 0]
            if not self.dual:
                beta[:, 0] += self.vectors @ ((self.vectors.T @ gradient) / curvature[:, 0])
        return beta

    def _lift(self, small: np.ndarray) -> np.ndarray:
        """Coordinates along the eigenvectors as coefficients."""
        if not self.dual:
            return np.asarray(self.vectors @ small)
        return np.asarray(self.rows.T @ (self.vectors @ (small / np.sqrt(self.values)[:, None])))

    def path(self, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (strengths × columns) and intercepts in the units of the columns."""
        coef = (self.standard(alphas) * self.inverse[:, None]).T
        return coef, self.middle - coef @ self.centre if self.fit_intercept else np.zeros(len(alphas))

    def leave_one_out(self, alphas: np.ndarray) -> np.ndarray:
        """Squared error of each row when it is left out (rows × strengths)."""
        return np.asarray(self.left_out(alphas) ** 2)

    def left_out(self, alphas: np.ndarray) -> np.ndarray:
        """Residual of each row when it is left out (rows × strengths): r_i / (1 - h_i).

        The units of the columns stay those of all rows.
        """
        along, size = self._axes(alphas)
        weight = (along.T @ self.target)[:, None] * size
        left = (self.target[:, None] - along @ weight) / np.sqrt(self.share)[:, None]
        return np.asarray(left / np.maximum(1 - self.leverage(alphas), 1e-12))

    def _axes(self, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows along the eigenvectors (rows × r), and the squared weights of these in the fit (r × strengths)."""
        if self.dual:
            return self.vectors, self.values[:, None] / (self.values[:, None] + alphas)
        return np.asarray(self.rows @ self.vectors), 1 / (self.values[:, None] + alphas)

    def leverage(self, alphas: np.ndarray) -> np.ndarray:
        """The diagonal of the matrix that turns the target into fitted values (rows × strengths)."""
        if self.dual:
            leverage = self.vectors**2 @ (self.values[:, None] / (self.values[:, None] + alphas))
        else:
            leverage = np.empty((len(self.target), len(alphas)))
            for start in range(0, len(leverage), _BLOCK):
                stop = start + _BLOCK
                rows = self.rows.block(start, stop) if isinstance(self.rows, Centred) else self.rows[start:stop]
                leverage[start:stop] = (rows @ self.vectors) ** 2 @ (1 / (self.values[:, None] + alphas))
        return np.asarray(leverage + self.share[:, None] if self.fit_intercept else leverage)

    def norm(self, alpha: float) -> float:
        """Length of the standardised coefficients: the bound c of the constrained form."""
        return float(np.sqrt(np.sum(self.values * (self._along() / (self.values + alpha)) ** 2)))

    def _along(self) -> np.ndarray:
        return self.inner / np.sqrt(self.values)

    def strength_of(self, bound: float) -> float:
        """The strength at which the coefficients have a given length; 0 when least squares is shorter already."""
        if self.norm(0.0) <= bound:
            return 0.0
        top = float(np.linalg.norm(np.sqrt(self.values) * self._along()) / bound) + 1e-300
        low = 1e-16 * top
        if self.norm(low) <= bound:
            low = 1e-300
        log = scipy.optimize.brentq(
            lambda a: self.norm(np.exp(a)) - bound, np.log(low), np.log(top), xtol=1e-14, rtol=1e-14
        )
        return float(np.exp(log))


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """A fitted ridge model in the units of the columns."""

    coef: np.ndarray
    intercept: float
    alpha: float
    norm: float
    path: Path | None
    cv_predictions: np.ndarray | None  # of rows left out, at the strength chosen
    leverage: np.ndarray  # of the rows that have a weight


def _standard_rows(design: Design, used: np.ndarray, share: np.ndarray, centre: np.ndarray, inverse: np.ndarray) -> Any:
    """The rows √w z: dense, or sparse entries and their centre apart."""
    if design.sparse:
        return Centred.of(sparse.csr_array(design.X)[used], share, centre, inverse)
    rows = (design.X if used.size == design.n else design.X[used]) - centre
    rows *= inverse
    rows *= np.sqrt(share)[:, None]
    return rows


def fit_ridge(model: BaseEstimator, job: Job, splits: Folds | None) -> RidgeFit:
    """Ridge with the strength, the bound, the folds or the leave-one-out choice the model asks for."""
    units = Units.of(job)
    inner = units.scaled(job, 0.0)
    y, weights, factors, options = inner.loss.y[:, 0], inner.weights, inner.penalty.factors, inner.options
    design = Design(inner.X)
    ridge = Ridge.of(design, y, weights, factors, **options)
    path = predictions = None
    if model.norm_bound is not None:
        alpha = ridge.strength_of(float(model.norm_bound) / units.coef(1.0))
    elif model.prior_sd is not None:
        alpha, _ = units.inside(model._strength(job, False), 0.0)
    elif isinstance(model.alpha, str):
        path = _path(ridge, model.n_alphas)
        if splits is None:
            path = path.scored(*_rows(ridge, path.alphas))
            alpha = float(path.alphas[path.choose(model.rule)])
            predictions = np.full(len(y), np.nan)
            used = np.flatnonzero(weights)
            predictions[used] = y[used] - ridge.left_out(np.array([alpha]))[:, 0]
        else:
            held = OutOfFold(design.X, splits)
            errors = [
                _fold(design, y, weights, factors, path.alphas, fold, options, partial(_keep, held, f))
                for f, fold in enumerate(splits)
            ]
            path = path.scored(np.array(errors), np.array([weights[test].sum() for _, test in splits]))
            chosen = path.choose(model.rule)
            alpha, predictions = float(path.alphas[chosen]), held.predict([chosen] * len(splits), np.asarray)[:, 0]
    else:
        alpha, _ = units.inside(float(model.alpha), 0.0)
    coef, intercept = ridge.path(np.array([alpha]))
    is_found = path is not None or model.norm_bound is not None or model.prior_sd is not None
    return RidgeFit(
        units.coef(coef[0]),
        float(intercept[0]) * units.target,
        units.outside(alpha, 0.0)[0] if is_found else float(model.alpha),
        units.coef(ridge.norm(alpha)),
        None if path is None else units.path(path, 0.0),
        None if predictions is None else predictions * units.target,
        ridge.leverage(np.array([alpha]))[:, 0],
    )


def _path(ridge: Ridge, n_alphas: int) -> Path:
    gradient = np.abs(ridge.rows.T @ ridge.target)
    alphas = strengths(1e3 * float(gradient.max(initial=0.0)), n_alphas, False, ridge=True)
    coef, intercept = ridge.path(alphas)
    return Path(alphas, coef[:, :, None], intercept[:, None], np.count_nonzero(coef, axis=1))


def _rows(ridge: Ridge, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return ridge.leave_one_out(alphas), ridge.share


def _fold(
    design: Design,
    y: np.ndarray,
    weights: np.ndarray,
    factors: np.ndarray,
    alphas: np.ndarray,
    fold: tuple[np.ndarray, np.ndarray],
    options: dict[str, bool],
    keep: Callable[[np.ndarray, np.ndarray, np.ndarray], None],
) -> np.ndarray:
    """Mean squared errors on one fold's test rows, for every strength; `keep` is given the models and predictors."""
    train, test = fold
    kept = np.zeros(len(y))
    np.add.at(kept, train, weights[train])
    part = Ridge.of(design, y, kept, factors, **options)
    coef, intercept = part.path(alphas)
    linear_predictor = np.asarray(design.X[test] @ coef.T) + intercept
    keep(coef, intercept, linear_predictor)
    left = y[test, None] - linear_predictor
    return np.asarray(weights[test] @ left**2 / weights[test].sum())


def _keep(held: OutOfFold, f: int, coef: np.ndarray, intercept: np.ndarray, linear_predictor: np.ndarray) -> None:
    """Keep the path of fold f: coefficients (strengths × columns) or predictors (test rows × strengths)."""
    if held.prefers_models(f, coef.shape[1]):
        held.keep_models(f, coef[:, :, None], intercept[:, None])
    else:
        held.keep_predictors(f, linear_predictor.T[:, :, None])
