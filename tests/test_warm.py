"""Kernels compiled beforehand: the right ones, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tamis import warm
from tamis.engine import kernel


def test_a_job_that_fails_is_named():
    """An image built on kernels that were never compiled would make every container compile them."""
    with pytest.raises(RuntimeError, match="kernels of puddings could not be compiled: KeyError"):
        list(warm.warm(["puddings"]))


def test_a_study_compiles_nothing_that_is_there(monkeypatch):
    """Every study would start processes for nothing."""
    monkeypatch.setattr(kernel, "is_kept", lambda kernel: True)
    monkeypatch.setattr(warm, "warm", lambda *given: pytest.fail("processes were started"))
    warm.warm_for_study("classes")
    warm.warm_for_study("numbers")


def test_a_first_study_compiles_what_is_missing(monkeypatch):
    """The kernels of a first study, compiled one after the other, take twice as long."""
    started = []
    monkeypatch.setattr(kernel, "is_kept", lambda kernel: False)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(warm, "warm", lambda names: started.append(names) or [])
    monkeypatch.setattr(warm, "announce", lambda sentence: None)
    warm.warm_for_study("classes")
    assert started == [["forests", "trees", "linear classifiers"]]


@pytest.mark.nightly
def test_after_warm_the_demonstration_compiles_nothing(tmp_path):
    """`tamis warm` that leaves kernels out does not do what images and CI need."""
    surroundings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    tamis = [sys.executable, "-m", "tamis"]
    subprocess.run([*tamis, "warm"], env=surroundings, check=True, capture_output=True)
    demo = [*tamis, "demo", "--folder", str(tmp_path / "study")]
    done = subprocess.run(demo, env=surroundings, check=True, capture_output=True, text=True)
    assert "compiling" not in done.stderr
