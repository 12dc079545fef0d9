"""Components of a table with missing values, by expectation and maximisation (EM)."""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy import linalg

from tamis import _core
from tamis.errors import NotConverged, ParameterError, TableError
from tamis.project.pca.decompose import EPS, Decomposition, decompose

_RIDGE = 1e-7  # of a column's variance: keeps the inverse where columns depend on each other
TOLERANCE, MOST = 1e-5, 300  # relative change of the model between two rounds, and number of rounds
_LOOSE = 1e-4  # the same of directions: with 1e-5, 2.5 times the rounds turn no component by a tenth of a degree
_NORMAL = 1000  # columns up to which the whole covariance is estimated
_MOST_NUMBERS = 4_000_000  # of matrices of factors that are held at once


def of_holes(
    X: np.ndarray, weights: np.ndarray | None, n_components: int | None, names: Sequence[str]
) -> Decomposition:
    """The decomposition that is most likely given the cells that are there.

    A tall table is taken as normal with any covariance. A wide one, or one of very many columns, as `n_components`
    directions and equal noise elsewhere.

    Parameters
    ----------
    n_components : the number of directions where the covariance cannot be had; None when it was not given.
    """
    n, p = X.shape
    row_weights = np.ones(n) if weights is None else weights
    mean, scale = _observed(X, row_weights, names)
    units = (X - mean) / scale
    if n >= 3 * p and p <= _NORMAL:
        return _normal(units, row_weights, mean, scale)
    if n_components is None:
        raise ParameterError(
            f"{n:,} rows with missing values are too few for all components of {p:,} columns; give n_components as a "
            "number, or fill the missing values first"
        )
    max_components = min(n, p) - 1
    if n_components > max_components:
        raise ParameterError(
            f"n_components={n_components}, but a table of {n:,} rows and {p:,} columns with missing values has at most "
            f"{max_components} components; give n_components between 1 and {max_components}"
        )
    return _low_rank(X - mean, row_weights, mean, n_components)


def _observed(X: np.ndarray, weights: np.ndarray, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the values that are there; 1 for a constant column."""
    observed_weight = weights @ ~np.isnan(X)
    if not observed_weight.all():
        raise TableError(
            f"column {names[int(np.flatnonzero(observed_weight == 0)[0])]!r} holds no value at all; leave it out"
        )
    mean = np.nansum(X * weights[:, None], axis=0) / observed_weight
    spread = np.sqrt(np.nansum((X - mean) ** 2 * weights[:, None], axis=0) / observed_weight)
    return mean, np.where(spread > 8 * EPS * np.abs(mean), spread, 1.0)


def _normal(units: np.ndarray, weights: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> Decomposition:
    r"""Most likely mean and covariance of normal rows.

    With the precision :math:`K = \Sigma^{-1}`, the missing part m of a row has the mean
    :math:`\mu_m - K_{mm}^{-1} K_{mo} (x_o - \mu_o)` and the covariance :math:`K_{mm}^{-1}`: small systems, however
    many columns there are.

    References
    ----------
    R. J. A. Little and D. B. Rubin, "Statistical analysis with missing data", 3rd ed., 2019, ch. 11.
    """
    holes = np.isnan(units)
    rows = np.flatnonzero(holes.any(axis=1))
    missing_columns = np.concatenate([np.flatnonzero(line) for line in holes[rows]] or [np.zeros(0, np.int64)])
    starts = np.concatenate([[0], np.cumsum(holes[rows].sum(axis=1))]).astype(np.int64)
    filled = np.ascontiguousarray(np.where(holes, 0.0, units))
    p, weight = units.shape[1], float(weights.sum())
    roots = np.sqrt(weights)[:, None]
    centre = np.zeros(p)
    covariance = (filled * roots).T @ (filled * roots) / weight
    shrunk = np.minimum(1.0, weights @ ~holes / weight)  # zeros in the holes took some of the variance
    covariance[np.diag_indices(p)] /= np.maximum(shrunk, EPS)
    for _ in range(MOST):
        ridged = covariance + _RIDGE * np.eye(p)
        precision = linalg.inv(ridged, check_finite=False)
        extra = np.zeros((p, p))
        filled -= centre
        _core.fill_expectations(filled, precision, rows, missing_columns, starts, weights, extra)
        filled += centre
        shift = weights @ filled / weight
        block = (filled - shift) * roots
        fresh = (block.T @ block + extra) / weight
        step, covariance, moved, centre = np.abs(fresh - covariance), fresh, np.abs(shift - centre).max(), shift
        if max(step.max(), moved) <= TOLERANCE:
            break
    else:
        of_variance = float((step * scale * scale[:, None]).max() / (scale**2).max())
        if of_variance > TOLERANCE:  # columns of little variance may still change, and turn no component by it
            _warn(of_variance)
    values, vectors = linalg.eigh(covariance * scale * scale[:, None] * weight / (weight - 1.0), check_finite=False)
    spectrum = np.maximum(values[::-1], 0.0)
    rank = int((spectrum > 1e-8 * spectrum[0]).sum())
    return Decomposition(
        mean + scale * centre, spectrum, vectors[:, ::-1].T[:rank], float(spectrum.sum()), weight, "em"
    )


def _low_rank(centred: np.ndarray, weights: np.ndarray, mean: np.ndarray, k: int) -> Decomposition:
    r"""Most likely directions W and noise σ² of rows :math:`x = \mu + W z + \sigma\varepsilon`, z and ε normal.

    References
    ----------
    A. Ilin and T. Raiko, "Practical approaches to principal component analysis in the presence of missing values",
    JMLR 11, 2010.
    """
    holes = np.isnan(centred)
    n, p = centred.shape
    start, _ = decompose(np.where(holes, 0.0, centred), weights, k, "gram" if n < p else "moments")
    unit = float(np.sqrt(start.total / p)) or 1.0
    data, observed = np.where(holes, 0.0, centred / unit), (~holes).astype(np.float64)
    loads = np.zeros((p, k))
    n_start = min(k, start.rank)
    loads[:, :n_start] = (start.components[:n_start] * np.sqrt(start.spectrum[:n_start, None])).T / unit
    noise, centre = max((start.total - float(start.spectrum[:n_start].sum())) / unit**2 / p, 1e-6), np.zeros(p)
    weight = float(weights.sum())
    for _ in range(MOST):
        z, covariances = _factors(data, observed, loads, centre, noise)
        before = loads
        loads, centre, noise = _directions(data, observed, weights, z, covariances, loads)
        loads, centre = _standardised(loads, centre, z, covariances, weights)
        change = _difference(loads, before)
        if change <= _LOOSE:
            break
    else:
        _warn(change)
    components, sizes, _ = linalg.svd(loads, full_matrices=False)
    spectrum = np.full(min(n - 1, p), noise)
    spectrum[:k] += sizes**2
    spectrum *= unit**2 * weight / (weight - 1.0)
    rank = int((sizes > 1e-7 * sizes[0]).sum())
    total = float(spectrum[:k].sum() + noise * unit**2 * (p - k))
    return Decomposition(mean + unit * centre, spectrum, components.T[:rank], total, weight, "em")


def _blocks(n_columns: int, n_factors: int) -> list[slice]:
    """Columns some at a time, so that a matrix of factors for each of them stays small."""
    step = max(1, _MOST_NUMBERS // n_factors**2)
    return [slice(first, first + step) for first in range(0, n_columns, step)]


def _systems(observed: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """V'V over the columns that each row has: rows × factors × factors. observed : 1 or 0."""
    p, k = vectors.shape
    out = np.zeros((len(observed), k * k))
    for block in _blocks(p, k):
        part = vectors[block]
        out += observed[:, block] @ (part[:, :, None] * part[:, None, :]).reshape(-1, k * k)
    return out.reshape(-1, k, k)


def _factors(
    data: np.ndarray, observed: np.ndarray, loads: np.ndarray, centre: np.ndarray, noise: float
) -> tuple[np.ndarray, np.ndarray]:
    """Expectation and covariance of the factors of every row."""
    inverse = np.linalg.inv(_systems(observed, loads) + noise * np.eye(loads.shape[1]))
    products = data @ loads - observed @ (centre[:, None] * loads)
    return (inverse @ products[:, :, None])[:, :, 0], noise * inverse


def _directions(
    data: np.ndarray,
    observed: np.ndarray,
    weights: np.ndarray,
    z: np.ndarray,
    covariances: np.ndarray,
    loads: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Directions and centre of every column given the factors of all rows; the noise variance. Data are 0 in holes."""
    n, k = z.shape
    moments = (z[:, :, None] * z[:, None, :] + covariances).reshape(n, k * k)
    fresh, centre, mass = np.empty_like(loads), np.empty(len(loads)), weights @ observed
    diagonal, total = np.arange(k), 0.0
    for block in _blocks(len(loads), k):
        present = (observed[:, block] * weights[:, None]).T  # columns × rows
        left = weights @ data[:, block] - ((present @ z) * loads[block]).sum(axis=1)
        centre[block] = left / mass[block]
        values = ((data[:, block] - centre[block]) * observed[:, block]).T
        products, sums = (present * values) @ z, (present @ moments).reshape(-1, k, k)
        sums[:, diagonal, diagonal] += 1e-12 * (sums[:, diagonal, diagonal] + 1.0)
        fresh[block] = np.linalg.solve(sums, products[:, :, None])[:, :, 0]
        # Σ w (x − load'z)² + load' cov load = Σ w x² − products'load at the solution
        squares = (present * values**2).sum(axis=1) - (products * fresh[block]).sum(axis=1)
        total += float(np.maximum(squares, 0.0).sum())
    return fresh, centre, max(total / float(mass.sum()), 1e-12)


def _standardised(
    loads: np.ndarray, centre: np.ndarray, z: np.ndarray, covariances: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Directions and centre for factors of mean 0 and covariance 1: theirs go into both.

    The model stays the same, and rounds become 2 to 5 times fewer (C. Liu et al., "Parameter expansion to accelerate
    EM", Biometrika 85, 1998).
    """
    share = weights / weights.sum()
    shift = share @ z
    spread = (z * share[:, None]).T @ z + np.tensordot(share, covariances, axes=1) - np.outer(shift, shift)
    values, turn = linalg.eigh(spread)
    return np.asarray(loads @ (turn * np.sqrt(np.maximum(values, 0.0)))), centre + loads @ shift


def _difference(loads: np.ndarray, before: np.ndarray) -> float:
    """Distance of W Wᵀ from what it was, relative to its size: turning the factors is no change."""
    squares = [((a.T @ b) ** 2).sum() for a, b in ((loads, loads), (before, before), (loads, before))]
    return float(np.sqrt(max(squares[0] + squares[1] - 2 * squares[2], 0.0) / max(squares[0], EPS)))


def _warn(change: float) -> None:
    warnings.warn(
        f"the components of the table with missing values still changed by {change:.1g} after {MOST} rounds; "
        "give fewer n_components, or fill the missing values first",
        NotConverged,
        stacklevel=6,
    )


def expected_scores(
    centred: np.ndarray, components: np.ndarray, spectrum: np.ndarray, noise: float
) -> tuple[np.ndarray, np.ndarray]:
    r"""Scores of rows with missing cells, and the cells the components expect: their most likely values.

    .. math:: z = (V_o^\top V_o + \sigma^2 \Lambda^{-1})^{-1} V_o^\top x_o, \qquad t = V_o^\top x_o + V_m^\top V_m z

    With fewer holes t comes to the plain score.

    Parameters
    ----------
    centred : rows about the mean, NaN where missing.
    spectrum : variances of the components given.
    noise : variance of a direction outside them.
    """
    holes = np.isnan(centred)
    rows = np.flatnonzero(holes.any(axis=1))
    filled = np.where(holes, 0.0, centred)
    scores = filled @ components.T
    if rows.size:
        floor = max(noise, 1e-8 * float(spectrum[-1]), 1e-300)
        systems = _systems((~holes[rows]).astype(np.float64), components.T) + np.diag(floor / spectrum)
        z = np.linalg.solve(systems, (filled[rows] @ components.T)[:, :, None])[:, :, 0]
        expected = z @ components
        scores[rows] += np.where(holes[rows], expected, 0.0) @ components.T
        filled[rows] = np.where(holes[rows], expected, filled[rows])
    return scores, filled
