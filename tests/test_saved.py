"""What files are written with and read through."""

from __future__ import annotations

import json
from collections import namedtuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tamis.saved import indented

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
