"""Kernels compiled beforehand: the right ones, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from itertools import product

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
    monkeypatch.setattr(warm, "_share", lambda *given: pytest.fail("processes were started"))
    warm.warm_for_study("classes")
    warm.warm_for_study("numbers")


@pytest.mark.parametrize(
    ("given", "jobs"),
    [
        (("classes",), ["linear classifiers"]),
        (("classes", 3), ["linear classifiers of several classes"]),
        (("numbers", 0), ["linear regressors"]),
    ],
)
def test_a_first_study_compiles_what_is_missing(monkeypatch, given, jobs):
    """The kernels of a first study, compiled one after the other, take twice as long; others are not needed."""
    done = []
    monkeypatch.setattr(kernel, "is_kept", lambda kernel: False)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(warm, "_share", done.extend)
    monkeypatch.setattr(warm, "announce", lambda sentence: None)
    warm.warm_for_study(*given)
    assert done == jobs


def test_every_job_of_a_study_can_be_found():
    """A job without a kernel that tells whether it is done would stop a study before it begins."""
    jobs = {**warm.JOBS, **warm.PARTS}
    for task, n_classes in product(("classes", "numbers"), (2, 3)):
        for name in warm._jobs_of_study(task, n_classes):
            module, function = warm._KERNEL[name]
            assert name in jobs
            assert isinstance(kernel.is_kept(getattr(import_module(module), function)), bool)


def test_jobs_are_shared_with_other_processes(monkeypatch):
    """A job that nobody does would be compiled later, alone, and one done twice costs twice."""
    done = []
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(warm, "_do", done.append)
    monkeypatch.setattr(warm, "_hand_out", lambda waiting, finished: finished.put(waiting.popleft()))
    warm._share(["scores", "searches", "linear classifiers"])
    assert done in (["scores", "linear classifiers"], ["scores", "searches"])


@pytest.mark.nightly
def test_after_warm_the_demonstration_compiles_nothing(tmp_path):
    """`tamis warm` that leaves kernels out does not do what images and CI need."""
    surroundings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    tamis = [sys.executable, "-m", "tamis"]
    subprocess.run([*tamis, "warm"], env=surroundings, check=True, capture_output=True)
    demo = [*tamis, "demo", "--folder", str(tmp_path / "study")]
    done = subprocess.run(demo, env=surroundings, check=True, capture_output=True, text=True)
    assert "compiling" not in done.stderr
