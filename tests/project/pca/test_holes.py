"""Components of tables with missing values."""

import numpy as np
import pytest

from tamis import PCA
from tamis.errors import ParameterError
from tamis.project.pca.holes import expected_scores, of_holes


def factors(n, p, k, noise=0.5, seed=0):
    rng = np.random.default_rng(seed)
    sizes = np.linspace(5, 3, k)
    return rng.normal(size=(n, k)) * sizes @ np.linalg.qr(rng.normal(size=(p, k)))[0].T + noise * rng.normal(
        size=(n, p)
    )


def with_holes(X, share=0.2, seed=1):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def angles(a, b):
    return np.degrees(np.arccos(np.clip(np.abs((a * b).sum(axis=1)), 0, 1)))


@pytest.mark.parametrize(("n", "p", "k"), [(300, 10, 2), (1_000, 30, 4), (200, 300, 3), (400, 200, 3)])
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_a_fifth_of_holes_turns_loadings_by_less_than_five_degrees(n, p, k, offset):
    """A table with holes would have other components than the same one without."""
    X = factors(n, p, k, noise=0.3) + offset
    whole, holed = PCA(k).fit(X), PCA(k).fit(with_holes(X))
    assert angles(whole.components_, holed.components_).max() < 5
    np.testing.assert_allclose(holed.explained_variance_, whole.explained_variance_, rtol=0.1)
    assert holed.solver_ == "em"


def test_two_columns_by_hand():
    """The most likely mean and covariance: y missing in some rows follows its regression on x (Anderson, 1957)."""
    x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 9.0])
    y = np.array([1.0, 0.0, 2.0, 2.5, 5.0, 4.0, np.nan, np.nan])
    seen = ~np.isnan(y)
    slope = np.cov(x[seen], y[seen], bias=True)[0, 1] / x[seen].var()
    mean = np.array([x.mean(), y[seen].mean() + slope * (x.mean() - x[seen].mean())])
    left = y[seen].var() - slope**2 * x[seen].var()
    covariance = np.array([[x.var(), slope * x.var()], [slope * x.var(), left + slope**2 * x.var()]]) * 8 / 7
    found = of_holes(np.column_stack([x, y]), None, None, ["x", "y"])
    np.testing.assert_allclose(found.mean, mean, rtol=1e-3)
    np.testing.assert_allclose(found.spectrum, np.linalg.eigvalsh(covariance)[::-1], rtol=1e-3)


def test_without_holes_em_is_plain_pca():
    """The way by EM would have components of its own."""
    X = factors(200, 6, 2)
    found = of_holes(X, None, None, list("abcdef"))
    np.testing.assert_allclose(found.spectrum, PCA().fit(X).spectrum_, rtol=1e-8)


def test_weights_count_rows_with_holes():
    """A row of weight 2 would not be two rows."""
    X, w = with_holes(factors(90, 5, 2)), np.random.default_rng(0).integers(0, 3, 90)
    a, b = PCA(2).fit(X, sample_weight=w), PCA(2).fit(np.repeat(X, w, axis=0))
    np.testing.assert_allclose(a.components_, b.components_, atol=1e-4)
    wide = with_holes(factors(30, 40, 2))
    a, b = PCA(2).fit(wide, sample_weight=w[:30]), PCA(2).fit(np.repeat(wide, w[:30], axis=0))
    np.testing.assert_allclose(a.components_, b.components_, atol=1e-3)


def test_scores_of_rows_with_holes_are_conditional_expectations():
    """The formula of the expected scores, against the normal conditional mean written out."""
    X = factors(300, 6, 2)
    pca = PCA(2).fit(X)
    noise, V = pca.noise_variance_, pca.components_
    model = V.T @ np.diag(pca.explained_variance_ - noise) @ V + noise * np.eye(6)
    row = (X[0] - pca.mean_).copy()
    seen = np.array([True, True, False, True, False, True])
    expected = model[np.ix_(~seen, seen)] @ np.linalg.solve(model[np.ix_(seen, seen)], row[seen])
    found = expected_scores(np.where(seen, row, np.nan)[None], V, pca.explained_variance_ - noise, noise)[1][0]
    np.testing.assert_allclose(found[~seen], expected, rtol=1e-8)
    np.testing.assert_array_equal(found[seen], row[seen])


def test_scores_come_to_the_plain_ones():
    """Scores of rows with holes would be far from those without."""
    X = factors(500, 20, 2, noise=0.1)
    pca = PCA(2).fit(X)
    holed = with_holes(X, 0.1)
    assert np.abs(pca.transform(holed) - pca.transform(X)).max() < 0.3
    rows = ~np.isnan(holed).any(axis=1)
    np.testing.assert_allclose(pca.transform(holed)[rows], pca.transform(X)[rows], atol=1e-10)
    empty = pca.transform(np.full((1, 20), np.nan))
    np.testing.assert_allclose(empty, 0, atol=1e-12)  # nothing is known: the mean


def test_a_wide_table_with_holes_needs_a_count():
    """Components that the rows cannot tell would be made up."""
    wide = with_holes(factors(20, 60, 2))
    with pytest.raises(ParameterError, match="too few for all components of 60 columns; give n_components"):
        PCA().fit(wide)
    with pytest.raises(ParameterError, match="at most 19 components"):
        PCA(25).fit(wide)


def test_a_column_order_with_holes():
    """Columns in another order would have other components."""
    X = with_holes(factors(200, 6, 2))
    order = [3, 1, 5, 0, 4, 2]
    a, b = PCA(2).fit(X), PCA(2).fit(X[:, order])
    np.testing.assert_allclose(a.components_[:, order], b.components_, atol=1e-7)
