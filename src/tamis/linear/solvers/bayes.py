"""Ridge and lasso as priors: Gibbs draws of the coefficients, the noise and the strength of the penalty."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from tamis.linear.design import Design
from tamis.linear.fit import Job
from tamis.linear.penalties.units import Units
from tamis.linear.solvers.ridge import Ridge

_WARM = 500  # draws thrown away while the chain settles
_LASSO_RATE = 1.78  # hyper-prior of Park & Casella: λ² ~ Gamma(1, 1.78)


@dataclass(frozen=True, eq=False)
class PosteriorDraws:
    """Draws from the posterior: coefficients (draws × columns, units of the columns), strengths, noise deviations."""

    coef: np.ndarray
    intercept: np.ndarray
    alpha: np.ndarray
    noise: np.ndarray

    def interval(self, share: float = 0.95) -> np.ndarray:
        """Equal-tailed credible intervals of the coefficients (columns × 2)."""
        tails = [(1 - share) / 2, (1 + share) / 2]
        return np.asarray(np.quantile(self.coef, tails, axis=0).T)


def sample(job: Job, penalty: str, n_draws: int, seed: int) -> PosteriorDraws:
    """Draws after a warm-up, in the units of the job's columns and target.

    References
    ----------
    Park, Casella (2008), The Bayesian lasso, JASA 103.
    Bhattacharya, Chakraborty, Mallick (2016), Fast sampling with Gaussian scale mixture priors, Biometrika 103.
    """
    units = Units.of(job)
    inner = units.scaled(job, job.penalty.l1_ratio)
    problem = Ridge.of(Design(inner.X), inner.loss.y[:, 0], inner.weights, inner.penalty.factors, **inner.options)
    rng = np.random.default_rng(seed)
    chain = _ridge if penalty == "ridge" else _lasso
    beta, alpha, noise = chain(problem, n_draws, rng)
    coef = beta * problem.inverse
    n = problem.total
    middle = (
        problem.middle + noise / np.sqrt(n) * rng.normal(size=n_draws) if problem.fit_intercept else np.zeros(n_draws)
    )
    intercept = middle - coef @ problem.centre if problem.fit_intercept else middle
    strength, _ = units.outside(1.0, job.penalty.l1_ratio)
    return PosteriorDraws(units.coef(coef), intercept * units.target, alpha * strength, noise * units.target)


def _ridge(problem: Ridge, n_draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """β | λ, σ² is Gaussian and independent along the eigenvectors.

    The hyper-prior is half-Cauchy on the prior deviation of a coefficient in units of the noise, 1/√λ with λ = n·alpha,
    written as a mixture with one more variable so that every draw is a Gamma.
    """
    n, p = problem.total, problem.rows.shape[1]
    values, inner = n * problem.values, n * problem.inner
    total = n * float(problem.target @ problem.target)
    rank = len(values)
    lam, mixed, noise2 = float(n) * 0.1, 1.0, max(total / n, 1e-300)
    small, lams, noises = np.empty((n_draws, rank)), np.empty(n_draws), np.empty(n_draws)
    for draw in range(-_WARM, n_draws):
        curvature = values + lam
        gamma = inner / curvature + np.sqrt(noise2 / curvature) * rng.normal(size=rank)
        size = float(gamma @ gamma) + (noise2 / lam * rng.chisquare(p - rank) if p > rank else 0.0)
        left = max(total - 2 * float(inner @ gamma) + float(values @ gamma**2), 1e-12 * total)
        noise2 = (left + lam * size) / 2 / rng.gamma((n - 1 + p) / 2)
        lam = rng.gamma((p + 1) / 2) / (1 / mixed + size / (2 * noise2))
        mixed = (1 + lam) / rng.gamma(1.0)
        if draw >= 0:
            small[draw], lams[draw], noises[draw] = gamma, lam, noise2
    beta = problem._lift(small.T).T
    if p > rank:  # directions the rows say nothing about keep their prior
        free = rng.normal(size=(n_draws, p)) * np.sqrt(noises / lams)[:, None]
        axes = problem._lift(np.eye(rank))
        beta = beta + free - (free @ axes) @ axes.T
    return beta, lams / n, np.sqrt(noises)


def _lasso(problem: Ridge, n_draws: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The Laplace prior as a mixture of Gaussians with exponential variances τ²; alpha = λσ/n."""
    n, p = problem.total, problem.rows.shape[1]
    X, y = problem.dense() * np.sqrt(n), problem.target * np.sqrt(n)
    total = float(y @ y)
    square, cross = (X.T @ X, X.T @ y) if p <= len(y) else (None, None)
    tau2, lam2, noise2 = np.ones(p), 1.0, max(total / n, 1e-300)
    beta, alphas, noises = np.empty((n_draws, p)), np.empty(n_draws), np.empty(n_draws)
    for draw in range(-_WARM, n_draws):
        now = (
            _tall_draw(square, cross, tau2, noise2, rng) if square is not None else _wide_draw(X, y, tau2, noise2, rng)
        )
        left = float(np.sum((y - X @ now) ** 2))
        noise2 = (left + float(now**2 @ (1 / tau2))) / 2 / rng.gamma((n - 1 + p) / 2)
        noise2 = max(noise2, 1e-12 * total / n)
        mean = np.sqrt(lam2 * noise2 / np.maximum(now**2, 1e-24 * noise2))
        tau2 = 1 / np.maximum(rng.wald(mean, lam2), 1e-12)
        lam2 = rng.gamma(p + 1.0) / (tau2.sum() / 2 + _LASSO_RATE)
        if draw >= 0:
            beta[draw], alphas[draw], noises[draw] = now, np.sqrt(lam2 * noise2) / n, noise2
    return beta, alphas, np.sqrt(noises)


def _tall_draw(
    square: np.ndarray, cross: np.ndarray | None, tau2: np.ndarray, noise2: float, rng: np.random.Generator
) -> np.ndarray:
    """β ~ N(A⁻¹Xᵀy, σ²A⁻¹) with A = XᵀX + diag(1/τ²), by its Cholesky factor."""
    factor = linalg.cholesky(square + np.diag(1 / tau2), lower=True, overwrite_a=True, check_finite=False)
    mean = linalg.solve_triangular(factor, cross, lower=True, check_finite=False)
    mean = mean + np.sqrt(noise2) * rng.normal(size=len(tau2))
    return np.asarray(linalg.solve_triangular(factor, mean, lower=True, trans="T", check_finite=False))


def _wide_draw(X: np.ndarray, y: np.ndarray, tau2: np.ndarray, noise2: float, rng: np.random.Generator) -> np.ndarray:
    """The same draw through an n × n system, for more columns than rows."""
    n, p = X.shape
    sd = np.sqrt(noise2)
    prior = sd * np.sqrt(tau2) * rng.normal(size=p)
    gap = y - X @ prior - sd * rng.normal(size=n)
    inner = (X * tau2) @ X.T
    inner.flat[:: n + 1] += 1.0
    return np.asarray(prior + tau2 * (X.T @ linalg.solve(inner, gap, assume_a="pos", check_finite=False)))
