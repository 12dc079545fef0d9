"""Discretize: codes, names, holes, threads."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from tamis.transform import Discretize


def test_named_intervals_of_iris():
    """Readers of a table would not see what a code means."""
    data = load_iris(as_frame=True)
    X = data.data.rename(columns={"petal length (cm)": "petal length"})
    made = Discretize("entropy", encode="intervals").fit(X, data.target)
    found = made.transform(X)["petal length"]
    assert set(found) == {"petal length ≤ 2.45", "2.45 < petal length ≤ 4.75", "petal length > 4.75"}
    assert found[0] == "petal length ≤ 2.45"


def test_a_cut_belongs_to_the_interval_below_it():
    """The names of intervals would lie."""
    made = Discretize("width", 2).fit([[0.0], [4.0]])
    np.testing.assert_array_equal(
        made.transform([[2.0], [2.0000001], [-9.0], [9.0], [np.nan]]).ravel(), [0, 1, 0, 1, np.nan]
    )


def test_holes_have_no_say_and_stay():
    """A hole would be a value."""
    X = pd.DataFrame({"a": [1.0, np.nan, 2.0, 9.0], "s": list("uvuv")})
    codes = Discretize("count", 3).fit_transform(X)
    np.testing.assert_array_equal(codes["a"], [0, np.nan, 1, 2])
    words = Discretize("count", 3, encode="intervals").fit_transform(X)
    assert words["a"].isna().tolist() == [False, True, False, False]
    assert words["s"].tolist() == list("uvuv")


def test_a_numeric_target_is_cut_by_squared_error():
    """A numeric target would be read as hundreds of classes."""
    x = np.random.default_rng(0).uniform(size=(400, 1))
    y = np.where(x[:, 0] > 0.3, 2.5, 0.0) + 0.1 * np.random.default_rng(1).normal(size=400)
    found = Discretize("entropy").fit(x, y).cuts_[0]
    assert len(found) == 1
    assert abs(found[0] - 0.3) < 0.01


def test_threads_change_no_bit():
    """Results would depend on the machine."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    alone, many = (Discretize("entropy", n_jobs=n).fit(X, y) for n in (1, 4))
    assert alone.to_dict()["state"] == many.to_dict()["state"]


def test_entropy_needs_a_target():
    """It would end in an error of the kernel."""
    with pytest.raises(ValueError, match="requires y"):
        Discretize("entropy").fit([[1.0], [2.0]])
