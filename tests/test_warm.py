"""Kernels compiled beforehand: the right ones, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module

import pytest

from tamis import warm
from tamis.engine import kernel


def test_a_job_that_fails_is_named():
    """An image built on kernels that were never compiled would make every container compile them."""
    with pytest.raises(RuntimeError, match="kernels of puddings could not be compiled: KeyError"):
        list(warm.warm(["puddings"]))


def test_every_kernel_of_a_job_can_be_found():
    """A job without a kernel that tells whether it is done would be compiled again and again."""
    for name, (module, function) in warm._KERNEL.items():
        assert name in {**warm.JOBS, **warm.PARTS}
        assert isinstance(kernel.is_kept(getattr(import_module(module), function)), bool)


@pytest.mark.nightly
def test_after_warm_the_demonstration_compiles_nothing(tmp_path):
    """`tamis warm` that leaves kernels out does not do what images and CI need."""
    surroundings = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    tamis = [sys.executable, "-m", "tamis"]
    subprocess.run([*tamis, "warm"], env=surroundings, check=True, capture_output=True)
    demo = [*tamis, "demo", "--folder", str(tmp_path / "study")]
    done = subprocess.run(demo, env=surroundings, check=True, capture_output=True, text=True)
    assert "compiling" not in done.stderr
