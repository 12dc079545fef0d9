"""The exported page, in a real browser, answers what the study predicts."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.report.browser.conftest import chromium, opened  # noqa: F401
from tests.study.export.tables import QUICK, mixed, rows_of

import tamis

pytestmark = pytest.mark.browser


def _fill(page, study, row):
    """Put a row into the form; what the page computes."""
    columns = {facts["name"]: facts for facts in study.model_.columns}
    inputs = json.loads(page.run("document.getElementById('model').textContent"))["inputs"]
    for k, column in enumerate(inputs):
        value = row[column["name"]]
        if value is None:
            text = ""
        elif column["kind"] == "category":
            levels = columns[column["name"]]["levels"]
            text = str(levels.index(value)) if value in levels else "-1"
        else:
            text = str(int(value)) if column["kind"] == "words" else repr(float(value))
        page.run(f"document.getElementById('c{k}').value = {json.dumps(text)}")
    page.run("document.getElementById('row').dispatchEvent(new Event('input'))")
    return json.loads(page.run("document.getElementById('answer').dataset.answers"))


@pytest.mark.parametrize(
    ("target", "procedure"),
    [
        ("number", "lasso"),
        ("two", "tree"),
        ("three", "lasso"),
        ("three", "forest"),
        ("three", "booster"),
        ("grade", "lasso"),
    ],
)
def test_answers_are_those_of_predict(studies, opened, target, procedure):  # noqa: F811
    """On rows with holes and unseen levels; in silence, and without a request."""
    study, new = studies(target, procedure), mixed(12, seed=3, new=True)
    page = opened(study.export("html"))
    answers = [_fill(page, study, row) for row in rows_of(new)]
    expected = study.predict(new)[:, None] if target == "number" else study.predict_proba(new)
    np.testing.assert_allclose(answers, expected, rtol=1e-9, atol=1e-12)
    if target != "number":
        assert page.run("document.getElementById('answer').textContent") == study.predict(new)[-1]
    assert page.run("document.querySelectorAll('#reasons li').length") > 0
    assert page.complaints() == []
    assert page.requests() == []


def test_the_page_is_silent_until_filled_and_warns_outside_the_training_range(studies, opened):  # noqa: F811
    """An empty form would predict, or a value that no training row reached would look as sure as any."""
    study = studies("number", "lasso")
    page = opened(study.export("html"))
    assert page.run("document.getElementById('answer').textContent") == "Fill in at least one value."
    said = page.run("document.getElementById('expected').textContent")
    assert said in study.answer_
    assert "R²" in said
    row = rows_of(mixed(1, seed=3))[0]
    low, high = mixed()["other"].min(), mixed()["other"].max()
    for value, is_far in ((0.5 * (low + high), False), (high + 5, True)):
        _fill(page, study, {**row, "other": value, "size": 0.0, 'odd "name"; --': 0.0})
        assert page.run("document.getElementById('caution').hidden") is not is_far
    assert page.run("document.getElementById('caution').textContent").startswith("other was ")


@pytest.mark.parametrize("kind", ["additive", "card"])
def test_curves_and_cards_behind_a_choice_of_columns(tmp_path, opened, kind):  # noqa: F811
    """On rows with holes and unseen levels the page would compute another model."""
    from tests.study.export.test_curves import model_of

    frame = mixed().drop(columns=["number", "three"])
    settings = {**QUICK, "procedures": {"mine": model_of(f"{kind} few", "two")}, "lock": 0}
    study, new = tamis.Study(frame, target="two", folder=tmp_path / "s", **settings).run(), mixed(8, seed=3, new=True)
    page = opened(study.export("html"))
    answers = [_fill(page, study, row) for row in rows_of(new)]
    np.testing.assert_allclose(answers, study.predict_proba(new), rtol=1e-9, atol=1e-11)
    assert page.complaints() == []


def test_the_way_through_a_tree_is_shown(studies, opened):  # noqa: F811
    """Each split on the way of a row is a line."""
    study = studies("two", "stump")
    page = opened(study.export("html"))
    _fill(page, study, rows_of(mixed(1, seed=3))[0])
    assert page.run("document.querySelectorAll('#path li').length") == 1
    assert page.run("document.getElementById('path').hidden") is False
    assert "others let expect" not in page.run("document.getElementById('path').textContent")
    _fill(page, study, dict.fromkeys(mixed(1)))
    assert "others let expect" in page.run("document.getElementById('path').textContent")


def test_a_date_is_one_field(tmp_path, opened):  # noqa: F811
    """Its parts are computed in the page; nobody types a weekday."""
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 2000, size=240)
    month = days.astype("datetime64[M]").astype(int) % 12
    frame = pd.DataFrame(
        {"when": days.astype(str), "y": (days.astype(int) % 7 < 3) * 2.0 + month / 10 + days.astype(int) / 500}
    )
    settings = {**QUICK, "procedures": ("lasso",)}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **settings).run()
    page = opened(study.export("html"))
    assert page.run("document.querySelectorAll('form input').length") == 1
    found = []
    for when in frame["when"][:5]:
        page.run(f"document.querySelector('form input').value = '{when}T00:00'")
        page.run("document.getElementById('row').dispatchEvent(new Event('input'))")
        found += json.loads(page.run("document.getElementById('answer').dataset.answers"))
    np.testing.assert_allclose(found, study.predict(frame[:5]), rtol=1e-9)
    assert page.complaints() == []


def test_hostile_names_stay_text(tmp_path, opened):  # noqa: F811
    """A name with markup would run in the page of whoever opens it."""
    data = mixed().drop(columns=["number", "three"])
    hostile = "</script><img src=x onerror=alert(1)>"
    data = data.rename(columns={"size": hostile, "two": "<b>two</b>"})
    data["<b>two</b>"] = np.where(data["<b>two</b>"] == "low", "<i>low</i>", "high")
    settings = {"folds": 3, "inner": 2, "repeats": 1, "black_box": False, "prefer": "best", "procedures": ("lasso",)}
    study = tamis.Study(data, target="<b>two</b>", folder=tmp_path / "s", **settings).run()
    page = opened(study.export("html"))
    assert page.run("document.querySelectorAll('img, b, i').length") == 0
    assert page.dialogs() == []
    assert page.complaints() == []
    assert hostile in page.run("document.querySelector('form').textContent")
