"""Tasks: seeds by name, results that do not depend on threads or order."""

from __future__ import annotations

import time

import numpy as np
import pytest
from joblib import parallel_config

from tamis.engine import Task, generator, map_threads, run, seed_of, workers
from tamis.errors import EngineError


def _draw(size, *, seed):
    return np.random.default_rng(seed).random(size).tolist()


def _product(n, *, seed):
    matrix = np.random.default_rng(seed).normal(size=(n, n))
    return (matrix @ matrix).tobytes()


def _results(**options):
    tasks = [Task(f"task {i}", _draw, (3,)) for i in range(20)]
    return {task.name: result for task, result in run(tasks, seed=5, **options)}


def test_threads_do_not_change_results():
    """Results that depend on the number of threads cannot be reproduced."""
    assert _results(n_jobs=1) == _results(n_jobs=2)


def test_another_backend_gives_the_same_results():
    """A user's choice of joblib backend must not change the answer."""
    with parallel_config("sequential"):
        sequential = _results()
    assert sequential == _results(n_jobs=2)


def test_order_of_tasks_does_not_matter():
    """A resumed run does its tasks in another order and must find the same."""
    tasks = [Task(f"task {i}", _draw, (3,)) for i in range(6)]
    forward = {t.name: r for t, r in run(tasks, seed=5)}
    assert forward == {t.name: r for t, r in run(tasks[::-1], seed=5)}


def test_matrix_products_have_the_same_bits_for_any_number_of_threads():
    """BLAS on several threads rounds differently; a task must always compute on one."""
    tasks = [Task(f"task {i}", _product, (200,)) for i in range(3)]
    one = {t.name: r for t, r in run(tasks, n_jobs=1)}
    assert one == {t.name: r for t, r in run(tasks, n_jobs=2)}


def test_seeds_differ_by_name_and_by_study():
    """Equal seeds for different tasks would make their errors agree."""
    assert len({seed_of(s, "fold", i) for s in range(20) for i in range(20)}) == 400
    assert generator(0, "a").random() == generator(0, "a").random()


def test_names_of_seeds_do_not_run_together():
    """("a", "bc") and ("ab", "c") are different tasks."""
    assert seed_of(0, "a", "bc") != seed_of(0, "ab", "c")


def test_map_threads_keeps_the_order():
    """Results in another order would be given to the wrong columns."""
    assert map_threads(lambda x: x * x, range(50), n_jobs=2) == [x * x for x in range(50)]


def test_workers_follow_joblib():
    """n_jobs means what it means in scikit-learn."""
    assert workers(None) == 1
    assert workers(3) == 3
    assert workers(-1) >= 1


def _fail(*, seed):
    raise ValueError("this task cannot be done")


def test_a_failing_task_does_not_lose_the_others():
    """What runs beside a failing task is finished and handed out; nothing new is begun; the error then comes."""
    tasks = [Task("bad", _fail), *(Task(f"task {i}", _draw, (3,)) for i in range(200))]
    found = []
    with pytest.raises(ValueError, match="cannot be done"):
        found.extend(task.name for task, _ in run(tasks, n_jobs=2))
    assert len(found) < 200


def test_an_error_of_the_one_who_asks_ends_without_a_warning(recwarn):
    """A full disk would be told in two sentences, one of them about tasks of a library."""

    def first_only():
        for _ in run([Task(f"t{k}", _slow, (k,)) for k in range(8)], n_jobs=2):
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        first_only()
    assert not [str(one.message) for one in recwarn if "tasks" in str(one.message)]


def _slow(k, seed):
    time.sleep(0.05)
    return k


def test_a_cluster_without_workers_is_said_in_our_words(monkeypatch):
    """joblib's sentence spoke of its backend, and of a parameter of joblib's own."""
    from importlib import import_module

    from tamis.engine.cluster.dask import Dask

    pytest.importorskip("distributed")

    class NoWorkers:
        def __init__(self, **options):
            pass

        def __call__(self, tasks):
            raise TimeoutError("DaskDistributedBackend has no worker after 10 seconds; see joblib's timeout")

    run_module, engine = import_module("tamis.engine.run"), Dask()
    monkeypatch.setattr(run_module, "Parallel", NoWorkers)
    monkeypatch.setattr("tamis.engine.cluster.use.current", lambda: engine)
    tasks = [Task(f"t{k}", abs, (k,)) for k in range(3)]
    with pytest.raises(EngineError, match="the Dask cluster was lost \\(no worker answers\\)") as found:
        list(run_module.run(tasks, seed=0, n_jobs=2))
    assert "joblib" not in str(found.value)
