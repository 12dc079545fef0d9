"""How long a forest goes on after Ctrl-C: 200,000 × 50, 3 classes, the signal 1 to 5 s after the start of a fit.

python benchmarks/forest/interrupt.py
"""

import signal
import threading
from time import perf_counter

import numpy as np

from tamis import ForestClassifier


def delay(X, y, wait):
    """Seconds between the signal and the return of a fit."""
    sent = [0.0]

    def interrupt():
        sent[0] = perf_counter()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Timer(wait, interrupt).start()
    try:
        ForestClassifier(5_000, n_jobs=2).fit(X, y)
    except KeyboardInterrupt:
        return perf_counter() - sent[0]
    raise RuntimeError("the fit was over before the signal")


if __name__ == "__main__":
    X = np.random.default_rng(0).normal(size=(200_000, 50))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int) + (X[:, 3] > 1)
    ForestClassifier(2).fit(X[:300], y[:300])  # compile
    found = [delay(X, y, wait) for wait in (1.0, 2.0, 3.0, 4.0, 5.0)]
    print("delay after Ctrl-C: " + ", ".join(f"{seconds:.2f}" for seconds in found) + " s")
