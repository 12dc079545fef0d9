"""pearson, anova, variance and dispersion against scikit-learn, NumPy and pandas."""

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import f_classif, f_regression, r_regression

from tamis import score
from tamis.errors import TableError


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(500, 8)) + np.linspace(-2, 2, 8)) * np.logspace(-3, 4, 8)
    return X, X[:, 1] * 300 + X[:, 4] / 30 + rng.normal(size=500)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_pearson_is_the_squared_correlation_of_scikit_learn(numbers, order, dtype):
    """r² or its sign would be wrong, for rows or columns in memory, in double or single precision."""
    X, y = np.asarray(numbers[0], dtype=dtype, order=order), numbers[1]
    r = r_regression(X.astype(np.float64), y)
    found, sign = score.pearson(X, y, sign=True)
    np.testing.assert_allclose(found, r**2, rtol=1e-7, atol=1e-9)
    assert np.array_equal(sign, np.sign(r))


@pytest.mark.parametrize("order", ["C", "F"])
def test_anova_is_f_classif_and_f_regression(numbers, order):
    """F of classes, or of a numeric target, would not be the textbook's."""
    X, y = np.asarray(numbers[0], order=order), numbers[1]
    classes = np.digitize(y, np.quantile(y, [0.2, 0.5]))
    np.testing.assert_allclose(score.anova(X, classes), f_classif(X, classes)[0], rtol=1e-8)
    np.testing.assert_allclose(score.anova(X, y), f_regression(X, y)[0], rtol=1e-7)


def test_variance_and_dispersion_are_numpys(numbers):
    """Variance, or variance over mean, would be wrong."""
    X = numbers[0]
    np.testing.assert_allclose(score.variance(X), X.var(axis=0), rtol=1e-10)
    np.testing.assert_allclose(score.dispersion(X), X.var(axis=0) / np.abs(X.mean(axis=0)), rtol=1e-9)


def test_columns_far_from_zero_and_outliers_keep_their_digits():
    """Sums about a poor middle would cancel: a large mean, or first rows unlike the others, would cost all digits."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=4000)
    far = 1e9 + x
    late = np.concatenate([np.zeros(3000), 1e8 + x[:1000]])
    X, y = np.column_stack([far, late, x]), x + rng.normal(size=4000)
    np.testing.assert_allclose(score.variance(X), X.var(axis=0), rtol=1e-6)
    np.testing.assert_allclose(score.pearson(X, y), np.corrcoef(X.T, y)[-1, :-1] ** 2, rtol=1e-6)


def test_missing_rows_are_left_out_column_by_column():
    """A missing value would count as something, or make the score NaN."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 4)), rng.normal(size=80)
    X[::3, 0], X[5, 2] = np.nan, np.nan
    frame = pd.DataFrame(X)
    np.testing.assert_allclose(score.pearson(X, y), frame.corrwith(pd.Series(y)).to_numpy() ** 2, rtol=1e-10)
    np.testing.assert_allclose(score.variance(X), frame.var(ddof=0).to_numpy(), rtol=1e-10)
    seen = ~np.isnan(X[:, 0])
    classes = (y > 0).astype(int)
    assert score.anova(X, classes)[0] == pytest.approx(f_classif(X[seen, :1], classes[seen])[0][0])


def test_two_levels_score_as_zeros_and_ones():
    """A category of two levels and the same column in numbers would score differently."""
    rng = np.random.default_rng(3)
    bit, y = rng.integers(0, 2, 60), rng.normal(size=60)
    three = rng.integers(0, 3, 60)
    word, number = pd.DataFrame({"x": np.where(bit, "yes", "no")}), bit[:, None]
    for function, target in (
        (score.pearson, y),
        (score.anova, y),
        (score.anova, three),
        (score.anova, three == 1),
        (score.variance, None),
    ):
        assert function(word, target) == pytest.approx(function(number, target))


def test_categories_against_numbers_are_one_way_anova():
    """Levels of a category would not be compared by the means of the target."""
    rng = np.random.default_rng(4)
    levels, y = rng.choice(list("abcd"), 90), rng.normal(size=90)
    frame = pd.DataFrame({"level": levels})
    assert score.anova(frame, y) == pytest.approx(f_classif(y[:, None], levels)[0])
    fitted = pd.Series(y).groupby(levels).transform("mean")
    assert score.pearson(frame, y) == pytest.approx([fitted.var() / y.var(ddof=1)])


def test_a_category_has_half_the_chance_of_differing_as_variance():
    """1 − Σ p², and half of it, would not be what dispersion and variance say of a category."""
    frame = pd.DataFrame({"c": ["a", "b", "c", "a"]})
    assert score.dispersion(frame) == pytest.approx([1 - (0.25 + 0.0625 * 2)])
    assert score.variance(frame) == pytest.approx([0.3125])


def test_perfect_separation_is_large_and_finite():
    """An F ratio over no spread at all would be infinite or NaN."""
    found = score.anova([[0.0, 1.0], [0.0, 2.0], [1.0, 3.0], [1.0, 5.0]], [0, 0, 1, 1])
    assert np.isfinite(found).all()
    assert found[0] > 1e12


def test_pearson_refuses_words():
    """Words as a target would be read as numbers, or end in a traceback from below."""
    with pytest.raises(TableError, match="pearson takes a numeric target, but y holds words"):
        score.pearson([[1.0], [2.0]], ["a", "b"])


def test_two_rows_on_a_line_are_no_evidence():
    """A column with two values known would come first with r² = 1."""
    X = np.column_stack([[1.0, 2.0, np.nan, np.nan], [1.0, 2.0, 3.0, 5.0]])
    found = score.pearson(X, [1.0, 2.0, 3.0, 4.0])
    assert found[0] == 0
    assert found[1] > 0.9
