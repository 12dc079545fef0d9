"""Progress from the journal: what is finished, and the best so far."""

from __future__ import annotations

import json

from tamis.app.folder import write_about
from tamis.app.runs.progress import Watch, is_finished, progress

PLAN = {
    "tasks": 13,
    "larger": False,
    "procedures": [{"name": name, "words": "", "tasks": 5} for name in ("baseline", "tree")],
    "seconds": 60.0,
}


def line(task, score=None):
    return json.dumps({"task": task, "seed": 1, "result": {"score": score}, "check": "0"}).encode() + b"\n"


def test_the_journal_is_read_as_it_grows(tmp_path):
    """A line that is half written would be lost, or counted twice; the larger error would be called the best."""
    write_about(tmp_path, {"made": "now", "plan": PLAN, "run": {"pid": None, "stopped": True}})
    watch, journal = Watch(tmp_path), tmp_path / "journal.jsonl"
    assert progress(watch)["finished"] == 0
    half = line("repeat 1 fold 2 tree", 0.25)
    journal.write_bytes(b'{"study": {}}\n' + line("leaks") + line("fold 1 baseline", 2.0) + half[:20])
    assert progress(watch)["finished"] == 2
    with journal.open("ab") as file:
        file.write(half[20:] + line("fold 3 tree", 0.75))
    facts = progress(watch)
    assert (facts["finished"], facts["total"], facts["state"]) == (4, 13, "stopped")
    baseline, tree = facts["procedures"]
    assert (baseline["finished"], baseline["score"], baseline["best"]) == (1, 2.0, False)
    assert (tree["finished"], tree["score"], tree["best"]) == (2, 0.5, True)
    journal.write_bytes(line("leaks"))  # begun anew
    assert progress(watch)["finished"] == 1


def test_a_model_of_several_sizes_shows_the_score_of_its_largest(tmp_path):
    """The page would show no score of small trees, formulas and additive models, which is most of what is compared."""
    write_about(tmp_path, {"made": "now", "plan": PLAN, "run": {"pid": None, "stopped": True}})
    sizes = {"sizes": [{"size": 1, "score": 3.0}, {"size": 2, "score": 1.5}]}
    record = {"task": "repeat 1 fold 1 tree", "seed": 1, "result": sizes, "check": "0"}
    (tmp_path / "journal.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    _, tree = progress(Watch(tmp_path))["procedures"]
    assert (tree["finished"], tree["score"], tree["shown"]) == (1, 1.5, "1.500")


def test_a_partial_study_is_not_finished(tmp_path, finished):
    """The page would show half an answer as the whole."""
    assert is_finished(finished.place)
    text = (finished.place / "results.json").read_text(encoding="utf-8")
    (tmp_path / "results.json").write_text(text.replace('"partial": false', '"partial": true', 1), encoding="utf-8")
    (tmp_path / "report.html").touch()
    assert not is_finished(tmp_path)


def test_scores_are_those_that_a_study_writes(finished):
    """The page of a run showed no score at all after records had got other names."""
    scores = Watch(finished.place).tasks()
    results = json.loads((finished.place / "results.json").read_text())
    rows = {row["name"]: row for row in results["comparison"]["procedures"]}
    baseline = {score for task, score in scores.items() if task.endswith(" baseline")}
    assert baseline == set(rows["baseline"]["scores"])
    sized = [score for task, score in scores.items() if task.endswith(" formula")]
    assert len(sized) == 2
    assert all(isinstance(score, float) for score in sized)
