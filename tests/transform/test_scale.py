"""Center, Standardize and UnitRange against tables worked out by hand and scikit-learn."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from tamis.errors import TamisWarning
from tamis.transform import Center, Standardize, UnitRange

HOLES = np.array([[1.0, 4.0], [np.nan, 8.0], [3.0, 12.0]])


def test_center_subtracts_the_mean_of_what_is_there():
    """Center would be off its formula, or fill holes."""
    np.testing.assert_array_equal(Center().fit_transform(HOLES), [[-1, -4], [np.nan, 0], [1, 4]])


def test_standardize_divides_by_the_deviation_with_one_over_n():
    """The deviation would be that of 1/(n - 1): 2, 4, 4, 4, 5, 5, 7, 9 has mean 5 and deviation 2."""
    made = Standardize().fit([[v] for v in (2.0, 4, 4, 4, 5, 5, 7, 9)])
    assert made.mean_[0] == 5
    assert made.scale_[0] == 2
    np.testing.assert_array_equal(made.transform([[9.0], [4.0]]).ravel(), [2.0, -0.5])


def test_unit_range_maps_the_ends_to_0_and_1():
    """UnitRange would be off its formula; values of new rows may lie outside."""
    made = UnitRange().fit([[2.0], [4.0], [10.0]])
    np.testing.assert_array_equal(made.transform([[2.0], [4.0], [10.0], [12.0]]).ravel(), [0, 0.25, 1, 1.25])


@pytest.mark.parametrize(("ours", "theirs"), [(Standardize(), StandardScaler()), (UnitRange(), MinMaxScaler())])
def test_as_scikit_learn(ours, theirs):
    """Results would differ from those that everybody knows, holes included."""
    X = np.random.default_rng(0).normal(3, 2, size=(50, 4))
    X[::7, 1] = np.nan
    np.testing.assert_allclose(ours.fit_transform(X), theirs.fit_transform(X), rtol=1e-12, atol=1e-14)


def test_weights_count_rows():
    """A row of weight 2 would not be the same as the row twice."""
    X = np.random.default_rng(1).normal(size=(6, 2))
    weight = np.array([1.0, 2, 0, 3, 1, 1])
    a = Standardize().fit(X, sample_weight=weight)
    b = Standardize().fit(np.repeat(X, weight.astype(int), axis=0))
    np.testing.assert_allclose(a.mean_, b.mean_, rtol=1e-12)
    np.testing.assert_allclose(a.scale_, b.scale_, rtol=1e-12)


@pytest.mark.parametrize("kind", [Standardize, UnitRange])
def test_a_constant_column_becomes_0_and_is_named_once(kind):
    """A division by zero would fill the column with NaN, or nobody would be told."""
    X = pd.DataFrame({"a": [1.0, 2.0, 4.0], "flat": [0.1, 0.1, 0.1]})
    with pytest.warns(TamisWarning, match="'flat'") as said:
        made = kind().fit_transform(X)
    assert len(said) == 1
    np.testing.assert_array_equal(made[:, 1], [0, 0, 0])


def test_an_offset_of_1e8_keeps_the_digits():
    """Sums of squares around 0 would lose all digits of the spread."""
    x = np.random.default_rng(2).normal(size=(1000, 1))
    far, near = Standardize().fit_transform(x + 1e8), Standardize().fit_transform(x)
    assert np.abs(far - near).max() < 1e-6


def test_a_column_without_values_stays_missing():
    """A column that is missing in the training rows of a fold would end the run."""
    X = np.array([[np.nan, 1.0], [np.nan, 2.0]])
    with pytest.warns(TamisWarning, match="x0"):
        assert np.isnan(Standardize().fit_transform(X)[:, 0]).all()


@pytest.mark.parametrize("kind", [Center, Standardize, UnitRange])
def test_a_constant_column_becomes_0_and_it_is_said_once(kind):
    """The mean of three times 0.1 is not 0.1, so a constant would become a rounding; or nobody would hear of it."""
    X = pd.DataFrame({"a": [0.1, 0.1, 0.1], "b": [1.0, 2.0, 3.0]})
    with pytest.warns(TamisWarning, match="'a'") as said:
        made = kind().fit_transform(X)
    assert len(said) == 1
    np.testing.assert_array_equal(np.asarray(made)[:, 0], 0.0)


@pytest.mark.parametrize("kind", [Center, Standardize, UnitRange])
def test_neither_the_order_in_memory_nor_the_columns_beside_change_a_bit(kind):
    """Results would depend on where a table came from."""
    X = np.random.default_rng(3).normal(size=(333, 7))
    expected = kind().fit_transform(X)
    np.testing.assert_array_equal(kind().fit_transform(np.asfortranarray(X)), expected)
    np.testing.assert_array_equal(kind().fit_transform(X[:, [5, 2]]), expected[:, [5, 2]])


@pytest.mark.parametrize("factor", [1e-300, 1e-200, 1e200, 1e307])
def test_numbers_whose_squares_are_no_numbers_are_standardised(factor):
    """Squares of 1e-200 are 0 and of 1e200 infinite: the answer was infinite, or 0."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    expected = Standardize().fit_transform(X)
    step = Standardize().fit(X * factor)
    assert step.transform(X * factor) == pytest.approx(expected, rel=1e-9)
    assert step.inverse_transform(expected) / factor == pytest.approx(X, rel=1e-9)


def test_a_range_beyond_the_largest_number():
    """1.7e308 less -1.7e308 is infinite, and infinite over infinite no number."""
    X = np.array([[-1.7e308], [0.0], [1.7e308]])
    step = UnitRange().fit(X)
    assert step.transform(X).ravel().tolist() == [0.0, 0.5, 1.0]
    assert step.inverse_transform(step.transform(X)) == pytest.approx(X)


def test_a_deviation_that_vanishes_under_the_weights():
    """All but one row weigh next to nothing: the deviation was 0, and the answer infinite."""
    X = np.array([[1e-300], [2e-300], [3e-300]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TamisWarning)
        warnings.simplefilter("error", RuntimeWarning)
        for weights in ([1.0, 1e-100, 1e-140], [1e200, 1.0, 1e-200]):
            step = Standardize().fit(X, sample_weight=weights)
            assert np.isfinite(step.transform(X)).all()
