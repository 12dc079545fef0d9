"""The exported ONNX graph, run by ONNX Runtime, answers what the study predicts."""

from __future__ import annotations

import builtins

import numpy as np
import pytest
from tests.study.export.tables import QUICK, messy, mixed, run

import tamis
from tamis.errors import ParameterError, StudyError
from tamis.linear import LinearClassifier


def _asked(study, frame, tmp_path):
    """What the runtime answers."""
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    path = study.export("onnx", tmp_path / "model.onnx")
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    given = {}
    for wanted in session.get_inputs():
        column = frame[wanted.name]
        if wanted.type == "tensor(string)":
            given[wanted.name] = column.fillna("").astype(str).to_numpy(dtype=object)
        else:
            given[wanted.name] = column.to_numpy(dtype=np.float64)
    return dict(zip([out.name for out in session.get_outputs()], session.run(None, given)))


@pytest.mark.parametrize("procedure", ["stump", "tree", "lasso", "forest", "booster"])
def test_numbers_are_those_of_predict(studies, tmp_path, procedure):
    """On rows with holes and unseen levels."""
    study, new = studies("number", procedure), mixed(200, seed=3, new=True)
    found = _asked(study, new, tmp_path)["prediction"]
    np.testing.assert_allclose(found, study.predict(new), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("target", ["two", "three", "grade"])
@pytest.mark.parametrize("procedure", ["stump", "tree", "lasso", "forest", "booster"])
def test_classes_and_probabilities_are_those_of_predict(studies, tmp_path, target, procedure):
    """Labels come out as texts, probabilities in their order."""
    study, new = studies(target, procedure), mixed(200, seed=3, new=True)
    found = _asked(study, new, tmp_path)
    np.testing.assert_allclose(found["probabilities"], study.predict_proba(new), rtol=1e-9, atol=1e-12)
    assert found["prediction"].tolist() == study.predict(new).tolist()


@pytest.mark.parametrize("procedure", ["tree", "lasso"])
def test_texts_are_trimmed_as_predict_does(studies, tmp_path, procedure):
    """A space around a level would make it one never seen, and a text that says "missing" a level."""
    study, new = studies("number", procedure), messy(200)
    new["flag"] = [str(word).strip().lower() == "true" for word in new["flag"]]
    found = _asked(study, new, tmp_path)["prediction"]
    np.testing.assert_allclose(found, study.predict(new), rtol=1e-9, atol=1e-12)


def test_the_cheapest_answer_is_that_of_predict(studies, tmp_path):
    """Costs are in the graph."""
    study = studies("two", "lasso", loss="it's high>low=8, low>it's high=1")
    new = mixed(300, seed=3, new=True)
    assert _asked(study, new, tmp_path)["prediction"].tolist() == study.predict(new).tolist()


@pytest.mark.parametrize(
    ("target", "model"),
    [
        ("two", LinearClassifier(loss="squared_hinge", missing="mean")),
        ("three", LinearClassifier(loss="squared_hinge", missing="mean")),
        ("two", tamis.TreeClassifier(missing="category", max_depth=4)),
    ],
    ids=["hinge", "hinge of three", "missing is a category"],
)
def test_models_given_by_the_user_are_exported_too(tmp_path, target, model):
    """A hinge has no probabilities; a missing category may have a side of its own."""
    drop = [name for name in ("number", "two", "three") if name != target]
    settings = {**QUICK, "procedures": {"own": model}}
    study = tamis.Study(mixed().drop(columns=drop), target=target, folder=tmp_path / "s", **settings).run()
    new = mixed(150, seed=3, new=True)
    assert _asked(study, new, tmp_path)["prediction"].tolist() == study.predict(new).tolist()


EVERY = ["small-tree", "formula", "panel", "additive", "ridge", "subset", "optimal-tree", "boosting"]
PAIRS = [(target, procedure) for target in ("number", "two", "three", "grade") for procedure in EVERY]


@pytest.mark.parametrize(("target", "procedure"), [*PAIRS, ("number", "score-card"), ("two", "score-card")])
def test_every_procedure_answers_as_predict_does(studies, tmp_path, target, procedure):
    """A cumulative logit, a score card or an additive model would answer otherwise in the graph than here."""
    study, new = studies(target, procedure), mixed(150, seed=3, new=True)
    found = _asked(study, new, tmp_path)
    if target == "number":
        np.testing.assert_allclose(found["prediction"], study.predict(new), rtol=1e-9, atol=1e-12)
        return
    np.testing.assert_allclose(found["probabilities"], study.predict_proba(new), rtol=1e-9, atol=1e-12)
    assert found["prediction"].tolist() == study.predict(new).tolist()


@pytest.mark.parametrize("procedure", ["small-tree", "formula", "additive", "boosting", "score-card"])
@pytest.mark.parametrize("target", ["number", "two"])
def test_directions_are_in_the_graph(tmp_path, target, procedure):
    """A model held to a direction would lose it: predictions of the graph could fall with the column."""
    name = 'odd "name"; --'
    study = run(tmp_path / "s", target, procedure, monotone={name: -1 if target == "two" else 1})
    new = mixed(60, seed=3, new=True)
    found = _asked(study, new, tmp_path)
    answer = "prediction" if target == "number" else "probabilities"
    wanted = study.predict(new) if target == "number" else study.predict_proba(new)
    np.testing.assert_allclose(found[answer], wanted, rtol=1e-9, atol=1e-12)
    raised = new.assign(**{name: new[name] + 1})
    more = _asked(study, raised, tmp_path)
    rise = more[answer] - found[answer] if target == "number" else (found[answer] - more[answer])[:, 1]
    assert rise.min() >= -1e-9


@pytest.mark.parametrize("threshold", [0.05, 0.2, 0.9])
def test_a_threshold_set_by_a_person_decides_in_the_graph(tmp_path, threshold):
    """The graph would answer with the most probable class whatever the threshold is."""
    study = run(tmp_path / "s", "two", "lasso").set_threshold(threshold)
    new = mixed(300, seed=3, new=True)
    found = _asked(study, new, tmp_path)
    assert found["prediction"].tolist() == study.predict(new).tolist()
    second = study.model_.labels[1]
    assert ((found["prediction"] == second) == (found["probabilities"][:, 1] >= threshold)).all()


@pytest.mark.parametrize("procedure", ["formula", "tree", "forest", "boosting", "additive"])
def test_counts_are_those_of_predict(tmp_path, procedure):
    """The mean of a count is the exponential of a sum, or a mean over leaves."""
    frame = mixed().drop(columns=["two", "three"])
    frame["number"] = np.random.default_rng(0).poisson(np.exp(frame["number"] / 4))
    settings = {**QUICK, "procedures": (procedure,), "task": "count"}
    study = tamis.Study(frame, target="number", folder=tmp_path / "s", **settings).run()
    new = mixed(100, seed=3, new=True)
    np.testing.assert_allclose(_asked(study, new, tmp_path)["prediction"], study.predict(new), rtol=1e-9, atol=1e-12)


def test_without_the_package_the_extra_is_named(studies, tmp_path, monkeypatch):
    """A traceback of an import tells nobody what to install."""
    plain = builtins.__import__

    def without(name, *rest):
        if name == "onnx":
            raise ImportError(name)
        return plain(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(StudyError, match=r"install tamis\[onnx\]"):
        studies("two", "tree").export("onnx", tmp_path / "model.onnx")


def test_a_file_must_be_named(studies):
    """Bytes on a screen help nobody."""
    with pytest.raises(ParameterError, match=r"-o model\.onnx"):
        studies("two", "tree").export("onnx")
