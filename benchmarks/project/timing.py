"""Processor and wall time of rivals by turns, so that all meet the same load of the machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np


def by_turns(jobs: dict[str, Callable[[], Any]], rounds: int = 3) -> dict[str, tuple[float, float]]:
    """The least processor time and the least wall time of each job over some rounds."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            wall, processor = time.perf_counter(), time.process_time()
            job()
            times[name].append((time.process_time() - processor, time.perf_counter() - wall))
    return {name: (min(t[0] for t in found), min(t[1] for t in found)) for name, found in times.items()}


def show(title: str, found: dict[str, tuple[float, float]], notes: dict[str, str] | None = None) -> None:
    """One line a job: seconds of the processor and of the clock, and both in times the first one's."""
    print(title)
    first = next(iter(found.values()))
    for name, (processor, wall) in found.items():
        note = (notes or {}).get(name, "")
        ratios = f"{processor / first[0]:6.2f}× {wall / first[1]:6.2f}×"
        print(f"  {name:34} {processor:8.3f} s  {wall:8.3f} s  {ratios}  {note}")


def exponent(sizes: list[int], seconds: list[float]) -> float:
    """Slope of log time against log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
