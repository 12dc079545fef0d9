"""Transforms in words."""

import pytest

from tamis.transform import Clip, Discretize, Log, Rank, Standardize, Transforms, UnitRange
from tamis.transform.steps.words import WORDS, read_steps


def told(line):
    return [(columns, [repr(transform) for transform in several]) for columns, several in read_steps(line)]


def test_words_alone_are_about_all_columns():
    """`--transform "log,standardize"` would not be understood."""
    assert told("log,standardize") == [(("*",), [repr(Log(below="lowest")), repr(Standardize())])]


def test_parts_columns_and_arguments():
    """`--transform "spectrum_*: smooth,derivative; age: center"` and arguments would not be understood."""
    found = told(
        "a*, b : clip(2, quantiles=(0.1, 0.9)) ; discretize(entropy, n_bins=4); age: rank('normal'),unit-range"
    )
    assert found == [
        (("a*", "b"), [repr(Clip(2, quantiles=(0.1, 0.9)))]),
        (("*",), [repr(Discretize("entropy", n_bins=4))]),
        (("age",), [repr(Rank("normal")), repr(UnitRange())]),
    ]


def test_odd_names_stand_in_quotes():
    """Columns whose names hold marks of the language could not be named."""
    assert told("'a: b; c', \"d,e\": center")[0][0] == ("a: b; c", "d,e")
    assert told("patient's age: center")[0][0] == ("patient's age",)


def test_every_transform_has_a_word():
    """A transform could not be used from the command line."""
    from tamis import transform

    assert set(WORDS.values()) == set(transform.__all__) - {"Transforms"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "names no transform"),
        ("age:", "names no transform in 'age:'"),
        (":log", "no name before"),
        ("lgo", "did you mean 'log'"),
        ("a: b: log", "two colons"),
        ("clip(2", r"does not close '\)'"),
        ("clip(1, 2)", "clip takes bound, floor, quantiles"),
        ("clip(limit=1)", "clip takes bound"),
        ("2+2", "no transform"),
        (7, "no text"),
    ],
)
def test_what_is_not_understood_is_named(line, said):
    """The user would not know which word is wrong."""
    with pytest.raises((ValueError, TypeError), match=said):
        read_steps(line)


def test_bad_arguments_are_named_when_fitted():
    """A word's argument would go unchecked."""
    with pytest.raises(ValueError, match="bound=-1"):
        Transforms("clip(-1)").fit([[1.0]])
