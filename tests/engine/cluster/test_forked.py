"""Copies of the process: the same results, and nothing lost or left whatever becomes of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import pytest
from tests.study.tables import classes_table

import tamis
from tamis.engine import Task, run, use
from tamis.engine.announce import announce
from tamis.engine.cluster import copy, forked
from tamis.engine.cluster.copy import ONE_PROCESS, forking

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="copies are made on Linux alone")
HERE = os.getpid()


@pytest.fixture(autouse=True)
def _kernels_are_there(monkeypatch):
    """Other tests of this process may have compiled some."""
    monkeypatch.setattr(forked, "has_announced", lambda: False)
    monkeypatch.setattr(forked, "cpu_count", lambda: 2)
    monkeypatch.setattr(copy, "cpu_count", lambda: 2)
    monkeypatch.delenv(ONE_PROCESS, raising=False)


def _draw(k, *, seed):
    time.sleep(0.005)  # for the other to take some
    return k, seed, os.getpid()


def _found(function=_draw, n=12, stop=None):
    with forking():
        return [result for _, result in run([Task(f"t{k}", function, (k,)) for k in range(n)], n_jobs=2, stop=stop)]


def _is_there(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_copies_give_what_one_process_gives():
    """A result would depend on where it was computed."""
    alone = [result[:2] for _, result in run([Task(f"t{k}", _draw, (k,)) for k in range(12)])]
    found = _found()
    assert sorted(result[:2] for result in found) == alone
    processes = {process for *_, process in found}
    assert HERE in processes
    assert len(processes) == 2
    assert not any(_is_there(process) for process in processes - {HERE})


def _pids(**options):
    return {result[2] for _, result in run([Task(f"t{k}", _draw, (k,)) for k in range(8)], **options)}


def test_nobody_is_forked_who_did_not_ask(monkeypatch):
    """A program or a notebook has threads and locks of its own, which a fork would copy."""
    assert _pids(n_jobs=2) == {HERE}
    with forking():
        assert _pids(n_jobs=1) == {HERE}
        with use("local", n_jobs=2):
            assert len(_pids(n_jobs=2)) == 2
        found = []
        other = threading.Thread(target=lambda: found.append(_pids(n_jobs=2)))
        other.start()
        other.join()
        assert found == [{HERE}]
        monkeypatch.setattr(forked, "has_announced", lambda: True)
        assert _pids(n_jobs=2) == {HERE}
    with forking(False):
        assert _pids(n_jobs=2) == {HERE}
    monkeypatch.setenv(ONE_PROCESS, "1")
    with forking():
        assert _pids(n_jobs=2) == {HERE}


def _killed(k, *, seed):
    if os.getpid() != HERE:
        os.kill(os.getpid(), signal.SIGKILL)
    return _draw(k, seed=seed)


def _not_to_be_sent(k, *, seed):
    return k, (lambda: k) if os.getpid() != HERE else None, os.getpid()


def _compiling(k, *, seed):
    if os.getpid() != HERE:
        announce()
    return _draw(k, seed=seed)


@pytest.mark.parametrize("function", [_killed, _not_to_be_sent, _compiling])
def test_what_a_copy_leaves_undone_is_done_here(function):
    """A process that is killed, say for want of memory, would take a fold with it, or be waited for in vain."""
    found = _found(function)
    assert sorted(k for k, *_ in found) == list(range(12))
    assert {process for *_, process in found} == {HERE}


def _hanging(k, *, seed):
    if os.getpid() != HERE:
        time.sleep(600)
    return _draw(k, seed=seed)


def test_a_copy_that_hangs_is_not_waited_for(monkeypatch):
    """A lock that was held when the process was copied would hold up the study for ever."""
    monkeypatch.setattr(forked, "LONGEST", 0.3)
    assert len(_found(_hanging)) == 12


class _OddError(Exception):
    def __init__(self, one, two):  # cannot be made from what it is pickled as
        super().__init__(f"{one} and {two}")


def _fail(k, *, seed):
    if k == 3:
        raise _OddError("this", "that")
    return _draw(k, seed=seed)


def test_an_error_is_the_one_that_was_met():
    """The user would read about pickles instead of a column."""
    found = []
    with forking(), pytest.raises(_OddError, match="this and that"):
        found.extend(r for _, r in run([Task(f"t{k}", _fail, (k,)) for k in range(200)], n_jobs=2))
    assert len(found) < 199
    assert {0, 1, 2} <= {k for k, *_ in found}


def test_no_task_is_begun_after_the_time_is_up():
    """A budget would be overrun."""
    asked = iter(range(20))
    assert len(_found(n=1_000, stop=lambda: next(asked, None) is None)) == 20


def test_copies_end_with_whoever_asks():
    """A full disk or Ctrl-C would leave processes behind."""
    with forking():
        results = run([Task(f"t{k}", _draw, (k,)) for k in range(2_000)], n_jobs=2)
        processes = {next(results)[1][2] for _ in range(40)} - {HERE}
        assert processes
        results.close()
    assert not any(_is_there(process) for process in processes)


def _warn(k, *, seed):
    if os.getpid() != HERE:
        warnings.warn("mind the gap", UserWarning, stacklevel=1)
    return _draw(k, seed=seed)


def test_warnings_of_copies_are_given_here():
    """What a user should know would be said in a process that nobody reads."""
    with pytest.warns(UserWarning, match="mind the gap"):
        assert len({process for *_, process in _found(_warn)}) == 2


def test_threads_of_openmp_do_not_hang_in_a_copy():
    """GNU's library waits for ever for threads that were not copied."""
    code = """
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from tamis.engine import Task, run
from tamis.engine.cluster import copy, forked
import os
forked.cpu_count = copy.cpu_count = lambda: 2
X = np.random.default_rng(0).normal(size=(2000, 20))
def fit(k, *, seed):
    return HistGradientBoostingClassifier(max_iter=5).fit(X, X[:, 0] > 0).score(X, X[:, 0] > 0), os.getpid()
fit(0, seed=0)
with copy.forking():
    found = [result for _, result in run([Task(f"t{k}", fit, (k,)) for k in range(10)], n_jobs=2)]
assert len({score for score, _ in found}) == 1, found
assert len({process for _, process in found}) == 2, found
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_a_study_has_the_same_bytes_and_a_program_never_forks(tmp_path, monkeypatch):
    """The answer would depend on the number of processes; or importing Tamis would copy somebody's program."""
    forks, fork = [], os.fork
    monkeypatch.setattr(os, "fork", lambda: forks.append(1) or fork())
    few = {"folds": 3, "repeats": 1, "procedures": ["stump", "lasso"]}

    def written(name, n_jobs):
        tamis.Study(classes_table(90), target="outcome", folder=tmp_path / name, n_jobs=n_jobs, **few).run()
        return [(tmp_path / name / file).read_bytes() for file in ("results.json", "model.json")]

    one, threads = written("one", 1), written("threads", 2)
    assert not forks
    with forking():
        copied = written("copied", 2)
    assert forks
    assert one == threads == copied
