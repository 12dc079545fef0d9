"""The facts of single sections, as data."""

from __future__ import annotations

import pytest
from tests.report.typed import of_plain

from tamis.report import facts
from tamis.report.facts.cards import cards
from tamis.report.facts.curves import complexity, learning, path
from tamis.report.facts.model import model
from tamis.report.facts.selection import selection
from tamis.report.facts.sheet import leakage
from tamis.report.facts.warnings import warnings

cards = of_plain(cards)
complexity = of_plain(complexity)
learning = of_plain(learning)
path = of_plain(path)
model = of_plain(model)
selection = of_plain(selection)
leakage = of_plain(leakage)
warnings = of_plain(warnings)


def said(listed) -> list[tuple[str, str]]:
    return [(one["word"], "".join(part["text"] for part in one["parts"])) for one in listed]


def test_a_sound_study_has_no_warning(made):
    """A reader would be warned of nothing and stop reading warnings."""
    assert warnings(made.study()) == []


def test_the_worst_comes_first_and_everything_is_counted(made):
    """A leak, few rows, one large class, an unstable list or columns left out would go unsaid."""
    columns = [made.decision(f"id{i}", "identifier", used=False) for i in range(10)] + [made.decision("a")]
    results = made.study(learned=90, columns=columns)
    results["data"]["classes"] = [{"label": "no", "rows": 80}, {"label": "yes", "rows": 10}]
    results["data"]["columns"] = 500
    results["findings"]["stability"]["index"] = 0.3
    results["leaks"] = [{"kind": "predicts", "severity": "stop", "columns": ["a"], "sentence": "column: a tells all"}]
    found = said(warnings(results, [made.opening(), made.opening(False)]))
    assert [word for word, _ in found] == ["stop", "warn", "warn", "warn", "warn", "note", "note"]
    words = " ".join(text for _, text in found)
    for part in (
        "opened 2 times",
        "only 90 training rows",
        "88.9% of the rows are of the class no",
        "unstable (0.30 of 1)",
        "500",
    ):
        assert part in words
    assert "10 columns were left out (10 identifier): id0, id1, id2, id3, id4, id5, id6, id7 and 2 more." in words


def test_lists_of_nearly_all_columns_are_not_called_unstable(made):
    """Nogueira's index is low where every fold uses nearly all columns: readers would mistrust 16 sure ones of 20."""
    results = made.study()
    results["findings"]["stability"]["index"] = 0.08
    row = results["stability"][0]
    results["stability"] = [{**row, "fraction": 1.0}] * 16 + [{**row, "fraction": 0.7}] * 4
    assert warnings(results) == []
    results["stability"] = [{**row, "fraction": share} for share in (1.0, 1.0, 13 / 15)]
    assert warnings(results) == []
    results["stability"] = [{**row, "fraction": 1.0}] * 10 + [{**row, "fraction": 0.7}] * 10
    assert "selection is unstable" in said(warnings(results))[0][1]


def test_promises_beyond_the_interval_are_noted(made):
    """Inner folds that promise far too much would not be mentioned at the top."""
    results = made.study()
    results["comparison"]["optimism"] = 0.05
    assert said(warnings(results)) == [
        ("note", "Inner cross-validation was too optimistic by 0.050; the nested score is quoted.")
    ]


def test_the_selection_quotes_the_index_and_names_groups_and_pairs(made):
    """The page would quote another stability than the results hold, or name the wrong columns."""
    found = selection(made.study())
    assert "after Nogueira: 0.62 (95% interval 0.50–0.74)" in found["index"]
    assert "4 to 6 columns" in found["index"]
    (group,) = found["groups"]
    assert [(one["text"], one["used"]) for one in group["names"]] == [
        ("mean radius", True),
        ("mean texture", True),
        ("mean area", False),
    ]
    assert group["words"] == "every two correlate by 0.91 or more in size; the model uses 2 of 3"
    assert [one.text for one in found["pairs"]["table"].rows[0]] == ["mean radius", "worst symmetry", "12%", "0.025"]
    bare = {**made.study(), "findings": {}}
    assert selection(bare)["groups"] == []
    assert selection(bare)["index"] == ""


def test_columns_carry_what_is_known_of_each(made):
    """A column's strength, p-value or share of folds would stand beside another's name."""
    results = made.study()
    table = facts(results, made.plan())["columns"]["table"]
    place = {head.text: k for k, head in enumerate(table.heads)}
    alone = results["findings"]["columns"]
    for row in table.rows:
        j = alone["name"].index(row[0].text)
        assert row[place["strength"]].text == f"{alone['strength'][j]:.3f}"
        assert row[place["information"]].text == f"{alone['information'][j]:.3f}"
        named = row[place["direction"]].text
        expected = {0: "", 1: "larger in malignant"}[alone["direction"][j]] if alone["p_value"][j] <= 0.05 else ""
        assert named == expected
    assert "relief" not in place


def test_cards_draw_the_fold_that_has_no_curve_on_their_own_and_the_common_scale(made):
    """A card would fail on a fold without a curve, or a small effect look as large as a great one on one scale."""
    results = made.study()
    small = results["findings"]["cards"][0]["effect"]
    small["final"] = [[value / 100 for value in line] for line in small["final"]]
    small["folds"] = [[[value / 100 for value in line] for line in fold] for fold in small["folds"] if fold]
    found = cards(results)
    first, _, third = found["listed"][:3]

    def span(card, css: str) -> float:
        (scale,) = [scale for scale in card["scales"] if scale["css"] == css]
        heights = [float(point.split()[1]) for point in scale["curves"][0]["line"][1:].split("L")]
        return max(heights) - min(heights)

    assert span(first, "common") < 2 < 20 < span(third, "common")
    assert span(first, "own") > 20
    assert span(third, "own") > 20
    assert "span in 3 of 4 folds is" in third["alt"]
    assert found["left"] == ""
    results["answer"]["selected"] = [*results["answer"]["selected"], "another"]
    assert cards(results)["left"].startswith("1 further column")


@pytest.mark.parametrize("labels", [("a", "b", "c"), tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), ()])
def test_cards_suit_every_kind_of_target(made, labels):
    """A card of many classes or of a number would break."""
    metric = None if labels else "rmse"
    found = cards(made.study(labels=labels, metric=metric))
    assert len(found["listed"]) == 4
    if len(labels) == 26:
        assert [one["text"] for one in found["legend"]] == ["A", "B", "C", "D", "E", "21 others"]


def test_a_term_without_a_fold_counts_as_nothing(made):
    """The spread of a coefficient would leave out the folds that did not choose its column."""
    results = made.lasso(made.study())
    rows = {row[0].text: [one.text for one in row[1:]] for row in model(results)["terms"]["table"].rows}
    assert rows["mean radius"] == ["2", "1", "2", "2", "100%"]
    assert rows["mean texture"] == ["−0.5", "−0.5", "−0.5", "0", "66.7%"]


def test_the_tree_is_nested_as_it_asks(made):
    """A leaf would hang below the wrong question."""
    found = model(made.study())["picture"]["tree"]
    root = found["root"]
    assert root["question"] == "mean radius"
    assert [child["reply"] for child in root["children"]] == ["≤ 4", "> 4"]
    assert [leaf["answer"] for leaf in root["children"][1]["children"]] == ["benign", "malignant"]
    assert "3 questions about 3 columns lead to 4 answers" in found["sentence"]


def test_curves_say_what_was_chosen(made):
    """The picture of a family would claim another size than its folds took."""
    results = made.lasso(made.study())
    tree, forest = complexity(results)
    assert tree["words"].endswith("Chosen: 4 leaves.")
    assert len(tree["lines"]) == len(tree["marks"]) == 3
    assert forest["marks"] == []
    assert "All 200 trees" in forest["words"]
    assert "with 4 columns" in path(results)["sentence"]
    assert learning(results) is None
    scores = [[0.8, 0.82], [0.9, 0.92]]
    results["findings"]["learning"] = {"procedure": "tree[5]", "rows": [40, 360], "scores": scores, "folds": 2}
    assert learning(results)["words"].startswith("Accuracy of tree, 5 columns on held-out rows")
    assert "0.810 from 40, 0.910 from 360 rows" in learning(results)["words"]


def test_the_sheet_says_kept_out_only_where_it_was(made):
    """Leakage through time or groups would be called excluded though nobody gave them."""
    results = made.study()
    state = {row[0].text: row[1].text for row in leakage(results).rows}
    assert state["preprocessing on all rows"] == "kept out"
    assert state["the future used to predict the past"] == "for you to judge"
    assert state["rows that belong together"] == "for you to judge"
    assert state["the same rows on both sides"] == "nothing found"
    results["settings"].update(time="day", groups="patient")
    results["leaks"] = [{"kind": "duplicates", "severity": "warn", "columns": [], "sentence": "rows repeat"}]
    state = {row[0].text: row[1].text for row in leakage(results).rows}
    assert state["the future used to predict the past"] == "kept out"
    assert state["rows that belong together"] == "kept out"
    assert state["the same rows on both sides"] == "found"


def test_the_price_and_chance_stand_beside_the_score(made):
    """The price of reading the model, or what chance scores, would be missing from the top, or be said twice."""
    results = made.study()
    words = "Reading costs nothing that can be measured."
    results["answer"]["price"] = {"words": words, "score": 0.96, "quoted_score": 0.95, "better": "neither"}
    results["null"] = {"permutations": 20, "score": 0.935, "mean": 0.52, "scores": [], "p_value": 1 / 21}
    answer = facts(results, made.plan())["answer"]
    assert answer["price"] == words
    assert len(answer["cards"]) == 4
    assert answer["null"] == (
        "On 20 shuffled targets this procedure scores 0.520 on average, on the target itself 0.935 (p = 0.048)."
    )
    before = results["answer"]["words"]
    results["answer"]["words"] = f"{before} {words}"  # said once, after the answer
    answer = facts(results, made.plan())["answer"]
    assert answer["price"] == words
    assert "".join(part["text"] for part in answer["parts"]) == before
    results["answer"]["words"] = f"{words} {before}"
    assert facts(results, made.plan())["answer"]["price"] == ""
    results["answer"]["price"] = None
    assert facts(results, made.plan())["answer"]["price"] == ""


def test_a_persons_choice_is_called_one(made):
    """A reader would think that the rule took what a person did."""
    results = made.study()
    results["comparison"].update(chosen_by="person", by_rule="lasso")
    found = facts(results, made.plan())
    assert "A person chose tree; the rule (" in found["procedures"]["rule"]
    assert "takes lasso." in found["procedures"]["rule"]
    assert "quoted above is the nested score of tree alone" in found["optimism"]["sentence"]


def test_the_page_and_the_study_mean_the_same_rows_by_the_score_on_training_rows():
    """The sentence would name another number of rows than the score is of."""
    from tamis.report.facts import procedures
    from tamis.study import fold

    assert procedures.MOST_TRAINED == fold.MOST_TRAINED


def test_columns_that_are_not_learned_from_are_not_counted_as_used(made):
    """The target, groups and dropped columns would be counted among the columns used."""
    results = made.study()
    name, kind = results["columns"][0]["name"], results["columns"][0]["kind"]

    def used():
        table = facts(results, made.plan())["columns"]["summary"]
        return {row[0].text: int(row[2].text.replace(",", "")) for row in table.rows}[kind]

    before = used()
    results["settings"]["drop"] = [name]
    assert used() == before - 1


def test_a_bound_on_correlations_is_not_rounded_up(made):
    """Every two of a group would be said to correlate by 1.00 or more."""
    results = made.study()
    results["findings"]["interchangeable"][0]["least"] = 0.9987
    assert "by 0.99 or more" in selection(results)["groups"][0]["words"]


def test_the_rule_that_takes_the_best_says_no_more(made):
    """The best would be said to be chosen because nothing simpler will do, which is not asked."""
    results = made.study()
    results["comparison"].update(prefer="best", chosen=results["comparison"]["best"], signal="captured")
    assert " It is chosen. The whole procedure" in facts(results, made.plan())["procedures"]["rule"]
