"""Compiling kernels before they are needed, several at a time: `tamis warm`, and the first study on a machine.

A compiler works in one thread, so each job runs in a process of its own; what it compiles it leaves in the cache that
all later runs read. A job fits small models of one kind: the kernels it needs, for the types they will be called with.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import numpy as np

from tamis.engine.announce import announce

_ROWS = 120


def _table(n_columns: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Numbers, and a target that depends on the first two columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(_ROWS, n_columns))
    return X, X[:, 0] - X[:, 1] + rng.normal(size=_ROWS)


def _classes(n_columns: int = 6) -> tuple[np.ndarray, np.ndarray]:
    X, y = _table(n_columns)
    return X, (y > 0).astype(int)


def _forests() -> None:
    from tamis.forest import ForestClassifier, ForestRegressor

    X, y = _table()
    ForestClassifier(4).fit(*_classes()).predict(X)
    ForestRegressor(4).fit(X, y).predict(X)


def _trees() -> None:
    from tamis.tree import TreeClassifier, TreeRegressor

    X, y = _table()
    TreeClassifier(prune="cv").fit(*_classes()).predict(X)
    TreeRegressor(prune="cv").fit(X, y).predict(X)
    X[::7, 0] = np.nan
    TreeClassifier().fit(X, (y > 0).astype(int)).predict(X)


def _linear_classifiers() -> None:
    from tamis.linear import LinearClassifier

    LinearClassifier().fit(*_classes())
    X, y = _table()
    LinearClassifier().fit(X, np.digitize(y, [-0.7, 0.7]))


def _linear_regressors() -> None:
    from tamis.linear import LinearRegressor

    LinearRegressor().fit(*_table())
    LinearRegressor().fit(*_table(2 * _ROWS))


def _importances() -> None:
    from tamis.forest import ForestClassifier, ForestRegressor

    X, y = _table()
    classes, numbers = ForestClassifier(4).fit(*_classes()), ForestRegressor(4).fit(X, y)
    classes.permutation_importance(*_classes())
    numbers.permutation_importance(X, y)
    numbers.predict_interval(X)


def _scores() -> None:
    from tamis import score

    X, y = _table()
    for criterion in ("pearson", "mutual_information", "relief"):
        getattr(score, criterion)(X, y)
    for criterion in ("stump", "mutual_information", "gain_ratio", "gini", "chi2", "anova", "relief"):
        getattr(score, criterion)(*_classes())
    score.interaction(*_classes())


def _searches() -> None:
    from tamis.linear import LinearClassifier, LinearRegressor
    from tamis.search import SubsetSelector

    numbers = LinearRegressor(penalty=None)
    for search, cv in (("forward", 5), ("backward", 5), ("branch-and-bound", "train")):
        SubsetSelector(numbers, search=search, k=2, cv=cv).fit(*_table())
    SubsetSelector(LinearClassifier(penalty=None), search="forward", k=2).fit(*_classes())
    LinearRegressor(penalty="subset", k=2).fit(*_table())
    LinearClassifier(penalty="subset", k=2).fit(*_classes())


def _study() -> None:
    """A study of the demonstration's first rows: what the kinds of models above leave over."""
    from importlib.resources import files

    from tamis.study import Study

    with tempfile.TemporaryDirectory() as folder:
        lines = (files("tamis") / "demo" / "breast_cancer.csv").read_text(encoding="utf-8").splitlines()[: _ROWS + 1]
        table = Path(folder) / "table.csv"
        table.write_text("\n".join(lines) + "\n", encoding="utf-8")
        Study(str(table), target="diagnosis", folder=Path(folder) / "study", folds=2).run()


#: The longest first.
JOBS: dict[str, Callable[[], None]] = {
    "forests": _forests,
    "trees": _trees,
    "searches": _searches,
    "linear classifiers": _linear_classifiers,
    "linear regressors": _linear_regressors,
    "scores": _scores,
    "importances and intervals": _importances,
}
#: After those that it consists of.
LAST: dict[str, Callable[[], None]] = {"studies": _study}

#: The jobs of a study of classes and of numbers; and a kernel of each, that tells whether it has been done.
STUDY = {
    "classes": ("forests", "trees", "linear classifiers"),
    "numbers": ("forests", "trees", "linear regressors"),
}
_KERNEL = {
    "forests": ("tamis.forest.grow", "grow_several"),
    "trees": ("tamis.tree.grow", "grow"),
    "linear classifiers": ("tamis.linear.newton", "walk"),
    "linear regressors": ("tamis.linear.descend", "follow"),
}


def warm(names: Iterable[str] | None = None, processes: int | None = None) -> Iterator[str]:
    """Compile the kernels of some jobs, or of all and a study; gives the name of each when it is done."""
    with ThreadPoolExecutor(processes or os.cpu_count() or 1) as pool:
        jobs = {pool.submit(_apart, name): name for name in (JOBS if names is None else names)}
        for job in as_completed(jobs):
            job.result()
            yield jobs[job]
    if names is None:
        for name in LAST:
            _apart(name)
            yield name


def warm_for_study(task: str) -> None:
    """Compile what a study needs before it is run, where several processors can share the work and nothing is there."""
    from tamis.engine.kernel import is_kept

    names = [name for name in STUDY[task] if not is_kept(getattr(import_module(_KERNEL[name][0]), _KERNEL[name][1]))]
    if len(names) < 2 or (os.cpu_count() or 1) < 2:
        return
    announce(
        f"tamis: compiling kernels for this machine, once: the {', '.join(names[:-1])} and {names[-1]} of a "
        "first study take most of a minute; later runs start at once, and `tamis warm` does it beforehand"
    )
    with suppress(RuntimeError):  # what is not there is compiled when it is needed, and an error is seen there
        for _ in warm(names):
            pass


def _apart(name: str) -> None:
    """Run a job in a process of its own, which ends when this one does."""
    command = [sys.executable, "-c", f"from tamis.warm import _one; _one({name!r})"]
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env=surroundings, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, text=True
    ) as process:
        assert process.stderr is not None
        words = process.stderr.read().strip().splitlines()
    if process.returncode:
        raise RuntimeError(f"the kernels of {name} could not be compiled: {words[-1] if words else 'it was ended'}")


def _one(name: str) -> None:
    """The job of such a process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    announce("")  # the process that asked has said it
    warnings.simplefilter("ignore")  # small tables give reasons to warn
    {**JOBS, **LAST}[name]()


def _end_with_parent() -> None:
    sys.stdin.read()  # ends when nobody holds the other end any more
    os._exit(1)
