"""Findings of a whole study, and their parts against hand-made tables."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.study.findings.complexity import complexity, path_of
from tamis.study.findings.distribution import distribution
from tamis.study.findings.interchangeable import interchangeable
from tamis.study.findings.pairs.interactions import interactions
from tamis.study.findings.terms import terms


def problem_of(folder, columns, y, **settings):
    return tamis.Study({**columns, "y": y}, target="y", folder=folder, lock=0, **settings).problem


def test_copies_are_interchangeable_and_strangers_are_not(tmp_path):
    """A column would be said to stand for another that tells something else."""
    random = np.random.default_rng(0)
    a, b = random.normal(size=200), random.normal(size=200)
    X = {"a": a, "a2": -a + 0.05 * random.normal(size=200), "a3": a + 0.2 * random.normal(size=200), "b": b}
    problem = problem_of(tmp_path, X, a + b, task="regression")
    (group,) = interchangeable(problem, ["a", "b"])
    assert group["columns"] == ["a", "a2", "a3"]
    assert group["used"] == 1
    every = np.abs(np.corrcoef([X["a"], X["a2"], X["a3"]]))
    assert group["least"] == pytest.approx(every.min())


def test_only_pairs_beyond_chance_are_named(tmp_path):
    """A pair of noise would be named, or one that acts together missed."""
    random = np.random.default_rng(0)
    X = {f"x{j}": random.normal(size=400) for j in range(6)}
    both = np.array(["no", "yes"], dtype=object)[(X["x1"] * X["x4"] > 0).astype(int)]
    found = interactions(problem_of(tmp_path, X, both), list(X))
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [("x1", "x4")]
    noise = np.array(["no", "yes"], dtype=object)[random.integers(0, 2, 400)]
    assert interactions(problem_of(tmp_path / "noise", X, noise), list(X))["pairs"] == []


def test_every_row_is_in_a_bar(tmp_path):
    """Rows far out, of rare levels or without a value would vanish from a picture."""
    random = np.random.default_rng(0)
    a = np.append(random.normal(size=295), [1e6, -1e6, np.nan, np.nan, 0.0])
    c = np.array([f"l{j}" for j in range(15)], dtype=object)[random.integers(0, 15, 300)]
    y = np.array(["no", "yes"], dtype=object)[random.integers(0, 2, 300)]
    problem = problem_of(tmp_path, {"a": a, "c": c}, y)
    for name in ("a", "c"):
        found = distribution(problem.X.column(name), problem)
        assert sum(found["rows"]) + found["missing"] == 300
        assert np.sum(found["counts"], axis=0).tolist() == found["rows"]
    assert distribution(problem.X.column("a"), problem)["tails"] >= 2
    assert distribution(problem.X.column("c"), problem)["others"] == 6


def test_a_path_ends_in_the_model_and_a_tree_has_its_sizes(tmp_path):
    """The path would show other coefficients than the model has, or a size that no tree had."""
    from tamis.linear import LinearRegressor
    from tamis.tree import TreeRegressor

    random = np.random.default_rng(0)
    X = random.normal(size=(200, 6))
    y = X[:, 0] - 2 * X[:, 1] + 0.1 * random.normal(size=200)
    model = LinearRegressor("lasso", rule="min").fit(X, y)
    path = path_of(model)
    at = path["chosen"]
    spread = X.std(axis=0)
    for name, line in zip(path["names"], path["terms"]):
        j = int(name[1:])
        assert line[at] == pytest.approx(model.coef_[j] * spread[j], rel=0.05, abs=1e-3)
    curve = complexity(model)
    assert curve["by"] == "columns"
    assert curve["chosen"] == len(model.selected_columns_)
    tree = TreeRegressor(prune="cv").fit(X, y)
    assert complexity(tree)["chosen"] == tree.tree_.n_leaves
    kept = terms(model)
    assert dict(zip(kept["names"], kept["coef"][0])) == {
        f"x{j}": float(model.coef_[j]) for j in np.flatnonzero(model.coef_)
    }


def test_a_model_of_several_sums_has_no_path_of_one():
    """A hinge of three classes is three models; the path of the first would be shown as that of all."""
    from tamis.linear import LinearClassifier

    X = np.random.default_rng(0).normal(size=(90, 3))
    for n_classes, has_path in ((2, True), (3, False)):
        y = np.digitize(X[:, 0], [-0.5, 0.5][: n_classes - 1])
        assert (path_of(LinearClassifier(loss="squared_hinge").fit(X, y)) is not None) == has_path


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A small study of two classes, with a number, a copy of it, a category and noise."""
    random = np.random.default_rng(0)
    a = random.normal(size=160)
    X = {"a": a, "copy": a + 0.01 * random.normal(size=160), "noise": random.normal(size=160)}
    X["c"] = np.array(["u", "v"], dtype=object)[random.integers(0, 2, 160)]
    y = np.array(["no", "yes"], dtype=object)[(a + 0.3 * random.normal(size=160) > 0).astype(int)]
    folder = tmp_path_factory.mktemp("study")
    procedures = ["stump", "tree", "lasso"]
    return tamis.Study({**X, "y": y}, target="y", folder=folder, procedures=procedures).run(), {**X, "y": y}


def test_a_study_says_what_it_found_in_plain_values(ran):
    """results.json would lack what the report shows, or hold what JSON cannot."""
    study, _ = ran
    found = study.results_["findings"]
    assert json.loads(json.dumps(found)) == found
    assert [card["name"] for card in found["cards"]] == study.selected_[: len(found["cards"])]
    folds = study.results_["folds"]
    assert all(len(card["effect"]["folds"]) == len(folds) for card in found["cards"] if card["effect"])
    assert set(found["complexity"]) <= {"tree", "lasso"}
    used = {row["name"] for row in study.results_["stability"]}
    assert found["stability"]["min_columns"] <= found["stability"]["max_columns"] <= len(used)


def test_findings_never_see_the_locked_rows(ran, tmp_path):
    """What the report shows of columns would have been learned from locked rows."""
    study, table = ran
    locked = study.locked_rows_
    changed = {name: values.copy() for name, values in table.items()}
    changed["y"][locked] = np.where(changed["y"][locked] == "yes", "no", "yes")
    procedures = ["stump", "tree", "lasso"]
    again = tamis.Study(changed, target="y", folder=tmp_path, procedures=procedures).run()
    assert again.results_["findings"] == study.results_["findings"]


def test_findings_are_the_same_for_any_number_of_threads_and_after_a_stop(ran, tmp_path):
    """A resumed run, or one on other threads, would show other effects."""
    study, table = ran
    again = tamis.Study(table, target="y", folder=tmp_path, procedures=["stump", "tree", "lasso"], n_jobs=2).run()
    assert again.results_["findings"] == study.results_["findings"]
    resumed = tamis.Study(table, target="y", folder=tmp_path, procedures=["stump", "tree", "lasso"]).run()
    assert resumed.results_["findings"] == study.results_["findings"]


def test_shuffled_targets_score_by_chance_and_the_target_does_not(ran, tmp_path):
    """The report would call a score beyond chance that is not, or the other way round, or shuffle again."""
    table = ran[1]
    asked = {"target": "y", "folder": tmp_path, "procedures": ["stump", "lasso"], "n_jobs": 2}
    again = tamis.Study(table, **asked).run(null=9)
    found = again.results_["null"]
    assert found["permutations"] == len(found["scores"]) == 9
    assert found["score"] == again.results_["comparison"]["score"] > 0.8
    assert 0.35 < found["mean"] < 0.65
    assert found["p_value"] == 0.1
    lines = (tmp_path / "journal.jsonl").read_text().count("\n")
    assert tamis.Study(table, **asked).run(null=9).results_["null"] == found
    assert (tmp_path / "journal.jsonl").read_text().count("\n") == lines
    assert "null" not in tamis.Study(table, **asked).run().results_
    text = (tmp_path / "report.html").read_text()
    assert "shuffled targets this procedure scores" not in text


def test_a_selector_that_bounds_its_false_columns_says_so(tmp_path):
    """A bound that was worked out would be lost with the selector."""
    from sklearn.pipeline import make_pipeline

    from tamis.evaluate.inner_folds import InnerFolds

    rng = np.random.default_rng(0)
    x = rng.normal(size=(150, 10))
    frame = pd.DataFrame(x, columns=list("abcdefghij")).assign(y=np.where(x[:, 0] + x[:, 3] > 0, "p", "q"))
    own = make_pipeline(
        tamis.StabilitySelector(tamis.RankSelector(by="anova", k=2), n_resamples=50, threshold=0.6),
        tamis.LinearClassifier("ridge", cv=InnerFolds()),
    )
    settings = {"folds": 3, "inner": 3, "repeats": 1, "black_box": False}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", procedures={"own": own}, **settings).run()
    bound = study.results_["findings"]["expected_false"]
    assert 0 < bound < 10
    assert "owe their place to chance" in (tmp_path / "s" / "report.html").read_text()
    plain = tamis.Study(frame, target="y", folder=tmp_path / "t", procedures="lasso", **settings).run()
    assert plain.results_["findings"]["expected_false"] is None
