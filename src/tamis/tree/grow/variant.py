"""A problem that differs from another one in how its trees grow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Variant:
    """Targets, weights and costs are those of `base`; a variant has a `grow_on` of its own."""

    base: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)
