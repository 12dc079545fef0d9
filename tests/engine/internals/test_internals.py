"""Without the private parts of Numba kernels compile as Numba always does, and compute the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tamis.engine import internals
from tamis.engine.kernel import inner, njit

#: Takes away from the package all but the public parts of Numba: modules, options of `njit`; or tells another version.
WITHOUT = """
import builtins, json, sys
import numba, numba.extending
import numpy as np

PUBLIC = {"nogil", "cache", "error_model", "fastmath", "forceinline"}
if sys.argv[1] == "parts":
    plain_import, plain_njit = builtins.__import__, numba.njit

    def without(name, globals=None, locals=None, fromlist=(), level=0):
        spec = (globals or {}).get("__spec__")  # Numba's own code in C imports in the name of its caller
        ours = str(getattr(spec, "name", "")).startswith("tamis.") and getattr(spec, "_initializing", False)
        if ours and name.startswith(("numba.core", "numba.np", "llvmlite.binding")):
            raise ImportError(f"this Numba has no {name}")
        return plain_import(name, globals, locals, fromlist, level)

    def public(function=None, **options):
        assert set(options) <= PUBLIC, set(options) - PUBLIC
        return plain_njit(function, **options)

    builtins.__import__, numba.njit = without, public
else:
    numba.__version__ = "99.0.0"

from tamis.engine import internals, kernel
assert internals.part("dispatch") is None
"""

KERNELS = """
from tamis.engine.intrinsics import matrix, vector
from tamis.engine.kernel import inner, is_kept, njit
from typing import NamedTuple

class Box(NamedTuple):
    sides: np.ndarray
    weight: float

@inner
def area(box, k):
    return box.sides[k, 0] * box.sides[k, 1] * box.weight

@njit(error_model="numpy")
def areas(box):
    out, sides = vector(len(box.sides), np.float64), matrix(1, 2, np.float64)
    for k in range(len(out)):
        sides[0, 0] = area(box, k)
        out[k] = sides[0, 0]
    return out

def ask():
    return areas(Box(np.array([[1.0, 2.0], [3.0, 4.0]]), 0.5)).tolist()
"""


def _run(script, argument, folder):
    """What a script prints as JSON, and on the error stream, in a process with a cache of its own."""
    (folder / "asked.py").write_text(script)
    surroundings = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    command = [sys.executable, str(folder / "asked.py"), argument]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def test_this_numba_has_the_parts():
    """Compiling would be slower without a word, and nobody would look for the reason."""
    assert internals.part("dispatch") is not None
    assert type(njit(lambda: 0)).__module__ == type(inner(lambda: 0)).__module__ == "tamis.engine.internals.dispatch"


@pytest.mark.parametrize("missing", ["parts", "version"])
def test_kernels_work_without_private_parts(missing, tmp_path):
    """A new version of Numba that moves a private class must cost seconds, not the package."""
    told = "print(json.dumps([is_kept(areas), ask(), is_kept(areas)]))"
    found, said = _run(WITHOUT + KERNELS + told, missing, tmp_path)
    assert found == [False, [1.0, 6.0], True]
    assert said.count("compiling kernels") == 1


LASSO = """
def lasso():
    from tamis.linear import LinearRegressor
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 40))
    model = LinearRegressor(alpha=0.1).fit(X, X[:, 0] - X[:, 1])
    return model.coef_.tolist()
"""

TREE = """
def tree():
    from tamis.tree import TreeClassifier
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = TreeClassifier(max_depth=3).fit(X, X[:, 0] * X[:, 1] > 0)
    return model.to_text()
"""


def _here(code, name):
    """The same in this process, with the private parts."""
    room = {"np": np}
    exec(code, room)
    return room[name]()


@pytest.mark.nightly
def test_a_lasso_is_the_same_without_private_parts(tmp_path):
    """What is only faster must not answer differently."""
    found, _ = _run(WITHOUT + LASSO + "print(json.dumps(lasso()))", "parts", tmp_path)
    assert np.allclose(found, _here(LASSO, "lasso"), rtol=1e-9, atol=1e-12)


@pytest.mark.nightly
def test_a_tree_is_the_same_without_private_parts(tmp_path):
    """The kernels of trees use all of it: groups of arrays, arrays made in kernels, kernels within kernels."""
    found, _ = _run(WITHOUT + TREE + "print(json.dumps(tree()))", "parts", tmp_path)
    assert found == _here(TREE, "tree")
