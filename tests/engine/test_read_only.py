"""Kernels where nothing can be kept: neither the package's folder nor the user's can be written."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

KERNEL = """
from tamis.engine import kernel
{plain}

@kernel.njit
def square(x):
    return x * x

assert square(3.0) == 9.0
print(kernel.is_kept(square))
"""


@pytest.mark.parametrize("plain", ["", "kernel._dispatch = None"])
def test_a_kernel_runs_where_nothing_can_be_kept(tmp_path, plain):
    """In a read-only container no command of kernels ran: "no locator available for file"."""
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "program.py").write_text(KERNEL.format(plain=plain))
    (tmp_path / "place" / "__pycache__").write_text("a file, in which no folder can be made")
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache", "LOCALAPPDATA": "/dev/null/cache"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    made = subprocess.run(
        [sys.executable, tmp_path / "place" / "program.py"],
        env={**environment, **nowhere},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (made.returncode, made.stdout) == (0, "False\n"), made.stderr
