"""Checklists: every item is there, what a study knows is filled in, what it cannot know stays open and marked."""

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.errors import ParameterError
from tamis.report.checklist.items import CHECKLISTS
from tamis.report.checklist.write import OPEN


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.normal(size=150), "sex": rng.choice(["f", "m"], 150)})
    frame["<b>ill</b>"] = np.where(frame["age"] + rng.normal(size=150) > 0, "yes", "no")
    folder = tmp_path_factory.mktemp("checklist") / "s"
    settings = {"folds": 3, "repeats": 1, "black_box": False, "procedures": ["lasso"]}
    return tamis.Study(frame, target="<b>ill</b>", folder=folder, **settings).run()


@pytest.mark.parametrize(("name", "n_items"), [("tripod-ai", 52), ("reforms", 32), ("probast", 20)])
def test_all_items_are_listed_and_only_those_a_study_knows_are_filled(study, name, n_items):
    """A missing item would go unnoticed; a filled one that no study can know would be a false statement."""
    assert len(CHECKLISTS[name].items) == n_items
    text = study.checklist(name)
    n_open = text.count(OPEN)
    assert f"{n_items - n_open} of {n_items} items filled, {n_open} open" in text.splitlines()[0]
    assert n_open >= sum(not item.fact for item in CHECKLISTS[name].items)
    assert "Ethical approval and consent\n      " + OPEN in text or name != "tripod-ai"


def test_answers_are_those_of_the_study(study):
    """A checklist with other numbers than the report would be worse than none."""
    text = study.checklist("tripod-ai")
    data = study.results_["data"]
    assert f"150 rows: {data['learned']} for training and {data['locked']} set aside" in text
    assert study.answer_ in text
    assert "no other table" not in text
    fresh = pd.DataFrame({"age": [0.1, -0.2] * 20, "sex": ["f", "m"] * 20, "<b>ill</b>": ["yes", "no"] * 20})
    study.validate(fresh)
    study.validate(fresh)  # the same table again is no other one
    assert "Development of a prediction model for <b>ill</b> and evaluation on 1 other table." in study.checklist()


def test_the_page_is_safe_and_the_word_document_opens(study, tmp_path):
    """A hostile name would run in the page; a document that Word refuses would be noticed at submission."""
    docx = pytest.importorskip("docx")
    study.checklist("tripod-ai", tmp_path / "c.html")
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "<b>ill</b>" not in page
    assert "&lt;b&gt;ill&lt;/b&gt;" in page
    assert page.count("<tr>") == 53
    study.checklist("tripod-ai", tmp_path / "c.docx")
    table = docx.Document(str(tmp_path / "c.docx")).tables[0]
    assert len(table.rows) == 53
    with pytest.raises(ParameterError, match=r"give a path that ends in .html, .docx or .txt"):
        study.checklist("tripod-ai", tmp_path / "c.pdf")
    with pytest.raises(ParameterError, match="of='tripod'"):
        study.checklist("tripod")
