"""A cross-validated path is one call into the core: the same bits for any number of threads, and Ctrl-C ends it."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

from tamis import LinearClassifier, LinearRegressor


def table(n, p, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p))
    eta = X[:, :4].sum(axis=1) + rng.normal(size=n)
    return X, eta if n_classes == 0 else np.digitize(eta, np.quantile(eta, np.arange(1, n_classes) / n_classes))


@pytest.mark.parametrize(
    ("n", "p", "n_classes"),
    [(300, 60, 0), (60, 300, 0), (90, 200, 2), (3000, 60, 2), (120, 30, 3), (4000, 30, 3)],
    ids=["moments", "wide", "wide classes", "shared Hessian", "three classes", "three classes, shared Hessian"],
)
def test_threads_do_not_change_a_bit(n, p, n_classes):
    """The same table would give another model on another machine."""
    X, y = table(n, p, n_classes)
    kind = LinearClassifier if n_classes else LinearRegressor
    one, *others = (kind(cv=4, n_alphas=12, n_jobs=jobs).fit(X, y) for jobs in (1, 2, 3))
    for other in others:
        assert np.array_equal(one.coef_, other.coef_)
        assert np.array_equal(one.path_.coef, other.path_.coef)
        assert np.array_equal(one.path_.fold_errors, other.path_.fold_errors)
        assert np.array_equal(one.nested_predictions_, other.nested_predictions_)


def _fit_and_wait(model, X, y):
    """A fit that ends before the signal comes is told by its coefficients."""
    model.fit(X, y)
    time.sleep(30)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_a_path():
    """A long path could only be ended by killing the process."""
    X, y = table(400, 6000, 0)
    model = LinearRegressor(cv=10, n_alphas=400, tol=1e-9)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            _fit_and_wait(model, X, y)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not hasattr(model, "coef_")
