"""Several transforms of some columns each."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tamis import Table
from tamis.transform import Center, Encode, Log, Standardize, Transforms, UnitRange

X = pd.DataFrame(
    {
        "age": [20.0, 40.0, 60.0],
        "s_1": [1.0, 2.0, 5.0],
        "city": ["Ulm", "Bern", "Ulm"],
        "s_2": [0.0, 3.0, 8.0],
        "since": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"]),
    }
)


def test_each_part_sees_its_own_columns_and_their_places_stay():
    """Columns would be mixed up."""
    made = Transforms("s_*: log, center; age: unit_range").fit_transform(X)
    assert list(made.columns) == list(X.columns)
    np.testing.assert_array_equal(made["age"], [0, 0.5, 1])
    logs = np.log1p(X["s_1"])
    np.testing.assert_allclose(made["s_1"], logs - logs.mean())
    pd.testing.assert_series_equal(made["city"], X["city"])
    pd.testing.assert_series_equal(made["since"], X["since"])


def test_the_same_as_one_after_another():
    """A chain of words would be something else than the chain of its transforms."""
    numbers = np.random.default_rng(0).gamma(2.0, size=(30, 3))
    chained = Standardize().fit_transform(Log(below="lowest").fit_transform(numbers))
    np.testing.assert_array_equal(Transforms("log, standardize").fit_transform(numbers), chained)
    np.testing.assert_array_equal(Transforms([("*", [Log(), Standardize()])]).fit_transform(numbers), chained)


def test_later_parts_see_what_earlier_ones_made():
    """Columns that a part made could not be named."""
    made = Transforms("city: encode; city=*: center").fit_transform(X)
    assert list(made.columns) == ["age", "s_1", "s_2", "since", "city=Bern", "city=Ulm"]
    np.testing.assert_allclose(made["city=Ulm"], [1 / 3, -2 / 3, 1 / 3])


def test_columns_of_an_array_are_called_x0_x1():
    """Arrays could not be transformed by column."""
    made = Transforms("x1: center").fit_transform(np.array([[1.0, 2.0], [3.0, 6.0]]))
    np.testing.assert_array_equal(made, [[1, -2], [3, 2]])


def test_the_target_is_encoded_out_of_fold():
    """A chain would lose the honesty of its parts."""
    rng = np.random.default_rng(1)
    frame, y = pd.DataFrame({"c": rng.choice(list("abc"), 50)}), rng.normal(size=50)
    inside = Transforms("encode(target)").fit_transform(frame, y)
    np.testing.assert_array_equal(inside, Encode("target").fit_transform(frame, y))


def test_a_table_stays_a_table():
    """The models of a study could not follow."""
    made = Transforms("s_*: unit_range").fit_transform(Table.of(X))
    assert isinstance(made, Table)
    assert made.names == tuple(X.columns)
    assert made.column("city").levels == ("Bern", "Ulm")


def test_clones_and_parameters_stay_as_given():
    """fit would rewrite what the user gave."""
    given = [("s_*", Center()), (["age"], (Log(2.0), UnitRange()))]
    made = Transforms(given).fit(X)
    assert made.parts is given
    assert not hasattr(given[0][1], "mean_")
    np.testing.assert_array_equal(clone(made).fit_transform(X)["age"], made.transform(X)["age"])


def test_a_name_that_fits_nothing_is_named():
    """A slip of the pen would leave columns as they are without a word."""
    with pytest.raises(ValueError, match=r"no column fits 'agee' \(did you mean 'age'"):
        Transforms("agee: log").fit(X)
    with pytest.raises(TypeError, match="no transform"):
        Transforms([("age", np.log)]).fit(X)


def test_rows_of_a_group_share_a_fold():
    """A chain would encode a row by the answers of its own group."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"city": rng.choice(list("abc"), 60)})
    y, groups = rng.integers(0, 2, 60), np.repeat(np.arange(12), 5)
    made = Transforms("city: encode(target), center").fit_transform(frame, y, groups=groups)
    alone = Center().fit_transform(Encode("target").fit_transform(frame, y, groups=groups))
    np.testing.assert_array_equal(made, alone)
    assert not np.array_equal(made, Transforms("city: encode(target), center").fit_transform(frame, y))
