"""Impute against tables worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.impute import SimpleImputer

from tamis import Table
from tamis.errors import TamisWarning
from tamis.transform import Impute

FRAME = pd.DataFrame(
    {
        "dose": [1.0, np.nan, 5.0, 5.0, np.nan],
        "city": ["Ulm", None, "Bern", "Bern", "Ulm"],
        "ill": pd.array([True, None, False, True, True], dtype="boolean"),
        "ward": ["a", "a", "b", "b", None],
    }
)


@pytest.mark.parametrize("how", ["mean", "median", "most_frequent"])
def test_as_scikit_learn(how):
    """A hole would be filled with something else than everybody fills it with."""
    X = np.random.default_rng(0).integers(0, 5, size=(30, 3)).astype(float)
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    np.testing.assert_allclose(Impute(how).fit_transform(X), SimpleImputer(strategy=how).fit_transform(X))


def test_each_kind_of_column_is_filled_in_its_own_way():
    """A boolean would get a mean, or a category nothing; of two equally frequent levels the first counts."""
    made = Impute().fit_transform(FRAME)
    np.testing.assert_allclose(made["dose"], [1, 11 / 3, 5, 5, 11 / 3])
    assert made["city"].tolist() == ["Ulm", "Bern", "Bern", "Bern", "Ulm"]
    assert made["ill"].tolist() == [True, True, False, True, True]


def test_a_category_of_its_own():
    """Missing would be taken for a level that it is not."""
    made = Impute(categories="own").fit(FRAME)
    assert made.transform(FRAME)["city"].tolist() == ["Ulm", "missing", "Bern", "Bern", "Ulm"]
    named = FRAME.assign(city=["missing", None, "Bern", "Bern", "Ulm"])
    assert Impute(categories="own").fit_transform(named)["city"].tolist()[:2] == ["missing", "missing*"]


def test_groups_fill_their_own_holes():
    """A ward without a value, or a row of no ward, would get another ward's mean instead of that of all."""
    made = Impute("mean", by="ward").fit(FRAME)
    np.testing.assert_allclose(made.transform(FRAME)["dose"], [1, 1, 5, 5, 11 / 3])
    new = pd.DataFrame({"dose": [np.nan] * 2, "city": ["Ulm"] * 2, "ill": [True] * 2, "ward": ["b", "new"]})
    np.testing.assert_allclose(made.transform(new)["dose"], [5, 11 / 3])
    alone = FRAME.assign(ward=["a", "c", "b", "b", "a"])
    np.testing.assert_allclose(Impute("mean", by="ward").fit_transform(alone)["dose"], [1, 11 / 3, 5, 5, 1])


def test_indicators_say_where_holes_were():
    """What a hole tells would be lost; a column that had none in fit gets no indicator."""
    made = Impute(indicator=True).fit(FRAME)
    assert list(made.get_feature_names_out())[4:] == [f"{n} is missing" for n in ("dose", "city", "ill", "ward")]
    assert made.transform(FRAME)["dose is missing"].tolist() == [False, True, False, False, True]
    assert Impute(indicator=True).fit([[1.0, np.nan], [2.0, 3.0]]).get_feature_names_out()[-1] == "x1 is missing"


def test_levels_never_seen_keep_their_words():
    """An unseen level would be taken for a missing one."""
    made = Impute().fit(FRAME)
    assert made.transform(FRAME.assign(city="Oslo"))["city"].tolist() == ["Oslo"] * 5
    assert made.transform(Table.of(FRAME.assign(city="Oslo"))).column("city").levels[-1] == "Oslo"


def test_a_column_without_values_is_named():
    """A mean of nothing would be NaN."""
    with pytest.warns(TamisWarning, match="'x0'"):
        np.testing.assert_array_equal(Impute().fit_transform([[np.nan], [np.nan]]).ravel(), [0, 0])


def test_bad_parameters_are_named():
    """The user would not know which argument is wrong."""
    for arguments, said in [({"how": "mode"}, "how='mode'"), ({"by": "wrd"}, "did you mean 'ward'")]:
        with pytest.raises(ValueError, match=said):
            Impute(**arguments).fit(FRAME)
