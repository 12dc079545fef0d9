"""The engines: the same bits from threads, Dask and Spark, a killed worker included; every fault in a sentence."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.table.lazy.parts import lazy_table, write_parts

from tamis import ForestRegressor, LinearRegressor, TreeRegressor, read
from tamis.engine import Task, reduce, run, use
from tamis.engine.cluster.reduce import merged
from tamis.errors import EngineError, ParameterError, TableError
from tamis.score import rank
from tamis.table import LazyTable
from tamis.table.lazy.files import files_of

dask = [
    pytest.mark.dask,
    pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="the [dask] extra is not installed"),
    pytest.mark.filterwarnings("ignore"),
]
spark = [
    pytest.mark.spark,
    pytest.mark.skipif(
        importlib.util.find_spec("pyspark") is None or shutil.which("java") is None,
        reason="the [spark] extra or Java is not installed",
    ),
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4_000, 4)).astype(np.float32)
    word = rng.choice(np.array(["p", "q"]), len(X))
    word[3_900] = "only here"
    rows = pa.table(
        {**{f"x{j}": X[:, j] for j in range(4)}, "w": pa.array(word), "y": X[:, 0] + rng.normal(size=4_000)}
    )
    return write_parts(folder, rows, (3, 30), row_group_size=170)


def _digest(folder, parts: int) -> str:
    """Of a model and a ranking of the table in so many files."""
    table = lazy_table(folder / str(parts), 64, target="y")
    model = LinearRegressor(cv=3).fit(table, "y")
    found = rank(table, "y", by="pearson,mutual_information").to_json()
    forest, tree = ForestRegressor(3, max_samples=500).fit(table, "y"), TreeRegressor(prune="cv").fit(table, "y")
    models = [model.coef_, model.path_.cv_mean, forest.trees_.nodes, forest.oob_prediction_, tree.tree_.threshold]
    return hashlib.sha256(b"".join(part.tobytes() for part in models) + found.encode()).hexdigest()


@pytest.fixture(scope="module")
def wanted(folder):
    with use("local", n_jobs=1):
        return _digest(folder, 3)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=0, dashboard_address=None) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def session():
    pytest.importorskip("pyspark")
    from tamis.engine.cluster.spark import Spark

    engine = Spark(master="local[2]")
    engine.begin()
    yield engine._session
    engine.end()


def test_the_tree_of_merges_follows_from_the_number_of_cells_alone():
    """Sums would have other bits where a worker takes more cells at once."""
    cells = [f"{k:x}" for k in range(11)]

    def merge(a, b):
        return f"({a}{b})"

    for size in (1, 2, 4, 8, 16):
        parts = [merged(cells[k : k + size], merge) for k in range(0, 11, size)]
        assert merged(parts, merge) == "((((01)(23))((45)(67)))((89)a))"


@pytest.mark.parametrize("parts", [3, 30])
@pytest.mark.parametrize("threads", [1, 2])
def test_threads_give_one_digest(folder, wanted, parts, threads):
    """An answer would depend on the machine's cores, or on how the files are cut."""
    with use("local", n_jobs=threads):
        assert _digest(folder, parts) == wanted


@pytest.mark.parametrize("parts", [3, 30], ids=["3 files", "30 files"])
@pytest.mark.parametrize("_", [pytest.param(0, marks=dask)], ids=["dask"])
def test_dask_gives_the_digest_of_threads(folder, wanted, cluster, parts, _):
    """An answer would depend on where it was worked out."""
    with use("dask", client=cluster) as engine:
        assert engine.workers == 2
        assert _digest(folder, parts) == wanted


@dataclass(frozen=True)
class Numbers:
    """A partition of whole numbers; where a file is named, the first worker to see it dies."""

    low: int
    high: int
    fatal: str = ""

    def cells(self):
        if self.fatal and not os.path.exists(self.fatal):
            Path(self.fatal).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        for k in range(self.low, self.high):
            time.sleep(0.01)
            yield k


def _third(k):
    return k / 3


def _add(a, b):
    return a + b


class Failing(Numbers):
    def cells(self):
        raise TableError(f"the file {self.low} cannot be read; fetch it again")


@pytest.mark.parametrize("_", [pytest.param(0, marks=dask)], ids=["dask"])
def test_a_killed_worker_costs_time_and_not_the_answer(cluster, tmp_path, _):
    """One machine of a hundred that fails would end a night's work, or change its bits."""
    parts = [Numbers(k, k + 4, str(tmp_path / "died") if k == 8 else "") for k in range(0, 40, 4)]
    with use("local", n_jobs=1):
        known = reduce([Numbers(k, k + 4) for k in range(0, 40, 4)], _third, _add)
    with use("dask", client=cluster):
        assert reduce(parts, _third, _add) == known
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("_", [pytest.param(0, marks=dask)], ids=["dask"])
def test_a_worker_killed_at_any_time_leaves_the_digest_as_it_is(folder, wanted, cluster, _):
    """Codes half written by a worker that died, or a tree that it did not finish, would end up in the model."""
    cluster.wait_for_workers(2)
    killed = next(iter(cluster.run(os.getpid).values()))
    timer = threading.Timer(1.0, os.kill, (killed, signal.SIGKILL))
    timer.start()
    try:
        with use("dask", client=cluster):
            assert _digest(folder, 30) == wanted
    finally:
        timer.join()
    assert killed not in cluster.run(os.getpid).values()


class Ending(Numbers):
    """A partition in whose midst the scheduler's process, named in a file, is killed."""

    def cells(self):
        scheduler = int(Path(self.fatal).read_text())
        if scheduler:
            Path(self.fatal).write_text("0")
            os.kill(scheduler, signal.SIGKILL)
        yield from super().cells()


@pytest.fixture
def mortal(tmp_path):
    """A client of a scheduler with a worker of two threads, and the file that holds the scheduler's number."""
    distributed = pytest.importorskip("distributed")
    address, fatal = tmp_path / "address", tmp_path / "pid"
    words = ["--port", "0", "--scheduler-file", str(address), "--no-dashboard"]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", *words], stderr=subprocess.DEVNULL
    )
    worker = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(address), "--no-nanny",
         "--nthreads", "2", "--no-dashboard", "--death-timeout", "60"], stderr=subprocess.DEVNULL
    )  # fmt: skip
    fatal.write_text(str(scheduler.pid))
    try:
        with distributed.Client(scheduler_file=str(address), set_as_default=False, timeout="60s") as client:
            client.wait_for_workers(1, timeout=60)
            yield client, fatal
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


LOST = r"the Dask cluster was lost \([\w-]+\); run the same again, on another engine if you wish"


@pytest.mark.parametrize("_", [pytest.param(0, marks=dask)], ids=["dask"])
def test_a_lost_cluster_ends_with_a_sentence(mortal, _):
    """Whoever works on a cluster that goes away would wait for ever, or read a traceback of sockets."""
    client, fatal = mortal
    parts = [Ending(k, k + 4, str(fatal)) for k in range(0, 40, 4)]
    with use("dask", client=client), pytest.raises(EngineError, match=LOST):
        reduce(parts, _third, _add)
    with use("local"):
        fatal.write_text("0")
        known = reduce([Numbers(k, k + 4) for k in range(0, 40, 4)], _third, _add)
        assert reduce(parts, _third, _add) == known


def _last_word(fatal: str, k: int, seed: int) -> int:
    if k == 3:
        time.sleep(1)  # what is finished is handed out meanwhile
        os.kill(int(Path(fatal).read_text()), signal.SIGKILL)
        time.sleep(60)
    return k


@pytest.mark.parametrize("_", [pytest.param(0, marks=dask)], ids=["dask"])
def test_folds_on_a_lost_cluster_end_with_the_same_sentence(mortal, monkeypatch, _):
    """A study whose cluster goes away would end in a traceback, with what was finished handed out or not."""
    client, fatal = mortal
    address, said = client.scheduler.address, []
    monkeypatch.setattr(logging.getLogger("distributed.client"), "handle", said.append)
    tasks = [Task(f"fold {k}", _last_word, (str(fatal), k)) for k in range(8)]
    done = {}
    with use("dask", address=address), pytest.raises(EngineError, match=LOST):
        done.update((task.name, value) for task, value in run(tasks))
    assert done.get("fold 0") == 0
    assert not [record for record in said if record.exc_info]


@pytest.mark.parametrize("_", [pytest.param(0, marks=dask)], ids=["dask"])
def test_the_error_of_a_worker_is_that_of_the_first_partition_in_order(cluster, _):
    """An unreadable file would be named or not, as the workers please."""
    parts = [Numbers(0, 4), Failing(4, 8), Failing(8, 12)]
    with use("dask", client=cluster), pytest.raises(TableError, match="the file 4 cannot be read"):
        reduce(parts, _third, _add)


def _where(seed):
    return os.getpid()


@pytest.mark.parametrize("_", [pytest.param(0, marks=dask)], ids=["dask"])
def test_tasks_of_folds_go_to_the_same_engine(cluster, _):
    """The folds of a study would stay on the machine that asks for them."""
    cluster.wait_for_workers(2)  # one may still be starting again
    with use("dask", client=cluster):
        places = {place for _, place in run([Task(f"fold {k}", _where) for k in range(4)], n_jobs=2)}
    assert places
    assert os.getpid() not in places
    assert [place for _, place in run([Task("fold", _where)], n_jobs=2)] == [os.getpid()]


@pytest.mark.parametrize("_", [pytest.param(0, marks=dask)], ids=["dask"])
def test_no_scheduler_at_an_address_is_said(_):
    """A wrong port would wait for ever, or end in a traceback of sockets."""
    with (
        pytest.raises(EngineError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"),
        use("dask", address="tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.parametrize("_", [pytest.param(0, marks=spark)], ids=["spark"])
def test_spark_gives_the_digest_of_threads(folder, wanted, session, _):
    """An answer would depend on where it was worked out."""
    with use("spark", session=session):
        assert _digest(folder, 30) == wanted
        with pytest.raises(TableError, match="the file 4 cannot be read"):
            reduce([Numbers(0, 4), Failing(4, 8)], _third, _add)


@pytest.mark.parametrize("_", [pytest.param(0, marks=dask)], ids=["dask"])
def test_a_dask_frame_is_written_in_its_order_and_read_lazily(folder, cluster, tmp_path, _):
    """A frame on a cluster would have to be brought into one memory first."""
    frames = pytest.importorskip("dask.dataframe")
    rows = pd.concat([pd.read_parquet(file) for file in files_of(folder / "3")])
    frame = frames.from_pandas(rows.reset_index(drop=True), npartitions=12)
    with cluster.as_current():
        table = read(frame, target="y", folder=tmp_path / "written")
    assert isinstance(table, LazyTable)
    assert table.n_rows == 4_000
    np.testing.assert_array_equal(np.concatenate([b.column("y").values for b in table.batches()]), rows["y"])
    assert len(list((tmp_path / "written").iterdir())) == 12


@pytest.mark.parametrize("_", [pytest.param(0, marks=spark)], ids=["spark"])
def test_a_spark_frame_is_written_in_its_order_and_read_lazily(folder, session, tmp_path, _):
    """A frame on a cluster would have to be brought into one memory first."""
    frame = session.read.parquet(str(folder / "3")).repartition(3).sortWithinPartitions("y")
    table = read(frame, target="y", folder=tmp_path / "written")
    assert isinstance(table, LazyTable)
    assert table.n_rows == 4_000
    assert sorted(table.names) == ["w", "x0", "x1", "x2", "x3", "y"]


def test_an_engine_that_is_not_there_and_an_option_of_another_are_said():
    """A misspelt engine would run on one machine, without a word."""
    with pytest.raises(ParameterError, match=r"engine='ray'"), use("ray"):
        pass
    with pytest.raises(ParameterError, match="it is for engine='dask'"), use("local", client=1):
        pass


def test_an_extra_that_is_not_installed_is_named(monkeypatch):
    """The user would see an ImportError, and look for a broken installation."""
    import builtins

    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] in ("distributed", "pyspark"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    for name in ("dask", "spark"):
        with pytest.raises(EngineError, match=rf"install tamis\[{name}\]"), use(name):
            pass
