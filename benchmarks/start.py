"""How long Tamis takes to begin: `tamis --help` beside a bare Python, the demonstration with and without kernels."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median


def seconds(command: list[str], **environment: str) -> float:
    """Wall time of one command."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
    return time.perf_counter() - start


def main() -> None:
    python = [sys.executable, "-c", "pass"]
    tamis = [sys.executable, "-m", "tamis"]
    pairs = [(seconds(python), seconds([*tamis, "--help"])) for _ in range(9)]
    bare, asked = (median(part) for part in zip(*pairs))
    print(f"tamis --help {asked:.2f} s (asked: at most 0.3)   bare python {bare:.2f} s   ratio {asked / bare:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        cache = str(Path(folder) / "kernels")
        cold, warm = (
            seconds([*tamis, "demo", "--folder", str(Path(folder) / run)], NUMBA_CACHE_DIR=cache)
            for run in ("cold", "warm")
        )
    print(f"tamis demo: first run {cold:.0f} s   later runs {warm:.0f} s   compiling kernels {cold - warm:.0f} s")


if __name__ == "__main__":
    main()
