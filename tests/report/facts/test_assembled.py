"""The facts of a report, as data."""

from __future__ import annotations

import json
from copy import deepcopy

from tamis.report import facts


def texts(table, place=0):
    return [row[place].text for row in table.rows]


def test_the_answer_stands_at_the_top_with_its_interval(made):
    """The page would quote another score than the results hold."""
    results = made.study()
    answer = facts(results, made.plan())["answer"]
    assert "".join(part["text"] for part in answer["parts"]) == results["answer"]["words"]
    assert [part["text"] for part in answer["parts"] if part["is_name"]] == results["answer"]["selected"]
    values = {card["label"]: (card["value"], card["detail"]) for card in answer["cards"]}
    assert values["Expected accuracy"] == ("0.935", "95% interval 0.915–0.955")
    assert values["Baseline"] == ("0.630", "always the majority")
    assert values["Columns used"] == ("4", "of 10 columns; stability 0.62")
    assert values["Locked rows"] == ("113", "opened 0 times")


def test_names_inside_one_another_are_marked_once(made):
    """A name that is part of another, or of the sentence, would be marked at the wrong place."""
    results = made.study(["s", "columns", "a", "a b", "e"])
    results["answer"]["selected"] = ["a", "a b"]
    results["answer"]["words"] = "2 of 5 columns carry the signal: a, a b. Expected accuracy 0.93."
    parts = facts(results, made.plan())["answer"]["parts"]
    assert "".join(part["text"] for part in parts) == results["answer"]["words"]
    assert [part["text"] for part in parts if part["is_name"]] == ["a", "a b"]
    assert parts[0]["text"] == "2 of 5 columns carry the signal: "


def test_a_lock_never_opened_says_so(made):
    """The count of openings would be missing from the report."""
    lock = facts(made.study(), made.plan())["lock"]
    assert lock["times"] == "Opened 0 times."
    assert lock["openings"] is None


def test_every_opening_is_listed_and_only_the_first_is_independent(made):
    """A second look at the locked rows would pass for an independent one."""
    shown = facts(made.study(), made.plan(), [made.opening(), made.opening(False, 0.96)])
    table = shown["lock"]["openings"]
    assert shown["lock"]["times"] == "Opened twice."
    assert texts(table, 1) == ["01 March 2026, 12:30 UTC"] * 2
    assert texts(table, 2) == ["0.940 (accuracy)", "0.960 (accuracy)"]
    assert texts(table, 3) == ["0.880–0.970"] * 2
    assert texts(table, 5) == ["first known here", "no longer independent"]
    assert "agrees with the expected 0.935" in shown["lock"]["found"]
    surprise = {**made.opening(score=0.7), "interval": [0.6, 0.8]}
    assert "does not agree" in facts(made.study(), made.plan(), [surprise])["lock"]["found"]


def test_no_lock_is_said(made):
    """A table too small to lock would be reported as locked."""
    results = made.study()
    results["lock"] = {
        **made.lock(0),
        "how": "none",
        "reason": "no rows were set aside as a test set: 20% of 60 rows is 12",
    }
    shown = facts(results, made.plan())
    assert shown["lock"]["reason"] == [
        {"text": "No rows were set aside as a test set: 20% of 60 rows is 12.", "is_code": False}
    ]
    assert shown["lock"]["times"] == ""
    assert shown["answer"]["cards"][3] == {"label": "Locked rows", "value": "0", "detail": "no lock"}


def test_procedures_show_train_nested_gap_and_the_chosen_one(made):
    """The comparison would lack a figure, or mark the wrong procedure."""
    shown = facts(made.study(), made.plan())["procedures"]
    table = shown["table"]
    heads = ["procedure", "train", "nested", "gap", "95% interval", "Brier score", "saved", "p", "columns"]
    assert [head.text for head in table.heads][:9] == heads
    assert {row[0].text: row[0].badge for row in table.rows} == {
        "baseline": "",
        "stump": "",
        "tree": "chosen",
        "lasso": "",
    }
    assert texts(table, 8) == ["0", "1", "4–6", "8–10"]
    assert texts(table, 5) == ["0.2500", "0.2000", "0.1500", "0.1000"]
    assert texts(table, 6) == ["", "20.0%", "40.0%", "60.0%"]
    assert texts(table, 7) == ["", "0.030", "0.002", "< 0.001"]
    assert texts(table, 3) == ["0.000", "+0.020", "+0.040", "+0.060"]
    assert "Best: lasso, 0.1000." in shown["rule"]
    assert "tree, 0.0500 behind the best, with a standard error of 0.0200." in shown["rule"]
    assert "against the baseline: p < 0.001." in shown["rule"]


def test_where_smaller_is_better_the_direction_is_said(made):
    """An error would be read the wrong way round."""
    shown = facts(made.study(labels=(), metric="rmse"), made.plan())
    assert shown["procedures"]["direction"] == "Root mean squared error: smaller is better."
    assert "too optimistic by 250" in shown["optimism"]["sentence"]


def test_optimism_is_what_was_promised_too_much(made):
    """A promise that was kept would be called too good, or the other way round."""
    results = made.study()
    assert "too optimistic by 0.010" in facts(results, made.plan())["optimism"]["sentence"]
    results["comparison"]["optimism"] = -0.02
    assert "too pessimistic by 0.020" in facts(results, made.plan())["optimism"]["sentence"]
    assert (
        facts(results, made.plan())["optimism"]["picked"]
        == "Inside the folds the same rule picked: tree 11×, lasso 4×."
    )


def test_columns_with_something_to_say_come_first(made):
    """A column that was left out would be lost among thousands."""
    columns = [
        made.decision("a"),
        made.decision("b", "identifier", used=False, reason="every one of 569 values is different"),
        made.decision("c", note="could be categories"),
        made.decision("diagnosis", "categorical"),
        made.decision("mean area"),
    ]
    shown = facts(made.study(columns=columns), made.plan())["columns"]
    assert texts(shown["table"]) == ["mean area", "b", "c", "a", "diagnosis"]
    used = [head.text for head in shown["table"].heads].index("used")
    assert texts(shown["table"], used) == ["yes", "no", "yes", "yes", "no"]
    assert [row[0].badge for row in shown["table"].rows] == ["model", "", "", "", "target"]
    assert [one.text for one in shown["summary"].rows[0]] == ["numeric", "3", "3", "0"]


def test_rare_classes_and_rows_that_could_not_be_learned_are_counted(made):
    """A score that leaves rows out, or counts them as wrong, would not say so."""
    results = made.study()
    results["data"]["rare"] = {"how": "merge", "classes": [{"label": "odd", "rows": 2}]}
    results["comparison"]["n_unlearned"] = 3
    said = " ".join(facts(results, made.plan())["data"]["sentences"])
    assert "Rare classes, with fewer rows than folds: odd (2); they are read as one class." in said
    assert "3 judged rows had a class that the training part lacked: counted as wrong answers" in said


def test_what_columns_contribute_stands_with_the_model(made):
    """A reader could not tell the columns that matter from those that are merely used."""
    model = facts(made.study(), made.plan())["model"]
    assert texts(model["contributions"], 1) == ["50%", "30%", "15%", "5%"]


def test_a_study_that_found_nothing_can_be_shown(made):
    """The report of a table without a signal would break."""
    results = made.study()
    results["answer"].update(
        selected=[], contributions={}, signal="none", beats_baseline=False, words="No column carries a signal."
    )
    results["comparison"].update(chosen="baseline", signal="none", p_value=0.4)
    results["stability"] = []
    shown = facts(results, made.plan())
    assert "so the baseline is kept" in shown["procedures"]["rule"]
    assert shown["model"]["contributions"] is None
    assert shown["selection"]["sentence"] == "The chosen procedure used no column in any fold."
    assert [part["text"] for part in shown["answer"]["parts"]] == ["No column carries a signal."]


def test_a_partial_result_is_labelled_and_promises_nothing(made):
    """A stopped run would be taken for a finished one."""
    shown = facts(made.stopped(), made.plan())
    assert shown["partial"]["banner"] == "PARTIAL: 12 of 61 tasks finished"
    assert texts(shown["partial"]["table"], 2) == ["0.630", "0.925"]
    assert "answer" not in shown
    assert facts(made.study(), made.plan())["partial"] is None


def test_facts_leave_the_results_alone(made):
    """Writing a report would change what results.json holds."""
    results, plan = made.study(), made.plan()
    before = deepcopy((results, plan))
    facts(results, plan, [made.opening()])
    assert (results, plan) == before


def test_the_way_back_is_written_down(made):
    """A reader could not run the study again, or would see the folders of another person."""
    shown = facts(made.study(), made.plan())["reproduce"]
    assert shown["command"] == "tamis run 'breast cancer.csv' --target diagnosis --seed 0"
    lines = {line["label"]: line["value"] for line in shown["lines"]}
    assert lines["Tamis"] == "0.1.0"
    assert lines["data digest"] == "5f" * 32
    assert "scikit-learn" in lines["report written with"]


def test_results_from_disk_give_the_same_facts(made):
    """A report written later, from results.json, would differ from the first."""
    results = made.study(labels=(0, 1))
    assert facts(json.loads(json.dumps(results)), made.plan()) == facts(results, made.plan())
