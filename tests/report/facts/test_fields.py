"""Blocks in the words of a field, against figures computed by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.report.typed import of_plain

from tamis.metrics import roc, score
from tamis.report import page
from tamis.report.facts.fields import fields, gains
from tamis.report.table import tables

fields = of_plain(fields)


def curve_of(truth, probability):
    return roc(np.array(truth), np.array(probability), np.array([0, 1]))


def test_gini_ks_lift_and_approval_by_hand():
    """Ten customers by falling risk, defaults at the places 1, 2 and 4 (B B G B G G G G G G)."""
    truth = [1, 1, 0, 1, 0, 0, 0, 0, 0, 0]
    facts = gains(curve_of(truth, np.linspace(0.95, 0.05, 10)), [7, 3])
    # of 21 pairs of a bad and a good customer one is in the wrong order: the third with the fourth
    assert facts["gini"] == pytest.approx(2 * 20 / 21 - 1)
    # after four customers all three bad ones and one of seven good ones have come
    assert facts["ks"] == pytest.approx(1 - 1 / 7)
    assert facts["ks_at"] == pytest.approx(0.65)
    tenths = facts["tenths"]
    assert [tenth["rate"] for tenth in tenths] == pytest.approx([1, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    assert [tenth["captured"] for tenth in tenths] == pytest.approx([1 / 3, 2 / 3, 2 / 3, *[1] * 7])
    assert tenths[0]["lift"] == pytest.approx(1 / 0.3)
    assert tenths[3]["lift"] == pytest.approx(1 / 0.4)
    assert tenths[-1]["lift"] == pytest.approx(1)
    # approving seven of ten lets in one bad customer: the seven safest hold places 4 to 10
    approval = {round(10 * one["approved"]): one for one in facts["approval"]}
    assert approval[6]["rate"] == pytest.approx(0)
    assert approval[7]["rate"] == pytest.approx(1 / 7)
    assert approval[7]["let_in"] == pytest.approx(1 / 3)
    assert approval[10]["rate"] == pytest.approx(0.3)


def test_equal_probabilities_are_shared_out():
    """A model of two answers would have all its rows in the first tenth, or a lift that the order of rows decides."""
    facts = gains(curve_of([1, 0, 1, 0] * 10, [0.8, 0.8, 0.2, 0.2] * 10), [20, 20])
    assert [tenth["lift"] for tenth in facts["tenths"]] == pytest.approx([1] * 10)
    assert facts["gini"] == pytest.approx(0)
    assert facts["ks"] == pytest.approx(0)


def test_gini_is_that_of_the_metric(made):
    """The report would quote another Gini than its own area under the curve."""
    results = made.study()
    truth, answers = (np.array(results["predictions"][name]) for name in ("truth", "answers"))
    block = fields(results)["bank"]
    area = score("roc_auc", truth, answers[:, 1])
    assert f"Gini {2 * area - 1:.3f} " in block["sentence"]
    rows = block["tenths"].rows
    assert [row[0].text for row in rows][:2] == ["0–10%", "10–20%"]
    assert rows[-1][2].text == "100%"


def test_fields_that_do_not_apply_are_left_out(made):
    """Numbers have no lift, three classes no approval."""
    assert fields(made.study(labels=(), metric="rmse")) == {"clinic": None, "bank": None}
    assert fields(made.study(labels=("a", "b", "c")))["bank"] is None


def test_odds_ratios_and_their_range_over_folds(made):
    """A clinician would read a coefficient as an odds ratio, or an interval as one of confidence."""
    results = made.lasso(made.study())
    odds = fields(results)["clinic"]["odds"]
    by_name = {row[0].text: row for row in odds["table"].rows}
    first, *_ = results["answer"]["selected"]
    # coefficient 2 per unit, values from 0 to 8: a step of 1; the folds have 2, 2 and 1
    assert by_name[first][1].text == "1"
    assert by_name[first][2].text == f"{math.exp(2):.3g}"
    assert by_name[first][3].text == f"{math.exp(1):.3g}–{math.exp(2):.3g}"
    assert "confidence interval" in odds["sentence"]


def test_table_one_shows_median_where_the_mean_misleads(made):
    """Skewed columns would be described by a mean, levels by shares of the wrong whole."""
    results = made.study()
    names = results["findings"]["columns"]["name"]
    even = [[456, 5.0, 2.0, 3.0, 5.1, 7.0], [300, 4.0, 1.5, 3.0, 4.0, 5.0], [156, 7.0, 1.0, 6.0, 7.0, 8.0]]
    skewed = [[450, 9.0, 8.0, 2.0, 4.0, 9.0], [300, 4.0, 1.0, 1.0, 4.0, 5.0], [150, 19.0, 2.0, 17.0, 19.0, 21.0]]
    results["findings"]["table_one"] = {
        "classes": ["benign", "malignant"],
        "rows": [300, 156],
        "n": 456,
        "left": 2,
        "columns": [
            {"name": names[0], "numbers": even},
            {"name": names[1], "numbers": skewed},
            {"name": names[2], "levels": ["no", "yes"], "others": 0, "counts": [[100, 300], [90, 210], [10, 90]]},
        ],
    }
    block = fields(results)["clinic"]["table_one"]
    shown = [[cell.text for cell in row] for row in block["table"].rows]
    assert shown[0][:5] == [f"{names[0]}, mean (SD)", "5 (2)", "4 (1.5)", "7 (1)", "0"]
    assert shown[1][:5] == [f"{names[1]}, median [quartiles]", "4 [2–9]", "4 [1–5]", "19 [17–21]", "6 (1.3%)"]
    assert shown[2][:5] == [f"{names[2]} = no", "100 (25%)", "90 (30%)", "10 (10%)", "56 (12.3%)"]
    assert shown[3][:5] == [f"{names[2]} = yes", "300 (75%)", "210 (70%)", "90 (90%)", ""]
    assert "2 further columns are not listed" in block["sentence"]
    assert "Table 1: training rows by class" in page(results, made.plan())
    assert {"table-one", "deciles", "approval"} <= {table.id for table in tables(fields(results))}
