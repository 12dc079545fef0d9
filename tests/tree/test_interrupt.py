"""Ctrl-C while a tree is grown and pruned."""

import signal
import subprocess
import sys
import time

import pytest

CHILD = """
import signal
import numpy as np
from tamis import TreeClassifier

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20_000, 20)), rng.integers(0, 2, 20_000)
folds = [(np.arange(2_000, 20_000), np.arange(2_000))] * 1_000
print("begins", flush=True)
TreeClassifier(prune="cv", cv=folds, n_jobs={n_jobs}).fit(X, y)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_a_cross_validated_pruning(n_jobs):
    """If this fails, Ctrl-C waits for the trees of all folds, or is swallowed."""
    code = CHILD.format(n_jobs=n_jobs)
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True) as child:
        try:
            assert child.stdout.readline() == "begins\n"
            time.sleep(1.0)  # well into minutes of growing; the answer is the same at any moment
            child.send_signal(signal.SIGINT)
            _, error = child.communicate(timeout=60)  # a guard against hanging only
        finally:
            child.kill()
    assert "KeyboardInterrupt" in error
    assert child.returncode == -signal.SIGINT
