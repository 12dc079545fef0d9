"""Compiling kernels before they are needed, several at a time: `tamis warm`, and the first study on a machine.

A compiler works in one thread, so each job runs in a process of its own; what it compiles it leaves in the cache that
all later runs read. A job fits small models of one kind: the kernels it needs, for the types they will be called with.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import numpy as np

_ROWS = 120


def _table(n_columns: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and a target that depends on the first two columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(_ROWS, n_columns))
    return X, X[:, 0] - X[:, 1] + rng.normal(size=_ROWS)


def _forests() -> None:
    from tamis.forest import ForestClassifier, ForestRegressor

    X, y = _table()
    for model, target in (
        (ForestClassifier(4), (y > 0).astype(int)),
        (ForestClassifier(4), np.digitize(y, [-0.5, 0.5])),
        (ForestRegressor(4), y),
    ):
        model.fit(X, target).predict(X)
        model.permutation_importance()


def _trees() -> None:
    from tamis.tree import TreeClassifier, TreeRegressor

    X, y = _table()
    TreeClassifier(prune="cv").fit(X, (y > 0).astype(int)).predict(X)
    TreeRegressor(prune="cv").fit(X, y).predict(X)
    X[::7, 0] = np.nan
    TreeClassifier().fit(X, (y > 0).astype(int)).predict(X)


def _classes_by_lines() -> None:
    from tamis.linear import LinearClassifier

    for n_columns in (6, 2 * _ROWS):
        X, y = _table(n_columns)
        LinearClassifier().fit(X, (y > 0).astype(int))
    LinearClassifier(k=2, penalty="subset").fit(*_of_classes())


def _numbers_by_lines() -> None:
    from tamis.linear import LinearRegressor

    for n_columns in (6, 2 * _ROWS):
        LinearRegressor().fit(*_table(n_columns))
    LinearRegressor(k=2, penalty="subset").fit(*_table())


def _of_classes() -> tuple[np.ndarray, np.ndarray]:
    X, y = _table()
    return X, (y > 0).astype(int)


def _scores() -> None:
    from tamis import score

    X, y = _table()
    for criterion in ("pearson", "mutual_information", "relief"):
        getattr(score, criterion)(X, y)
    classes = (y > 0).astype(int)
    for criterion in ("stump", "mutual_information", "gain_ratio", "gini", "chi2", "anova", "relief"):
        getattr(score, criterion)(X, classes)
    score.interaction(X, classes)


def _searches() -> None:
    from tamis.linear import LinearClassifier, LinearRegressor
    from tamis.search import SubsetSelector

    X, y = _table()
    for search in ("forward", "backward"):
        SubsetSelector(LinearRegressor(penalty=None), search=search, k=2).fit(X, y)
    SubsetSelector(LinearRegressor(penalty=None), search="branch-and-bound", k=2, cv="train").fit(X, y)
    SubsetSelector(LinearClassifier(penalty=None), search="forward", k=2).fit(X, (y > 0).astype(int))


def _study() -> None:
    """A study of the demonstration's first rows: what the kinds of models above leave over."""
    from importlib.resources import files

    from tamis.study import Study

    with tempfile.TemporaryDirectory() as folder:
        lines = (files("tamis") / "demo" / "breast_cancer.csv").read_text(encoding="utf-8").splitlines()[: _ROWS + 1]
        table = Path(folder) / "table.csv"
        table.write_text("\n".join(lines) + "\n", encoding="utf-8")
        Study(str(table), target="diagnosis", folder=Path(folder) / "study", folds=2).run()


#: The longest first. A study comes after those that it consists of.
JOBS: dict[str, Callable[[], None]] = {
    "forests": _forests,
    "trees": _trees,
    "linear models of classes": _classes_by_lines,
    "scores": _scores,
    "linear models of numbers": _numbers_by_lines,
    "searches": _searches,
}
LAST: dict[str, Callable[[], None]] = {"studies": _study}


def warm(names: Iterable[str] | None = None, processes: int | None = None) -> Iterator[str]:
    """Compile the kernels of some jobs, or of all and a study; gives the name of each when it is done."""
    chosen = list(JOBS if names is None else names)
    with ThreadPoolExecutor(processes or os.cpu_count() or 1) as pool:
        jobs = {pool.submit(_apart, name): name for name in chosen}
        for job in as_completed(jobs):
            job.result()
            yield jobs[job]
    if names is None:
        for name in LAST:
            _apart(name)
            yield name


def _apart(name: str) -> None:
    """Run a job in a process of its own."""
    command = [sys.executable, "-c", f"from tamis.warm import _one; _one({name!r})"]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"the kernels of {name} could not be compiled: {done.stderr.strip().splitlines()[-1]}")


def _one(name: str) -> None:
    from tamis.engine.announce import announce

    announce("")  # the process that asked has said it
    warnings.simplefilter("ignore")  # small tables give reasons to warn
    {**JOBS, **LAST}[name]()
