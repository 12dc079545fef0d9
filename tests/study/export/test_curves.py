"""Every export of an additive model or a score card, also behind a choice of columns, answers as the study does."""

from __future__ import annotations

import json
import math
import sqlite3

import numpy as np
import pytest
from tests.study.export.tables import QUICK, mixed, rows_of

import tamis
from tamis.additive import AdditiveClassifier, AdditiveRegressor
from tamis.additive.term import Axis, Curve
from tamis.linear import ScoreCard, ScoreCardRegressor
from tamis.study.export.curves import tree_of
from tamis.study.export.program import Program
from tamis.study.procedures.models.columns import Columns
from tamis.study.procedures.models.transformed import Transformed

KINDS = [
    *("additive number", "additive two", "additive three", "additive count", "card number", "card two"),
    *("additive few two", "card few number"),
]


def model_of(kind, target):
    """An additive model with pair maps or a score card, of few columns behind a choice of them."""
    if "card" in kind:
        model = ScoreCardRegressor(cv=None) if target == "number" else ScoreCard(cv=None)
    else:
        loss = {"loss": "poisson"} if "count" in kind else {}
        estimator = AdditiveRegressor if target == "number" else AdditiveClassifier
        model = estimator(max_pairs=2, n_bags=3, max_cycles=30, **loss)
    if "few" not in kind:
        return model
    names = sorted(["size", 'odd "name"; --', "kind", "flag", "other"])
    kept = [names.index(name) for name in ("kind", "other", "size")]
    return Transformed([("columns", Columns(len(names), sorted(kept), names)), ("model", model)])


@pytest.fixture(scope="module", params=KINDS)
def study(request, tmp_path_factory):
    """A study of such a model, of each kind of target."""
    kind = request.param
    target = kind.split()[-1]
    frame = mixed().drop(columns=[name for name in ("two", "three") if name != target])
    if target == "count":
        frame["number"] = np.random.default_rng(0).poisson(np.exp(frame["number"] / 4))
    elif target != "number":
        frame = frame.drop(columns="number")
    name = target if target in frame else "number"
    settings = {**QUICK, "procedures": {"mine": model_of(kind, name)}, "lock": 0}
    if name == "number":
        settings["task"] = "regression"
    return tamis.Study(frame, target=name, folder=tmp_path_factory.mktemp("s") / "s", **settings).run()


def answers(study, new):
    """Numbers, or probabilities."""
    return study.predict_proba(new) if study.model_.task == "classification" else study.predict(new).reshape(-1, 1)


def test_python(study):
    """On rows with holes and unseen levels."""
    new = mixed(150, seed=3, new=True)
    space: dict = {}
    exec(compile(study.export("python"), "exported", "exec"), space)
    if study.model_.task == "classification":
        shown = [list(space["predict_proba"](row).values()) for row in rows_of(new)]
    else:
        shown = [[space["predict"](row)] for row in rows_of(new)]
    np.testing.assert_allclose(shown, answers(study, new), rtol=1e-9, atol=1e-11)


def test_sql(study):
    """Each curve is a column of the statement."""
    new = mixed(150, seed=3, new=True)
    base = sqlite3.connect(":memory:")
    base.create_function("EXP", 1, lambda value: None if value is None else math.exp(value))
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in new.columns)
    base.execute(f"CREATE TABLE new_rows ({names})")
    base.executemany(
        f"INSERT INTO new_rows VALUES ({', '.join('?' * new.shape[1])})", [tuple(row.values()) for row in rows_of(new)]
    )
    cursor = base.execute(study.export("sql"))
    heads = [head[0] for head in cursor.description]
    wanted = [f"p({label})" for label in study.model_.labels] or ["prediction"]
    shown = [[row[heads.index(name)] for name in wanted] for row in cursor.fetchall()]
    np.testing.assert_allclose(shown, answers(study, new), rtol=1e-9, atol=1e-11)


def test_onnx(study):
    """The reference evaluator of ONNX computes what the graph says."""
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    new = mixed(60, seed=3, new=True)
    graph = onnx.load_from_string(tamis.study.export.export(study.model_, "onnx"))
    texts = {"kind"}
    given = {}
    for node in graph.graph.input:
        column = new[node.name]
        given[node.name] = (
            np.array([value if isinstance(value, str) else "" for value in column])
            if node.name in texts
            else column.to_numpy(dtype=np.float64)
        )
    outputs = dict(zip((one.name for one in graph.graph.output), ReferenceEvaluator(graph).run(None, given)))
    shown = outputs["probabilities"] if study.model_.task == "classification" else outputs["prediction"].reshape(-1, 1)
    np.testing.assert_allclose(shown, answers(study, new), rtol=1e-9, atol=1e-11)


def test_the_page_holds_every_leaf(study):
    """An offline page computes in the browser from the same values."""
    page = study.export("html")
    program = Program.of(study.model_).to_dict()
    assert json.dumps(program["trees"][0][-1]["leaf"][0]) in page
    model = study.model_.fitted.model
    model = model.steps[-1][1] if hasattr(model, "steps") else model
    assert len(program["trees"]) == len(model.statements_ if hasattr(model, "statements_") else model.term_names_)


def test_a_saved_study_predicts_the_same(study):
    """The model is plain JSON in the study's folder."""
    new = mixed(50, seed=5, new=True)
    np.testing.assert_array_equal(answers(tamis.load(study.folder), new), answers(study, new))


def test_the_tree_of_a_curve_has_a_leaf_per_bin():
    """By hand: two edges, three bins, and missing values."""
    axis = Axis("x", 0, np.array([1.0, 5.0]), None, np.empty(0, dtype=np.int64), 3)
    nodes = tree_of(Curve(axis, np.array([0.1, 0.2, 0.3, 9.0]), np.zeros(4), np.ones(4)), lambda name: 0)
    assert nodes[0] == {"tests": [["there", 0]], "default": 1, "left": 1}
    assert nodes[2] == {"leaf": [9.0]}
    assert nodes[1] == {"tests": [["le", 0, 1.0, 0]], "default": 0, "left": 3}
    assert [node["leaf"] for node in nodes if "leaf" in node] == [[9.0], [0.1], [0.2], [0.3]]


def test_a_missing_category_is_not_a_level_that_was_never_seen(tmp_path):
    """A card that asks whether a category is missing would give an unseen level the points of a missing one."""
    frame = mixed(300).drop(columns=["number", "two", "three"])
    frame["y"] = np.where(frame["kind"].isna() | frame["size"].isna(), 3.0, 0.0)
    settings = {**QUICK, "procedures": {"card": ScoreCardRegressor(max_terms=2, cv=None)}, "lock": 0}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", task="regression", **settings).run()
    assert {words for words, _ in study.model_.fitted.model.table_} == {"kind is missing", "size is missing"}
    new = mixed(100, seed=3, new=True)
    test_python(study)
    test_sql(study)
    assert (new["kind"] == "purple").any()
