"""The kernels of a first forest that a second process compiles: the right ones, for the right types."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from tamis.engine import ahead as engine
from tamis.engine import internals
from tamis.forest import ForestClassifier, ForestRegressor, ahead
from tamis.table import Table

dispatch = internals.part("dispatch")
pytestmark = pytest.mark.skipif(dispatch is None, reason="by private parts of Numba alone")


def _cases():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y, cells = X[:, 0], X.astype(object)
    cells[:, 2] = np.where(X[:, 1] > 0, "yes", "no")
    mixed = Table.of(cells)
    yield "subtrees_numeric", ForestClassifier(2), X, y > 0
    yield "subtrees_numeric", ForestRegressor(2), X, y
    yield "subtrees_numeric_several", ForestClassifier(2), X, np.digitize(y, [-0.5, 0.5])
    yield "subtrees_numeric_several", ForestRegressor(2), X, X[:, :2]
    yield "subtrees_mixed", ForestClassifier(2), mixed, y > 0
    yield "subtrees_mixed_several", ForestClassifier(2), mixed, np.digitize(y, [-0.5, 0.5])
    yield "subtrees_in_parts", ForestRegressor(2, criterion="standard_deviation"), X, y
    yield "subtrees_numeric", ForestClassifier(2, thresholds="random"), X, y > 0
    yield "subtrees_in_parts_several", ForestClassifier(2, max_split_samples=20), X, np.digitize(y, [-0.5, 0.5])


@pytest.mark.parametrize(("first", "forest", "X", "y"), list(_cases()))
def test_prototypes_are_of_the_types_of_a_fit(monkeypatch, first, forest, X, y):
    """What the other process compiles would be for nothing: this one would compile the same for other types."""
    asked = []
    monkeypatch.setattr(ahead, "compile_ahead", lambda home, kernels: asked.append((home, kernels)))
    forest.fit(X, y)
    ((home, kernels),) = asked
    assert home == ahead.__name__
    assert kernels[0].__name__ == first
    for kernel in kernels:
        types = tuple(map(numba.typeof, ahead.prototype(f"{kernel.__module__}.{kernel.__name__}")))
        if isinstance(kernel, dispatch.Apart):
            types = dispatch.handed_on(types)
        assert list(kernel.overloads) == [types], kernel.__name__


def test_a_first_forest_is_the_same(tmp_path):
    """Two processes that share the work must give what one gives; the second fit finds everything on the disk."""
    words = (
        "import os; os.sched_getaffinity, os.getloadavg = lambda _: {0, 1}, lambda: (0.5, 0.5, 0.5)\n"
        "import numpy as np; from tamis.forest import ForestClassifier; from tamis.engine import ahead\n"
        "X = np.random.default_rng(0).normal(size=(200, 5))\n"
        "forest = ForestClassifier(5, random_state=0).fit(X, X[:, 0] > 0)\n"
        "print(ahead._helper is not None, forest.predict_proba(X).tobytes().hex())"
    )
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    surroundings.pop(engine.ALONE, None)
    found = []
    for cache, alone in (("shared", {}), ("shared", {}), ("alone", {engine.ALONE: "1"})):
        env = {**surroundings, "NUMBA_CACHE_DIR": str(tmp_path / cache), **alone}
        done = subprocess.run([sys.executable, "-c", words], env=env, capture_output=True, text=True, check=True)
        found.append(done.stdout.split())
    assert [begun for begun, _ in found] == ["True", "False", "False"]
    assert len({answer for _, answer in found}) == 1


def test_the_other_process_imports_no_scikit_learn():
    """Two seconds in which this process would have compiled the kernel itself."""
    names = "tamis.engine.ahead, tamis.forest.ahead, tamis.forest.grow.subtrees, tamis.forest.predict.route"
    words = f"import sys, {names}, tamis.forest.predict.merge; print('sklearn' in sys.modules)"
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", words], env=surroundings, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
