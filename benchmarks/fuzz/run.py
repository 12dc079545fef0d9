"""Fuzzers: hostile inputs of every kind for as long as asked, one process at a time; every bad ending is printed.

    python benchmarks/fuzz/run.py --minutes 60              # all of them, equal shares
    python benchmarks/fuzz/run.py --only files --seed 7 --cases 1   # one case again, by its number

A case is a function of its seed alone. It ends well with an answer or with one sentence of Tamis. A traceback of
another error, a warning of arithmetic, a lost or changed file, an answer that differs from what it should be, a crash
and a case that takes longer than its limit are findings. The exit code is 1 where there are any.
"""

from __future__ import annotations

import argparse
import faulthandler
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from importlib import import_module
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

NAMES = ("sources", "files", "app", "screens", "exports", "units")


def cases(name: str, seed: int, seconds: float, most: int | None, folder: Path, at: Path) -> None:
    """Run the cases of one fuzzer, from a seed on; findings and a tally of endings go to the screen."""
    module = import_module(f"fuzz.{name}")
    fuzzer, endings, findings = module.Fuzzer(folder / name), Counter(), Counter()
    end, first = time.monotonic() + seconds, seed
    while time.monotonic() < end and (most is None or seed < first + most):
        at.write_text(str(seed))
        limit_seconds(module.LIMIT)
        try:
            endings[fuzzer.case(np.random.default_rng([seed, NAMES.index(name)]))] += 1
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            where = [f for f in frames if "tamis" in f.filename and not isinstance(error, AssertionError)]
            words = re.sub(r"'.*'|\".*\"", "…", str(error))[:80]
            key = f"{type(error).__name__} {where[-1].filename}:{where[-1].lineno}" if where else words
            findings[key] += 1
            if findings[key] <= 2:
                print(f"FINDING {name} seed {seed}: {type(error).__name__}: {str(error)[:600]}", flush=True)
                traceback.print_exc(file=sys.stdout)
                sys.stdout.flush()
        finally:
            limit_seconds(None)
        seed += 1
    for ending, count in endings.most_common():
        print(f"  {count:6,} {ending}")
    print(f"{name}: {seed - first:,} cases from seed {first}, {sum(findings.values())} findings", flush=True)
    for key, count in findings.items():
        print(f"  {count:6,} FINDING {key}", flush=True)
    at.write_text("done" if not findings else "found")


def limit_seconds(seconds: int | None) -> None:
    """End the process, with a traceback, after so many processor seconds, or ten times as many by the clock."""
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    if seconds is None:
        faulthandler.cancel_dump_traceback_later()
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
        return
    faulthandler.register(signal.SIGXCPU, chain=True)
    faulthandler.dump_traceback_later(10 * seconds, exit=True)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + seconds + 1, hard))


def watched(name: str, seed: int, minutes: float, most: int | None) -> int:
    """Run the cases of a fuzzer in a process of their own, begun anew after a crash; the number of bad ends."""
    end, bad = time.monotonic() + 60 * minutes, 0
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder) / "at"
        while True:
            left = max(end - time.monotonic(), 0.0)
            words = [sys.executable, __file__, "--child", name, "--seed", str(seed), "--minutes", str(left / 60)]
            words += ["--folder", folder] + ([] if most is None else ["--cases", str(most)])
            code = subprocess.run(words, check=False).returncode
            state = at.read_text() if at.exists() else ""
            if state in ("done", "found"):
                return bad + (state == "found")
            print(
                f"FINDING {name} seed {state}: the process ended with {code} (a crash, or over its limit)", flush=True
            )
            bad += 1
            if not state or most is not None or time.monotonic() > end:
                return bad
            seed = int(state) + 1


def main() -> None:
    """Read the options and run."""
    options = argparse.ArgumentParser()
    options.add_argument("--minutes", type=float, default=60.0)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", default=",".join(NAMES))
    options.add_argument("--cases", type=int)
    options.add_argument("--child")
    options.add_argument("--folder")
    given = options.parse_args()
    if given.child:
        folder = Path(given.folder)
        cases(given.child, given.seed, 60 * given.minutes, given.cases, folder, folder / "at")
        return
    wanted = given.only.split(",")
    bad = sum(watched(name, given.seed, given.minutes / len(wanted), given.cases) for name in wanted)
    print(f"{bad} fuzzers or processes with findings")
    sys.exit(int(bad > 0))


if __name__ == "__main__":
    main()
