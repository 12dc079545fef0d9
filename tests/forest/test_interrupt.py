"""Ctrl-C while a forest grows."""

import signal
import subprocess
import sys
import time

import pytest

CHILD = """
import signal, sys, threading
import numpy as np
from tamis import ForestClassifier, ForestRegressor

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
kind = {kind}
X = np.random.default_rng(0).normal(size=(60_000, 20))
y = np.round(X[:, 0] + X[:, 1])
kind(2, n_jobs={n_jobs}).fit(X[:200], y[:200] > 0)  # the kernels are compiled before
kind(2, n_jobs={n_jobs}).fit(X[:200], y[:200])
print("begins", flush=True)
try:
    kind(100_000, n_jobs={n_jobs}).fit(X, y)
except KeyboardInterrupt:
    print([thread.name for thread in threading.enumerate() if thread.name.startswith("tamis-forest")], flush=True)
    raise
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(("kind", "n_jobs"), [("ForestClassifier", 2), ("ForestRegressor", None)])
def test_ctrl_c_stops_a_forest_and_its_threads(kind, n_jobs):
    """If this fails, Ctrl-C waits for the rest of the forest, is swallowed, or leaves threads growing trees."""
    code = CHILD.format(kind=kind, n_jobs=n_jobs)
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True) as child:
        try:
            assert child.stdout.readline() == "begins\n"
            time.sleep(1.0)  # well into hours of growing; the answer is the same at any moment
            child.send_signal(signal.SIGINT)
            said, error = child.communicate(timeout=60)  # a guard against hanging only
        finally:
            child.kill()
    assert said == "[]\n"
    assert "KeyboardInterrupt" in error
    assert child.returncode == -signal.SIGINT
