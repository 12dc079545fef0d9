# mypy: allow-untyped-defs
"""Counting rows by code and class: the compiled half of `key_coding`."""

from __future__ import annotations

from tamis.engine.kernel import njit


@njit
def count_keys(keys, table, classes, counts):
    """counts[code, class] of rows by their keys and classes."""
    for i in range(len(keys)):
        counts[table[keys[i]], classes[i]] += 1
