"""What tells a user's code from other code: every part that decides its numbers, and nothing else."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer
from sklearn.preprocessing import FunctionTransformer

from tamis.fingerprint import digest_of, packages_of

SCRIPT = """
import functools, random, re
from dataclasses import dataclass
import numpy as np
from numpy.random import rand
from random import random as drawn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import make_scorer
from tamis.fingerprint import digest_of

NAMES = {"a", "b", "c", "d"}
WORD = re.compile("[ab]+")


@dataclass
class Price:
    good: float = 1.0
    kinds: frozenset = frozenset({"x", "y", "z"})


class Mine(ClassifierMixin, BaseEstimator):
    def __init__(self, k=1):
        self.k = k

    def fit(self, X, y):
        class Inner:
            place = 3
        return super().fit(X, y) if WORD.match("a") else Price()

    @functools.lru_cache
    def cached(self):
        return rand() + drawn() + random.random()


def score(y_true, y_pred, *, names=NAMES):
    return sum(one in {"p", "q", "r"} for one in y_true) + len(names) + Mine().k


print(digest_of(score), digest_of(Mine), digest_of(make_scorer(score)), digest_of(Mine()), digest_of(Price()))
"""


def test_another_process_finds_the_same(tmp_path):
    """Else no study with a function could ever be resumed: hashes, addresses, lines and paths are not the code's."""
    found = []
    for number, lead in enumerate(["", "\n\n# moved\n"]):
        (tmp_path / f"{number}.py").write_text(lead + SCRIPT)
        told = {**os.environ, "PYTHONHASHSEED": str(number + 1)}
        command = [sys.executable, str(tmp_path / f"{number}.py")]
        found.append(subprocess.run(command, env=told, capture_output=True, text=True, check=True).stdout.split())
    assert found[0] == found[1]
    assert len(set(found[0])) == 5


def _with(**given):
    """A function that reads everything from its closure."""
    return lambda y_true, y_pred: given


def _default(factor):
    def score(y_true, y_pred, factor=factor):
        return factor

    return score


def _attribute(factor):
    def score(y_true, y_pred):
        return score.factor

    score.factor = factor
    return score


def _class(factor):
    class Mine(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            return self.weigh(y)

        @staticmethod
        def weigh(y):
            return factor * y

    return Mine


def _child(factor):
    class Child(_class(factor)):
        pass

    return Child


def _dataclass(factor):
    @dataclass
    class Price:
        good: float = factor

    return Price


def _cached(factor):
    @functools.lru_cache
    def score(y_true, y_pred):
        return factor

    return score


def _property(factor):
    class Mine:
        @property
        def weight(self):
            return factor

    return Mine()


def _long(factor):
    return _with(weights=np.r_[np.zeros(100_000), factor, np.zeros(100_000)])


def _calls(factor):
    def inner(y):
        return factor * y

    def outer(y_true, y_pred):
        return inner(y_true)

    return outer


MADE = [
    lambda factor: _with(factor=factor),
    lambda factor: _with(nested=[{"a": (factor, {factor})}]),
    lambda factor: functools.partial(_default(1), factor=factor),
    lambda factor: make_scorer(_default(factor)),
    lambda factor: FunctionTransformer(_calls(factor)),
    lambda factor: _with(model=Ridge(alpha=factor)),
    lambda factor: _with(drawn=np.random.default_rng(factor)),
    lambda factor: _class(factor)().fit,
    lambda factor: np.array([None, factor], dtype=object),
    _default,
    _attribute,
    _class,
    _child,
    _dataclass,
    _cached,
    _property,
    _long,
    _calls,
]


@pytest.mark.parametrize("made", MADE)
def test_every_part_that_decides_a_number_counts(made):
    """A study would go on with numbers of code that is no longer there; or would refuse the very same code."""
    assert digest_of(made(1)) == digest_of(made(1))
    assert digest_of(made(1)) != digest_of(made(2))


def test_a_module_of_the_user_is_looked_into(tmp_path, monkeypatch):
    """Whoever keeps helpers in a file of their own would be given old numbers after editing that file."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    texts = [
        "import {0}\ndef score(y, p): return {0}.gain(y)",
        "def score(y, p):\n    from {0} import gain\n    return gain(y)",
    ]
    for number, text in enumerate(texts):
        name, found = f"helpers_of_{number}", []
        for factor in (1, 1, 2):
            (tmp_path / f"{name}.py").write_text(f"FACTOR = {factor}\ndef gain(y): return FACTOR * y\nother = 7\n")
            sys.modules.pop(name, None)
            space = {"__name__": "script"}
            exec(text.format(name), space)
            found.append(digest_of(space["score"]))
        assert found[0] == found[1] != found[2]


def test_nothing_makes_it_fail():
    """A lock, a cycle, a chain of ten thousand or an object that refuses to be asked must not stop a study."""

    class Refusing:
        def __reduce_ex__(self, protocol):
            raise RuntimeError("no")

        def __getattr__(self, name):
            raise RuntimeError("no")

    cycle: list = []
    cycle.append(cycle)
    chain: list = []
    for _ in range(10_000):
        chain = [chain]

    def recursive(n):
        return recursive(n - 1) if n else other(n)

    def other(n):
        return recursive(n)

    for value in (Refusing(), cycle, chain, recursive, threading.Lock(), (i for i in []), 10**5000, np.float32(2), max):
        assert digest_of(_with(value=value)) == digest_of(_with(value=value))


def test_installed_packages_are_named_with_their_versions():
    """Their code is not read, so that a newer version must be told by its number."""
    import sklearn

    assert packages_of([Ridge(), make_scorer(np.mean)]) == {"numpy": np.__version__, "sklearn": sklearn.__version__}
    assert packages_of([lambda y, p: np.mean(y)]) == {"numpy": np.__version__}
