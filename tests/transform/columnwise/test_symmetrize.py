"""Symmetrize against columns whose shape is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kurtosis, skew

from tamis.errors import ParameterError
from tamis.transform import Rank, Symmetrize
from tamis.transform.columnwise.symmetrize import shape, started


def test_skewness_and_kurtosis_are_those_of_scipy():
    """Columns would be transformed, or not, by another measure than the documented one."""
    x = np.random.default_rng(0).gamma(2.0, size=500)
    np.testing.assert_allclose(shape(x), (skew(x), kurtosis(x)), rtol=1e-10)
    np.testing.assert_allclose(shape(1e200 * x), (skew(x), kurtosis(x)), rtol=1e-10)
    assert shape(np.full(5, 7.0)) == (0.0, 0.0)


def test_each_column_is_treated_by_its_own_shape_and_says_why():
    """A symmetric column would be bent, or a skewed one left, or nobody could tell which."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=400)
    frame = pd.DataFrame(
        {
            "income": np.exp(1.5 * z),
            "height": 170 + 8 * z,
            "below": -np.exp(1.5 * z),
            "grade": (rng.random(400) < 0.02) * 5.0,
            "counts": np.where(z < -0.5, 0.0, np.exp(1.5 * z)),
        }
    )
    made = Symmetrize().fit(frame)
    assert made.how_ == ["log", "as it is", "as it is", "as it is", "log"]
    assert set(made.reasons_) == {"income", "counts"}
    assert made.reasons_["income"] == f"log of income: positive, skewness {skew(frame['income']):.1f}"
    out = made.transform(frame)
    np.testing.assert_allclose(out[:, 0], 1.5 * z, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(out[:, 1:4], frame.iloc[:, 1:4].to_numpy())
    above = frame["counts"][frame["counts"] > 0]
    offset = np.quantile(above, 0.25) ** 2 / np.quantile(above, 0.75)
    np.testing.assert_allclose(out[:, 4], np.log(offset + frame["counts"]))


def test_heavy_tails_become_normal_scores_where_asked():
    """Ranks would be taken unasked, or be others than those of `Rank`."""
    x = np.random.default_rng(1).standard_t(2, size=(150, 1))
    assert Symmetrize().fit(x).how_ == ["as it is"]
    made = Symmetrize(tails=3.0).fit(x)
    assert made.how_ == ["rank"]
    np.testing.assert_array_equal(made.transform(x), Rank("normal").fit_transform(x))


def test_a_new_value_without_a_logarithm_is_read_as_the_smallest_and_a_missing_one_stays():
    """One negative number in a new table would end the prediction of all."""
    x = np.append(np.exp(np.arange(-6.0, 7.0)), np.nan)[:, None]
    made = Symmetrize(1.0).fit(x)
    found = made.transform([[-3.0], [0.0], [np.nan], [np.e]]).ravel()
    np.testing.assert_allclose(found, [-6.0, -6.0, np.nan, 1.0])


def test_the_start_of_a_logarithm_of_zeros():
    """A zero would have no logarithm, or would lie far below everything."""
    assert started(np.array([1.0, 5.0])) == 0.0
    assert started(np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])) == pytest.approx(2.0**2 / 4.0)


def test_the_target_has_no_say():
    """The choice of a transform would leak the rows that judge it."""
    rng = np.random.default_rng(0)
    X = np.exp(2 * rng.normal(size=(100, 3)))
    assert Symmetrize().fit(X, rng.normal(size=100)).to_dict() == Symmetrize().fit(X).to_dict()


def test_bad_limits_are_refused():
    """A negative limit would transform every column in silence."""
    with pytest.raises(ParameterError, match="skewness=-1"):
        Symmetrize(-1).fit([[1.0]])
    with pytest.raises(ParameterError, match="tails=-1"):
        Symmetrize(tails=-1).fit([[1.0]])
