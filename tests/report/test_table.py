"""Tables packed small."""

from __future__ import annotations

import json

from tamis.report.table import FIRST_ROWS, Head, ReportTable, as_json, cell, packed

HEADS = (Head("column"), Head("reason"))


def unpacked(pack):
    """What the script makes of it."""

    def words(one):
        one = one["text"] if isinstance(one, dict) else one
        if isinstance(one, str):
            return one
        if isinstance(one, int):
            return pack["texts"][one]
        text, numbers = pack["texts"][one[0]], iter(one[1:])
        return "".join(next(numbers) if c == "#" else c for c in text)

    return [[words(one) for one in row] for row in pack["rows"]]


def test_packing_loses_nothing():
    """A reason would come back with another number, or a # of its own would be taken for one."""
    reasons = ["all 3 values", "all 4 values", "1,200 rows from -1.5 to 3e5", "issue #7 of 9", "", "none", "7"]
    rows = [[cell(f"name {i} #2", name=True), cell(reason)] for i, reason in enumerate(reasons)]
    pack = packed(ReportTable("t", "", HEADS, rows), 10_000)
    assert unpacked(json.loads(as_json(pack))) == [[one.text for one in row] for row in rows]
    assert pack["left"] == 0


def test_equal_reasons_are_kept_once():
    """Seven thousand equal sentences would be written seven thousand times."""
    rows = [[cell("x", name=True), cell(f"all {i} values are numbers")] for i in range(7000)]
    assert packed(ReportTable("t", "", HEADS, rows), 10**7)["texts"] == ["all # values are numbers"]


def test_what_does_not_fit_is_counted():
    """A packed table would outgrow its room, or rows would vanish without a word."""
    rows = [[cell(f"{i}<" + "x" * 290, name=True), cell(f"reason {'abc'[i % 3]}")] for i in range(1000)]
    for room in (50, 5_000, 100_000):
        pack = packed(ReportTable("t", "", HEADS, rows), room)
        assert len(pack["rows"]) + pack["left"] == 1000
        assert pack["rows"] == [] or len(as_json(pack).encode()) <= room
    assert packed(ReportTable("t", "", HEADS, rows), 10**6)["left"] == 0


def test_json_cannot_end_its_script_element():
    """A name could close the element it is carried in, or begin a comment that hides the rest of the page."""
    text = as_json(["</script>", "<!--", "<script>", "\u2028", '"', "\\"])
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text) == ["</script>", "<!--", "<script>", "\u2028", '"', "\\"]


def test_only_long_tables_travel_packed():
    """A short table would be written twice."""
    assert not ReportTable("t", "", HEADS, [[cell("a"), cell("b")]] * FIRST_ROWS).is_long
    assert ReportTable("t", "", HEADS, [[cell("a"), cell("b")]] * (FIRST_ROWS + 1)).is_long


def test_a_column_that_says_nothing_is_not_shown():
    """A head would stand over nothing."""
    table = ReportTable("t", "", HEADS, [[cell("a"), cell("")], [cell("b"), cell("")]])
    assert table.without_empty().heads == HEADS[:1]
    assert ReportTable("t", "", HEADS, [[cell("a"), cell("")], [cell("b"), cell("x")]]).without_empty().heads == HEADS
