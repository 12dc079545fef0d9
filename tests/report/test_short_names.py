"""Names of a million letters are cut in pages and sentences, and stay different names."""

from __future__ import annotations

from tamis.report import page
from tamis.report.page import MOST_BYTES
from tamis.report.short_names import with_short_names

LONG = ["x y" * 350_000, "x y" * 350_000 + "z", "a" + "m" * 10**6, "a" + "n" + "m" * 10**6]


def test_a_report_with_endless_names_is_small(made):
    """A level of a million letters made a report of 19 MB, which no browser opens."""
    written = page(made.study(LONG), made.plan())
    assert len(written.encode()) < MOST_BYTES
    assert "x yx y" in written


def test_different_names_stay_different_and_others_as_they_are():
    """Two columns that differ in the middle would become one."""
    facts = {
        "columns": [{"name": name} for name in LONG],
        "order": dict.fromkeys(LONG, 1),
        "words": f"uses {LONG[2]}.",
    }
    short = with_short_names(facts)
    names = [column["name"] for column in short["columns"]]
    assert len(set(names)) == len(LONG)
    assert set(short["order"]) == set(names)
    assert short["words"] == f"uses {names[2]}."
    plain = {"columns": ["a", "b"], "words": "long " * 300}
    assert with_short_names(plain) is plain


def test_names_that_differ_in_the_middle_alone_are_numbered():
    """Of several names with the same beginning and end, only the first could be told."""
    names = ["a" * 100 + letter + "z" * 100 for letter in "klm"]
    first, *others = with_short_names({"columns": names})["columns"]
    assert others == [f"{first} (2)", f"{first} (3)"]
