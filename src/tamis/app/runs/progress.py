"""How far a study is: its journal, the same file that a killed run goes on from, as facts for the page."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

from tamis.app.folder import read_about
from tamis.app.runs import process
from tamis.app.runs.forecast import spoken

#: Files of a study, by the names that `tamis.study.disk` gives them; that package takes seconds to import, and the
#: first page is there before.
RESULTS_FILE, REPORT_FILE, JOURNAL_FILE = "results.json", "report.html", "journal.jsonl"

_IN_FOLD = re.compile(r"(?:repeat \d+ )?fold \d+ (?P<procedure>.+)")


class Watch:
    """Reads what a journal has grown by since it was asked last.

    A line holds all answers of a fold, up to megabytes; only its task and its score are kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.read = folder, 0
        self.done: dict[str, float | None] = {}

    def tasks(self) -> dict[str, float | None]:
        """Finished tasks, each with its score on rows it had not seen; of several sizes that of the largest."""
        try:
            size = (self.folder / JOURNAL_FILE).stat().st_size
            if size < self.read:  # begun again
                self.read, self.done = 0, {}
            with (self.folder / JOURNAL_FILE).open("rb") as file:
                file.seek(self.read)
                text = file.read()
        except OSError:
            return self.done
        complete = text[: text.rfind(b"\n") + 1]
        self.read += len(complete)
        for line in complete.split(b"\n")[:-1]:
            self._note(line)
        return self.done

    def _note(self, line: bytes) -> None:
        try:
            record = json.loads(line.decode("utf-8", "surrogatepass"))
        except ValueError:
            return
        if isinstance(record, dict) and isinstance(record.get("task"), str):
            result = record.get("result")
            sizes = result.get("sizes") if isinstance(result, dict) else None
            kept = sizes[-1] if isinstance(sizes, list) and sizes else result
            score = kept.get("score") if isinstance(kept, dict) else None
            self.done[record["task"]] = score if isinstance(score, (int, float)) else None


def state_of(folder: Path) -> str:
    """ "running", "finished", "stopped" (it can go on), "failed" (it said why) or "new"."""
    if process.is_running(folder):
        return "running"
    if is_finished(folder):
        return "finished"
    run = read_about(folder).get("run")
    if run is None:
        return "new"
    return "failed" if process.complaint(folder) and not run.get("stopped") else "stopped"


def is_finished(folder: Path) -> bool:
    """Whether a study has its answer."""
    if not (folder / RESULTS_FILE).is_file() or not (folder / REPORT_FILE).is_file():
        return False
    with (folder / RESULTS_FILE).open("rb") as file:
        return b'"partial": true' not in file.read(400)


def progress(watch: Watch) -> dict[str, Any]:
    """Everything the page shows of a run."""
    folder = watch.folder
    about, state, tasks = read_about(folder), state_of(folder), watch.tasks()
    plan, run = about.get("plan", {}), about.get("run") or {}
    total = max(plan.get("tasks", 0), len(tasks))
    facts = {
        "state": state,
        "finished": len(tasks) if state != "finished" else total,
        "total": total,
        "procedures": _procedures(plan, tasks),
        "now": _now(state, tasks, plan),
        "left": "",
        "error": process.complaint(folder) if state == "failed" else "",
    }
    if state == "running":
        facts["left"] = _left(run, len(tasks), total, plan.get("seconds"))
    return facts


def _procedures(plan: dict[str, Any], tasks: dict[str, float | None]) -> list[dict[str, Any]]:
    from tamis.report import show

    rows = []
    scores: dict[str, list[float | None]] = {}
    for task, score in tasks.items():
        match = _IN_FOLD.fullmatch(task)
        if match:
            scores.setdefault(match["procedure"], []).append(score)
    for procedure in plan.get("procedures", []):
        have = scores.get(procedure["name"], [])
        finite = [score for score in have if score is not None]
        mean = sum(finite) / len(finite) if finite else None
        rows.append({**procedure, "finished": len(have), "score": mean, "shown": show.number(mean), "best": False})
    judged = [procedure for procedure in rows if procedure["score"] is not None and procedure["finished"] > 0]
    if judged:
        sign = 1 if plan.get("larger", True) else -1
        max(judged, key=lambda procedure: sign * procedure["score"])["best"] = True
    return rows


def _now(state: str, tasks: dict[str, float | None], plan: dict[str, Any]) -> str:
    """What is being done, in words."""
    if state != "running":
        return ""
    if not tasks:
        return "reading the table, looking for leaks"
    if any(task.startswith("refit ") for task in tasks):
        return "fitting the final model, writing the report"
    in_folds = sum(procedure["tasks"] for procedure in plan.get("procedures", []))
    if sum(1 for task in tasks if _IN_FOLD.fullmatch(task)) < in_folds:
        return "comparing procedures on held-out rows"
    return "judging a black box beside them"


def _left(run: dict[str, Any], finished: int, total: int, guess: float | None) -> str:
    passed = max(0.0, time.time() - run.get("started", time.time()))
    own_tasks = finished - run.get("finished", 0)
    if own_tasks >= max(3, 0.1 * total):
        return spoken(passed / own_tasks * max(1, total - finished))
    return "" if guess is None else spoken(max(5.0, guess * (total - finished) / max(1, total) - passed))
