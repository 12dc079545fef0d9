"""Units do not matter: the properties of tests/contract/test_units.py on tables and factors nobody looked at."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
from fuzz.endings import Finding
from sklearn.base import is_regressor

#: Processor seconds of a case.
LIMIT = 120

FILE = Path(__file__).parents[2] / "tests" / "contract" / "test_units.py"


def _contract() -> Any:
    spec = importlib.util.spec_from_file_location("contract_of_units", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Fuzzer:
    """One estimator, one table and one change of units a case."""

    def __init__(self, folder: Path) -> None:
        self.contract = _contract()
        contract = self.contract
        self.models = contract.EVERY_MODEL

    def case(self, rng: np.random.Generator) -> str:
        """Draw all three, and compare the answers."""
        model = self.models[int(rng.integers(len(self.models)))]
        seed = int(rng.integers(100, 10**6))
        change = str(rng.choice(["target", "columns", "weights", "copies", "rows", "names"]))
        if change == "target" and (not is_regressor(model) or self.contract.counts(model)):
            change = "columns"
        if change == "copies" and getattr(model, "alpha", None) == "loo":
            change = "rows"
        try:
            getattr(self, f"_{change}")(rng, model, seed)
        except AssertionError as error:
            raise Finding(f"{change} of {self.contract.name_of(model)}, table {seed}: {error}") from None
        return f"{change}: equal"

    def _target(self, rng: np.random.Generator, model: Any, seed: int) -> None:
        contract, factor = self.contract, 10.0 ** rng.uniform(-8, 8)
        frame, y, _ = contract.table(seed, categories=bool(rng.random() < 0.5))
        found = contract.answer(model, frame, y * factor, frame) / factor
        contract.assert_same(found, contract.answer(model, frame, y, frame))

    def _columns(self, rng: np.random.Generator, model: Any, seed: int) -> None:
        contract = self.contract
        frame, y, classes = contract.table(seed, categories=bool(rng.random() < 0.5))
        target = contract.target_of(model, y, classes)
        base, largest = (10.0, 8) if contract.rounds_cuts(model) else (2.0, 26)
        moved = contract.rescaled(frame, base ** rng.integers(-largest, largest + 1, 5), [0.0] * 5)
        contract.assert_same(
            contract.answer(model, moved, target, moved), contract.answer(model, frame, target, frame), 1e-4
        )

    def _weights(self, rng: np.random.Generator, model: Any, seed: int) -> None:
        contract = self.contract
        frame, y, classes = contract.table(seed)
        target = contract.target_of(model, y, classes)
        weights = rng.uniform(0.5, 2.0, len(y)) * (rng.random(len(y)) > 0.1)
        expected = contract.answer(model, frame, target, frame, sample_weight=weights)
        factor = 10.0 ** rng.uniform(-200, 200)
        contract.assert_same(contract.answer(model, frame, target, frame, sample_weight=weights * factor), expected)

    def _copies(self, rng: np.random.Generator, model: Any, seed: int) -> None:
        self.contract.test_whole_weights_are_copies(model, seed)

    def _rows(self, rng: np.random.Generator, model: Any, seed: int) -> None:
        self.contract.test_the_order_of_rows(model, seed)

    def _names(self, rng: np.random.Generator, model: Any, seed: int) -> None:
        contract = self.contract
        frame, y, classes = contract.table(seed, categories=True)
        target = contract.target_of(model, y, classes)
        turned = frame[rng.permutation(frame.columns)]
        contract.assert_same(
            contract.answer(model, turned, target, turned), contract.answer(model, frame, target, frame)
        )
