"""The black box beside the procedures: judged on the same rows, never chosen unasked, and said truly."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from tests.study.tables import held_out

import tamis
from tamis.boosting import BoostingRegressor
from tamis.errors import KindError
from tamis.results.answer import Answer
from tamis.study.claims.claim import claim
from tamis.study.claims.price import price
from tamis.study.claims.sentences import answer
from tamis.study.procedures.models.boosting import Boosting
from tamis.table import Table

QUICK = {"folds": 3, "inner": 2, "repeats": 1, "procedures": ["stump", "lasso"]}


def _waves(n=400, seed=0):
    """Classes that neither a line nor a single question tells: the sign of a product."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    return pd.DataFrame(x, columns=list("abc")).assign(y=np.where(x[:, 0] * x[:, 1] > 0, "p", "q"))


def test_it_is_boosting_at_its_defaults():
    """The black box would be another one than the sentence says."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 4))
    x[rng.random((300, 4)) < 0.1] = np.nan
    y = np.nan_to_num(x[:, 0]) ** 2 + rng.normal(size=300)
    X, fresh = Table.of(x[:200]), Table.of(x[200:])
    known = HistGradientBoostingRegressor(early_stopping=False).fit(x[:200], y[:200])
    own = Boosting("regression", random_state=0).fit(X, y[:200])
    np.testing.assert_array_equal(own.predict(fresh), BoostingRegressor().fit(X, y[:200]).predict(fresh))
    np.testing.assert_allclose(own.predict(X), known.predict(x[:200]), atol=1e-5)
    shares = HistGradientBoostingClassifier(early_stopping=False).fit(x[:200], y[:200] > 1)
    own = Boosting("classification", random_state=0).fit(X, y[:200] > 1)
    np.testing.assert_allclose(own.predict_proba(X), shares.predict_proba(x[:200]), atol=1e-5)


def test_categories_missing_values_and_levels_never_seen():
    """A level that only new rows have would stop the study, or be taken for another."""
    rng = np.random.default_rng(0)
    word = rng.choice(["red", "green", "blue"], size=200).astype(object)
    word[:10] = None
    frame = pd.DataFrame({"word": word, "x": rng.normal(size=200)})
    model = Boosting("regression", random_state=0).fit(Table.of(frame), (word == "red").astype(float))
    new = pd.DataFrame({"word": ["blue", "red", "grey", None], "x": [0.0] * 4})
    said = model.predict(Table.of(new))
    np.testing.assert_allclose(said[:2], [0, 1], atol=0.02)
    assert said[2] == said[3]


def test_more_levels_than_bins_and_more_rows_than_are_learned_from():
    """Limits of bins would be errors of the study."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"word": [f"w{i % 260:03d}" for i in range(7_800)]})
    y = (np.arange(7_800) % 260 % 2).astype(float) + 0.01 * rng.normal(size=7_800)
    model = Boosting("regression", most_rows=7_000, random_state=0).fit(Table.of(frame), y)
    assert ((model.predict(Table.of(frame)) > 0.5) == (y > 0.5)).mean() > 0.95


def test_held_out_rows_and_threads_change_no_bit(tmp_path):
    """The line would be drawn with rows it is judged on, or hang on the machine."""
    frame = _waves(200)
    facts = []
    for number, n_jobs in enumerate((1, 2)):
        study = tamis.Study(frame, target="y", folder=tmp_path / str(number), n_jobs=n_jobs, **QUICK).run()
        facts.append((tmp_path / str(number) / "results.json").read_bytes())
        assert study.results_["comparison"]["black_box"]["folds"] == 3
    assert facts[0] == facts[1]
    X, y = frame[["a", "b", "c"]].to_numpy(), (frame["y"] == "p").to_numpy()
    spoilt, other = X.copy(), y.copy()
    spoilt[150:], other[150:] = 1e6, ~other[150:]
    answers = [
        tamis.nested_score(
            Boosting("classification"),
            Table.of(one),
            two,
            outer=[(np.arange(150), np.arange(150, 200))],
            keep_models=True,
        )
        .models[0]
        .predict_proba(Table.of(X[:150]))
        for one, two in ((X, y), (spoilt, other))
    ]
    np.testing.assert_array_equal(*answers)


def test_it_is_judged_in_all_folds_and_resumed(tmp_path):
    """A killed run would judge the black box twice, or another one."""
    options = {**QUICK, "repeats": 2}
    tamis.Study(_waves(150), target="y", folder=tmp_path / "s", **options).run()
    lines = (tmp_path / "s" / "journal.jsonl").read_bytes().splitlines(keepends=True)
    names = [json.loads(line).get("task", "") for line in lines]
    tasks = [f"repeat {r} fold {k} boosting" for r in (1, 2) for k in (1, 2, 3)]
    assert sorted(name for name in names if "boosting" in name) == tasks
    whole = (tmp_path / "s" / "results.json").read_bytes()
    at = next(place for place, name in enumerate(names) if "boosting" in name)
    (tmp_path / "s" / "journal.jsonl").write_bytes(b"".join(lines[: at + 1]))
    tamis.Study(_waves(150), target="y", folder=tmp_path / "s", **options).run()
    assert (tmp_path / "s" / "results.json").read_bytes() == whole


def test_signal_that_only_the_black_box_shows_is_said_and_not_claimed(tmp_path):
    """A table in which boosting finds much would be called empty."""
    study = tamis.Study(_waves(), target="y", folder=tmp_path / "s", lock=0, **QUICK).run()
    found = study.results_["answer"]
    assert found["signal"] == "uncaptured"
    assert found["by_black_box_alone"]
    assert not found["beats_baseline"]
    assert "a black box (gradient boosting) beats always guessing one class beyond chance" in study.answer_
    assert "against 0.500 for the baseline)" in study.answer_  # as quoted, not the 0.508 of these folds
    assert "no procedure tried (stump and lasso) does" in study.answer_
    assert study.results_["comparison"]["black_box"]["score"] > 0.85
    assert "A black box beats the baseline beyond chance" in (tmp_path / "s" / "report.html").read_text()
    without = tamis.Study(_waves(), target="y", folder=tmp_path / "n", lock=0, black_box=False, **QUICK).run()
    assert without.results_["comparison"]["black_box"] is None
    assert "black box" not in without.answer_


def test_it_is_chosen_only_where_it_is_asked_for(tmp_path):
    """A study would answer with a model that nobody can read."""
    named = {**QUICK, "procedures": ["stump", "boosting"]}
    study = tamis.Study(_waves(), target="y", folder=tmp_path / "s", lock=0, **named).run()
    assert study.results_["answer"]["procedure"] == "boosting"
    assert study.results_["comparison"]["black_box"] is None
    said = study.predict(_waves(seed=1))
    assert (said == _waves(seed=1)["y"]).mean() > 0.85
    loaded = tamis.load(tmp_path / "s")  # its model is kept, and not fitted again
    assert (loaded.predict(_waves(seed=1)) == said).all()
    assert "boosting" not in {p["name"] for p in tamis.load(tmp_path / "s").results_["stability"]}


def test_chance_is_tested_with_the_black_box_among_the_procedures():
    """One more test would raise the rate of false claims, or what it shows would be denied."""
    rng = np.random.default_rng(1)
    base = held_out(np.ones(200))
    good, bad = held_out(0.7 + 0.5 * rng.normal(size=200)), held_out(1.1 + 0.5 * rng.normal(size=200))
    found = claim(base, [bad], bad, [good])
    assert (found.signal, found.by_black_box_alone) == ("uncaptured", True)
    assert found.black_boxes[0] == pytest.approx(2 * claim(base, [good], good).p_values[1])
    assert claim(base, [bad], bad, [bad]).signal == "none"
    assert not claim(base, [good], base, [good]).by_black_box_alone
    assert claim(base, [good], good, [good]).signal == "captured"


BOX = {"name": "boosting", "score": 0.966, "interval": [0.951, 0.978], "folds": 5, "quoted_score": 0.953, "cost": 0.013}
BOX |= {"cost_interval": [0.002, 0.024], "better": "black box"}
FACTS = {
    "contributions": {"a": 1.0},
    "signal": "captured",
    "finished": {"folds": 5, "of": 5},
    "readable": "glance",
    "loss": "brier",
}
FACTS |= {"metric": "balanced_accuracy", "n_columns": 9, "interval_note": ""}


@pytest.mark.parametrize(
    ("box", "facts", "end"),
    [
        (
            {},
            {},
            "A black box (gradient boosting on all 9 columns) would get 0.966 against 0.953 (balanced accuracy): "
            "reading costs 0.013 (95% interval 0.002–0.024).",
        ),
        (
            {},
            {"baseline": 0.8},
            "reading costs 0.013 (95% interval 0.002–0.024). `tamis choose STUDY --procedure boosting` takes it.",
        ),
        (
            {"cost_interval": [-0.001, 0.027]},
            {},
            "A black box (gradient boosting on all 9 columns) gives better probabilities. Its balanced accuracy is "
            "0.966 against 0.953: reading may cost up to 0.027 (95% interval −0.001 to 0.027).",
        ),
        (
            {"cost_interval": [-0.001, 0.027]},
            {"loss": "squared_error", "metric": "mae"},
            "is better by the squared error. Its mae is 0.966 against 0.953: reading may cost up to 0.027 (95% "
            "interval −0.001 to 0.027).",
        ),
        (
            {},
            {"readable": "no", "procedure": "forest"},
            "is better by the Brier score (balanced accuracy 0.966 against 0.953).",
        ),
        (
            {},
            {"procedure": "baseline"},
            "is better by the Brier score (balanced accuracy 0.966 against 0.953 for the baseline).",
        ),
        (
            {"better": "neither"},
            {},
            "Reading costs nothing that can be measured: gradient boosting on all 9 columns gets 0.966 against 0.953 "
            "(balanced accuracy).",
        ),
        (
            {"better": "neither", "cost": 0.02, "cost_interval": [-0.01, 0.05]},
            {"baseline": 0.8, "n_rows": 90},
            "Reading may cost up to 0.050: gradient boosting on all 9 columns gets 0.966 against 0.953 (balanced "
            "accuracy), but 90 rows are too few to be sure (95% interval −0.010 to 0.050).",
        ),
        ({"better": "neither"}, {"readable": "no"}, "columns is not measurably better (0.966 against 0.953)."),
        (
            {"better": "neither", "score": 0.897, "cost": -0.056},
            {"readable": "no"},
            "is no better (0.897 against 0.953).",
        ),
        (
            {"score": 0.945, "cost": -0.008},
            {},
            "is better by the Brier score, but not by balanced accuracy (balanced accuracy 0.945 against 0.953).",
        ),
        (
            {"better": "quoted", "score": 0.94, "cost": -0.013},
            {},
            "Reading costs nothing: gradient boosting on all 9 columns predicts worse, 0.940 against 0.953 (balanced "
            "accuracy).",
        ),
        (
            {"better": "quoted", "score": 0.94, "cost": -0.013},
            {"loss": "squared_error", "metric": "r2"},
            "Reading costs nothing: gradient boosting on all 9 columns predicts worse, 0.940 against 0.953 (R²).",
        ),
        (
            {"better": "neither"},
            {"interval_note": "cannot be bounded with 7 rows of class 'c0'; do not quote"},
            "Gradient boosting on all 9 columns is not measurably better by the Brier score.",
        ),
    ],
)
def test_every_sentence_about_the_price(box, facts, end):
    """A difference that chance explains would be called a price, or a price hidden."""
    said = price(Answer(**{**FACTS, "procedure": "tree", **facts, "black_box": {**BOX, **box}}))
    assert said.endswith(end)


def test_without_a_black_box_nothing_is_said_of_it():
    """A study of before, or one that left it out, would speak of a black box."""
    facts = {"contributions": {"a": 1.0}, "n_columns": 2, "metric": "r2", "score": 0.5, "interval": [0.4, 0.6]}
    more = {"baseline": 0.0, "task": "regression", "signal": "captured", "procedure": "lasso", "tried": ["lasso"]}
    assert answer(Answer(**{**facts, **more, "interval_note": ""})).endswith("(R², 95% interval 40–60%).")


def test_a_word_instead_of_yes_or_no_is_refused():
    """black_box='no' would run it."""
    with pytest.raises(KindError, match="black_box='no' must be True or False"):
        tamis.Study(_waves(50), target="y", black_box="no").run()


def test_rounds_are_fewer_and_larger_where_they_would_be_dear(monkeypatch):
    """A table of many columns or classes would take the study's whole time."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 4)), np.arange(120) % 12
    many = Boosting("classification").fit(X, y)
    assert (many.rounds_, many.model_.learning_rate) == (50, 0.2)
    monkeypatch.setattr("tamis.study.procedures.models.boosting.MOST_SEARCHED", 120 * 4 * 50)
    wide = Boosting("regression").fit(X, X[:, 0])
    assert (wide.rounds_, wide.model_.learning_rate) == (50, 0.2)


def test_rows_too_few_for_a_split_take_no_round():
    """A hundred rounds that can split nothing would take seconds on thousands of columns, for the same answers."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(39, 50)), np.repeat([0, 1, 1], 13)
    few = Boosting("classification", random_state=0).fit(X, y)
    assert few.rounds_ == 0
    whole = HistGradientBoostingClassifier().fit(X, y)
    np.testing.assert_allclose(few.predict_proba(X), whole.predict_proba(X), atol=1e-12)
