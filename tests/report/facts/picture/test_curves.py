"""Curves and maps as pictures of plain values."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.report.facts.picture import curves


def heights(path: str) -> list[float]:
    return [float(point.split()[1]) for point in path[1:].split("L")]


def test_a_curve_has_a_step_per_bin_and_its_own_scale(made):
    """A curve would lack a step, or a small one would look as large as a great one on the common scale."""
    readable = made.additive(made.study())["findings"]["readable"]
    small = {**readable["curves"][0], "heights": [[h / 10] for h in (-1.0, 0.25, 1.5, 0.5)]}
    found = curves({**readable, "curves": [readable["curves"][0], small]}, "y")
    for scale in found["curves"][0]["scales"]:
        assert len(set(heights(scale["lines"][0]["d"]))) == 3
        assert len(scale["missing"]) == 1
    spans = {scale["css"]: np.ptp(heights(scale["lines"][0]["d"])) for scale in found["curves"][1]["scales"]}
    assert spans["own"] > 5 * spans["common"]


def test_levels_and_cells_carry_their_heights(made):
    """A level would stand beside another's height, or a cell take the wrong sign."""
    found = curves(made.additive(made.study())["findings"]["readable"], "y")
    assert [(level["words"], level["text"], level["css"]) for level in found["curves"][1]["levels"]] == [
        ("yes", "+0.750", "above"),
        ("no", "−0.500", "below"),
    ]
    (pair,) = found["pairs"]
    assert len(pair["cells"]) == 4 * 2  # no row lacks the category
    assert [cell["css"] for cell in pair["cells"]] == ["down", "up"] * 4
    assert max(cell["depth"] for cell in pair["cells"]) == 1.0
    assert [tick["text"] for tick in pair["xticks"]] == ["2", "4", "missing"]
    assert found["of"] == "the log odds of malignant"


@pytest.mark.parametrize("labels", [("a", "b", "c"), tuple("ABCDEFGH"), ()])
def test_every_kind_of_target_can_be_drawn(made, labels):
    """Curves of many classes or of a number would break, or hide classes without saying so."""
    readable = made.additive(made.study(labels=labels, metric=None if labels else "rmse"))["findings"]["readable"]
    found = curves(readable, "y")
    n_lines = len(found["curves"][0]["scales"][0]["lines"])
    assert n_lines == min(max(len(labels), 1), 6)
    assert found["left_out"] == max(len(labels) - 6, 0)
    assert len(found["legend"]) == (n_lines if labels else 0)
