"""How long Tamis takes to begin, and what its core costs beside another version's.

A bare Python beside `tamis --help`; the first fit of a forest and of a lasso in a new process, beside scikit-learn's;
the demonstration, `tamis rank` and `tamis predict`; and, with `--against FOLDER` (the `src` of another version), the
speed of both, measured by turns. Seconds of the wall and, in brackets, of the processor: on a busy machine compare the
latter. About a second of every start is the import of scikit-learn, which imports SciPy.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[1] / "src"

_DATA = (
    "import numpy as np; X = np.random.default_rng(0).normal(size=(500, 20)); "
    "y = X[:, 0] - X[:, 1] + np.random.default_rng(1).normal(size=500)"
)

#: A first fit, of Tamis and of scikit-learn.
FIRST = {
    "forest": (
        f"{_DATA}; from tamis.forest import ForestClassifier; ForestClassifier(100).fit(X, y > 0)",
        f"{_DATA}; from sklearn.ensemble import RandomForestClassifier as F; F(100, oob_score=True).fit(X, y > 0)",
    ),
    "lasso": (
        f"{_DATA}; from tamis.linear import LinearRegressor; LinearRegressor().fit(X, y)",
        f"{_DATA}; from sklearn.linear_model import LassoCV; LassoCV(cv=10).fit(X, y)",
    ),
}


class Took(NamedTuple):
    """Seconds of the wall and of the processor."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:.2f} s ({self.cpu:.2f})"

    def __sub__(self, other: Took) -> Took:  # type: ignore[override]
        return Took(self.wall - other.wall, self.cpu - other.cpu)


def surroundings(source: Path, **environment: str) -> dict[str, str]:
    """Those of an installed package, whose files Python has compiled: else each start reads 400 files of source."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(source), **environment}


def took(command: list[str], source: Path = SOURCE, **environment: str) -> Took:
    """What one command takes, with those it starts."""
    before, start = getrusage(RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=surroundings(source, **environment))
    wall, after = time.perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    return Took(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def middle(command: list[str], times: int, **environment: str) -> Took:
    """The median of some runs."""
    runs = [took(command, **environment) for _ in range(times)]
    return Took(median(run.wall for run in runs), median(run.cpu for run in runs))


def python(words: str) -> list[str]:
    return [sys.executable, "-c", words]


def beginnings(folder: str) -> None:
    """The command line, the first fits and the demonstration."""
    tamis = [sys.executable, "-m", "tamis"]
    took(python("import tamis.study, tamis.forest.estimator, tamis.linear.regressor"))  # leaves the compiled files
    bare = middle(python("pass"), 9)
    print(f"bare python {bare}   tamis --help {middle([*tamis, '--help'], 9)}   (asked: at most 0.3 s)")
    for name, (ours, theirs) in FIRST.items():
        first, rival = (middle(python(words), 5) - bare for words in (ours, theirs))
        print(f"first {name}, over bare python: {first}   scikit-learn {rival}")
    print(f"tamis demo: {took([*tamis, 'demo', '--folder', str(Path(folder) / 'demo')])}")
    table, new = SOURCE / "tamis" / "demo" / "breast_cancer.csv", Path(folder) / "new.csv"
    header, *rows = table.read_text(encoding="utf-8").splitlines()
    new.write_text("\n".join([header, *(row.replace(",", "1,", 1) for row in rows[:100])]) + "\n", encoding="utf-8")
    for words in (["rank", str(table), "--target", "diagnosis"], ["predict", str(Path(folder) / "demo"), str(new)]):
        print(f"tamis {words[0]}: {middle([*tamis, *words], 5)}")


def jobs() -> dict[str, Callable[[], object]]:
    """What the kernels are timed at: fits that spend nearly all of their time in them."""
    import numpy as np

    from tamis import score
    from tamis.forest import ForestClassifier, ForestRegressor
    from tamis.linear import LinearClassifier, LinearRegressor
    from tamis.tree import TreeClassifier, TreeRegressor

    rng = np.random.default_rng(0)
    X = rng.normal(size=(8_000, 20))
    y = X[:, 0] - X[:, 1] ** 2 + rng.normal(size=len(X))
    two, five = (y > -1).astype(int), np.digitize(y, [-3, -1.5, -0.5, 0.5])
    rough = np.round(X, 1)
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    wide = rng.normal(size=(200, 3_000))
    wide_y = wide[:, :5].sum(axis=1) + rng.normal(size=200)
    forest = ForestClassifier(20, random_state=0).fit(X, two)
    return {
        "tree, two classes": lambda: TreeClassifier().fit(X, two),
        "tree, five classes, rounded": lambda: TreeClassifier().fit(rough, five),
        "tree, surrogates": lambda: TreeClassifier(max_depth=6).fit(gaps, two),
        "tree, entropy, own level": lambda: TreeClassifier(criterion="entropy", missing="category").fit(gaps, five),
        "tree, numbers": lambda: TreeRegressor().fit(X, y),
        "tree, absolute error": lambda: TreeRegressor(criterion="absolute_error", max_depth=3).fit(
            X[:2_000], y[:2_000]
        ),
        "forest, two classes": lambda: ForestClassifier(20, random_state=0).fit(X, two),
        "forest, five classes": lambda: ForestClassifier(20, random_state=0).fit(rough, five),
        "forest, numbers": lambda: ForestRegressor(10, random_state=0).fit(gaps, y),
        "forest, prediction": lambda: [forest.predict_proba(X) for _ in range(5)],
        "lasso": lambda: LinearRegressor().fit(X, y),
        "lasso, wide": lambda: LinearRegressor().fit(wide, wide_y),
        "logistic": lambda: LinearClassifier().fit(X, two),
        "logistic, wide": lambda: LinearClassifier().fit(wide, wide_y > 0),
        "relief": lambda: score.relief(X[:2_000], two[:2_000]),
        "mutual information": lambda: score.mutual_information(X, two),
    }


def time_kernels(times: int = 3) -> None:
    """The least processor time of each job, as JSON; kernels are compiled before."""
    found = {}
    for name, job in jobs().items():
        job()
        runs = []
        for _ in range(times):
            start = time.process_time()
            job()
            runs.append(time.process_time() - start)
        found[name] = min(runs)
    print(json.dumps(found))


def compare(other: Path, rounds: int = 3) -> None:
    """Kernels of both sources, by turns, the least of all rounds."""
    least: dict[Path, dict[str, float]] = {SOURCE: {}, other: {}}
    for _ in range(rounds):
        for source in least:
            env = surroundings(source)
            command = [sys.executable, "-W", "ignore", __file__, "--kernels"]
            done = subprocess.run(command, check=True, capture_output=True, env=env, text=True)
            for name, seconds in json.loads(done.stdout.splitlines()[-1]).items():
                least[source][name] = min(seconds, least[source].get(name, seconds))
    ratios = []
    for name, seconds in least[SOURCE].items():
        ratios.append(seconds / least[other][name])
        print(f"{name:30s} {1e3 * seconds:8.1f} ms   against {1e3 * least[other][name]:8.1f} ms   {ratios[-1]:.2f}")
    print(f"median of the ratios {median(ratios):.3f} (asked: at most 1.05)")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--against", type=Path, help="the src folder of another version")
    options.add_argument("--only-kernels", action="store_true", help="no beginnings, only the comparison")
    options.add_argument("--kernels", action="store_true", help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.kernels:
        time_kernels()
        return
    with tempfile.TemporaryDirectory() as folder:
        if not asked.only_kernels:
            beginnings(folder)
        if asked.against:
            compare(asked.against.resolve())


if __name__ == "__main__":
    main()
