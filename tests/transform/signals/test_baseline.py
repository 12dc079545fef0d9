"""Baseline: asymmetric least squares and polynomials."""

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import solveh_banded

from tamis.errors import NotConverged
from tamis.transform.signals import Baseline

#: What pybaselines 1.2.1 gives for `spectrum()`: whittaker.asls and polynomial.modpoly, all settings at their defaults.
ASLS = [
    5.2542616769,
    5.32338612012,
    5.39251031162,
    5.46163396664,
    5.53075680207,
    5.59987853837,
    5.66899890277,
    5.73811764416,
    5.80723457688,
    5.87634961399,
    5.94546273577,
    6.01457394785,
    6.08368326806,
    6.15279072514,
    6.22189635933,
    6.29100022565,
    6.36010240401,
    6.42920301507,
    6.4983022283,
    6.56740025211,
    6.63649731626,
    6.70559365994,
    6.7746895267,
    6.84378516204,
]
MODPOLY = [
    4.72743358264,
    5.09620243398,
    5.43593846235,
    5.74664166775,
    6.02831205017,
    6.28094960963,
    6.50455434612,
    6.69912625964,
    6.86466535019,
    7.00117161777,
    7.10864506238,
    7.18708568402,
    7.23649348269,
    7.25686845839,
    7.24821061112,
    7.21051994088,
    7.14379644767,
    7.0480401315,
    6.92325099235,
    6.76942903023,
    6.58657424515,
    6.37468663709,
    6.13376620606,
    5.86381295207,
]


def spectrum(n=24):
    """Two peaks on a bent background, by a formula."""
    t = np.arange(n)
    return 5 + 0.3 * t - 0.01 * t**2 + 9 * np.exp(-(((t - 7) / 1.5) ** 2)) + 4 * np.exp(-(((t - 16) / 2.0) ** 2))


def signals(rows, n, seed=0):
    """Peaks of random height on random lines, with noise."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, n)
    peaks = sum(rng.uniform(1, 9, (rows, 1)) * np.exp(-(((t - c) / 0.02) ** 2)) for c in rng.uniform(size=5))
    return 5 + rng.normal(size=(rows, 1)) * t + peaks + 0.1 * rng.normal(size=(rows, n))


def slow_asls(y, lam=1e6, p=0.01, max_iter=50, tol=1e-3):
    """Asymmetric least squares as in the textbook, one signal at a time, with SciPy's solver."""
    n = len(y)
    D = np.diff(np.eye(n), 2, axis=0)
    P = lam * D.T @ D
    bands = np.array([np.pad(np.diagonal(P, -k), (0, k)) for k in range(3)])
    w = np.ones(n)
    for _ in range(max_iter + 1):
        system = bands.copy()
        system[0] += w
        z = solveh_banded(system, w * y, lower=True)
        new = np.where(y > z, p, 1 - p)
        if np.linalg.norm(new - w) < tol * np.linalg.norm(w):
            break
        w = new
    return z


def test_three_positions_by_hand():
    """The baseline of the smallest signal with a bend is wrong.

    y = (0, 7, 0), lam = 1, p = 0.2, d = (1, -2, 1): with weights 1, z = y - d (d·y) / (1 + d·d) = (2, 3, 2); then
    W = (0.8, 0.2, 0.8), z = y - W⁻¹d (d·y) / (1 + d·W⁻¹d) = (0, 7, 0) + 14 / 23.5 (1.25, -10, 1.25), where it stays.
    """
    baseline = Baseline(lam=1.0, p=0.2).fit([[0.0, 7.0, 0.0]])
    np.testing.assert_allclose(baseline.transform([[0.0, 7.0, 0.0]]), [[-35 / 47, 280 / 47, -35 / 47]], rtol=1e-12)
    assert baseline.n_iter_ == 2


def test_equals_pybaselines_stored():
    """Baselines differ from those of pybaselines at its defaults (stored numbers)."""
    x = spectrum()
    np.testing.assert_allclose(x - Baseline().fit_transform([x])[0], ASLS, atol=1e-8)
    np.testing.assert_allclose(x - Baseline("modpoly").fit_transform([x])[0], MODPOLY, atol=1e-8)


@pytest.mark.parametrize("n", [3, 50, 1000])
def test_equals_pybaselines(n):
    """Baselines differ from those of pybaselines at its defaults."""
    theirs = pytest.importorskip("pybaselines").Baseline(np.arange(n))
    X = signals(5, n)
    for how, function in (("asls", theirs.asls), ("polynomial", theirs.poly), ("modpoly", theirs.modpoly)):
        expected = np.array([function(x)[0] for x in X])
        np.testing.assert_allclose(X - Baseline(how).fit_transform(X), expected, atol=1e-8, rtol=0)


@pytest.mark.parametrize(("lam", "p"), [(1e6, 0.01), (1e2, 0.001), (1e9, 0.5), (1e4, 0.9)])
@pytest.mark.parametrize("n", [3, 4, 5, 200])
def test_equals_the_textbook(n, lam, p):
    """The compiled solver of many rows differs from SciPy's on one by more than rounding explains.

    The largest eigenvalue of D'D is below 16, the least weight p or 1 - p: both round by as much of the solution as the
    machine's precision times the condition number, and LAPACK by other digits from one processor to the next.
    """
    X = signals(40, n)  # more than fit into one batch
    expected = np.array([slow_asls(x, lam, p) for x in X])
    condition = 16 * lam / min(p, 1 - p)
    rounding = max(1e-9, np.finfo(float).eps * condition)
    np.testing.assert_allclose(X - Baseline(lam=lam, p=p).fit_transform(X), expected, atol=rounding, rtol=rounding)


def test_the_optimum():
    """The baseline does not minimise the weighted squares plus the penalty: the gradient is not 0."""
    x = signals(1, 60)[0]
    lam, p = 50.0, 0.05
    z = x - Baseline(lam=lam, p=p).fit_transform([x])[0]
    D = np.diff(np.eye(60), 2, axis=0)
    gradient = np.where(x > z, p, 1 - p) * (z - x) + lam * D.T @ (D @ z)
    assert np.abs(gradient).max() < 1e-9


def test_two_positions_have_no_bend():
    """Two positions, a line in any case, are refused or leave something."""
    np.testing.assert_allclose(Baseline().fit_transform([[1.0, 5.0]]), [[0.0, 0.0]], atol=1e-14)


def test_polynomial_is_least_squares():
    """The polynomial leaves other residuals than numpy.polyfit."""
    X, t = signals(4, 30), np.arange(30)
    expected = [x - np.polyval(np.polyfit(t, x, 3), t) for x in X]
    np.testing.assert_allclose(Baseline("polynomial", degree=3).fit_transform(X), expected, atol=1e-10)


def test_modpoly_by_hand():
    """Peaks pull the polynomial upwards: on a flat signal with one peak it does not sink towards the floor."""
    x = np.zeros(50)
    x[20] = 10.0
    plain = x - Baseline("polynomial", degree=0).fit_transform([x])[0]
    assert plain[0] == pytest.approx(0.2)  # the mean
    with pytest.warns(NotConverged, match=r"^1 of 1 baselines"):
        under = x - Baseline("modpoly", degree=0, max_iter=1).fit_transform([x])[0]
    assert under[0] == pytest.approx(0.2 / 50)  # the mean of min(x, 0.2)


def test_a_row_does_not_depend_on_those_beside_it():
    """Rows are solved side by side: one that settles later changes the bits of another."""
    X = signals(70, 90)
    together = Baseline().fit_transform(X)
    alone = np.vstack([Baseline().fit(X).transform(X[[i]]) for i in range(len(X))])
    np.testing.assert_array_equal(together, alone)


def test_any_layout_of_memory_will_do():
    """Read-only arrays, frames, slices or other orders would be refused by the core, or read wrongly."""
    X = signals(4, 30)
    expected = Baseline(lam=10, p=0.1).fit_transform(X)
    frozen = X.copy()
    frozen.flags.writeable = False
    for given in (frozen, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], pd.DataFrame(X)):
        np.testing.assert_array_equal(np.asarray(Baseline(lam=10, p=0.1).fit_transform(given)), expected)


@pytest.mark.parametrize("how", ["asls", "polynomial"])
def test_digits_far_from_zero_are_kept(how):
    """An offset of 1e8 costs the corrected signal its digits: systems round by 1e-9 of the largest value."""
    X = signals(40, 300)
    near, far = Baseline(how).fit_transform(X), Baseline(how).fit_transform(X + 1e8)
    np.testing.assert_allclose(far, near, atol=2e-6)


def test_a_cut_polynomial_settles_far_from_zero():
    """Beside an offset of 1e8 every change is small, so the first fit would be taken for settled."""
    X = signals(40, 300)
    near, far = (Baseline("modpoly", tol=1e-9, max_iter=5000).fit_transform(x) for x in (X, X + 1e8))
    np.testing.assert_allclose(far, near, atol=2e-6)
    flat = Baseline("modpoly").fit_transform(np.full((1, 20), 0.1))
    np.testing.assert_array_equal(flat, 0.0)


def test_values_beyond_computing_are_said():
    """Values so large that sums overflow give missing values in silence."""
    X = np.where(np.arange(20) % 3, 1.7e308, -1.7e308)[None].repeat(2, axis=0)
    X[0] = 1.0
    for how in ("asls", "polynomial"):
        with pytest.raises(ValueError, match=r"^the values of block 'signal' in row 2 are too"):
            Baseline(how).fit(X)


def test_unsettled_baselines_are_said():
    """Signals whose weights still changed at the last renewal pass in silence, or the warning counts wrongly."""
    X = signals(8, 300)
    with pytest.warns(
        NotConverged, match=r"^8 of 8 baselines of block 'signal' had not settled after max_iter=1; raise"
    ):
        found = Baseline(max_iter=1).fit_transform(X)
    np.testing.assert_allclose(X - found, [slow_asls(x, max_iter=1) for x in X], atol=1e-9)


@pytest.mark.parametrize(
    ("given", "n", "sentence"),
    [
        ({}, 1, "Baseline needs at least 2 positions, but block 'signal' has 1 feature"),
        ({"how": "polynomial", "degree": 4}, 4, "a polynomial of degree=4 needs at least 5 positions, but block"),
        ({"p": 1.0}, 9, "p=1.0 is out of range"),
        ({"lam": 0}, 9, "lam=0 is out of range"),
        ({"lam": 1e13}, 9, "lam=10000000000000.0 is out of range"),
        ({"max_iter": 0}, 9, "max_iter=0 is too small"),
        ({"how": "als"}, 9, "how='als' is not known .did you mean 'asls'"),
    ],
)
def test_bad_parameters(given, n, sentence):
    """A parameter that cannot be used is not refused in one sentence."""
    with pytest.raises(ValueError, match="^" + sentence):
        Baseline(**given).fit(np.zeros((3, n)))
