"""Blocks: which columns form a signal."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tamis import Table
from tamis.transform.signals import Baseline, Convolve, Fourier, ScatterCorrection, Sharpen, Smooth

FRAME = {
    "age": [40.0, 50.0, 60.0],
    "s_1": [1.0, 4.0, 9.0],
    "who": ["a", "b", "a"],
    "s_2": [2.0, 3.0, 8.0],
    "s_3": [6.0, 5.0, 7.0],
    "t_1": [0.0, 1.0, 0.0],
    "t_2": [1.0, 0.0, 0.0],
}
RAGGED = np.array([np.zeros(3), np.zeros(4)], dtype=object)
SIGNAL = np.array([[1.0, 2.0, 6.0], [4.0, 3.0, 5.0], [9.0, 8.0, 7.0]])


@pytest.mark.parametrize("columns", ["s_*", "s_?", ["s_1", "s_2", "s_3"], ["s_[12]", "s_3"], {"s": "s_*"}, [1, 3, 4]])
@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame, lambda frame: Table.of(pd.DataFrame(frame))])
def test_named_columns_are_transformed_and_others_pass(form, columns):
    """A block is not found by pattern, names or positions, or a column outside it changes."""
    frame = form(FRAME)
    smooth = Smooth("moving-average", window=3, columns=columns).fit(frame)
    found = smooth.transform(frame)
    assert type(found) is type(frame)
    assert smooth.get_feature_names_out().tolist() == list(FRAME)
    out = found.to_pandas() if not isinstance(found, pd.DataFrame) else found
    np.testing.assert_allclose(
        out[["s_1", "s_2", "s_3"]], Smooth("moving-average", window=3).fit_transform(SIGNAL), rtol=1e-15
    )
    for name in ("age", "who", "t_1", "t_2"):
        assert out[name].tolist() == FRAME[name]


def test_blocks_by_name_have_columns_of_their_own():
    """Summaries of two blocks are mixed up or not called by their names; made columns do not come first."""
    frame = pd.DataFrame(FRAME)
    fourier = Fourier(columns={"s": "s_*", "t": "t_*"}).set_output(transform="pandas")
    found = fourier.fit_transform(frame)
    expected = ["s_amplitude_0", "s_amplitude_0.333333", "t_amplitude_0", "t_amplitude_0.5", "age", "who"]
    assert found.columns.tolist() == expected
    np.testing.assert_allclose(found["s_amplitude_0"], SIGNAL.mean(axis=1))
    np.testing.assert_allclose(found["t_amplitude_0.5"], [0.5, 0.5, 0.0])


def test_a_block_is_called_by_what_its_columns_share():
    """Summaries of two parts of a table, each given to a transform of its own, cannot be told apart."""
    frame = pd.DataFrame([[1.0, 2.0, 3.0, 4.0]], columns=["left_1", "left_2", "right_1", "right_2"])
    assert Fourier().fit(frame[["left_1", "left_2"]]).get_feature_names_out()[0] == "left_amplitude_0"
    assert Fourier(columns=["right_1", "right_2"]).fit(frame).get_feature_names_out()[0] == "right_amplitude_0"
    assert Fourier().fit(frame).get_feature_names_out()[0] == "signal_amplitude_0"


def test_the_order_of_a_list_is_the_order_of_the_signal():
    """Columns named in another order than the table's are read in the table's."""
    X = np.random.default_rng(0).normal(size=(4, 6))
    mixed = ["x4", "x0", "x5", "x2", "x1", "x3"]
    places = [int(name[1:]) for name in mixed]
    found = Convolve([1.0, 2.0], columns=mixed).fit_transform(X)
    np.testing.assert_array_equal(found[:, places], Convolve([1.0, 2.0]).fit_transform(X[:, places]))


@pytest.mark.parametrize("columns", [None, "s_*"])
def test_numbered_columns_in_any_order_are_the_same_signal(columns):
    """A table whose columns are sorted by name, as a study's, has s_10 before s_2 and gives another signal."""
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(4, 12)), columns=[f"s_{j}.5" for j in range(12)])
    by_name = X[sorted(X.columns)]
    assert by_name.columns.tolist() != X.columns.tolist()
    smooth = Smooth(columns=columns).set_output(transform="pandas")
    pd.testing.assert_frame_equal(smooth.fit_transform(by_name)[X.columns], smooth.fit_transform(X))


def test_other_names_stand_as_in_the_table():
    """Columns without numbers, or with other texts, too, are put into another order than the table's."""
    for names in (["mon", "tue", "fri"], ["s_2", "t_1", "s_1"], ["s2", "s02", "s1"]):
        frame = pd.DataFrame([[1.0, 2.0, 3.0]], columns=names)
        assert [columns.tolist() for columns in Smooth().fit(frame).blocks_.values()] == [[0, 1, 2]]


def test_without_columns_all_numbers_are_one_signal():
    """Booleans, dates or categories of a frame are read as positions."""
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [True, False], "c": ["u", "v"], "d": [3.0, 5.0]})
    found = Sharpen(window=1).fit(frame)
    assert found.blocks_["signal"].tolist() == [0, 3]


def test_a_name_with_signs_of_a_pattern_is_a_name():
    """A column called s[1] cannot be named."""
    frame = pd.DataFrame({"s[1]": [1.0], "s1": [2.0], "s[2]": [3.0]})
    assert Smooth(columns=["s[1]", "s[2]"]).fit(frame).blocks_["s"].tolist() == [0, 2]


@pytest.mark.parametrize(
    ("columns", "error", "sentence"),
    [
        ("u_*", ValueError, "columns='u_*' fits no column"),
        (["s_1", "s_9"], ValueError, "there is no column 's_9' (did you mean"),
        (["s_1", "s_1"], ValueError, "columns names 's_1' twice"),
        ({"a": "s_*", "b": ["s_2"]}, ValueError, "columns names 's_2' twice"),
        (["s_1", "who"], TypeError, "column 'who' holds categories, but a signal consists of numbers"),
        ([], ValueError, "block 'signal' has no numeric columns"),
        ({}, ValueError, "columns={} names no block"),
        (3.5, TypeError, "columns=3.5 must be names"),
        ([99], ValueError, "columns names column 99"),
    ],
)
def test_bad_columns(columns, error, sentence):
    """Columns that cannot form a signal are not refused in one sentence."""
    with pytest.raises(error) as raised:
        Smooth(columns=columns).fit(pd.DataFrame(FRAME))
    assert str(raised.value).startswith(sentence)


def test_made_names_must_be_free():
    """A made column takes the name of one that passes through."""
    frame = pd.DataFrame({"s_1": [1.0], "s_2": [2.0], "s_amplitude_0": [3.0]})
    with pytest.raises(ValueError, match=r"^the transform makes a second column 's_amplitude_0'; rename"):
        Fourier(columns="s_[12]").fit_transform(frame)


@pytest.mark.parametrize("X", [[[1.0, 2.0, 3.0], [1.0, 2.0]], ([1.0], [1.0, 2.0]), RAGGED])
def test_signals_of_unequal_length(X):
    """Lists of unequal length give NumPy's words about shapes."""
    with pytest.raises(
        ValueError, match=r"^signals of unequal length: row 2 has \d positions, row 1 has \d; cut or pad"
    ):
        Baseline().fit(X)


def test_signals_of_another_length_than_in_fit():
    """Longer signals than those of fit are taken."""
    scatter = ScatterCorrection().fit([[0.0, 1.0, 2.0]])
    with pytest.raises(ValueError, match=r"^X has 4 features, but ScatterCorrection is expecting 3 features"):
        scatter.transform([[0.0, 1.0, 2.0, 3.0]])
