"""Values as text."""

from __future__ import annotations

import pytest

from tamis.report import show


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (-0.0004, "0.000"),
        (0.9996, "1.000"),
        (-1.5, "−1.500"),
        (9.9999, "10.000"),
        (12.3456, "12.35"),
        (999.96, "1000"),
        (1234567.8, "1,234,568"),
        (float("nan"), "–"),
        (float("inf"), "–"),
        (None, "–"),
    ],
)
def test_numbers(value, text):
    """A score would be shown with a wrong sign, a minus zero, or digits nobody can read."""
    assert show.number(value) == text


def test_small_differences_have_no_sign():
    """A difference that rounds to nothing would be shown as a gain."""
    assert show.signed(0.0001) == "0.000"
    assert show.signed(-0.0001) == "0.000"
    assert show.signed(0.5) == "+0.500"


@pytest.mark.parametrize(
    "hostile", ["\n", "\r", "\t", "\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\u2028", "\ud800"]
)
def test_no_name_can_disturb_its_surroundings(hostile):
    """A control character in a name would reach the terminal or the page."""
    shown = show.name(f"a{hostile}b")
    assert hostile not in shown
    assert shown.isprintable()
    assert shown.startswith("a\\")
    assert shown.endswith("b")


def test_harmless_names_stay_as_they_are():
    """A name in another script, or an emoji, would be changed."""
    for name in ("naïve Größe", "עמודה", "列", "👩‍👩‍👧", "a b"):
        assert show.name(name) == name


def test_short_keeps_both_ends_and_the_length():
    """Two long names that differ at their end would look the same."""
    names = ["x" * 300 + end for end in "ab"]
    assert show.short(names[0]) != show.short(names[1])
    assert {len(show.short(name, most)) for name in names for most in (40,)} == {40}


def test_lines_stay_lines():
    """The model in words would be put on one line."""
    assert show.text("if a\n  then\tb") == "if a\n  then\\tb"
