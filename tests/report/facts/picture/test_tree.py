"""A tree as boxes and edges."""

from __future__ import annotations

from itertools import combinations

from tamis.report.facts.picture import tree


def test_boxes_do_not_overlap_and_edges_lead_from_parent_to_child(made):
    """A picture would hide a node behind another, or lead to the wrong one."""
    readable = made.study()["findings"]["readable"]
    found = tree(readable)["picture"]
    boxes = found["boxes"]
    for a, b in combinations(boxes, 2):
        assert abs(a["x"] - b["x"]) >= found["box_width"] or abs(a["y"] - b["y"]) >= found["box_height"]
    assert all(box["x"] + found["box_width"] <= found["width"] for box in boxes)
    assert all(box["y"] + found["box_height"] <= found["height"] for box in boxes)
    assert [edge["at"] for edge in found["edges"]] == [1, 4, 2, 3, 5, 6]
    for edge in found["edges"]:
        assert edge["d"].endswith(f"{boxes[edge['at']]['x']:g} {boxes[edge['at']]['y'] + 22:g}")
    assert [box["text"] for box in boxes if box["is_leaf"]] == ["benign", "malignant", "benign", "malignant"]
    assert [box["reply"] for box in boxes] == ["all rows", "≤ 4", "≤ 2.5", "> 2.5", "> 4", "in {no}", "in {yes}"]
