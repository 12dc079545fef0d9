"""Where the seconds of the main job go: processor seconds of each phase of `tamis run`, imports included.

    python benchmarks/study/phases.py --data ../shared/data/suite [tables]

Every table is run in a process of its own on one thread. A timer of the processor looks at the stack every two
milliseconds; what passed since the last look belongs to imports, if one is under way, or to the outermost function of
the stack that a phase is named after; folds are told apart by the procedure that is fitted. The last columns are all
seconds, and a scikit-learn forest of 500 trees on the same rows (n_jobs=2). More than half of the imports are
scikit-learn's own, which imports SciPy and pandas; a fifth is Bokeh, for the report.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

TABLES = ("breast_cancer", "wine", "german", "wine_quality_red", "60 x 3,000 of 3", "251 x 90 of 15")

#: Phase -> functions, as (end of the file's name, function).
PHASES = {
    "imports": (("frozen importlib._bootstrap>", "_find_and_load"),),
    "read, lock": (("study/study.py", "problem"),),
    "leaks": (("study/fold.py", "find_leaks"),),
    "folds": (("evaluate/cross_validate.py", "cross_validate"),),
    **{f"folds: {name}": () for name in ("small-tree", "formula", "panel", "additive", "forest", "boosting", "others")},
    "one column": (("comparison/dominant.py", "dominant"),),
    "comparison": (("comparison/compare.py", "compare"),),
    "association": (("claims/association.py", "association"),),
    "refit": (("study/fold.py", "refit"), ("study/fold.py", "refitted")),
    "ladder": (("study/fold.py", "rung_models"),),
    "effects in folds": (("study/fold.py", "fold_findings"),),
    "learning curve": (("findings/learning.py", "learning"),),
    "findings": (("findings/findings.py", "findings"),),
    "report": (("report/page.py", "page"),),
}
OTHER = "other"


def table(name: str, data: Path) -> Any:
    """The rows, with a column "target"."""
    import numpy as np
    import pandas as pd
    from command import table as stored
    from speed import expression

    if name == "60 x 3,000 of 3":
        return expression(60, 3000, 3)
    if name != "251 x 90 of 15":
        return stored(name, data)
    rng = np.random.default_rng(0)  # curves in the plane, at 45 points, as of hands that move
    y, t, shape = np.arange(251) % 15, np.linspace(0, 1, 45), rng.normal(size=(15, 2, 4))
    rows = []
    for code in y:
        weights, start = shape[code] + 0.35 * rng.normal(size=(2, 4)), rng.uniform(0, 0.15)
        waves = np.array([np.cos((k + 1) * np.pi * (t + start)) / (k + 1) for k in range(4)])
        rows.append((weights @ waves + 0.05 * rng.normal(size=(2, 45))).T.ravel())
    frame = pd.DataFrame(np.array(rows).round(5), columns=[f"v{j}" for j in range(90)])
    return frame.assign(target=[f"m{code}" for code in y])


def profile(file: Path, folder: Path) -> dict[str, float]:
    """Run the study here, and return processor seconds by phase."""
    phase_of = {function: phase for phase, functions in PHASES.items() for function in functions}
    seconds: Counter[str] = Counter()
    last = 0.0

    def look(_: int, frame: Any) -> None:
        nonlocal last
        now = time.process_time()
        seconds[_phase(frame, phase_of)] += now - last
        last = now

    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, 0.002, 0.002)
    try:
        from tamis import Study

        Study(str(file), target="target", folder=folder, n_jobs=1).run()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return dict(seconds)


def _phase(frame: Any, phase_of: dict[tuple[str, str], str]) -> str:
    phase, procedure = OTHER, ""
    while frame is not None and phase != "imports":
        code = frame.f_code
        for (file, function), name in phase_of.items():
            if code.co_name == function and code.co_filename.endswith(file):
                phase = name
        if code.co_name == "_judge" and code.co_filename.endswith("evaluate/cross_validate.py"):
            procedure = f"folds: {frame.f_locals['name']}"
        frame = frame.f_back
    if phase != "folds" or not procedure:
        return phase
    return procedure if procedure in PHASES else "folds: others"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/suite"))
    parser.add_argument("--profile", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.profile:
        print(json.dumps(profile(*options.profile)))
        return
    from command import forest_seconds, installed

    print(f"| table | {' | '.join([*PHASES, OTHER])} | all | forest | in forests |")
    print(f"|---|{'--:|' * (len(PHASES) + 4)}")
    for name in options.tables:
        frame = table(name, options.data)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "table.csv"
            frame.to_csv(file, index=False)
            words = [sys.executable, __file__, "--profile", str(file), str(Path(folder) / "study")]
            done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=installed())
        seconds = json.loads(done.stdout)
        total, unit = sum(seconds.values()), forest_seconds(frame)[1]
        cells = [f"{seconds.get(phase, 0.0):.2f}" for phase in [*PHASES, OTHER]]
        print(f"| {name} | {' | '.join(cells)} | {total:.2f} | {unit:.2f} | {total / unit:.1f} |", flush=True)


if __name__ == "__main__":
    main()
