"""A formula and a score card as tables."""

from __future__ import annotations

import math

from tamis.report.facts.picture import card, formula


def test_terms_are_listed_with_coefficient_and_odds_ratio(made):
    """A term would stand beside another's coefficient, or the odds ratio be of another step than it says."""
    readable = made.lasso(made.study())["findings"]["readable"]
    found = formula(readable, "y")
    assert found["of"] == "the log odds of malignant"
    assert found["intercept"] == ["−1"]
    number, level = found["rows"]
    assert (number["name"], number["level"], number["values"]) == ("mean radius", "", ["0.5"])
    assert number["odds"] == f"× {math.exp(0.5):.3g} per 1"  # values from 0 to 8
    assert (level["level"], level["values"], level["signs"]) == ("= yes", ["−1.5"], ["down"])
    assert level["odds"] == f"× {math.exp(-1.5):.3g}"


def test_a_number_is_a_sum_in_its_own_units(made):
    """A regression would be read as log odds."""
    found = formula(made.lasso(made.study(labels=(), metric="rmse"))["findings"]["readable"], "price")
    assert found["of"] == "price"
    assert not found["with_odds"]


def test_a_card_has_its_points_and_the_risk_of_every_total(made):
    """The card to print would lack a statement, or a total the wrong risk."""
    found = card(made.card(made.study())["findings"]["readable"], "y")
    assert [line["points"] for line in found["lines"]] == ["+3", "+2", "−1"]
    assert [(one["total"], one["value"]) for one in found["totals"]] == [
        ("−1", "10%"),
        ("0", "20%"),
        ("2", "50%"),
        ("5", "90%"),
    ]
    assert found["what"] == "risk of malignant"
