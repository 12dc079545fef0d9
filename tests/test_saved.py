"""What files are written with and read through."""

from __future__ import annotations

import json
import struct
import zlib
from collections import namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.errors import DamagedError
from tamis.saved import indented, mapping, numbers, read_entry, reading

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=3), inside, max_size=4),
    max_leaves=20,
)


@given(value=VALUES, ascii=st.booleans())
def test_files_hold_what_the_standard_library_would_write(value, ascii):
    """If this fails, the bytes of a study's files differ from those that earlier versions wrote."""
    assert indented(value, ensure_ascii=ascii) == json.dumps(value, indent=1, ensure_ascii=ascii)


def test_keys_that_are_no_texts_and_tuples_are_written_the_same():
    """If this fails, a parameter such as class_weight={0: 1.0} is saved in another way."""
    Pair = namedtuple("Pair", "a b")
    value = {0: [1, (2.5, None)], 1.5: {True: "x"}, None: Pair(1, [2]), "n": Pair(1, 2), "e": [[], {}, ()]}
    assert indented(value) == json.dumps(value, indent=1, ensure_ascii=False)


def test_a_number_that_json_lacks_is_refused_where_asked():
    """If this fails, results.json can hold NaN, which other readers refuse."""
    for value in ([float("nan")], [[1.0], float("inf")], {"a": {"b": float("nan")}}):
        with pytest.raises(ValueError, match="not JSON compliant"):
            indented(value, allow_nan=False)


DAMAGED = {
    "a name that is missing": lambda: {}["name"],
    "a list that is too short": lambda: [][3],
    "a value of another type": lambda: len(3),
    "a text for a number": lambda: float("x"),
    "a number too large": lambda: float(10**400),
    "no table of names": lambda: mapping("it", [1]),
    "another shape": lambda: numbers("roots", [[1, 2]]),
    "no entry": lambda: read_entry({}, "name"),
    "nested too deeply": lambda: json.loads("[" * 100_000),
    "cut off": lambda: zlib.decompress(zlib.compress(b"abc" * 100)[:-6]),
    "too few bytes": lambda: struct.unpack("<i", b"a"),
}


#: What is raised without `reading`.
PLAIN = (LookupError, TypeError, ValueError, OverflowError, RecursionError, zlib.error, struct.error)

OWN_ERRORS = [NameError, AttributeError, AssertionError, ZeroDivisionError, ImportError, RuntimeError]


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_is_said_in_one_sentence(damage):
    """A damaged value was a traceback."""
    sentence = r"^model\.json is damaged(: .*)?; fit it again$"
    with pytest.raises(DamagedError, match=sentence), reading("model.json", "fit it again"):
        DAMAGED[damage]()


@pytest.mark.parametrize("kind", OWN_ERRORS)
def test_an_error_of_the_package_is_not_called_damage(kind):
    """An error in the code was reported as a damaged file, so nobody looked for it."""
    with pytest.raises(kind, match=r"^of our own$"), reading("model.json", "fit it again"):
        raise kind("of our own")


@pytest.mark.parametrize("damage", DAMAGED)
def test_of_a_whole_file_only_what_is_raised_on_purpose_counts_as_damage(damage):
    """With a checksum that fits, a missing key is an error of the code that reads it."""
    with pytest.raises(PLAIN) as plain:
        DAMAGED[damage]()
    with pytest.raises(PLAIN) as raised, reading("model.json", "fit it again", is_whole=True):
        DAMAGED[damage]()
    assert type(raised.value) is type(plain.value)
    assert isinstance(plain.value, DamagedError) == ("model.json is damaged" in str(raised.value))
