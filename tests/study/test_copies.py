"""Copied rows: all folds keep them together, and what still voids a score stands first wherever the score does."""

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import tamis
from tamis.report.screen import say_answer
from tamis.study.claims.methods import methods
from tamis.study.fold import outer_folds

FAST = {"n_jobs": 1, "black_box": False}


def noise(rng, n=120, d=6):
    frame = pd.DataFrame(rng.normal(size=(n, d)), columns=list("abcdef")[:d])
    return frame.assign(y=np.where(rng.permutation(n) < n // 4, "ill", "well"))


def oversampled(rng):
    """The smaller class of a noise table filled up with copies of its rows, as is often done before a study."""
    frame = noise(rng)
    ill = np.flatnonzero(frame["y"] == "ill")
    copies = rng.choice(ill, len(frame) - 2 * len(ill))
    return frame.iloc[rng.permutation(np.r_[np.arange(len(frame)), copies])].reset_index(drop=True)


def triplicates(rng):
    frame = noise(rng, 60)
    return frame.iloc[rng.permutation(np.tile(np.arange(60), 3))].reset_index(drop=True)


@pytest.mark.parametrize("make", [oversampled, triplicates])
def test_copies_of_noise_are_not_claimed(make, tmp_path):
    """Copies on both sides of a fold give an accuracy near 1 on rows that hold no signal (0.96 before)."""
    study = tamis.Study(make(np.random.default_rng(1)), target="y", folder=tmp_path, **FAST).run()
    answer = study.results_["answer"]
    assert answer["signal"] == "none"
    assert abs(answer["score"] - answer["baseline"]) < 0.05
    assert "rows equal another row" in study.results_["leaks"][-1]["sentence"]
    assert "rows with equal features kept together" in methods(study.results_, [])


@pytest.mark.parametrize("make", [oversampled, triplicates])
def test_no_outer_or_inner_fold_splits_copies(make):
    """A copy among the training rows voids what is judged by its twin, tuning included."""
    from tamis.evaluate.inner_folds import inner_folds

    problem = tamis.Study(make(np.random.default_rng(0)), target="y", folder="never written").problem
    keys = pd.DataFrame({name: problem.X.column(name).values for name in problem.names}).apply(tuple, axis=1)
    assert keys.duplicated().sum() > 20
    folds = outer_folds(problem, 5, 3, 0)
    for fold in folds:
        assert not set(keys[fold.train]) & set(keys[fold.test])
        for train, test in inner_folds(problem, fold.train, 5, 0):
            assert not set(keys[fold.train[train]]) & set(keys[fold.train[test]])
    sizes = [len(fold.test) for fold in folds]
    assert max(sizes) < 1.6 * min(sizes)


def test_copies_are_joined_with_groups_of_the_user():
    """Two patients who share a copied row are one group; an entity split over folds is a leak again."""
    rng = np.random.default_rng(0)
    frame = noise(rng, 160)
    frame["patient"] = np.repeat(np.arange(40), 4)
    frame.iloc[4, :6] = frame.iloc[0, :6]  # rows of patients 0 and 1
    problem = tamis.Study(frame, target="y", groups="patient", lock=0.0, folder="never written").problem
    assert len(np.unique(problem.groups)) == 39
    assert len(np.unique(problem.groups[:8])) == 1


def test_what_voids_a_score_stands_first_everywhere(tmp_path, capsys):
    """A reader who takes the first sentence from screen, answer or methods must not take a void score."""
    rng = np.random.default_rng(0)
    frame = noise(rng, 150)
    frame["discharge"] = np.where(frame["y"] == "ill", "ward", "home")
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", procedures=["tree"], folds=3, repeats=1, **FAST).run()
    answer = study.results_["answer"]
    assert answer["quotable"] is False
    first = "Do not quote this score: column 'discharge' alone gives the target in 100% of the rows"
    assert answer["words"].startswith(first)
    assert methods(study.results_, []).startswith(first)
    say_answer(study.results_, study.folder, Console(width=200))
    lines = capsys.readouterr().out.splitlines()
    shown = " ".join(" ".join(lines).replace("│", " ").split())  # where a line ends is the frame's business
    assert "not to be quoted" in lines[0]
    assert shown.index("Do not quote") < shown.index("On new rows")
    page = study.report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.index("Do not quote this score") < page.index("<dt>Expected")
    assert "not to be quoted; 95% interval" in page


def test_an_honest_table_is_quotable(tmp_path):
    """A mark on every score would be read by nobody."""
    rng = np.random.default_rng(0)
    frame = noise(rng, 150)
    study = tamis.Study(frame, target="y", folder=tmp_path, procedures=["stump"], folds=3, repeats=1, **FAST).run()
    assert study.results_["answer"]["quotable"] is True
    assert study.results_["answer"]["stops"] == []
    assert "no leak" not in study.report().read_text(encoding="utf-8").lower()


def test_few_groups_are_not_counted_thrice(tmp_path):
    """Six batches, three draws of five folds: the same folds again, so stability and intervals would count copies."""
    rng = np.random.default_rng(0)
    frame = noise(rng, 150).assign(batch=np.repeat(list("uvwxyz"), [40, 30, 30, 20, 20, 10]))
    study = tamis.Study(frame, target="y", groups="batch", folder=tmp_path, procedures=["stump"], **FAST).run()
    assert study.results_["plan"]["repeats"] == 1
    tests = [tuple(fold["test"] for fold in study.results_["folds"])]
    assert len(study.results_["folds"]) == study.results_["plan"]["folds"]
    assert sum(tests[0]) == study.results_["data"]["learned"]
    assert "drawn once" in study.results_["leaks"][-1]["sentence"]


def test_a_date_with_which_the_target_drifts_is_told_by_a_study():
    """A study takes dates apart before it looks for leaks; random folds then learn from the future unseen."""
    from tamis.study.fold import find_leaks

    rng = np.random.default_rng(0)
    frame = noise(rng, 200)
    frame["seen"] = pd.date_range("2020-01-01", periods=200).astype(str)
    frame["y"] = np.where(rng.random(200) < np.linspace(0.1, 0.9, 200), "ill", "well")
    given = {"target": "y", "folder": "never written"}
    (leak,) = [leak for leak in find_leaks(tamis.Study(frame, **given).problem, seed=0) if leak["kind"] == "time"]
    assert (leak["columns"], leak["severity"]) == (["seen"], "warn")
    assert "drifts with it" in leak["sentence"]
    without = find_leaks(tamis.Study(frame, drop=["seen"], **given).problem, seed=0)
    assert [(leak["columns"], leak["severity"]) for leak in without if leak["kind"] == "time"] == [(["seen"], "warn")]
    timed = find_leaks(tamis.Study(frame, time="seen", **given).problem, seed=0)
    assert not [leak for leak in timed if leak["kind"] == "time"]


def test_an_entity_that_was_left_out_is_told():
    """Leaving out the patient's number does not make the rows of a patient independent."""
    from tamis.study.fold import find_leaks

    rng = np.random.default_rng(0)
    frame = noise(rng, 200).assign(patient=[f"p{k}" for k in np.repeat(np.arange(50), 4)])
    frame["y"] = np.repeat(rng.choice(["ill", "well"], 50), 4)
    problem = tamis.Study(frame, target="y", drop=["patient"], folder="never written").problem
    found = [leak for leak in find_leaks(problem, seed=0) if leak["kind"] == "entity"]
    assert [(leak["columns"], leak["severity"]) for leak in found] == [(["patient"], "stop")]


def test_rows_of_a_patient_without_a_number_void_the_score(tmp_path):
    """Four rows a patient, no column that says so: the forest recognises patients, and the answer must say it first."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(40), 4)
    X = rng.normal(size=(40, 8))[patient] + 0.2 * rng.normal(size=(160, 8))
    frame = pd.DataFrame(X, columns=list("abcdefgh")).assign(y=rng.choice(["ill", "well"], 40)[patient])
    quick = {"procedures": ["forest"], "folds": 3, "repeats": 1, **FAST}
    study = tamis.Study(frame, target="y", folder=tmp_path / "a", **quick).run()
    assert study.results_["answer"]["quotable"] is False
    assert study.results_["answer"]["words"].startswith("Do not quote this score: ")
    assert "have a near twin" in study.results_["answer"]["words"]
    grouped = tamis.Study(frame.assign(patient=patient), target="y", groups="patient", folder=tmp_path / "b", **quick)
    assert grouped.run().results_["answer"]["quotable"] is True
